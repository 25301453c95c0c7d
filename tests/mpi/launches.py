"""What the tests of the command line on ranks share: scripts in folders of their own, launches, and what came of them."""

import contextlib
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

# Seconds within which everything has to be over, whatever happens to a rank.
HANG = 60
ENDS_WITHIN = 10  # seconds after a kill


@dataclass
class Done:
    status: int
    out: str
    err: str
    seconds: float

    def diagnostics(self):
        """The headers of what went wrong: `error[slug]: message`."""
        return [line for line in self.err.splitlines() if line.startswith("error")]


def holders(*pipes):
    """The processes that may still write to what we read from these pipes."""
    inodes = {f"pipe:[{os.fstat(pipe.fileno()).st_ino}]" for pipe in pipes}
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if any(os.readlink(one) in inodes for one in (folder / "fd").iterdir()):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def told(process):
    """What a process runs, and where each of its threads is."""
    folder = Path("/proc") / str(process)
    try:
        words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        threads = [f"{(one / 'stat').read_text().rsplit(')', 1)[1].split()[0]} {(one / 'wchan').read_text()}"
                   for one in sorted((folder / "task").iterdir())]
    except OSError as gone:
        return str(gone)
    return f"{words}[{', '.join(threads)}]"


def ranks_below(process):
    """The ids of the processes below one that run tessera."""
    parents, found = {}, []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if len(words) > 1 and words[0].rsplit(b"/", 1)[-1].startswith(b"tessera"):
            found.append(int(folder.name))

    def is_below(one):
        while one > 1:
            if one == process:
                return True
            one = parents.get(one, 0)
        return False

    return sorted(one for one in found if is_below(one))


def rank_of(process):
    variables = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
    return int(next(v for v in variables if v.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK="))).split("=")[1])


def is_there(process):
    """A process that has ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def without_launcher_warnings(err):
    """Open MPI's launcher puts each shell that it starts on a host into a group, and warns where the shell, on a busy machine, was
    there first."""
    return re.sub(r"(?m)^\[\S+:\d+\] plm:rsh: Warning: setpgid\(.*\n", "", err)


class RanksTest(unittest.TestCase):
    mpirun = "mpirun"
    tessera = "tessera"
    hang = HANG

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

    def start(self, command, stdin=subprocess.DEVNULL, **options):
        return subprocess.Popen([str(word) for word in command], stdin=stdin, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder, start_new_session=True, **options)

    def finish(self, process, begin):
        try:
            out, err = process.communicate(timeout=self.hang)
        except subprocess.TimeoutExpired:
            left = holders(process.stdout, process.stderr)
            said = [f"{one}: {told(one)}" for one in left]
            process.kill()
            for one in left:
                # A launcher's own helper, or a rank, may be in a session of its own.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, 9)
            out, err = process.communicate(timeout=HANG)
            self.fail("it hangs:\n" + "\n".join([*said, out, err]))
        return Done(process.returncode, out, without_launcher_warnings(err), time.monotonic() - begin)

    def expect_line(self, process, text):
        """The next line of standard output, which has to come while the program runs."""
        self.assertTrue(select.select([process.stdout], [], [], HANG)[0], "no line comes")
        self.assertEqual(process.stdout.readline(), text + "\n")

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

    def expect_gone(self, processes, seconds=ENDS_WITHIN):
        deadline = time.monotonic() + seconds
        while any(is_there(one) for one in processes) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([one for one in processes if is_there(one)], [])

    def end_soon(self, process, ranks):
        """Where a rank is killed while it meets Open MPI's mpirun, that may say so and then wait for ever for a lock of its
        own PMIx: what counts is that no rank is left."""
        deadline = time.monotonic() + ENDS_WITHIN
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        self.expect_gone(ranks, 2)
        if process.poll() is None:
            self.assertNotIn("mpich", self.mpirun)
            self.assertEqual(ranks_below(process.pid), [])
            print("mpirun hangs, without a rank", file=sys.stderr)
            process.kill()
