"""What every test of a `websocket` door needs: a host of its own, clients, and nothing left at the end."""

from __future__ import annotations

import json
import unittest
from typing import Any, Dict, List, Optional

import usher
import websocket_bytes as ws
from websocket_client import Client, Silence

CONFIG = """\
[limits]
max-players = {max_players}
max-pending = {max_pending}
max-pending-per-address = {per_address}
session-timeout = "{session_timeout}"
decision-timeout = "{decision_timeout}"
status-interval = "{status_interval}"
queue-grace = "{queue_grace}"
{limits}

[[door]]
name = "web"
protocol = "websocket"
tcp = "{host}:{tcp}"
{door}

{more}

[[policy]]
name = "scripted"
module = "{policy}"
deadline = "{deadline}"

[rules]
module = "{rules}"

[admin]
listen = "127.0.0.1:{admin}"
"""

DEFAULTS = {
    "max_players": 4,
    "max_pending": 16,
    "per_address": 0,
    "session_timeout": "45s",
    "decision_timeout": "10s",
    "status_interval": "5s",
    "queue_grace": "0s",
    "limits": "",
    "deadline": "1s",
    "door": "",
    "more": "",
}

# How long to listen before silence counts as no answer. What would answer is on the same machine.
A_MOMENT = 0.3

# "Right after" and "at once", on a machine that is busy with other tests.
SOON = 5.0


def serve(files: Optional[Dict[str, str]] = None, **settings: Any) -> usher.Serve:
    """A host with a `websocket` door, the scripted policy and the puppet's rules."""
    modules = {
        "policy": str(usher.module("scripted")),
        "rules": str(usher.module("puppet")),
    }
    return usher.Serve(CONFIG, files, **{**DEFAULTS, **modules, **settings})


class Guests(unittest.TestCase):
    """Clients whose server is `self.usher`; each test ends with nothing held for anyone."""

    usher: usher.Serve

    def setUp(self) -> None:
        self.clients: List[Client] = []

    # Who comes

    def connection(self, **how: Any) -> Client:
        """A connection that has said nothing."""
        client = Client(("127.0.0.1", self.usher.tcp_port), **how)
        self.clients.append(client)
        return client

    def opened(self, path: str = "/", **headers: Optional[str]) -> Client:
        """A WebSocket over which nothing was said."""
        return self.connection().open(path, **headers)

    def coming(self, payload: Any = b"", path: str = "/", **headers: Optional[str]) -> Client:
        """A client that has said what it wants."""
        return self.opened(path, **headers).say(payload)

    def joined(self, payload: Any = b"", path: str = "/", **headers: Optional[str]) -> Client:
        """A client that is in."""
        client = self.coming(payload, path, **headers)
        self.assertEqual(self.answer(client)["type"], "accepted")
        return client

    def waiting(self, payload: Any = b"wait:Please wait") -> Client:
        """A client that was told to wait."""
        client = self.coming(payload)
        self.assertEqual(client.told(SOON)["type"], "status")
        return client

    # What is expected

    def answer(self, client: Client, within: float = SOON) -> Dict[str, Any]:
        """What it is told that is no status."""
        while True:
            told = client.told(within)
            if told["type"] != "status":
                return told

    def accepted(self, client: Client) -> Dict[str, Any]:
        told = self.answer(client)
        self.assertEqual(told["type"], "accepted", told)
        return told

    def rejected(self, client: Client) -> Dict[str, Any]:
        """A rejection, the close frame and the end."""
        told = self.answer(client)
        self.assertEqual(told["type"], "rejected", told)
        self.assertEqual(client.close_frame(SOON).close_code, 4000)
        client.end()
        return told

    def ended(self, client: Client, reason: str, code: int, within: float = SOON) -> Dict[str, Any]:
        """An `ended` for this reason, a close frame with this code, and the end. What comes before is skipped."""
        while True:
            message = client.message(within)
            if message is None:
                self.fail(f"closed without an end that is told: {client.frames[-3:]}")
            if isinstance(message, str) and '"ended"' in message:
                break
        told = json.loads(message)
        self.assertEqual((told["type"], told["reason"]), ("ended", reason))
        self.assertEqual(client.close_frame(SOON).close_code, code)
        client.end()
        return told

    def echoes(self, client: Client, message: bytes) -> None:
        """The rules send a message back."""
        client.say(message)
        self.assertEqual(client.message(SOON), message)

    # The host

    def until(self, what: str, check: Any, within: float = SOON) -> Any:
        return usher.until(what, check, within)

    def wait_for_pending(self, count: int, within: float = SOON) -> None:
        self.until(
            f"{count} pending", lambda: self.usher.status()["pending"]["total"] == count, within
        )

    def wait_for_players(self, count: int, within: float = SOON) -> None:
        self.until(
            f"{count} players", lambda: self.usher.status()["players"]["connected"] == count, within
        )

    def wait_for_peers(self, state: str, count: int, within: float = SOON) -> None:
        """So many peers of the door stand so."""
        door = lambda: self.usher.status()["doors"][0]["peers"][state]
        self.until(f"{count} {state}", lambda: door() == count, within)

    def endings(self, port: int) -> List[str]:
        """How the requests from this port ended, as the policy was told."""
        mark = f"ended {port} "
        lines = [line for line in self.usher.log().splitlines() if mark in line]
        return [line.split(mark, 1)[1].split(" policy=")[0].strip() for line in lines]

    def wait_for_ending(self, port: int, how: str) -> None:
        """The policy is told of one ending, and it is this one."""
        self.until(f"an ending of {port}", lambda: self.endings(port))
        self.assertEqual(self.endings(port), [how])

    def metric(self, start: str) -> float:
        """The sum of the metrics that begin so."""
        _, body = self.usher.request("GET", "/metrics")
        lines = [line for line in body.decode().splitlines() if line.startswith(start)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    # The end

    def tearDown(self) -> None:
        for client in self.clients:
            client.close()
        left_over: Dict[str, Any] = {}

        def drained() -> bool:
            nonlocal left_over
            left_over = self.usher.left_over()
            return not left_over

        try:
            self.until("the host to drain", drained, 15)
        except AssertionError:
            self.fail(f"everybody is gone, and the host still has {left_over}")


class HostCase(Guests):
    """One host a class."""

    settings: Dict[str, Any] = {}
    files: Dict[str, str] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.usher = serve(cls.files, **cls.settings)
        cls.addClassCleanup(cls.usher.stop)


class ApartCase(Guests):
    """One host a test, so that tests can run at the same time: see `together.py`."""

    apart = True
    settings: Dict[str, Any] = {}

    def setUp(self) -> None:
        super().setUp()
        self.usher = serve(**self.settings)
        self.addCleanup(self.usher.stop)


__all__ = ["A_MOMENT", "SOON", "ApartCase", "Client", "HostCase", "Silence", "serve", "ws"]
