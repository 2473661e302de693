"""All of it again where one datagram in ten is lost, one in ten comes twice and one in ten comes late."""

from __future__ import annotations

import unittest
from itertools import cycle, islice
from typing import Any

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_case import LATER, ApartCase
from mafianet_client import OVER, Client
from mafianet_relay import Relay
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


SEEDS = range(1, 5)
LONGEST = mafianet.LONGEST_PAYLOAD


def counting(length: int) -> bytes:
    return bytes(islice(cycle(range(251)), length))


class BadRoad(ApartCase):
    settings = {
        "connection_timeout": "10s",
        "max_players": 64,
        "max_pending": 64,
        "door": "protocols = [7, 6]",
    }

    def setUp(self) -> None:
        super().setUp()
        # An ACK that came twice.
        self.expected_oddities = ["acknowledged twice"]

    def road(self, seed: int) -> Relay:
        return Relay(self.crowd, self.address, seed)

    def over(self, road: Relay, payload: bytes = b"", **settings: Any) -> Client:
        return self.client(payload, server=road.address, **settings)

    def let_in(self, road: Relay, payload: bytes = b"", **settings: Any) -> Client:
        client = self.over(road, payload, **settings)
        self.wait_for(client, mafianet.ACCEPTED, within=LATER)
        return client

    def port(self, road: Relay, client: Client) -> int:
        """The client's port as the host sees it."""
        return road.towards(client.socket.getsockname())

    def test_a_client_joins(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                road = self.road(seed)
                client = self.let_in(road, b"accept:welcome")
                self.assertEqual(client.config, b"welcome")
                self.wait_for_ending(self.port(road, client), "accepted")

    def test_a_payload_and_a_config_of_65536_bytes_arrive_whole(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                head = b"bytes:%d:" % LONGEST
                client = self.let_in(self.road(seed), head + counting(LONGEST - len(head)))
                self.assertEqual(client.config, b"whole")
                client = self.let_in(self.road(seed + 100), b"config:%d" % LONGEST)
                self.assertEqual(client.config, counting(LONGEST))

    def test_a_client_waits_and_is_let_in(self) -> None:
        keeper = self.joined(b"keeper")
        waiting = [self.over(self.road(seed), b"gate:accept:in") for seed in SEEDS]
        for client in waiting:
            self.wait_for(client, mafianet.SESSION_STATUS, within=LATER)
        self.leave(keeper)
        for client in waiting:
            self.wait_for(client, mafianet.ACCEPTED, within=LATER)
            self.assertEqual((client.config, client.leaked), (b"in", []))

    def test_a_client_is_refused_with_its_reason(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                road = self.road(seed)
                client = self.over(road, b"reject:Not today.")
                report = self.wait_for_end(client, LATER)
                self.assertEqual((report.id, report.text), (0x11, b"Not today."))
                self.wait_for_ending(self.port(road, client), "rejected told-to")

    def test_a_long_reason_arrives_whole(self) -> None:
        client = self.over(self.road(9), b"reason:%d" % LONGEST)
        self.assertEqual(self.wait_for_end(client, LATER).text, b"r" * LONGEST)

    def test_reliable_messages_arrive_once_and_ordered_ones_in_order(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                client = self.let_in(self.road(seed))
                ordered = [b"\x87o%d" % number for number in range(150)]
                loose = [b"\x87r%d" % number for number in range(150)]
                for one, other in zip(ordered, loose):
                    client.send(one, raknet.RELIABLE_ORDERED, 5)
                    client.send(other, raknet.RELIABLE)
                self.crowd.until("all echoes", lambda: len(client.received) >= 300, LATER)
                heard = client.heard()
                self.assertEqual([one for one in heard if one[1:2] == b"o"], ordered)
                self.assertEqual(sorted(one for one in heard if one[1:2] == b"r"), sorted(loose))

    def test_sequenced_messages_never_go_back(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                client = self.let_in(self.road(seed))
                for number in range(100):
                    client.send(b"\x87s%03d" % number, raknet.RELIABLE_SEQUENCED, 1)
                    client.send(b"\x87u%03d" % number, raknet.UNRELIABLE_SEQUENCED, 2)
                    client.send(b"\x87l%03d" % number, raknet.UNRELIABLE)
                    self.crowd.step(0.002)
                self.crowd.until("most", lambda: len(client.received) > 120, LATER)
                self.crowd.pass_time(0.3)
                for kind in b"su":
                    heard = [one for one in client.heard() if one[1] == kind]
                    self.assertGreater(len(heard), 30)
                    self.assertEqual(heard, sorted(set(heard)))

    def test_long_and_odd_messages_come_back_whole(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                client = self.let_in(self.road(seed))
                client.send(b"\x87" + counting(30 * 1400))
                client.send(b"\x8a\xa0", raknet.RELIABLE, odd_bits=11)
                self.crowd.until("echoes", lambda: len(client.received) >= 2, LATER)
                self.assertIn(b"\x87" + counting(30 * 1400), client.heard())
                self.assertIn(b"\x8a\xa0", client.heard())

    def test_both_sides_leave(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                client = self.let_in(self.road(seed))
                self.wait_for_players(1)
                client.leave(b"bye")
                self.wait_for_players(0, LATER)
                self.crowd.until("the goodbye", lambda: client.state == OVER, LATER)
                kicked = self.let_in(self.road(seed + 50))
                kicked.send(b"\x87kick:kicked: afk")
                report = self.wait_for(kicked, mafianet.DISCONNECTION, within=LATER)
                self.assertEqual(report.text, b"kicked: afk")
                self.wait_for_players(0, LATER)

    def test_a_client_of_protocol_6_joins(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed=seed):
                client = self.let_in(self.road(seed), protocol=mafianet.CLASSIC)
                client.send(b"\x87hello")
                self.crowd.until("the echo", lambda: client.heard() == [b"\x87hello"], LATER)

    def test_thirty_clients_join_at_once(self) -> None:
        road = self.road(77)
        clients = [self.over(road, b"accept:%d" % number) for number in range(30)]
        for number, client in enumerate(clients):
            self.wait_for(client, mafianet.ACCEPTED, within=LATER)
            self.assertEqual((client.config, client.leaked), (b"%d" % number, []))
        self.wait_for_players(30)
        self.assertGreater(min(road.dropped, road.doubled, road.delayed), 10)
