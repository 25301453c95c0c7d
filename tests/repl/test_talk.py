"""A lesson as a conversation: its commands, what is judged when, progress, and the prompt at a terminal."""

import os
import pty
import re
import select
import termios
import time
import unittest

from driver import CommandLine, main
from terminal import Terminal as OnATerminal
from test_learn import LESSON_COUNT, LESSONS, answer_of, flowing


class Conversation(CommandLine):
    def setUp(self):
        super().setUp()
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")

    def progress(self):
        return self.read("data/tessera/lessons").splitlines()

    def test_goes_on_where_it_was_left(self):
        first = self.succeeds("learn", text=answer_of(LESSONS[0]))
        self.assertIn("Lesson 1 of 44", first)
        self.assertIn("Right.", first)
        self.assertIn("Lesson 2 of 44", first)
        self.assertEqual(self.progress(), ["at copies", "done where-an-element-lives"])
        self.assertIn("Lesson 2 of 44", self.succeeds("learn", text=":quit\n"))
        listed = self.succeeds("learn", "--list")
        self.assertRegex(listed, r"(?m)^  1  done  What does one")
        self.assertRegex(listed, r"(?m)^  2  here  ")

    def test_the_whole_course(self):
        talk = "".join(map(answer_of, LESSONS))
        said = self.tessera("learn", text=talk + ":skip\n")  # golf, the last one, goes on until its player leaves
        self.assertEqual(said.status, 0)
        self.assertEqual(said.out.count("Right.\n"), LESSON_COUNT)
        self.assertIn("the last lesson", said.out)
        self.assertEqual(len(re.findall(r"(?m)^ *\d+  done ", self.succeeds("learn", "--list"))), LESSON_COUNT)

    def test_golf_goes_on_and_keeps_the_best_card(self):
        again = "let b = exchange(a, f32[16, 16@(x,y), 16])\n"
        said = self.succeeds("learn", "--lesson", str(LESSON_COUNT), text=answer_of(LESSONS[-1]) + again)
        self.assertEqual(said.count("Right.\n"), 2)
        self.assertIn("under par. This is your best card.\nBind `b` again to play on", said)
        self.assertIn("under par. Your best card is bytes 14336 of 20480, peak", flowing(said))
        self.assertNotIn("the last lesson", said)
        self.assertRegex("\n".join(self.progress()), r"done golf\ncard bytes 14336 20480, peak \d+ \d+, launches \d+ \d+$")
        # It is the best in the next session, too.
        said = self.succeeds("learn", "--lesson", str(LESSON_COUNT), text=answer_of(LESSONS[-1]))
        self.assertIn("Your best card is bytes 14336 of 20480", flowing(said))

    def test_names_are_judged_as_they_are_bound(self):
        said = self.succeeds("learn", "--lesson", "1", text="let shape = [3, 2]\nlet shape = [2, 3]\nlet bytes = 7\nlet bytes = 8\n")
        self.assertLess(said.index("the other way round"), said.index("Right so far: shape. Still to bind: bytes and copies."))
        # The picture is drawn on the page and for the first wrong answer, and not again.
        self.assertEqual(said.count("`bytes` is not"), 2)
        self.assertEqual(said.count("| device 0 "), 2)

    def test_the_commands_of_a_session_work(self):
        said = self.tessera("learn", "--lesson", "5", text=":plan a as [8, 8@x]\n:type a\n:compare a as [8, 8@x]\nlet received = 1\n:undo\n"
                            ":why a as [8, 8@x]\n:doc slice\n:list\n:step a as [8, 8@x]\na\n_ + 1.0\n:reset\n:load x.tess\n:quit\n")
        for words in ["all_to_all", "each device 2x8", "dtensor", "taken back: let received", "slice(a, dim, axes)", "  5  here", "step 1 of 1", "[ 1. "]:
            self.assertIn(words, said.out)
        self.assertEqual(said.err.count("does not go in a lesson"), 2)
        again = self.succeeds("learn", "--lesson", "5", text="let received = 48\n:undo\nlet b = all_to_all(a, x, 0, 1)\nlet peak = 128\n")
        self.assertIn("Still to bind: received.", again)
        self.assertNotIn("Right.\n", again)

    def test_lesson_21_can_be_done_inside(self):
        said = self.tessera("learn", "--lesson", "21", text=":plan --within 1 a as [16, 16@(x,y), 16]\n:plan --within 2304 a as [16, 16@(x,y), 16]\n")
        self.assertIn("2304", said.err)
        self.assertIn("round 1 of", said.out)

    def test_commands(self):
        end = self.succeeds("learn", "--lesson", str(LESSON_COUNT), text=":skip\n")
        self.assertIn(f"lessons are still open: 1-{LESSON_COUNT}.\n", end)
        self.assertNotIn("That was the last lesson", end)
        said = self.succeeds("learn", text=":help\n:hint\n:hint\n:hint\n:answer?\n:skip\n:back\n:page\n:quit\n")
        for words in ["8 rows over the 4 positions", "Bytes are rows", "That was the last hint", "    let bytes = 24",
                      "Lesson 2 of 44"]:
            self.assertIn(words, said)
        self.assertEqual(said.count("What does one device hold?"), 3)
        done = self.tessera("learn", text=":nothing\n")
        self.assertIn("no command `:nothing`", done.err)
        said = self.succeeds("learn", text=":help skip\n:help :hint\n:help answer\n:help undo\n")
        for words in ["\n  :skip           on to", "\n  :hint           a hint", "\n  :answer?        an answer", "\n  :undo  take"]:
            self.assertIn(words, said)
        self.assertEqual(self.progress()[0], "at where-an-element-lives")
        self.assertNotIn("done where-an-element-lives", self.progress())

    def test_commands_that_take_nothing_say_so(self):
        done = self.tessera("learn", "--lesson", "5", text=":skip 2\n:hint 1\n:list 3\n:page 1\n")
        for name in ("skip", "hint", "list", "page"):
            self.assertRegex(done.err, rf"`:{name}` takes nothing after it\n  help: :{name}   \w")
        self.assertNotIn("Lesson 6", done.out)

    def test_a_number_leads_to_its_lesson(self):
        for command in (":learn 3", ":lesson 3"):
            said = self.succeeds("learn", "--lesson", "5", text=f"{command}\n:quit\n")
            self.assertRegex(said, r"(?s)Lesson 5 of .*Lesson 3 of ")
            self.assertEqual(self.progress()[0], "at order-of-axes")
        done = self.tessera("learn", "--lesson", "5", text=":learn\n:learn 99\n:lesson two\n:learn 1\n")
        self.assertIn("needs a lesson's number here\n  help: :learn 1 goes to", done.err)
        self.assertIn("there is no lesson 99; the course has lessons 1 to 44", done.err)
        self.assertIn("there is no lesson two;", done.err)
        self.assertIn("Lesson 1 of 44", done.out)

    def test_a_line_that_is_refused_leaves_the_answer_as_it_is(self):
        for typo in ("A.T", "A.T; let received = 48", "transposed(A)"):
            done = self.tessera("learn", "--lesson", "22", text=f"let T = transpose(A)\nlet T = {typo}\n"
                                "let received = 0\nlet again = 48\n")
            self.assertIn("Right so far: received. Still to bind: again.", done.out)
            self.assertIn("Right.\n", done.out)
        done = self.tessera("learn", "--lesson", "22", text="let T = A.T\nlet received = 0\n")
        self.assertIn("Still to bind: T and again.", done.out)

    def test_a_refusal_that_the_lesson_knows_is_explained(self):
        done = self.tessera("learn", "--lesson", "44", text="let a = iota(f32[16@y, 16])\nlet b = all_gather(a, 0, x)\n")
        self.assertIn("A collective wants its axes where it takes them from", done.out)

    def test_truth_values_are_told_as_such(self):
        said = self.succeeds("learn", "--lesson", "15", text="let passes = false\n")
        self.assertIn("`passes` is not false.\n", said)

    def test_notes_and_mistakes_are_told_once(self):
        for lesson, typed, slug in [(8, "let rows = p as [8@x, 8]\nlet whole = rows as [8, 8]\n", "annotation-gathers"),
                                    (13, "let D = A @ (B as [6, 8])\n", "annotation-gathers"),
                                    (13, "let C = A @ B\n", "axis-used-twice"),
                                    (44, "let a = iota(f32[8@x, 4])\nlet b = a as [8, 4]\n", "annotation-gathers")]:
            with self.subTest(lesson=lesson, typed=typed):
                done = self.tessera("learn", "--lesson", str(lesson), text=typed)
                self.assertEqual((done.err.count(slug), done.err.count("answer:")), (1, 0), done.err)

    def test_things_can_be_tried_out(self):
        said = self.tessera("learn", "--lesson", "3", text="a\nlet t = a as [6]\nshow b\n1 +\n1\n").out
        for words in ["[0 1 2 3 4 5]", "t : i32[6]", "| device 0 |", "2\n"]:
            self.assertIn(words, said)

    def test_wrong_then_right(self):
        said = self.succeeds("learn", "--lesson", "3", text="let first = 2\nlet second = 1\nlet first = 3\n")
        self.assertLess(said.index("Not yet."), said.index("Right."))
        self.assertIn("Right: second. Not yet: `first` is not 2.\n", said)

    def test_two_statements_on_a_line(self):
        self.assertIn("Right.", self.succeeds("learn", "--lesson", "3", text="let first = 3\nlet t = 1; let second = t\n"))

    def test_mistakes_are_reported_and_change_nothing(self):
        done = self.tessera("learn", "--lesson", "3", text="let first = nothing\nlet first = 3\nlet second = 1\n")
        self.assertIn("unknown-name", done.err)
        self.assertIn("Right.", done.out)

    def test_what_must_be_refused_is_not_a_failure(self):
        said = self.tessera("learn", "--lesson", "13", text="let D = A @ (B as [6, 8])\nlet C = A @ B\n")
        self.assertIn("Right.", said.out)
        self.assertIn("axis-used-twice", said.err)

    def test_reset(self):
        self.succeeds("learn", text=answer_of(LESSONS[0]))
        self.succeeds("learn", "--reset")
        self.assertFalse((self.folder / "data/tessera/lessons").exists())
        self.assertIn("Lesson 1 of 44", self.succeeds("learn", text=""))
        self.succeeds("learn", "--reset")
        self.succeeds("learn", "--reset")

    def test_progress_without_xdg(self):
        self.environment.pop("XDG_DATA_HOME")
        self.environment["HOME"] = str(self.folder / "home")
        self.succeeds("learn", text=":skip\n")
        self.assertEqual(self.read("home/.local/share/tessera/lessons"), "at copies\n")
        self.environment["XDG_DATA_HOME"] = "relative"
        self.assertIn("Lesson 2 of 44", self.succeeds("learn", text=""))

    def test_no_home_at_all(self):
        self.environment.pop("XDG_DATA_HOME")
        self.environment.pop("HOME", None)
        done = self.tessera("learn", text=answer_of(LESSONS[0]))
        self.assertEqual(done.status, 0)
        self.assertIn("progress is not kept", done.err)
        self.assertIn("Lesson 2 of 44", done.out)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "data").mkdir(mode=0o500)
        done = self.tessera("learn", text=":quit\n")
        self.assertIn("cannot write", done.err)

    def test_a_folder_that_is_a_file(self):
        self.write("data", "")
        done = self.tessera("learn", text=":skip\n")
        self.assertEqual(done.status, 0)
        self.assertIn("cannot write", done.err)
        self.assertIn("Lesson 2 of 44", done.out)

    def test_a_progress_file_of_nonsense(self):
        (self.folder / "data/tessera").mkdir(parents=True)
        self.write("data/tessera/lessons", b"at \xff\nnonsense\n\x00at\ndone of-a-later-version\n")
        self.assertIn("Lesson 1 of 44", self.succeeds("learn", text=":skip\n"))
        self.assertIn("done of-a-later-version", self.progress())


class Terminal(CommandLine):
    def shows(self, ending):
        """What the terminal shows until it ends so."""
        text = ""
        while not text.endswith(ending):
            ready, _, _ = select.select([self.terminal], [], [], 30)
            self.assertTrue(ready, text)
            text += os.read(self.terminal, 10_000).decode()
        return text

    def test_prompts_and_interrupts(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        self.environment["NO_COLOR"] = "1"
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            termios.tcsetwinsize(0, (60, 80))  # the page is shown at once
            os.execve(self.executable, ["tessera", "learn"], self.environment)
        self.addCleanup(os.close, self.terminal)
        self.assertIn("Lesson 1 of 44", self.shows("learn 1> "))
        os.write(self.terminal, b"let shape = [\n")
        self.shows(" .   ")
        os.write(self.terminal, b"\x03")
        self.shows("learn 1> ")
        time.sleep(0.2)  # the terminal itself drops what is written while it handles Ctrl-C
        os.write(self.terminal, b"let shape = [2, 3]\n")
        self.assertIn("Right so far: shape. Still to bind: bytes and copies.", self.shows("learn 1> "))
        os.write(self.terminal, b"\x04")
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_praise_stays_until_the_reader_goes_on(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        terminal = OnATerminal(self, "learn", "--lesson", "3", columns=80, rows=24)
        while not terminal.until(r"(?:Enter: the rest of the page |learn 3> )$", typing=True).endswith("learn 3> "):
            terminal.type("\r")
        terminal.type("let first = 3\rlet second = 1\r")
        said = terminal.until(r"Enter: the next lesson $", typing=True)
        self.assertIn("\nRight.\n", said)
        self.assertNotIn("Lesson 4", said)
        self.assertEqual(self.read("data/tessera/lessons"), "at permute\ndone order-of-axes\n")
        terminal.type(":skip\r")  # belongs to the next lesson
        self.assertIn("Lesson 4", terminal.until(r"Lesson 5.*(?:page|learn 5>) $", typing=True))


if __name__ == "__main__":
    main()
