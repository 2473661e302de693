"""Every captured message of MafiaNet's description, read and written again byte for byte.

These need no server: they hold the suite's own codecs to what a real client and server sent.
"""

from __future__ import annotations

import unittest

import mafianet_bytes as raknet
import mafianet_messages as mafianet
from mafianet_bytes import Data, Malformed, Message, Numbers, Split

SERVER = ("127.0.0.1", 61010)
CLIENT = ("127.0.0.1", 61011)
SERVER_GUID = bytes.fromhex("e8d7dd5d81f6f788")
CLIENT_GUID = bytes.fromhex("b90bc9dba512890e")


def spaced(text: str) -> bytes:
    """Bytes as captures are printed, with bars between fields."""
    return bytes.fromhex(text.replace("|", ""))


MAGIC = "00ffff00fefefefefdfdfdfd12345678"


class Primitives(unittest.TestCase):
    def test_an_address_is_its_octets_inverted_and_its_port(self) -> None:
        self.assertEqual(raknet.address(SERVER), spaced("04 80 ff ff fe ee 52"))
        self.assertEqual(raknet.Reader(spaced("04 80ffffff fefe")).address(), ("127.0.0.0", 0xFEFE))
        self.assertEqual(raknet.address(raknet.UNASSIGNED), spaced("04 ff ff ff ff 00 00"))

    def test_an_address_of_another_family_is_malformed(self) -> None:
        with self.assertRaises(Malformed):
            raknet.Reader(spaced("06 80 ff ff fe ee 52")).address()

    def test_numbers_of_three_bytes_are_little_endian(self) -> None:
        self.assertEqual(raknet.u24(0x010203), spaced("03 02 01"))
        self.assertEqual(raknet.Reader(spaced("03 02 01")).u24(), 0x010203)

    def test_the_magic_is_as_captured(self) -> None:
        self.assertEqual(raknet.MAGIC, spaced(MAGIC))


class Offline(unittest.TestCase):
    def test_open_connection_request_1(self) -> None:
        data = mafianet.open_request_1()
        self.assertEqual(data, spaced(f"05 {MAGIC} 07").ljust(1372, b"\0"))
        self.assertEqual([rung + 28 for rung in mafianet.RUNGS], [1400, 1280, 1024, 576])

    def test_open_connection_reply_1(self) -> None:
        data = spaced(f"06 {MAGIC} e8d7dd5d81f6f788 00 0578")
        reply = mafianet.parse_open_reply_1(data)
        self.assertEqual(reply, mafianet.OpenReply1(SERVER_GUID, 1400))
        self.assertEqual((reply.encode(), len(data)), (data, 28))

    def test_open_connection_reply_1_with_a_cookie(self) -> None:
        data = spaced(f"06 {MAGIC} e8d7dd5d81f6f788 01 a1b2c3d4 0578")
        reply = mafianet.parse_open_reply_1(data)
        self.assertEqual(reply.cookie, spaced("a1b2c3d4"))
        self.assertEqual((reply.encode(), len(data)), (data, 32))

    def test_open_connection_request_2(self) -> None:
        data = spaced(f"07 {MAGIC} 0480fffffeee52 0578 b90bc9dba512890e")
        request = mafianet.OpenRequest2(SERVER, 1400, CLIENT_GUID)
        self.assertEqual((request.encode(), len(data)), (data, 34))
        self.assertEqual(mafianet.parse_open_request_2(data, with_cookie=False), request)

    def test_open_connection_request_2_with_a_cookie(self) -> None:
        data = spaced(f"07 {MAGIC} a1b2c3d4 00 0480fffffeee52 0578 b90bc9dba512890e")
        request = mafianet.OpenRequest2(SERVER, 1400, CLIENT_GUID, spaced("a1b2c3d4"))
        self.assertEqual((request.encode(), len(data)), (data, 39))
        self.assertEqual(mafianet.parse_open_request_2(data, with_cookie=True), request)

    def test_open_connection_reply_2(self) -> None:
        data = spaced(f"08 {MAGIC} e8d7dd5d81f6f788 0480fffffeee53 0578 00")
        reply = mafianet.parse_open_reply_2(data)
        self.assertEqual(reply, mafianet.OpenReply2(SERVER_GUID, CLIENT, 1400))
        self.assertEqual((reply.encode(), len(data)), (data, 35))

    def test_refusals(self) -> None:
        captured = {
            0x14: f"14 {MAGIC} c6c8b4800d392b1b",
            0x17: f"17 {MAGIC} 1d34d55e546858af",
            0x12: f"12 {MAGIC} b4d2a5d8f1725bca",
            0x19: f"19 07 {MAGIC} 29c0dd4ab8d5f2f6",
            0x1A: f"1a {MAGIC} 29c0dd4ab8d5f2f6",
            0x11: f"11 {MAGIC} 29c0dd4ab8d5f2f6",
        }
        for kind, text in captured.items():
            with self.subTest(mafianet.REFUSALS[kind]):
                data = spaced(text)
                refusal = mafianet.parse_refusal(data)
                self.assertEqual((refusal.id, refusal.guid), (kind, data[-8:]))
                self.assertEqual(refusal.protocol, 7 if kind == 0x19 else None)
                self.assertEqual(refusal.encode(), data)
                self.assertTrue(mafianet.is_offline(data))

    def test_unconnected_ping_and_pong(self) -> None:
        ping = spaced(f"01 0000000000000014 {MAGIC} 6e2cbfa734eee76f")
        pong = spaced(
            f"1c 0000000000000014 72268738a31b5ea5 {MAGIC} 68656c6c6f2d6f66666c696e65"
        )
        self.assertEqual(mafianet.unconnected_ping(0x14, spaced("6e2cbfa734eee76f")), ping)
        parsed = mafianet.parse_unconnected_pong(pong)
        self.assertEqual(
            parsed, mafianet.Pong(0x14, spaced("72268738a31b5ea5"), b"hello-offline")
        )
        self.assertEqual(parsed.encode(), pong)

    def test_which_datagrams_are_offline(self) -> None:
        guid = CLIENT_GUID
        offline = [
            b"",
            b"\x84\x00",
            mafianet.open_request_1(548),
            mafianet.unconnected_ping(1, guid, only_if_open=True),
            mafianet.Pong(1, guid, b"").encode(),
            mafianet.Refusal(0x19, guid, 7).encode(),
            spaced(f"0d {guid.hex()} {MAGIC}"),
        ]
        connected = [
            spaced("84 000000 00"),
            spaced("c0 0001 01 000000"),
            spaced("00 00 00 00"),
            mafianet.Refusal(0x19, guid, 7).encode() + b"\0",
            mafianet.Refusal(0x18, guid).encode(),
            spaced("05") + bytes(600),
        ]
        self.assertEqual([mafianet.is_offline(one) for one in offline], [True] * len(offline))
        self.assertEqual([mafianet.is_offline(one) for one in connected], [False] * len(connected))


class Datagrams(unittest.TestCase):
    def assert_same(self, data: bytes, number: int, *messages: Message) -> None:
        """These bytes are this datagram, both ways."""
        parsed = raknet.parse_data(data)
        self.assertEqual(parsed, Data(number, messages))
        self.assertEqual(parsed.encode(), data)

    def test_acks_and_naks(self) -> None:
        captured = {
            "c0 0001 01 000000": Numbers(((0, 0),)),
            "c0 0001 00 010000 020000": Numbers(((1, 2),)),
            "a0 0001 01 020000": Numbers(((2, 2),), nak=True),
            "c0 0001 00 030000 040000": Numbers(((3, 4),)),
        }
        for text, numbers in captured.items():
            self.assertEqual(raknet.parse_numbers(spaced(text)), numbers)
            self.assertEqual(Numbers.of(numbers.each(), numbers.nak).encode(), spaced(text))

    def test_numbers_become_the_fewest_ranges(self) -> None:
        numbers = Numbers.of([7, 1, 2, 3, 9])
        self.assertEqual(numbers.ranges, ((1, 3), (7, 7), (9, 9)))
        self.assertEqual(
            numbers.encode(), spaced("c0 0003 00 010000 030000 01 070000 01 090000")
        )

    def test_ranges_that_do_not_ascend_are_malformed(self) -> None:
        for text in (
            "c0 0001 00 020000 020000",
            "c0 0001 00 030000 020000",
            "c0 0002 01 020000 01 020000",
            "c0 0002 01 030000 01 020000",
            "c0 0002 01 030000",
            "c0 0001 01 030000 00",
            "c0 0001 02 030000",
            "c0 0000",
        ):
            with self.subTest(text), self.assertRaises(Malformed):
                raknet.parse_numbers(spaced(text))

    def test_one_message_of_each_reliability(self) -> None:
        self.assert_same(spaced("84 040000 | 00 0028 | 886d736730"), 4, Message(b"\x88msg0"))
        self.assert_same(
            spaced("84 050000 | 20 0028 000000 020000 00 | 886d736731"),
            5,
            Message(b"\x88msg1", 1, sequencing=0, ordering=2, channel=0),
        )
        self.assert_same(
            spaced("84 060000 | 40 0028 030000 | 886d736732"), 6, Message(b"\x88msg2", 2, number=3)
        )
        self.assert_same(
            spaced("84 070000 | 60 0028 040000 000000 02 | 886d736733"),
            7,
            Message(b"\x88msg3", 3, number=4, ordering=0, channel=2),
        )
        self.assert_same(
            spaced("84 080000 | 80 0028 050000 010000 020000 00 | 886d736734"),
            8,
            Message(b"\x88msg4", 4, number=5, sequencing=1, ordering=2, channel=0),
        )

    def test_a_message_of_11_bits(self) -> None:
        eleven = Message(b"\x8a\xa0", 2, number=7, odd_bits=11)
        self.assertEqual(eleven.encode(), spaced("40 000b 070000 8aa0"))
        self.assertEqual(raknet.parse_message(raknet.Reader(eleven.encode())), eleven)

    def test_the_first_part_of_a_session_config_of_65536_bytes(self) -> None:
        config = Message(b"\x81" + b"S" * 65_536, 3, ordering=3, channel=0)
        parts = raknet.parts_of(config, 1400, split_id=0, first_number=3)
        self.assertEqual([len(part.payload) for part in parts], [1340] * 48 + [65_537 - 48 * 1340])
        head = spaced("84 050000 | 70 29e0 030000 030000 00 00000031 0000 00000000 | 81 5353")
        datagram = Data(5, (parts[0],)).encode()
        self.assertEqual(datagram[: len(head)], head)
        self.assertLessEqual(len(datagram), 1400 - raknet.HEADERS)
        self.assertEqual(parts[48].split, Split(49, 0, 48))
        self.assertEqual([part.number for part in parts], list(range(3, 52)))
        self.assertEqual({part.ordering for part in parts}, {3})

    def test_a_message_of_any_bits_survives_being_split(self) -> None:
        message = Message(bytes(3000), 0, odd_bits=23_993)
        parts = raknet.parts_of(message, 1400, split_id=2, first_number=9)
        self.assertEqual([part.bits for part in parts], [10_720, 10_720, 23_993 - 21_440])
        self.assertEqual({part.reliability for part in parts}, {raknet.RELIABLE})

    def test_a_tail_of_less_than_three_bytes_is_padding(self) -> None:
        parsed = raknet.parse_data(spaced("84 040000 | 00 0028 886d736730 | 0000"))
        self.assertEqual(parsed.messages, (Message(b"\x88msg0"),))

    def test_what_no_sender_may_write_is_malformed(self) -> None:
        for what, text in {
            "no bits": "84 000000 | 40 0000 000000",
            "reliability 5": "84 000000 | a0 0008 88",
            "channel 32": "84 000000 | 60 0008 000000 000000 20 88",
            "part 2 of 2": "84 000000 | 50 0008 000000 00000002 0000 00000002 88",
            "cut short": "84 000000 | 00 0010 88",
        }.items():
            with self.subTest(what), self.assertRaises(Malformed):
                raknet.parse_datagram(spaced(text))

    def test_a_status_lost_and_sent_again(self) -> None:
        status = Message(b"\x83queue 1", 3, number=1, ordering=1, channel=0)
        for text, number in {
            "84020000 60004001000001000000 8371756575652031": 2,
            "84030000 60004001000001000000 8371756575652031": 3,
            "84040000 60004001000001000000 8371756575652031": 4,
        }.items():
            self.assert_same(spaced(text), number, status)


class Connected(unittest.TestCase):
    def only(self, text: str) -> Message:
        """The one message of a captured datagram, which encodes to the same bytes again."""
        data = raknet.parse_datagram(spaced(text))
        self.assertEqual(data.encode(), spaced(text))
        self.assertEqual(len(data.messages), 1)
        return data.messages[0]

    def test_connection_request(self) -> None:
        message = self.only("84000000 400090000000 09 b90bc9dba512890e 0000000000000015 00")
        self.assertEqual(message.payload, mafianet.connection_request(CLIENT_GUID, 0x15))
        self.assertEqual(message.reliability, raknet.RELIABLE)

    def test_connection_request_with_a_password(self) -> None:
        message = self.only(
            "84000000 4000b8000000 09 9de0e68ea51951bd 0000000000000015 00 77726f6e67"
        )
        guid = spaced("9de0e68ea51951bd")
        self.assertEqual(message.payload, mafianet.connection_request(guid, 0x15, b"wrong"))
        parsed = mafianet.parse_connection_request(message.payload)
        self.assertEqual(parsed, mafianet.ConnectionRequest(guid, 0x15, b"wrong"))

    def test_invalid_password_of_nine_bits(self) -> None:
        message = self.only("84000000 400009000000 1882")
        self.assertEqual((message.payload[0], message.bits), (mafianet.INVALID_PASSWORD, 9))

    def test_connection_request_accepted(self) -> None:
        message = self.only(
            "84000000 60030000000000000000 10 0480fffffeee53 0000 043ffffdfdee52"
            + "04ffffffff0000" * 9
            + "0000000000000015 0000000000000015"
        )
        accepted = mafianet.parse_accepted(message.payload)
        self.assertEqual(accepted.client, CLIENT)
        self.assertEqual(accepted.addresses[:2], (("192.0.2.2", 61010), raknet.UNASSIGNED))
        self.assertEqual((accepted.client_time_ms, accepted.server_time_ms), (0x15, 0x15))
        self.assertEqual((accepted.encode(), len(message.payload)), (message.payload, 96))

    def test_new_incoming_connection_fills_94_bytes(self) -> None:
        incoming = mafianet.NewIncoming(SERVER, (CLIENT,) + (raknet.UNASSIGNED,) * 9, 1, 2)
        self.assertEqual(len(incoming.encode()), 94)
        self.assertEqual(8 * 94, 0x02F0)
        self.assertEqual(mafianet.parse_new_incoming(incoming.encode()), incoming)

    def test_the_session_request_rides_with_new_incoming_and_a_ping(self) -> None:
        incoming = mafianet.NewIncoming(SERVER, (CLIENT,) + (raknet.UNASSIGNED,) * 9, 1, 2)
        data = spaced("84010000 6002f001000000000000") + incoming.encode()
        data += spaced("60005802000001000000 80 7469636b65743d616263 000048 00 000000000000001f")
        parsed = raknet.parse_data(data)
        self.assertEqual(parsed.encode(), data)
        session, ping = parsed.messages[1:]
        self.assertEqual((session.payload, session.ordering), (b"\x80ticket=abc", 1))
        self.assertEqual(mafianet.parse_ping(ping.payload), 0x1F)

    def test_status_config_and_rejection(self) -> None:
        status = self.only(
            "84020000 6000c001000001000000 83 596f7520617265203220696e207468652071756575652e"
        )
        self.assertEqual(status.payload, b"\x83You are 2 in the queue.")
        config = raknet.parse_data(
            spaced(
                "84040000 60009803000003000000 81 7b226d6170223a22646f776e746f776e227d"
                "000048 00 00000000000001f1"
            )
        )
        self.assertEqual(config.messages[0].payload, b'\x81{"map":"downtown"}')
        self.assertEqual(mafianet.parse_ping(config.messages[1].payload), 0x1F1)
        rejected = self.only(
            "84020000 6000f001000001000000 82"
            "596f7520617265206e6f74206f6e207468652077686974656c6973742e"
        )
        self.assertEqual(rejected.payload, b"\x82You are not on the whitelist.")

    def test_a_reliable_ping_and_its_unreliable_pong(self) -> None:
        asked = self.only("84040000 400048030000 00 00000000000013ae")
        self.assertEqual(asked.payload, mafianet.ping(0x13AE))
        answered = self.only("84050000 000088 03 00000000000013ae 00000000000013ae")
        self.assertEqual(answered.payload, mafianet.pong(0x13AE, 0x13AE))
        self.assertEqual(mafianet.parse_pong(answered.payload), (0x13AE, 0x13AE))

    def test_a_timestamp_comes_before_the_real_message(self) -> None:
        message = self.only("840a0000 000058 1b 000000000000030f 89 42")
        self.assertEqual(mafianet.parse_timestamped(message.payload), (0x30F, b"\x89\x42"))
        self.assertEqual(mafianet.timestamped(0x30F, b"\x89\x42"), message.payload)

    def test_disconnection_with_and_without_a_reason(self) -> None:
        self.assertEqual(self.only("84030000 60000803000002000000 15").payload, b"\x15")
        told = self.only("84060000 60006005000005000000 15 6b69636b65643a2061666b")
        self.assertEqual(told.payload, b"\x15kicked: afk")


if __name__ == "__main__":
    unittest.main()
