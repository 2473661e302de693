"""Whoever sends too much, reads too little, or comes too often at a `websocket` door: it costs nobody else."""

from __future__ import annotations

import threading
import time
import unittest
from pathlib import Path
from typing import Any, List

from together import Together
from websocket_case import SOON, ApartCase, ws
from websocket_client import Client


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


class Rates(ApartCase):
    settings = {"door": "messages-per-second = 50\nbytes-per-second = 100000"}

    def flood(self, client: Client, data: bytes, times: int) -> None:
        try:
            for _ in range(times):
                client.socket.sendall(data)
        except OSError:
            pass

    def test_as_many_messages_as_may_be_are_no_flood(self) -> None:
        client = self.joined()
        said = [b"\x01%d" % number for number in range(50)]
        client.socket.sendall(b"".join(ws.encode(ws.BINARY, one) for one in said))
        self.assertEqual([client.message(SOON) for _ in said], said)

    def test_more_messages_than_allowed_end_the_session(self) -> None:
        client, other = self.joined(), self.joined()
        self.flood(client, ws.encode(ws.BINARY, b"\x01x"), 200)
        self.ended(client, "too-fast", 1008)
        self.echoes(other, b"\x01still here")

    def test_pings_count(self) -> None:
        for come in (self.joined, self.waiting):
            client = come()
            self.flood(client, ws.encode(ws.PING, b"x"), 200)
            # Its answers to pings come before the end.
            while True:
                frame = client.frame(SOON)
                if frame is None or frame.opcode == ws.CLOSE:
                    break
            self.assertIsNotNone(frame)
            self.assertEqual(frame.close_code, 1008)

    def test_more_bytes_than_allowed_end_the_session(self) -> None:
        client = self.joined()
        self.flood(client, ws.encode(ws.BINARY, b"\x01" * 30_000), 10)
        self.ended(client, "too-fast", 1008)

    def test_frames_that_never_become_a_message_count(self) -> None:
        for come in (self.joined, self.waiting):
            client = come()
            client.send(ws.BINARY, b"\x01", fin=False)
            self.flood(client, ws.encode(ws.CONTINUATION, b"", fin=False) * 1000, 40)
            self.ended(client, "too-fast", 1008)

    def test_a_long_first_message_is_no_flood(self) -> None:
        client = self.joined("accept:" + "x" * 60_000)
        self.echoes(client, b"\x01" * 30_000)


class Busy(ApartCase):
    """A player faster than the rules."""

    COUNT = 20_000
    settings = {
        "door": "messages-per-second = 1000000\nbytes-per-second = 100000000\nwrite-buffer = 67108864"
    }

    def test_rules_that_cannot_keep_up_slow_the_player_down_and_nothing_is_lost(self) -> None:
        client = self.joined()
        said = [b"\x01%d" % number for number in range(self.COUNT)]
        data = b"".join(ws.encode(ws.BINARY, one) for one in said)
        sending = threading.Thread(target=client.socket.sendall, args=(data,), daemon=True)
        # Its timeout is the socket's, and the reader below sets that.
        sending.start()
        heard = [client.message(60) for _ in said]
        sending.join()
        self.assertEqual(heard, said)
        self.assertEqual(self.metric("usher_messages_dropped_total"), 0)


class Slow(ApartCase):
    settings = {"door": "write-buffer = 65536", "max_players": 4}

    def test_who_does_not_read_is_ended_and_nobody_else_waits_for_it(self) -> None:
        slow = self.connection(receive_buffer=4096).open().say("accept:")
        self.wait_for_players(1)
        other = self.joined()
        began = time.monotonic()
        while self.usher.status()["players"]["connected"] == 2:
            other.say(b"\x01shout:" + b"x" * 60_000)
            self.assertEqual(len(other.message(SOON)), 60_001)
            self.assertLess(time.monotonic() - began, 30, "it is ended")
            time.sleep(0.3)
        self.echoes(other, b"\x01still here")
        self.assertGreater(self.metric('usher_sessions_ended_total{door="web",cause="closed"}'), 0)
        slow.close()


class ManySlow(ApartCase):
    """Players that take nothing and act in concert."""

    COUNT = 30
    settings = {
        "door": "messages-per-second = 100000\nbytes-per-second = 100000000\nwrite-buffer = 65536",
        "max_players": COUNT + 1,
    }

    def test_many_who_do_not_read_hold_up_nobody_for_long(self) -> None:
        for _ in range(self.COUNT):
            self.connection(receive_buffer=4096).open().say("accept:")
        self.wait_for_players(self.COUNT)
        other = self.joined()
        began = time.monotonic()
        while self.usher.status()["players"]["connected"] > 1:
            other.say(b"\x01shout:" + b"x" * 60_000)
            # If the rules waited as long for each as they may for one, it would come only when all of them are
            # given up because nothing got out for 5 s.
            self.assertEqual(len(other.message(3)), 60_001)
            self.assertLess(time.monotonic() - began, 60, "they are ended")
        self.echoes(other, b"\x01still here")


class Burst(ApartCase):
    """Rules that say more at once than may wait for one player."""

    PLAYERS = 10
    EACH = 100
    LENGTH = 1000
    settings = {
        "door": "messages-per-second = 100000\nbytes-per-second = 100000000\nwrite-buffer = 65536",
        "max_players": PLAYERS,
    }

    def test_players_that_read_hear_all_of_it_and_none_is_ended(self) -> None:
        clients = [self.joined() for _ in range(self.PLAYERS)]
        said = ws.encode(ws.BINARY, b"\x01shout:" + b"x" * self.LENGTH) * self.EACH
        # The id, and four bytes of a frame around it.
        expected = self.PLAYERS * self.EACH * (self.LENGTH + 1 + 4)
        heard = {client: 0 for client in clients}

        def listen(client: Client) -> None:
            client.socket.settimeout(60)
            while heard[client] < expected:
                more = len(client.socket.recv(1 << 20))
                if more == 0:
                    return
                heard[client] += more

        def each(what: Any, *more: Any) -> List[threading.Thread]:
            threads = [threading.Thread(target=what, args=(one, *more), daemon=True) for one in clients]
            for thread in threads:
                thread.start()
            return threads

        listening = each(listen)
        speaking = each(lambda client: client.socket.sendall(said))
        for thread in speaking + listening:
            thread.join()
        self.assertEqual(list(heard.values()), [expected] * self.PLAYERS)
        self.assertEqual(self.usher.status()["players"]["connected"], self.PLAYERS)
        self.assertEqual(self.metric("usher_messages_dropped_total"), 0)


class Crowd(ApartCase):
    """More connections than may be there without a word."""

    settings = {"door": 'first-message-timeout = "1m"', "max_pending": 16}

    def test_the_oldest_of_those_who_say_nothing_make_room(self) -> None:
        player, waiter = self.joined(), self.waiting()
        silent: List[Client] = [self.opened() if number % 2 else self.connection() for number in range(1100)]
        self.wait_for_peers("stranger", 1024, 20)
        for client in silent[:76]:
            client.end(SOON)
        # The youngest are still there.
        for client in (silent[-1], silent[-101]):
            client.say("accept:")
            self.accepted(client)
        self.echoes(player, b"\x01still here")
        waiter.leave()

    def test_an_address_that_takes_all_places_makes_room_itself(self) -> None:
        quiet = self.connection(local="127.0.0.9").open()
        half = self.connection(local="127.0.0.9")
        for _ in range(1100):
            self.connection()
        self.wait_for_peers("stranger", 1024, 20)
        quiet.say("accept:")
        self.accepted(quiet)
        half.open().say("accept:")
        self.accepted(half)

    def test_what_they_begin_to_say_is_bounded(self) -> None:
        before = self.memory()
        for _ in range(1000):
            client = self.opened()
            client.socket.sendall(ws.encode(ws.BINARY, b"x" * 60_000, claims=65_536))
        self.wait_for_peers("stranger", 1000, 20)
        grown = self.memory() - before
        self.assertLess(grown, 1024 * (65_536 + 40_000), "a message each, and what a connection needs")

    def memory(self) -> int:
        """What the host occupies, in bytes."""
        text = Path(f"/proc/{self.usher.process.pid}/status").read_text()
        line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024


if __name__ == "__main__":
    unittest.main()
