"""The suite's own client and server against each other: what tests of a host rely on holds by itself.

No host is needed.
"""

from __future__ import annotations

import unittest
from typing import Any, List, Tuple

import mafianet_bytes as raknet
import mafianet_client
import mafianet_messages as mafianet
from mafianet_client import Client
from mafianet_crowd import Crowd
from mafianet_receive import Receiver
from mafianet_relay import Relay
from mafianet_reliability import Reliability
from mafianet_server import GUID, Peer, Server

SERVER = ("127.0.0.1", 61010)


class StillCrowd:
    """Nobody's clock: time is what the test says."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def join(self, _: Any) -> None:
        pass


class Ear:
    """A socket that keeps what is sent."""

    def __init__(self, crowd: StillCrowd) -> None:
        self.crowd = crowd
        self.said: List[Tuple[float, bytes]] = []

    def sendto(self, data: bytes, _: Any) -> None:
        self.said.append((self.crowd.time, data))

    def getsockname(self) -> Tuple[str, int]:
        return "127.0.0.1", 61011


class Deadlines(unittest.TestCase):
    """With a clock of the test's own."""

    def setUp(self) -> None:
        self.crowd = StillCrowd()
        self.ear = Ear(self.crowd)

    def client(self, **settings: Any) -> Client:
        return Client(self.crowd, SERVER, socket=self.ear, **settings)

    def live(self, client: Client, seconds: float) -> None:
        for _ in range(round(seconds * 100)):
            self.crowd.time += 0.01
            client.tick(self.crowd.time)

    def hear(self, client: Client, data: bytes) -> None:
        client.take(data, SERVER, self.crowd.time)

    def say(self, client: Client, link: Reliability, *payloads: bytes) -> None:
        for payload in payloads:
            link.send(payload)
        for data in link.poll(self.crowd.time):
            self.hear(client, data)

    def accepted(self, **settings: Any) -> Tuple[Client, Reliability]:
        """A client that waits for its session, and the server's end."""
        client = self.client(**settings).connect()
        self.hear(client, mafianet.OpenReply1(GUID, 1400).encode())
        self.hear(client, mafianet.OpenReply2(GUID, ("127.0.0.1", 61011), 1400).encode())
        link = Reliability(1400, self.crowd.time)
        self.say(client, link, mafianet.Accepted(("127.0.0.1", 61011), 0, (), 1, 1).encode())
        self.assertEqual(client.state, mafianet_client.WAITING)
        return client, link

    def test_it_knocks_13_times_on_four_rungs_and_gives_up_at_6_57_s(self) -> None:
        client = self.client().connect()
        self.live(client, 8)
        sizes = [len(data) for _, data in self.ear.said]
        self.assertEqual(sizes, [1372] * 3 + [1252] * 3 + [996] * 3 + [548] * 4)
        at = [round(moment - 1000, 2) for moment, _ in self.ear.said]
        for moment, captured in zip(at, (0, 0.504, 1.006, 1.511)):
            self.assertAlmostEqual(moment, captured, delta=0.02)
        self.assertAlmostEqual(at[-1], 6.06, delta=0.02)
        (report,) = client.reports
        self.assertEqual((report.id, report.text), (mafianet.ATTEMPT_FAILED, b""))
        self.assertAlmostEqual(report.at - 1000, 6.57, delta=0.02)

    def test_every_reply_1_is_answered_with_a_request_2(self) -> None:
        client = self.client().connect()
        for _ in range(3):
            self.hear(client, mafianet.OpenReply1(GUID, 1280, b"abcd").encode())
        requests = [mafianet.parse_open_request_2(data, True) for _, data in self.ear.said[1:]]
        self.assertEqual([one.cookie for one in requests], [b"abcd"] * 3)
        self.assertEqual({(one.mtu, one.server) for one in requests}, {(1280, SERVER)})

    def test_a_server_that_does_not_accept_the_request_fails_it_after_10_s(self) -> None:
        client = self.client().connect()
        self.hear(client, mafianet.OpenReply2(GUID, ("127.0.0.1", 61011), 1400).encode())
        link = Reliability(1400, self.crowd.time)
        for _ in range(12):
            # It hears from the server: the connection is not lost, only late.
            self.say(client, link, mafianet.ping(1))
            self.live(client, 1)
        self.assertAlmostEqual(client.report(mafianet.ATTEMPT_FAILED).at - 1000, 10, delta=0.1)

    def test_a_session_without_an_answer_fails_after_its_timeout(self) -> None:
        client, _ = self.accepted(session_timeout=3)
        self.live(client, 4)
        self.assertAlmostEqual(client.report().at - 1000, 3, delta=0.05)
        self.assertEqual((client.report().id, client.report().text), (0x11, b""))

    def test_a_status_restarts_the_session_timeout(self) -> None:
        client, link = self.accepted(session_timeout=3)
        for number in range(3):
            self.live(client, 2)
            self.say(client, link, b"\x83%d" % number)
        self.assertEqual(client.statuses(), [b"0", b"1", b"2"])
        self.live(client, 4)
        self.assertAlmostEqual(client.report(0x11).at - 1000, 9, delta=0.1)

    def test_a_config_of_more_than_65536_bytes_ends_it_without_a_word(self) -> None:
        client, link = self.accepted()
        client.session_timeout = 3
        self.say(client, link, b"\x81" + bytes(65_537))
        for _ in range(100):
            for data in [data for _, data in self.ear.said]:
                link.feed(data, self.crowd.time)
            self.ear.said.clear()
            self.crowd.time += 0.01
            self.say(client, link)
            client.tick(self.crowd.time)
        self.assertEqual((client.state, client.reports), (mafianet_client.OVER, []))

    def test_a_server_that_acknowledges_nothing_for_10_s_is_lost(self) -> None:
        client, _ = self.accepted(session_timeout=60)
        self.live(client, 11)
        self.assertAlmostEqual(client.report(mafianet.ATTEMPT_FAILED).at - 1000, 10, delta=0.1)


class Meeting(unittest.TestCase):
    """Over real sockets, on a good road and on a bad one."""

    def setUp(self) -> None:
        self.crowd = Crowd()
        self.addCleanup(self.crowd.close)

    def joined(self, payload: bytes = b"", **settings: Any) -> Tuple[Client, Peer, Server]:
        server = Server(self.crowd, **settings)
        client = Client(self.crowd, server.address, payload).connect()
        self.crowd.until("the client to be in", lambda: client.report(mafianet.ACCEPTED))
        return client, server.peer, server

    def test_a_client_joins_with_and_without_a_cookie(self) -> None:
        for cookie in (False, True):
            with self.subTest(cookie=cookie):
                client, peer, _ = self.joined(b"ticket=abc", cookie=cookie)
                self.assertEqual(peer.payload, b"ticket=abc")
                self.assertEqual(len(client.reports[0].text) + 1, 96)
                self.assertEqual(client.all_oddities() + peer.link.oddities, [])

    def test_every_message_arrives_once_and_in_order_on_a_bad_road(self) -> None:
        for seed in range(3):
            with self.subTest(seed=seed):
                server = Server(self.crowd, cookie=True)
                server.decide = lambda peer: peer.accept(b"S" * 20_000)
                relay = Relay(self.crowd, server.address, seed)
                client = Client(self.crowd, relay.address, b"p" * 10_000).connect()
                self.crowd.until("the client to be in", lambda: client.report(mafianet.ACCEPTED))
                self.assertEqual(server.peer.payload, b"p" * 10_000)
                self.assertEqual(client.config, b"S" * 20_000)
                said = [b"\x87%d" % number for number in range(100)]
                for message in said:
                    client.send(message, channel=3)
                peer = server.peer
                self.crowd.until("all of it", lambda: len(peer.received) >= 100)
                self.assertEqual([one.payload for one in peer.received], said)
                self.assertTrue(relay.dropped and relay.doubled and relay.delayed)

    def test_an_older_sequenced_message_is_not_delivered_after_a_newer_one(self) -> None:
        sender, receiver = Reliability(1400, 0), Receiver()
        for number in range(3):
            sender.send(b"\x87%d" % number, raknet.UNRELIABLE_SEQUENCED, 1)
        sender.send(b"\x87ordered", raknet.RELIABLE_ORDERED, 1)
        sender.send(b"\x87after", raknet.RELIABLE_SEQUENCED, 1)
        messages = raknet.parse_data(sender.poll(0)[0]).messages
        order = (4, 1, 0, 3, 2)
        got = []
        for number, index in enumerate(order):
            data = raknet.Data(number, (messages[index],))
            got += [one.payload for one in receiver.take(data)]
        self.assertEqual(got, [b"\x871", b"\x87ordered", b"\x87after"])

    def test_a_rejection_is_reported_with_its_reason_and_nothing_more(self) -> None:
        server = Server(self.crowd)
        server.decide = lambda peer: peer.reject(b"You are not on the list.")
        client = Client(self.crowd, server.address).connect()
        self.crowd.until("the rejection", lambda: client.report(mafianet.ATTEMPT_FAILED))
        self.assertEqual(client.reports[0].text, b"You are not on the list.")
        self.crowd.until("its acknowledgement", lambda: server.peer.link.unacked() == 0)

    def test_a_refusal_is_reported_only_before_reply_2(self) -> None:
        server = Server(self.crowd)
        server.refusal = mafianet.Refusal(mafianet.BANNED, GUID)
        client = Client(self.crowd, server.address).connect()
        self.crowd.until("the refusal", lambda: client.report(mafianet.BANNED))
        refusal = server.refusal.encode()
        late, _, server = self.joined()
        server.socket.sendto(refusal, late.socket.getsockname())
        self.crowd.pass_time(0.05)
        self.assertIsNone(late.report(mafianet.BANNED))

    def test_both_sides_can_leave_with_a_reason(self) -> None:
        client, peer, _ = self.joined()
        client.leave(b"bye", channel=5)
        self.crowd.until("the goodbye", lambda: peer.goodbye == b"bye" and client.is_over)
        client, peer, _ = self.joined()
        peer.say(b"\x15kicked: afk")
        self.crowd.until("the kick", lambda: client.report(mafianet.DISCONNECTION))
        self.assertEqual(client.report(mafianet.DISCONNECTION).text, b"kicked: afk")

    def test_what_comes_before_the_acceptance_is_noticed(self) -> None:
        server = Server(self.crowd)
        server.decide = lambda peer: peer.say(b"\x88early") or peer.accept()
        client = Client(self.crowd, server.address).connect()
        self.crowd.until("the client to be in", lambda: client.report(mafianet.ACCEPTED))
        self.assertEqual([one.payload for one in client.leaked], [b"\x88early"])

    def test_a_client_that_is_frozen_says_nothing(self) -> None:
        client, peer, server = self.joined()
        client.freeze()
        heard = len(server.heard)
        peer.say(b"\x88hello")
        self.crowd.pass_time(0.2)
        self.assertEqual(len(server.heard), heard)
        client.thaw()
        self.crowd.until("what came meanwhile", lambda: client.heard() == [b"\x88hello"])


if __name__ == "__main__":
    unittest.main()
