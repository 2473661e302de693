"""A client that behaves like one built with MafiaNet 0.21, and says what that would have reported.

From the first OPEN_CONNECTION_REQUEST_1 to the end it keeps the real one's timing, deadlines and habits
(sections 3 to 6). It can stop half-way, freeze, or vanish, as a test wants.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_bytes import Address, Malformed
from mafianet_crowd import Crowd, endpoint
from mafianet_receive import Delivered
from mafianet_reliability import Reliability

# Where a client stands.
IDLE = "idle"
OPENING = "opening"
REQUESTING = "requesting"
WAITING = "waiting"
CONNECTED = "connected"
LEAVING = "leaving"
OVER = "over"

# Section 3: twelve attempts after the first, half a second apart.
ATTEMPTS = 12
ATTEMPT_EVERY = 0.505
ACCEPTED_WITHIN = 10.0
TIMEOUT = 10.0

# A newcomer stops at one of these and goes no further, but acknowledges what comes.
AFTER_REPLY_1, AFTER_REPLY_2, AFTER_ACCEPTED, AFTER_INCOMING = range(4)


@dataclass(frozen=True)
class Report:
    """What the client's application is handed: an id, what follows it, and when."""

    id: int
    text: bytes
    at: float


class Client:
    """One client: one socket, and one connection after the other."""

    def __init__(
        self,
        crowd: Crowd,
        server: Address,
        payload: bytes = b"",
        password: bytes = b"",
        protocol: int = mafianet.PROTOCOL,
        local: Address = ("127.0.0.1", 0),
        timeout: float = TIMEOUT,
        session_timeout: Optional[float] = None,
        stop_after: Optional[int] = None,
        rungs: Any = None,
        mtu: Optional[int] = None,
        socket: Any = None,
    ) -> None:
        self.crowd = crowd
        self.server = server
        self.payload = payload
        self.password = password
        self.protocol = protocol
        self.timeout = timeout
        # As SetSessionTimeout; without it the connection timeout.
        self.session_timeout = timeout if session_timeout is None else session_timeout
        self.stop_after = stop_after
        # What it claims in place of what the server found.
        self.mtu = mtu
        classic = protocol == mafianet.CLASSIC
        self.rungs = rungs or (mafianet.CLASSIC_RUNGS if classic else mafianet.RUNGS)
        self.socket = endpoint(local) if socket is None else socket
        self.guid = secrets.token_bytes(8)
        self.born = crowd.now()
        self.oddities: List[str] = []
        self._forget()
        if socket is None:
            crowd.listen(self.socket, self.take)
        crowd.join(self)

    def _forget(self) -> None:
        """Whatever belongs to one connection."""
        self.state = IDLE
        self.reports: List[Report] = []
        self.link: Optional[Reliability] = None
        self.config: Optional[bytes] = None
        self.accepted: Optional[mafianet.Accepted] = None
        self.reply_1: Optional[mafianet.OpenReply1] = None
        self.reply_2: Optional[mafianet.OpenReply2] = None
        self.server_guid: Optional[bytes] = None
        # Application messages, and those of them that came before the server let us in.
        self.received: List[Delivered] = []
        self.leaked: List[Delivered] = []
        self.requests_sent = 0
        self.offset_ms: Optional[int] = None
        self._since = self.crowd.now()
        self._accepted_packet = b""

    # What the application does

    def connect(self) -> Client:
        """Begins an attempt, from the same socket as any before."""
        if self.state not in (IDLE, OVER):
            raise AssertionError(f"it is {self.state} already")
        self._forget()
        self.state = OPENING
        self.tick(self.crowd.now())
        return self

    def send(
        self,
        payload: bytes,
        reliability: int = raknet.RELIABLE_ORDERED,
        channel: int = 0,
        odd_bits: Optional[int] = None,
    ) -> None:
        self.link.send(payload, reliability, channel, odd_bits)
        self._flush(self.crowd.now())

    def leave(self, reason: bytes = b"", channel: int = 0) -> None:
        """Says goodbye, and is gone once that is acknowledged."""
        if self.link is None or self.state == OVER:
            self.state = OVER
            return
        self.link.send(bytes([mafianet.DISCONNECTION]) + reason, channel=channel)
        self.state, self._since = LEAVING, self.crowd.now()
        self._flush(self._since)

    def freeze(self) -> None:
        """Does nothing any more, as a process that hangs. Its socket stays open."""
        self.crowd.deafen(self.socket)
        self.crowd.leave(self)

    def thaw(self) -> None:
        self.crowd.listen(self.socket, self.take)
        self.crowd.join(self)

    def close(self) -> None:
        """Vanishes without a word."""
        self.freeze()
        self.socket.close()

    # What the application is told

    def report(self, *kinds: int) -> Optional[Report]:
        """The first report of one of these kinds; of any when none is named."""
        return next((one for one in self.reports if not kinds or one.id in kinds), None)

    def statuses(self) -> List[bytes]:
        return [one.text for one in self.reports if one.id == mafianet.SESSION_STATUS]

    def heard(self) -> List[bytes]:
        """Application messages since the acceptance."""
        return [one.payload for one in self.received]

    @property
    def is_over(self) -> bool:
        return self.state == OVER

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def all_oddities(self) -> List[str]:
        """What the server did that none of its family may do."""
        return self.oddities + (self.link.oddities if self.link else [])

    # Time

    def time_ms(self) -> int:
        return int((self.crowd.now() - self.born) * 1000)

    def tick(self, now: float) -> None:
        waited = now - self._since
        if self.state == OPENING:
            self._open(now, waited)
        elif self.state == REQUESTING and waited >= ACCEPTED_WITHIN:
            self._end(mafianet.ATTEMPT_FAILED)
        elif self.state == WAITING and waited >= self.session_timeout:
            self._end(mafianet.ATTEMPT_FAILED)
        elif self.state == LEAVING and (self.link.unacked() == 0 or waited >= self.timeout):
            self._flush(now, acks=True)
            self.state = OVER
        if self.link is None or self.state == OVER:
            return
        if self.state == CONNECTED and now - self.link.sent_reliable >= self.timeout / 2:
            self.link.send(mafianet.ping(self.time_ms()), raknet.RELIABLE)
        if self.link.is_dead(now):
            was_in = self.state == CONNECTED
            self._end(mafianet.CONNECTION_LOST if was_in else mafianet.ATTEMPT_FAILED)
            return
        self._flush(now)

    def _open(self, now: float, waited: float) -> None:
        if waited >= (ATTEMPTS + 1) * ATTEMPT_EVERY:
            self._end(mafianet.ATTEMPT_FAILED)
        elif waited >= self.requests_sent * ATTEMPT_EVERY and self.requests_sent <= ATTEMPTS:
            rung = self.requests_sent // (ATTEMPTS // len(self.rungs))
            size = self.rungs[min(rung, len(self.rungs) - 1)]
            self.requests_sent += 1
            self._transmit(mafianet.open_request_1(size, self.protocol))

    def _end(self, kind: int, text: bytes = b"") -> None:
        self._report(kind, text)
        self.state = OVER

    def _report(self, kind: int, text: bytes = b"") -> None:
        self.reports.append(Report(kind, text, self.crowd.now()))

    def _transmit(self, data: bytes) -> None:
        try:
            self.socket.sendto(data, self.server)
        except OSError:
            # Nobody listens there: the same as silence.
            pass

    def _flush(self, now: float, acks: bool = False) -> None:
        for data in self.link.poll(now) + (self.link.flush_acks() if acks else []):
            self._transmit(data)

    # Datagrams

    def take(self, data: bytes, source: Address, now: float) -> None:
        if source != self.server or self.state in (IDLE, OVER):
            return
        if mafianet.is_offline(data):
            try:
                self._take_offline(data, now)
            except Malformed as malformed:
                self.oddities.append(str(malformed))
        elif self.link is not None:
            for message in self.link.feed(data, now):
                self._take_message(message, now)
                if self.state == OVER:
                    return
            self._flush(now)

    def _take_offline(self, data: bytes, now: float) -> None:
        if self.state != OPENING or len(data) <= 2:
            return
        kind = data[0]
        if kind == mafianet.OPEN_REPLY_1:
            self.reply_1 = mafianet.parse_open_reply_1(data)
            if self.stop_after == AFTER_REPLY_1:
                return
            mtu = self.reply_1.mtu if self.mtu is None else self.mtu
            cookie = self.reply_1.cookie
            request = mafianet.OpenRequest2(self.server, mtu, self.guid, cookie)
            self._transmit(request.encode())
        elif kind == mafianet.OPEN_REPLY_2:
            self.reply_2 = mafianet.parse_open_reply_2(data)
            self.server_guid = self.reply_2.guid
            self._begin(now)
        elif kind in mafianet.REFUSALS:
            mafianet.parse_refusal(data)
            self._end(kind)

    def _begin(self, now: float) -> None:
        mtu = min(max(self.reply_2.mtu, raknet.SMALLEST_MTU), raknet.LARGEST_MTU)
        self.link = Reliability(mtu, now, self.timeout)
        self.state, self._since = REQUESTING, now
        if self.stop_after == AFTER_REPLY_2:
            return
        request = mafianet.connection_request(self.guid, self.time_ms(), self.password)
        self.link.send(request, raknet.RELIABLE)
        self._flush(now)

    # Messages

    def _take_message(self, message: Delivered, now: float) -> None:
        kind, rest = message.payload[0], message.payload[1:]
        handlers: Dict[int, Callable[[bytes, float], None]] = {
            mafianet.ACCEPTED: self._take_accepted,
            mafianet.INVALID_PASSWORD: self._take_invalid_password,
            mafianet.SESSION_STATUS: self._take_status,
            mafianet.SESSION_CONFIG: self._take_config,
            mafianet.SESSION_REJECTED: self._take_rejection,
            mafianet.DISCONNECTION: self._take_goodbye,
            mafianet.CONNECTED_PING: self._take_ping,
            mafianet.CONNECTED_PONG: self._take_pong,
        }
        if kind in handlers:
            try:
                handlers[kind](message.payload if kind <= mafianet.ACCEPTED else rest, now)
            except Malformed as malformed:
                self.oddities.append(str(malformed))
        elif kind == mafianet.DETECT_LOST_CONNECTIONS:
            pass
        elif kind >= mafianet.TIMESTAMP and kind not in (0x80, 0x84):
            self.received.append(message)
            if self.state in (REQUESTING, WAITING):
                self.leaked.append(message)
        else:
            self.oddities.append(f"message {kind:02x} from a server")

    def _take_accepted(self, payload: bytes, now: float) -> None:
        if self.state != REQUESTING:
            return
        self.accepted = mafianet.parse_accepted(payload)
        self._accepted_packet = payload
        self.state, self._since = WAITING, now
        if self.stop_after == AFTER_ACCEPTED:
            return
        addresses = (self.socket.getsockname(),)
        times = self.accepted.server_time_ms, self.time_ms()
        self.link.send(mafianet.NewIncoming(self.server, addresses, *times).encode())
        if self.protocol == mafianet.CLASSIC:
            self._enter(now)
        elif self.stop_after == AFTER_INCOMING:
            return
        else:
            self.link.send(bytes([mafianet.SESSION_REQUEST]) + self.payload)
        self.link.send(mafianet.ping(self.time_ms()), raknet.UNRELIABLE)

    def _enter(self, now: float) -> None:
        self.state, self._since = CONNECTED, now
        self._report(mafianet.ACCEPTED, self._accepted_packet[1:])

    def _take_invalid_password(self, _: bytes, now: float) -> None:
        self._flush(now, acks=True)
        self._end(mafianet.INVALID_PASSWORD)

    def _take_status(self, text: bytes, now: float) -> None:
        if self.state == WAITING:
            self._report(mafianet.SESSION_STATUS, text)
            self._since = now

    def _take_config(self, config: bytes, now: float) -> None:
        if self.state != WAITING:
            return
        if len(config) > mafianet.LONGEST_PAYLOAD:
            self.oddities.append(f"a config of {len(config)} bytes")
            self.state = OVER
            return
        self.config = config
        self._enter(now)

    def _take_rejection(self, reason: bytes, now: float) -> None:
        if self.state != WAITING:
            return
        self._flush(now, acks=True)
        self._end(mafianet.ATTEMPT_FAILED, reason)

    def _take_goodbye(self, reason: bytes, now: float) -> None:
        self._flush(now, acks=True)
        self._end(mafianet.DISCONNECTION, reason)

    def _take_ping(self, payload: bytes, now: float) -> None:
        answer = mafianet.pong(mafianet.parse_ping(payload), self.time_ms())
        self.link.send(answer, raknet.UNRELIABLE)

    def _take_pong(self, payload: bytes, now: float) -> None:
        asked, theirs = mafianet.parse_pong(payload)
        self.offset_ms = theirs - (self.time_ms() // 2 + asked // 2)
