"""What the tests of the command line on ranks share: scripts in folders of their own, launches, and what came of them."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

# Seconds within which everything has to be over, whatever happens to a rank.
HANG = 60


@dataclass
class Done:
    status: int
    out: str
    err: str
    seconds: float

    def diagnostics(self):
        """The headers of what went wrong: `error[slug]: message`."""
        return [line for line in self.err.splitlines() if line.startswith("error")]


class RanksTest(unittest.TestCase):
    mpirun = "mpirun"
    tessera = "tessera"

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tessera-ranks-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def script(self, text, name="program.tess"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def command(self, *arguments):
        return [self.tessera, *map(str, arguments)]

    def start(self, command, **options):
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder, start_new_session=True, **options)

    def finish(self, process, begin):
        try:
            out, err = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            self.fail("it hangs")
        return Done(process.returncode, out, err, time.monotonic() - begin)

    def launch(self, ranks, *arguments, mpirun=None, **options):
        """`tessera ARGUMENTS` on so many ranks."""
        begin = time.monotonic()
        return self.finish(self.start([mpirun or self.mpirun, "-np", ranks, *self.command(*arguments)], **options), begin)

    def launch_parts(self, *parts):
        """Ranks that differ: each part is (ranks, folder, arguments)."""
        words = [self.mpirun]
        for number, (ranks, folder, arguments) in enumerate(parts):
            words += ([":"] if number > 0 else []) + ["-np", ranks, "-wdir", folder, *self.command(*arguments)]
        begin = time.monotonic()
        return self.finish(self.start(words), begin)
