"""What a `websocket` door makes of frames: section 5 of RFC 6455, rule by rule."""

from __future__ import annotations

import struct
import unittest
from typing import Any

from together import Together
from websocket_case import SOON, HostCase, ws
from websocket_client import Client

BINARY, TEXT, CLOSE, PING, PONG, CONTINUATION = (
    ws.BINARY,
    ws.TEXT,
    ws.CLOSE,
    ws.PING,
    ws.PONG,
    ws.CONTINUATION,
)


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


def counting(length: int) -> bytes:
    return bytes(number % 251 for number in range(length))


class Good(HostCase):
    """What keeps the rules arrives as it was sent."""

    settings = {"door": "bytes-per-second = 2000000"}

    def test_a_message_of_every_length_of_the_length_comes_back(self) -> None:
        client = self.joined()
        for length in (1, 2, 125, 126, 127, 128, 65_535, 65_536):
            with self.subTest(length):
                self.echoes(client, b"\x01" + counting(length - 1))

    def test_masks_are_taken_off(self) -> None:
        client = self.joined()
        for key in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\x02\x03\x04"):
            client.send(BINARY, b"\x01masked", key=key)
            self.assertEqual(client.message(SOON), b"\x01masked")

    def test_fragments_become_one_message(self) -> None:
        client = self.joined()
        parts = [b"\x01a", b"", b"bc", b"def"]
        client.send(BINARY, parts[0], fin=False)
        for part in parts[1:-1]:
            client.send(CONTINUATION, part, fin=False)
        client.send(CONTINUATION, parts[-1])
        self.assertEqual(client.message(SOON), b"\x01abcdef")

    def test_a_ping_between_fragments_is_answered_between_them(self) -> None:
        client = self.joined()
        client.send(BINARY, b"\x01one", fin=False)
        client.send(PING, b"now")
        frame = client.frame(SOON)
        self.assertEqual((frame.opcode, frame.payload), (PONG, b"now"))
        client.send(CONTINUATION, b"two")
        self.assertEqual(client.message(SOON), b"\x01onetwo")

    def test_frames_come_in_any_pieces_of_tcp(self) -> None:
        client = self.joined()
        data = ws.encode(BINARY, b"\x01in pieces") + ws.encode(BINARY, b"\x01and together")
        for byte in data[:9]:
            client.socket.sendall(bytes([byte]))
        client.socket.sendall(data[9:])
        self.assertEqual(client.message(SOON), b"\x01in pieces")
        self.assertEqual(client.message(SOON), b"\x01and together")

    def test_a_ping_is_answered_with_what_it_holds(self) -> None:
        client = self.joined()
        for payload in (b"", b"x", counting(125)):
            client.send(PING, payload)
            frame = client.frame(SOON)
            self.assertEqual((frame.opcode, frame.payload), (PONG, payload))

    def test_a_pong_that_nobody_asked_for_is_nothing(self) -> None:
        client = self.joined()
        client.send(PONG, b"")
        client.send(PONG, b"unasked")
        self.echoes(client, b"\x01still here")

    def test_an_empty_message_is_a_message(self) -> None:
        client = self.joined()
        client.send(BINARY, b"")
        self.echoes(client, b"\x01still here")

    def test_messages_keep_their_order(self) -> None:
        client = self.joined()
        said = [b"\x01%d" % number for number in range(100)]
        client.socket.sendall(b"".join(ws.encode(BINARY, one) for one in said))
        self.assertEqual([client.message(SOON) for _ in said], said)

    def test_the_first_message_is_text_or_binary_and_as_long_as_it_may_be(self) -> None:
        for kind in ("text", "binary"):
            head = b"bytes:65536:"
            payload = head + counting(65_536 - len(head))
            client = self.opened()
            if kind == "binary":
                client.say(payload)
            else:
                client.say("accept:whole")
            self.assertEqual(self.accepted(client)["config"], "whole", kind)

    def test_the_first_message_may_come_in_fragments(self) -> None:
        client = self.opened()
        client.send(TEXT, b"accept:", fin=False)
        client.send(CONTINUATION, "grüß".encode()[:3], fin=False)
        client.send(CONTINUATION, "grüß".encode()[3:])
        self.assertEqual(self.accepted(client)["config"], "grüß")

    def test_a_big_message_of_the_rules_arrives_whole(self) -> None:
        client = self.joined()
        client.say(b"\x01give:65000")
        self.assertEqual(client.message(SOON), b"\x01" + counting(65_000))


class Bad(HostCase):
    """What breaks them ends the connection with the right code, before the first message, and in the game."""

    def fails(self, send: Any, reason: str, code: int) -> None:
        for where, client in (("stranger", self.opened()), ("in", self.joined())):
            with self.subTest(where):
                send(client)
                self.ended(client, reason, code)

    def test_a_frame_must_be_masked(self) -> None:
        self.fails(lambda it: it.send(BINARY, b"\x01x", key=None), "bad-frame", 1002)
        self.fails(lambda it: it.send(PING, b"", key=None), "bad-frame", 1002)

    def test_no_reserved_bit_may_be_set(self) -> None:
        for rsv in (1, 2, 4, 7):
            self.fails(lambda it: it.send(BINARY, b"\x01x", rsv=rsv), "bad-frame", 1002)

    def test_no_reserved_opcode_may_be_used(self) -> None:
        for opcode in (3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF):
            self.fails(lambda it: it.send(opcode, b""), "bad-frame", 1002)

    def test_a_control_frame_must_not_be_fragmented(self) -> None:
        for opcode in (PING, PONG, CLOSE):
            self.fails(lambda it: it.send(opcode, b"", fin=False), "bad-frame", 1002)

    def test_a_control_frame_must_not_be_long(self) -> None:
        for opcode in (PING, PONG):
            self.fails(lambda it: it.send(opcode, b"x" * 126), "bad-frame", 1002)
        self.fails(lambda it: it.send(CLOSE, ws.close(1000, b"x" * 124)), "bad-frame", 1002)

    def test_a_continuation_must_continue_something(self) -> None:
        self.fails(lambda it: it.send(CONTINUATION, b"x"), "bad-frame", 1002)
        self.fails(lambda it: it.send(CONTINUATION, b"x", fin=False), "bad-frame", 1002)

    def test_a_message_must_end_before_another_begins(self) -> None:
        def both(client: Client) -> None:
            client.send(BINARY, b"\x01x", fin=False)
            client.send(BINARY, b"y")

        self.fails(both, "bad-frame", 1002)

    def test_a_message_that_is_too_long_is_refused_by_its_length(self) -> None:
        # Nothing of it is waited for, nor kept.
        for claims in (65_537, 1 << 20, 1 << 31, 1 << 62, (1 << 64) - 1):
            self.fails(lambda it: it.send(BINARY, b"", claims=claims), "too-long", 1009)

    def test_a_message_that_becomes_too_long_is_refused(self) -> None:
        def pieces(client: Client) -> None:
            client.send(BINARY, b"\x01" * 40_000, fin=False)
            client.send(CONTINUATION, b"x" * 25_537)

        self.fails(pieces, "too-long", 1009)

    def test_a_goodbye_with_half_a_code_is_none(self) -> None:
        self.fails(lambda it: it.send(CLOSE, b"\x03"), "bad-frame", 1002)

    def test_a_goodbye_with_a_reason_that_is_not_utf8_is_none(self) -> None:
        def bad(client: Client) -> None:
            client.send(CLOSE, struct.pack("!H", 1000) + b"\xff\xfe")

        for client in (self.opened(), self.joined()):
            bad(client)
            while True:
                frame = client.frame(SOON)
                if frame is None or frame.opcode == CLOSE:
                    break
            self.assertIsNotNone(frame)
            self.assertIn(frame.close_code, (1002, 1007))

    def test_a_goodbye_with_a_code_that_nobody_may_send_is_answered_as_a_protocol_error(self) -> None:
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999):
            with self.subTest(code):
                client = self.joined()
                client.send(CLOSE, ws.close(code))
                self.assertEqual(client.close_frame(SOON).close_code, 1002)

    def test_a_goodbye_is_answered_with_its_own_code(self) -> None:
        for code in (1000, 1001, 1003, 1007, 1008, 1009, 1011, 3000, 3999, 4000, 4999):
            client = self.joined()
            client.send(CLOSE, ws.close(code, b"bye"))
            self.assertEqual(client.close_frame(SOON).close_code, code)
            client.end(SOON)

    def test_text_must_be_utf8(self) -> None:
        for text in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"abc\x80"):
            with self.subTest(text):
                client = self.opened().send(TEXT, text)
                self.ended(client, "not-utf8", 1007)

    def test_text_that_is_not_utf8_across_fragments_is_none(self) -> None:
        client = self.opened()
        client.send(TEXT, b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xf4", fin=False)
        client.send(CONTINUATION, b"\x90\x80\x80")
        self.ended(client, "not-utf8", 1007)

    def test_text_in_the_game_ends_the_session(self) -> None:
        client = self.joined()
        client.say("hello")
        self.ended(client, "text-message", 1003)

    def test_a_message_while_waiting_ends_the_request(self) -> None:
        for message in (b"again", "again"):
            client = self.waiting()
            client.say(message)
            self.ended(client, "early-message", 1002)
            self.wait_for_pending(0)
            self.wait_for_ending(client.port, "abandoned dropped")

    def test_nothing_is_read_after_a_goodbye(self) -> None:
        client = self.joined()
        client.socket.sendall(ws.encode(CLOSE, ws.close(1000)) + ws.encode(BINARY, b"\x01kick:me"))
        self.assertEqual(client.close_frame(SOON).close_code, 1000)
        client.end(SOON)
        self.assertNotIn("heard 8 bytes", self.usher.log())


class Short(HostCase):
    """A door whose game has short messages."""

    settings = {"door": "max-message = 100\nbytes-per-second = 65536"}

    def test_a_longer_message_ends_the_session_and_the_first_message_may_be_longer(self) -> None:
        client = self.joined("accept:" + "x" * 5000)
        self.echoes(client, b"\x01" * 100)
        client.say(b"\x01" * 101)
        self.ended(client, "too-long", 1009)


if __name__ == "__main__":
    unittest.main()
