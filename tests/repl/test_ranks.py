"""tessera --ranks N: the session on MPI ranks, piped and at a terminal; what is said when a rank is lost, and what is left."""

import os
import re
import signal
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from crowd import waiting
from driver import CommandLine, main
from terminal import TAB, Terminal, complete_names

TRANSCRIPTS = sorted((Path(__file__).resolve().parent.parent / "cases" / "repl").glob("*.case"))
# Everything is over within so many seconds of a loss.
SOON = 5
LONG = "let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }"
# Seconds that something took, as answers write them, with their place in the order, their heading, and the blanks that
# bring them below each other.
SECONDS = re.compile(r" +(?:[0-9.e+-]+ (?:ns|us|ms|s)\b(?: \(\d+\))?|(?:time|measured)\b)(?: +(?=as ))?")


def children(process):
    """The processes below one, by id, with their words."""
    words, below = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words[int(folder.name)] = (folder / "cmdline").read_bytes().decode().split("\0")
        except (OSError, IndexError):
            continue
        below.setdefault(parent, []).append(int(folder.name))
    # Ids say nothing of age: they begin anew when they have been used up.
    found, left = {}, [process]
    while left:
        for one in below.get(left.pop(), []):
            found[one] = words[one]
            left.append(one)
    return found


def workers(process):
    """Ids of the ranks of a front end, in their order."""
    ranks = {}
    for one, words in children(process).items():
        if words[1:2] != ["worker"]:
            continue
        variables = Path(f"/proc/{one}/environ").read_bytes().decode().split("\0")
        rank = next(v for v in variables if v.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK=")))
        ranks[int(rank.split("=")[1])] = one
    return [ranks[rank] for rank in sorted(ranks)]


def is_there(process):
    """A process that has ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class RanksTest(CommandLine):
    def expect_gone(self, processes, seconds=SOON):
        deadline = time.monotonic() + seconds
        while any(is_there(one) for one in processes) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([one for one in processes if is_there(one)], [])


def typed(case):
    """The lines that a transcript types."""
    text = case.read_text(encoding="utf-8").split("--- repl", 1)[1]
    return "".join(line[2:] + "\n" for line in text.splitlines() if line.startswith(("> ", ". ")))


class Piped(RanksTest):
    def expect_the_same(self, text, ranks):
        self.compare(self.tessera(text=text), self.tessera("--ranks", str(ranks), text=text))

    def compare(self, alone, together):
        self.assertEqual(SECONDS.sub(" T", together.out), SECONDS.sub(" T", alone.out))
        self.assertEqual((together.status, together.err), (alone.status, alone.err))

    def test_the_transcripts(self):
        self.assertGreater(len(TRANSCRIPTS), 10)

        def run(case):
            text = typed(case).replace(":devices\n", "")
            return self.tessera(text=text), [self.tessera("--ranks", str(ranks), text=text) for ranks in (2, 3)]

        with ThreadPoolExecutor(max_workers=waiting(self.executable)) as crowd:
            for case, (alone, several) in zip(TRANSCRIPTS, crowd.map(run, TRANSCRIPTS)):
                for together in several:
                    with self.subTest(transcript=case.stem):
                        self.compare(alone, together)

    def test_devices_have_ranks(self):
        """Devices are dealt once, and again where a larger mesh is declared."""
        done = self.tessera("--ranks", "2", text="mesh a = [x: 2]\n:devices\nmesh b = [y: 2, z: 2]\n:devices\n")
        self.assertEqual(done.out, "device  x  rank\n0       0     0\n1       1     1\n"
                                   "device  y  z  in a  rank\n0       0  0     0     0\n1       0  1     1     0\n"
                                   "2       1  0     -     1\n3       1  1     -     1\n")

    def test_what_only_one_rank_can_know(self):
        """Files, times, and how many processors there are."""
        self.write("machine.json", '[{"name": "device", "count": 4, "bandwidth": 1e9, "latency": 1e-6}]')
        self.write("part.tess", "let loaded = iota(f32[8@x])\nprint sum(loaded)\n")
        text = ("mesh m = [x: 4]\n:load part.tess\n:load nowhere.tess\n:machine machine.json\n:machine nowhere.json\n"
                ":compare --run loaded as [8]\n:step loaded as [8]\n:time sum(loaded)\n:undo\n:reset\n"
                "mesh n = [y: 4]\nlet a = iota(i64[6@y])\nsave(a, \"a.npy\")\nload(\"a.npy\", i64[6])\nsum(a)\n:save saved.tess\n")
        for ranks in (2, 3, 5):
            done = self.tessera("--ranks", str(ranks), text=text)
            self.assertEqual(self.read("saved.tess").splitlines()[-1], "print sum(a)")
            alone = self.tessera(text=text)
            out = [re.sub(r"of \d+ runs?", "of R", SECONDS.sub(" T", one.out)) for one in (alone, done)]
            self.assertEqual(re.sub(r"best \S+", "best", out[1]), re.sub(r"best \S+", "best", out[0]))
            self.assertEqual((done.status, done.err), (alone.status, alone.err))

    def test_long_answers_and_long_lines(self):
        long_line = "print sum([" + "1, " * 50_000 + "1])"
        self.expect_the_same(long_line + "\n" + "show iota(f32[100, 100])\n" * 20 + long_line + "\n", 2)

    def test_one_rank_is_no_rank(self):
        self.expect_the_same("1 + 1\n", 1)

    def test_how_many(self):
        for ranks in ("0", "x", "-1", "2x", "1000000", "1.5"):
            done = self.fails(2, f"--ranks={ranks}")
            self.assertIn("--ranks needs a number of processes", done.err)
        # A slip of the finger would stop the machine.
        most = int(re.search(r"from 1 to (\d+) on this machine", self.fails(2, "--ranks=1000000").err)[1])
        self.assertTrue(64 <= most <= max(64, 16 * os.cpu_count()), most)
        self.assertIn(f"not `{most + 1}`", self.fails(2, f"--ranks={most + 1}").err)
        self.assertIn("mpirun", self.fails(2, "--ranks", "2", "run", "a.tess").err)
        self.assertIn("--ranks", self.fails(2, "worker").err)

    def test_messages_instead_of_shared_memory(self):
        self.environment["TESSERA_SHARED_MEMORY"] = "off"
        self.expect_the_same("mesh m = [x: 4]\nlet a = iota(f32[64@x, 8])\nlet b = a as [64, 8@x]\nshow b\nsum(b)\n", 3)

    def test_without_a_launcher(self):
        self.environment["PATH"] = str(self.folder)
        done = self.fails(3, "--ranks", "2", text="1\n")
        self.assertRegex(done.err, r"^error: there is no mpiexec\S* in PATH")

    def test_a_launcher_that_fails(self):
        for name in ("mpiexec", "mpiexec.openmpi", "mpiexec.mpich"):
            (self.folder / name).write_text("#!/bin/sh\necho no such host >&2\nexit 7\n", encoding="ascii")
            (self.folder / name).chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        done = self.fails(3, "--ranks", "2", text="1\n")
        self.assertEqual(done.err, "error: the session has ended: the ranks are gone; their launcher says\nno such host\n")


class AtATerminal(RanksTest):
    def setUp(self):
        super().setUp()
        self.environment["HOME"] = str(self.folder)
        self.environment.pop("COLUMNS", None)

    def start(self, ranks=3, **options):
        terminal = Terminal(self, "--ranks", str(ranks), **options)
        banner = terminal.prompt()
        self.assertIn(f"on {ranks} ranks of ", banner)
        self.ranks = workers(terminal.process.pid)
        self.assertEqual(len(self.ranks), ranks)
        self.started = [*children(terminal.process.pid)]
        return terminal

    def leave(self, terminal):
        began = time.monotonic()
        self.assertEqual(terminal.leave(), 0)
        self.assertLess(time.monotonic() - began, SOON)
        self.expect_gone(self.started)


class Talking(AtATerminal):
    def test_typing_and_answers(self):
        terminal = self.start()
        self.assertEqual(terminal.answer("1 + 2"), "3\n")
        self.assertEqual(terminal.answer("mesh m = [x: 4, y: 2]"), "")
        self.assertEqual(terminal.answer("let a = iota(f32[16@y, 16, 16@x])"),
                         "a : f32[16@y, 16, 16@x]     each device 8x16x4 (2 KiB), 1 copy\n")
        self.assertEqual(terminal.answer("let b = a as [16, 16@(x,y), 16]"),
                         "b : f32[16, 16@(x,y), 16]   all_to_all x, all_to_all y: 20 KiB in all, peak 4 KiB per device\n")
        self.assertIn("error[unknown-name]", terminal.answer("nothing"))
        self.assertIn("┌", terminal.answer("show iota(f32[4@x])"))
        terminal.type("let c = (1 +\r")
        terminal.until(r"\n\d+\. +$")
        self.assertRegex(terminal.answer("2)"), r"^\n?c : i64\n$")
        self.leave(terminal)

    def test_the_width_is_the_terminals(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 4, y: 2]")
        statement = "let a = iota(f32[16@y, 16, 16@x])"
        self.assertEqual(len(terminal.answer(statement).splitlines()), 1)
        terminal.resize(40)
        self.assertEqual(len(terminal.answer(statement).splitlines()), 2)

    def test_completion(self):
        self.write("a_script.tess", "let loaded = 41\n")
        terminal = self.start(2)
        complete_names(self, terminal)
        self.assertIn("loaded : i64", terminal.answer(":load a_s" + TAB))
        self.leave(terminal)

    def test_a_walk_and_the_course(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        terminal = self.start(2)
        terminal.answer("mesh m = [x: 2, y: 2]")
        terminal.answer("let a = iota(f32[4@x, 4@y])")
        terminal.type(":step a as [4, 4@(x,y)]\r")
        terminal.until(r"next step $")
        terminal.type("\r")
        terminal.until(r"step 1 of.*(?:next step |\n\d+> )$", typing=True)  # the question may be drawn anew first
        terminal.type("q\r")
        terminal.prompt()
        terminal.type(":learn 3\r")
        self.assertIn("Lesson 3 of ", terminal.until(r"(?:Enter: the rest of the page |\nlearn 3> )$", typing=True))
        terminal.type("\r")
        terminal.until(r"learn 3> $", typing=True)
        terminal.type(":quit\r")
        terminal.until(r"session\.\n\d+> $")
        self.assertEqual(terminal.answer("sum(a)"), "120.0\n")
        terminal.type(":quit\r")
        self.assertEqual(terminal.ended(), 0)
        self.expect_gone(self.started)

    def test_progress(self):
        terminal = self.start(2)
        terminal.answer("mesh m = [x: 2]")
        terminal.answer("let kept = 7")
        # Long enough on any machine: whoever waits for the line ends the run.
        terminal.enter(LONG)
        terminal.until(r"step \d+ of \d+, 0 B received")
        terminal.interrupt()
        self.assertIn("error[interrupted]", terminal.prompt())
        # The line is taken away before anything else is written there.
        self.assertRegex(terminal.text, r"0 B received\S*\r\x1b\[K[^r]*error")
        self.assertEqual(terminal.answer("kept"), "7\n")

    def test_it_starts_in_about_a_second(self):
        fastest = 60
        for _ in range(3):
            began = time.monotonic()
            self.start(4)
            fastest = min(fastest, time.monotonic() - began)
        print(f"4 ranks start in {fastest:.2f} s", file=sys.stderr)
        self.assertLess(fastest, 3)


class Interrupting(AtATerminal):
    def test_at_the_prompt_and_in_a_run(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 3]")
        terminal.answer("let kept = 7")
        terminal.type("let a = (1 +\r")
        terminal.until(r"\n\d+\. +$")
        terminal.interrupt()
        terminal.prompt()
        for statement in (LONG, ":time loop w = 0.0 for i < 1000000000 { w + 1.0 }"):
            terminal.enter(statement)
            time.sleep(0.7)
            began = time.monotonic()
            terminal.interrupt()
            self.assertIn("error[interrupted]", terminal.prompt())
            # A fifth of a second where the test has a processor for each rank.
            self.assertLess(time.monotonic() - began, 3)
        self.assertEqual(terminal.answer("kept"), "7\n")
        self.leave(terminal)

    def test_impatience(self):
        terminal = self.start(2)
        terminal.enter(LONG)
        time.sleep(0.5)
        for _ in range(5):
            terminal.interrupt()
            time.sleep(0.001)
        terminal.until(r"interrupted.*> $")
        time.sleep(0.3)
        terminal.type("\x151\r")
        terminal.until(r"\n1\n\d+> $")
        self.leave(terminal)


class Losing(AtATerminal):
    def expect_loss(self, terminal, rank, began):
        self.assertEqual(terminal.ended(), 3)
        self.assertLess(time.monotonic() - began, SOON)
        said = terminal.until(r"error[^\n]*\n$")
        # MPICH's launcher does not know which rank was the first.
        self.assertRegex(said, rf"\nerror: the session has ended: (a rank|rank {rank}) is gone[^\n]*\n$")
        if "Open MPI" in terminal.text:
            self.assertIn(f"rank {rank} is gone", said)
        self.assertEqual(said.count("error"), 1, said)
        self.expect_gone(self.started)

    def test_a_killed_rank_while_nothing_runs(self):
        for rank in range(3):
            with self.subTest(rank=rank):
                terminal = self.start()
                terminal.answer("1")
                began = time.monotonic()
                os.kill(self.ranks[rank], signal.SIGKILL)
                self.expect_loss(terminal, rank, began)

    def test_a_killed_rank_in_a_run(self):
        for rank in range(3):
            with self.subTest(rank=rank):
                terminal = self.start()
                terminal.answer("mesh m = [x: 3]")
                terminal.enter("let a = loop b = iota(f32[300@x, 30]) for i < 1000000 { (b as [300, 30@x]) as [300@x, 30] }")
                time.sleep(0.5)
                began = time.monotonic()
                os.kill(self.ranks[rank], signal.SIGKILL)
                self.expect_loss(terminal, rank, began)

    def test_a_killed_launcher(self):
        terminal = self.start()
        launcher = min(self.started)
        began = time.monotonic()
        os.kill(launcher, signal.SIGKILL)
        self.assertEqual(terminal.ended(), 3)
        self.assertLess(time.monotonic() - began, SOON)
        terminal.until(r"\nerror: the session has ended: the ranks are gone\n$")
        self.expect_gone(self.started)

    def test_a_killed_front_end(self):
        for statement in ("1", LONG):
            terminal = self.start()
            terminal.enter(statement)
            time.sleep(0.3)
            terminal.process.kill()
            self.expect_gone(self.started)

    def test_a_terminal_that_goes_away(self):
        terminal = self.start()
        terminal.signal(signal.SIGHUP)
        terminal.process.wait(10)
        self.expect_gone(self.started)


if __name__ == "__main__":
    main()
