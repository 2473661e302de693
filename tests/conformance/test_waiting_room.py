"""The table of promises names tests that exist."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent


class Table(unittest.TestCase):
    def test_every_test_that_the_table_names_is_there(self) -> None:
        table = (TESTS / "WAITING_ROOM.md").read_text()
        rows = [line for line in table.splitlines() if line.startswith("| ")]
        named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[2])}
        self.assertGreater(len(named), 50)
        there = set()
        for file in Path(__file__).parent.glob("test_*.py"):
            there.update(re.findall(r"def (test_\w+)\(", file.read_text()))
        for folder in ("host", "tests", "policies", "client", "guest-sdk"):
            for file in (ROOT / folder).rglob("*.rs"):
                there.update(re.findall(r"fn (\w+)\(", file.read_text()))
        self.assertEqual(sorted(named - there), [])

    def test_every_promise_has_a_test(self) -> None:
        table = (TESTS / "WAITING_ROOM.md").read_text()
        rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
        without = [row[1] for row in rows if "`" not in row[2] and row[1].strip() != "Promise"]
        self.assertEqual(without, [])
