"""What every test of an `rtyp` server needs: a server of its own, players, and nothing left at the end."""

from __future__ import annotations

import time
import unittest
from typing import Any, Optional

import rtyp_bytes as rtyp
import usher
from rtyp_client import Address, Connection, Endpoint, Player, Rejected, Silence

# How long to listen before silence counts as no answer. What would answer is on the same machine.
A_MOMENT = 0.3

# "Right after" and "at once", on a machine that is busy with other tests.
SOON = 2.0


class ServerCase(unittest.TestCase):
    """One server a class; every test ends with nobody on it and nothing held for anyone."""

    settings: dict[str, Any] = {}
    host = "127.0.0.1"
    usher: usher.Serve

    @classmethod
    def setUpClass(cls) -> None:
        cls.usher = usher.Serve(**cls.settings)
        cls.addClassCleanup(cls.usher.stop)

    def setUp(self) -> None:
        self._open: list[Any] = []

    def tearDown(self) -> None:
        for one in self._open:
            one.close()
        left_over: dict[str, Any] = {}

        def drained() -> bool:
            nonlocal left_over
            left_over = self.usher.left_over()
            return not left_over

        try:
            usher.until("the server to drain", drained, 5)
        except AssertionError:
            self.fail(f"everybody is gone, and the server still has {left_over}")

    # Who comes

    @property
    def address(self) -> Address:
        return self.host, self.usher.tcp_port

    def connection(self) -> Connection:
        """A connection that has sent nothing."""
        return self.keep(Connection.to(self.address))

    def player(self, name: bytes = b"R9") -> Player:
        """A player that is connected and has sent nothing."""
        return self.keep(Player(self.address, name))

    def logged_in(self, name: bytes = b"R9") -> Player:
        """A player with a session that is not bound."""
        player = self.player(name)
        player.login()
        return player

    def bound(self, name: bytes = b"R9") -> Player:
        """A player in the game."""
        player = self.logged_in(name)
        player.bind()
        return player

    def pair(self) -> tuple[Player, Player]:
        """Two players in the game, 0 and 1; the first has been told of the second."""
        first, second = self.bound(b"a"), self.bound(b"b")
        self.hear(first, b"+1 b")
        return first, second

    def stranger(self, session: int) -> Endpoint:
        """An endpoint that is bound to nothing, with a token that it may have stolen."""
        return self.keep(Endpoint((self.host, self.usher.udp_port), session, self.host))

    def keep(self, one: Any) -> Any:
        """Closes it at the end of the test."""
        self._open.append(one)
        return one

    # What is expected

    def hear(self, player: Player, payload: bytes) -> list[bytes]:
        """Waits for this Data and gives what came before it."""
        before: list[bytes] = []
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                heard = player.data(deadline - time.monotonic())
            except Silence:
                break
            if heard == payload:
                return before
            before.append(heard)
        self.fail(f"{payload!r} did not come, but {before}")

    def assert_rejected(self, connection: Connection, reason: int) -> None:
        """A LoginRejected with this reason, and then the end, right after."""
        self.assertEqual(connection.frame(), bytes([rtyp.LOGIN_REJECTED, reason]))
        self.assertIsNone(connection.frame(SOON), "the server closes right after LoginRejected")

    def assert_closed_without_an_answer(self, connection: Connection) -> None:
        try:
            self.assertIsNone(connection.frame(SOON), "closed without an answer")
        except Silence:
            self.fail("the connection stays open")

    def assert_logout(self, player: Player, reason: int, within: float = SOON) -> None:
        """A Logout with this reason, and then the end, right after."""
        try:
            self.assertEqual(player.tcp.frame(within), bytes([rtyp.LOGOUT, reason]))
        except Silence:
            self.fail(f"no Logout within {within} s")
        self.assertIsNone(player.tcp.frame(SOON), "the server closes right after Logout")

    def assert_no_answer(self, endpoint: Endpoint, within: float = A_MOMENT) -> None:
        """No datagram, not even a keep-alive: nothing is bound to this endpoint."""
        endpoint.socket.settimeout(within)
        try:
            data, _ = endpoint.socket.recvfrom(65536)
        except OSError:
            return
        self.fail(f"answered with {data.hex(' ')}")

    def assert_no_accept(self, endpoint: Endpoint) -> None:
        """What comes to a bound endpoint, if anything, is no Accept."""
        try:
            while True:
                self.assertNotEqual(endpoint.receive(0.1).kind, rtyp.ACCEPT)
        except Silence:
            pass

    def assert_accept(self, endpoint: Endpoint) -> rtyp.Datagram:
        """The next datagram of type Accept comes soon."""
        deadline = time.monotonic() + SOON
        while True:
            try:
                datagram = endpoint.receive(max(deadline - time.monotonic(), 0.001))
            except Silence:
                self.fail("no Accept")
            endpoint.numbers.note(datagram.sequence)
            if datagram.kind == rtyp.ACCEPT:
                return datagram

    def assert_in_the_game(self, player: Player) -> None:
        """The session lives and is bound to this player's endpoint."""
        player.udp.send(rtyp.CONNECT)
        self.assert_accept(player.udp)
        with self.assertRaises(Silence, msg="the connection is open and silent"):
            player.tcp.frame(0.05)

    def rejection(self, name: bytes) -> Optional[int]:
        """The reason that a login with this name is rejected with; None when it is accepted."""
        player = self.player(name)
        try:
            player.login()
        except Rejected as rejected:
            return rejected.reason
        player.logout()
        return None

    def wait_for_players(self, count: int) -> None:
        usher.until(
            f"{count} players",
            lambda: self.usher.status()["players"]["connected"] == count,
        )
