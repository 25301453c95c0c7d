"""Tests that mostly wait, several at a time: those of launches, which start ranks and see them end.

Each test has to have a folder of its own, and may change nothing that others see."""

import io
import os
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor


def each_test(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from each_test(one)
        else:
            yield one


def run_one(test):
    """The result of a test and what there is to say of it."""
    told = io.StringIO()
    result = unittest.TextTestRunner(stream=told, verbosity=0).run(test)
    return result, told.getvalue()


def run_crowd(at_once, words):
    """Runs the tests of the program that calls it, or those that `words` name, and ends it with their status."""
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    suite = loader.loadTestsFromNames(words, module) if words else loader.loadTestsFromModule(module)
    tests = list(each_test(suite))
    begun = time.monotonic()
    with ThreadPoolExecutor(max_workers=at_once) as crowd:
        done = list(crowd.map(run_one, tests))
    wrong = [told for result, told in done if not result.wasSuccessful()]
    print(*wrong, sep="", end="", file=sys.stderr)
    skipped = sum(len(result.skipped) for result, _ in done)
    print(f"{len(tests)} tests, {at_once} at a time, {len(wrong)} failed, {skipped} skipped, in {time.monotonic() - begun:.1f} s",
          file=sys.stderr)
    sys.exit(1 if wrong or not tests else 0)


def waiting(launcher):
    """How many launches at a time: ranks of MPICH spin while they wait, those of Open MPI give their processor away."""
    return 2 if "mpich" in launcher else 3 * (os.cpu_count() or 1)
