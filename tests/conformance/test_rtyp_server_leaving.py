"""The end of a session: by the client, by the server, and what the others hear of it (section 3.3)."""

from __future__ import annotations

import time

import rtyp_bytes as rtyp
import usher
from rtyp_case import SOON, ServerCase
from rtyp_client import Player, Silence


class Leaving(ServerCase):
    """Each way to end a session ends it once, and the other players are told once."""

    def assert_leaves_once(self, leave) -> None:
        first, second = self.pair()
        leave(second)
        self.hear(first, b"-1")
        self.wait_for_players(1)
        self.assertEqual(self.usher.status()["endpoints"], 1)
        third = self.bound(b"c")
        self.assertEqual(third.number, 1, "the seat is free")
        third.send(b"end")
        self.assertEqual(self.hear(first, b"1:end"), [b"+1 c"], "told once")

    def test_a_logout_ends_the_session(self) -> None:
        def leave(player: Player) -> None:
            player.logout()
            self.assertIsNone(player.tcp.frame(SOON), "the server closes, without a Logout of its own")

        self.assert_leaves_once(leave)

    def test_a_logout_with_an_unknown_reason_is_left(self) -> None:
        for reason in (1, 3, 4, 255):
            with self.subTest(reason):
                player = self.bound()
                player.logout(reason)
                self.assertIsNone(player.tcp.frame(SOON))
                self.wait_for_players(0)

    def test_closing_the_connection_ends_the_session(self) -> None:
        self.assert_leaves_once(lambda player: player.tcp.close())

    def test_closing_one_half_of_the_connection_ends_the_session(self) -> None:
        def leave(player: Player) -> None:
            player.tcp.finish_sending()
            self.assertIsNone(player.tcp.frame(SOON), "the server closes the other half")

        self.assert_leaves_once(leave)

    def test_a_reset_of_the_connection_ends_the_session(self) -> None:
        self.assert_leaves_once(lambda player: player.tcp.reset())

    def test_a_second_login_request_ends_the_session(self) -> None:
        self.assert_leaves_once(lambda player: player.tcp.send(rtyp.login_request(b"b")))

    def test_something_invalid_over_udp_ends_the_session(self) -> None:
        self.assert_leaves_once(lambda player: player.udp.send(9))

    def test_a_logout_and_a_close_at_once_end_it_once(self) -> None:
        def leave(player: Player) -> None:
            player.udp.send(9)
            player.logout()
            player.tcp.close()

        self.assert_leaves_once(leave)

    def test_a_session_that_was_never_bound_leaves_unseen(self) -> None:
        first = self.bound(b"a")
        second = self.logged_in(b"b")
        second.logout()
        self.assertIsNone(second.tcp.frame(SOON))
        self.wait_for_players(1)
        third = self.bound(b"c")
        third.send(b"end")
        self.assertEqual(self.hear(first, b"1:end"), [b"+1 c"], "who never joined does not leave")

    def test_a_client_that_leaves_before_its_answer_leaves_nothing(self) -> None:
        for _ in range(20):
            player = self.player()
            player.tcp.send(rtyp.login_request(b"R9"))
            player.tcp.close()
        for _ in range(20):
            player = self.player()
            player.tcp.send(rtyp.login_request(b"R9") + rtyp.logout())
            player.tcp.finish_sending()
        self.wait_for_players(0)

    def test_a_logout_behind_the_login_request_ends_in_nothing(self) -> None:
        player = self.player()
        player.tcp.send(rtyp.login_request(b"R9") + rtyp.logout())
        body = player.tcp.frame(SOON)
        if body is not None:
            rtyp.parse_accepted(body)
            self.assertIsNone(player.tcp.frame(SOON))
        self.wait_for_players(0)


class Kick(ServerCase):
    def kick(self, name: str) -> int:
        session = self.usher.session(name)
        return self.usher.request("POST", f"/v1/sessions/{session['id']}/kick")[0]

    def test_a_kicked_player_is_told_shutdown(self) -> None:
        first, second = self.pair()
        self.assertEqual(self.kick("b") // 100, 2)
        self.assert_logout(second, rtyp.SHUTDOWN)
        self.hear(first, b"-1")
        second.udp.send(rtyp.CONNECT)
        self.assert_in_the_game(first)

    def test_the_logout_is_not_lost_to_what_the_client_sends(self) -> None:
        player = self.logged_in()
        self.assertEqual(self.kick("R9") // 100, 2)
        player.tcp.send(rtyp.logout())
        self.assert_logout(player, rtyp.SHUTDOWN)

    def test_kicking_twice_is_refused_and_changes_nothing(self) -> None:
        player = self.bound()
        session = self.usher.session("R9")["id"]
        self.assertEqual(self.kick("R9") // 100, 2)
        self.assert_logout(player, rtyp.SHUTDOWN)
        self.wait_for_players(0)
        code, _ = self.usher.request("POST", f"/v1/sessions/{session}/kick")
        self.assertEqual(code // 100, 4)


class Stop(ServerCase):
    """The server's own end. Each test stops a server of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        usher.binary()

    def setUp(self) -> None:
        super().setUp()
        self.usher = usher.Serve()
        self.addCleanup(self.usher.stop)

    def tearDown(self) -> None:
        # The server is gone; what it still held cannot be asked.
        for one in self._open:
            one.close()

    def test_every_session_is_told_shutdown(self) -> None:
        players = [self.bound(b"a"), self.bound(b"b"), self.logged_in(b"c")]
        self.usher.process.terminate()
        for player in players:
            self.assert_logout(player, rtyp.SHUTDOWN, within=5)
        self.assertEqual(self.usher.process.wait(usher.PATIENCE), 0)

    def test_a_connection_without_a_login_does_not_hold_it_up(self) -> None:
        connection = self.connection()
        start = time.monotonic()
        self.usher.process.terminate()
        try:
            self.assertIsNone(connection.frame(5))
        except Silence:
            self.fail("still open")
        self.assertEqual(self.usher.process.wait(usher.PATIENCE), 0)
        self.assertLess(time.monotonic() - start, 10)

    def test_a_client_that_does_not_close_does_not_hold_it_up(self) -> None:
        player = self.bound()
        start = time.monotonic()
        self.usher.process.terminate()
        self.assertEqual(player.tcp.frame(5), bytes([rtyp.LOGOUT, rtyp.SHUTDOWN]))
        self.assertEqual(self.usher.process.wait(usher.PATIENCE), 0)
        self.assertLess(time.monotonic() - start, 10)
