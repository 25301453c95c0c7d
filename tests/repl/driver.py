"""What the tests of the executable share: a folder of one's own, and running `tessera` in it.

Every test file is a program: test_X.py PATH/TO/tessera."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

SECONDS_MAX = 60


@dataclass
class Done:
    """How a command line ended."""

    status: int
    out: str
    err: str

    def objects(self):
        """Standard output as JSON objects, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def received_by(told):
    """The bytes that each statement received, by what `run --stats` says: `192 B`, `12 KiB`, `64 MiB (67108872 bytes)`."""
    units = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    found = re.findall(r"received ([0-9.]+) (\w+)(?: \((\d+) bytes\))? in all", told)
    return [int(exact) if exact else round(float(count) * units[unit]) for count, unit, exact in found]


class CommandLine(unittest.TestCase):
    executable = ""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tessera_repl_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        self.environment["XDG_STATE_HOME"] = str(self.folder / "state")  # the history of whoever runs the tests is left alone
        self.environment.pop("NO_COLOR", None)

    def write(self, name, text):
        """A file in the folder; gives its name."""
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)
        return name

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def tessera(self, *arguments, text="", **options):
        """Runs `tessera ARGUMENTS` with `text` on its standard input."""
        data = text if isinstance(text, bytes) else text.encode()
        if "stdin" not in options:
            options["input"] = data
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run([self.executable, *arguments], cwd=self.folder, env=self.environment, timeout=SECONDS_MAX,
                              check=False, **options)
        return Done(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())

    def shell(self, script):
        """Runs a line of sh, where $tessera is the executable."""
        with subprocess.Popen(["sh", "-c", script], cwd=self.folder, env={**self.environment, "tessera": self.executable},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # what the shell has started, too
                raise
        return Done(process.returncode, out.decode(), err.decode())

    def skip_under_sanitizers(self):
        """Their shadow memory takes terabytes of address space."""
        if b"__asan_init" in Path(self.executable).read_bytes():
            self.skipTest("AddressSanitizer needs all the address space")

    def succeeds(self, *arguments, **options):
        """Runs, wants status 0 and nothing on standard error; gives standard output."""
        done = self.tessera(*arguments, **options)
        self.assertEqual((done.status, done.err), (0, ""), done)
        return done.out

    def fails(self, status, *arguments, **options):
        """Runs, wants this status and something on standard error; gives it all."""
        done = self.tessera(*arguments, **options)
        self.assertEqual(done.status, status, done)
        self.assertNotEqual(done.err, "")
        return done


def main():
    CommandLine.executable = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=1)
