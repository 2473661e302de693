"""What a player of a `websocket` door says is in no log, however much of it is asked for."""

from __future__ import annotations

import os
import unittest
from unittest.mock import patch

from websocket_case import Guests, serve


class Secrets(Guests):
    def test_neither_a_ticket_nor_the_game_is_in_the_log_or_the_metrics(self) -> None:
        with patch.dict(os.environ, {"RUST_LOG": "trace"}):
            self.usher = serve(more='[audit]\nfile = "audit.jsonl"')
        self.addCleanup(self.usher.stop)
        player = self.joined("accept:hush-ticket")
        self.echoes(player, b"\x01hush-game")
        refused = self.coming("reject:no hush-reason")
        self.rejected(refused)
        bad = self.waiting("wait:hush-status")
        bad.say("hush-early")
        self.ended(bad, "early-message", 1002)
        long = self.opened()
        long.send(1, b"hush-utf8 \xff")
        self.ended(long, "not-utf8", 1007)
        player.leave()
        self.wait_for_players(0)
        audit = lambda: (self.usher.folder / "audit.jsonl").read_text()
        # The reason of a refusal is what the audit is for.
        self.until("the audit to say it", lambda: "hush-reason" in audit())
        self.until("the log to say it", lambda: "over: left" in self.usher.log())
        _, metrics = self.usher.request("GET", "/metrics")
        said = self.usher.log() + metrics.decode()
        for secret in ("ticket", "game", "status", "early", "utf8"):
            self.assertNotIn(f"hush-{secret}", said)
        self.assertNotIn("hush-ticket", audit())


if __name__ == "__main__":
    unittest.main()
