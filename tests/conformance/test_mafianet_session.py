"""The session handshake: what a client asks with, and how it is told to wait, let in or sent away."""

from __future__ import annotations

import unittest
from itertools import cycle, islice
from typing import Any

import mafianet_messages as mafianet
from mafianet_case import A_MOMENT, LATER, ApartCase, HostCase
from mafianet_client import AFTER_INCOMING, CONNECTED, OVER
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


LONGEST = mafianet.LONGEST_PAYLOAD


def counting(length: int) -> bytes:
    """Bytes that count up, as the scripted policy makes and expects them."""
    return bytes(islice(cycle(range(251)), length))


class Asking(HostCase):
    def test_a_client_joins_on_every_rung(self) -> None:
        for size, mtu in ((1372, 1400), (1252, 1280), (996, 1024), (548, 576)):
            with self.subTest(size=size):
                client = self.joined(b"accept:welcome", rungs=(size,))
                self.assertEqual((client.reply_2.mtu, client.config), (mtu, b"welcome"))
                self.leave(client)

    def test_the_acceptance_names_the_client_and_ten_addresses_and_echoes_its_time(self) -> None:
        client = self.joined()
        accepted = client.accepted
        self.assertEqual(accepted.client, ("127.0.0.1", client.port))
        self.assertEqual(len(accepted.addresses), 10)
        self.assertLess(accepted.client_time_ms, 5000)
        self.assertEqual(len(client.report(mafianet.ACCEPTED).text), 95)

    def test_a_request_without_a_payload_is_decided(self) -> None:
        client = self.joined(b"")
        self.assertEqual(client.config, b"")
        self.wait_for_ending(client.port, "accepted")

    def test_a_payload_of_65536_bytes_reaches_the_policy_whole(self) -> None:
        head = b"bytes:%d:" % LONGEST
        for rungs in ((1372,), (548,)):
            with self.subTest(rungs=rungs):
                payload = head + counting(LONGEST - len(head))
                client = self.joined(payload, rungs=rungs)
                self.assertEqual(client.config, b"whole")

    def test_a_payload_of_65537_bytes_is_dropped_without_an_answer(self) -> None:
        client = self.client(b"x" * (LONGEST + 1))
        self.crowd.until("its slot", lambda: client.accepted)
        self.wait_for_pending(0)
        self.assertEqual((client.reports, self.asked(client.port)), ([], 0))

    def test_a_second_request_while_the_first_is_pending_is_ignored(self) -> None:
        client = self.waiting(b"wait:first")
        client.send(b"\x80reject:second")
        client.send(b"\x80accept:third")
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual({one.id for one in client.reports}, {mafianet.SESSION_STATUS})
        self.assertEqual((self.asked(client.port), self.pending()), (1, 1))

    def test_a_second_request_after_the_decision_is_ignored(self) -> None:
        client = self.joined(b"accept:first")
        client.send(b"\x80reject:second")
        client.send(b"\x87and on")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87and on"])
        self.until("the log to say it", lambda: self.asked(client.port))
        self.assertEqual(self.asked(client.port), 1)

    def test_the_policy_sees_protocol_password_and_a_proven_address(self) -> None:
        client = self.joined(b"seen", password=b"open sesame")
        self.assertEqual(
            client.config.decode().splitlines(),
            [
                "protocol mafianet",
                "proven true",
                f"port {client.port}",
                "payload 4",
                "password open sesame",
                "status true",
                "reasons true",
            ],
        )

    def test_no_password_is_in_the_log(self) -> None:
        self.joined(b"seen", password=b"open sesame")
        self.assertNotIn("sesame", self.usher.log())


class Answers(ApartCase):
    def test_an_acceptance_carries_its_config(self) -> None:
        for config in (b"", b'{"map":"downtown"}'):
            with self.subTest(config=config):
                self.assertEqual(self.joined(b"accept:" + config).config, config)

    def test_a_config_of_65536_bytes_arrives_whole(self) -> None:
        for rungs in ((1372,), (548,)):
            with self.subTest(rungs=rungs):
                client = self.joined(b"config:%d" % LONGEST, rungs=rungs)
                self.assertEqual(client.config, counting(LONGEST))
                self.leave(client)

    def test_whatever_mtu_a_client_claims_no_datagram_is_too_long_for_it(self) -> None:
        # The client notes every datagram that is longer than its buffer, or than the MTU agreed on.
        for mtu in (65_535, 1401, 575, 0):
            with self.subTest(mtu=mtu):
                client = self.joined(b"config:20000", mtu=mtu)
                self.assertEqual(client.config, counting(20_000))
                self.leave(client)

    def test_a_config_over_65536_bytes_is_a_fault_and_never_sent(self) -> None:
        client = self.client(b"config:%d" % (LONGEST + 1))
        report = self.wait_for_end(client)
        self.assertEqual(report.id, mafianet.ATTEMPT_FAILED)
        self.assertLess(len(report.text), 200)
        self.assertIsNone(client.config)

    def test_a_rejection_tells_its_reason(self) -> None:
        client = self.client(b"reject:You are not on the whitelist.")
        report = self.wait_for_end(client)
        self.assertEqual(
            (report.id, report.text), (mafianet.ATTEMPT_FAILED, b"You are not on the whitelist.")
        )
        self.wait_for_ending(client.port, "rejected told-to")

    def test_a_rejection_may_be_without_a_reason(self) -> None:
        report = self.wait_for_end(self.client(b"reject:"))
        self.assertEqual((report.id, report.text), (mafianet.ATTEMPT_FAILED, b""))

    def test_a_reason_of_65536_bytes_arrives_whole(self) -> None:
        report = self.wait_for_end(self.client(b"reason:%d" % LONGEST))
        self.assertEqual((report.id, report.text), (mafianet.ATTEMPT_FAILED, b"r" * LONGEST))

    def test_a_reason_over_65536_bytes_is_a_fault_and_never_sent(self) -> None:
        report = self.wait_for_end(self.client(b"reason:%d" % (LONGEST + 1)))
        self.assertEqual(report.id, mafianet.ATTEMPT_FAILED)
        self.assertLess(len(report.text), 200)

    def test_a_policy_that_traps_refuses_and_harms_nobody_else(self) -> None:
        before = self.waiting()
        report = self.wait_for_end(self.client(b"trap"))
        self.assertEqual(report.id, mafianet.ATTEMPT_FAILED)
        self.joined()
        self.assertIsNone(before.report(mafianet.ATTEMPT_FAILED))

    def test_who_was_refused_stops_counting_at_once_and_may_come_again(self) -> None:
        client = self.client(b"reject:no")
        self.wait_for_end(client)
        self.wait_for_pending(0)
        client.payload = b"accept:yes"
        client.connect()
        self.wait_for(client, mafianet.ACCEPTED)
        self.assertEqual(client.config, b"yes")

    def test_a_refused_client_that_acknowledges_nothing_holds_no_slot(self) -> None:
        client = self.client(b"reject:no")
        self.crowd.until("the way to the decision", lambda: client.accepted)
        self.vanish(client)
        self.wait_for_pending(0)


class Status(ApartCase):
    """The door's connection timeout is 2 s, so a status goes out every second."""

    def test_a_waiting_client_is_told_again_and_again_and_then_let_in(self) -> None:
        keeper = self.joined(b"keeper")
        client = self.client(b"gate:accept:welcome", session_timeout=2)
        self.crowd.until("three lines", lambda: len(client.statuses()) >= 3, LATER)
        self.assertIsNone(client.report(mafianet.ACCEPTED))
        self.leave(keeper)
        self.wait_for(client, mafianet.ACCEPTED)
        self.assertEqual(client.config, b"welcome")
        self.wait_for_ending(client.port, "accepted")

    def test_a_waiting_client_can_be_refused_with_a_reason(self) -> None:
        keeper = self.joined(b"keeper")
        client = self.waiting(b"gate:reject:Not today.")
        self.leave(keeper)
        self.assertEqual(self.wait_for(client, mafianet.ATTEMPT_FAILED).text, b"Not today.")
        self.wait_for_ending(client.port, "rejected told-to")

    def test_status_messages_carry_the_words_of_the_policy_in_order(self) -> None:
        client = self.waiting("wait:Ein Türsteher prüft dich".encode())
        self.assertEqual(client.statuses()[0].decode(), "Ein Türsteher prüft dich")

    def test_a_status_of_65536_bytes_arrives_whole(self) -> None:
        client = self.waiting(b"status:%d" % LONGEST)
        self.assertEqual(client.statuses()[0], b"s" * LONGEST)

    def test_a_status_over_65536_bytes_is_a_fault_and_never_sent(self) -> None:
        client = self.client(b"status:%d" % (LONGEST + 1))
        report = self.wait_for_end(client)
        self.assertEqual((report.id, client.statuses()), (mafianet.ATTEMPT_FAILED, []))

    def test_a_status_for_who_is_in_already_is_not_sent(self) -> None:
        keeper = self.joined(b"keeper")
        client = self.waiting(b"gate:accept:in")
        self.leave(keeper)
        self.wait_for(client, mafianet.ACCEPTED)
        told = len(client.statuses())
        kinds = []
        take = client._take_message
        client._take_message = lambda message, now: (
            kinds.append(message.payload[0]),
            take(message, now),
        )
        self.crowd.pass_time(2.2)
        self.assertEqual(len(client.statuses()), told)
        self.assertNotIn(mafianet.SESSION_STATUS, kinds)

    def test_a_client_cannot_send_a_status_a_config_or_a_rejection(self) -> None:
        client = self.waiting()
        for kind in (0x81, 0x82, 0x83, 0x84):
            client.send(bytes([kind]) + b"let me in")
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(self.pending(), 1)
        player = self.joined()
        for kind in (0x81, 0x82, 0x83, 0x84):
            player.send(bytes([kind]) + b"and me")
        player.send(b"\x87hello")
        self.crowd.until("the echo", lambda: player.heard())
        self.assertEqual((player.heard(), player.state), ([b"\x87hello"], CONNECTED))


class Leaving(HostCase):
    """A request ends once, and the policy is told how."""

    def test_who_leaves_while_waiting_is_abandoned_once(self) -> None:
        client = self.waiting()
        self.leave(client)
        self.wait_for_pending(0)
        self.wait_for_ending(client.port, "abandoned cancelled")
        self.assertEqual([one.id for one in client.reports], [mafianet.SESSION_STATUS])

    def test_who_leaves_with_a_reason_while_waiting_is_abandoned_once(self) -> None:
        client = self.waiting()
        client.leave(b"no patience")
        self.wait_for_pending(0)
        self.wait_for_ending(client.port, "abandoned cancelled")

    def test_who_leaves_before_the_request_was_never_seen_by_the_policy(self) -> None:
        client = self.client(stop_after=AFTER_INCOMING)
        self.crowd.until("the transport", lambda: client.accepted)
        self.leave(client)
        self.wait_for_pending(0)
        self.assertEqual((self.asked(client.port), self.endings(client.port)), (0, []))

    def test_an_answered_request_is_not_abandoned_when_its_player_leaves(self) -> None:
        client = self.joined()
        self.wait_for_ending(client.port, "accepted")
        self.leave(client)
        self.wait_for_players(0)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(self.endings(client.port), ["accepted"])

    def test_a_player_of_before_may_wait_again_at_once_from_the_same_port(self) -> None:
        client = self.waiting()
        for _ in range(3):
            client.leave()
            self.crowd.until("the goodbye", lambda: client.state == OVER)
            client.connect()
            self.wait_for(client, mafianet.SESSION_STATUS)
        self.wait_for_pending(1)


class Passwords(HostCase):
    """The door judges the connection password itself."""

    settings = {"door": 'password-file = "password"'}
    files = {"password": "open sesame\n"}

    def test_the_right_password_lets_a_client_on_and_no_policy_sees_it(self) -> None:
        client = self.joined(b"seen", password=b"open sesame")
        self.assertIn(b"password -", client.config.splitlines())

    def test_a_wrong_password_is_told_and_asks_no_policy(self) -> None:
        for password in (b"", b"open", b"open sesame!", b"x" * 255):
            with self.subTest(password=password):
                client = self.client(b"accept:", password=password)
                report = self.wait_for_end(client)
                self.assertEqual((report.id, report.text), (mafianet.INVALID_PASSWORD, b""))
                self.assertEqual(self.asked(client.port), 0)
        self.wait_for_pending(0)

    def test_a_client_may_try_another_password_at_once(self) -> None:
        client = self.client(b"accept:in", password=b"guess")
        self.wait_for_end(client)
        client.password = b"open sesame"
        client.connect()
        self.wait_for(client, mafianet.ACCEPTED)
        self.assertEqual(client.requests_sent, 1)
