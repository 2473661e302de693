"""Turns for many sockets on one thread: whoever waits for one client lets all the others live meanwhile.

A client that is not given turns is frozen, as a hung process is: its socket takes what comes and nobody
reads it.
"""

from __future__ import annotations

import selectors
import socket
import time
from typing import Any, Callable, Dict, List

from mafianet_bytes import Address

# How often the real one looks after its timers (section 5.6).
TURN = 0.010

PATIENCE = 20.0

Take = Callable[[bytes, Address, float], None]


class Silence(Exception):
    """Nothing came in the time that it should have."""


def endpoint(local: Address = ("127.0.0.1", 0)) -> socket.socket:
    """A UDP socket with room for a burst."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    one.setblocking(False)
    one.bind(local)
    return one


class Crowd:
    """Everybody who takes part in one test."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._members: List[Any] = []
        self._takers: Dict[socket.socket, Take] = {}

    def now(self) -> float:
        return time.monotonic()

    def join(self, member: Any) -> None:
        """From now on `member.tick(now)` is called every few milliseconds."""
        self._members.append(member)

    def leave(self, member: Any) -> None:
        if member in self._members:
            self._members.remove(member)

    def listen(self, one: socket.socket, take: Take) -> None:
        """From now on every datagram that comes here is handed over."""
        self._selector.register(one, selectors.EVENT_READ, take)
        self._takers[one] = take

    def deafen(self, one: socket.socket) -> None:
        if self._takers.pop(one, None) is not None:
            self._selector.unregister(one)

    def __contains__(self, one: socket.socket) -> bool:
        """Whether somebody listens there."""
        return one in self._takers

    def step(self, limit: float = TURN) -> None:
        """One turn for everybody, after at most so long a sleep."""
        for key, _ in self._selector.select(max(min(limit, TURN), 0)):
            # Bounded, so that nobody is starved by one who is flooded.
            for _ in range(64):
                if key.fileobj not in self._takers:
                    break
                try:
                    data, source = key.fileobj.recvfrom(65536)
                except (BlockingIOError, ConnectionRefusedError):
                    break
                key.data(data, source, time.monotonic())
        now = time.monotonic()
        for member in list(self._members):
            member.tick(now)

    def pass_time(self, seconds: float) -> None:
        """Lets everybody live for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step(end - time.monotonic())

    def until(
        self, what: str, check: Callable[[], Any], patience: float = PATIENCE, every: float = 0
    ) -> Any:
        """Lets everybody live until `check`, asked at most so often, gives something true."""
        end = time.monotonic() + patience
        ask_at = 0.0
        while True:
            if time.monotonic() >= ask_at:
                found = check()
                if found:
                    return found
                ask_at = time.monotonic() + every
            if time.monotonic() > end:
                raise AssertionError(f"waited {patience} s in vain for {what}")
            self.step()

    def close(self) -> None:
        for one in list(self._takers):
            self.deafen(one)
            one.close()
        self._members.clear()
        self._selector.close()


class Raw:
    """A socket that says exactly what it is told, and keeps what it hears."""

    def __init__(self, crowd: Crowd, server: Address, local: Address = ("127.0.0.1", 0)) -> None:
        self.crowd = crowd
        self.server = server
        self.socket = endpoint(local)
        self.heard: List[bytes] = []
        self.at: List[float] = []
        crowd.listen(self.socket, self._take)

    def _take(self, data: bytes, source: Address, now: float) -> None:
        if source == self.server:
            self.heard.append(data)
            self.at.append(now)

    def say(self, data: bytes) -> None:
        self.socket.sendto(data, self.server)

    def next(self, patience: float = 2.0) -> bytes:
        """The next datagram that was not taken yet."""
        try:
            self.crowd.until("an answer", lambda: self.heard, patience)
        except AssertionError:
            raise Silence(f"no answer within {patience} s") from None
        return self.heard.pop(0)

    def ask(self, data: bytes, patience: float = 2.0) -> bytes:
        """Says it, and gives the next datagram."""
        self.say(data)
        return self.next(patience)

    def silence(self, seconds: float = 0.3) -> None:
        """Fails if anything comes."""
        self.crowd.pass_time(seconds)
        if self.heard:
            raise AssertionError(f"answered with {[one[:40].hex(' ') for one in self.heard]}")

    @property
    def address(self) -> Address:
        return self.socket.getsockname()

    def close(self) -> None:
        self.crowd.deafen(self.socket)
        self.socket.close()
