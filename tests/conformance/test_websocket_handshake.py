"""What a `websocket` door makes of HTTP: who is given a WebSocket, and who is told why not."""

from __future__ import annotations

import time
import unittest
from typing import Any, Dict, Optional

from together import Together
from websocket_case import SOON, HostCase, ws
from websocket_client import Client, Refused


def load_tests(_: Any, tests: unittest.TestSuite, __: Any) -> unittest.TestSuite:
    return Together(tests)


PAGE = "https://play.example"


class Refusing(HostCase):
    """What both doors below have in common."""

    def refused(
        self, status: int, path: str = "/play", headers: Optional[Dict[str, Optional[str]]] = None, **how: str
    ) -> Dict[str, str]:
        """The door answers with this status, says why, and closes. The answer's headers."""
        client = self.connection()
        client.ask(path, headers, **how)
        got, answered, body = client.answer()
        self.assertEqual(got, status, f"{path} {headers}: {body!r}")
        self.assertTrue(body.strip(), "it says why")
        self.assertIn("close", answered.get("connection", "").lower())
        client.read = b""
        client.end(SOON)
        return answered


class Handshake(Refusing):
    settings = {"door": f'path = "/play"\norigins = ["{PAGE}", "http://localhost:8000"]'}

    def test_the_key_is_answered_and_no_extension_is_agreed_on(self) -> None:
        # `open` looks at all of the answer.
        client = self.opened(
            "/play", Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"
        )
        client.say(b"accept:in")
        self.assertEqual(self.accepted(client)["config"], "in")

    def test_header_names_and_tokens_come_in_any_case(self) -> None:
        self.opened("/play", Upgrade="WebSocket", Connection="keep-alive, UPGRADE")
        self.opened("/play", Upgrade="h2c, websocket")

    def test_frames_may_come_together_with_the_request(self) -> None:
        client = self.connection()
        both = ws.encode(ws.BINARY, b"accept:at once")
        request = (
            f"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {ws.new_key()}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        client.socket.sendall(request.encode() + both)
        self.assertEqual(client.answer()[0], 101)
        self.assertEqual(self.accepted(client)["config"], "at once")

    def test_a_request_may_come_byte_by_byte(self) -> None:
        client = self.connection()
        request = (
            f"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {ws.new_key()}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        for byte in request:
            client.socket.sendall(bytes([byte]))
        self.assertEqual(client.answer()[0], 101)

    def test_another_path_is_not_found(self) -> None:
        for path in ("/", "/play/", "/play/more", "/Play", "/../play"):
            self.refused(404, path)

    def test_another_method_is_refused(self) -> None:
        for method in ("POST", "HEAD", "OPTIONS", "DELETE"):
            with self.subTest(method):
                client = self.connection()
                client.ask("/play", method=method)
                status, headers, _ = client.answer()
                self.assertEqual((status, headers.get("allow")), (405, "GET"))

    def test_who_does_not_ask_for_an_upgrade_is_told_to(self) -> None:
        for headers in (
            {"Upgrade": None},
            {"Upgrade": "h2c"},
            {"Connection": None},
            {"Connection": "keep-alive"},
        ):
            answered = self.refused(426, headers=headers)
            self.assertEqual(answered.get("upgrade"), "websocket")

    def test_another_version_is_told_which_one_is_spoken(self) -> None:
        for version in (None, "8", "12", "14", "13, 8", ""):
            answered = self.refused(426, headers={"Sec-WebSocket-Version": version})
            self.assertEqual(answered.get("sec-websocket-version"), "13")

    def test_a_key_must_be_16_bytes_in_base64(self) -> None:
        for key in (None, "", "AAAA", "x" * 24, "AAAAAAAAAAAAAAAAAAAAAAAA"):
            self.refused(400, headers={"Sec-WebSocket-Key": key})

    def test_there_must_be_one_host(self) -> None:
        self.refused(400, headers={"Host": None})
        self.refused(400, headers={"Host": "a.example\r\nHost: b.example"})

    def test_a_page_that_is_named_may_come(self) -> None:
        for origin in (PAGE, "HTTPS://PLAY.EXAMPLE", "http://localhost:8000", None):
            self.opened("/play", Origin=origin)

    def test_the_policy_sees_which_page_it_is(self) -> None:
        told = self.accepted(self.coming("seen", "/play", Origin=PAGE))
        self.assertIn(f"\norigin {PAGE}", told["config"])
        told = self.accepted(self.coming("seen", "/play"))
        self.assertNotIn("origin", told["config"])

    def test_any_other_page_may_not(self) -> None:
        for origin in (
            "https://evil.example",
            "https://play.example.evil.example",
            "https://evilplay.example",
            "http://play.example",
            "https://play.example:8443",
            "http://localhost",
            "http://localhost:80000",
            "null",
            "",
            "https://" + "x" * 1000,
        ):
            self.refused(403, headers={"Origin": origin})
        self.assertGreaterEqual(self.metric("usher_knocks_refused_total"), 10)

    def test_a_second_origin_is_refused(self) -> None:
        client = self.connection()
        client.ask("/play", {"Origin": f"{PAGE}\r\nOrigin: {PAGE}"})
        self.assertEqual(client.answer()[0], 403)

    def test_a_page_that_may_not_come_hears_nothing_else(self) -> None:
        self.refused(403, headers={"Origin": "https://evil.example", "Upgrade": None})

    def test_a_name_that_is_none_is_refused(self) -> None:
        for query in ("name=%00", "name=%ff", "name=%4", "name=" + "x" * 129, "name=a%0Ab"):
            self.refused(400, f"/play?{query}")

    def test_the_name_is_what_the_query_says(self) -> None:
        for query, name in (
            ("?name=R9", "R9"),
            ("?x=1&name=a+b%20c", "a b c"),
            ("?name=J%C3%BCrgen", "Jürgen"),
        ):
            told = self.accepted(self.coming(b"", f"/play{query}"))
            self.assertEqual(told["name"], name)

    def test_what_is_no_http_is_closed(self) -> None:
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"hello\r\n\r\n", b"\x00" * 64):
            client = self.connection()
            client.socket.sendall(garbage)
            try:
                status, _, _ = client.answer()
            except Exception:
                continue
            self.assertEqual(status, 400)

    def test_a_head_that_does_not_end_is_cut_off(self) -> None:
        client = self.connection()
        try:
            client.socket.sendall(b"GET /play HTTP/1.1\r\nX: " + b"x" * 40_000)
            status, _, _ = client.answer()
            self.assertEqual(status, 431)
        except ConnectionError:
            pass


class Pages(Refusing):
    """Only web pages may come."""

    settings = {"door": f'path = "/play"\norigins = ["{PAGE}"]\nrequire-origin = true'}

    def test_who_is_no_page_is_refused(self) -> None:
        self.refused(403)
        self.opened("/play", Origin=PAGE)


class AnyPage(HostCase):
    settings = {"door": 'origins = ["*"]'}

    def test_every_page_may_come(self) -> None:
        for origin in ("https://anything.example", "null", None):
            self.opened("/", Origin=origin)


class Proxies(Refusing):
    """A proxy in front says on whose behalf it connects."""

    settings = {"per_address": 1, "door": 'path = "/play"\nproxies = ["127.0.0.1", "10.0.0.0/8"]'}

    def wait_at(self, address: str) -> Client:
        client = self.coming("wait:Please wait", "/play", X_Forwarded_For=address)
        return client

    def test_each_address_behind_the_proxy_has_its_own_share(self) -> None:
        first = self.wait_at("192.0.2.1")
        self.assertEqual(first.told()["type"], "status")
        other = self.wait_at("192.0.2.2, 10.1.2.3")
        self.assertEqual(other.told()["type"], "status")
        # What a client writes itself stands before what the proxy adds, and is not believed.
        second = self.wait_at("198.51.100.9, 192.0.2.1")
        self.assertEqual(self.rejected(second)["code"], "address-share")

    def test_a_proxy_that_does_not_say_is_refused(self) -> None:
        for said in (None, "", "unknown", "192.0.2.1,"):
            self.refused(400, headers={"X-Forwarded-For": said})


class NoProxies(HostCase):
    settings = {"per_address": 1}

    def test_who_is_no_proxy_is_not_believed(self) -> None:
        first = self.coming("wait:Please wait", X_Forwarded_For="192.0.2.1")
        self.assertEqual(first.told()["type"], "status")
        second = self.coming("wait:Please wait", X_Forwarded_For="192.0.2.2")
        self.assertEqual(self.rejected(second)["code"], "address-share")


class FirstMessage(HostCase):
    settings = {"door": 'first-message-timeout = "1s"'}

    def test_who_says_nothing_is_closed(self) -> None:
        client = self.connection()
        client.end(SOON)

    def test_who_does_not_end_its_request_is_closed(self) -> None:
        client = self.connection()
        client.socket.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        while client._receive(time.monotonic() + SOON):
            pass

    def test_who_says_nothing_over_its_websocket_is_told(self) -> None:
        client = self.opened()
        self.ended(client, "first-message-timeout", 1008)

    def test_pings_are_no_first_message(self) -> None:
        client = self.opened()
        client.send(ws.PING, b"there?")
        frame = client.frame()
        self.assertEqual((frame.opcode, frame.payload), (ws.PONG, b"there?"))
        self.ended(client, "first-message-timeout", 1008)

    def test_a_first_message_that_does_not_end_is_none(self) -> None:
        client = self.opened()
        client.send(ws.BINARY, b"accept:", fin=False)
        self.ended(client, "first-message-timeout", 1008)

    def test_who_says_goodbye_first_is_answered(self) -> None:
        self.opened().leave(1000)
        self.opened().leave(None)


if __name__ == "__main__":
    unittest.main()
