"""The rules of the TCP connection: what closes it, and how (section 3.3)."""

from __future__ import annotations

import time

import rtyp_bytes as rtyp
from rtyp_case import SOON, ServerCase
from rtyp_client import Silence

MALFORMED = {
    "a length of zero": b"\x00\x00",
    "a length of 513": b"\x01\x02",
    "a length of 65535": b"\xff\xff",
    "a LoginRequest without a version": rtyp.frame(b"\x01"),
    "a LoginRequest without a name": rtyp.frame(b"\x01\x01"),
    "half of the name's length": rtyp.frame(b"\x01\x01\x02"),
    "a name past its end": rtyp.frame(b"\x01\x01\x03\x00R9"),
    "a name far past its end": rtyp.frame(b"\x01\x01\xff\xffR9"),
    "bytes left after the name": rtyp.frame(b"\x01\x01\x02\x00R9!"),
    "a Logout without a reason": rtyp.frame(b"\x04"),
    "bytes left after a Logout's reason": rtyp.frame(b"\x04\x00\x00"),
}

RESERVED_KINDS = {
    f"kind {kind} and {len(rest)} bytes": rtyp.frame(bytes([kind]) + rest)
    for kind in (0, 5, 127, 255)
    for rest in (b"", b"\x01\x02\x00R9")
}

SERVERS_KINDS = {
    "a LoginAccepted": rtyp.login_accepted(0xDEADBEEF, 2, 4242),
    "a LoginRejected": rtyp.login_rejected(rtyp.SERVER_FULL),
}


class FirstMessage(ServerCase):
    def assert_all_close(self, cases: dict[str, bytes]) -> None:
        for what, data in cases.items():
            with self.subTest(what):
                connection = self.connection()
                connection.send(data)
                self.assert_closed_without_an_answer(connection)

    def test_a_malformed_message_closes_without_an_answer(self) -> None:
        self.assert_all_close(MALFORMED)

    def test_a_reserved_kind_closes_without_an_answer(self) -> None:
        self.assert_all_close(RESERVED_KINDS)

    def test_a_message_that_only_a_server_sends_closes_without_an_answer(self) -> None:
        self.assert_all_close(SERVERS_KINDS)

    def test_a_logout_closes_without_an_answer(self) -> None:
        self.assert_all_close({"Left": rtyp.logout(), "an unknown reason": rtyp.logout(99)})

    def test_what_is_not_this_protocol_closes_without_an_answer(self) -> None:
        self.assert_all_close({
            "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "TLS": bytes.fromhex("16 03 01 02 00 01 00 01 fc 03 03"),
        })

    def test_a_frame_of_512_bytes_is_read_and_one_of_513_is_not(self) -> None:
        longest = self.connection()
        longest.send(rtyp.login_request(b"a" * 508))
        self.assert_rejected(longest, rtyp.BAD_NAME)
        longer = self.connection()
        longer.send(rtyp.login_request(b"a" * 509))
        self.assert_closed_without_an_answer(longer)


class LoginTimeout(ServerCase):
    """The 5 seconds of section 3.3. Each of these tests takes them."""

    def assert_closes_after_5_seconds(self, start: float, connection) -> None:
        try:
            self.assertIsNone(connection.frame(8 - (time.monotonic() - start)))
        except Silence:
            self.fail("still open after 8 s")
        self.assertGreater(time.monotonic() - start, 4.5)

    def test_a_connection_that_sends_nothing_is_closed_after_5_seconds(self) -> None:
        start = time.monotonic()
        self.assert_closes_after_5_seconds(start, self.connection())

    def test_half_a_login_request_is_closed_after_5_seconds(self) -> None:
        start = time.monotonic()
        connection = self.connection()
        connection.send(rtyp.login_request(b"R9")[:-1])
        self.assert_closes_after_5_seconds(start, connection)

    def test_a_login_request_byte_by_byte_does_not_stretch_the_5_seconds(self) -> None:
        start = time.monotonic()
        connection = self.connection()
        for byte in rtyp.login_request(b"a" * 16)[:12]:
            connection.send(bytes([byte]))
            time.sleep(0.35)
        self.assert_closes_after_5_seconds(start, connection)


class AfterTheLogin(ServerCase):
    def assert_all_close(self, cases: dict[str, bytes]) -> None:
        for what, data in cases.items():
            with self.subTest(what):
                player = self.logged_in()
                player.tcp.send(data)
                self.assert_closed_without_an_answer(player.tcp)
                self.wait_for_players(0)

    def test_a_second_login_request_closes_without_an_answer(self) -> None:
        self.assert_all_close({
            "the same": rtyp.login_request(b"R9"),
            "another name": rtyp.login_request(b"b"),
            "another version": rtyp.login_request(b"R9", version=2),
            "a bad name": rtyp.login_request(b""),
        })

    def test_a_second_login_request_behind_the_first_ends_the_session(self) -> None:
        player = self.player()
        player.tcp.send(rtyp.login_request(b"R9") * 2)
        answers = []
        while True:
            body = player.tcp.frame(SOON)
            if body is None:
                break
            answers.append(body[0])
        self.assertIn(answers, ([], [rtyp.LOGIN_ACCEPTED]), "at most the first is answered")
        self.wait_for_players(0)

    def test_a_malformed_message_closes_without_an_answer(self) -> None:
        self.assert_all_close(MALFORMED)

    def test_a_reserved_kind_closes_without_an_answer(self) -> None:
        self.assert_all_close(RESERVED_KINDS)

    def test_a_message_that_only_a_server_sends_closes_without_an_answer(self) -> None:
        self.assert_all_close(SERVERS_KINDS)

    def test_the_server_sends_nothing_while_the_game_runs(self) -> None:
        first, second = self.pair()
        second.send(b"hello")
        self.hear(first, b"1:hello")
        for player in (first, second):
            with self.assertRaises(Silence):
                player.tcp.frame(0.5)

    def test_a_message_cut_in_two_is_no_error(self) -> None:
        player = self.bound()
        player.tcp.send(rtyp.logout()[:3])
        self.assert_in_the_game(player)
        player.tcp.send(rtyp.logout()[3:])
        self.assertIsNone(player.tcp.frame(SOON))


class Rejection(ServerCase):
    def test_a_rejection_is_not_lost_to_what_the_client_sent_after_it(self) -> None:
        for _ in range(10):
            connection = self.connection()
            connection.send(rtyp.login_request(b"R9", version=2) + b"x" * 4000)
            self.assert_rejected(connection, rtyp.BAD_VERSION)

    def test_a_rejected_client_that_stays_is_closed_on(self) -> None:
        connection = self.connection()
        connection.send(rtyp.login_request(b"R9", version=2))
        self.assert_rejected(connection, rtyp.BAD_VERSION)
        deadline = time.monotonic() + 1 + SOON
        with self.assertRaises(ConnectionError, msg="our bytes are taken for longer than a second"):
            while time.monotonic() < deadline:
                connection.send(b"x")
                time.sleep(0.05)
