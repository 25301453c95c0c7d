"""What the tests of limits share: running `tessera` on hostile input within bounds of time and memory.

Every test file is a program: test_X.py PATH/TO/tessera BUILD-TYPE."""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

# Seconds of processor time, which other programs do not use up; without optimisation more. By the clock, what takes
# HANG times that long counts as hanging. The longest take 6 to 10 s alone, and 13 beside programs that share the caches.
HANG = 5
SECONDS_MAX = {"Release": 24, "RelWithDebInfo": 150}  # the latter under the sanitizers
SECONDS_MAX_OTHERWISE = 150
RESIDENT_BYTES_MAX = 3 << 30

# No word of the parser generator's may reach a user.
FOREIGN_WORDS = ["antlr", "token", "viable", "mismatched", "extraneous", "NEWLINE", "EOF", "<INVALID>", "terminate called",
                 "Sanitizer", "std::", "core dumped"]

PROGRAM = 1
COMMAND = 2
WORLD = 3


@dataclass
class Done:
    status: int
    out: str
    err: str
    seconds: float  # of processor time
    resident_bytes: int


class Hostile(unittest.TestCase):
    executable = ""
    build_type = ""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tessera_limits_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8"}

    def seconds_max(self):
        return SECONDS_MAX.get(self.build_type, SECONDS_MAX_OTHERWISE)

    def write(self, data, name="hostile.tess"):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    def tessera(self, *arguments, given=os.devnull, limit=None):
        """Runs `tessera ARGUMENTS` with a file as its input; a signal, a hang or a lot of memory fails the test."""
        with open(given, "rb") as text, open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            process = subprocess.Popen([self.executable, *arguments], stdin=text, stdout=out, stderr=err,
                                       cwd=self.folder, env=self.environment)
            limit = limit or self.seconds_max()
            status, usage = self.wait(process, HANG * limit, arguments)
            seconds = usage.ru_utime + usage.ru_stime
        done = Done(status, self.text_of("out"), self.text_of("err"), seconds, usage.ru_maxrss * 1024)
        self.assertLess(seconds, limit, f"tessera {arguments}")
        self.assertGreaterEqual(done.status, 0, f"a signal ended tessera {arguments}: {done.err[-2000:]}")
        if "Sanitizer" not in self.build_type:
            self.assertLess(done.resident_bytes, RESIDENT_BYTES_MAX, f"tessera {arguments}")
        return done

    def wait(self, process, limit, arguments):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage
            time.sleep(0.002)
        process.kill()
        process.wait()
        self.fail(f"tessera {arguments} had not ended after {limit} s")

    def text_of(self, name):
        return (self.folder / name).read_bytes().decode(errors="replace")

    def expect(self, done, statuses, what):
        self.assertIn(done.status, statuses, f"{what}: {done.err[:1500]}")
        if done.status != 0:
            self.assertTrue((done.err + done.out).strip(), f"{what} fails without a word")
        for word in FOREIGN_WORDS:
            self.assertNotIn(word, done.err, what)
        self.assertNotIn("internal", done.err, what)

    def refused(self, text, slug=None, commands=("check", "run"), statuses=(PROGRAM,)):
        """The text ends in a diagnostic (of that slug) by every command."""
        path = self.write(text)
        for command in commands:
            done = self.tessera(command, path)
            self.expect(done, statuses, f"tessera {command}")
            if slug is not None:
                self.assertIn(f"[{slug}]", done.err, f"tessera {command}")

    def accepted(self, text, commands=("check", "run")):
        path = self.write(text)
        for command in commands:
            done = self.tessera(command, path)
            self.expect(done, (0,), f"tessera {command}")

    def survived(self, text, commands=("check", "run", "fmt")):
        """Accepted or refused: both are fine."""
        path = self.write(text)
        for command in commands:
            self.expect(self.tessera(command, path), (0, PROGRAM), f"tessera {command}")


def garbage(count, seed):
    return random.Random(seed).randbytes(count)


def main():
    Hostile.executable = os.path.abspath(sys.argv.pop(1))
    Hostile.build_type = sys.argv.pop(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
