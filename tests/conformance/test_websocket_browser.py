"""The example page in a real browser, against a real door. Skipped, and said so, where there is no Chromium.

`USHER_BROWSER` is the path of one; without it those of Debian are looked for.
"""

from __future__ import annotations

import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from websocket_case import Guests, serve

PAGE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "websocket.html"

# Its own name first, then Debian's, then Google's.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

# A browser takes a while to start.
LATER = 60.0

# Reports what the page shows: each line of its log, as it comes.
WATCH = """
<script>
const at_ = (id) => document.getElementById(id);
let told_ = 0;
// One after the other, so that they come in their order.
let telling_ = Promise.resolve();
function tell_(line) {
  telling_ = telling_.then(() => fetch("/told", { method: "POST", body: line }));
}
function report_() {
  const lines = at_("log").textContent.split("\\n").slice(0, -1);
  for (; told_ < lines.length; told_ += 1) tell_(lines[told_]);
}
new MutationObserver(report_).observe(at_("log"), { childList: true, characterData: true, subtree: true });
async function obey_() {
  for (;;) {
    const order = await (await fetch("/order")).text();
    try { if (order) (0, eval)(order); }
    catch (error) { tell_("! " + error); }
  }
}
window.onerror = (message) => { tell_("! " + message); };
obey_();
</script>
"""


def browser() -> str:
    """The path of a browser; skips the test where there is none."""
    named = os.environ.get("USHER_BROWSER")
    found = [named] if named else [path for path in map(shutil.which, BROWSERS) if path]
    if not found:
        raise unittest.SkipTest("there is no Chromium: install Debian's chromium-headless-shell")
    return found[0]


class Site:
    """Serves the page, hands it orders and hears what it shows."""

    def __init__(self) -> None:
        site = self
        self.told: "queue.Queue[str]" = queue.Queue()
        self.orders: "queue.Queue[str]" = queue.Queue()
        self.over = False

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/order":
                    try:
                        body = site.orders.get(timeout=0.2 if site.over else 5).encode()
                    except queue.Empty:
                        body = b""
                    self.answer("text/plain; charset=utf-8", body)
                elif self.path == "/websocket.html":
                    self.answer("text/html; charset=utf-8", PAGE.read_bytes() + WATCH.encode())
                else:
                    self.send_error(404)

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                site.told.put(self.rfile.read(length).decode())
                self.answer("text/plain", b"")

            def answer(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                try:
                    self.end_headers()
                    self.wfile.write(body)
                except ConnectionError:
                    # The page has gone.
                    pass

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.over = True
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """A browser that shows one page."""

    def __init__(self, url: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="usher-browser-")
        words = [browser(), "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        words += ["--remote-debugging-port=0", f"--user-data-dir={self.folder}"]
        # Chromium's sandbox does not run as root.
        words += ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [*words, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # What is started may be a script that starts the browser: all of them end together.
            start_new_session=True,
        )

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page(Guests):
    """The page that docs/protocols/websocket.md points at."""

    apart = True

    def setUp(self) -> None:
        super().setUp()
        browser()
        self.site = Site()
        self.addCleanup(self.site.close)
        origin = f"http://127.0.0.1:{self.site.port}"
        self.usher = serve(door=f'origins = ["{origin}"]', max_players=1, status_interval="1s")
        self.addCleanup(self.usher.stop)

    def show(self, host: str) -> None:
        """Opens the page, as one of this host's."""
        page = Browser(f"http://{host}:{self.site.port}/websocket.html")
        self.addCleanup(page.close)
        self.fill(door=f"ws://127.0.0.1:{self.usher.tcp_port}/")

    def order(self, script: str) -> None:
        self.site.orders.put(script)

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.order(f"at_({json.dumps(name)}).value = {json.dumps(value)}")

    def press(self, form: str) -> None:
        self.order(f"at_({json.dumps(form)}).requestSubmit()")

    def line(self, patience: float = LATER) -> str:
        """The next line that the page shows."""
        try:
            return self.site.told.get(timeout=patience)
        except queue.Empty:
            raise AssertionError("the page shows nothing") from None

    def test_a_page_waits_plays_and_leaves(self) -> None:
        first = self.joined("queue")
        self.show("127.0.0.1")
        self.fill(name="R9", ticket="queue")
        self.press("come")
        self.assertIn(self.line(), ("You are in the queue (1)", "You are 1 of 1 in the queue (1)"))
        first.leave()
        line = self.line()
        while line == "You are 1 of 1 in the queue (1)":
            line = self.line()
        self.assertEqual(line, "in, as R9 in main")
        self.fill(words="Grüße")
        self.press("say")
        self.assertEqual(self.line(), "< Grüße")
        self.order("at_('leave').click()")
        self.assertEqual(self.line(), "closed (1000)")

        # What it is told when it is not let in.
        self.fill(ticket="reject:Nicht heute.")
        self.press("come")
        self.assertEqual(self.line(), "not let in (told-to): Nicht heute.")
        self.assertEqual(self.line(), "closed (4000)")

        # What it is told when it is sent away.
        self.fill(ticket="accept:")
        self.press("come")
        self.assertEqual(self.line(), "in, as R9 in main")
        self.fill(words="Xkick:No cheating.")
        self.press("say")
        self.assertEqual(self.line(), "over (kicked): No cheating.")
        self.assertEqual(self.line(), "closed (4001)")

        # A page that is closed or reloaded has left the game.
        self.press("come")
        self.assertEqual(self.line(), "in, as R9 in main")
        self.wait_for_players(1)
        self.order("location.reload()")
        self.wait_for_players(0, LATER)

    def test_a_page_of_another_origin_is_kept_out(self) -> None:
        self.show("localhost")
        self.fill(ticket="accept:")
        before = self.metric("usher_knocks_refused_total")
        self.press("come")
        self.assertEqual(self.line(), "closed (1006)")
        self.assertEqual(self.metric("usher_knocks_refused_total"), before + 1)


if __name__ == "__main__":
    unittest.main()
