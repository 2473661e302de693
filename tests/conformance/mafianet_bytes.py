"""The bytes under every MafiaNet message: numbers, addresses, datagrams, framing, acknowledgements.

Written from the protocol's description and the captures in it; nothing here comes from the codecs of the
host, which is what makes a mistake in them visible. What the messages themselves say is in
`mafianet_messages.py`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Iterable, List, Optional, Tuple, Union

Address = Tuple[str, int]

MAGIC = bytes.fromhex("00ffff00fefefefefdfdfdfd12345678")

# What a datagram carries besides its payload, and what the MTU counts with it: IP and UDP headers.
HEADERS = 28
SMALLEST_MTU, LARGEST_MTU = 576, 1400

# Reliabilities (section 5.3).
UNRELIABLE, UNRELIABLE_SEQUENCED, RELIABLE, RELIABLE_ORDERED, RELIABLE_SEQUENCED = range(5)
RELIABILITIES = {
    UNRELIABLE: "unreliable",
    UNRELIABLE_SEQUENCED: "unreliable sequenced",
    RELIABLE: "reliable",
    RELIABLE_ORDERED: "reliable ordered",
    RELIABLE_SEQUENCED: "reliable sequenced",
}
NUMBERED = (RELIABLE, RELIABLE_ORDERED, RELIABLE_SEQUENCED)
SEQUENCED = (UNRELIABLE_SEQUENCED, RELIABLE_SEQUENCED)
PLACED = (UNRELIABLE_SEQUENCED, RELIABLE_ORDERED, RELIABLE_SEQUENCED)

CHANNELS = 32
LONGEST_HEADER = 23
DATAGRAM_HEADER = 4

# First bytes of connected datagrams (section 5.1).
DATA, DATA_IN_A_BURST, ACK, NAK = 0x84, 0x8C, 0xC0, 0xA0


class Malformed(Exception):
    """Bytes that the protocol does not allow."""


def u24(number: int) -> bytes:
    """A number of a datagram, message, ordering or sequencing: three bytes, little-endian."""
    return number.to_bytes(3, "little")


class Reader:
    """Takes fields off the front of bytes, and refuses to read past their end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if self.left() < count:
            raise Malformed(f"{count} more bytes wanted at {self.at} of {self.data.hex(' ')}")
        self.at += count
        return self.data[self.at - count : self.at]

    def rest(self) -> bytes:
        return self.take(self.left())

    def u8(self) -> int:
        return self.take(1)[0]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def u24(self) -> int:
        return int.from_bytes(self.take(3), "little")

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "big")

    def address(self) -> Address:
        family, octets, port = self.u8(), self.take(4), self.u16()
        if family != 4:
            raise Malformed(f"an address of family {family}")
        return ".".join(str(octet ^ 0xFF) for octet in octets), port

    def magic(self) -> None:
        found = self.take(16)
        if found != MAGIC:
            raise Malformed(f"no magic but {found.hex(' ')}")

    def end(self) -> None:
        if self.left():
            raise Malformed(f"{self.left()} bytes too many in {self.data.hex(' ')}")


def address(one: Address) -> bytes:
    """An IPv4 address and port: seven bytes."""
    octets = bytes(int(octet) ^ 0xFF for octet in one[0].split("."))
    return b"\x04" + octets + struct.pack(">H", one[1])


UNASSIGNED: Address = ("0.0.0.0", 0)


@dataclass(frozen=True)
class Split:
    """Which part of a message this is."""

    count: int
    id: int
    index: int


@dataclass(frozen=True)
class Message:
    """A message, or a part of one, with everything that its framing says."""

    payload: bytes
    reliability: int = UNRELIABLE
    number: Optional[int] = None
    sequencing: Optional[int] = None
    ordering: Optional[int] = None
    channel: Optional[int] = None
    split: Optional[Split] = None
    # The length in bits where it is no multiple of eight.
    odd_bits: Optional[int] = None

    @property
    def bits(self) -> int:
        return 8 * len(self.payload) if self.odd_bits is None else self.odd_bits

    def encode(self) -> bytes:
        """Its bytes, good or bad: nothing is checked here."""
        head = bytes([self.reliability << 5 | (0x10 if self.split else 0)])
        head += struct.pack(">H", self.bits)
        if self.reliability in NUMBERED:
            head += u24(self.number or 0)
        if self.reliability in SEQUENCED:
            head += u24(self.sequencing or 0)
        if self.reliability in PLACED:
            head += u24(self.ordering or 0) + bytes([self.channel or 0])
        if self.split:
            head += struct.pack(">IHI", self.split.count, self.split.id, self.split.index)
        return head + self.payload


def parse_message(reader: Reader) -> Message:
    """Reads one message strictly."""
    header, bits = reader.u8(), reader.u16()
    reliability = header >> 5
    if reliability not in RELIABILITIES:
        raise Malformed(f"reliability {reliability} on the wire")
    if header & 0x0F:
        raise Malformed(f"padding of a message's first byte: {header:02x}")
    if bits == 0:
        raise Malformed("a message of no bits")
    number = reader.u24() if reliability in NUMBERED else None
    sequencing = reader.u24() if reliability in SEQUENCED else None
    ordering = channel = split = None
    if reliability in PLACED:
        ordering, channel = reader.u24(), reader.u8()
        if channel >= CHANNELS:
            raise Malformed(f"channel {channel}")
    if header & 0x10:
        split = Split(reader.u32(), reader.u16(), reader.u32())
        if split.index >= split.count:
            raise Malformed(f"part {split.index} of {split.count}")
    payload = reader.take((bits + 7) // 8)
    odd_bits = bits if bits % 8 else None
    return Message(payload, reliability, number, sequencing, ordering, channel, split, odd_bits)


@dataclass(frozen=True)
class Data:
    """A datagram of messages."""

    number: int
    messages: Tuple[Message, ...]
    flags: int = DATA

    def encode(self) -> bytes:
        body = b"".join(message.encode() for message in self.messages)
        return bytes([self.flags]) + u24(self.number) + body


@dataclass(frozen=True)
class Numbers:
    """An ACK, or a NAK: numbers of datagrams, as inclusive ranges."""

    ranges: Tuple[Tuple[int, int], ...]
    nak: bool = False

    @classmethod
    def of(cls, numbers: Iterable[int], nak: bool = False) -> Numbers:
        """The fewest ranges that hold exactly these."""
        ranges: List[Tuple[int, int]] = []
        for number in sorted(set(numbers)):
            if ranges and ranges[-1][1] + 1 == number:
                ranges[-1] = (ranges[-1][0], number)
            else:
                ranges.append((number, number))
        return cls(tuple(ranges), nak)

    def each(self) -> Iterable[int]:
        for low, high in self.ranges:
            yield from range(low, high + 1)

    def encode(self) -> bytes:
        out = bytes([NAK if self.nak else ACK]) + struct.pack(">H", len(self.ranges))
        for low, high in self.ranges:
            out += b"\x01" + u24(low) if low == high else b"\x00" + u24(low) + u24(high)
        return out


def parse_numbers(data: bytes) -> Numbers:
    """Reads an ACK or NAK strictly: ascending, each number once, no range of one."""
    reader = Reader(data)
    first = reader.u8()
    if first not in (ACK, NAK):
        raise Malformed(f"no ACK or NAK: {data.hex(' ')}")
    ranges: List[Tuple[int, int]] = []
    for _ in range(reader.u16()):
        kind = reader.u8()
        if kind not in (0, 1):
            raise Malformed(f"a range that begins with {kind:02x} in {data.hex(' ')}")
        low = reader.u24()
        high = low if kind == 1 else reader.u24()
        if kind == 0 and high <= low or ranges and low <= ranges[-1][1]:
            raise Malformed(f"ranges that do not ascend: {data.hex(' ')}")
        ranges.append((low, high))
    reader.end()
    if not ranges:
        raise Malformed("an ACK or NAK of nothing")
    return Numbers(tuple(ranges), first == NAK)


def parse_data(data: bytes) -> Data:
    """Reads a datagram of messages strictly; a tail of less than three bytes is padding."""
    reader = Reader(data)
    flags, number = reader.u8(), reader.u24()
    messages: List[Message] = []
    while reader.left() >= 3:
        messages.append(parse_message(reader))
    return Data(number, tuple(messages), flags)


def parse_datagram(data: bytes) -> Union[Data, Numbers]:
    """Reads a connected datagram."""
    if not data or not data[0] & 0x80:
        raise Malformed(f"no connected datagram: {data[:40].hex(' ')}")
    if data[0] & 0x40 or data[0] & 0x20:
        return parse_numbers(data)
    return parse_data(data)


def longest_part(mtu: int) -> int:
    """How much of a split message goes into one datagram (section 5.5)."""
    return mtu - HEADERS - 9 - LONGEST_HEADER


def parts_of(message: Message, mtu: int, split_id: int, first_number: int) -> List[Message]:
    """A message as it goes out: whole, or in parts with consecutive message numbers."""
    longest = longest_part(mtu)
    if len(message.payload) <= longest:
        whole = first_number if message.reliability in NUMBERED else None
        return [replace(message, number=whole)]
    chunks = [message.payload[at : at + longest] for at in range(0, len(message.payload), longest)]
    upgraded = {UNRELIABLE: RELIABLE, UNRELIABLE_SEQUENCED: RELIABLE_SEQUENCED}
    parts = []
    for index, chunk in enumerate(chunks):
        # Only the last part can end inside a byte.
        last = index == len(chunks) - 1
        odd = message.odd_bits - 8 * longest * index if last and message.odd_bits else None
        parts.append(
            replace(
                message,
                payload=chunk,
                reliability=upgraded.get(message.reliability, message.reliability),
                number=first_number + index,
                split=Split(len(chunks), split_id, index),
                odd_bits=odd,
            )
        )
    return parts
