"""What every test of a `mafianet` door needs: a host of its own, clients, and nothing left at the end."""

from __future__ import annotations

import unittest
from typing import Any, Dict, List, Optional

import mafianet_messages as mafianet
import usher
from mafianet_bytes import RELIABLE, RELIABLE_ORDERED, Address, Data, Message
from mafianet_client import OVER, Client, Report
from mafianet_crowd import Crowd, Raw

CONFIG = """\
[limits]
max-players = {max_players}
max-pending = {max_pending}
max-pending-per-address = {per_address}
session-timeout = "{session_timeout}"
decision-timeout = "{decision_timeout}"
queue-grace = "{queue_grace}"

[[door]]
name = "main"
protocol = "mafianet"
udp = "{host}:{udp}"
connection-timeout = "{connection_timeout}"
{door}

{more}

[[policy]]
name = "scripted"
module = "{policy}"
deadline = "{deadline}"

[rules]
module = "{rules}"

[admin]
listen = "127.0.0.1:{admin}"
"""

# Timeouts are short: a test that has to wait for one should not take long.
DEFAULTS = {
    "max_players": 4,
    "max_pending": 16,
    "per_address": 0,
    "session_timeout": "0s",
    "decision_timeout": "10s",
    "queue_grace": "0s",
    "connection_timeout": "2s",
    "deadline": "50ms",
    "door": "",
    "more": "",
}

# How long to listen before silence counts as no answer. What would answer is on the same machine.
A_MOMENT = 0.3

# "Right after" and "at once", on a machine that is busy with other tests.
SOON = 3.0

# On a bad road.
LATER = 20.0


def serve(files: Optional[Dict[str, str]] = None, **settings: Any) -> usher.Serve:
    """A host with a `mafianet` door, the scripted policy and the puppet's rules."""
    modules = {
        "policy": str(usher.module("scripted")),
        "rules": str(usher.module("puppet")),
    }
    return usher.Serve(CONFIG, files, **{**DEFAULTS, **modules, **settings})


class Participants(unittest.TestCase):
    """Clients on one thread, whose server is `self.usher`; each test ends with nothing held for anyone."""

    usher: usher.Serve

    def setUp(self) -> None:
        self.crowd = Crowd()
        self.clients: List[Client] = []
        self.half_open: List[Raw] = []
        # Of what a client heard, words that the test has asked for.
        self.expected_oddities: List[str] = []

    @property
    def address(self) -> Address:
        return "127.0.0.1", self.usher.udp_port

    def client(self, payload: bytes = b"", **settings: Any) -> Client:
        """A client that has begun to connect."""
        server = settings.pop("server", self.address)
        client = Client(self.crowd, server, payload, **settings)
        self.clients.append(client)
        return client.connect()

    def joined(self, payload: bytes = b"", **settings: Any) -> Client:
        """A client that is in."""
        client = self.client(payload, **settings)
        self.wait_for(client, mafianet.ACCEPTED)
        return client

    def waiting(self, payload: bytes = b"wait:Please wait", **settings: Any) -> Client:
        """A client that was told to wait."""
        client = self.client(payload, **settings)
        self.wait_for(client, mafianet.SESSION_STATUS)
        return client

    def raw(self, local: Address = ("127.0.0.1", 0)) -> Raw:
        """A socket that says what it is told."""
        return Raw(self.crowd, self.address, local)

    def opened(self, guid: bytes = b"\x01" * 8, local: Address = ("127.0.0.1", 0)) -> Raw:
        """A socket that has a slot and has said nothing since."""
        raw = self.raw(local)
        self.open(raw, guid)
        return raw

    def open(self, raw: Raw, guid: bytes = b"\x01" * 8, mtu: int = 1400) -> mafianet.OpenReply2:
        """Takes a socket through the offline exchange."""
        reply = mafianet.parse_open_reply_1(raw.ask(mafianet.open_request_1()))
        request = mafianet.OpenRequest2(raw.server, mtu, guid, reply.cookie)
        answer = mafianet.parse_open_reply_2(raw.ask(request.encode()))
        self.half_open.append(raw)
        return answer

    def wait_for(self, client: Client, *kinds: int, within: float = SOON) -> Report:
        """The client's first report of one of these kinds."""
        what = ", ".join(f"{kind:02x}" for kind in kinds)
        try:
            self.crowd.until(
                f"report {what}", lambda: client.report(*kinds) or client.is_over, within
            )
        except AssertionError:
            pass
        report = client.report(*kinds)
        if report is None:
            seen = [(f"{one.id:02x}", one.text[:40]) for one in client.reports]
            self.fail(f"no report {what} within {within} s, but {seen}; it is {client.state}")
        return report

    def wait_for_end(self, client: Client, within: float = SOON) -> Report:
        """The report that ended the client's attempt or connection."""
        self.crowd.until("the end", lambda: client.state == OVER, within)
        return client.reports[-1]

    def until(self, what: str, check: Any, within: float = SOON) -> Any:
        """Lets clients live until something outside of them is so; it is looked at now and then."""
        return self.crowd.until(what, check, within, every=0.05)

    def leave(self, *clients: Client) -> None:
        """Has them say goodbye, and waits until they are gone."""
        for client in clients:
            client.leave()
        self.crowd.until("the goodbyes", lambda: all(one.is_over for one in clients), LATER)

    def vanish(self, client: Client) -> None:
        """Without a word."""
        client.close()
        self.clients.remove(client)

    # The host

    def pending(self) -> int:
        return self.usher.status()["pending"]["total"]

    def players(self) -> int:
        return self.usher.status()["players"]["connected"]

    def wait_for_pending(self, count: int, within: float = SOON) -> None:
        self.until(f"{count} pending", lambda: self.pending() == count, within)

    def wait_for_players(self, count: int, within: float = SOON) -> None:
        self.until(f"{count} players", lambda: self.players() == count, within)

    def endings(self, port: int) -> List[str]:
        """How the requests from this port ended, as the policy was told."""
        mark = f"ended {port} "
        lines = [line for line in self.usher.log().splitlines() if mark in line]
        return [line.split(mark, 1)[1].split(" policy=")[0].strip() for line in lines]

    def wait_for_ending(self, port: int, how: str) -> None:
        """The policy is told of one ending, and it is this one."""
        self.until(f"an ending of {port}", lambda: self.endings(port))
        self.assertEqual(self.endings(port), [how])

    def asked(self, port: int) -> int:
        """How often the policy was asked about this port."""
        return sum(f"asked {port}" in line for line in self.usher.log().splitlines())

    def metric(self, start: str) -> float:
        """The sum of the metrics that begin so."""
        _, body = self.usher.request("GET", "/metrics")
        lines = [line for line in body.decode().splitlines() if line.startswith(start)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    # The end

    def tearDown(self) -> None:
        try:
            self._end_well()
        finally:
            self.crowd.close()
            for client in self.clients:
                client.socket.close()

    def _end_well(self) -> None:
        for raw in self.half_open:
            # A slot is given back at once to who asks for the connection and then says goodbye.
            request = mafianet.connection_request(b"\x01" * 8, 1)
            goodbye = bytes([mafianet.DISCONNECTION])
            raw.say(Data(3000, (Message(request, RELIABLE, 3000),)).encode())
            raw.say(Data(3001, (Message(goodbye, RELIABLE_ORDERED, 3001, None, 0, 0),)).encode())
        alive = [one for one in self.clients if one.link is not None and not one.is_over]
        for one in alive:
            if one.socket in self.crowd:
                one.leave()
        try:
            self.crowd.until("goodbyes", lambda: all(one.is_over for one in alive), 5)
        except AssertionError:
            pass
        odd = {one.port: one.all_oddities() for one in self.clients if one.all_oddities()}
        leaked = {one.port: one.leaked for one in self.clients if one.leaked}
        self.assert_drained()
        self.assertEqual(self._unexpected(odd), {}, "what no server of this family may do")
        self.assertEqual(leaked, {}, "application messages before the acceptance")

    def assert_drained(self) -> None:
        """Nobody is left in any table of the host."""
        left_over: Dict[str, Any] = {}

        def drained() -> bool:
            nonlocal left_over
            left_over = self._left_over()
            return not left_over

        try:
            self.until("the host to drain", drained, 15)
        except AssertionError:
            self.fail(f"everybody is gone, and the host still has {left_over}")

    def _left_over(self) -> Dict[str, Any]:
        return self.usher.left_over()

    def _unexpected(self, odd: Dict[int, List[str]]) -> Dict[int, List[str]]:
        def is_expected(text: str) -> bool:
            return any(words in text for words in self.expected_oddities)

        left = {port: [one for one in all if not is_expected(one)] for port, all in odd.items()}
        return {port: some for port, some in left.items() if some}


class HostCase(Participants):
    """One host a class."""

    settings: Dict[str, Any] = {}
    files: Dict[str, str] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.usher = serve(cls.files, **cls.settings)
        cls.addClassCleanup(cls.usher.stop)

    @classmethod
    def tearDownClass(cls) -> None:
        usher.until("the host to drain", lambda: not cls.usher.left_over(), 15)

    def _left_over(self) -> Dict[str, Any]:
        """Without those who said goodbye, whom the door keeps for a moment; they go before the class ends."""
        parting = ("main.closing", "main.held_bytes")
        left = self.usher.left_over()
        return {what: count for what, count in left.items() if what not in parting}


class ApartCase(Participants):
    """One host a test, so that tests can run at the same time: see `together.py`."""

    apart = True
    # Whether the test starts its host itself, in its own way.
    by_hand = False
    settings: Dict[str, Any] = {}

    def setUp(self) -> None:
        super().setUp()
        if not self.by_hand:
            self.host()

    def host(self, **settings: Any) -> None:
        """Starts the host of this test."""
        self.usher = serve(**{**self.settings, **settings})
        self.addCleanup(self.usher.stop)
