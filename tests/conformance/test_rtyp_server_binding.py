"""Binding a UDP endpoint to a session (section 3.4)."""

from __future__ import annotations

import socket
import time
import unittest

import rtyp_bytes as rtyp
from rtyp_case import A_MOMENT, SOON, ServerCase
from rtyp_client import Endpoint, Player


class Connect(ServerCase):
    def test_a_connect_is_answered_with_an_accept(self) -> None:
        player = self.logged_in()
        token = player.udp.session.to_bytes(4, "little")
        connect = bytes.fromhex("52 54 59 50 01 01 00 00 FF FF 00 00 00 00") + token
        self.assertEqual(player.udp.send(rtyp.CONNECT), connect)
        player.udp.socket.settimeout(SOON)
        data, source = player.udp.socket.recvfrom(65536)
        accept = bytes.fromhex("52 54 59 50 01 02 00 00 00 00 00 00 00 00") + token
        self.assertEqual(data, accept)
        self.assertEqual(source, (self.host, self.usher.udp_port))

    def test_a_connect_again_is_answered_again_with_the_next_number(self) -> None:
        player = self.bound()
        for number in (1, 2, 3):
            player.udp.send(rtyp.CONNECT)
            self.assertEqual(self.assert_accept(player.udp).sequence, number)

    def test_the_same_connect_again_is_answered_again(self) -> None:
        player = self.logged_in()
        connect = player.udp.send(rtyp.CONNECT)
        self.assertEqual(self.assert_accept(player.udp).sequence, 0)
        for number in (1, 2, 3):
            player.udp.send_raw(connect)
            self.assertEqual(self.assert_accept(player.udp).sequence, number)

    def test_a_connect_with_an_unknown_token_is_dropped(self) -> None:
        player = self.logged_in()
        stranger = self.stranger(player.udp.session ^ 1)
        stranger.send(rtyp.CONNECT)
        self.assert_no_answer(stranger)
        player.bind()

    def test_a_connect_with_token_zero_is_dropped(self) -> None:
        self.bound()
        stranger = self.stranger(0)
        stranger.send(rtyp.CONNECT)
        self.assert_no_answer(stranger)

    def test_a_connect_for_a_session_bound_elsewhere_is_dropped(self) -> None:
        player = self.bound()
        thief = self.stranger(player.udp.session)
        thief.send(rtyp.CONNECT)
        self.assert_no_answer(thief)
        self.assert_no_accept(player.udp)
        self.assert_in_the_game(player)

    def test_an_endpoint_bound_to_a_session_cannot_bind_another(self) -> None:
        bound, unbound = self.bound(b"a"), self.logged_in(b"b")
        bound.udp.send(rtyp.CONNECT, session=unbound.udp.session)
        time.sleep(A_MOMENT)
        self.assertFalse(self.usher.session("b")["bound"])
        self.assert_in_the_game(bound)
        unbound.bind()

    def test_the_first_of_two_endpoints_is_bound(self) -> None:
        player = self.logged_in()
        first, second = (self.stranger(player.udp.session) for _ in range(2))
        first.send(rtyp.CONNECT)
        self.assert_accept(first)
        second.send(rtyp.CONNECT)
        self.assert_no_answer(second)
        self.assert_no_accept(first)

    def test_a_token_is_forgotten_with_its_session(self) -> None:
        player = self.bound()
        player.logout()
        self.assertIsNone(player.tcp.frame(SOON))
        self.wait_for_players(0)
        player.udp.send(rtyp.CONNECT)
        player.send(b"still here?")
        self.assert_no_answer(player.udp)

    def test_an_endpoint_can_be_bound_again_after_its_session(self) -> None:
        first = self.bound()
        first.logout()
        self.assertIsNone(first.tcp.frame(SOON))
        self.wait_for_players(0)
        second = self.logged_in()
        first.udp.send(rtyp.CONNECT, session=second.udp.session)
        first.udp.session = second.udp.session
        self.assert_accept(first.udp)

    def test_the_first_number_may_be_any(self) -> None:
        player = self.logged_in()
        player.udp.numbers = rtyp.Numbers(0xFFFE)
        player.udp.send(rtyp.CONNECT)
        accept = self.assert_accept(player.udp)
        self.assertEqual((accept.ack, accept.ack_bits), (0xFFFE, 0))

    def test_many_wrong_tokens_do_not_lock_a_player_out(self) -> None:
        player = self.logged_in()
        guesser = self.stranger(0)
        for guess in range(1, 200):
            guesser.send(rtyp.CONNECT, session=player.udp.session ^ guess)
        self.assert_no_answer(guesser)
        player.bind(timeout=SOON)


class BeforeTheBinding(ServerCase):
    """What comes from an endpoint that is not bound is dropped, whatever it is."""

    def assert_dropped(self, what: str, data: bytes) -> None:
        with self.subTest(what):
            player = self.logged_in()
            player.udp.send_raw(data.replace(b"TOKN", player.udp.session.to_bytes(4, "little")))
            self.assert_no_answer(player.udp, 0.1)
            player.bind()
            self.assert_in_the_game(player)
            player.close()
            self.wait_for_players(0)

    def test_good_datagrams_are_dropped(self) -> None:
        token = int.from_bytes(b"TOKN", "little")
        self.assert_dropped("Data", rtyp.datagram(rtyp.DATA, 0, token, b"early"))
        self.assert_dropped("KeepAlive", rtyp.datagram(rtyp.KEEP_ALIVE, 0, token))

    def test_bad_datagrams_are_dropped_and_end_nothing(self) -> None:
        token = int.from_bytes(b"TOKN", "little")
        self.assert_dropped("Connect with a payload", rtyp.datagram(rtyp.CONNECT, 0, token, b"x"))
        self.assert_dropped("Accept", rtyp.datagram(rtyp.ACCEPT, 0, token))
        self.assert_dropped("type 9", rtyp.datagram(9, 0, token))
        self.assert_dropped("version 2", rtyp.datagram(rtyp.CONNECT, 0, token, version=2))
        self.assert_dropped("wrong magic", rtyp.datagram(rtyp.CONNECT, 0, token, magic=b"rtyp"))
        self.assert_dropped("17 bytes", rtyp.datagram(rtyp.CONNECT, 0, token)[:-1])
        self.assert_dropped("no bytes", b"")

    def test_early_data_does_not_reach_the_game(self) -> None:
        listener, late = self.bound(b"a"), self.logged_in(b"b")
        late.send(b"early")
        late.bind()
        late.send(b"in time")
        before = self.hear(listener, b"1:in time")
        self.assertEqual(before, [b"+1 b"])


class BindTimeout(ServerCase):
    settings = {"bind_timeout": "1s"}

    def test_a_session_that_is_never_bound_is_timed_out(self) -> None:
        start = time.monotonic()
        player = self.logged_in()
        self.assert_logout(player, rtyp.TIMED_OUT, within=3)
        self.assertGreater(time.monotonic() - start, 0.9)

    def test_a_session_that_is_bound_in_time_stays(self) -> None:
        player = self.bound()
        time.sleep(1.5)
        self.assert_in_the_game(player)

    def test_bad_tokens_and_bad_datagrams_do_not_put_it_off(self) -> None:
        player = self.logged_in()
        stranger = self.stranger(player.udp.session)
        end = time.monotonic() + 1.2
        while time.monotonic() < end:
            stranger.send(rtyp.CONNECT, session=player.udp.session ^ 1)
            stranger.send(rtyp.KEEP_ALIVE)
            time.sleep(0.1)
        self.assert_logout(player, rtyp.TIMED_OUT)


class SeveralAddresses(ServerCase):
    """A server that listens on all addresses answers from the one that was spoken to."""

    settings = {"host": "0.0.0.0"}
    host = "127.0.0.2"

    @classmethod
    def setUpClass(cls) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind((cls.host, 0))
            except OSError:
                raise unittest.SkipTest("this machine has one loopback address") from None
        super().setUpClass()

    def test_the_answer_leaves_from_the_address_that_the_connect_came_to(self) -> None:
        for host in ("127.0.0.2", "127.0.0.1", "127.0.0.3"):
            with self.subTest(host):
                player = self.keep(Player((host, self.usher.tcp_port)))
                accepted = player.login()
                udp = self.keep(Endpoint((host, accepted.udp_port), accepted.session, "127.0.0.1"))
                udp.send(rtyp.CONNECT)
                udp.socket.settimeout(SOON)
                _, source = udp.socket.recvfrom(65536)
                self.assertEqual(source, (host, self.usher.udp_port))
                player.close()
                self.wait_for_players(0)

    def test_keep_alives_and_data_leave_from_there_too(self) -> None:
        first, second = self.pair()
        second.send(b"hello")
        self.hear(first, b"1:hello")
        # The client drops what comes from elsewhere, so one that arrives left from the right address.
        while first.udp.receive(SOON).kind != rtyp.KEEP_ALIVE:
            pass


class OverIpv6(ServerCase):
    settings = {"host": "[::1]"}
    host = "::1"

    @classmethod
    def setUpClass(cls) -> None:
        try:
            with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
                probe.bind((cls.host, 0))
        except OSError:
            raise unittest.SkipTest("this machine has no IPv6") from None
        super().setUpClass()

    def test_two_players_meet(self) -> None:
        first, second = self.pair()
        second.send(b"hello")
        self.hear(first, b"1:hello")
