"""An `rtyp` server that does what its script says, for testing clients.

As a library it takes one client through whatever a test wants, bytes that no server may send included. As
a program it takes one client after the other, accepts everyone as player 0 and echoes what they send:

    python3 rtyp_server.py 4241
"""

from __future__ import annotations

import select
import socket
import sys
import time
from typing import Optional

import rtyp_bytes as rtyp
from rtyp_client import Address, Connection, Silence

TOKEN = 0xDEADBEEF


class Server:
    """A TCP port, a UDP port, and the numbers of one session."""

    def __init__(self, port: int = 0) -> None:
        self.listener = socket.create_server(("127.0.0.1", port))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.numbers = rtyp.Numbers()

    @property
    def address(self) -> Address:
        return self.listener.getsockname()

    @property
    def udp_port(self) -> int:
        return self.udp.getsockname()[1]

    def accept(self, timeout: float = 5) -> Connection:
        """The next TCP connection."""
        self.listener.settimeout(timeout)
        try:
            stream, _ = self.listener.accept()
        except socket.timeout:
            raise Silence(f"no connection within {timeout} s") from None
        stream.setblocking(True)
        return Connection(stream)

    def accepted(self, player: int = 0) -> bytes:
        """The LoginAccepted of this server's session."""
        return rtyp.login_accepted(TOKEN, player, self.udp_port)

    def receive(self, timeout: float = 5) -> tuple[rtyp.Datagram, Address]:
        """The next datagram and where it came from; notes its number."""
        self.udp.settimeout(timeout)
        try:
            data, source = self.udp.recvfrom(65536)
        except socket.timeout:
            raise Silence(f"no datagram within {timeout} s") from None
        datagram = rtyp.parse_datagram(data)
        self.numbers.note(datagram.sequence)
        return datagram, source

    def receive_kind(self, kind: int, timeout: float = 5) -> tuple[rtyp.Datagram, Address]:
        """The next datagram of this type, skipping others."""
        deadline = time.monotonic() + timeout
        while True:
            datagram, source = self.receive(max(deadline - time.monotonic(), 0.001))
            if datagram.kind == kind:
                return datagram, source

    def datagram(self, kind: int, payload: bytes = b"", **fields: int) -> bytes:
        """The session's next datagram, with any field replaced."""
        values = {
            "sequence": fields["sequence"] if "sequence" in fields else self.numbers.take(),
            "session": TOKEN,
            "ack": self.numbers.ack(),
            "ack_bits": self.numbers.ack_bits(),
            **fields,
        }
        return rtyp.datagram(kind, payload=payload, **values)

    def send(self, to: Address, kind: int, payload: bytes = b"", **fields: int) -> None:
        self.udp.sendto(self.datagram(kind, payload, **fields), to)

    def close(self) -> None:
        self.listener.close()
        self.udp.close()


def echo(server: Server, tcp: Connection) -> None:
    """Serves one client until it leaves."""
    name = rtyp.parse_login_request(tcp.frame() or b"")
    print(f"login of {name!r}", flush=True)
    tcp.send(server.accepted())
    client: Optional[Address] = None
    server.numbers = rtyp.Numbers()
    while True:
        ready, _, _ = select.select([tcp.stream, server.udp], [], [], 1)
        if tcp.stream in ready:
            print(f"{name!r} left", flush=True)
            return
        if server.udp not in ready:
            if client is not None:
                server.send(client, rtyp.KEEP_ALIVE)
            continue
        datagram, source = server.receive()
        if datagram.session != TOKEN or client not in (None, source):
            continue
        if datagram.kind == rtyp.CONNECT:
            client = source
            server.send(source, rtyp.ACCEPT)
        elif datagram.kind == rtyp.DATA and client == source:
            server.send(source, rtyp.DATA, datagram.payload)


def main(arguments: list[str]) -> int:
    server = Server(int(arguments[0]) if arguments else 0)
    print(f"listening on tcp://{server.address[0]}:{server.address[1]}", flush=True)
    while True:
        try:
            tcp = server.accept(timeout=3600)
        except Silence:
            continue
        try:
            echo(server, tcp)
        except (rtyp.Malformed, Silence, OSError) as error:
            print(error, file=sys.stderr)
        finally:
            tcp.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
