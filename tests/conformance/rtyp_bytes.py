"""The bytes of the `rtyp` protocol, written from its specification.

Nothing here comes from the codecs of the host: that is what makes a mistake in them visible.
All integers are little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional

VERSION = 1
MAGIC = b"RTYP"
MAX_FRAME = 512
MAX_PAYLOAD = 1200

# Kinds of TCP messages (section 3.2).
LOGIN_REQUEST, LOGIN_ACCEPTED, LOGIN_REJECTED, LOGOUT = 1, 2, 3, 4

# Reasons of a LoginRejected (section 3.2).
SERVER_FULL, BAD_VERSION, BAD_NAME, NAME_TAKEN, GAME_STARTED = 1, 2, 3, 4, 5
REJECTIONS = {
    SERVER_FULL: "ServerFull",
    BAD_VERSION: "BadVersion",
    BAD_NAME: "BadName",
    NAME_TAKEN: "NameTaken",
    GAME_STARTED: "GameStarted",
}

# Reasons of a Logout (section 3.2).
LEFT, SHUTDOWN, TIMED_OUT, PROTOCOL_ERROR = 0, 1, 2, 3
LOGOUTS = {
    LEFT: "Left",
    SHUTDOWN: "Shutdown",
    TIMED_OUT: "TimedOut",
    PROTOCOL_ERROR: "ProtocolError",
}

# Types of datagrams (section 2).
CONNECT, ACCEPT, DATA, KEEP_ALIVE = 1, 2, 3, 4

_HEADER = struct.Struct("<4sBBHHII")


class Malformed(Exception):
    """Bytes that the protocol does not allow."""


def frame(body: bytes) -> bytes:
    """A TCP frame: u16 length, then the body."""
    return struct.pack("<H", len(body)) + body


def string(text: bytes) -> bytes:
    """A string field: u16 length, then the bytes."""
    return struct.pack("<H", len(text)) + text


def login_request(name: bytes, version: int = VERSION) -> bytes:
    """A LoginRequest with its length prefix."""
    return frame(bytes([LOGIN_REQUEST, version]) + string(name))


def login_accepted(session: int, player: int, udp_port: int) -> bytes:
    """A LoginAccepted with its length prefix."""
    return frame(struct.pack("<BIBH", LOGIN_ACCEPTED, session, player, udp_port))


def login_rejected(reason: int) -> bytes:
    """A LoginRejected with its length prefix."""
    return frame(bytes([LOGIN_REJECTED, reason]))


def logout(reason: int = LEFT) -> bytes:
    """A Logout with its length prefix."""
    return frame(bytes([LOGOUT, reason]))


@dataclass(frozen=True)
class Accepted:
    """The fields of a LoginAccepted."""

    session: int
    player: int
    udp_port: int


def parse_accepted(body: bytes) -> Accepted:
    """Reads the body of a LoginAccepted."""
    if len(body) != 8 or body[0] != LOGIN_ACCEPTED:
        raise Malformed(f"not a LoginAccepted: {body.hex(' ')}")
    accepted = Accepted(*struct.unpack("<IBH", body[1:]))
    if accepted.session == 0:
        raise Malformed("a LoginAccepted with session 0")
    return accepted


def parse_login_request(body: bytes) -> bytes:
    """Reads the body of a LoginRequest of this version and gives the name."""
    if len(body) < 4 or body[:2] != bytes([LOGIN_REQUEST, VERSION]):
        raise Malformed(f"not a LoginRequest: {body.hex(' ')}")
    (length,) = struct.unpack("<H", body[2:4])
    if len(body) != 4 + length:
        raise Malformed(f"the name does not fill the frame: {body.hex(' ')}")
    return body[4:]


@dataclass(frozen=True)
class Datagram:
    """A datagram's fields, magic and version apart."""

    kind: int
    sequence: int
    ack: int
    ack_bits: int
    session: int
    payload: bytes = b""


def datagram(
    kind: int,
    sequence: int,
    session: int,
    payload: bytes = b"",
    ack: int = 0xFFFF,
    ack_bits: int = 0,
    version: int = VERSION,
    magic: bytes = MAGIC,
) -> bytes:
    """A datagram, good or bad: nothing is checked here."""
    return _HEADER.pack(magic, version, kind, sequence, ack, ack_bits, session) + payload


def parse_datagram(data: bytes) -> Datagram:
    """Reads a datagram strictly, of either side."""
    if len(data) < _HEADER.size:
        raise Malformed(f"shorter than its header: {data.hex(' ')}")
    magic, version, kind, sequence, ack, ack_bits, session = _HEADER.unpack(data[: _HEADER.size])
    payload = data[_HEADER.size :]
    if magic != MAGIC or version != VERSION:
        raise Malformed(f"magic or version: {data[:5].hex(' ')}")
    if kind not in (CONNECT, ACCEPT, DATA, KEEP_ALIVE):
        raise Malformed(f"type {kind}")
    if len(payload) > (MAX_PAYLOAD if kind == DATA else 0):
        raise Malformed(f"type {kind} with a payload of {len(payload)} bytes")
    return Datagram(kind, sequence, ack, ack_bits, session, payload)


class Numbers:
    """One side's numbers: those it gives out, and those it has seen (section 2.2)."""

    def __init__(self, first: int = 0) -> None:
        self._next = first
        self._newest: Optional[int] = None
        self._seen: set[int] = set()

    def take(self) -> int:
        """The number of the next datagram to send."""
        number = self._next
        self._next = (number + 1) % 0x10000
        return number

    def note(self, number: int) -> bool:
        """Notes a number that arrived; whether its datagram is to be delivered."""
        if self._newest is None:
            self._newest, self._seen = number, {number}
            return True
        ahead = (number - self._newest) % 0x10000
        if 0 < ahead < 0x8000:
            self._newest = number
            self._seen = {old for old in self._seen if (number - old) % 0x10000 <= 32}
        elif number in self._seen or (self._newest - number) % 0x10000 > 32:
            return False
        self._seen.add(number)
        return True

    def ack(self) -> int:
        """The newest number seen, FFFF before any."""
        return 0xFFFF if self._newest is None else self._newest

    def ack_bits(self) -> int:
        """Bit i: number ack - 1 - i was seen."""
        if self._newest is None:
            return 0
        earlier = ((self._newest - 1 - bit) % 0x10000 for bit in range(32))
        return sum(1 << bit for bit, number in enumerate(earlier) if number in self._seen)
