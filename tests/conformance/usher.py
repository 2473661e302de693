"""The program under test: `usher serve` and `usher join`, started and spoken to from outside.

`USHER_BIN` is the path of the binary.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import random
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Optional

CONFIG = """\
[limits]
max-players = {max_players}
max-pending = 32
max-pending-per-address = 0
decision-timeout = "10s"
queue-max-wait = "60s"

[[door]]
name = "main"
protocol = "rtyp"
tcp = "{host}:{tcp}"
udp = "{host}:{udp}"
udp-timeout = "{udp_timeout}"
bind-timeout = "{bind_timeout}"

[[policy]]
name = "rtyp"
module = "builtin:rtyp"

[rules]
module = "builtin:arena"

[admin]
listen = "127.0.0.1:{admin}"
"""

DEFAULTS = {
    "host": "127.0.0.1",
    "max_players": 4,
    "udp_timeout": "10s",
    "bind_timeout": "10s",
}

# Far more than anything takes on a slow machine.
PATIENCE = 20.0


def binary() -> str:
    """The path of usher; skips the test where there is none."""
    path = os.environ.get("USHER_BIN")
    if not path:
        raise unittest.SkipTest("USHER_BIN is not set: it is the path of the usher binary")
    return path


def until(what: str, check: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Waits for `check` to give something true, and gives that."""
    deadline = time.monotonic() + patience
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience} s in vain for {what}")
        time.sleep(0.02)


# Below those that the system gives to whoever asks for any: no client of another test takes one of these
# between the probe and the start of the host.
PORTS = range(20_000, 32_000)
_given: set[int] = set()


def free_port(host: str, kind: socket.SocketKind) -> int:
    """A port that nobody has at the moment, and that was not given out before."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        port = random.choice(PORTS)
        with socket.socket(family, kind) as probe:
            try:
                probe.bind((host.strip("[]"), port))
            except OSError:
                continue
        if port not in _given:
            _given.add(port)
            return port


def module(name: str) -> Path:
    """A compiled module of the tests; skips the test where there are none."""
    folder = os.environ.get("USHER_MODULES")
    if not folder:
        raise unittest.SkipTest("USHER_MODULES is not set: it is where `cargo xtask wasm` puts them")
    return Path(folder).resolve() / "test" / f"{name}.wasm"


def keep(place: str, name: str, data: bytes) -> None:
    """Keeps something of the run, where `cargo xtask test` wants it: `tests/src/keep.rs` says what for."""
    if folder := os.environ.get("USHER_KEEP"):
        path = Path(folder) / place
        path.mkdir(parents=True, exist_ok=True)
        with (path / name).open("ab") as file:
            file.write(data)


def keep_secrets(text: str) -> None:
    """Registers the lines of a file that are long enough to be found for certain."""
    lines = [line.strip() for line in text.splitlines()]
    secrets = "".join(f"{line}\n" for line in lines if len(line) >= 10)
    keep("secrets", f"{os.getpid()}-py-lines", secrets.encode())


class Serve:
    """A running `usher serve`: with one rtyp door, the rtyp policy and the arena's rules, or as told."""

    def __init__(
        self, template: str = CONFIG, files: Optional[dict[str, str]] = None, **settings: Any
    ) -> None:
        values = {**DEFAULTS, **settings}
        host = values["host"]
        self.tcp_port = free_port(host, socket.SOCK_STREAM)
        self.udp_port = free_port(host, socket.SOCK_DGRAM)
        self.admin_port = free_port("127.0.0.1", socket.SOCK_STREAM)
        self._folder = tempfile.TemporaryDirectory(prefix="usher-conformance-")
        folder = self.folder = Path(self._folder.name)
        config = folder / "usher.toml"
        ports = {"tcp": self.tcp_port, "udp": self.udp_port, "admin": self.admin_port}
        config.write_text(template.format(**{**values, **ports}))
        for name, text in (files or {}).items():
            (folder / name).write_text(text)
            if "password" in name or "token" in name:
                keep_secrets(text)
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [binary(), "serve", "--config", str(config)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            until("GET /healthz to answer 200", self._is_ready)
        except AssertionError as error:
            log_text = self.log()
            self.stop()
            raise AssertionError(f"{error}; its log:\n{log_text}") from None

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"usher serve ended with status {self.process.returncode}")
        try:
            return self.request("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def request(self, method: str, path: str) -> tuple[int, bytes]:
        """A request to the admin interface: status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=5)
        try:
            connection.request(method, path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def status(self) -> dict[str, Any]:
        """What `GET /v1/status` says."""
        code, body = self.request("GET", "/v1/status")
        if code != 200:
            raise AssertionError(f"GET /v1/status answered {code}: {body!r}")
        return json.loads(body)

    def left_over(self) -> dict[str, Any]:
        """What is not zero, or not empty, of all that must be when nobody is connected."""
        status = self.status()
        counts: dict[str, Any] = {}
        for door in status.get("doors", ()):
            counts.update({f"{door['name']}.{state}": n for state, n in door["peers"].items()})
            counts[f"{door['name']}.held_bytes"] = door["held_bytes"]
        counts |= {
            "players.connected": status["players"]["connected"],
            "pending.total": status["pending"]["total"],
            "ledger.claims": status["ledger"]["claims"],
            "endpoints": status["endpoints"],
            "sessions": status["sessions"],
            "requests": status["requests"],
        }
        return {name: count for name, count in counts.items() if count}

    def session(self, name: str) -> Optional[dict[str, Any]]:
        """The session of the player with this name, as the status shows it."""
        return next((one for one in self.status()["sessions"] if one["name"] == name), None)

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def stop(self) -> int:
        """Asks it to stop, as an init system would, and gives its exit status."""
        try:
            if self.process.poll() is None:
                self.process.terminate()
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("usher serve does not stop when it is asked to") from None
        finally:
            self._keep()
            self._folder.cleanup()

    def _keep(self) -> None:
        """Keeps what it said, for the search for secrets."""
        for kind, name in (("log", "log"), ("audit", "audit.jsonl")):
            file = self.folder / name
            if file.is_file():
                keep("said", f"{self.process.pid}-py-{kind}", file.read_bytes())


class Join:
    """A running `usher join`."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [binary(), "join", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
        )
        self.lines: list[str] = []
        self._arrivals: queue.Queue[Optional[str]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._arrivals.put(line.decode(errors="replace").rstrip("\r\n"))
        self._arrivals.put(None)

    def so_far(self) -> list[str]:
        """The lines that have come, without waiting for another."""
        while not self._arrivals.empty():
            line = self._arrivals.get()
            if line is not None:
                self.lines.append(line)
        return self.lines

    def line(self, wanted: Callable[[str], bool], patience: float = PATIENCE) -> str:
        """The next line that is wanted."""
        deadline = time.monotonic() + patience
        while True:
            try:
                line = self._arrivals.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"no such line in time; so far: {self.lines}") from None
            if line is None:
                raise AssertionError(f"the output ended without such a line: {self.lines}")
            self.lines.append(line)
            if wanted(line):
                return line

    def data(self, patience: float = PATIENCE) -> str:
        """What the next line of arriving data says."""
        return self.line(lambda line: line.startswith("< "), patience)[2:]

    def say(self, line: str) -> None:
        self.process.stdin.write(line.encode() + b"\n")

    def end_input(self) -> None:
        self.process.stdin.close()

    def status(self, patience: float = PATIENCE) -> int:
        """Waits for it to end and gives its exit status; all its output is in `lines` then."""
        status = self.process.wait(patience)
        self._reader.join(patience)
        self.so_far()
        return status

    def output(self) -> str:
        return "\n".join(self.lines)

    def stop(self) -> None:
        """Ends it, however far it came."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
