"""What a real MafiaNet server does wrong, and a host must not.

More of it is in `test_mafianet_timeouts.py` (the timeout that nobody is told of, the waiting client that died)
and in `test_mafianet_flood.py` (players that starve, pools filled with forged addresses).
"""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any, List

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_bytes import Data, Message, Split
from mafianet_case import A_MOMENT, ApartCase
from mafianet_client import AFTER_ACCEPTED, AFTER_INCOMING, AFTER_REPLY_2, Client
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


HANDSHAKE = {0x00, 0x03, mafianet.ACCEPTED, mafianet.SESSION_STATUS}
STAGES = {
    "after the slot": AFTER_REPLY_2,
    "after the transport": AFTER_ACCEPTED,
    "before the request": AFTER_INCOMING,
    "while waiting": None,
}


def part(count: int, index: int, number: int = 0, split_id: int = 0) -> Message:
    """A part of a message, good or bad."""
    return Message(b"\x09" + bytes(20), 2, number, split=Split(count, split_id, index))


class Leaks(ApartCase):
    """Nothing of the game crosses a connection, either way, before the acceptance."""

    settings = {"connection_timeout": "10s", "max_pending": 32}

    def pending_clients(self) -> List[Client]:
        clients = [self.client(b"wait:x", stop_after=stage) for stage in STAGES.values()]
        self.crowd.until("their stages", lambda: all(one.link for one in clients))
        self.wait_for(clients[-1], mafianet.SESSION_STATUS)
        return clients

    def test_broadcasts_skip_everyone_who_is_pending(self) -> None:
        raw = self.opened(b"\x03" * 8)
        clients = self.pending_clients()
        kinds = {one.port: set() for one in clients}
        for one in clients:
            take = one._take_message
            one._take_message = lambda message, now, take=take, seen=kinds[one.port]: (
                seen.add(message.payload[0]),
                take(message, now),
            )
        player = self.joined()
        for number in range(20):
            player.send(b"\x87shout:%d" % number, number % 5)
            self.crowd.pass_time(0.02)
        self.crowd.until("its own shouts", lambda: len(player.received) >= 12)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual([one.leaked for one in clients], [[]] * len(clients))
        self.assertLessEqual(set().union(*kinds.values()), HANDSHAKE)
        # A raw client that sent nothing after OPEN_CONNECTION_REQUEST_2 hears nothing.
        self.assertEqual(raw.heard, [])

    def test_application_data_of_the_pending_is_never_delivered(self) -> None:
        player = self.joined()
        for what, stage in STAGES.items():
            with self.subTest(what):
                heard = self.usher.log().count("heard ")
                client = self.client(b"wait:x", stop_after=stage)
                self.crowd.until("its stage", lambda: client.link)
                if stage is None:
                    self.wait_for(client, mafianet.SESSION_STATUS)
                elif stage != AFTER_REPLY_2:
                    self.crowd.until("its stage", lambda: client.accepted)
                if stage == AFTER_REPLY_2:
                    client.link.send(mafianet.connection_request(client.guid, 1), raknet.RELIABLE)
                for reliability in raknet.RELIABILITIES:
                    client.send(b"\x87shout:evil", reliability, 4)
                client.send(mafianet.timestamped(1, b"\x87shout:evil"), raknet.RELIABLE)
                client.send(b"\x87" + bytes(5000), raknet.RELIABLE_ORDERED, 6)
                self.crowd.pass_time(A_MOMENT)
                self.assertEqual(player.received, [])
                self.assertEqual(self.usher.log().count("heard "), heard)

    def test_what_the_pending_said_is_not_delivered_after_the_acceptance_either(self) -> None:
        keeper = self.joined(b"keeper")
        client = self.waiting(b"gate:accept:in")
        client.send(b"\x87too early", channel=2)
        self.crowd.until("its acknowledgement", lambda: client.link.unacked() == 0)
        self.leave(keeper)
        self.wait_for(client, mafianet.ACCEPTED)
        client.send(b"\x87in time", channel=2)
        self.crowd.until("the echo", lambda: client.received)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(client.heard(), [b"\x87in time"])

    def test_application_data_of_the_pending_is_counted(self) -> None:
        client = self.waiting()
        name = 'usher_udp_datagrams_dropped_total{door="main",cause="early"}'
        before = self.metric(name)
        for _ in range(3):
            client.send(b"\x87too early")
        self.until("the count", lambda: self.metric(name) == before + 3)


class BadDatagrams(ApartCase):
    """One bad datagram harms nobody else, whatever they share."""

    settings = {"connection_timeout": "10s", "max_pending": 32}

    def setUp(self) -> None:
        super().setUp()
        self.player = self.joined()
        self.neighbour = self.waiting()

    def assert_unharmed(self) -> None:
        before = len(self.player.received)
        self.player.send(b"\x87still here")
        self.crowd.until("the player's echo", lambda: len(self.player.received) > before)
        self.assertEqual([one.id for one in self.player.reports], [mafianet.ACCEPTED])
        self.assertNotIn(mafianet.ATTEMPT_FAILED, [one.id for one in self.neighbour.reports])
        # And whoever comes now from this address is as welcome as before.
        newcomer = self.joined()
        self.assertEqual(newcomer.requests_sent, 1)
        self.leave(newcomer)

    def test_a_first_message_of_another_kind_bans_nobody(self) -> None:
        firsts = [b"\x87hello", b"\x00" + bytes(8), b"\x13" + bytes(93), b"\x80accept", b"\x15"]
        firsts += [b"\x10" + bytes(95), b"\x18", b"\xff" * 400, b"\x09", b"\x09" + bytes(16)]
        for number, first in enumerate(firsts):
            raw = self.opened(bytes([number + 1]) * 8)
            raw.say(Data(0, (Message(first, raknet.RELIABLE, 0),)).encode())
        self.crowd.pass_time(A_MOMENT)
        self.assert_unharmed()

    def test_a_connection_request_of_another_guid_harms_nobody(self) -> None:
        raw = self.opened(b"\x05" * 8)
        request = mafianet.connection_request(self.player.guid, 1)
        raw.say(Data(0, (Message(request, raknet.RELIABLE, 0),)).encode())
        self.crowd.pass_time(A_MOMENT)
        self.assert_unharmed()

    def test_split_counts_without_end_cost_no_memory(self) -> None:
        raws = [self.opened(bytes([number + 1]) * 8) for number in range(8)]
        before = self.memory()
        for number in range(64):
            for raw in raws:
                bad = part(20_000_000, number, number, number)
                raw.say(Data(number, (bad,)).encode())
            self.crowd.step(0)
        self.neighbour.link._waiting.append(part(20_000_000, 0, self.neighbour.link._message, 9))
        self.neighbour.link._message += 1
        self.crowd.pass_time(A_MOMENT)
        self.assertLess(self.memory() - before, 16 << 20)
        self.assert_unharmed_but_the_neighbour()

    def test_parts_that_wait_for_the_rest_cost_bounded_memory(self) -> None:
        raws = [self.opened(bytes([number + 1]) * 8) for number in range(8)]
        before = self.memory()
        # The second part of one long message after the other: 17 MB in all.
        for number in range(1600):
            for raw in raws:
                first = Message(bytes(1340), 2, number, split=Split(49, number, 1))
                raw.say(Data(number, (first,)).encode())
            self.crowd.step(0)
        self.crowd.pass_time(A_MOMENT)
        self.assertLess(self.memory() - before, 8 << 20)
        self.assert_unharmed()

    def test_parts_with_differing_counts_harm_nobody(self) -> None:
        for number, (first, second) in enumerate(
            (
                (part(10, 0), part(20, 15, 1)),
                (part(20, 15), part(10, 0, 1)),
                (part(2, 0), part(49, 48, 1)),
                (part(2, 0), part(1, 0, 1)),
                (part(2, 0), part(2, 2, 1)),
                (part(0, 0), part(1, 1, 1)),
            )
        ):
            raw = self.opened(bytes([number + 1]) * 8)
            raw.say(Data(0, (first,)).encode())
            raw.say(Data(1, (second,)).encode())
        self.crowd.pass_time(A_MOMENT)
        self.assert_unharmed()

    def test_datagrams_that_are_no_datagrams_harm_nobody(self) -> None:
        raw = self.opened(b"\x06" * 8)
        for text in (
            "84",
            "8400",
            "84000000",
            "84 000000 a0 0008 88",
            "84 000000 40 ffff 000000 00",
            "84 000000 60 0008 000000 000000 20 88",
            "84 ffffff 00 0008 00",
            "c0 ffff 01 000000",
            "c0 0001 00 000000 ffffff",
            "a0 0001 00 000000 ffffff",
            "a0 0001 00 050000 000000",
            "e0 0001 01 000000",
        ):
            raw.say(bytes.fromhex(text))
        self.crowd.pass_time(A_MOMENT)
        self.assert_unharmed()

    def test_forged_datagrams_of_strangers_harm_nobody(self) -> None:
        stranger = self.raw()
        for number in range(100):
            stranger.say(Data(number, (Message(b"\x15", 3, number, None, 0, 0),)).encode())
        stranger.silence()
        self.assert_unharmed()

    def assert_unharmed_but_the_neighbour(self) -> None:
        """The neighbour has sent something bad itself and may be gone."""
        self.neighbour = self.waiting()
        self.assert_unharmed()

    def memory(self) -> int:
        """The host's resident memory."""
        status = Path(f"/proc/{self.usher.process.pid}/status")
        if not status.exists():
            self.skipTest("this system does not tell a process's memory")
        line = next(one for one in status.read_text().splitlines() if one.startswith("VmRSS"))
        return int(line.split()[1]) * 1024
