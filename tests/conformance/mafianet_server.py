"""A small MafiaNet server that does what its script says, for testing clients.

It follows the protocol from the first datagram to the last and decides what `decide` says: nothing here is
a model for a real server, which must bound and prove what this one believes.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_bytes import Address
from mafianet_crowd import Crowd, endpoint
from mafianet_receive import Delivered
from mafianet_reliability import Reliability

GUID = bytes.fromhex("e8d7dd5d81f6f788")
COOKIE = bytes.fromhex("a1b2c3d4")


class Peer:
    """The server's end of one connection."""

    def __init__(self, server: Server, source: Address, mtu: int, now: float) -> None:
        self.server = server
        self.source = source
        self.link = Reliability(mtu, now)
        self.payload: Optional[bytes] = None
        self.request: Optional[mafianet.ConnectionRequest] = None
        self.received: List[Delivered] = []
        self.goodbye: Optional[bytes] = None

    def say(self, payload: bytes, reliability: int = 3, channel: int = 0, **more: Any) -> None:
        self.link.send(payload, reliability, channel, **more)

    def accept(self, config: bytes = b"") -> None:
        self.say(bytes([mafianet.SESSION_CONFIG]) + config)

    def reject(self, reason: bytes = b"") -> None:
        self.say(bytes([mafianet.SESSION_REJECTED]) + reason)

    def status(self, text: bytes) -> None:
        self.say(bytes([mafianet.SESSION_STATUS]) + text)


class Server:
    """One port, and whoever comes."""

    def __init__(self, crowd: Crowd, cookie: bool = False) -> None:
        self.crowd = crowd
        self.cookie = COOKIE if cookie else None
        self.socket = endpoint()
        self.peers: Dict[Address, Peer] = {}
        self.heard: List[bytes] = []
        self.decide: Callable[[Peer], None] = Peer.accept
        # Answers to an OPEN_CONNECTION_REQUEST_1 with this instead.
        self.refusal: Optional[mafianet.Refusal] = None
        crowd.listen(self.socket, self._take)
        crowd.join(self)

    @property
    def address(self) -> Address:
        return self.socket.getsockname()

    @property
    def peer(self) -> Peer:
        """The only one."""
        (only,) = self.peers.values()
        return only

    def tick(self, now: float) -> None:
        for peer in self.peers.values():
            self._flush(peer, now)

    def _flush(self, peer: Peer, now: float) -> None:
        for data in peer.link.poll(now):
            self.socket.sendto(data, peer.source)

    def _take(self, data: bytes, source: Address, now: float) -> None:
        self.heard.append(data)
        if mafianet.is_offline(data):
            self._take_offline(data, source, now)
        elif source in self.peers:
            peer = self.peers[source]
            for message in peer.link.feed(data, now):
                self._take_message(peer, message)
            self._flush(peer, now)

    def _take_offline(self, data: bytes, source: Address, now: float) -> None:
        if data[:1] == bytes([mafianet.OPEN_REQUEST_1]):
            if self.refusal is not None:
                self.socket.sendto(self.refusal.encode(), source)
                return
            reply = mafianet.OpenReply1(GUID, mafianet.mtu_of(data), self.cookie)
            self.socket.sendto(reply.encode(), source)
        elif data[:1] == bytes([mafianet.OPEN_REQUEST_2]):
            request = mafianet.parse_open_request_2(data, self.cookie is not None)
            if request.cookie != self.cookie:
                return
            self.peers.setdefault(source, Peer(self, source, request.mtu, now))
            self.socket.sendto(mafianet.OpenReply2(GUID, source, request.mtu).encode(), source)

    def _take_message(self, peer: Peer, message: Delivered) -> None:
        kind, rest = message.payload[0], message.payload[1:]
        if kind == mafianet.CONNECTION_REQUEST:
            peer.request = mafianet.parse_connection_request(message.payload)
            times = peer.request.time_ms, 1
            peer.say(mafianet.Accepted(peer.source, 0, (self.address,), *times).encode())
        elif kind == mafianet.SESSION_REQUEST:
            peer.payload = rest
            self.decide(peer)
        elif kind == mafianet.CONNECTED_PING:
            peer.say(mafianet.pong(mafianet.parse_ping(message.payload), 1), raknet.UNRELIABLE)
        elif kind == mafianet.DISCONNECTION:
            peer.goodbye = rest
        elif kind >= mafianet.USER:
            peer.received.append(message)

    def close(self) -> None:
        self.crowd.leave(self)
        self.crowd.deafen(self.socket)
        self.socket.close()
