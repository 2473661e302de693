"""The host's end of the reliability layer, datagram by datagram: what it acknowledges, misses, sends again,
keeps in order and refuses.
"""

from __future__ import annotations

import unittest
from typing import Any, Dict, List, Optional, Tuple

import mafianet_bytes as raknet
from mafianet_bytes import Data, Malformed, Message, Numbers, Split
from mafianet_case import A_MOMENT, LATER, ApartCase
from mafianet_client import OVER, Client
from mafianet_receive import Receiver
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


class Wire:
    """A player's own datagrams, from where its client left off; nothing is acknowledged unless told."""

    def __init__(self, case: ApartCase, client: Client) -> None:
        case.crowd.until("quiet", lambda: client.link.unacked() == 0)
        case.crowd.pass_time(0.1)
        case.crowd.leave(client)
        case.crowd.deafen(client.socket)
        client.state = OVER
        self.crowd, self.client = case.crowd, client
        self.datagram = client.link._datagram
        self.message = client.link._message
        self.receiver: Receiver = client.link.receiver
        self.heard: List[Tuple[float, Any]] = []
        self.crowd.listen(client.socket, self._take)

    def _take(self, data: bytes, _: Any, now: float) -> None:
        self.heard.append((now, raknet.parse_datagram(data)))

    def say(self, *messages: Message, number: Optional[int] = None, flags: int = 0x84) -> int:
        """Sends a datagram, the next one unless a number is given; and gives its number."""
        if number is None:
            number = self.datagram
            self.datagram += 1
        self.client.socket.sendto(Data(number, messages, flags).encode(), self.client.server)
        return number

    def reliable(self, payload: bytes, **more: Any) -> Message:
        self.message += 1
        return Message(payload, raknet.RELIABLE, self.message - 1, **more)

    def ordered(self, payload: bytes, index: int, channel: int, **more: Any) -> Message:
        self.message += 1
        place = {"ordering": index, "channel": channel, **more}
        return Message(payload, raknet.RELIABLE_ORDERED, self.message - 1, **place)

    def ack(self, *numbers: int, nak: bool = False) -> None:
        self.client.socket.sendto(Numbers.of(numbers, nak).encode(), self.client.server)

    def ack_all(self) -> None:
        """Acknowledges everything that was heard and not acknowledged yet."""
        numbers = [one.number for _, one in self.heard if isinstance(one, Data)]
        if numbers:
            self.ack(*numbers)

    def messages(self) -> List[Tuple[float, int, Message]]:
        """When, in which datagram, and what: all messages so far but pings."""
        return [
            (at, data.number, message)
            for at, data in self.heard
            if isinstance(data, Data)
            for message in data.messages
            if message.payload[:1] != b"\0"
        ]

    def payloads(self) -> List[bytes]:
        return [message.payload for _, _, message in self.messages()]

    def numbers(self, nak: bool = False) -> List[int]:
        """Datagrams that the host acknowledged, or missed, in the order in which it said so."""
        told = [one for _, one in self.heard if isinstance(one, Numbers) and one.nak == nak]
        return [number for one in told for number in one.each()]


class Layer(ApartCase):
    settings = {"connection_timeout": "10s"}

    def wire(self) -> Wire:
        return Wire(self, self.joined())

    def tearDown(self) -> None:
        for client in self.clients:
            # It left a wire behind; the player is told to go, and the host need not wait for it.
            goodbye = Message(b"\x15", raknet.RELIABLE, 90_000)
            datagram = client.link._datagram + 20_000
            client.socket.sendto(Data(datagram, (goodbye,)).encode(), client.server)
        super().tearDown()

    def test_each_datagram_is_acknowledged_once_whatever_is_in_it(self) -> None:
        wire = self.wire()
        sent = [
            wire.say(Message(b"\x88unreliable")),
            wire.say(wire.reliable(b"\x88reliable")),
            wire.say(Message(b"\x88a"), Message(b"\x88b"), wire.reliable(b"\x88c")),
            wire.say(),
            wire.say(Message(b"\x88burst"), flags=0x8C),
            wire.say(Message(b"\x88low bits"), flags=0x87),
        ]
        self.crowd.until("the acknowledgements", lambda: len(wire.numbers()) >= 6)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(sorted(wire.numbers()), sent)

    def test_a_gap_is_told_with_the_numbers_that_are_missing(self) -> None:
        wire = self.wire()
        missing = list(range(wire.datagram, wire.datagram + 3))
        wire.datagram += 3
        after = wire.say(wire.reliable(b"\x88after"))
        self.crowd.until("the NAK", lambda: wire.numbers(nak=True))
        self.assertEqual(wire.numbers(nak=True)[:3], missing)
        self.crowd.until("the ACK", lambda: after in wire.numbers())
        self.assertFalse(set(missing) & set(wire.numbers()))

    def test_a_datagram_that_comes_late_is_taken(self) -> None:
        wire = self.wire()
        late, wire.datagram = wire.datagram, wire.datagram + 1
        wire.say(wire.reliable(b"\x88after"))
        self.crowd.until("an echo", lambda: b"\x88after" in wire.payloads())
        wire.say(wire.reliable(b"\x88late"), number=late)
        self.crowd.until("the other", lambda: b"\x88late" in wire.payloads())
        self.crowd.until("its acknowledgement", lambda: late in wire.numbers())

    def test_a_message_that_comes_twice_is_delivered_once(self) -> None:
        wire = self.wire()
        message = wire.reliable(b"\x88once")
        number = wire.say(message)
        wire.say(message, number=number)
        wire.say(message)
        wire.say(wire.reliable(b"\x88then"))
        self.crowd.until("the echo", lambda: b"\x88then" in wire.payloads())
        wire.ack_all()
        self.crowd.pass_time(A_MOMENT)
        numbers = {one.number for _, _, one in wire.messages() if one.payload == b"\x88once"}
        self.assertEqual(len(numbers), 1)

    def test_ordered_messages_wait_for_each_other(self) -> None:
        wire = self.wire()
        for index in (2, 1):
            wire.say(wire.ordered(b"\x88%d" % index, index, 6))
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(wire.payloads(), [])
        wire.say(wire.ordered(b"\x880", 0, 6))
        self.crowd.until("the echoes", lambda: len(set(wire.payloads())) == 3)
        in_order = sorted({(m.ordering, m.payload) for _, _, m in wire.messages()})
        self.assertEqual([payload for _, payload in in_order], [b"\x880", b"\x881", b"\x882"])

    def test_a_sequenced_message_that_is_older_is_dropped(self) -> None:
        wire = self.wire()
        for sequence in (0, 2, 1, 3):
            wire.say(Message(b"\x88%d" % sequence, 1, None, sequence, 0, 6))
        self.crowd.until("the last", lambda: b"\x883" in wire.payloads())
        self.assertEqual(wire.payloads(), [b"\x880", b"\x882", b"\x883"])

    def test_parts_may_come_in_any_order_and_twice(self) -> None:
        wire = self.wire()
        parts = [wire.reliable(b"\x88part %d." % n, split=Split(5, 77, n)) for n in range(5)]
        for index in (3, 0, 3, 4, 1, 0, 2):
            payload = parts[index].payload[1:] if index else parts[index].payload
            wire.say(Message(payload, 2, parts[index].number, split=parts[index].split))
        whole = b"\x88part 0.part 1.part 2.part 3.part 4."
        self.crowd.until("the echo", lambda: whole in wire.payloads())

    def test_a_nak_has_it_sent_again_at_once_in_a_new_datagram(self) -> None:
        wire = self.wire()
        wire.say(wire.reliable(b"\x88echo"))
        self.crowd.until("the echo", wire.messages)
        at, datagram, message = wire.messages()[0]
        wire.ack(datagram, nak=True)
        self.crowd.until("it again", lambda: len(wire.messages()) > 1)
        again, other, same = wire.messages()[1]
        self.assertLess(again - at, 0.25)
        self.assertGreater(other, datagram)
        self.assertEqual(same.number, message.number)

    def test_what_is_not_acknowledged_is_sent_again_less_and_less_often(self) -> None:
        wire = self.wire()
        wire.say(wire.reliable(b"\x88echo"))
        self.crowd.pass_time(6)
        resent = [(at, number) for at, number, _ in wire.messages()]
        self.assertGreater(len(resent), 2)
        # Upstream sends it 66 times in this time.
        self.assertLess(len(resent), 16)
        gaps = [later[0] - sooner[0] for sooner, later in zip(resent, resent[1:])]
        self.assertGreater(gaps[-1], 2 * gaps[0])
        self.assertEqual(len({number for _, number in resent}), len(resent))
        wire.ack(resent[-1][1])
        count = len(wire.messages())
        self.crowd.pass_time(3)
        self.assertEqual(len(wire.messages()), count)

    def test_what_is_in_flight_is_bounded_and_goes_on_when_it_is_acknowledged(self) -> None:
        wire = self.wire()
        for channel in range(4):
            wire.say(wire.ordered(b"\x88give:60000", 0, channel + 3))
        self.crowd.pass_time(0.2)
        first = {message.number for _, _, message in wire.messages()}
        self.assertGreater(len(first), 0)
        self.assertLess(len(first), 64)

        def whole() -> Dict[int, int]:
            wire.ack_all()
            bits: Dict[int, Dict[int, int]] = {}
            for _, _, one in wire.messages():
                bits.setdefault(one.split.id, {})[one.split.index] = len(one.payload)
            return {split: sum(parts.values()) for split, parts in bits.items()}

        self.crowd.until("all of it", lambda: sorted(whole().values()) == [60_001] * 4, LATER, 0.02)

    def test_acknowledgements_of_what_was_never_sent_change_nothing(self) -> None:
        wire = self.wire()
        for text in ("c0 0001 00 000000 ffffff", "c0 0001 01 ffff7f", "a0 0001 00 100000 ffffff"):
            wire.client.socket.sendto(bytes.fromhex(text), wire.client.server)
        wire.say(wire.reliable(b"\x88echo"))
        self.crowd.until("the echo", lambda: b"\x88echo" in wire.payloads())
        # It was not taken for acknowledged in advance.
        self.crowd.until("it again", lambda: len(wire.messages()) > 1)

    def test_numbers_that_are_far_ahead_are_not_believed(self) -> None:
        wire = self.wire()
        wire.say(wire.reliable(b"\x88far"), number=wire.datagram + 60_000)
        far = Message(b"\x88farther", raknet.RELIABLE, wire.message + 1_100_000)
        wire.say(far)
        wire.say(wire.reliable(b"\x88near"))
        self.crowd.until("the echo", lambda: b"\x88near" in wire.payloads())
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(set(wire.payloads()), {b"\x88near"})

    def test_a_bad_message_in_a_datagram_loses_nobody(self) -> None:
        wire = self.wire()
        for text in ("a0 0008 88", "40 0000 000000", "60 0008 000000 000000 20 88", "40 ffff 0000"):
            number = raknet.u24(wire.datagram)
            wire.datagram += 1
            bad = b"\x84" + number + bytes.fromhex(text)
            wire.client.socket.sendto(bad, wire.client.server)
        wire.say(wire.reliable(b"\x88after"))
        self.crowd.until("the echo", lambda: b"\x88after" in wire.payloads())

    def test_the_host_writes_nothing_that_a_strict_reader_refuses(self) -> None:
        wire = self.wire()
        try:
            for number in range(60):
                wire.say(wire.reliable(b"\x88%d" % number), number=None if number % 7 else 0)
                wire.say(Message(b"\x88give:3000"))
                self.crowd.step(0.005)
            self.crowd.pass_time(A_MOMENT)
        except Malformed as malformed:
            self.fail(str(malformed))
        numbers = [one.number for _, one in wire.heard if isinstance(one, Data)]
        self.assertEqual(numbers, sorted(set(numbers)), "numbers of datagrams are never reused")
