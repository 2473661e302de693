"""Who knocks starves nobody who is in. These run alone: a flood would make other tests late."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import List

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_case import LATER, HostCase
from mafianet_client import Client
from mafianet_crowd import Raw


class Floods(HostCase):
    settings = {"connection_timeout": "10s", "max_pending": 32}

    def echo_times(self, player: Client, seconds: float) -> List[float]:
        times: List[float] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start, before = time.monotonic(), len(player.received)
            player.send(b"\x87tick", raknet.RELIABLE, 0)
            self.crowd.until("the echo", lambda: len(player.received) > before, LATER)
            times.append(time.monotonic() - start)
            self.crowd.pass_time(0.01)
        return sorted(times)

    def test_a_flood_of_knocks_does_not_starve_a_player(self) -> None:
        player, neighbour = self.joined(), self.waiting()
        flood = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("mafianet_flood.py")),
                "127.0.0.1",
                str(self.usher.udp_port),
                "8000",
                "3",
            ],
            stdout=subprocess.PIPE,
        )
        try:
            times = self.echo_times(player, 3)
            said, _ = flood.communicate(timeout=20)
        finally:
            flood.kill()
        self.assertGreater(int(said), 5000)
        self.assertGreater(len(times), 20)
        # On a machine that the flood itself keeps busy; upstream freezes for as long as it lasts.
        self.assertLess(times[len(times) // 2], 0.2)
        self.assertEqual(self.pending(), 1)
        self.assertIsNone(neighbour.report(mafianet.ATTEMPT_FAILED))
        self.leave(self.joined())

    def test_open_requests_without_the_cookie_fill_no_pool(self) -> None:
        raw = self.raw()
        for number in range(500):
            guid = number.to_bytes(8, "big")
            raw.say(mafianet.OpenRequest2(raw.server, 1400, guid).encode())
            cookie = number.to_bytes(4, "big")
            raw.say(mafianet.OpenRequest2(raw.server, 1400, guid, cookie).encode())
            self.crowd.step(0)
        other = Raw(self.crowd, self.address)
        for number in range(500):
            other.say(mafianet.OpenRequest2(raw.server, 1400, bytes(7) + b"\x01").encode())
            self.crowd.step(0)
        self.assertEqual(self.pending(), 0)
        self.joined()
