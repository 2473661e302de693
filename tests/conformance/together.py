"""Tests that spend their time waiting, run at the same time.

A module whose tests mostly wait for something that a host does says

    def load_tests(loader, tests, pattern):
        return Together(tests)

Tests that share a host, which are those of one class, run one after the other; a class that sets
`apart = True` has a host for each of its tests, and these run at the same time too. Results are reported in
the usual order, as if all had run one after the other.
"""

from __future__ import annotations

import threading
import unittest
from typing import Any, Dict, Iterator, List, Tuple

# More would make each other late.
AT_ONCE = 10


class Notes(unittest.TestResult):
    """What a test said to its result, to be said again."""

    def __init__(self) -> None:
        super().__init__()
        self.said: List[Tuple[str, Tuple[Any, ...]]] = []

    def say(self, to: unittest.TestResult) -> None:
        for what, arguments in self.said:
            getattr(to, what)(*arguments)


def _noted(name: str) -> Any:
    def note(self: Notes, *arguments: Any) -> None:
        self.said.append((name, arguments))

    return note


for _name in (
    "startTest",
    "stopTest",
    "addSuccess",
    "addError",
    "addFailure",
    "addSkip",
    "addExpectedFailure",
    "addUnexpectedSuccess",
    "addSubTest",
):
    setattr(Notes, _name, _noted(_name))


class Together(unittest.TestSuite):
    """Runs its tests on threads. They may not have fixtures of their module."""

    def run(self, result: unittest.TestResult, debug: bool = False) -> unittest.TestResult:
        units = list(_units(self))
        notes = [Notes() for _ in units]
        free = threading.Semaphore(AT_ONCE)

        def one(unit: unittest.TestSuite, to: Notes) -> None:
            with free:
                unit.run(to)

        threads = [
            threading.Thread(target=one, args=pair, daemon=True) for pair in zip(units, notes)
        ]
        for thread in threads:
            thread.start()
        for thread, note in zip(threads, notes):
            thread.join()
            note.say(result)
        return result


def _units(suite: unittest.TestSuite) -> Iterator[unittest.TestSuite]:
    """What may run at the same time as the rest."""
    by_class: Dict[type, List[unittest.TestCase]] = {}
    for test in _each(suite):
        by_class.setdefault(type(test), []).append(test)
    for kind, tests in by_class.items():
        if getattr(kind, "apart", False):
            yield from (unittest.TestSuite([test]) for test in tests)
        else:
            yield unittest.TestSuite(tests)


def _each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from _each(one)
        else:
            yield one
