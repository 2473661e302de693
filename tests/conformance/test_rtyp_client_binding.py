"""How a client logs in and binds, and how it fails to (sections 3.2 and 3.4)."""

from __future__ import annotations

import time

import rtyp_bytes as rtyp
import rtyp_server
from join_case import LEFT_IN_ORDER, NO_UDP, REJECTED, SESSION_ENDED, UNREACHABLE, USAGE, JoinCase
from rtyp_client import Silence
from usher import Join

# How far a client's clock and ours may be apart on a busy machine, in seconds.
TOLERANCE = 0.15


class Login(JoinCase):
    def test_the_first_message_is_a_login_request(self) -> None:
        tcp = self.connection(self.join(name="R9"))
        self.assertEqual(tcp.frame(), bytes.fromhex("01 01 02 00 52 39"))

    def test_nothing_else_is_sent_before_the_answer(self) -> None:
        tcp = self.connection(self.join())
        tcp.frame()
        with self.assertRaises(Silence):
            tcp.frame(0.7)
        with self.assertRaises(Silence):
            self.server.receive(0.1)

    def test_a_name_is_sent_as_it_is(self) -> None:
        for name in ("é", "sixteen bytes ok", "a b"):
            with self.subTest(name):
                tcp = self.connection(self.join(name=name))
                self.assertEqual(rtyp.parse_login_request(tcp.frame()), name.encode())

    def test_an_answer_may_take_longer_than_the_binding_may(self) -> None:
        join = self.join()
        tcp = self.connection(join)
        tcp.frame()
        time.sleep(5.5)
        tcp.send(self.server.accepted())
        _, endpoint = self.server.receive_kind(rtyp.CONNECT)
        self.server.send(endpoint, rtyp.ACCEPT)
        join.say("hello")
        self.assertEqual(self.server.receive_kind(rtyp.DATA)[0].payload, b"hello")

    def test_a_rejection_is_told_with_its_reason(self) -> None:
        for reason, name in {**rtyp.REJECTIONS, 99: "99"}.items():
            with self.subTest(name):
                join = self.join()
                tcp = self.connection(join)
                tcp.frame()
                tcp.send(rtyp.login_rejected(reason))
                self.assertIsNone(tcp.frame(), "the client closes")
                self.assertEqual(join.status(), REJECTED, join.output())
                # The words are the client's own; the name may be spelt in any way.
                squeezed = "".join(filter(str.isalnum, join.output())).lower()
                self.assertIn(name.lower(), squeezed)

    def test_a_server_that_closes_without_an_answer_ends_it(self) -> None:
        join = self.join()
        tcp = self.connection(join)
        tcp.frame()
        tcp.close()
        self.assertNotIn(join.status(), (LEFT_IN_ORDER, USAGE), join.output())

    def test_a_malformed_answer_closes_without_a_word(self) -> None:
        cases = {
            "a length of zero": b"\x00\x00",
            "a length of 513": b"\x01\x02",
            "kind 0": rtyp.frame(b"\x00"),
            "kind 5": rtyp.frame(b"\x05\x01"),
            "a LoginRequest": rtyp.login_request(b"R9"),
            "a Logout": rtyp.logout(rtyp.SHUTDOWN),
            "session 0": rtyp.login_accepted(0, 2, 4242),
            "a LoginAccepted past its end": rtyp.frame(self.server.accepted()[2:-1]),
            "bytes left after a LoginAccepted": rtyp.frame(self.server.accepted()[2:] + b"\x00"),
            "a LoginRejected without a reason": rtyp.frame(b"\x03"),
        }
        for what, data in cases.items():
            with self.subTest(what):
                join = self.join()
                tcp = self.connection(join)
                tcp.frame()
                tcp.send(data)
                self.assertIsNone(tcp.frame(), "the client closes")
                self.assertNotIn(join.status(), (LEFT_IN_ORDER, USAGE), join.output())

    def test_nobody_listening_is_unreachable(self) -> None:
        nobody = rtyp_server.Server()
        address = nobody.address
        nobody.close()
        join = self.keep(Join(f"tcp://{address[0]}:{address[1]}", "--name", "R9"))
        self.assertEqual(join.status(), UNREACHABLE, join.output())

    def test_a_wrong_command_line_is_a_usage_error(self) -> None:
        for arguments in ([], ["--no-such-option"], ["udp://127.0.0.1:1"]):
            with self.subTest(arguments):
                join = self.keep(Join(*arguments, *(["--name", "R9"] if arguments else [])))
                self.assertEqual(join.status(), USAGE, join.output())


class Connect(JoinCase):
    def test_the_first_datagram_is_a_connect(self) -> None:
        tcp = self.connection(self.join())
        tcp.frame()
        tcp.send(self.server.accepted())
        self.server.udp.settimeout(5)
        data, source = self.server.udp.recvfrom(65536)
        expected = "52 54 59 50 01 01 00 00 FF FF 00 00 00 00 EF BE AD DE"
        self.assertEqual(data, bytes.fromhex(expected))
        self.assertEqual(source[0], tcp.stream.getpeername()[0], "from the address of the login")

    def test_connect_is_sent_every_250_ms_with_the_next_number(self) -> None:
        tcp = self.connection(self.join())
        tcp.frame()
        tcp.send(self.server.accepted())
        times = []
        for number in range(9):
            datagram, _ = self.server.receive(1)
            self.assertEqual((datagram.kind, datagram.sequence), (rtyp.CONNECT, number))
            times.append(time.monotonic())
        self.assertAlmostEqual(times[-1] - times[0], 8 * 0.25, delta=TOLERANCE)
        for earlier, later in zip(times, times[1:]):
            self.assertAlmostEqual(later - earlier, 0.25, delta=TOLERANCE)

    def test_connect_stops_with_the_accept(self) -> None:
        join, _, _ = self.bound()
        join.say("hello")
        self.server.receive_kind(rtyp.DATA)
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            try:
                datagram, _ = self.server.receive(end - time.monotonic())
            except Silence:
                break
            self.assertNotEqual(datagram.kind, rtyp.CONNECT)

    def test_without_an_accept_it_leaves_after_5_seconds(self) -> None:
        join = self.join()
        tcp = self.connection(join)
        tcp.frame()
        tcp.send(self.server.accepted())
        start = time.monotonic()
        self.assertEqual(tcp.frame(7), bytes([rtyp.LOGOUT, rtyp.LEFT]))
        self.assertAlmostEqual(time.monotonic() - start, 5, delta=2 * TOLERANCE)
        self.assertIsNone(tcp.frame(), "it closes right after")
        tcp.close()
        self.assertEqual(join.status(), NO_UDP, join.output())
        self.assertIn("udp", join.output().lower())

    def test_a_logout_instead_of_the_accept_ends_it(self) -> None:
        join = self.join()
        tcp = self.connection(join)
        tcp.frame()
        tcp.send(self.server.accepted() + rtyp.logout(rtyp.TIMED_OUT))
        self.assertIsNone(tcp.frame())
        self.assertEqual(join.status(), SESSION_ENDED, join.output())


class NotAnAccept(JoinCase):
    """What does not bind: the client goes on sending Connect."""

    def unbound(self):
        """A client that has sent its first Connect, and its endpoint."""
        tcp = self.connection(self.join())
        tcp.frame()
        tcp.send(self.server.accepted())
        return tcp, self.server.receive_kind(rtyp.CONNECT)[1]

    def assert_still_connecting(self) -> None:
        # The first may have been on its way; the second was sent after what was to be dropped.
        for _ in range(2):
            datagram, _ = self.server.receive(1)
            self.assertEqual(datagram.kind, rtyp.CONNECT)

    def test_an_accept_from_another_port_is_dropped(self) -> None:
        _, endpoint = self.unbound()
        self.stranger().sendto(self.server.datagram(rtyp.ACCEPT), endpoint)
        self.assert_still_connecting()

    def test_an_accept_from_another_address_is_dropped(self) -> None:
        _, endpoint = self.unbound()
        stranger = self.stranger("127.0.0.2", self.server.udp_port)
        stranger.sendto(self.server.datagram(rtyp.ACCEPT), endpoint)
        self.assert_still_connecting()

    def test_an_accept_with_another_token_is_dropped(self) -> None:
        _, endpoint = self.unbound()
        self.server.send(endpoint, rtyp.ACCEPT, session=rtyp_server.TOKEN ^ 1)
        self.server.send(endpoint, rtyp.ACCEPT, session=0)
        self.assert_still_connecting()

    def test_what_is_no_accept_is_dropped_and_not_acknowledged(self) -> None:
        _, endpoint = self.unbound()
        for kind, payload in ((rtyp.DATA, b"early"), (rtyp.KEEP_ALIVE, b""), (rtyp.CONNECT, b"")):
            self.server.send(endpoint, kind, payload)
        self.server.send(endpoint, rtyp.ACCEPT, b"x")
        self.server.send(endpoint, rtyp.ACCEPT, version=2)
        self.server.udp.sendto(self.server.datagram(rtyp.ACCEPT)[:-1], endpoint)
        self.assert_still_connecting()
        datagram, _ = self.server.receive(1)
        self.assertEqual((datagram.ack, datagram.ack_bits), (0xFFFF, 0))

    def test_data_before_the_accept_is_not_shown_after_it(self) -> None:
        join = self.join()
        tcp = self.connection(join)
        tcp.frame()
        tcp.send(self.server.accepted())
        _, endpoint = self.server.receive_kind(rtyp.CONNECT)
        self.server.send(endpoint, rtyp.DATA, b"early")
        self.server.send(endpoint, rtyp.ACCEPT)
        self.server.send(endpoint, rtyp.DATA, b"in time")
        self.assertEqual(join.data(), "in time")
