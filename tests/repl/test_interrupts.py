"""Ctrl-C amid what takes long: it ends soon, and the session is as it was."""

import itertools
import signal
import subprocess
import time
import unittest
from pathlib import Path

from driver import CommandLine, main

# A fifth of a second where the test has a processor for itself; a product of large blocks on a busy machine takes more.
SECONDS_MAX = 3
MESH = "mesh m = [" + ", ".join(f"{axis}: 4" for axis in "abcdefgh") + "]\n"
ONE_WAY = "16@(a,b), 16@(c,d), 16@(e,f), 16@(g,h)"


def other_ways(count):
    """Layouts of the same array: the axes in other orders, each of which takes a plan of its own."""
    for axes in itertools.islice(itertools.permutations("hgfedcba"), 1, count + 1):
        yield ", ".join(f"16@({first},{second})" for first, second in zip(axes[::2], axes[1::2]))



class Interrupts(CommandLine):
    def interrupts(self, script, before="", seconds=0.3, command=":load long.tess"):
        """Stops a script, or a command, so many seconds after it was begun: each takes much longer."""
        self.write("long.tess", script)
        session = subprocess.Popen([self.executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, text=True)
        self.addCleanup(session.kill)

        def enter(text):
            session.stdin.write(text)
            session.stdin.flush()

        def wait_for(answer):
            while (line := session.stdout.readline()) != answer:
                if line == "":
                    self.fail("the session has ended: " + session.stderr.read())

        enter(before + 'let kept = 7\nprint "ready"\n')
        wait_for("ready\n")
        enter(command + "\nprint kept\n")
        time.sleep(seconds)
        session.send_signal(signal.SIGINT)
        began = time.monotonic()
        wait_for("7\n")
        took = time.monotonic() - began
        out, err = session.communicate()
        self.assertEqual((session.returncode, out), (1, ""), err)
        self.assertEqual((err.count("error["), err.count("error[interrupted]")), (1, 1), err)
        self.assertLess(took, SECONDS_MAX)

    def test_the_prices_of_a_values_layouts(self):
        """Each of them is a search of its own."""
        block = (Path(__file__).parents[2] / "examples/auto/block.tess").read_text(encoding="utf-8")
        self.interrupts("", block, seconds=1, command=":choice step gu")

    def test_a_product(self):
        self.interrupts("print sum(a @ a @ a @ a)\n", "let a = ones(f64[5000, 5000])\n")

    def test_an_einstein_sum(self):
        self.interrupts('print einsum("ab,bc,ca->", a, a, a)\n', "let a = ones(f64[6000, 6000])\n")

    def test_a_sum_of_very_many(self):
        self.interrupts("print sum(broadcast(ones(f32[1]), [10000000000000]))\n")

    def test_running_sums_along_one_line(self):
        sums = "".join("let a = cumsum(a, 0)\n" for _ in range(100))
        self.interrupts(sums + "print sum(a)\n", "let a = iota(i64[40000000])\n")

    def test_generating(self):
        self.interrupts("print " + " + ".join(f"sum(normal(f64[20000000], {seed}))" for seed in range(30)) + "\n")

    def test_reading_a_long_list(self):
        self.interrupts("print sum([" + ", ".join(["1.0"] * 600_000) + "])\n")

    def test_checking_many_statements(self):
        self.interrupts("let a0 = ones(f32[8])\n" + "".join(f"let a{i + 1} = exp(a{i} + 1.0) * 2.0\n" for i in range(60_000)))

    def test_lowering_many_calls(self):
        function = "fn f(a: f32[8]) -> f32[8] {\n" + "".join("  let a = a + 1.0\n" for _ in range(300)) + "  a\n}\n"
        self.interrupts(function + "let a = ones(f32[8])\n" + "let a = f(a)\n" * 3000)

    def test_planning_for_many_devices(self):
        changes = "".join(f"let b = a as [{way}]\n" for way in other_ways(300))
        self.interrupts(changes, MESH + f"let a = ones(f32[{ONE_WAY}])\n")


if __name__ == "__main__":
    main()
