"""tessera without a command: statements from standard input."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from driver import CommandLine, main
from terminal import ESCAPES


class Piped(CommandLine):
    def test_results_without_prompts(self):
        self.assertEqual(self.succeeds(text="mesh m = [x: 2]\nlet a = iota(f32[4@x])\nsum(a)\nprint a[1]\n"),
                         "a : f32[4@x]\n6.0\n1.0\n")

    def test_statements_may_span_lines(self):
        self.assertEqual(self.succeeds(text="let a = (1 +\n  2)\nfn f(x: i64) -> i64 {\n  let y = x * 2\n  y\n}\nf(a)"),
                         "a : i64\n6\n")

    def test_a_failure_changes_nothing_and_the_rest_runs(self):
        done = self.fails(1, text="let a = 1\nlet a = b\nlet c = )\nprint a\n")
        self.assertEqual(done.out, "a : i64\n1\n")
        self.assertEqual(done.err.count("error["), 2)

    def test_a_statement_that_fails_while_it_runs(self):
        done = self.fails(1, text="let a = 1\nlet a = 2; assert a == 1\nprint a\n")
        self.assertEqual(done.out, "a : i64\n1\n")

    def test_places_count_the_lines_of_the_input(self):
        done = self.fails(1, text="let a = 1\n\n# a remark\nlet b = (a +\n  c)\n")
        self.assertIn("  <stdin>:5:3\n", done.err)

    def test_an_input_that_never_ends_its_statement(self):
        self.fails(1, text="let a = (1 +\n")
        self.fails(1, text="let a = (\n" * 20_000)

    def test_commands(self):
        self.assertIn(":quit", self.succeeds(text=":help\n"))
        self.assertEqual(self.succeeds(text="1 + 1\n:quit\nnothing\n"), "2\n")
        self.assertIn(":nothing", self.fails(1, text=":nothing\n").err)

    def test_an_option_without_its_value_at_the_end(self):
        done = self.fails(1, text="let a = 1\n:plan a --within\n")
        self.assertIn("help: write `:plan --within SIZE EXPRESSION`\n", done.err)

    def test_every_byte_that_is_counted_has_its_place(self):
        program = "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet i = 3\n"
        movers = ["a[1:7]", "a[i:i+2]", "pad(a, [[1, 1]])", "update(a, 3, a[0:2])", "concat([a, a], 0)",
                  "reshape(iota(f32[6@x, 4]), [4, 6])", "all_gather(a[1:7], 0, x)"]
        for mover in movers:
            with self.subTest(mover=mover):
                bound = f"{program}let b = {mover}\n"
                self.assertIn("in all", self.succeeds(text=bound + ":stats\n"))
                for command in (":why", ":compare", ":step", ":plan"):
                    for asked in ("b", mover):
                        out = self.succeeds(text=f"{bound}{command} {asked}\n")
                        self.assertNotIn("nothing", out)
                        self.assertRegex(out, r"\d B|bytes")

    def test_a_statement_that_moves_nothing(self):
        program = "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a + 1.0\n"
        for command in (":why", ":compare", ":step", ":plan"):
            self.assertIn("nothing", self.succeeds(text=f"{program}{command} b\n"))

    def test_a_plan_that_ran_is_of_the_machine_of_then(self):
        self.write("slow.json", '[{"name": "node", "count": 2, "bandwidth": 1e9, "latency": 1e-3}]')
        asked = "iota(f32[4@x]) as [4]"
        out = self.succeeds(text=f"mesh m = [x: 2]\nlet b = {asked}\n:machine slow.json\n:plan b\n:why b\n:plan {asked}\n")
        self.assertEqual(out.count("modelled: links of 100 GB/s and 1 us, assumed"), 2, out)
        self.assertEqual(out.count("this ran before :machine"), 2, out)
        self.assertIn("modelled: node 1 GB/s and 1 ms, as given\n", out.split("\nthis ran")[-1])

    def test_a_limit_of_memory(self):
        done = self.fails(1, text=":set memory 1KiB\n:set\nlet a = ones(f32[1000])\n:set memory default\nlet a = ones(f32[1000])\n"
                                  ":set memory lots\n:set memory\n:set colour red\n")
        self.assertRegex(done.out, r"\Agpu off\n .*\nmemory 1024\n .*\nreshard silent\n .*\na : f32\[1000\]\n\Z")
        self.assertIn("error[out-of-memory-plan]", done.err)
        self.assertEqual(done.err.count("help: :set memory 4GiB or :set memory default\n"), 2)
        self.assertIn("there is no setting `colour`", done.err)

    def test_empty_inputs(self):
        for text in ["", "\n", "\n\n  \n# only\n", b"\r\n"]:
            self.assertEqual(self.succeeds(text=text), "")

    def test_answers_come_at_once(self):
        """One who writes a statement and waits for its answer gets it."""
        process = subprocess.Popen([self.executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.folder)
        for value in range(3):
            process.stdin.write(f"{value} + 1\n".encode())
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], 30)
            self.assertTrue(ready)
            self.assertEqual(os.read(process.stdout.fileno(), 100), f"{value + 1}\n".encode())
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)
        process.stdout.close()


class Terminal(CommandLine):
    """The same on a pseudo-terminal."""

    def start(self, *arguments, **environment):
        terminal, inside = pty.openpty()
        process = subprocess.Popen([self.executable, *arguments], stdin=inside, stdout=inside, stderr=inside, cwd=self.folder,
                                   env={**self.environment, **environment}, start_new_session=True,
                                   preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(inside)
        self.addCleanup(os.close, terminal)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return terminal, process

    def until(self, terminal, ending, within=""):
        """What the terminal shows, until it holds `within` and then ends in `ending`, but for what moves and colours."""
        text = ""
        deadline = time.monotonic() + 30
        while within not in text or not ESCAPES.sub("", text).endswith(ending):
            ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
            self.assertTrue(ready, text)
            try:
                text += os.read(terminal, 10_000).decode()
            except OSError:
                break
        return text

    def test_prompts(self):
        terminal, process = self.start()
        banner = self.until(terminal, "> ")
        self.assertTrue(banner.startswith("tessera "), banner)
        self.assertEqual(banner.count("\n"), 1)
        os.write(terminal, b"let a = (1 +\n")
        self.until(terminal, ". ")
        os.write(terminal, b"2)\n")
        self.until(terminal, "> ", "a : i64")
        os.write(terminal, b"b\n")
        self.until(terminal, "> ", "\x1b[1;31merror[unknown-name]\x1b[0m")
        os.write(terminal, b"\x04")
        self.assertEqual(process.wait(30), 0)

    def test_no_colour_where_none_is_wanted(self):
        terminal, _ = self.start(NO_COLOR="1")
        self.until(terminal, "> ")
        os.write(terminal, b"b\n")
        self.assertNotRegex(self.until(terminal, "> ", "error[unknown-name]"), r"\x1b\[[0-9;]*m")

    def test_interrupting_at_the_prompt_drops_the_line(self):
        terminal, process = self.start()
        self.until(terminal, "> ")
        os.write(terminal, b"let a = (1 +\n")
        self.until(terminal, ". ")
        os.write(terminal, b"\x03")
        time.sleep(0.5)  # the terminal itself drops what is written while it handles Ctrl-C
        os.write(terminal, b"\n")
        self.until(terminal, "> ")
        os.write(terminal, b"3 + 4\n")
        self.until(terminal, "> ", "7\r\n")
        os.write(terminal, b":quit\n")
        self.assertEqual(process.wait(30), 0)

    def test_interrupting_a_run_keeps_the_session(self):
        terminal, process = self.start()
        self.until(terminal, "> ")
        os.write(terminal, b"let kept = 7\n")
        self.until(terminal, "> ")
        os.write(terminal, b"let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }\n")
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        self.until(terminal, "> ", "interrupted")
        os.write(terminal, b"kept\n")
        self.until(terminal, "> ", "7\r\n")
        os.write(terminal, b":quit\n")
        self.assertEqual(process.wait(30), 0)


class Interrupting(CommandLine):
    SCRIPT = "let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }\nprint a\n"

    def test_a_script(self):
        process = subprocess.Popen([self.executable, "run", self.write("a.tess", self.SCRIPT)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (3, b""))
        self.assertIn(b"error[interrupted]", err)


if __name__ == "__main__":
    main()
