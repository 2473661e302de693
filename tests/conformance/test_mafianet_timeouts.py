"""Who is told, who is missed and when. Each test has a host of its own; all of them wait at the same time."""

from __future__ import annotations

import time
import unittest
from typing import Any

import mafianet_messages as mafianet
from mafianet_case import ApartCase
from mafianet_client import (
    AFTER_ACCEPTED,
    AFTER_INCOMING,
    AFTER_REPLY_2,
    CONNECTED,
    OVER,
    WAITING,
    Client,
)
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


class SessionTimeout(ApartCase):
    """Upstream ends a session that was not answered without a word; its client finds out by itself."""

    by_hand = True
    def stalled(self, **settings: Any) -> Client:
        """A client that never sends its request."""
        self.host(**settings)
        client = self.client(stop_after=AFTER_INCOMING, timeout=10)
        self.crowd.until("the transport", lambda: client.accepted)
        self.began = self.crowd.now()
        return client

    def test_a_client_whose_session_timed_out_is_told_at_once_without_a_reason(self) -> None:
        client = self.stalled(session_timeout="2s", connection_timeout="10s")
        report = self.wait_for(client, mafianet.ATTEMPT_FAILED, within=6)
        self.assertEqual(report.text, b"")
        self.assertGreater(report.at - self.began, 1.9)
        self.assertLess(report.at - self.began, 3.5)
        self.wait_for_pending(0)

    def test_the_operator_can_say_why(self) -> None:
        client = self.stalled(session_timeout="1s", door='timeout-reason = "Nobody answered."')
        report = self.wait_for(client, mafianet.ATTEMPT_FAILED, within=6)
        self.assertEqual(report.text, b"Nobody answered.")

    def test_without_a_session_timeout_the_connection_timeout_bounds_it(self) -> None:
        client = self.stalled(session_timeout="0s", connection_timeout="3s")
        report = self.wait_for(client, mafianet.ATTEMPT_FAILED, within=8)
        self.assertGreater(report.at - self.began, 2.9)
        self.assertLess(report.at - self.began, 4.5)

    def test_the_end_that_runs_out_first_ends_the_attempt(self) -> None:
        self.host(session_timeout="45s", connection_timeout="3s", deadline="3s")
        client = self.client(b"slow", session_timeout=1)
        self.assertEqual(self.wait_for_end(client, 4).text, b"")
        # It fell silent, and the host finds that out.
        self.wait_for_pending(0, within=12)

    def test_a_decision_that_is_never_made_ends_with_a_reason(self) -> None:
        self.host(deadline="1s", connection_timeout="10s")
        client = self.client(b"slow")
        report = self.wait_for(client, mafianet.ATTEMPT_FAILED, within=10)
        self.assertTrue(report.text)
        self.wait_for_ending(client.port, "rejected policy-fault")


class DefaultTimeouts(ApartCase):
    """With the default timeouts on both ends."""

    by_hand = True
    settings = {"connection_timeout": "10s"}

    def test_a_client_that_set_no_timeout_never_gives_up_waiting(self) -> None:
        self.host()
        client = self.client(b"wait:Please wait")
        self.crowd.pass_time(16)
        self.assertEqual((client.state, self.pending()), (WAITING, 1))
        told = [client.born] + [one.at for one in client.reports]
        gaps = [later - sooner for sooner, later in zip(told, told[1:])]
        self.assertLess(max(gaps), 6)
        self.assertGreaterEqual(len(gaps), 3)

    def test_who_is_still_being_decided_is_told_something_within_4_s(self) -> None:
        self.host(deadline="5s")
        client = self.client(b"slow")
        report = self.wait_for(client, mafianet.SESSION_STATUS, within=6)
        self.assertLess(report.at - client.born, 4.5)
        self.assertTrue(report.text)
        self.wait_for_end(client, 8)

    def test_a_waiting_client_that_vanished_is_missed_within_10_s(self) -> None:
        self.host(session_timeout="45s")
        client = self.waiting()
        port = client.port
        self.vanish(client)
        start = time.monotonic()
        self.wait_for_pending(0, within=14)
        self.assertGreater(time.monotonic() - start, 3)
        self.assertLess(time.monotonic() - start, 12)
        self.wait_for_ending(port, "abandoned dropped")

    def test_a_frozen_client_that_returns_too_late_is_abandoned_once(self) -> None:
        self.host(session_timeout="45s")
        client = self.waiting()
        port = client.port
        client.freeze()
        self.wait_for_pending(0, within=14)
        # It comes back to nothing: nobody answers, and nothing is abandoned twice.
        client.thaw()
        self.crowd.pass_time(1)
        self.wait_for_ending(port, "abandoned dropped")
        client.state = OVER

    def test_a_client_of_protocol_6_is_refused_before_it_gives_up_by_itself(self) -> None:
        self.host(door="protocols = [7, 6]")
        client = self.client(protocol=mafianet.CLASSIC, password=b"wait:for ever")
        report = self.wait_for_end(client, 12)
        self.assertEqual(report.id, mafianet.DISCONNECTION)
        self.assertGreater(report.at - client.born, 7)
        self.assertLess(report.at - client.born, 9.8)

    def test_a_player_that_vanished_is_lost_about_10_s_after_its_last_word(self) -> None:
        self.host()
        client = self.joined()
        self.wait_for_players(1)
        self.vanish(client)
        start = time.monotonic()
        self.wait_for_players(0, within=18)
        self.assertGreater(time.monotonic() - start, 8)
        self.assertLess(time.monotonic() - start, 16)

    def test_a_frozen_player_that_returns_in_time_plays_on(self) -> None:
        self.host()
        client = self.joined()
        client.freeze()
        self.crowd.pass_time(7)
        client.thaw()
        client.send(b"\x87back again")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87back again"])

    def test_a_player_that_has_nothing_to_say_stays(self) -> None:
        self.host()
        client = self.joined()
        self.crowd.pass_time(16)
        self.assertEqual((self.players(), client.state), (1, CONNECTED))
        self.assertIsNone(client.report(mafianet.CONNECTION_LOST))

    def test_slots_that_are_never_used_are_free_again_in_10_s(self) -> None:
        self.host()
        stages = {stage: self.client(stop_after=stage) for stage in (AFTER_REPLY_2, AFTER_ACCEPTED)}
        self.crowd.until("their slots", lambda: all(one.link for one in stages.values()))
        self.assertEqual(self.pending(), 2)
        # They live and acknowledge, and go no further.
        for client in stages.values():
            client.tick = lambda now, link=client.link, one=client: one._flush(now)
        start = time.monotonic()
        self.wait_for_pending(0, within=14)
        self.assertGreater(time.monotonic() - start, 8)
        self.assertLess(time.monotonic() - start, 12)
        for client in stages.values():
            client.state = OVER

    def test_a_refusal_that_is_never_acknowledged_is_not_resent_for_ever(self) -> None:
        self.host()
        client = self.client(stop_after=AFTER_INCOMING)
        self.crowd.until("the transport", lambda: client.accepted)
        client.send(b"\x80reject:no")
        client.freeze()
        self.wait_for_pending(0)
        self.crowd.pass_time(8)
        # What the socket holds by now is all that was ever sent.
        resent = []
        while True:
            try:
                resent.append(client.socket.recv(2048))
            except BlockingIOError:
                break
        self.assertGreater(len(resent), 0)
        self.assertLess(len(resent), 40)
        self.crowd.pass_time(3)
        with self.assertRaises(BlockingIOError):
            client.socket.recv(2048)
        client.state = OVER


class Shutdown(ApartCase):
    by_hand = True
    def test_everyone_is_told_when_the_host_stops(self) -> None:
        self.host()
        waiting, player = self.waiting(), self.joined()
        self.usher.process.terminate()
        refused = self.wait_for(waiting, mafianet.ATTEMPT_FAILED)
        self.assertEqual(refused.id, mafianet.ATTEMPT_FAILED)
        self.wait_for(player, mafianet.DISCONNECTION)
        self.crowd.until("the end", lambda: self.usher.process.poll() is not None)
        self.assertEqual(self.usher.process.returncode, 0)

    def tearDown(self) -> None:
        self.crowd.close()
