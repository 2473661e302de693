"""The login: what is accepted, what is rejected, and in which order that is decided (section 3.2)."""

from __future__ import annotations

import time

import rtyp_bytes as rtyp
import usher
from rtyp_case import ServerCase
from rtyp_client import Player, Rejected, Silence

BAD_NAMES = {
    "empty": b"",
    "17 bytes": b"a" * 17,
    "508 bytes, the longest that fits a frame": b"a" * 508,
    "17 bytes in 9 characters": "ééééééééa".encode(),
    "not UTF-8": b"R\xff",
    "cut inside a character": "é".encode()[:1],
    "an overlong U+0000": b"\xc0\x80",
    "a surrogate": b"\xed\xa0\x80",
    "U+0000": b"R\x009",
    "a line end": b"R9\n",
    "U+001F": b"\x1f",
    "U+007F": b"R9\x7f",
}

GOOD_NAMES = {
    "one byte": b"R",
    "16 bytes": b"sixteen bytes ok",
    "16 bytes in 8 characters": "éééééééé".encode(),
    "a space": b" ",
    "a C1 control": "\u0085".encode(),
    "a bidirectional override": "a\u202eb".encode(),
    "four-byte characters": "\U0001f600\U0001f600".encode(),
}

# Bodies after the kind and a version that is not 1.
AFTER_A_FOREIGN_VERSION = {
    "nothing": b"",
    "a good name": rtyp.string(b"R9"),
    "a bad name": rtyp.string(b""),
    "a field past its end": b"\xff\xff",
    "bytes left over": rtyp.string(b"R9") + b"and more",
    "a frame full of it": b"\x00" * 510,
}


class Login(ServerCase):
    def test_a_login_gets_a_token_a_player_number_and_the_udp_port(self) -> None:
        connection = self.connection()
        connection.send(bytes.fromhex("06 00 01 01 02 00 52 39"))
        body = connection.frame()
        self.assertEqual(len(body), 8)
        # It refuses session 0, which the server must not issue.
        accepted = rtyp.parse_accepted(body)
        self.assertEqual(accepted.player, 0)
        self.assertEqual(accepted.udp_port, self.usher.udp_port)

    def test_the_server_says_nothing_before_the_login(self) -> None:
        with self.assertRaises(Silence):
            self.connection().frame(0.5)

    def test_a_login_that_comes_byte_by_byte_is_accepted(self) -> None:
        connection = self.connection()
        for byte in rtyp.login_request(b"R9"):
            connection.send(bytes([byte]))
            time.sleep(0.02)
        rtyp.parse_accepted(connection.frame())

    def test_every_name_that_keeps_the_rules_is_accepted(self) -> None:
        for what, name in GOOD_NAMES.items():
            with self.subTest(what):
                self.assertIsNone(self.rejection(name))
            self.wait_for_players(0)

    def test_a_name_that_breaks_a_rule_is_bad_name(self) -> None:
        for what, name in BAD_NAMES.items():
            with self.subTest(what):
                connection = self.connection()
                connection.send(rtyp.login_request(name))
                self.assert_rejected(connection, rtyp.BAD_NAME)

    def test_another_version_is_bad_version_whatever_follows(self) -> None:
        for version in (0, 2, 255):
            for what, rest in AFTER_A_FOREIGN_VERSION.items():
                with self.subTest(f"version {version}, {what}"):
                    connection = self.connection()
                    connection.send(rtyp.frame(bytes([rtyp.LOGIN_REQUEST, version]) + rest))
                    self.assert_rejected(connection, rtyp.BAD_VERSION)

    def test_the_status_shows_the_player_and_whether_it_is_bound(self) -> None:
        player = self.logged_in(b"R9")
        session = self.usher.session("R9")
        self.assertEqual((session["player"], session["bound"]), (0, False))
        player.bind()
        self.assertTrue(self.usher.session("R9")["bound"])
        self.assertEqual(self.usher.status()["players"], {"connected": 1, "max": 4})


class Tokens(ServerCase):
    def test_tokens_differ_at_once_and_over_time(self) -> None:
        seen: list[int] = []
        for _ in range(3):
            players = [self.logged_in(bytes([ord("a") + number])) for number in range(4)]
            at_once = [player.udp.session for player in players]
            self.assertEqual(len(set(at_once)), 4)
            seen += at_once
            for player in players:
                player.close()
            self.wait_for_players(0)
        # Of 12 random tokens two are the same once in 65 million runs.
        self.assertEqual(len(set(seen)), 12)
        steps = {(later - earlier) % 2**32 for earlier, later in zip(seen, seen[1:])}
        self.assertGreater(len(steps), 8, "tokens follow a rule that a third party can guess")
        self.assertGreater(len({token >> 24 for token in seen}), 3, "most of the bits never change")


class Players(ServerCase):
    def test_players_get_the_lowest_free_number(self) -> None:
        names = (b"a", b"b", b"c", b"d")
        players = [self.logged_in(name) for name in names]
        self.assertEqual([player.number for player in players], [0, 1, 2, 3])
        for leaving in (players[2], players[1]):
            leaving.logout()
        self.wait_for_players(2)
        self.assertEqual(self.logged_in(b"e").number, 1)
        self.assertEqual(self.logged_in(b"f").number, 2)

    def test_the_fifth_player_is_server_full(self) -> None:
        for name in (b"a", b"b", b"c", b"d"):
            self.logged_in(name)
        fifth = self.player(b"e")
        fifth.tcp.send(rtyp.login_request(b"e"))
        self.assert_rejected(fifth.tcp, rtyp.SERVER_FULL)

    def test_a_seat_is_free_again_when_its_player_left(self) -> None:
        players = [self.logged_in(name) for name in (b"a", b"b", b"c", b"d")]
        self.assertEqual(self.rejection(b"e"), rtyp.SERVER_FULL)
        players[0].logout()
        self.wait_for_players(3)
        self.assertEqual(self.logged_in(b"e").number, 0)

    def test_a_name_in_use_is_name_taken(self) -> None:
        self.logged_in(b"R9")
        second = self.player(b"R9")
        second.tcp.send(rtyp.login_request(b"R9"))
        self.assert_rejected(second.tcp, rtyp.NAME_TAKEN)

    def test_names_are_the_same_when_their_bytes_are(self) -> None:
        self.logged_in("é".encode())
        self.logged_in("e\u0301".encode())
        self.logged_in("É".encode())
        self.assertEqual(self.rejection("é".encode()), rtyp.NAME_TAKEN)

    def test_a_name_is_free_again_when_its_player_left(self) -> None:
        self.logged_in(b"R9").logout()
        self.wait_for_players(0)
        self.logged_in(b"R9")

    def test_a_rejected_login_takes_no_seat_and_no_name(self) -> None:
        self.logged_in(b"a")
        for _ in range(5):
            self.assertEqual(self.rejection(b"a"), rtyp.NAME_TAKEN)
        self.assertEqual(self.logged_in(b"b").number, 1)

    def test_many_logins_at_once_fill_the_game_and_no_more(self) -> None:
        players = [self.player(b"p%d" % number) for number in range(20)]
        for player in players:
            player.tcp.send(rtyp.login_request(player.name))
        answers = [player.tcp.frame(10) for player in players]
        numbers = [rtyp.parse_accepted(body).player for body in answers if len(body) == 8]
        self.assertEqual(sorted(numbers), [0, 1, 2, 3])
        rejections = {body for body in answers if len(body) != 8}
        self.assertEqual(rejections, {bytes([rtyp.LOGIN_REJECTED, rtyp.SERVER_FULL])})


class OrderOfChecks(ServerCase):
    """Of several reasons to reject a login the first of the order is told."""

    def once_open(self, name: bytes) -> Player:
        """A player with a session. The game opens a moment after its last player is gone from the status."""
        answers: list[Player] = []

        def let_in() -> bool:
            player = self.player(name)
            try:
                player.login()
            except Rejected as rejected:
                if rejected.reason != rtyp.GAME_STARTED:
                    raise
                return False
            answers.append(player)
            return True

        usher.until("the game to open again", let_in, 5)
        return answers[0]

    def start_game(self) -> Player:
        player = self.once_open(b"R9")
        player.bind()
        player.send(b"start")
        self.hear(player, b"!started")
        return player

    def fill(self, *names: bytes) -> None:
        for name in names:
            self.once_open(name)

    def test_a_running_game_is_game_started(self) -> None:
        self.start_game()
        late = self.player(b"late")
        late.tcp.send(rtyp.login_request(b"late"))
        self.assert_rejected(late.tcp, rtyp.GAME_STARTED)

    def test_a_game_that_is_open_again_takes_players(self) -> None:
        player = self.start_game()
        self.assertEqual(self.rejection(b"b"), rtyp.GAME_STARTED)
        player.send(b"open")
        self.hear(player, b"!open")
        self.assertEqual(self.logged_in(b"b").number, 1)

    def test_a_game_that_emptied_is_open_again(self) -> None:
        self.start_game().logout()
        self.wait_for_players(0)
        self.once_open(b"b")

    def test_bad_version_comes_before_a_bad_name_and_a_full_game(self) -> None:
        self.fill(b"a", b"b", b"c", b"d")
        connection = self.connection()
        connection.send(rtyp.login_request(b"", version=2))
        self.assert_rejected(connection, rtyp.BAD_VERSION)

    def test_bad_name_comes_before_a_full_game(self) -> None:
        self.fill(b"a", b"b", b"c", b"d")
        self.assertEqual(self.rejection(b""), rtyp.BAD_NAME)

    def test_bad_name_comes_before_game_started(self) -> None:
        self.start_game()
        self.assertEqual(self.rejection(b"\n"), rtyp.BAD_NAME)

    def test_game_started_comes_before_server_full_and_name_taken(self) -> None:
        self.fill(b"a", b"b", b"c")
        self.start_game()
        self.assertEqual(self.rejection(b"R9"), rtyp.GAME_STARTED)

    def test_game_started_comes_before_name_taken(self) -> None:
        self.start_game()
        self.assertEqual(self.rejection(b"R9"), rtyp.GAME_STARTED)

    def test_server_full_comes_before_name_taken(self) -> None:
        self.fill(b"a", b"b", b"c", b"d")
        self.assertEqual(self.rejection(b"a"), rtyp.SERVER_FULL)
