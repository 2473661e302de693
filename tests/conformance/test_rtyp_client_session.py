"""How a client plays and leaves (sections 2, 3.3 and 3.4)."""

from __future__ import annotations

import time

import rtyp_bytes as rtyp
import rtyp_server
from join_case import LEFT_IN_ORDER, SESSION_ENDED, USAGE, JoinCase
from rtyp_client import Silence


class Data(JoinCase):
    def test_a_line_of_input_is_sent_as_data(self) -> None:
        join, _, endpoint = self.bound()
        for line in ("hello", "", "é and more", "x" * 1000):
            join.say(line)
            datagram, source = self.server.receive_kind(rtyp.DATA)
            self.assertEqual(datagram.payload, line.encode())
            self.assertEqual((datagram.session, source), (rtyp_server.TOKEN, endpoint))

    def test_arriving_data_is_shown(self) -> None:
        join, _, endpoint = self.bound()
        for payload in (b"hello", b"1:a b c"):
            self.server.send(endpoint, rtyp.DATA, payload)
            self.assertEqual(join.data(), payload.decode())

    def test_every_datagram_takes_the_next_number(self) -> None:
        join, _, _ = self.bound()
        for line in ("a", "b", "c"):
            join.say(line)
        numbers = []
        while len(numbers) < 3:
            datagram, _ = self.server.receive()
            numbers.append((datagram.sequence, datagram.kind))
        first = numbers[0][0]
        self.assertEqual([number for number, _ in numbers], [first, first + 1, first + 2])

    def test_what_arrived_is_acknowledged(self) -> None:
        join, _, endpoint = self.bound()
        for number in (10, 12):
            self.server.send(endpoint, rtyp.DATA, b"%d" % number, sequence=number)
            join.data()
        join.say("hello")
        datagram, _ = self.server.receive_kind(rtyp.DATA)
        # Bit 1 is 10; the Accept, number 0, is bit 11.
        self.assertEqual((datagram.ack, datagram.ack_bits), (12, 1 << 1 | 1 << 11))

    def test_a_number_is_shown_once(self) -> None:
        join, _, endpoint = self.bound()
        for _ in range(3):
            self.server.send(endpoint, rtyp.DATA, b"once", sequence=1)
        self.server.send(endpoint, rtyp.DATA, b"end", sequence=2)
        self.assertEqual([join.data(), join.data()], ["once", "end"])

    def test_a_late_number_inside_the_window_is_shown(self) -> None:
        join, _, endpoint = self.bound()
        for number in (40, 8, 7, 8, 39):
            self.server.send(endpoint, rtyp.DATA, b"%d" % number, sequence=number)
        self.server.send(endpoint, rtyp.DATA, b"end", sequence=41)
        self.assertEqual([join.data() for _ in range(4)], ["40", "8", "39", "end"])

    def test_what_is_foreign_or_invalid_is_dropped(self) -> None:
        join, _, endpoint = self.bound()
        self.stranger().sendto(self.server.datagram(rtyp.DATA, b"another port"), endpoint)
        elsewhere = self.stranger("127.0.0.2", self.server.udp_port)
        elsewhere.sendto(self.server.datagram(rtyp.DATA, b"another address"), endpoint)
        token = rtyp_server.TOKEN
        self.server.send(endpoint, rtyp.DATA, b"another token", session=token ^ 1)
        self.server.send(endpoint, rtyp.DATA, b"another version", version=2)
        self.server.send(endpoint, 9, b"another type")
        self.server.send(endpoint, rtyp.DATA, b"x" * 1201)
        self.server.udp.sendto(b"noise", endpoint)
        self.server.send(endpoint, rtyp.ACCEPT)
        self.server.send(endpoint, rtyp.DATA, b"mine")
        self.assertEqual(join.data(), "mine")


class KeepAlive(JoinCase):
    def test_a_silent_client_sends_a_keep_alive_every_second(self) -> None:
        join, _, _ = self.bound()
        join.say("hello")
        self.server.receive_kind(rtyp.DATA)
        times = [time.monotonic()]
        for _ in range(3):
            datagram, _ = self.server.receive(2)
            self.assertEqual((datagram.kind, datagram.payload), (rtyp.KEEP_ALIVE, b""))
            times.append(time.monotonic())
        for earlier, later in zip(times, times[1:]):
            self.assertAlmostEqual(later - earlier, 1, delta=0.3)

    def test_a_client_that_sends_data_sends_no_keep_alive(self) -> None:
        join, _, _ = self.bound()
        join.say("start")
        self.server.receive_kind(rtyp.DATA)
        for _ in range(6):
            time.sleep(0.4)
            join.say("tick")
            self.assertEqual(self.server.receive()[0].kind, rtyp.DATA)


class Leaving(JoinCase):
    def test_the_end_of_the_input_leaves(self) -> None:
        join, tcp, _ = self.bound()
        join.say("hello")
        self.server.receive_kind(rtyp.DATA)
        join.end_input()
        self.assertEqual(tcp.frame(), bytes([rtyp.LOGOUT, rtyp.LEFT]))
        self.assertIsNone(tcp.frame(), "it closes right after")
        tcp.close()
        self.assertEqual(join.status(), LEFT_IN_ORDER, join.output())

    def test_nothing_is_sent_over_tcp_while_the_game_runs(self) -> None:
        join, tcp, endpoint = self.bound()
        join.say("hello")
        self.server.send(endpoint, rtyp.DATA, b"hello")
        join.data()
        with self.assertRaises(Silence):
            tcp.frame(1.5)

    def test_a_logout_of_the_server_ends_it(self) -> None:
        for reason in (*rtyp.LOGOUTS, 99):
            with self.subTest(reason):
                join, tcp, _ = self.bound()
                tcp.send(rtyp.logout(reason))
                self.assertIsNone(tcp.frame(), "the client closes, without a Logout of its own")
                self.assertEqual(join.status(), SESSION_ENDED, join.output())

    def test_an_unknown_reason_is_shutdown(self) -> None:
        join, tcp, _ = self.bound()
        tcp.send(rtyp.logout(rtyp.SHUTDOWN))
        self.assertEqual(join.status(), SESSION_ENDED)
        other, tcp, _ = self.bound()
        tcp.send(rtyp.logout(99))
        self.assertEqual(other.status(), SESSION_ENDED)
        self.assertEqual(other.lines[-1], join.lines[-1])

    def test_a_close_of_the_server_ends_it(self) -> None:
        join, tcp, _ = self.bound()
        tcp.close()
        self.assertEqual(join.status(), SESSION_ENDED, join.output())

    def test_anything_but_a_logout_closes_without_a_word(self) -> None:
        cases = {
            "a second LoginAccepted": self.server.accepted(),
            "a LoginRejected": rtyp.login_rejected(rtyp.SERVER_FULL),
            "a LoginRequest": rtyp.login_request(b"R9"),
            "kind 5": rtyp.frame(b"\x05"),
            "a length of zero": b"\x00\x00",
            "a length of 513": b"\x01\x02",
            "a Logout without a reason": rtyp.frame(b"\x04"),
            "bytes left after a Logout's reason": rtyp.frame(b"\x04\x01\x00"),
        }
        for what, data in cases.items():
            with self.subTest(what):
                join, tcp, _ = self.bound()
                tcp.send(data)
                self.assertIsNone(tcp.frame(), "the client closes")
                self.assertNotIn(join.status(), (LEFT_IN_ORDER, USAGE), join.output())
