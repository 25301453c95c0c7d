"""tessera at a terminal: typing, editing, completion, history, interrupts, sizes."""

import time
import unittest

from driver import CommandLine, main
from terminal import CONTINUE, SECONDS_MAX, STOP, TAB, Terminal, complete_names

UP, LEFT, HOME, DELETE = "\x1b[A", "\x1b[D", "\x01", "\x1b[3~"


class AtATerminal(CommandLine):
    def setUp(self):
        super().setUp()
        self.environment["HOME"] = str(self.folder)
        self.environment.pop("COLUMNS", None)

    def start(self, *arguments, **options):
        terminal = Terminal(self, *arguments, **options)
        terminal.prompt()
        return terminal


class Typing(AtATerminal):
    def test_a_banner_of_one_line_and_answers(self):
        terminal = Terminal(self)
        self.assertRegex(terminal.prompt(), r"^tessera [^\n]*\n1> $")
        self.assertEqual(terminal.answer("1 + 2"), "3\n")
        self.assertEqual(terminal.answer("mesh m = [x: 4, y: 2]"), "")
        self.assertEqual(terminal.answer("let a = iota(f32[16@y, 16, 16@x])"),
                         "a : f32[16@y, 16, 16@x]     each device 8x16x4 (2 KiB), 1 copy\n")
        self.assertEqual(terminal.answer("let b = a as [16, 16@(x,y), 16]"),
                         "b : f32[16, 16@(x,y), 16]   all_to_all x, all_to_all y: 20 KiB in all, peak 4 KiB per device\n")
        self.assertEqual(terminal.leave(), 0)

    def test_several_names_of_one_statement_say_once_what_it_moves(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 4]")
        terminal.answer("let w = iota(f32[8@x])")
        terminal.answer("fn loss(w: f32[8@x]) -> f32 { sum(w * w) }")
        self.assertEqual(terminal.answer("let (g, h) = (w * 2.0, sum(w))"),
                         "g : f32[8@x]                each device 2 (8 B), 1 copy\n"
                         "h : f32{+x}                 each device 4 B, 1 copy\n")
        told = terminal.answer("let (l, g) = grad(loss, wrt=[w])(w)").splitlines()
        self.assertEqual(told[:2], ["l : f32",
                                    "g : f32[8@x]                each device 2 (8 B), 1 copy"])
        self.assertRegex(told[2], r"^    together: all_reduce x: \d+ B in all, peak \d+ B per device$")
        self.assertEqual(len(told), 3)

    def test_a_failure_does_not_end_it(self):
        terminal = self.start()
        self.assertIn("error[unknown-name]", terminal.answer("nothing"))
        self.assertIn("did you mean `:plan`?", terminal.answer(":pln 3"))
        terminal.type(":quit\r")
        self.assertEqual(terminal.ended(), 0)

    def test_statements_of_several_lines(self):
        terminal = self.start()
        terminal.type("let a = (1 +\r")
        terminal.until(r"\n\d+\. +$")
        self.assertEqual(terminal.answer("2)"), "\na : i64\n")  # below the block, drawn for the last time

    def test_editing_the_line(self):
        terminal = self.start()
        self.assertEqual(terminal.answer("12" + LEFT + "0"), "102\n")
        self.assertEqual(terminal.answer("x12" + HOME + DELETE), "12\n")
        self.assertEqual(terminal.answer("1 + 22\x7f"), "3\n")
        self.assertEqual(terminal.answer("nothing\x15" + "5"), "5\n")
        self.assertEqual(terminal.answer("5 + six\x176"), "11\n")

    def test_unicode(self):
        for locale in ["C.UTF-8", "C", ""]:
            terminal = self.start(LC_ALL=locale)
            self.assertIn("größe : i64", terminal.answer("let größe = 7"))
            self.assertEqual(terminal.answer("größe" + LEFT + LEFT + LEFT + LEFT + LEFT + "1 + "), "8\n")
            self.assertEqual(terminal.answer('print "日本x\x7f"'), "日本\n")
            self.assertEqual(terminal.answer("grö" + TAB), "7\n")

    def test_invalid_bytes_do_no_harm(self):
        terminal = self.start()
        terminal.type(b"\xff\xfe1\r")
        self.assertIn("error", terminal.prompt())
        self.assertEqual(terminal.answer("2"), "2\n")

    def test_long_lines(self):
        terminal = self.start(columns=40)
        self.assertEqual(terminal.answer("0" + " + 1" * 200).splitlines()[-1], "200")


class Blocks(AtATerminal):
    """Texts of several lines: typed, pasted, brought back."""

    def paste(self, terminal, text):
        terminal.type("\x1b[200~" + text + "\x1b[201~")

    def test_prompts_have_the_numbers_of_messages(self):
        terminal = self.start()
        terminal.type("let a = (1 +\r2)\r")
        terminal.until(r"a : i64\n3> $")
        self.assertIn("input:3:1", terminal.answer("nothing"))

    def test_a_pasted_text_runs_as_one(self):
        terminal = self.start()
        self.paste(terminal, "let a = 20\nlet b = nothing\nlet c = 1\n")
        said = terminal.answer("")
        self.assertIn("input:2:9", said[said.index("error"):])
        self.assertIn("unknown-name", terminal.answer("a"))
        self.paste(terminal, "let a = 20\n:type a\na + 1")
        self.assertRegex(terminal.answer(""), r"a : i64\n(?:.*\n)*i64\n(?:.*\n)*21\n$")

    def test_pasted_prompts_and_answers_are_taken_off(self):
        terminal = self.start()
        self.paste(terminal, "> let a = (1 +\n. 2)\na : i64\n> a * 2\n6\n")
        self.assertRegex(terminal.answer(""), r"\na : i64\n6\n$")  # in the order of the text
        self.assertEqual(terminal.answer("a"), "3\n")
        self.assertEqual(terminal.answer("> a * 5"), "15\n")

    def test_a_block_that_fails_is_taken_back_and_undo_shows_it_whole(self):
        terminal = self.start()
        self.paste(terminal, "let a = 3\nassert a == 4")
        self.assertIn("note: the whole input is taken back, with `a`\n", terminal.answer(""))
        self.paste(terminal, "let b = 3\nlet c = 4")
        terminal.answer("")
        self.assertEqual(terminal.answer(":undo"), "taken back:\n  let b = 3\n  let c = 4\n")
        self.assertRegex(terminal.answer(":history 2"), r"^   5> :undo\n   6> :history 2\n$")

    def test_input_typed_ahead_ends_a_walk_and_runs(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 2]")
        terminal.type(":step iota(f32[4@x]) as [4]\r")
        terminal.until(r"next step $")
        self.assertRegex(terminal.answer("let z = 5"), r"z : i64\n")
        self.assertEqual(terminal.answer("z"), "5\n")

    def test_an_error_keeps_to_the_terminal(self):
        terminal = self.start(columns=50)
        said = terminal.answer("let s = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + nothing + 9 + 10 + 11 + 12")
        error = said[said.index("error["):].splitlines()
        self.assertTrue(all(len(line) <= 50 for line in error), error)
        self.assertTrue(any("..." in line and "nothing" in line for line in error), error)

    def test_a_block_is_one_entry_of_the_history(self):
        terminal = self.start()
        terminal.type("fn f(v: i64) {\rlet w = v * 2\rw + 1\r}\r")
        terminal.until(r"\n5> $")
        terminal.answer("f(1)")
        self.assertEqual(terminal.leave(), 0)
        again = self.start()
        # The block comes back whole; in its third line, `w` is changed, and all of it is entered.
        again.type(UP + UP + UP + "\x7f7" + "\r")
        again.until(r"\n5> $")
        self.assertEqual(again.answer("f(1)"), "8\n")

    def test_enter_begins_a_line_where_something_is_open(self):
        terminal = self.start()
        terminal.type("let a = [1,")
        terminal.until(r"1,$")
        terminal.type("\r")
        terminal.until(r"\n2\. $")
        terminal.type("2]")
        terminal.until(r"2\]$")
        terminal.type("\r")
        self.assertIn("a : i64[2]", terminal.until(r"\n3> $"))

    def test_the_last_value_has_a_name(self):
        terminal = self.start()
        self.assertEqual(terminal.answer("1 + 2"), "3\n")
        self.assertEqual(terminal.answer("_ * _"), "9\n")
        self.assertEqual(terminal.answer("_ + 1"), "10\n")

    def test_colours_while_typing(self):
        terminal = self.start()
        began = len(terminal.text)
        terminal.type("let a = iota(f32[8@x]) # all")
        while not terminal.text.endswith("# all\x1b[0m"):
            self.assertTrue(terminal.read(SECONDS_MAX), terminal.text[began:])
        typed = terminal.text[began:]
        self.assertIn("\x1b[35mlet\x1b[0m", typed)
        self.assertIn("\x1b[36mx\x1b[0m", typed)
        self.assertIn("\x1b[90m# all\x1b[0m", typed)

    def test_search(self):
        terminal = self.start()
        for line in ("let first = 1", "let second = 2", "3"):
            terminal.answer(line)
        terminal.type("\x12")
        terminal.until(r"search : $")
        terminal.type("fir")
        terminal.until(r"search fir: let first = 1$")
        self.assertIn("first : i64", terminal.answer(""))

    def test_words_are_moved_over_erased_and_put_back(self):
        terminal = self.start()
        self.assertEqual(terminal.answer("10 + 5\x17\x19\x19"), "65\n")
        self.assertEqual(terminal.answer("10 - 2\x1bb\x1bb3\x1b[1;5C0"), "3098\n")
        self.assertEqual(terminal.answer("12\x14"), "21\n")
        self.assertEqual(terminal.answer("7\x158\x1f\x1f"), "7\n")

    def test_a_text_higher_than_the_terminal(self):
        terminal = self.start()
        self.paste(terminal, "let a = [" + ",\n".join(map(str, range(100))) + "]")
        terminal.until(r"99\]$")
        self.assertIn("a : i64[100]", terminal.answer(""))


class Completing(AtATerminal):
    def test_a_word_a_list_and_nothing(self):
        terminal = self.start()
        complete_names(self, terminal)
        self.assertIn("mesh m", terminal.answer(":mes" + TAB))

    def test_files(self):
        self.write("a_script.tess", "let loaded = 41\n")
        terminal = self.start()
        self.assertIn("loaded : i64", terminal.answer(":load a_s" + TAB))
        self.assertEqual(terminal.answer("loaded + 1"), "42\n")


class Remembering(AtATerminal):
    def test_lines_of_this_session_and_of_earlier_ones(self):
        terminal = self.start()
        terminal.answer("let a = 20")
        terminal.answer("a + 1")
        self.assertEqual(terminal.answer(UP), "21\n")
        self.assertEqual(terminal.leave(), 0)
        again = self.start()
        self.assertIn("a : i64", again.answer(UP + UP))
        self.assertEqual(self.read("state/tessera/history"), "let a = 20\na + 1\nlet a = 20\n")

    def test_where_no_history_can_be_kept(self):
        for state in ["/dev/null", "relative/path"]:
            terminal = self.start(XDG_STATE_HOME=state, HOME="/dev/null")
            self.assertEqual(terminal.answer("1"), "1\n")
            self.assertEqual(terminal.answer(UP), "1\n")


class Interrupting(AtATerminal):
    def test_at_the_prompt_the_line_is_dropped(self):
        terminal = self.start()
        terminal.type("let a = (1 +\r")
        terminal.until(r"\n\d+\. +$")
        terminal.type("2 + ")
        terminal.until(r"2 \+ $")
        terminal.interrupt()
        terminal.prompt()
        self.assertEqual(terminal.answer("3 + 4"), "7\n")
        self.assertEqual(terminal.leave(), 0)

    def test_it_is_heard_though_the_terminal_throws_away_what_was_typed(self):
        """Between being told of a key and reading it, the key may go."""
        for options in {}, {"TERM": "dumb", "echo": False}:
            terminal = self.start(**options)
            for turn in range(600):
                terminal.type("x")
                soon = time.perf_counter() + turn % 200 * 1e-6
                while time.perf_counter() < soon:
                    pass
                terminal.interrupt()
                terminal.until(r"\n\d+> $")

    def test_impatience_does_not_end_the_session(self):
        terminal = self.start()
        terminal.enter("let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }")
        time.sleep(1)  # on a busy machine it has begun, too
        for _ in range(5):
            terminal.interrupt()
            time.sleep(0.001)
        terminal.until(r"interrupted.*> $")
        time.sleep(0.3)
        terminal.type("\x151\r")
        terminal.until(r"\n1\n\d+> $")
        self.assertEqual(terminal.answer("2"), "2\n")

    def stops(self, terminal, statement):
        terminal.enter(statement)
        time.sleep(0.7)
        began = time.monotonic()
        terminal.interrupt()
        self.assertIn("error[interrupted]", terminal.prompt())
        # A fifth of a second where the test has a processor for itself.
        self.assertLess(time.monotonic() - began, 3)

    def test_a_loop_a_long_step_and_a_measurement(self):
        terminal = self.start()
        terminal.answer("let kept = 7")
        terminal.answer("mesh m = [x: 2]")
        self.stops(terminal, "let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }")
        self.stops(terminal, "let c = random(f64[4096@x, 4096], 1) @ random(f64[4096, 4096], 2)")
        self.stops(terminal, ":time loop w = 0.0 for i < 1000000000 { w + 1.0 }")
        self.assertIn("unknown-name", terminal.answer("c"))
        self.assertEqual(terminal.answer("kept"), "7\n")
        self.assertEqual(terminal.leave(), 0)


class Shapes(AtATerminal):
    """What the terminal can show, and how wide it is."""

    def test_resizing(self):
        terminal = self.start(columns=100)
        terminal.answer("mesh m = [x: 4, y: 2]")
        statement = "let a = iota(f32[16@y, 16, 16@x])"
        self.assertEqual(len(terminal.answer(statement).splitlines()), 1)
        terminal.resize(40)
        self.assertEqual(len(terminal.answer(statement).splitlines()), 2)
        terminal.type("1 + ")
        terminal.until(r"1 \+ $")
        terminal.resize(120)
        self.assertEqual(terminal.answer("2").splitlines()[-1], "3")

    def test_columns_wins(self):
        terminal = self.start(columns=100, COLUMNS="40")
        terminal.answer("mesh m = [x: 4, y: 2]")
        self.assertEqual(len(terminal.answer("let a = iota(f32[16@y, 16, 16@x])").splitlines()), 2)

    def test_colour_and_boxes(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 2]")
        began = len(terminal.text)
        terminal.answer("show iota(f32[4@x])")
        self.assertIn("\x1b[38;5;30m device 0", terminal.text[began:])
        self.assertIn("┌", terminal.text[began:])

    def test_a_script_draws_as_the_session_does(self):
        self.write("a.tess", "mesh m = [x: 2]\nshow iota(f32[4@x])\n")
        terminal = Terminal(self, "run", "a.tess")
        self.assertEqual(terminal.ended(), 0)
        self.assertIn("\x1b[38;5;30m device 0", terminal.text)
        self.assertIn("┌", terminal.text)

    def test_no_colour(self):
        terminal = self.start(NO_COLOR="1")
        began = len(terminal.text)
        terminal.answer("show 1.0")
        terminal.answer("nothing")
        self.assertNotRegex(terminal.text[began:], r"\x1b\[[0-9;]*[1-9][0-9]*m")

    def test_an_open_bracket_holds_nobody(self):
        terminal = self.start()
        for typed, wanted in [("let c = (1 +\r", r"\n\d+\. +$"), (b"\x0421 * 2\r", r"\n42\n\d+> $")]:
            terminal.type(typed)
            terminal.until(wanted)

    def test_a_terminal_that_cannot_edit(self):
        for name in ["dumb", ""]:
            terminal = self.start(TERM=name, echo=False)
            terminal.type("show 1.0\n")
            text = terminal.prompt()
            self.assertIn("| device 0 |", text.replace("  ", " "))
            terminal.type(b"\x04")
            self.assertEqual(terminal.ended(), 0)
            self.assertNotIn("\x1b", terminal.text)

    def test_an_unknown_terminal(self):
        terminal = self.start(TERM="no-such-terminal")
        self.assertEqual(terminal.answer("1 + 1")[-2:], "2\n")

    def test_stopping_and_going_on(self):
        terminal = self.start()
        terminal.signal(STOP)
        time.sleep(0.3)
        terminal.signal(CONTINUE)
        terminal.prompt()
        self.assertEqual(terminal.answer("5" + LEFT + "1"), "15\n")


class Walking(AtATerminal):
    def test_enter_goes_on(self):
        terminal = self.start()
        terminal.answer("mesh m = [x: 2, y: 2]")
        terminal.answer("let a = iota(f32[4@x, 4@y])")
        terminal.type(":step a as [4, 4@(x,y)]\r")
        terminal.until(r"next step $")
        terminal.type("\r")
        terminal.until(r"step 1 of.*(next step|\n\d+>) $")
        terminal.type("q\r")
        terminal.prompt()
        self.assertEqual(terminal.leave(), 0)


class Widths(AtATerminal):
    def test_plans_follow_the_terminal(self):
        """Tables are continued below themselves, other lines broken at blanks."""
        for columns in (60, 80, 120):
            terminal = self.start(columns=columns)
            terminal.answer("mesh m = [x: 4, y: 2]; let a = iota(f32[16@y, 16, 16@x])")
            for command in (":plan a as [16, 16@(x,y), 16]", ":compare a as [16, 16@(x,y), 16]",
                            ":compare --run a as [16, 16@(x,y), 16]", ":why a as [16, 16@(x,y), 16]",
                            "plan a as [16, 16@(x,y), 16]"):
                with self.subTest(columns=columns, command=command):
                    said = terminal.answer(command)
                    self.assertIn("all_to_all" if "compare" not in command else "dtensor", said)
                    for line in said.splitlines():
                        self.assertLessEqual(len(line), columns, said)
            self.assertEqual(terminal.leave(), 0)

    def test_pictures_follow_the_terminal(self):
        for columns in (30, 40, 80):
            terminal = self.start(columns=columns)
            terminal.answer("mesh m = [x: 2]; let a = iota(f32[2@x, 16])")
            said = terminal.answer("show a")
            self.assertIn("device 1", said)
            for line in said.splitlines():
                if "─" in line or "│" in line:
                    self.assertLessEqual(len(line), columns, said)
            self.assertEqual("15." in said, columns == 80, said)
            self.assertEqual(terminal.leave(), 0)


class Explaining(AtATerminal):
    def test_code_is_bold_and_prose_is_filled(self):
        for command in (["explain", "after-as"], ["explain", "error[after-as]"]):
            terminal = Terminal(self, *command, columns=60)
            said = terminal.until(r"\nRepair: [^\n]*\n")
            self.assertEqual(terminal.ended(), 0)
            self.assertTrue(terminal.text.startswith("\x1b[1mafter-as\x1b[0m\r\n\r\n\x1b[1mas\x1b[0m is the loosest"), terminal.text)
            self.assertNotIn("`", said)
            for line in said.splitlines():
                self.assertLessEqual(len(line), 60, said)

    def test_the_session_shows_it_so_too(self):
        terminal = self.start()
        self.assertIn("\n    print a as [4] + a\n", terminal.answer(":doc after-as"))
        self.assertIn("\x1b[1mas\x1b[0m is the loosest", terminal.text)
        self.assertEqual(terminal.leave(), 0)


class Learning(AtATerminal):
    def test_a_page_longer_than_the_terminal_waits(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        terminal = Terminal(self, "learn", "--lesson", "34", columns=80, rows=24)
        screens = []
        while not screens or not screens[-1].endswith("learn 34> "):
            screens.append(terminal.until(r"(?:Enter: the rest of the page |\nlearn 34> )$", typing=True))
            terminal.type("\r")
        self.assertGreater(len(screens), 2)
        for screen in screens:
            self.assertLessEqual(screen.strip("\n").count("\n"), 23, screen)
        self.assertIn("Goal: ", screens[-1])

    def test_the_course_and_back(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        lessons = len(self.succeeds("learn", "--list").splitlines())
        terminal = self.start(rows=60)
        terminal.answer("let kept = 41")
        terminal.type(":learn\r")
        self.assertIn(f"1 of {lessons}", terminal.until(r"\n[^\n]*> $"))
        terminal.type("help\r")
        self.assertIn(":hint", terminal.until(r"\nlearn 1> $"))
        terminal.type(":quit\r")
        self.assertIn("Back in the session.", terminal.until(r"session\.\n\d+> $"))
        self.assertEqual(terminal.answer("kept + 1"), "42\n")
        terminal.type(":learn 7\r")
        self.assertIn(f"Lesson 7 of {lessons}", terminal.until(r"\nlearn 7> $"))
        terminal.type(":quit\r")
        terminal.until(r"session\.\n\d+> $")
        self.assertEqual(terminal.answer(f":learn {lessons + 1}"),
                         f"error: there is no lesson {lessons + 1}; the course has lessons 1 to {lessons}\n")
        self.assertIn("there is no lesson seven", terminal.answer(":learn seven"))
        # The course draws as the session does.
        terminal.type(":learn 5\r")
        terminal.until(r"\nlearn 5> $")
        for line in ("show a", "let received = 1", "let peak = 2", "let b = a"):
            terminal.type(line + "\r")
            said = terminal.until(r"\n(?:.*\n)?learn 5> $")
            self.assertEqual("\u250c" in said, line in ("show a", "let b = a"), said)
            self.assertNotIn("+--", said)
        terminal.type(":quit\r")
        terminal.until(r"session\.\n\d+> $")
        self.assertEqual(terminal.leave(), 0)


class Progress(AtATerminal):
    def loop(self, rounds):
        return f"let a = loop w = 0.0 for i < {rounds} {{ w + 1.0 }}"

    def test_a_line_for_a_statement_of_more_than_a_second(self):
        terminal = self.start()
        rounds, seconds = 400_000, 0
        while seconds < 2:  # on however fast a machine, and whatever else it does
            began = time.monotonic()
            self.assertRegex(terminal.answer(self.loop(rounds)), r"a : f32\n$")
            seconds = time.monotonic() - began
            rounds *= 2
        self.assertRegex(terminal.text, r"step \d+ of \d+, 0 B received")
        self.assertEqual(self.tessera(text=self.loop(rounds // 2) + "\n").out, "a : f32\n")


class Beginning(AtATerminal):
    def test_the_prompt_comes_at_once(self):
        """Under a tenth of a second where the test has a processor for itself."""
        fastest = 60
        for _ in range(5):
            began = time.monotonic()
            self.start()
            fastest = min(fastest, time.monotonic() - began)
        self.assertLess(fastest, 1)


if __name__ == "__main__":
    main()
