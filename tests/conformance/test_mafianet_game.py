"""Who is in: application messages both ways, pings, leaving, being sent away, and coming back."""

from __future__ import annotations

import time
import unittest
from itertools import cycle, islice
from typing import Any, List, Tuple

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_bytes import Message, Split
from mafianet_case import A_MOMENT, LATER, SOON, ApartCase, HostCase
from mafianet_client import CONNECTED, OVER, Client
from mafianet_receive import Delivered
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


MTU = 1400


def counting(length: int) -> bytes:
    return bytes(islice(cycle(range(251)), length))


class Messages(ApartCase):
    """The rules send back what they get, the way it came."""

    def echo(self, client: Client, payload: bytes, *how: int, **more: int) -> Delivered:
        """Sends a message and waits for it to come back."""
        before = len(client.received)
        client.send(payload, *how, **more)
        self.crowd.until("the echo", lambda: len(client.received) > before, SOON)
        return client.received[-1]

    def test_a_message_of_every_reliability_comes_back_on_its_channel(self) -> None:
        client = self.joined()
        for channel in (0, 1, 5, 31):
            for reliability, name in raknet.RELIABILITIES.items():
                with self.subTest(name, channel=channel):
                    payload = b"\x88%s on %d" % (name.encode(), channel)
                    echo = self.echo(client, payload, reliability, channel)
                    self.assertEqual(echo.payload, payload)
                    if reliability in raknet.PLACED:
                        self.assertEqual(echo.channel, channel)

    def test_a_message_comes_back_with_the_reliability_that_it_came_with(self) -> None:
        client = self.joined()
        for reliability, name in raknet.RELIABILITIES.items():
            with self.subTest(name):
                echo = self.echo(client, b"\x88" + name.encode(), reliability, 3)
                # Rules hear of one kind of sequenced message, which may be lost.
                same = {raknet.RELIABLE_SEQUENCED: raknet.UNRELIABLE_SEQUENCED}
                self.assertEqual(echo.reliability, same.get(reliability, reliability))

    def test_every_application_id_goes_both_ways(self) -> None:
        client = self.joined()
        for kind in range(mafianet.USER, 0x100):
            self.assertEqual(self.echo(client, bytes([kind]) + b"!").payload, bytes([kind]) + b"!")

    def test_a_message_of_11_bits_comes_back(self) -> None:
        client = self.joined()
        echo = self.echo(client, b"\x8a\xa0", raknet.RELIABLE, odd_bits=11)
        self.assertEqual(echo.payload[0], 0x8A)
        self.assertEqual(echo.payload[1] & 0xE0, 0xA0)

    def test_a_message_of_one_byte_comes_back(self) -> None:
        client = self.joined()
        self.assertEqual(self.echo(client, b"\xff").payload, b"\xff")

    def test_a_message_of_30_times_the_mtu_comes_back_whole(self) -> None:
        for rungs in ((1372,), (548,)):
            with self.subTest(rungs=rungs):
                client = self.joined(rungs=rungs)
                payload = b"\x87" + counting(30 * MTU)
                for reliability in (raknet.UNRELIABLE, raknet.RELIABLE, raknet.RELIABLE_ORDERED):
                    self.assertEqual(self.echo(client, payload, reliability).payload, payload)
                self.leave(client)

    def test_messages_on_one_channel_keep_their_order_and_none_is_lost(self) -> None:
        client = self.joined()
        said = [b"\x87%d" % number for number in range(300)]
        for one in said:
            client.send(one, raknet.RELIABLE_ORDERED, 7)
        self.crowd.until("all echoes", lambda: len(client.received) >= 300, LATER)
        self.assertEqual(client.heard(), said)

    def test_one_channel_does_not_wait_for_another(self) -> None:
        client = self.joined()
        link = client.link
        # The first message of channel 2 is kept back, as if it were lost on the way.
        link.send(b"\x87late", raknet.RELIABLE_ORDERED, 2)
        late = link._waiting.pop()
        link.send(b"\x87held", raknet.RELIABLE_ORDERED, 2)
        link.send(b"\x87other", raknet.RELIABLE_ORDERED, 3)
        self.crowd.until("the other channel's echo", lambda: client.received)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(client.heard(), [b"\x87other"])
        link._waiting.append(late)
        self.crowd.until("the rest", lambda: len(client.received) == 3)
        self.assertEqual(client.heard()[1:], [b"\x87late", b"\x87held"])

    def test_a_broadcast_reaches_everyone_who_is_in(self) -> None:
        players = [self.joined() for _ in range(3)]
        players[1].send(b"\x90shout:hear me", channel=4)
        self.crowd.until("the shout", lambda: all(one.received for one in players))
        self.assertEqual({tuple(one.heard()) for one in players}, {(b"\x90hear me",)})
        self.assertEqual({one.received[0].channel for one in players}, {4})

    def test_a_timestamp_comes_back_on_the_senders_own_clock(self) -> None:
        client = self.joined()
        client.send(mafianet.ping(client.time_ms()), raknet.UNRELIABLE)
        self.crowd.pass_time(0.1)
        stamp = client.time_ms()
        echo = self.echo(client, mafianet.timestamped(stamp, b"\x89\x42"))
        moment, message = mafianet.parse_timestamped(echo.payload)
        self.assertEqual(message, b"\x89\x42")
        # Theirs is our moment on their clock; a real client takes the difference off again.
        # Both clocks began at a moment of their own; how far they are apart is only known as well as a busy machine
        # lets a ping be measured.
        self.assertLess(abs(moment - client.offset_ms - stamp), 1_000)

    def test_handshake_and_game_share_the_order_of_channel_0(self) -> None:
        client = self.joined()
        channels = client.link.receiver._channels
        # The acceptance of the transport, and that of the session.
        self.assertEqual(channels[0].expected, 2)
        self.echo(client, b"\x87first")
        self.assertEqual(channels[0].expected, 3)


class Pings(HostCase):
    settings = {"connection_timeout": "10s"}

    def test_a_ping_is_answered_while_waiting_and_while_in(self) -> None:
        for client in (self.waiting(), self.joined()):
            pongs: List[Tuple[int, int]] = []
            take = client._take_pong
            client._take_pong = lambda data, now, take=take: (
                pongs.append(mafianet.parse_pong(data)),
                take(data, now),
            )
            for reliability in (raknet.UNRELIABLE, raknet.RELIABLE):
                client.send(mafianet.ping(1000 + reliability), reliability)
            self.crowd.until("pongs", lambda: len(pongs) >= 2)
            self.assertEqual(sorted(asked for asked, _ in pongs[-2:]), [1000, 1002])

    def test_each_datagram_is_acknowledged_once(self) -> None:
        client = self.joined()
        for number in range(50):
            client.send(b"\x87%d" % number, number % 5)
        self.crowd.until("acknowledgements", lambda: client.link.unacked() == 0)
        self.crowd.pass_time(A_MOMENT)
        sent = client.link._datagram
        self.assertEqual(len(client.link._acked), sent)
        self.assertEqual(client.all_oddities(), [])


class Ends(ApartCase):
    def test_a_player_leaves_and_its_seat_is_free(self) -> None:
        for reason, channel in ((b"", 0), (b"see you", 0), (b"", 9)):
            with self.subTest(reason=reason, channel=channel):
                client = self.joined()
                self.wait_for_players(1)
                client.leave(reason, channel)
                self.wait_for_players(0)
                self.crowd.until("the acknowledgement", lambda: client.is_over)
                self.assertEqual([one.id for one in client.reports], [mafianet.ACCEPTED])

    def test_a_kicked_player_is_told_why(self) -> None:
        client = self.joined()
        client.send(b"\x87kick:kicked: afk")
        report = self.wait_for(client, mafianet.DISCONNECTION)
        self.assertEqual(report.text, b"kicked: afk")
        self.wait_for_players(0)

    def test_a_player_may_be_kicked_without_a_reason(self) -> None:
        client = self.joined()
        client.send(b"\x87kick:")
        self.assertEqual(self.wait_for(client, mafianet.DISCONNECTION).text, b"")

    def test_what_was_said_before_a_kick_arrives_before_it(self) -> None:
        client = self.joined()
        client.send(b"\x87give:20000")
        client.send(b"\x87kick:now go")
        self.wait_for(client, mafianet.DISCONNECTION)
        self.assertEqual([len(one) for one in client.heard()], [20_001])

    def test_a_player_comes_back_from_the_same_port_at_once(self) -> None:
        client = self.joined()
        knocks = []
        for number in range(20):
            client.leave()
            self.crowd.until("the goodbye", lambda: client.is_over)
            client.payload = b"accept:%d" % number
            client.connect()
            self.wait_for(client, mafianet.ACCEPTED)
            self.assertEqual(client.config, b"%d" % number)
            knocks.append(client.requests_sent)
        # A busy machine may take half a second for one or the other.
        self.assertGreater(knocks.count(1), 10, "it had to knock again")
        self.wait_for_players(1)

    def test_a_kicked_player_comes_back_from_the_same_port_at_once(self) -> None:
        client = self.joined()
        knocks = []
        for _ in range(5):
            client.send(b"\x87kick:again")
            self.wait_for(client, mafianet.DISCONNECTION)
            client.connect()
            self.wait_for(client, mafianet.ACCEPTED)
            knocks.append(client.requests_sent)
        self.assertGreater(knocks.count(1), 2, "it had to knock again")

    def test_a_player_that_vanished_is_lost_within_the_connection_timeout(self) -> None:
        client = self.joined()
        self.wait_for_players(1)
        start = time.monotonic()
        self.vanish(client)
        # Half of it until the host asks after the player, all of it for an answer, and some patience.
        self.wait_for_players(0, within=6)
        self.assertGreater(time.monotonic() - start, 1.5)

    def test_a_player_that_says_nothing_but_lives_stays(self) -> None:
        client = self.joined()
        self.crowd.pass_time(5)
        self.assertEqual((self.players(), client.state), (1, CONNECTED))

    def test_a_crashed_client_that_returns_from_the_same_port_takes_its_own_place(self) -> None:
        client = self.joined()
        # A new process knows nothing of the old and has another guid, but it proves its address.
        client.state, client.guid = OVER, b"\x07" * 8
        client.connect()
        self.wait_for(client, mafianet.ACCEPTED)
        self.wait_for_players(1)
        client.send(b"\x87hello")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87hello"])


class Classic(HostCase):
    """A client of protocol 6 has no session exchange: it is decided before it is told anything."""

    settings = {"door": "protocols = [7, 6]"}

    def test_it_is_let_in_without_a_session_exchange(self) -> None:
        client = self.joined(protocol=mafianet.CLASSIC)
        self.wait_for_players(1)
        client.send(b"\x87hello")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87hello"])
        self.assertEqual(client.statuses(), [])
        self.leave(client)
        self.wait_for_players(0)

    def test_its_rungs_are_answered_with_at_most_1400(self) -> None:
        for size, mtu in ((1464, 1400), (1172, 1200), (548, 576)):
            with self.subTest(size=size):
                client = self.joined(protocol=mafianet.CLASSIC, rungs=(size,))
                self.assertEqual(client.reply_2.mtu, mtu)
                self.leave(client)

    def test_it_is_not_told_that_it_is_in_before_it_is(self) -> None:
        players = [self.joined() for _ in range(4)]
        late = self.client(protocol=mafianet.CLASSIC)
        report = self.wait_for_end(late)
        # Nothing that such a client can be told at this point is a failed attempt.
        self.assertEqual(report.id, mafianet.DISCONNECTION)
        self.assertIsNone(late.accepted)
        self.assertEqual(len(players), 4)

    def test_a_refusal_is_a_bare_goodbye_before_it_is_in(self) -> None:
        client = self.client(protocol=mafianet.CLASSIC, password=b"reject:Not today.")
        report = self.wait_for_end(client)
        self.assertEqual((report.id, report.text), (mafianet.DISCONNECTION, b""))
        self.assertIsNone(client.accepted)
        self.wait_for_ending(client.port, "rejected told-to")

    def test_it_is_decided_before_it_hears_anything(self) -> None:
        keeper = self.joined(b"keeper")
        client = self.client(protocol=mafianet.CLASSIC, password=b"gate:accept:")
        self.wait_for_pending(1)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual((client.accepted, client.reports), (None, []))
        self.leave(keeper)
        self.wait_for(client, mafianet.ACCEPTED)
        self.wait_for_players(1)

    def test_who_leaves_while_it_is_decided_is_abandoned_once(self) -> None:
        client = self.client(protocol=mafianet.CLASSIC, password=b"wait:")
        self.wait_for_pending(1)
        self.leave(client)
        self.wait_for_pending(0)
        self.wait_for_ending(client.port, "abandoned cancelled")


class LongMessages(HostCase):
    settings = {"door": "max-message = 5000"}

    def test_a_message_over_the_operators_limit_is_dropped_and_the_player_plays_on(self) -> None:
        client = self.joined()
        client.send(b"\x87" + counting(4000))
        client.send(b"\x87" + counting(9_000))
        client.send(b"\x87after")
        self.crowd.until("the last echo", lambda: client.heard()[-1:] == [b"\x87after"])
        self.assertEqual([len(one) for one in client.heard()], [4001, 6])
        client.send(b"\x87" + counting(30_000))
        client.send(b"\x87at last")
        self.crowd.until("the last echo", lambda: client.heard()[-1:] == [b"\x87at last"])

    def test_a_message_beyond_all_limits_ends_the_session_with_a_word(self) -> None:
        client = self.joined()
        # The first part of what would be some megabytes.
        first = Message(b"\x87", raknet.RELIABLE, client.link._message, split=Split(5000, 900, 0))
        client.link._message += 1
        client.link._waiting.append(first)
        report = self.wait_for(client, mafianet.DISCONNECTION, within=LATER)
        self.assertTrue(report.text)
        self.wait_for_players(0)
