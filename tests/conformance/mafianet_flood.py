"""Sends open-connection datagrams at a server as fast as it is told: a process of its own, for tests.

    python3 mafianet_flood.py HOST PORT DATAGRAMS_A_SECOND SECONDS
"""

from __future__ import annotations

import secrets
import socket
import sys
import time

import mafianet_messages as mafianet

SOURCES = 64


def flood(server: tuple, pace: int, seconds: float) -> int:
    """Requests 1 and 2 by turns, from many ports, with cookies that are made up."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(SOURCES)]
    for one in sockets:
        one.setblocking(False)
    first = mafianet.open_request_1(548)
    sent, start = 0, time.monotonic()
    while True:
        now = time.monotonic() - start
        if now >= seconds:
            return sent
        while sent < now * pace:
            one = sockets[sent % SOURCES]
            second = mafianet.OpenRequest2(
                server, 1400, secrets.token_bytes(8), secrets.token_bytes(4)
            )
            try:
                one.sendto(first if sent % 2 else second.encode(), server)
            except BlockingIOError:
                pass
            sent += 1
        time.sleep(0.001)


if __name__ == "__main__":
    print(flood((sys.argv[1], int(sys.argv[2])), int(sys.argv[3]), float(sys.argv[4])))
