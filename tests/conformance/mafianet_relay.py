"""A bad road: a UDP relay that drops, doubles and delays datagrams, the same ones for the same seed.

Clients speak to its address. Each gets an endpoint of its own towards the server, so that the server sees as
many peers as there are.
"""

from __future__ import annotations

import heapq
import random
import socket
from typing import Dict, List, Tuple

from mafianet_bytes import Address
from mafianet_crowd import Crowd, endpoint

# How much later than it should a datagram comes that is overtaken by others.
LATE = (0.005, 0.060)


class Relay:
    """Between any number of clients and one server."""

    def __init__(
        self,
        crowd: Crowd,
        server: Address,
        seed: int = 1,
        drop: float = 0.1,
        double: float = 0.1,
        delay: float = 0.1,
    ) -> None:
        self.crowd = crowd
        self.server = server
        self.drop, self.double, self.delay = drop, double, delay
        self.dropped = self.doubled = self.delayed = self.passed = 0
        self._random = random.Random(seed)
        self._public = endpoint()
        self._towards: Dict[Address, socket.socket] = {}
        self._late: List[Tuple[float, int, socket.socket, Address, bytes]] = []
        self._count = 0
        crowd.listen(self._public, self._from_client)
        crowd.join(self)

    @property
    def address(self) -> Address:
        return self._public.getsockname()

    def towards(self, client: Address) -> int:
        """The port from which the server hears of this client."""
        return self._towards[client].getsockname()[1]

    def _from_client(self, data: bytes, client: Address, now: float) -> None:
        if client not in self._towards:
            one = endpoint()
            self._towards[client] = one
            self.crowd.listen(one, lambda data, _, now: self._pass(self._public, client, data, now))
        self._pass(self._towards[client], self.server, data, now)

    def _pass(self, through: socket.socket, to: Address, data: bytes, now: float) -> None:
        if self._random.random() < self.drop:
            self.dropped += 1
            return
        copies = 1
        if self._random.random() < self.double:
            self.doubled += 1
            copies = 2
        for _ in range(copies):
            if self._random.random() < self.delay:
                self.delayed += 1
                self._count += 1
                at = now + self._random.uniform(*LATE)
                heapq.heappush(self._late, (at, self._count, through, to, data))
            else:
                self._send(through, to, data)

    def tick(self, now: float) -> None:
        while self._late and self._late[0][0] <= now:
            _, _, through, to, data = heapq.heappop(self._late)
            self._send(through, to, data)

    def _send(self, through: socket.socket, to: Address, data: bytes) -> None:
        self.passed += 1
        try:
            through.sendto(data, to)
        except OSError:
            self.dropped += 1

    def close(self) -> None:
        self.crowd.leave(self)
        for one in [self._public, *self._towards.values()]:
            self.crowd.deafen(one)
            one.close()
