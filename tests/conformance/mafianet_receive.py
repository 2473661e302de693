"""The receiving half of a connection: what to acknowledge, what is new, and in which order it is handed on.

Sections 5.2, 5.4 and 5.5 of the protocol. The sending half is in `mafianet_reliability.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Dict, List, Optional, Set

import mafianet_bytes as raknet
from mafianet_bytes import Malformed, Message

# What the real one allows (section 5.2).
LONGEST_NAK = 1000
LONGEST_JUMP = 50_000


@dataclass
class Delivered:
    """A whole message, in its turn."""

    payload: bytes
    bits: int
    reliability: int
    channel: Optional[int]


@dataclass
class Channel:
    """What one channel has delivered and holds back."""

    expected: int = 0
    next_sequence: int = 0
    sequenced: Dict[int, List[Message]] = field(default_factory=dict)
    ordered: Dict[int, Message] = field(default_factory=dict)

    def take(self, message: Message) -> List[Message]:
        """What can be delivered now that this has come."""
        index = message.ordering
        if index < self.expected:
            return []
        if message.reliability in raknet.SEQUENCED:
            if index == self.expected:
                return self._newer(message)
            self.sequenced.setdefault(index, []).append(message)
            return []
        self.ordered.setdefault(index, message)
        out: List[Message] = []
        while self.expected in self.ordered:
            # Whatever was sequenced behind an ordered message that is only now delivered.
            out.append(self.ordered.pop(self.expected))
            self.expected += 1
            self.next_sequence = 0
            held = self.sequenced.pop(self.expected, [])
            for one in sorted(held, key=lambda one: one.sequencing):
                out += self._newer(one)
        return out

    def _newer(self, message: Message) -> List[Message]:
        if message.sequencing < self.next_sequence:
            return []
        self.next_sequence = message.sequencing + 1
        return [message]


class Receiver:
    """Datagrams in; acknowledgements and messages out."""

    def __init__(self) -> None:
        self.expected_datagram = 0
        self.to_ack: Set[int] = set()
        self.to_nak: Set[int] = set()
        self.duplicates = 0
        self._seen_base = 0
        self._seen: Set[int] = set()
        self._channels: Dict[int, Channel] = {}
        self._splits: Dict[int, Dict[int, Message]] = {}

    def take(self, data: raknet.Data) -> List[Delivered]:
        """Notes a datagram and gives what can be delivered now."""
        ahead = data.number - self.expected_datagram
        if ahead > LONGEST_JUMP:
            return []
        if ahead >= 0:
            gap = range(max(self.expected_datagram, data.number - LONGEST_NAK), data.number)
            self.to_nak.update(gap)
            self.expected_datagram = data.number + 1
        # What comes late is not missing any more.
        self.to_nak.discard(data.number)
        self.to_ack.add(data.number)
        out: List[Delivered] = []
        for message in data.messages:
            out += self._message(message)
        return out

    def _message(self, message: Message) -> List[Delivered]:
        if message.number is not None and not self._is_new(message.number):
            self.duplicates += 1
            return []
        if message.split is not None:
            whole = self._part(message)
            if whole is None:
                return []
            message = whole
        if message.channel is None:
            ready = [message]
        else:
            ready = self._channels.setdefault(message.channel, Channel()).take(message)
        return [
            Delivered(one.payload, one.bits, one.reliability, one.channel) for one in ready
        ]

    def _is_new(self, number: int) -> bool:
        if number < self._seen_base or number in self._seen:
            return False
        self._seen.add(number)
        while self._seen_base in self._seen:
            self._seen.remove(self._seen_base)
            self._seen_base += 1
        return True

    def _part(self, message: Message) -> Optional[Message]:
        split = message.split
        parts = self._splits.setdefault(split.id, {})
        parts[split.index] = message
        counts = {one.split.count for one in parts.values()}
        if len(counts) > 1:
            raise Malformed(f"parts of split {split.id} disagree on their count: {counts}")
        if len(parts) < split.count:
            return None
        del self._splits[split.id]
        chunks = [parts[index] for index in range(split.count)]
        bits = sum(one.bits for one in chunks)
        whole = b"".join(one.payload for one in chunks)
        return replace(message, payload=whole, split=None, odd_bits=bits if bits % 8 else None)
