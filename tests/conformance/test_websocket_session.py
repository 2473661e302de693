"""The life of a guest of a `websocket` door: deciding, waiting, playing, leaving in every phase."""

from __future__ import annotations

import base64
import signal
import socket
import struct
import time
import unittest
from typing import Any, Callable

import usher
from together import Together
from websocket_case import A_MOMENT, SOON, ApartCase, HostCase, ws
from websocket_client import Client, Silence


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


def reset(client: Client) -> None:
    """Breaks the connection off, as a crash does."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()


class Answers(HostCase):
    settings = {"max_players": 2}

    def test_an_acceptance_says_who_and_where(self) -> None:
        told = self.accepted(self.coming("accept:a config", "/?name=R9"))
        self.assertGreater(told.pop("session"), 0)
        self.assertEqual(
            told, {"type": "accepted", "name": "R9", "room": "main", "config": "a config"}
        )

    def test_a_config_that_is_no_text_comes_in_base64(self) -> None:
        told = self.accepted(self.coming("config:300"))
        self.assertNotIn("config", told)
        self.assertEqual(
            base64.b64decode(told["configBase64"]), bytes(number % 251 for number in range(300))
        )

    def test_a_rejection_has_a_code_and_a_sentence(self) -> None:
        told = self.rejected(self.coming("reject:Nicht heute, “R9”."))
        self.assertEqual(
            told, {"type": "rejected", "code": "told-to", "text": "Nicht heute, “R9”."}
        )

    def test_an_empty_reason_is_empty(self) -> None:
        self.assertEqual(self.rejected(self.coming("reason:0"))["text"], "")

    def test_a_long_reason_comes_whole(self) -> None:
        told = self.rejected(self.coming("reason:1000"))
        self.assertEqual(told["text"], "r" * 1000)

    def test_a_status_says_what_the_policy_says(self) -> None:
        client = self.coming("wait:Bitte warten …")
        self.assertEqual(
            client.told(SOON), {"type": "status", "text": "Bitte warten …", "position": 1}
        )

    def test_the_policy_sees_what_the_door_can_do(self) -> None:
        told = self.accepted(self.coming("seen"))
        self.assertIn("protocol websocket\nproven true\n", told["config"])
        self.assertIn("status true\nreasons true", told["config"])

    def test_whoever_finds_no_seat_is_told(self) -> None:
        first, second = self.joined("accept:"), self.joined("accept:")
        told = self.rejected(self.coming("accept:"))
        self.assertEqual((told["code"], told["text"]), ("server-full", "The server is full."))
        first.leave()
        second.leave()

    def test_a_policy_that_faults_lets_nobody_in(self) -> None:
        self.assertEqual(self.rejected(self.coming("trap"))["code"], "policy-fault")

    def test_the_first_word_may_come_before_the_rules_know_of_the_player(self) -> None:
        for _ in range(20):
            client = self.opened()
            # Whoever plays has to be told first; this is as early as it can be.
            client.say("accept:")
            self.accepted(client)
            client.send(ws.BINARY, b"\x01first")
            self.assertEqual(client.message(SOON), b"\x01first")
            client.leave()

    def test_players_hear_one_another(self) -> None:
        one, other = self.joined(), self.joined()
        # Who is let in is told so at once; the rules know of it a moment later.
        self.echoes(other, b"\x01here")
        one.say(b"\x01shout:hear me")
        self.assertEqual(one.message(SOON), b"\x01hear me")
        self.assertEqual(other.message(SOON), b"\x01hear me")

    def test_who_is_kicked_is_told_why(self) -> None:
        client = self.joined()
        client.say(b"\x01kick:No cheating.")
        told = self.ended(client, "kicked", 4001)
        self.assertEqual((told["code"], told["text"]), ("told-to", "No cheating."))


class Room(ApartCase):
    def test_a_closed_room_takes_nobody(self) -> None:
        inside = self.joined()
        inside.say(b"\x01close:The round has begun.")
        self.echoes(inside, b"\x01closed")
        told = self.rejected(self.coming("accept:"))
        self.assertEqual(told["text"], "The round has begun.")
        inside.say(b"\x01open")
        self.echoes(inside, b"\x01opened")
        self.joined("accept:").leave()


class Leaving(HostCase):
    """In every phase, in every way. Every test ends with nothing held for anyone."""

    settings = {"door": 'first-message-timeout = "30s"', "deadline": "3s"}

    WAYS: "dict[str, Callable[[Client], None]]" = {
        "says goodbye": lambda client: client.leave(),
        "says goodbye without a code": lambda client: client.leave(None),
        "closes its page": lambda client: client.leave(1001),
        "closes the connection": Client.close,
        "breaks the connection off": reset,
    }

    def everyone(self, come: Callable[[], Client]) -> None:
        for way, go in self.WAYS.items():
            with self.subTest(way):
                go(come())
                self.until("nothing to be left", lambda: not self.usher.left_over(), 15)

    def test_before_the_handshake(self) -> None:
        for go in (Client.close, reset):
            go(self.connection())
        half = self.connection()
        half.socket.sendall(b"GET / HTTP/1.1\r\nHost:")
        reset(half)

    def test_before_the_first_message(self) -> None:
        self.everyone(self.opened)

    def test_within_the_first_message(self) -> None:
        def come() -> Client:
            client = self.opened()
            client.send(ws.BINARY, b"accept:", fin=False)
            return client

        self.everyone(come)

    def test_while_it_is_decided_about(self) -> None:
        def come() -> Client:
            client = self.coming("slow")
            self.wait_for_pending(1)
            return client

        self.everyone(come)

    def test_while_it_waits(self) -> None:
        self.everyone(self.waiting)

    def test_at_the_moment_of_its_acceptance(self) -> None:
        self.everyone(lambda: self.coming("accept:"))

    def test_in_the_game(self) -> None:
        self.everyone(self.joined)

    def test_with_words_under_way(self) -> None:
        def come() -> Client:
            client = self.joined()
            client.socket.sendall(b"".join(ws.encode(ws.BINARY, b"\x01give:5000") for _ in range(20)))
            return client

        self.everyone(come)

    def test_while_it_is_told_no(self) -> None:
        for go in (Client.close, reset):
            go(self.coming("reject:no"))

    def test_the_policy_hears_how_it_went(self) -> None:
        client = self.waiting()
        client.leave()
        self.wait_for_ending(client.port, "abandoned cancelled")
        for go in (lambda one: one.leave(1001), Client.close, reset):
            client = self.waiting()
            go(client)
            self.wait_for_ending(client.port, "abandoned dropped")

    def test_what_was_said_before_a_goodbye_is_heard_before_it(self) -> None:
        client = self.joined()
        client.socket.sendall(
            ws.encode(ws.BINARY, b"\x01" + b"x" * 776) + ws.encode(ws.CLOSE, ws.close(1000))
        )
        self.until("the rules to hear it", lambda: "heard 777 bytes" in self.usher.log())


class Queue(ApartCase):
    settings = {"max_players": 1, "status_interval": "1s", "queue_grace": "10s"}

    def test_who_waits_is_told_its_place_again_and_again_until_it_is_in(self) -> None:
        first = self.joined("queue")
        second, third = self.coming("queue"), self.coming("queue")
        for client, place in ((second, 1), (third, 2)):
            for _ in range(3):
                told = client.told(SOON)
                self.assertEqual((told["type"], told["position"]), ("status", place))
        self.assertEqual(third.told(SOON)["text"], "You are 2 of 2 in the queue")
        first.leave()
        self.accepted(second)
        while third.told(SOON).get("position") != 1:
            pass
        second.leave()
        self.accepted(third)

    def test_a_page_that_is_reloaded_keeps_its_place(self) -> None:
        first = self.joined("queue")
        ada, bob = self.coming("name:ada"), None
        self.assertEqual(ada.told(SOON)["position"], 1)
        bob = self.coming("name:bob")
        self.assertEqual(bob.told(SOON)["position"], 2)
        ada.leave(1001)
        again = self.coming("name:ada")
        self.assertEqual(again.told(SOON)["position"], 1)
        again.leave(1000)
        self.until("bob to move up", lambda: bob.told(SOON).get("position") == 1)
        first.leave()
        self.accepted(bob)

    def test_who_vanishes_from_the_game_gives_the_seat_to_the_next(self) -> None:
        first, second = self.joined("queue"), self.coming("queue")
        self.assertEqual(second.told(SOON)["type"], "status")
        reset(first)
        self.accepted(second)


class Takeover(ApartCase):
    settings = {"limits": 'duplicate-identity = "take-over"', "queue_grace": "1s"}

    def test_who_comes_in_again_ends_the_old_session(self) -> None:
        old = self.joined("name:ada")
        new = self.joined("name:ada")
        self.ended(old, "taken-over", 4002)
        self.echoes(new, b"\x01here")


class Full(ApartCase):
    settings = {"max_pending": 2}

    def test_there_is_a_place_for_as_many_as_may_be_pending(self) -> None:
        first, _ = self.waiting(), self.waiting()
        self.assertEqual(self.rejected(self.coming("accept:"))["code"], "pool-full")
        first.leave()
        self.wait_for_pending(1)
        self.joined("accept:").leave()


class Drain(ApartCase):
    settings = {"door": 'first-message-timeout = "30s"', "deadline": "3s"}

    def tearDown(self) -> None:
        # The host has stopped, so nothing is left.
        for client in self.clients:
            client.close()

    def test_everyone_is_told_that_the_host_stops(self) -> None:
        player, waiter, silent = self.joined(), self.waiting(), self.opened()
        deciding = self.coming("slow")
        self.wait_for_pending(2)
        self.usher.process.send_signal(signal.SIGTERM)
        self.ended(player, "shutdown", 1001)
        for pending in (waiter, deciding):
            self.assertEqual(self.rejected(pending)["code"], "shutting-down")
        silent.end(SOON)
        self.assertEqual(self.usher.process.wait(usher.PATIENCE), 0)
        self.assertNotIn("panicked", self.usher.log())


class Pings(ApartCase):
    settings = {"door": 'ping-interval = "300ms"\nping-timeout = "1s"'}

    def test_who_answers_stays(self) -> None:
        waiting, playing = self.waiting(), self.joined()
        deadline = time.monotonic() + 2.5
        while time.monotonic() < deadline:
            for client in (waiting, playing):
                try:
                    client.frame(0.05)
                except Silence:
                    pass
        for client in (waiting, playing):
            self.assertGreater(sum(frame.opcode == ws.PING for frame in client.frames), 2)
        self.echoes(playing, b"\x01still here")

    def test_who_does_not_is_ended(self) -> None:
        for come in (self.waiting, self.joined):
            client = come()
            client.answers_pings = False
            began = time.monotonic()
            self.ended(client, "ping-timeout", 4003)
            self.assertGreater(time.monotonic() - began, 1.0)
            self.until("nothing to be left", lambda: not self.usher.left_over())

    def test_any_word_counts(self) -> None:
        client = self.joined()
        client.answers_pings = False
        for _ in range(12):
            self.echoes(client, b"\x01here")
            time.sleep(0.2)


class Timeouts(ApartCase):
    settings = {
        "decision_timeout": "4s",
        "session_timeout": "3s",
        "status_interval": "1s",
        "deadline": "4s",
    }

    def test_who_is_decided_about_is_told_so_until_that_took_too_long(self) -> None:
        client = self.coming("slow")
        for _ in range(2):
            self.assertNotIn("position", client.told(SOON))
        # Whichever of the two limits is reached first.
        self.assertIn(self.rejected(client)["code"], ("approval-timeout", "policy-fault"))


if __name__ == "__main__":
    unittest.main()
