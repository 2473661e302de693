"""What every test of an `rtyp` client needs: a scripted server, and `usher join` to run against it."""

from __future__ import annotations

import socket
import unittest
from typing import Any

import rtyp_bytes as rtyp
import rtyp_server
import usher
from rtyp_client import Address, Connection

# Exit statuses of `usher join`.
LEFT_IN_ORDER = 0
UNREACHABLE = 2
REJECTED = 3
NO_UDP = 4
SESSION_ENDED = 5
USAGE = 64


class JoinCase(unittest.TestCase):
    def setUp(self) -> None:
        usher.binary()
        self.server = self.keep(rtyp_server.Server())

    def keep(self, one: Any) -> Any:
        """Ends or closes it at the end of the test."""
        self.addCleanup(one.stop if hasattr(one, "stop") else one.close)
        return one

    def join(self, name: str = "R9") -> usher.Join:
        """A client on its way to the server."""
        host, port = self.server.address
        return self.keep(usher.Join(f"tcp://{host}:{port}", "--name", name))

    def connection(self, join: usher.Join) -> Connection:
        """The server's end of the client's connection."""
        try:
            return self.keep(self.server.accept(usher.PATIENCE))
        except Exception as error:
            join.stop()
            self.fail(f"{error}; it ended with {join.status()}: {join.output()}")

    def bound(self) -> tuple[usher.Join, Connection, Address]:
        """A client in the game, the server's end of its connection, and its endpoint."""
        # A new server each time: a client of before may have left datagrams at the old one.
        self.server = self.keep(rtyp_server.Server())
        join = self.join()
        tcp = self.connection(join)
        rtyp.parse_login_request(tcp.frame())
        tcp.send(self.server.accepted(player=2))
        _, endpoint = self.server.receive_kind(rtyp.CONNECT)
        self.server.send(endpoint, rtyp.ACCEPT)
        return join, tcp, endpoint

    def stranger(self, host: str = "127.0.0.1", port: int = 0) -> socket.socket:
        """A UDP socket that is not the server's; skips the test where there is no such address."""
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            one.bind((host, port))
        except OSError:
            one.close()
            self.skipTest(f"this machine cannot bind {host}:{port}")
        return self.keep(one)
