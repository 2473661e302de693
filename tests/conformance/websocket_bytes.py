"""The bytes of a WebSocket, from RFC 6455: frames, masks, the handshake's key."""

from __future__ import annotations

import base64
import hashlib
import os
import struct
from typing import NamedTuple, Optional, Tuple

CONTINUATION = 0x0
TEXT = 0x1
BINARY = 0x2
CLOSE = 0x8
PING = 0x9
PONG = 0xA

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Frame(NamedTuple):
    """One frame, unmasked."""

    opcode: int
    payload: bytes
    fin: bool = True
    rsv: int = 0
    masked: bool = False

    @property
    def close_code(self) -> Optional[int]:
        """The code of a close frame; None where it has none."""
        assert self.opcode == CLOSE, self
        return struct.unpack("!H", self.payload[:2])[0] if len(self.payload) >= 2 else None

    @property
    def close_reason(self) -> str:
        return self.payload[2:].decode()


def new_key() -> str:
    """A Sec-WebSocket-Key."""
    return base64.b64encode(os.urandom(16)).decode()


def accept_of(key: str) -> str:
    """The Sec-WebSocket-Accept that answers a key (section 4.2.2)."""
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def mask(payload: bytes, key: bytes) -> bytes:
    """Masks, or unmasks (section 5.3)."""
    repeated = key * (len(payload) // 4 + 1)
    number = int.from_bytes(payload, "big") ^ int.from_bytes(repeated[: len(payload)], "big")
    return number.to_bytes(len(payload), "big")


def encode(
    opcode: int,
    payload: bytes = b"",
    fin: bool = True,
    rsv: int = 0,
    key: Optional[bytes] = b"\x12\x34\x56\x78",
    claims: Optional[int] = None,
    wide: int = 0,
) -> bytes:
    """A frame of a client. Without a `key` it is not masked; `claims` is a length that it does not have; `wide`
    is how many bytes the length takes at least, 0, 2 or 8."""
    length = len(payload) if claims is None else claims
    first = (0x80 if fin else 0) | (rsv << 4) | opcode
    masked = 0x80 if key is not None else 0
    if length < 126 and wide == 0:
        head = bytes([first, masked | length])
    elif length < 0x10000 and wide <= 2:
        head = bytes([first, masked | 126]) + struct.pack("!H", length)
    else:
        head = bytes([first, masked | 127]) + struct.pack("!Q", length)
    if key is None:
        return head + payload
    return head + key + mask(payload, key)


def close(code: Optional[int] = None, reason: bytes = b"") -> bytes:
    """The payload of a close frame."""
    return b"" if code is None else struct.pack("!H", code) + reason


def decode(data: bytes) -> Optional[Tuple[Frame, int]]:
    """The frame at the beginning and how many bytes it has; None where it is not whole yet. Raises ValueError
    for what no server may send."""
    if len(data) < 2:
        return None
    first, second = data[0], data[1]
    at, length = 2, second & 0x7F
    if length >= 126:
        size = 2 if length == 126 else 8
        if len(data) < at + size:
            return None
        length = int.from_bytes(data[at : at + size], "big")
        at += size
        if length < (126 if size == 2 else 0x10000):
            raise ValueError(f"a length of {length} in {size} bytes is not the shortest form")
    if second & 0x80:
        raise ValueError("a server must not mask")
    if len(data) < at + length:
        return None
    frame = Frame(first & 0x0F, data[at : at + length], bool(first & 0x80), (first >> 4) & 7)
    if frame.rsv:
        raise ValueError(f"no extension was agreed on that has a meaning for {frame}")
    if frame.opcode >= 8 and (length > 125 or not frame.fin):
        raise ValueError(f"a control frame must be short and whole: {frame}")
    if frame.opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
        raise ValueError(f"there is no opcode {frame.opcode}")
    return frame, at + length
