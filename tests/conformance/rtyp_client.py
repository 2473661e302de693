"""An `rtyp` client, written from the specification's bytes.

As a library it is what the tests of a server drive, well behaved or not. As a program it joins a server
and does what `usher join` does, with the same exit statuses:

    python3 rtyp_client.py join tcp://127.0.0.1:4241 --name R9
"""

from __future__ import annotations

import argparse
import select
import socket
import struct
import sys
import time
from typing import Optional, Tuple
from urllib.parse import urlsplit

import rtyp_bytes as rtyp

Address = Tuple[str, int]

CONNECT_EVERY = 0.25
BIND_TIMEOUT = 5.0
KEEP_ALIVE_AFTER = 1.0


class Silence(Exception):
    """Nothing came in the time that it should have."""


class Rejected(Exception):
    """The login was answered with a LoginRejected."""

    def __init__(self, reason: int) -> None:
        super().__init__(rtyp.REJECTIONS.get(reason, f"reason {reason}"))
        self.reason = reason


class Ended(Exception):
    """The server ended the session; without a reason when it just closed."""

    def __init__(self, reason: Optional[int]) -> None:
        # Left is for clients to say: from a server it is as unknown as 99, and reads as Shutdown.
        known = reason if reason in (rtyp.TIMED_OUT, rtyp.PROTOCOL_ERROR) else rtyp.SHUTDOWN
        super().__init__("closed without a word" if reason is None else rtyp.LOGOUTS[known])
        self.reason = reason


class NoUdp(Exception):
    """No Accept came."""


class Connection:
    """One end of a TCP connection, frame by frame."""

    def __init__(self, stream: socket.socket) -> None:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = stream
        self._read = b""

    @classmethod
    def to(cls, address: Address, timeout: float = 5) -> Connection:
        return cls(socket.create_connection(address, timeout))

    def send(self, data: bytes) -> None:
        self.stream.sendall(data)

    def frame(self, timeout: float = 5) -> Optional[bytes]:
        """The body of the next frame; None when the other end closed or reset the connection."""
        deadline = time.monotonic() + timeout
        while True:
            if len(self._read) >= 2:
                (length,) = struct.unpack("<H", self._read[:2])
                if not 1 <= length <= rtyp.MAX_FRAME:
                    raise rtyp.Malformed(f"a frame of {length} bytes")
                if len(self._read) >= 2 + length:
                    body, self._read = self._read[2 : 2 + length], self._read[2 + length :]
                    return body
            self.stream.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                read = self.stream.recv(4096)
            except socket.timeout:
                raise Silence(f"no frame within {timeout} s") from None
            except ConnectionError:
                read = b""
            if not read:
                if self._read:
                    raise rtyp.Malformed(f"closed inside a frame: {self._read.hex(' ')}")
                return None
            self._read += read

    def has_more(self) -> bool:
        """Whether more than the last frame was read."""
        return bool(self._read)

    def finish_sending(self) -> None:
        """Closes our half: the other end reads the end of the stream."""
        self.stream.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Closes so that the other end sees a reset and not an orderly end."""
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.stream.close()

    def close(self) -> None:
        self.stream.close()


class Endpoint:
    """A UDP endpoint that speaks to one server, for one session or for none that exists."""

    def __init__(self, server: Address, session: int, local: str = "", first: int = 0) -> None:
        family = socket.AF_INET6 if ":" in server[0] else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.bind((local, 0))
        self.server = server
        self.session = session
        self.numbers = rtyp.Numbers(first)
        # A test of a server wants to hear of an invalid datagram; a client that plays drops it.
        self.strict = True

    def send(self, kind: int, payload: bytes = b"", **fields: int) -> bytes:
        """Sends the next datagram, with any field replaced, and gives its bytes."""
        values = {
            "sequence": fields["sequence"] if "sequence" in fields else self.numbers.take(),
            "session": self.session,
            "ack": self.numbers.ack(),
            "ack_bits": self.numbers.ack_bits(),
            **fields,
        }
        data = rtyp.datagram(kind, payload=payload, **values)
        self.send_raw(data)
        return data

    def send_raw(self, data: bytes) -> None:
        self.socket.sendto(data, self.server)

    def receive(self, timeout: float = 5) -> rtyp.Datagram:
        """The next datagram of the session, whatever its number; what is foreign is dropped."""
        deadline = time.monotonic() + timeout
        while True:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data, source = self.socket.recvfrom(65536)
            except socket.timeout:
                raise Silence(f"no datagram within {timeout} s") from None
            if source[:2] != self.server:
                continue
            try:
                datagram = rtyp.parse_datagram(data)
            except rtyp.Malformed:
                if self.strict:
                    raise
                continue
            if datagram.session == self.session:
                return datagram

    def close(self) -> None:
        self.socket.close()


class Player:
    """A player: a login, then an endpoint."""

    def __init__(self, address: Address, name: bytes = b"R9") -> None:
        self.address = address
        self.name = name
        self.tcp = Connection.to(address)
        self.udp: Optional[Endpoint] = None
        self.number: Optional[int] = None

    def login(self, timeout: float = 5) -> rtyp.Accepted:
        """Sends the LoginRequest and waits for its answer; opens an endpoint that is not bound yet."""
        self.tcp.send(rtyp.login_request(self.name))
        body = self.tcp.frame(timeout)
        if body is None:
            raise Ended(None)
        if len(body) == 2 and body[0] == rtyp.LOGIN_REJECTED:
            raise Rejected(body[1])
        accepted = rtyp.parse_accepted(body)
        self.number = accepted.player
        local = self.tcp.stream.getsockname()[0]
        self.udp = Endpoint((self.address[0], accepted.udp_port), accepted.session, local)
        return accepted

    def bind(self, timeout: float = BIND_TIMEOUT) -> rtyp.Datagram:
        """Sends Connect every 250 ms until an Accept comes, and gives that."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            self.udp.send(rtyp.CONNECT)
            again = time.monotonic() + CONNECT_EVERY
            while time.monotonic() < again:
                try:
                    datagram = self.udp.receive(again - time.monotonic())
                except Silence:
                    break
                if datagram.kind == rtyp.ACCEPT:
                    self.udp.numbers.note(datagram.sequence)
                    return datagram
        raise NoUdp

    def send(self, payload: bytes) -> bytes:
        """Sends Data and gives the datagram's bytes."""
        return self.udp.send(rtyp.DATA, payload)

    def data(self, timeout: float = 5) -> bytes:
        """The payload of the next Data, each number once."""
        deadline = time.monotonic() + timeout
        while True:
            datagram = self.udp.receive(deadline - time.monotonic())
            if self.udp.numbers.note(datagram.sequence) and datagram.kind == rtyp.DATA:
                return datagram.payload

    def logout(self, reason: int = rtyp.LEFT) -> None:
        self.tcp.send(rtyp.logout(reason))

    def close(self) -> None:
        self.tcp.close()
        if self.udp is not None:
            self.udp.close()


def heard_over_tcp(player: Player) -> None:
    """Takes what came over TCP after the login, and that is the end, whatever it is."""
    body = player.tcp.frame()
    if body is not None and (len(body) != 2 or body[0] != rtyp.LOGOUT):
        raise rtyp.Malformed(f"after the login: {body.hex(' ')}")
    raise Ended(None if body is None else body[1])


def bind(player: Player) -> None:
    """Binds, and watches the connection meanwhile."""
    tcp, udp = player.tcp.stream, player.udp.socket
    start = again = time.monotonic()
    while True:
        now = time.monotonic()
        if now - start >= BIND_TIMEOUT:
            raise NoUdp
        if now >= again:
            player.udp.send(rtyp.CONNECT)
            again += CONNECT_EVERY
        # A Logout that was read together with the LoginAccepted is in the buffer, not in the socket.
        if player.tcp.has_more():
            heard_over_tcp(player)
        ready, _, _ = select.select([tcp, udp], [], [], max(again - now, 0))
        if tcp in ready:
            heard_over_tcp(player)
        if udp in ready:
            try:
                datagram = player.udp.receive(0)
            except Silence:
                continue
            if datagram.kind == rtyp.ACCEPT:
                player.udp.numbers.note(datagram.sequence)
                return


def play(player: Player) -> None:
    """Lines of standard input go out as Data, Data comes out as lines, until the input ends."""
    tcp, udp = player.tcp.stream, player.udp.socket
    last_sent = time.monotonic()
    while True:
        silence = time.monotonic() - last_sent
        ready, _, _ = select.select([tcp, udp, 0], [], [], max(KEEP_ALIVE_AFTER - silence, 0))
        if tcp in ready:
            heard_over_tcp(player)
        if udp in ready:
            try:
                print("<", player.data(0).decode(errors="replace"), flush=True)
            except Silence:
                pass
        if 0 in ready:
            line = sys.stdin.buffer.raw.readline()
            if not line:
                return
            player.send(line.rstrip(b"\n"))
            last_sent = time.monotonic()
        if time.monotonic() - last_sent >= KEEP_ALIVE_AFTER:
            player.udp.send(rtyp.KEEP_ALIVE)
            last_sent = time.monotonic()


def join(address: Address, name: bytes) -> int:
    """A whole session; the exit status."""
    try:
        player = Player(address, name)
    except OSError as error:
        print(f"cannot reach the server: {error}", file=sys.stderr)
        return 2
    print(f"connected to {address[0]}:{address[1]}", flush=True)
    try:
        accepted = player.login(timeout=24 * 3600)
        player.udp.strict = False
        print(f"accepted as player {accepted.player}", flush=True)
        bind(player)
        print("bound", flush=True)
        play(player)
        player.logout()
    except Rejected as rejected:
        print(f"rejected: {rejected}", flush=True)
        return 3
    except NoUdp:
        player.logout()
        print("the server cannot be reached over UDP", file=sys.stderr)
        return 4
    except (Ended, rtyp.Malformed) as ended:
        print(f"the session ended: {ended}", file=sys.stderr)
        return 5
    finally:
        player.close()
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Joins an rtyp server.")
    parser.add_argument("command", choices=["join"])
    parser.add_argument("url", help="tcp://HOST:PORT")
    parser.add_argument("--name", required=True)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as usage:
        return 64 if usage.code else 0
    url = urlsplit(options.url)
    if url.scheme != "tcp" or not url.hostname or not url.port:
        print(f"not tcp://HOST:PORT: {options.url}", file=sys.stderr)
        return 64
    return join((url.hostname, url.port), options.name.encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
