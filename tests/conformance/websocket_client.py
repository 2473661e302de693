"""A WebSocket client, written from RFC 6455, good or bad as a test wants."""

from __future__ import annotations

import json
import socket
import time
from typing import Any, Dict, List, Optional, Tuple, Union

import websocket_bytes as ws
from websocket_bytes import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame

Address = Tuple[str, int]


class Silence(Exception):
    """Nothing came in the time that it should have."""


class Refused(Exception):
    """The handshake was answered with something else than 101."""

    def __init__(self, status: int, headers: Dict[str, str], body: bytes) -> None:
        super().__init__(f"{status}: {body!r}")
        self.status = status
        self.headers = headers
        self.body = body


class Client:
    """A connection to a server."""

    def __init__(
        self, address: Address, timeout: float = 5, receive_buffer: int = 0, local: str = ""
    ) -> None:
        kind = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.socket = socket.socket(kind, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if local:
            self.socket.bind((local, 0))
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        self.address = address
        self.port = self.socket.getsockname()[1]
        self.read = b""
        # Frames in the order in which they came, pings included.
        self.frames: List[Frame] = []
        # Whether the server has closed its side.
        self.ended = False
        # Whether pings are answered.
        self.answers_pings = True

    # HTTP

    def ask(
        self, path: str = "/", headers: Optional[Dict[str, Optional[str]]] = None, method: str = "GET"
    ) -> str:
        """Sends a request for a WebSocket and gives the key. A header that is None is left out."""
        key = ws.new_key()
        host, port = self.address
        all_headers: Dict[str, Optional[str]] = {
            "Host": f"{host}:{port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Version": "13",
        }
        all_headers.update(headers or {})
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in all_headers.items() if value is not None]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return key

    def answer(self, timeout: float = 5) -> Tuple[int, Dict[str, str], bytes]:
        """The answer to a request: status, headers in lower case, body."""
        deadline = time.monotonic() + timeout
        while b"\r\n\r\n" not in self.read:
            if not self._receive(deadline):
                raise Silence(f"the server closed without an answer: {self.read!r}")
        head, self.read = self.read.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        status = int(lines[0].split(" ", 2)[1])
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers[name.strip().lower()] = value.strip()
        if status == 101:
            return status, headers, b""
        length = int(headers.get("content-length", "0"))
        while len(self.read) < length and self._receive(deadline):
            pass
        return status, headers, self.read[:length]

    def open(self, path: str = "/", **headers: Optional[str]) -> Client:
        """The whole handshake; `Sec_WebSocket_Version=None` leaves that header out."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        key = self.ask(path, named)
        status, answered, body = self.answer()
        if status != 101:
            raise Refused(status, answered, body)
        problems = []
        if answered.get("upgrade", "").lower() != "websocket":
            problems.append("Upgrade")
        if "upgrade" not in answered.get("connection", "").lower():
            problems.append("Connection")
        if answered.get("sec-websocket-accept") != ws.accept_of(key):
            problems.append("Sec-WebSocket-Accept")
        for forbidden in ("sec-websocket-extensions", "sec-websocket-protocol"):
            if forbidden in answered:
                problems.append(forbidden)
        if problems:
            raise AssertionError(f"the handshake's answer is wrong in {problems}: {answered}")
        return self

    # Frames

    def send(self, opcode: int, payload: bytes = b"", **how: Any) -> Client:
        """Sends a frame; `how` as for `encode`."""
        self.socket.sendall(ws.encode(opcode, payload, **how))
        return self

    def say(self, message: Union[str, bytes]) -> Client:
        """Sends a message: text as text, bytes as binary."""
        if isinstance(message, str):
            return self.send(TEXT, message.encode())
        return self.send(BINARY, message)

    def frame(self, timeout: float = 5) -> Optional[Frame]:
        """The next frame that is no ping; None when the server closes."""
        deadline = time.monotonic() + timeout
        while True:
            found = ws.decode(self.read)
            if found is None:
                if not self._receive(deadline):
                    return None
                continue
            frame, length = found
            self.read = self.read[length:]
            self.frames.append(frame)
            if frame.opcode != PING:
                return frame
            if self.answers_pings:
                self.send(PONG, frame.payload)

    def message(self, timeout: float = 5) -> Union[str, bytes, None]:
        """The next message, text or bytes, made whole; None when the server closes or says that it does."""
        kind, parts = None, b""
        deadline = time.monotonic() + timeout
        while True:
            frame = self.frame(max(deadline - time.monotonic(), 0.001))
            if frame is None or frame.opcode == CLOSE:
                return None
            if frame.opcode == PONG:
                continue
            if (frame.opcode == CONTINUATION) != (kind is not None):
                raise AssertionError(f"fragments out of order: {frame}")
            kind = frame.opcode if kind is None else kind
            parts += frame.payload
            if frame.fin:
                return parts.decode() if kind == TEXT else parts

    def told(self, timeout: float = 5) -> Dict[str, Any]:
        """The next message, which has to be JSON in a text frame."""
        message = self.message(timeout)
        if not isinstance(message, str):
            raise AssertionError(f"no JSON but {message!r}; so far: {self.frames}")
        return json.loads(message)

    def close_frame(self, timeout: float = 5) -> Frame:
        """The next frame, which has to be a close frame."""
        frame = self.frame(timeout)
        if frame is None or frame.opcode != CLOSE:
            raise AssertionError(f"no close frame but {frame}; so far: {self.frames}")
        return frame

    def end(self, timeout: float = 5) -> None:
        """The server closes its side, and nothing comes before that."""
        frame = self.frame(timeout)
        if frame is not None:
            raise AssertionError(f"more after the close frame: {frame}")

    def leave(self, code: Optional[int] = 1000) -> None:
        """Says goodbye, waits for the answer and the end."""
        self.send(CLOSE, ws.close(code))
        while True:
            frame = self.frame()
            if frame is None:
                raise AssertionError("closed without an answer to the close frame")
            if frame.opcode == CLOSE:
                break
        self.end()
        self.close()

    def close(self) -> None:
        """Without a word."""
        self.socket.close()

    def _receive(self, deadline: float) -> bool:
        """Reads something; false at the end."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise Silence(f"nothing in time; so far: {self.frames}, {self.read[:80]!r}")
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(65536)
        except socket.timeout:
            raise Silence(f"nothing in time; so far: {self.frames}, {self.read[:80]!r}") from None
        except ConnectionError:
            data = b""
        self.read += data
        self.ended = not data
        return bool(data)
