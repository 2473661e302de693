"""The game's datagrams: numbers, acknowledgements, keep-alives, and what ends a session (sections 2, 3.4)."""

from __future__ import annotations

import time
import unittest
from typing import Any

import rtyp_bytes as rtyp
from rtyp_case import SOON, ServerCase
from rtyp_client import Player, Silence
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


def invalid(session: int) -> dict[str, bytes]:
    """Datagrams that name a session and that no client may send."""
    return {
        "type 0": rtyp.datagram(0, 1, session),
        "type 5": rtyp.datagram(5, 1, session),
        "type 255": rtyp.datagram(255, 1, session, b"x"),
        "an Accept": rtyp.datagram(rtyp.ACCEPT, 1, session),
        "version 0": rtyp.datagram(rtyp.KEEP_ALIVE, 1, session, version=0),
        "version 2": rtyp.datagram(rtyp.DATA, 1, session, b"x", version=2),
        "a Connect with a payload": rtyp.datagram(rtyp.CONNECT, 1, session, b"x"),
        "a KeepAlive with a payload": rtyp.datagram(rtyp.KEEP_ALIVE, 1, session, b"x"),
        "a payload of 1201 bytes": rtyp.datagram(rtyp.DATA, 1, session, b"x" * 1201),
        "a payload of 9000 bytes": rtyp.datagram(rtyp.DATA, 1, session, b"x" * 9000),
    }


class Data(ServerCase):
    def test_data_reaches_the_other_players_and_not_its_sender(self) -> None:
        first, second = self.pair()
        third = self.bound(b"c")
        second.send(b"hello")
        self.hear(first, b"1:hello")
        self.hear(third, b"1:hello")
        first.send(b"bye")
        self.assertEqual(self.hear(second, b"0:bye"), [b"+2 c"])

    def test_an_empty_payload_is_data(self) -> None:
        first, second = self.pair()
        second.send(b"")
        self.hear(first, b"1:")

    def test_a_payload_is_opaque(self) -> None:
        first, second = self.pair()
        payload = bytes(range(256))
        second.send(payload)
        self.hear(first, b"1:" + payload)

    def test_a_payload_of_1200_bytes_is_sent_and_received(self) -> None:
        first, second = self.pair()
        second.send(b"x" * 1198)
        self.hear(first, b"1:" + b"x" * 1198)
        # With the sender's number before it this one is too long to go on, and nobody's fault.
        second.send(b"y" * 1200)
        second.send(b"after it")
        self.assertEqual(self.hear(first, b"1:after it"), [])
        self.assert_in_the_game(second)

    def test_a_number_is_delivered_once(self) -> None:
        first, second = self.pair()
        again = second.send(b"once")
        for _ in range(3):
            second.udp.send_raw(again)
        second.send(b"end")
        self.assertEqual(self.hear(first, b"1:end"), [b"1:once"])

    def test_a_late_number_inside_the_window_is_delivered_once(self) -> None:
        first, second = self.pair()
        for number in (1, 34, 2, 33, 2, 33):
            second.udp.send(rtyp.DATA, b"%d" % number, sequence=number)
        second.udp.send(rtyp.DATA, b"end", sequence=35)
        self.assertEqual(self.hear(first, b"1:end"), [b"1:1", b"1:34", b"1:2", b"1:33"])

    def test_a_number_behind_the_window_is_dropped(self) -> None:
        first, second = self.pair()
        for number in (100, 68, 67, 1):
            second.udp.send(rtyp.DATA, b"%d" % number, sequence=number)
        second.udp.send(rtyp.DATA, b"end", sequence=101)
        self.assertEqual(self.hear(first, b"1:end"), [b"1:100", b"1:68"])

    def test_numbers_wrap(self) -> None:
        first = self.bound(b"a")
        second = self.logged_in(b"b")
        second.udp.numbers = rtyp.Numbers(0xFFFD)
        second.bind()
        self.hear(first, b"+1 b")
        for payload in (b"w", b"x", b"y", b"z"):
            second.send(payload)
        self.assertEqual(self.hear(first, b"1:z"), [b"1:w", b"1:x", b"1:y"])

    def test_data_with_the_token_of_another_session_is_dropped(self) -> None:
        first, second = self.pair()
        third = self.bound(b"c")
        self.hear(first, b"+2 c")
        second.udp.send(rtyp.DATA, b"in its name", session=third.udp.session)
        second.send(b"end")
        self.assertEqual(self.hear(first, b"1:end"), [])
        self.assert_in_the_game(second)
        self.assert_in_the_game(third)

    def test_data_from_an_endpoint_that_is_not_bound_is_dropped(self) -> None:
        first, second = self.pair()
        thief = self.stranger(second.udp.session)
        thief.send(rtyp.DATA, b"stolen", sequence=1)
        self.assert_no_answer(thief)
        second.send(b"end")
        self.assertEqual(self.hear(first, b"1:end"), [])


class Acknowledgements(ServerCase):
    def acknowledged(self, player: Player, newest: int) -> int:
        """Waits for the server to acknowledge this number and gives the bits with it."""
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            datagram = player.udp.receive(deadline - time.monotonic())
            if datagram.ack == newest:
                return datagram.ack_bits
        self.fail(f"{newest} is not acknowledged")

    def test_the_newest_number_and_those_before_it_are_acknowledged(self) -> None:
        player = self.bound()
        for number in (1, 3, 4):
            player.udp.send(rtyp.DATA, b"x", sequence=number)
        # Bit 0 is 3, bit 1 is 2, bit 2 is 1, bit 3 is the Connect.
        self.assertEqual(self.acknowledged(player, 4), 0b1101)

    def test_a_connect_is_acknowledged_like_anything_else(self) -> None:
        player = self.bound()
        player.udp.send(rtyp.CONNECT, sequence=2)
        accept = self.assert_accept(player.udp)
        self.assertEqual((accept.ack, accept.ack_bits), (2, 0b10))

    def test_what_is_dropped_is_not_acknowledged(self) -> None:
        player = self.bound()
        self.stranger(player.udp.session).send(rtyp.DATA, b"x", sequence=7)
        player.udp.send(rtyp.CONNECT, sequence=1)
        self.assertEqual(self.assert_accept(player.udp).ack, 1)

    def test_the_server_numbers_everything_it_sends(self) -> None:
        first, second = self.pair()
        numbers = []
        for _ in range(3):
            second.send(b"x")
            first.udp.send(rtyp.CONNECT)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            try:
                numbers.append(first.udp.receive(end - time.monotonic()).sequence)
            except Silence:
                break
        self.assertGreaterEqual(len(numbers), 7, "three Data, three Accept and a KeepAlive")
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))


class KeepAlive(ServerCase):
    def test_a_silent_server_sends_a_keep_alive_every_second(self) -> None:
        player = self.bound()
        start = time.monotonic()
        for _ in range(4):
            datagram = player.udp.receive(2 * SOON)
            self.assertEqual((datagram.kind, datagram.payload), (rtyp.KEEP_ALIVE, b""))
        # How late one of them is noticed on a busy machine says nothing about the next.
        took = time.monotonic() - start
        self.assertGreater(took, 2.5, "twice a second would be too often")
        self.assertLess(took, 7.5, "every two seconds would be too seldom")

    def test_a_server_that_sends_data_sends_no_keep_alive(self) -> None:
        first, second = self.pair()
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            second.send(b"tick")
            self.assertEqual(first.udp.receive(SOON).kind, rtyp.DATA)
            time.sleep(0.3)

    def test_a_session_that_is_not_bound_gets_none(self) -> None:
        self.assert_no_answer(self.logged_in().udp, 1.5)


class UdpTimeout(ServerCase):
    settings = {"udp_timeout": "2s"}

    def test_a_silent_client_is_timed_out(self) -> None:
        player = self.bound()
        start = time.monotonic()
        self.assert_logout(player, rtyp.TIMED_OUT, within=4)
        self.assertGreater(time.monotonic() - start, 1.8)

    def test_keep_alives_hold_the_session(self) -> None:
        player = self.bound()
        for _ in range(8):
            player.udp.send(rtyp.KEEP_ALIVE)
            time.sleep(0.5)
        self.assert_in_the_game(player)

    def test_what_is_dropped_does_not_hold_the_session(self) -> None:
        player, other = self.bound(b"a"), self.bound(b"b")
        thief = self.stranger(player.udp.session)
        start = time.monotonic()
        while time.monotonic() - start < 2.3:
            thief.send(rtyp.DATA, b"x")
            player.udp.send(rtyp.KEEP_ALIVE, session=other.udp.session)
            player.udp.send_raw(b"RTYP")
            other.udp.send(rtyp.KEEP_ALIVE)
            time.sleep(0.1)
        self.assert_logout(player, rtyp.TIMED_OUT)
        self.assert_in_the_game(other)

    def test_the_others_are_told_of_a_player_that_timed_out(self) -> None:
        first, _ = self.pair()
        end = time.monotonic() + 5
        while time.monotonic() < end:
            first.udp.send(rtyp.KEEP_ALIVE)
            try:
                if first.data(0.5) == b"-1":
                    return
            except Silence:
                pass
        self.fail("nobody said so")


class ProtocolError(ServerCase):
    def test_something_invalid_from_the_bound_endpoint_ends_the_session(self) -> None:
        for what in invalid(0):
            with self.subTest(what):
                player = self.bound()
                player.udp.send_raw(invalid(player.udp.session)[what])
                self.assert_logout(player, rtyp.PROTOCOL_ERROR)
                self.wait_for_players(0)

    def test_something_invalid_from_another_endpoint_is_dropped(self) -> None:
        player = self.bound()
        thief = self.stranger(player.udp.session)
        for data in invalid(player.udp.session).values():
            thief.send_raw(data)
        self.assert_no_answer(thief)
        self.assert_in_the_game(player)

    def test_something_invalid_with_the_token_of_another_session_is_dropped(self) -> None:
        first, second = self.pair()
        for data in invalid(first.udp.session).values():
            second.udp.send_raw(data)
        self.assert_in_the_game(first)
        self.assert_in_the_game(second)

    def test_what_names_no_session_is_dropped_also_from_the_bound_endpoint(self) -> None:
        player = self.bound()
        good = rtyp.datagram(rtyp.DATA, 1, player.udp.session, b"x")
        for data in (b"", b"R", good[:17], b"rtyp" + good[4:], rtyp.datagram(rtyp.DATA, 1, 0, b"x")):
            player.udp.send_raw(data)
        self.assert_in_the_game(player)
