"""What MafiaNet's messages say: the offline exchange, and what the connected messages hold.

Written from the protocol's description and the captures in it, both sides of every message: a client
encodes half of them and decodes the other half, a server the reverse. How messages travel is in
`mafianet_bytes.py`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from mafianet_bytes import HEADERS, MAGIC, UNASSIGNED, Address, Malformed, Reader, address

PROTOCOL = 7
# RakNet 4 and its kin, without a session exchange.
CLASSIC = 6

# Message ids (section 1.1).
CONNECTED_PING = 0x00
UNCONNECTED_PING, UNCONNECTED_PING_OPEN = 0x01, 0x02
CONNECTED_PONG = 0x03
DETECT_LOST_CONNECTIONS = 0x04
OPEN_REQUEST_1, OPEN_REPLY_1, OPEN_REQUEST_2, OPEN_REPLY_2 = 0x05, 0x06, 0x07, 0x08
CONNECTION_REQUEST = 0x09
OUT_OF_BAND = 0x0D
ACCEPTED = 0x10
ATTEMPT_FAILED = 0x11
ALREADY_CONNECTED = 0x12
NEW_INCOMING = 0x13
NO_FREE_CONNECTIONS = 0x14
DISCONNECTION = 0x15
CONNECTION_LOST = 0x16
BANNED = 0x17
INVALID_PASSWORD = 0x18
INCOMPATIBLE_PROTOCOL = 0x19
RECENTLY_CONNECTED = 0x1A
TIMESTAMP = 0x1B
UNCONNECTED_PONG = 0x1C
SESSION_REQUEST, SESSION_CONFIG, SESSION_REJECTED, SESSION_STATUS = 0x80, 0x81, 0x82, 0x83
USER = 0x87

REFUSALS = {
    ATTEMPT_FAILED: "attempt failed",
    ALREADY_CONNECTED: "already connected",
    NO_FREE_CONNECTIONS: "no free incoming connections",
    BANNED: "banned",
    INCOMPATIBLE_PROTOCOL: "incompatible protocol version",
    RECENTLY_CONNECTED: "recently connected",
}

# UDP payloads of OPEN_CONNECTION_REQUEST_1, in the order in which a client tries them.
RUNGS = (1372, 1252, 996, 548)
CLASSIC_RUNGS = (1464, 1172, 548)
SHORTEST_REQUEST_1 = 548

LONGEST_PAYLOAD = 65_536
LOCAL_ADDRESSES = 10


def is_offline(data: bytes) -> bool:
    """Whether a datagram is one of those that need no connection (section 2)."""
    if len(data) <= 2:
        return True
    first = data[0]
    if first in (UNCONNECTED_PING, UNCONNECTED_PING_OPEN, OUT_OF_BAND):
        return data[9:25] == MAGIC
    if first == UNCONNECTED_PONG:
        return data[17:33] == MAGIC
    if first == INCOMPATIBLE_PROTOCOL:
        return len(data) == 26 and data[2:18] == MAGIC
    opening = (OPEN_REQUEST_1, OPEN_REPLY_1, OPEN_REQUEST_2, OPEN_REPLY_2)
    if first in opening or first in REFUSALS:
        return len(data) >= 25 and data[1:17] == MAGIC
    return False


# The offline exchange (section 4)


def open_request_1(size: int = RUNGS[0], protocol: int = PROTOCOL) -> bytes:
    """Padded to so many bytes of UDP payload."""
    return (bytes([OPEN_REQUEST_1]) + MAGIC + bytes([protocol])).ljust(size, b"\0")


@dataclass(frozen=True)
class OpenReply1:
    guid: bytes
    mtu: int
    # Four bytes, and with them `has_security`; a default build gets no key after it.
    cookie: Optional[bytes] = None

    def encode(self) -> bytes:
        security = b"\0" if self.cookie is None else b"\x01" + self.cookie
        return bytes([OPEN_REPLY_1]) + MAGIC + self.guid + security + struct.pack(">H", self.mtu)


def parse_open_reply_1(data: bytes) -> OpenReply1:
    reader = _offline(data, OPEN_REPLY_1)
    guid, security = reader.take(8), reader.u8()
    if security > 1:
        raise Malformed(f"has_security {security}")
    cookie = reader.take(4) if security else None
    mtu = reader.u16()
    reader.end()
    return OpenReply1(guid, mtu, cookie)


@dataclass(frozen=True)
class OpenRequest2:
    server: Address
    mtu: int
    guid: bytes
    cookie: Optional[bytes] = None

    def encode(self) -> bytes:
        cookie = b"" if self.cookie is None else self.cookie + b"\0"
        tail = address(self.server) + struct.pack(">H", self.mtu) + self.guid
        return bytes([OPEN_REQUEST_2]) + MAGIC + cookie + tail


def parse_open_request_2(data: bytes, with_cookie: bool) -> OpenRequest2:
    reader = _offline(data, OPEN_REQUEST_2)
    cookie = None
    if with_cookie:
        cookie = reader.take(4)
        if reader.u8():
            raise Malformed("a challenge of a build without security")
    request = OpenRequest2(reader.address(), reader.u16(), reader.take(8), cookie)
    reader.end()
    return request


@dataclass(frozen=True)
class OpenReply2:
    guid: bytes
    client: Address
    mtu: int

    def encode(self) -> bytes:
        tail = address(self.client) + struct.pack(">H", self.mtu) + b"\0"
        return bytes([OPEN_REPLY_2]) + MAGIC + self.guid + tail


def parse_open_reply_2(data: bytes) -> OpenReply2:
    reader = _offline(data, OPEN_REPLY_2)
    reply = OpenReply2(reader.take(8), reader.address(), reader.u16())
    if reader.u8():
        raise Malformed("the security bit to a build without security")
    reader.end()
    return reply


@dataclass(frozen=True)
class Refusal:
    id: int
    guid: bytes
    # With INCOMPATIBLE_PROTOCOL only: what the server speaks.
    protocol: Optional[int] = None

    def encode(self) -> bytes:
        protocol = b"" if self.protocol is None else bytes([self.protocol])
        return bytes([self.id]) + protocol + MAGIC + self.guid


def parse_refusal(data: bytes) -> Refusal:
    reader = Reader(data)
    first = reader.u8()
    if first not in REFUSALS:
        raise Malformed(f"no refusal: {data.hex(' ')}")
    protocol = reader.u8() if first == INCOMPATIBLE_PROTOCOL else None
    reader.magic()
    refusal = Refusal(first, reader.take(8), protocol)
    reader.end()
    return refusal


def unconnected_ping(time_ms: int, guid: bytes, only_if_open: bool = False) -> bytes:
    kind = UNCONNECTED_PING_OPEN if only_if_open else UNCONNECTED_PING
    return bytes([kind]) + struct.pack(">Q", time_ms) + MAGIC + guid


@dataclass(frozen=True)
class Pong:
    time_ms: int
    guid: bytes
    text: bytes

    def encode(self) -> bytes:
        head = bytes([UNCONNECTED_PONG]) + struct.pack(">Q", self.time_ms)
        return head + self.guid + MAGIC + self.text


def parse_unconnected_pong(data: bytes) -> Pong:
    reader = Reader(data)
    if reader.u8() != UNCONNECTED_PONG:
        raise Malformed(f"no pong: {data.hex(' ')}")
    time_ms, guid = reader.u64(), reader.take(8)
    reader.magic()
    return Pong(time_ms, guid, reader.rest())


def _offline(data: bytes, kind: int) -> Reader:
    reader = Reader(data)
    if reader.u8() != kind:
        raise Malformed(f"not {kind:02x}: {data.hex(' ')}")
    reader.magic()
    return reader


# Connected messages (section 6)


def connection_request(guid: bytes, time_ms: int, password: bytes = b"") -> bytes:
    head = bytes([CONNECTION_REQUEST]) + guid + struct.pack(">Q", time_ms)
    return head + b"\0" + password


@dataclass(frozen=True)
class ConnectionRequest:
    guid: bytes
    time_ms: int
    password: bytes


def parse_connection_request(payload: bytes) -> ConnectionRequest:
    reader = _message(payload, CONNECTION_REQUEST)
    guid, time_ms = reader.take(8), reader.u64()
    if reader.u8():
        raise Malformed("has_security of a build without security")
    return ConnectionRequest(guid, time_ms, reader.rest())


@dataclass(frozen=True)
class Accepted:
    """CONNECTION_REQUEST_ACCEPTED: 96 bytes with the ten addresses of this family."""

    client: Address
    index: int
    addresses: Tuple[Address, ...]
    client_time_ms: int
    server_time_ms: int

    def encode(self) -> bytes:
        head = bytes([ACCEPTED]) + address(self.client) + struct.pack(">H", self.index)
        return head + _addresses(self.addresses) + self._times()

    def _times(self) -> bytes:
        return struct.pack(">QQ", self.client_time_ms, self.server_time_ms)


def parse_accepted(payload: bytes) -> Accepted:
    reader = _message(payload, ACCEPTED)
    client, index = reader.address(), reader.u16()
    addresses = tuple(reader.address() for _ in range(LOCAL_ADDRESSES))
    accepted = Accepted(client, index, addresses, reader.u64(), reader.u64())
    reader.end()
    return accepted


@dataclass(frozen=True)
class NewIncoming:
    """NEW_INCOMING_CONNECTION: 94 bytes."""

    server: Address
    addresses: Tuple[Address, ...]
    server_time_ms: int
    client_time_ms: int

    def encode(self) -> bytes:
        head = bytes([NEW_INCOMING]) + address(self.server) + _addresses(self.addresses)
        return head + struct.pack(">QQ", self.server_time_ms, self.client_time_ms)


def parse_new_incoming(payload: bytes) -> NewIncoming:
    reader = _message(payload, NEW_INCOMING)
    server = reader.address()
    addresses = tuple(reader.address() for _ in range(LOCAL_ADDRESSES))
    incoming = NewIncoming(server, addresses, reader.u64(), reader.u64())
    reader.end()
    return incoming


def ping(time_ms: int) -> bytes:
    return bytes([CONNECTED_PING]) + struct.pack(">Q", time_ms)


def pong(ping_time_ms: int, time_ms: int) -> bytes:
    return bytes([CONNECTED_PONG]) + struct.pack(">QQ", ping_time_ms, time_ms)


def parse_ping(payload: bytes) -> int:
    reader = _message(payload, CONNECTED_PING)
    time_ms = reader.u64()
    reader.end()
    return time_ms


def parse_pong(payload: bytes) -> Tuple[int, int]:
    """The time of the ping, and of the one who answers."""
    reader = _message(payload, CONNECTED_PONG)
    times = reader.u64(), reader.u64()
    reader.end()
    return times


def timestamped(time_ms: int, message: bytes) -> bytes:
    """An application message with the moment that it is about, on the sender's clock."""
    return bytes([TIMESTAMP]) + struct.pack(">Q", time_ms) + message


def parse_timestamped(payload: bytes) -> Tuple[int, bytes]:
    reader = _message(payload, TIMESTAMP)
    return reader.u64(), reader.rest()


def mtu_of(request_1: bytes) -> int:
    """What a server answers to an OPEN_CONNECTION_REQUEST_1 of this length."""
    return min(len(request_1) + HEADERS, 1400)


def _addresses(some: Sequence[Address]) -> bytes:
    filled = list(some) + [UNASSIGNED] * (LOCAL_ADDRESSES - len(some))
    return b"".join(address(one) for one in filled)


def _message(payload: bytes, kind: int) -> Reader:
    reader = Reader(payload)
    if reader.u8() != kind:
        raise Malformed(f"not {kind:02x}: {payload[:40].hex(' ')}")
    return reader
