"""A connection's reliability layer as a real client has it: numbers, acknowledgements, resends, a window.

Sans-IO: datagrams and the time go in, datagrams and messages come out. It resends and paces like the real
one (section 5.6): no back-off, a window that begins with one datagram, acknowledgements that are held back
for at most 10 ms. What arrives is sorted out in `mafianet_receive.py`.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Dict, List, Optional, Set

import mafianet_bytes as raknet
from mafianet_bytes import Data, Message, Numbers
from mafianet_receive import Delivered, Receiver

FIRST_RTO = LONGEST_RTO = 2.0
ACK_HELD_BACK = 0.010
HISTORY = 513
MOST_UNACKED = 512
LONGEST_SPLIT_ID = 0x10000


@dataclass
class Unacked:
    """A reliable message that the other end has not acknowledged."""

    message: Message
    due: float
    sent_in: Optional[int] = None


class Reliability:
    """One end of a connection, from the first datagram on."""

    def __init__(self, mtu: int, now: float, timeout: float = 10.0) -> None:
        self.mtu = mtu
        self.payload_limit = mtu - raknet.HEADERS
        self.timeout = timeout
        self.heard = now
        self.sent_reliable = now
        self.receiver = Receiver()
        # What a sender of this family must never do, should the other end have done it.
        self.oddities: List[str] = []
        self.resent = 0
        self.naks_heard = 0
        self._datagram = 0
        self._message = 0
        self._split_id = 0
        self._ordering: Dict[int, int] = {}
        self._sequencing: Dict[int, int] = {}
        self._waiting: List[Message] = []
        self._unacked: OrderedDict[int, Unacked] = OrderedDict()
        self._history: OrderedDict[int, List[int]] = OrderedDict()
        self._sent_at: Dict[int, float] = {}
        self._acked: Set[int] = set()
        self._window = float(self.payload_limit)
        self._in_flight = 0
        self._srtt: Optional[float] = None
        self._deviation = 0.0
        self._ack_since: Optional[float] = None

    # Sending

    def send(
        self,
        payload: bytes,
        reliability: int = raknet.RELIABLE_ORDERED,
        channel: int = 0,
        odd_bits: Optional[int] = None,
    ) -> None:
        """Queues a message; it goes out with one of the next `poll`s."""
        placed = reliability in raknet.PLACED
        ordering = sequencing = None
        if reliability == raknet.RELIABLE_ORDERED:
            ordering = self._ordering.get(channel, 0)
            self._ordering[channel] = ordering + 1
            self._sequencing[channel] = 0
        elif placed:
            ordering = self._ordering.get(channel, 0)
            sequencing = self._sequencing.get(channel, 0)
            self._sequencing[channel] = sequencing + 1
        message = Message(
            payload,
            reliability,
            sequencing=sequencing,
            ordering=ordering,
            channel=channel if placed else None,
            odd_bits=odd_bits,
        )
        parts = raknet.parts_of(message, self.mtu, self._split_id, self._message)
        if len(parts) > 1:
            self._split_id = (self._split_id + 1) % LONGEST_SPLIT_ID
        self._message += sum(part.number is not None for part in parts)
        self._waiting += parts

    def poll(self, now: float) -> List[bytes]:
        """The datagrams to send at this moment."""
        out: List[bytes] = []
        receiver = self.receiver
        if receiver.to_nak:
            out += self._numbers(receiver.to_nak, nak=True)
        if receiver.to_ack:
            if self._ack_since is None:
                self._ack_since = now
            if self._srtt is None or now - self._ack_since >= ACK_HELD_BACK:
                out += self.flush_acks()
        return out + self._datagrams(now)

    def flush_acks(self) -> List[bytes]:
        """What is to be acknowledged, held back no longer."""
        self._ack_since = None
        return self._numbers(self.receiver.to_ack, nak=False)

    def _numbers(self, numbers: Set[int], nak: bool) -> List[bytes]:
        ranges = Numbers.of(numbers, nak).ranges
        numbers.clear()
        most = (self.payload_limit - 3) // 7
        return [
            Numbers(ranges[at : at + most], nak).encode() for at in range(0, len(ranges), most)
        ]

    def _datagrams(self, now: float) -> List[bytes]:
        due = [one for one in self._unacked.values() if one.due <= now]
        if due:
            # Lost: begin again with one datagram, and grow with what is acknowledged.
            self._window = float(self.payload_limit)
            self.resent += len(due)
        self._in_flight -= sum(len(one.message.payload) for one in due)
        messages = [one.message for one in due]
        room = self._window - self._in_flight - sum(len(one.payload) for one in messages)
        while self._waiting:
            message = self._waiting[0]
            reliable = message.number is not None
            if reliable and (room < len(message.payload) and self._in_flight + len(messages) > 0):
                break
            if reliable and len(self._unacked) >= MOST_UNACKED:
                break
            messages.append(self._waiting.pop(0))
            if reliable:
                room -= len(message.payload)
                self._unacked[message.number] = Unacked(message, now)
        return self._packed(messages, now)

    def _packed(self, messages: List[Message], now: float) -> List[bytes]:
        out: List[bytes] = []
        while messages:
            taken: List[Message] = []
            size = raknet.DATAGRAM_HEADER
            while messages and size + len(messages[0].encode()) <= self.payload_limit:
                size += len(messages[0].encode())
                taken.append(messages.pop(0))
            number = self._datagram
            self._datagram += 1
            for message in taken:
                if message.number is not None:
                    unacked = self._unacked[message.number]
                    unacked.due, unacked.sent_in = now + self._rto(), number
                    self._in_flight += len(message.payload)
                    self.sent_reliable = now
            numbers = [one.number for one in taken if one.number is not None]
            self._history[number] = numbers
            self._sent_at[number] = now
            if len(self._history) > HISTORY:
                old, _ = self._history.popitem(last=False)
                self._sent_at.pop(old)
            flags = raknet.DATA_IN_A_BURST if out else raknet.DATA
            out.append(Data(number, tuple(taken), flags).encode())
        return out

    def _rto(self) -> float:
        if self._srtt is None:
            return FIRST_RTO
        return min(2 * self._srtt + 4 * self._deviation + 0.030, LONGEST_RTO)

    # Receiving

    def feed(self, data: bytes, now: float) -> List[Delivered]:
        """Takes a connected datagram and gives the messages that are ready."""
        self.heard = now
        if len(data) > min(self.payload_limit, raknet.LARGEST_MTU - raknet.HEADERS):
            self.oddities.append(f"a datagram of {len(data)} bytes at an MTU of {self.mtu}")
        try:
            parsed = raknet.parse_datagram(data)
            if isinstance(parsed, Data):
                return self.receiver.take(parsed)
        except raknet.Malformed as malformed:
            self.oddities.append(str(malformed))
            return []
        for number in parsed.each():
            if number not in self._history:
                # The real one stops here, and what follows in this ACK is lost on it.
                what = "NAK" if parsed.nak else "ACK"
                self.oddities.append(f"{what} of datagram {number}, which it has no record of")
                break
            if parsed.nak:
                self._naked(number, now)
            else:
                self._acked_once(number, now)
        return []

    def _acked_once(self, number: int, now: float) -> None:
        if number in self._acked:
            self.oddities.append(f"datagram {number} acknowledged twice")
            return
        self._acked.add(number)
        self._learn(now - self._sent_at[number])
        self._window += self.payload_limit
        for message in self._history[number]:
            unacked = self._unacked.pop(message, None)
            if unacked is not None:
                self._in_flight -= len(unacked.message.payload)

    def _naked(self, number: int, now: float) -> None:
        self.naks_heard += 1
        self._window = max(self._window / 2, float(self.payload_limit))
        for message in self._history[number]:
            if message in self._unacked:
                self._unacked[message].due = now

    def _learn(self, rtt: float) -> None:
        if self._srtt is None:
            self._srtt, self._deviation = rtt, rtt
            return
        difference = rtt - self._srtt
        self._srtt += 0.05 * difference
        self._deviation += 0.05 * (abs(difference) - self._deviation)

    # What is known

    def unacked(self) -> int:
        """How many reliable messages wait to be sent or acknowledged."""
        return len(self._unacked) + sum(one.number is not None for one in self._waiting)

    def is_dead(self, now: float) -> bool:
        """Whether the other end has said nothing while it had something to acknowledge."""
        return bool(self._unacked) and now - self.heard > self.timeout
