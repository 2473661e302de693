"""`usher join` at a server of this suite, which shares nothing with it."""

from __future__ import annotations

import signal
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

import mafianet_messages as mafianet
import usher
from join_case import LEFT_IN_ORDER, REJECTED, SESSION_ENDED, UNREACHABLE
from mafianet_case import SOON
from mafianet_crowd import Crowd
from mafianet_relay import Relay
from mafianet_server import GUID, Peer, Server
from together import Together

LATER = 20.0


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


class Joining(unittest.TestCase):
    apart = True

    def setUp(self) -> None:
        usher.binary()
        self.crowd = Crowd()
        self.addCleanup(self.crowd.close)
        self.server = Server(self.crowd)

    def join(self, *arguments: str, server: Any = None) -> usher.Join:
        host, port = (server or self.server).address
        join = usher.Join(f"mafianet://{host}:{port}", *arguments)
        self.addCleanup(join.stop)
        return join

    def until(self, what: str, check: Callable[[], Any], within: float = SOON) -> Any:
        return self.crowd.until(what, check, within)

    def says(self, join: usher.Join, line: str, within: float = SOON) -> None:
        """Waits until it has said this."""
        try:
            self.until(line, lambda: line in join.so_far(), within)
        except AssertionError:
            self.fail(f"it does not say {line!r}, but {join.so_far()}")

    def ends(self, join: usher.Join, status: int, within: float = SOON) -> str:
        """Waits for its end, and gives its last line."""
        self.until("its end", lambda: join.process.poll() is not None, within)
        self.assertEqual(join.status(), status, join.output())
        for peer in self.server.peers.values():
            self.assertEqual(peer.link.oddities, [])
        return join.lines[-1]

    def inside(self, *arguments: str, **more: Any) -> tuple[usher.Join, Peer]:
        join = self.join(*arguments, **more)
        self.says(join, "in: lines that you type are sent, the end of the input (Ctrl-D) leaves")
        return join, self.server.peer

    def test_it_joins_with_and_without_a_cookie(self) -> None:
        for cookie in (False, True):
            with self.subTest(cookie=cookie):
                self.server = Server(self.crowd, cookie)
                join, peer = self.inside("--name", "R9")
                self.assertEqual((peer.payload, peer.link.mtu), (b"R9", 1400))
                join.end_input()
                self.ends(join, LEFT_IN_ORDER)
                self.assertEqual(peer.goodbye, b"")

    def test_it_sends_payload_and_password(self) -> None:
        join, peer = self.inside("--payload", "ticket=abc", "--password", "sesame")
        self.assertEqual((peer.payload, peer.request.password), (b"ticket=abc", b"sesame"))
        self.assertNotIn("sesame", "\n".join(join.so_far()))

    def test_a_payload_of_65536_bytes_arrives_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "payload"
            file.write_bytes(bytes(range(256)) * 256)
            _, peer = self.inside("--payload-file", str(file))
            self.assertEqual(peer.payload, file.read_bytes())

    def test_it_shows_what_it_is_told_while_it_waits(self) -> None:
        self.server.decide = lambda peer: peer.status(b"You are 2 of 3 in the queue")
        join = self.join("--name", "R9")
        self.says(join, "waiting: You are 2 of 3 in the queue")
        self.server.peer.status(b"You are 1 of 2 in the queue")
        self.says(join, "waiting: You are 1 of 2 in the queue")
        self.server.peer.accept(b"welcome")
        self.says(join, "accepted with welcome")

    def test_the_end_of_the_input_ends_no_waiting(self) -> None:
        self.server.decide = lambda peer: peer.status(b"wait")
        join = self.join("--name", "R9")
        join.end_input()
        self.says(join, "waiting: wait")
        self.crowd.pass_time(0.3)
        self.assertIsNone(self.server.peer.goodbye)
        self.server.peer.accept()
        self.ends(join, LEFT_IN_ORDER)
        self.assertEqual(self.server.peer.goodbye, b"")

    def test_who_interrupts_it_while_it_waits_says_goodbye(self) -> None:
        self.server.decide = lambda peer: peer.status(b"wait")
        join = self.join("--name", "R9")
        self.says(join, "waiting: wait")
        join.process.send_signal(signal.SIGINT)
        self.until("the goodbye", lambda: self.server.peer.goodbye == b"")
        self.ends(join, LEFT_IN_ORDER)

    def test_a_rejection_is_shown_with_its_reason(self) -> None:
        self.server.decide = lambda peer: peer.reject(b"Not on the list.")
        self.assertIn("Not on the list.", self.ends(self.join("--name", "R9"), REJECTED))

    def test_every_refusal_ends_it(self) -> None:
        for kind, name in mafianet.REFUSALS.items():
            with self.subTest(name):
                self.server = Server(self.crowd)
                protocol = 9 if kind == mafianet.INCOMPATIBLE_PROTOCOL else None
                self.server.refusal = mafianet.Refusal(kind, GUID, protocol)
                join = self.join("--name", "R9")
                self.until("its end", lambda join=join: join.process.poll() is not None, 10)
                self.assertIn(join.status(), (REJECTED, UNREACHABLE), join.output())

    def test_a_server_that_is_silent_is_unreachable(self) -> None:
        self.crowd.deafen(self.server.socket)
        self.addCleanup(self.server.socket.close)
        self.ends(self.join("--name", "R9"), UNREACHABLE, 12)

    def test_without_an_answer_or_a_status_it_gives_up_in_its_own_time(self) -> None:
        self.server.decide = lambda peer: None
        join = self.join("--name", "R9", "--session-timeout", "1s")
        self.until("its end", lambda: join.process.poll() is not None, 5)
        self.assertNotEqual(join.status(), LEFT_IN_ORDER)

    def test_messages_go_both_ways(self) -> None:
        join, peer = self.inside("--name", "R9")
        join.say("hello there")
        self.until("the line", lambda: peer.received)
        self.assertEqual(peer.received[0].payload, b"\x87hello there")
        for number in range(50):
            peer.say(b"\x87line %d" % number)
        self.says(join, "< line 49")
        heard = [line for line in join.so_far() if line.startswith("< ")]
        self.assertEqual(heard, [f"< line {number}" for number in range(50)])

    def test_a_kick_is_shown_with_its_reason(self) -> None:
        join, peer = self.inside("--name", "R9")
        peer.say(b"\x15kicked: afk")
        self.assertIn("kicked: afk", self.ends(join, SESSION_ENDED))

    def test_it_acknowledges_each_datagram_once_and_answers_pings(self) -> None:
        join, peer = self.inside("--name", "R9")
        for number in range(30):
            peer.say(mafianet.ping(number), number % 2 * 2)
            peer.say(b"\x87%d" % number, number % 5)
        self.until("acknowledgements", lambda: peer.link.unacked() == 0)
        self.says(join, "< 28")
        self.crowd.pass_time(0.2)
        self.assertEqual(peer.link.oddities, [])
        self.assertEqual(len(peer.link._acked), peer.link._datagram)

    def test_it_joins_and_plays_on_a_bad_road(self) -> None:
        for seed in range(3):
            with self.subTest(seed=seed):
                self.server = Server(self.crowd, cookie=True)
                self.server.decide = lambda peer: peer.accept(b"c" * 20_000)
                join = self.join("--name", "R9", server=Relay(self.crowd, self.server.address, seed))
                self.until("it to be in", lambda j=join: any("in:" in one for one in j.so_far()), 20)
                peer = self.server.peer
                for number in range(40):
                    peer.say(b"\x87%d" % number)
                    join.say(f"said {number}")
                self.until("all lines", lambda p=peer: len(p.received) >= 40, LATER)
                said = [one.payload for one in peer.received]
                self.assertEqual(said, [b"\x87said %d" % number for number in range(40)])
                self.says(join, "< 39", LATER)
                heard = [line for line in join.so_far() if line.startswith("< ")]
                self.assertEqual(heard, [f"< {number}" for number in range(40)])
                join.end_input()
                self.until("the goodbye", lambda p=peer: p.goodbye == b"", LATER)
