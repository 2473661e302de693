"""The offline exchange with a host: the way to a slot, byte by byte, and what is refused before one."""

from __future__ import annotations

import secrets
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, List

import mafianet_messages as mafianet
from mafianet_bytes import MAGIC
from mafianet_case import HostCase
from mafianet_crowd import Raw, Silence
from together import Together


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


GUID = b"\x01" * 8
BUCKET = '[[bucket]]\nname = "bans"\nfile = "bans.txt"\n'


class Opening(HostCase):
    """With the cookie, which is the default."""

    settings = {"max_pending": 8}

    def reply_1(self, raw: Raw, size: int = 1372) -> mafianet.OpenReply1:
        return mafianet.parse_open_reply_1(raw.ask(mafianet.open_request_1(size)))

    def ask_2(self, raw: Raw, request: bytes) -> bytes:
        """The answer to an OPEN_CONNECTION_REQUEST_2 that gets a slot."""
        self.half_open.append(raw)
        return raw.ask(request)

    def request_2(self, raw: Raw, cookie: bytes, guid: bytes = GUID, mtu: int = 1400) -> bytes:
        return mafianet.OpenRequest2(raw.server, mtu, guid, cookie).encode()

    def test_request_1_is_answered_with_a_cookie_and_the_mtu_of_its_rung(self) -> None:
        raw = self.raw()
        for size, mtu in ((1372, 1400), (1252, 1280), (996, 1024), (548, 576)):
            with self.subTest(size=size):
                answer = raw.ask(mafianet.open_request_1(size))
                self.assertEqual(len(answer), 32)
                reply = mafianet.parse_open_reply_1(answer)
                self.assertEqual(reply.mtu, mtu)
                self.assertEqual(len(reply.cookie), 4)

    def test_the_mtu_is_that_of_any_length_and_at_most_1400(self) -> None:
        raw = self.raw()
        for size, mtu in ((549, 577), (1000, 1028), (1373, 1400), (1464, 1400)):
            with self.subTest(size=size):
                self.assertEqual(self.reply_1(raw, size).mtu, mtu)

    def test_request_1_of_less_than_548_bytes_is_ignored(self) -> None:
        raw = self.raw()
        for size in (18, 25, 100, 547):
            raw.say(mafianet.open_request_1(size))
        raw.silence()

    def test_request_1_with_any_other_protocol_is_told_ours(self) -> None:
        raw = self.raw()
        for protocol in (0, 1, 5, 8, 9, 12, 255):
            with self.subTest(protocol=protocol):
                answer = raw.ask(mafianet.open_request_1(protocol=protocol))
                refusal = mafianet.parse_refusal(answer)
                self.assertEqual((refusal.id, refusal.protocol), (0x19, mafianet.PROTOCOL))
                self.assertEqual(len(answer), 26)

    def test_the_server_has_one_guid_in_everything_it_says(self) -> None:
        raw = self.raw()
        guids = {
            self.reply_1(raw).guid,
            mafianet.parse_refusal(raw.ask(mafianet.open_request_1(protocol=9))).guid,
            mafianet.parse_unconnected_pong(raw.ask(mafianet.unconnected_ping(1, GUID))).guid,
            self.open(raw).guid,
        }
        self.assertEqual(len(guids), 1)
        self.assertNotIn(guids.pop(), (bytes(8), b"\xff" * 8))

    def test_request_2_with_its_cookie_gets_a_slot(self) -> None:
        raw = self.raw()
        cookie = self.reply_1(raw).cookie
        answer = self.ask_2(raw, self.request_2(raw, cookie, mtu=1280))
        self.assertEqual(len(answer), 35)
        reply = mafianet.parse_open_reply_2(answer)
        self.assertEqual((reply.client, reply.mtu), (raw.address, 1280))
        self.assertEqual(self.pending(), 1)

    def test_request_2_again_is_answered_again_and_takes_no_other_slot(self) -> None:
        raw = self.raw()
        request = self.request_2(raw, self.reply_1(raw).cookie)
        first = self.ask_2(raw, request)
        self.assertEqual([raw.ask(request) for _ in range(3)], [first] * 3)
        self.assertEqual(self.pending(), 1)

    def test_nobody_costs_anything_before_the_right_cookie(self) -> None:
        raw = self.raw()
        cookie = self.reply_1(raw).cookie
        wrong = bytes([cookie[0] ^ 1]) + cookie[1:]
        flipped = cookie[:3] + bytes([cookie[3] ^ 0x80])
        for one in (wrong, flipped, bytes(4), b"\xff" * 4):
            raw.say(self.request_2(raw, one))
        # As where no cookie is asked for.
        raw.say(mafianet.OpenRequest2(raw.server, 1400, GUID).encode())
        raw.silence()
        self.assertEqual((self.pending(), self.usher.status()["requests"]), (0, []))

    def test_a_cookie_is_worth_nothing_at_another_port_or_address(self) -> None:
        here = self.raw()
        cookie = self.reply_1(here).cookie
        for other in (self.raw(), self.raw(("127.0.0.2", here.address[1]))):
            other.say(self.request_2(other, cookie))
            other.silence(0.15)
        self.assertEqual(self.pending(), 0)
        self.assertEqual(len(self.ask_2(here, self.request_2(here, cookie))), 35)

    def test_cookies_cannot_be_guessed_from_others(self) -> None:
        cookies = [self.reply_1(self.raw()).cookie for _ in range(12)]
        self.assertEqual(len(set(cookies)), 12)
        self.assertGreater(len({cookie[0] for cookie in cookies}), 3)
        self.assertGreater(len({cookie[3] for cookie in cookies}), 3)

    def test_no_answer_to_who_is_not_proven_is_longer_than_what_was_asked(self) -> None:
        raw = self.raw()
        cookie = self.reply_1(raw).cookie
        asked: List[bytes] = [mafianet.open_request_1(size) for size in mafianet.RUNGS]
        asked += [mafianet.open_request_1(protocol=3), self.request_2(raw, b"\0" * 4)]
        asked += [self.request_2(raw, cookie)]
        self.half_open.append(raw)
        for data in asked:
            raw.say(data)
            try:
                self.assertLessEqual(len(raw.next(0.15)), len(data))
            except Silence:
                pass

    def test_a_guid_in_use_is_told_that_it_is_connected_already(self) -> None:
        self.opened(GUID)
        other = self.raw()
        answer = other.ask(self.request_2(other, self.reply_1(other).cookie, GUID))
        self.assertEqual((mafianet.parse_refusal(answer).id, len(answer)), (0x12, 25))
        self.assertEqual(self.pending(), 1)

    def test_who_proves_to_be_at_a_source_now_takes_the_place_of_who_was(self) -> None:
        raw = self.opened(GUID)
        answer = raw.ask(self.request_2(raw, self.reply_1(raw).cookie, b"\x02" * 8))
        self.assertEqual(mafianet.parse_open_reply_2(answer).client, raw.address)
        self.assertEqual(self.pending(), 1)

    def test_a_connected_source_is_told_that_it_is_connected_already(self) -> None:
        client = self.joined()
        self.crowd.deafen(client.socket)
        raw = Raw.__new__(Raw)
        raw.crowd, raw.server, raw.socket = self.crowd, self.address, client.socket
        raw.heard, raw.at = [], []
        self.crowd.listen(client.socket, raw._take)
        request = self.request_2(raw, self.reply_1(raw).cookie, client.guid)
        self.assertEqual(mafianet.parse_refusal(raw.ask(request)).id, 0x12)
        self.crowd.deafen(client.socket)
        self.crowd.listen(client.socket, client.take)
        client.send(b"\x87still here")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87still here"])

    def test_what_is_no_message_is_ignored(self) -> None:
        raw = self.raw()
        cookie = self.reply_1(raw).cookie
        good = self.request_2(raw, cookie)
        for data in (
            b"",
            b"\x05",
            b"\x84\x00",
            bytes(4),
            b"\x05" + bytes(600),
            good[:-1],
            good + b"\0",
            good[:21] + b"\x01" + good[22:],
            good[:22] + b"\x06" + good[23:],
            b"\x0d" + GUID + MAGIC + b"hello",
            b"\x84\x00\x00\x00\x40\x00\x90\x00\x00\x00" + mafianet.connection_request(GUID, 1),
            b"\xc0\x00\x01\x01\x00\x00\x00",
            mafianet.Refusal(mafianet.ALREADY_CONNECTED, GUID).encode(),
            mafianet.OpenReply1(GUID, 1400).encode(),
            mafianet.OpenReply2(GUID, raw.address, 1400).encode(),
        ):
            raw.say(data)
        for _ in range(200):
            raw.say(bytes([secrets.randbelow(0x20)]) + secrets.token_bytes(secrets.randbelow(900)))
        raw.silence()
        self.assertEqual(self.pending(), 0)
        self.assertEqual(len(self.ask_2(raw, good)), 35)

    def test_a_full_pool_is_told_before_there_is_a_slot(self) -> None:
        for number in range(8):
            self.opened(bytes([number + 1]) * 8)
        late = self.raw()
        answer = late.ask(self.request_2(late, self.reply_1(late).cookie, b"\x09" * 8))
        self.assertEqual((mafianet.parse_refusal(answer).id, len(answer)), (0x14, 25))
        self.assertEqual(self.pending(), 8)


class WithoutACookie(HostCase):
    settings = {"door": "cookie = false"}

    def test_request_1_is_answered_without_security(self) -> None:
        answer = self.raw().ask(mafianet.open_request_1())
        self.assertEqual((len(answer), mafianet.parse_open_reply_1(answer).cookie), (28, None))

    def test_request_2_alone_gets_a_slot_as_with_the_real_one(self) -> None:
        raw = self.raw()
        self.half_open.append(raw)
        answer = raw.ask(mafianet.OpenRequest2(raw.server, 1400, GUID).encode())
        self.assertEqual(mafianet.parse_open_reply_2(answer).client, raw.address)
        self.assertEqual(self.pending(), 1)

    def test_a_source_in_use_is_told_that_it_is_connected_already(self) -> None:
        raw = self.raw()
        self.half_open.append(raw)
        raw.ask(mafianet.OpenRequest2(raw.server, 1400, GUID).encode())
        answer = raw.ask(mafianet.OpenRequest2(raw.server, 1400, b"\x02" * 8).encode())
        self.assertEqual((mafianet.parse_refusal(answer).id, len(answer)), (0x12, 25))
        self.assertEqual(self.pending(), 1)

    def test_a_client_joins(self) -> None:
        self.assertEqual(self.joined(b"accept:welcome").config, b"welcome")

    def test_the_policy_sees_that_the_address_is_not_proven(self) -> None:
        self.assertIn(b"proven false", self.joined(b"seen").config)


class Pings(HostCase):
    settings = {
        "max_pending": 2,
        "door": 'advertise = "Arena {players}/{max-players}"\npongs-per-address = 50',
    }

    def advertised(self, raw: Raw) -> bytes:
        answer = raw.ask(mafianet.unconnected_ping(1, GUID))
        return mafianet.parse_unconnected_pong(answer).text

    def test_a_ping_is_answered_with_its_time_and_the_advertised_text(self) -> None:
        raw = self.raw()
        answer = raw.ask(mafianet.unconnected_ping(0x14, GUID))
        pong = mafianet.parse_unconnected_pong(answer)
        self.assertEqual((pong.time_ms, pong.text), (0x14, b"Arena 0/4"))

    def test_the_advertised_count_never_includes_who_is_pending(self) -> None:
        raw = self.raw()
        self.joined()
        waiting = self.waiting()
        self.opened(b"\x02" * 8)
        self.assertEqual(self.pending(), 2)
        self.wait_for_players(1)
        self.assertEqual(self.advertised(raw), b"Arena 1/4")
        self.assertEqual([one.id for one in waiting.reports], [mafianet.SESSION_STATUS])

    def test_a_ping_for_open_servers_is_answered_while_the_pool_has_room(self) -> None:
        raw = self.raw()
        asked = mafianet.unconnected_ping(7, GUID, only_if_open=True)
        self.assertEqual(mafianet.parse_unconnected_pong(raw.ask(asked)).time_ms, 7)
        self.waiting()
        self.waiting()
        raw.say(asked)
        raw.silence()
        self.assertEqual(
            mafianet.parse_unconnected_pong(raw.ask(mafianet.unconnected_ping(8, GUID))).time_ms, 8
        )

    def test_a_ping_without_its_magic_or_its_guid_is_ignored(self) -> None:
        raw = self.raw()
        good = mafianet.unconnected_ping(1, GUID)
        raw.say(good[:9] + bytes(16) + GUID)
        raw.say(good[:-1])
        raw.silence()

    def test_pongs_to_one_address_are_limited(self) -> None:
        raw = self.raw(("127.0.0.3", 0))
        for number in range(2000):
            raw.say(mafianet.unconnected_ping(number, GUID))
            if number % 50 == 0:
                self.crowd.step(0)
        self.crowd.pass_time(0.3)
        self.assertGreater(len(raw.heard), 0)
        self.assertLess(len(raw.heard), 1000)
        # Nobody else pays for it.
        other = self.raw(("127.0.0.4", 0))
        self.assertEqual(self.advertised(other), b"Arena 0/4")


class BanCase(HostCase):
    files = {"bans.txt": "# nobody likes these\n127.0.7.0/30\n127.0.8.1\n"}

    @contextmanager
    def ban(self, address: str) -> Iterator[None]:
        """Puts an address on the list, for a while."""
        bans = self.usher.folder / "bans.txt"
        before = bans.read_text()
        self.replace(bans, before + address + "\n")
        yield
        self.replace(bans, before)

    def replace(self, file: Path, text: str) -> None:
        draft = file.with_suffix(".new")
        draft.write_text(text)
        draft.replace(file)


class Banned(BanCase):
    settings = {
        "door": 'ban-bucket = "bans"',
        "more": BUCKET,
    }
    def test_a_banned_address_is_told_so_at_once(self) -> None:
        for host in ("127.0.7.0", "127.0.7.3", "127.0.8.1"):
            with self.subTest(host):
                client = self.client(local=(host, 0))
                report = self.wait_for(client, mafianet.BANNED)
                self.assertEqual((report.text, client.requests_sent), (b"", 1))

    def test_the_neighbours_of_a_ban_get_in(self) -> None:
        for host in ("127.0.7.4", "127.0.6.255", "127.0.8.2"):
            with self.subTest(host):
                self.joined(local=(host, 0))

    def test_a_ban_ends_nobody_of_another_address(self) -> None:
        client = self.joined()
        self.wait_for(self.client(local=("127.0.8.1", 0)), mafianet.BANNED)
        client.send(b"\x87still here")
        self.crowd.until("the echo", lambda: client.heard() == [b"\x87still here"])

    def test_who_is_banned_while_waiting_is_turned_away_at_once(self) -> None:
        client, other = self.waiting(local=("127.0.9.9", 0)), self.waiting()
        with self.ban("127.0.9.9"):
            report = self.wait_for(client, mafianet.ATTEMPT_FAILED, within=5)
            self.assertTrue(report.text)
            self.wait_for_pending(1)
            self.assertIsNone(other.report(mafianet.ATTEMPT_FAILED))


class Denied(BanCase):
    """The same list, asked by a policy: whoever is on it is told why."""

    settings = {"more": BUCKET + '[[policy]]\nname = "denylist"\nmodule = "builtin:denylist"'}

    def test_who_is_on_the_list_is_refused_with_a_reason(self) -> None:
        report = self.wait_for_end(self.client(local=("127.0.8.1", 0)))
        self.assertEqual(report.id, mafianet.ATTEMPT_FAILED)
        self.assertTrue(report.text)

    def test_who_gets_on_the_list_while_waiting_is_refused_at_once(self) -> None:
        client = self.waiting(local=("127.0.9.9", 0))
        with self.ban("127.0.9.9"):
            self.assertTrue(self.wait_for(client, mafianet.ATTEMPT_FAILED, within=5).text)
            self.wait_for_pending(0)


class Protocols(HostCase):
    settings = {"door": "protocols = [7]"}

    def test_a_protocol_that_the_door_does_not_serve_is_told_ours(self) -> None:
        client = self.client(protocol=mafianet.CLASSIC)
        self.wait_for(client, mafianet.INCOMPATIBLE_PROTOCOL)
        self.assertEqual(self.joined(b"accept:hi").config, b"hi")
