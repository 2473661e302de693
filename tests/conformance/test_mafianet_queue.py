"""The pool and the queue: who may wait, who is counted, who gets the seat, and what they read meanwhile."""

from __future__ import annotations

import re
import unittest
from typing import Any, Dict, List

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_case import A_MOMENT, LATER, ApartCase, HostCase
from mafianet_client import AFTER_ACCEPTED, AFTER_INCOMING, AFTER_REPLY_2, WAITING, Client
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


class Pool(ApartCase):
    settings = {"max_players": 2, "max_pending": 4, "per_address": 3}

    def local(self, number: int) -> tuple:
        return f"127.0.1.{number}", 0

    def test_the_pool_takes_so_many_and_no_more(self) -> None:
        waiting = [self.waiting(local=self.local(number)) for number in range(1, 5)]
        late = self.client(b"wait:", local=self.local(9))
        self.assertEqual(self.wait_for_end(late).id, mafianet.NO_FREE_CONNECTIONS)
        self.assertEqual((self.pending(), self.asked(late.port)), (4, 0))
        self.leave(waiting[0])
        self.wait_for_pending(3)
        self.waiting(local=self.local(9))

    def test_one_address_has_its_share_and_no_more(self) -> None:
        first = [self.waiting() for _ in range(3)]
        late = self.client(b"wait:")
        self.assertEqual(self.wait_for_end(late).id, mafianet.NO_FREE_CONNECTIONS)
        self.waiting(local=self.local(1))
        self.leave(first[0])
        self.wait_for_pending(3)
        self.waiting()

    def test_the_share_is_of_an_address_whatever_the_port(self) -> None:
        for number in range(3):
            self.opened(bytes([number + 1]) * 8)
        late = self.client(b"wait:")
        self.assertEqual(self.wait_for_end(late).id, mafianet.NO_FREE_CONNECTIONS)

    def test_every_stage_of_the_handshake_is_pending_and_none_is_a_player(self) -> None:
        stages = {
            "unverified": AFTER_REPLY_2,
            "handling": AFTER_ACCEPTED,
            "exchanging": AFTER_INCOMING,
            "pending": None,
        }
        for stage, stop_after in stages.items():
            with self.subTest(stage):
                client = self.client(b"wait:", stop_after=stop_after)
                self.until("its stage", lambda stage=stage: self.peers()[stage] == 1)
                self.assertEqual((self.pending(), self.players()), (1, 0))
                self.assertEqual(self.peers()["connected"], 0)
                if stop_after == AFTER_REPLY_2:
                    request = mafianet.connection_request(client.guid, 1)
                    client.link.send(request, raknet.RELIABLE)
                self.leave(client)
                self.wait_for_pending(0)

    def peers(self) -> Dict[str, int]:
        """Where the door's peers stand."""
        return self.usher.status()["doors"][0]["peers"]

    def test_a_waiting_request_is_shown_as_pending_and_as_no_session(self) -> None:
        client = self.waiting()
        status = self.usher.status()
        (request,) = status["requests"]
        self.assertEqual(request["address"], f"127.0.0.1:{client.port}")
        self.assertEqual((status["sessions"], status["players"]["connected"]), ([], 0))

    def test_a_handshake_may_start_while_the_server_is_full(self) -> None:
        players = [self.joined(local=self.local(number)) for number in (1, 2)]
        client = self.client(b"queue")
        self.wait_for(client, mafianet.SESSION_STATUS)
        self.assertEqual((self.pending(), self.players()), (1, 2))
        self.leave(players[0])
        self.wait_for(client, mafianet.ACCEPTED)

    def test_a_full_server_and_a_full_pool_are_held_at_once(self) -> None:
        players = [self.joined(local=self.local(number)) for number in (1, 2)]
        waiting = [self.waiting(b"queue", local=self.local(number)) for number in (3, 4, 5, 6)]
        self.assertEqual((self.players(), self.pending()), (2, 4))
        self.leave(*players)
        for client in waiting[:2]:
            self.wait_for(client, mafianet.ACCEPTED)
        self.assertEqual((self.players(), self.pending()), (2, 2))

    def test_a_pool_full_of_waiters_leaves_players_and_seats_alone(self) -> None:
        player = self.joined(local=self.local(1))
        for number in range(4):
            self.client(b"wait:", local=self.local(number + 2), stop_after=AFTER_INCOMING)
        self.wait_for_pending(4)
        player.send(b"\x87still here")
        self.crowd.until("the echo", lambda: player.heard() == [b"\x87still here"])
        self.assertEqual(self.players(), 1)

    def test_an_acceptance_past_the_limit_becomes_a_refusal_without_a_reason(self) -> None:
        for number in (1, 2):
            self.joined(local=self.local(number))
        client = self.client(b"accept:too many")
        report = self.wait_for_end(client)
        self.assertEqual((report.id, report.text), (mafianet.ATTEMPT_FAILED, b""))
        self.assertEqual(self.players(), 2)
        self.wait_for_ending(client.port, "rejected server-full")

    def test_a_policy_that_looks_first_can_give_its_own_reason(self) -> None:
        for number in (1, 2):
            self.joined(local=self.local(number))
        report = self.wait_for_end(self.client(b"reject:Come back tomorrow."))
        self.assertEqual(report.text, b"Come back tomorrow.")

    def test_a_request_refused_on_arrival_frees_its_place_at_once(self) -> None:
        for number in range(12):
            report = self.wait_for_end(self.client(b"reject:no"))
            self.assertEqual(report.text, b"no", f"client {number}")
            self.wait_for_pending(0)


class FullReason(HostCase):
    settings = {"max_players": 1, "door": 'full-reason = "Every seat is taken."'}

    def test_an_acceptance_past_the_limit_says_what_the_operator_wrote(self) -> None:
        self.joined()
        report = self.wait_for_end(self.client(b"accept:too many"))
        self.assertEqual((report.id, report.text), (0x11, b"Every seat is taken."))


class WithoutAPool(HostCase):
    settings = {"max_players": 2, "max_pending": 0}

    def test_who_waits_takes_a_seat(self) -> None:
        self.joined()
        waiting = self.waiting()
        late = self.client()
        self.assertEqual(self.wait_for_end(late).id, mafianet.NO_FREE_CONNECTIONS)
        self.leave(waiting)
        self.until("the seat", lambda: self.usher.status()["ledger"]["claims"] <= 2)
        self.joined()


class Race(HostCase):
    settings = {"max_players": 1, "max_pending": 64}

    def test_fifty_acceptances_for_one_seat_are_one_player_and_49_refusals(self) -> None:
        clients = [self.client(b"accept:in") for _ in range(50)]
        self.crowd.until(
            "fifty answers", lambda: all(one.report(0x10, 0x11) for one in clients), LATER
        )
        said = [one.report(0x10, 0x11) for one in clients]
        self.assertEqual(sum(one.id == mafianet.ACCEPTED for one in said), 1)
        self.assertEqual({one.text for one in said if one.id == 0x11}, {b""})
        self.assertEqual(self.players(), 1)


class Queue(ApartCase):
    """Two seats; whoever finds none waits in line. A status goes out every second."""

    settings = {"max_players": 2, "max_pending": 32, "queue_grace": "0s"}

    def full(self) -> List[Client]:
        return [self.joined(b"queue") for _ in range(2)]

    def line(self, count: int) -> List[Client]:
        """So many in the queue, one after the other."""
        return [self.waiting(b"queue", session_timeout=3) for _ in range(count)]

    def reads(self, client: Client, line: bytes) -> bool:
        return bool(client.statuses()) and client.statuses()[-1] == line

    def test_everyone_reads_its_place_and_how_many_wait(self) -> None:
        self.full()
        line = self.line(4)
        self.crowd.until(
            "the places",
            lambda: all(
                self.reads(client, b"You are %d of 4 in the queue" % place)
                for place, client in enumerate(line, 1)
            ),
        )

    def test_first_come_first_served(self) -> None:
        players = self.full()
        line = self.line(4)
        for place, client in enumerate(line, 1):
            self.assertEqual(client.state, WAITING)
            self.leave(players.pop(0))
            self.wait_for(client, mafianet.ACCEPTED)
            players.append(client)
            self.assertEqual({one.state for one in line[place:]}, {WAITING} if line[place:] else set())

    def test_when_one_gives_up_everyone_behind_moves_up(self) -> None:
        self.full()
        line = self.line(5)
        self.leave(line[1], line[3])
        rest = [line[0], line[2], line[4]]
        self.crowd.until(
            "the new places",
            lambda: all(
                self.reads(client, b"You are %d of 3 in the queue" % place)
                for place, client in enumerate(rest, 1)
            ),
        )

    def test_one_that_vanished_does_not_hold_up_the_line(self) -> None:
        players = self.full()
        line = self.line(3)
        self.vanish(line[0])
        self.crowd.until(
            "the new place", lambda: self.reads(line[1], b"You are 1 of 2 in the queue"), 8
        )
        self.leave(players[0])
        self.wait_for(line[1], mafianet.ACCEPTED)

    def test_the_middle_ten_of_thirty_vanish_and_the_rest_move_up_in_order(self) -> None:
        players = self.full()
        line = self.line(30)
        for client in line[10:20]:
            self.vanish(client)
        rest = line[:10] + line[20:]
        self.crowd.until(
            "the new places",
            lambda: all(
                self.reads(client, b"You are %d of 20 in the queue" % place)
                for place, client in enumerate(rest, 1)
            ),
            8,
        )
        # And the tenth seat from now on goes to who was twenty-first.
        for client in rest[:11]:
            self.leave(players.pop(0))
            self.wait_for(client, mafianet.ACCEPTED)
            players.append(client)

    def test_two_seats_at_once_take_the_first_two_and_refuse_nobody(self) -> None:
        players = self.full()
        line = self.line(4)
        self.leave(*players)
        self.wait_for(line[0], mafianet.ACCEPTED)
        self.wait_for(line[1], mafianet.ACCEPTED)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual([one.state for one in line[2:]], [WAITING, WAITING])
        self.assertEqual((self.players(), self.pending()), (2, 2))

    def test_a_newcomer_does_not_overtake_who_waits(self) -> None:
        players = self.full()
        first = self.line(1)[0]
        self.leave(players[0])
        late = self.client(b"queue")
        self.wait_for(first, mafianet.ACCEPTED)
        self.wait_for(late, mafianet.SESSION_STATUS)
        self.assertIsNone(late.report(mafianet.ACCEPTED))

    def test_status_keeps_both_ends_waiting_far_beyond_their_timeouts(self) -> None:
        self.full()
        client = self.waiting(b"queue", session_timeout=2)
        self.crowd.pass_time(5)
        self.assertEqual((client.state, self.pending()), (WAITING, 1))
        self.assertGreaterEqual(len(client.statuses()), 5)

    def test_a_status_is_read_by_nobody_but_who_waits(self) -> None:
        player, _ = self.full()
        self.line(2)
        player.send(b"\x87hello")
        self.crowd.until("the echo", lambda: player.received)
        self.crowd.pass_time(1.2)
        self.assertEqual((player.heard(), player.statuses()), ([b"\x87hello"], []))

    def test_every_line_is_a_place_in_the_queue(self) -> None:
        self.full()
        client = self.waiting(b"queue")
        self.crowd.until("some lines", lambda: len(client.statuses()) >= 3, LATER)
        for line in client.statuses()[1:]:
            self.assertTrue(re.fullmatch(rb"You are 1 of 1 in the queue", line), line)

    def test_a_closed_room_keeps_them_waiting_until_it_opens(self) -> None:
        player, other = self.full()
        client = self.line(1)[0]
        player.send(b"\x87close:not now")
        self.until("the room to close", lambda: "heard 14 bytes" in self.usher.log())
        self.leave(other)
        self.wait_for_players(1)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual(client.state, WAITING)
        player.send(b"\x87open")
        self.wait_for(client, mafianet.ACCEPTED)


class ShippedQueue(ApartCase):
    """The queue that ships with the host. The payload says who someone is."""

    settings = {
        "max_players": 3,
        "door": 'policies = ["line"]',
        "more": '[[policy]]\nname = "line"\nmodule = "builtin:queue"\n'
        'params = { vip = ["Zed", "Kim"], reserved = 1 }\n',
    }

    def test_the_last_seat_is_taken_by_none_but_whom_it_is_kept_for(self) -> None:
        ordinary = [self.joined(b"R1"), self.joined(b"R2")]
        waiting = [self.waiting(b"R3"), self.waiting(b"R4")]
        reserved = self.joined(b"Zed")
        self.assertEqual((self.players(), self.pending()), (3, 2))
        # The reserved seat is free again, and still none of the ordinary ones may have it.
        self.leave(reserved)
        self.crowd.pass_time(A_MOMENT)
        self.assertEqual([one.state for one in waiting], [WAITING, WAITING])
        self.leave(ordinary[0])
        self.wait_for(waiting[0], mafianet.ACCEPTED)
        self.assertEqual(waiting[1].state, WAITING)

    def test_who_comes_first_by_name_goes_first_and_all_read_their_place(self) -> None:
        players = [self.joined(b"R1"), self.joined(b"R2"), self.joined(b"Zed")]
        ordinary = [self.waiting(b"R3"), self.waiting(b"R4")]
        late = self.waiting(b"Kim")
        places = {late: 1, ordinary[0]: 2, ordinary[1]: 3}
        self.crowd.until(
            "their places",
            lambda: all(
                one.statuses()[-1] == b"You are %d of 3 in the queue" % place
                for one, place in places.items()
            ),
        )
        self.leave(players[0])
        self.wait_for(late, mafianet.ACCEPTED)
        self.assertEqual([one.state for one in ordinary], [WAITING, WAITING])
