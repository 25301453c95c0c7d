"""The course: every lesson's own answer is right, every wrong answer is answered usefully, and progress is kept."""

import json
import re
import shutil
import time
import unittest
from pathlib import Path

from driver import CommandLine, main

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "repl/course/lessons").glob("*.lesson"))
WRONG = Path(__file__).resolve().parent / "lessons"
LESSON_COUNT = 44

# The answer key of the course, worked out by hand: what a lesson's own answer must bind these names to. That the
# checks, which measure arrays and ask the planner, call the same answers right is what makes the key one.
KEY = {
    1: {"shape": "[2, 3]", "bytes": "24", "copies": "1"},
    2: {"shape": "[4, 6]", "bytes": "96", "copies": "4"},
    3: {"first": "3", "second": "1"},
    4: {"launches": "1", "kept": "[0, 5]", "moved": "4"},
    5: {"b": "all_to_all(a, x, 0, 1)", "received": "48", "peak": "128"},
    6: {"b": "all_gather(a, 0, x)", "received": "192", "out": "256"},
    7: {"b": "slice(a, 0, x)", "received": "0"},
    8: {"reduced": "384", "scattered": "192"},
    9: {"received": "0", "on_first": "5", "on_last": "0"},
    10: {"b": "all_gather(a, 0, y)", "c": "all_gather(permute(a, f32[8@(y,x)]), 0, x)"},
    11: {"c": "all_to_all(a, x, 2, 1)", "b": "all_to_all(c, y, 0, 1)", "naive": "14336", "straight": "1792"},
    12: {"b": "permute(d, f32[16, 16@(x,y), 16])"},
    15: {"right": "1", "wrong": "3"},
    16: {"right": "2.0", "averaged": "1.75"},
    17: {"cuts": "[0, 1, 2, 4, 5, 6, 8]"},
    20: {"layouts": "11", "with_pending": "18"},
    21: {"one_shot": "4096"},
    22: {"received": "0"},
    29: {"direct": "1024"},
    30: {"over_nodes": "512", "in_nodes": "0"},
    31: {"g_outside": "1024", "h_outside": "512", "total2": "4096"},
    32: {"slots": "8", "full": "4"},
    33: {"ring": "896", "nested": "512"},
    38: {"product": "4194304", "memory": "393216", "together": "393216", "square": "60"},
    39: {"column": "0", "row": "24"},
    40: {"tests": "8", "fewer": "4", "bytes": "12"},
    41: {"slab": "49152", "pencil": "32768", "most": "1024"},
    42: {"gathered": "196608", "dealt": "49152", "candidates": "768"},
}


def sections(text):
    """The sections of a lesson's file, or of one of wrong answers, as (heading, body)."""
    found = re.split(r"(?m)^== (.*)\n", text)
    return list(zip(found[1::2], found[2::2]))


def flowing(text):
    """Without line breaks, which are where they fit."""
    return " ".join(text.split())


def answer_of(lesson):
    return dict(sections(lesson.read_text(encoding="utf-8")))["answer"]


def ways_to_fail(lesson):
    """(statements, lines that the reply must hold) for each."""
    text = (WRONG / f"{lesson.stem}.wrong").read_text(encoding="utf-8")
    bodies = [body for _, body in sections(text)]
    return [(wrong, [line for line in says.splitlines() if line]) for wrong, says in zip(bodies[0::2], bodies[1::2])]


class Course(CommandLine):
    def test_has_its_lessons(self):
        self.assertEqual(len(LESSONS), LESSON_COUNT)
        self.assertEqual([int(lesson.name[:2]) for lesson in LESSONS], list(range(1, LESSON_COUNT + 1)))
        self.assertEqual(len(self.succeeds("learn", "--list").splitlines()), LESSON_COUNT)

    def test_an_answer_without_end_is_stopped(self):
        answer = self.write("endless.tess", "let shape = [2, 3]\nlet bytes = loop w = 0 for i < 1000000000000 { w }\n"
                            "let copies = 1\n")
        begin = time.monotonic()
        done = self.tessera("learn", "--check", "1", answer, "--seconds", "1")
        self.assertEqual((done.status, done.out.split("\n")[0]), (1, "wrong"), done)
        self.assertIn("stopped after 1 s", done.out)
        self.assertLess(time.monotonic() - begin, 10)

    def test_the_answers_are_the_key(self):
        for number, bound in KEY.items():
            answer = answer_of(LESSONS[number - 1])
            for name, value in bound.items():
                with self.subTest(lesson=number, name=name):
                    self.assertIn(f"let {name} = {value}\n", answer)

    def graded(self, answers, *options):
        """The objects of `--grade` for (lesson's number, text) pairs, in their order: one process judges all of them."""
        for place, (number, text) in enumerate(answers):
            student = self.folder / "class" / f"{place:04}"
            student.mkdir(parents=True)
            (student / f"{number}.tess").write_text(text, encoding="utf-8")
        objects = [json.loads(line) for line in self.succeeds("learn", "--grade", "class", "--json", *options).splitlines()]
        self.assertEqual([int(one["student"]) for one in objects], list(range(len(answers))))
        shutil.rmtree(self.folder / "class")
        return objects

    def test_every_own_answer_is_right(self):
        answers = [(number, answer_of(lesson)) for number, lesson in enumerate(LESSONS, 1)]
        for options in [], ["--course", str(LESSONS[0].parent)]:
            self.assertEqual([one["outcome"] for one in self.graded(answers, *options)], ["right"] * LESSON_COUNT)
        for lesson in 1, 5, 36, LESSON_COUNT:
            with self.subTest(lesson=lesson):
                self.write("answer.tess", answers[lesson - 1][1])
                for line in [["--check", str(lesson), "answer.tess"], ["--check", str(lesson)], ["--check", str(LESSONS[lesson - 1])]]:
                    done = self.tessera("learn", *line)
                    self.assertEqual((done.status, done.out.splitlines()[:1]), (0, ["right"]), done)

    def test_elements_typed_anew_are_no_answer(self):
        plans = 0
        for number, lesson in enumerate(LESSONS, 1):
            parts = dict(sections(lesson.read_text(encoding="utf-8")))
            if "check plan" not in parts:
                continue
            plans += 1
            self.assertIn("judged with", parts, lesson.stem)
            setting = dict(line.split(": ", 1) for line in parts["check plan"].splitlines() if line)
            ways = ["iota({type})"] + [f"random({{type}}, {s})" for s in re.findall(r"random\([^)]*\], (\d+)\)", parts["judged with"])]
            if "by-hand" in setting:
                ways.append("update(zeros({type}), 0, {from})")
            for way in ways:
                statement = f"let {setting['to']} = " + way.format(**setting)
                with self.subTest(lesson=lesson.stem, statement=statement):
                    self.write("answer.tess", answer_of(lesson) + statement)
                    done = self.tessera("learn", "--check", str(number), "answer.tess")
                    self.assertEqual((done.status, done.out.splitlines()[:1]), (1, ["wrong"]), done)
                    if number == 5 and "update" in way:
                        self.assertIn("`b` takes parts that `update` fetches from other devices, 192 bytes", flowing(done.out))
        self.assertGreater(plans, 10)

    def test_every_wrong_answer_is_answered_usefully(self):
        tried, told = [], []
        for number, lesson in enumerate(LESSONS, 1):
            ways = ways_to_fail(lesson)
            self.assertGreaterEqual(len(ways), 3, lesson.stem)
            tried += [(number, answer_of(lesson) + wrong) for wrong, _ in ways]
            told += [says for _, says in ways]
        for (number, text), says, one in zip(tried, told, self.graded(tried)):
            with self.subTest(lesson=number, text=text):
                self.assertEqual(one["outcome"], "wrong", one)
                self.assertGreater(len(one["reply"].splitlines()), 1, one)
                for line in says:
                    self.assertIn(flowing(line), flowing(one["reply"]))

    def test_given_names_stay_as_they_are(self):
        tried = []
        for number, lesson in enumerate(LESSONS[:-1], 1):  # the last is golf, where everything is the learner's
            given = dict(sections(lesson.read_text(encoding="utf-8")))["given"]
            answer = answer_of(lesson)
            tries = [f"mesh {name} = [x: 1]\n" for name in re.findall(r"(?m)^mesh (\w+)", given)]
            for name in re.findall(r"(?m)^let (\w+)", given):
                tries += [f"let {name} = 0\n", f"let {name}: i64 = 0\n", f"let (other, {name}) = (0, 1)\n"]
            self.assertTrue(tries, lesson.stem)
            tried += [(number, text) for rebinding in tries for text in (rebinding + answer, answer + rebinding)]
        for (number, text), one in zip(tried, self.graded(tried)):
            with self.subTest(lesson=number, text=text):
                self.assertEqual((one["lesson"], one["outcome"]), (number, "wrong"), one)
                self.assertIn("is given and cannot be bound again", one["reply"])

    def test_homework_cannot_be_cheated_by_another_array(self):
        for number, name, value in [(5, "b", "f32[8, 8@x]"), (6, "b", "f32[8, 8]"), (7, "b", "f32[8@x, 8]"),
                                    (11, "b", "f32[16, 16@(x,y), 16]")]:
            with self.subTest(lesson=number):
                done = self.check(number, f"{answer_of(LESSONS[number - 1])}let a = iota({value})\nlet {name} = a\n")
                self.assertEqual(done.status, 1, done)

    def check(self, number, answer):
        self.write("answer.tess", answer)
        return self.tessera("learn", "--check", str(number), "answer.tess")

    def test_the_mistakes_a_lesson_knows_are_mistakes(self):
        tried, told = [], []
        for number, lesson in enumerate(LESSONS, 1):
            for heading, body in sections(lesson.read_text(encoding="utf-8")):
                match = re.fullmatch(r"mistake (\w+): (.*)", heading)
                if match is None or not re.fullmatch(r"[-\d.\[\], ]+|true|false", match.group(2)):
                    continue
                tried.append((number, answer_of(lesson) + f"let {match.group(1)} = {match.group(2)}\n"))
                told.append(body)
        self.assertGreater(len(tried), 100)
        for (number, text), body, one in zip(tried, told, self.graded(tried)):
            with self.subTest(lesson=number, text=text):
                self.assertEqual(one["outcome"], "wrong", one)
                self.assertIn(flowing(body), flowing(one["reply"]))

    def test_pages_fit_a_terminal(self):
        for number in range(1, LESSON_COUNT + 1):
            page = self.succeeds("learn", "--lesson", str(number), text=":quit\n")
            self.assertIn(f"Lesson {number} of {LESSON_COUNT}: ", page)
            self.assertIn("Goal: ", page)
            self.assertLessEqual(max(map(len, page.splitlines())), 100, page)


    def test_given_programs_keep_their_lines_at_80_columns(self):
        """A page shows them behind four blanks; a line that it had to break could not be typed as it is shown."""
        for lesson in LESSONS:
            parts = dict(sections(lesson.read_text(encoding="utf-8")))
            for line in (parts["given"] + parts["answer"]).splitlines():
                self.assertLessEqual(len(line), 76, f"{lesson.stem}: {line}")

    def test_what_lesson_2_says_of_its_plans(self):
        text = dict(sections(LESSONS[1].read_text(encoding="utf-8")))["text"]
        there, back = re.findall(r"`(:plan [^`]*)`", text)
        said = self.succeeds("learn", "--lesson", "2", text=f"{there}\n")
        self.assertIn("received  0 B in all", said)
        said = self.succeeds("learn", "--lesson", "2", text=f"{back}\n")
        self.assertIn("received  576 B in all", said)

    def test_lesson_36_draws_the_bubble_that_it_tells_of(self):
        said = self.succeeds("learn", "--lesson", "36", text="plan sums(t)\n")
        bubble = float(re.search(r"gpipe \*.* ([\d.]+)%", said).group(1))
        self.assertLess(abs(bubble - 100 * 12 / 28), 5)


class Answers(CommandLine):
    def check(self, number, answer):
        self.write("answer.tess", answer)
        return self.tessera("learn", "--check", str(number), "answer.tess")

    def test_what_is_missing_is_named(self):
        done = self.check(1, "let shape = [2, 3]\n")
        self.assertEqual((done.status, done.err), (1, ""))
        self.assertIn("`let bytes = ...`", done.out)
        self.assertEqual(self.check(1, "").status, 1)

    def test_what_does_not_run_is_reported(self):
        done = self.check(1, "let shape = [2, 3\n")
        self.assertEqual(done.status, 1)
        self.assertIn("unclosed-bracket", done.err)
        self.assertRegex(done.out, r"^wrong\nanswer.tess:1:13: `\[` is never closed; .*\n$")
        done = self.check(1, "let shape = [2, 3]\nlet bytes = tiles(a)\n")
        self.assertRegex(done.out, r"^wrong\nanswer.tess:2:13: .*`tiles`.*\n$")
        done = self.check(1, 'let shape = [2, 3]\nlet bytes = "24"\nlet copies = 1\n')
        self.assertEqual(done.out, "wrong\n`bytes` is a text: write it without quotes.\n")

    def test_a_class_whose_answers_do_not_run(self):
        for student, answer in [("ann", "let shape = [2, 3]\nlet bytes = (24\n"), ("bob", "shape = [2, 3]\n")]:
            (self.folder / "class" / student).mkdir(parents=True)
            (self.folder / "class" / student / "1.tess").write_text(answer, encoding="utf-8")
        lines = self.succeeds("learn", "--grade", "class").splitlines()
        self.assertRegex(lines[0], r"^ann, lesson 1: wrong: class/ann/1.tess:2:13: `\(` is never closed; .* \(1.tess\)$")
        self.assertRegex(lines[1], r"^bob, lesson 1: wrong: class/bob/1.tess:1:\d+: .*; .*let shape = .* \(1.tess\)$")

    def test_what_was_tried_besides_costs_nothing(self):
        tried = "let t = all_gather(a, 0, x)\nshow t\nlet b = slice(t, 1, x)\n"
        done = self.check(5, tried + answer_of(LESSONS[4]))
        self.assertEqual(done.status, 0, done)

    def test_statements_over_several_lines(self):
        self.assertEqual(self.check(1, "let shape = [\n  2,\n  3\n]\nlet bytes = 2 * 3 * 4\nlet copies = 1").status, 0)

    def test_a_loop_is_paid_for_as_often_as_it_runs(self):
        wasteful = "let b = loop c = all_to_all(a, x, 0, 1) for i < 2 { all_to_all(all_to_all(c, x, 1, 0), x, 0, 1) }\n"
        done = self.check(5, answer_of(LESSONS[4]) + wasteful)
        self.assertEqual(done.status, 1, done)
        self.assertRegex(done.out, r"bytes +960, par +192")

    def test_golf_on_meshes_of_ones_own(self):
        own = "mesh g = [z: 3, w: 2]\nlet a = iota(i32[7@z, 5])\n"
        self.assertEqual(self.check(LESSON_COUNT, own + "let b = all_to_all(a, z, 0, 1)\nmesh h = [q: 2]\n").status, 0)
        two = self.check(LESSON_COUNT, own + "mesh h = [z: 6]\nlet b = exchange(a, i32[7, 5@z])\n")
        self.assertEqual((two.status, "on two meshes" in two.out), (1, True), two)
        self.assertEqual(self.check(LESSON_COUNT, "let p = iota(f32[4@x, 6, 6])\nlet a = sum(p, dim=0)\n"
                                                  "let b = reduce_scatter(a, 1, x)\n").status, 0)

    def test_right_answers_show_their_scores(self):
        self.assertRegex(self.check(11, answer_of(LESSONS[10])).out, r"bytes +20480, par +20480  at par ")
        self.assertRegex(self.check(LESSON_COUNT, answer_of(LESSONS[-1])).out, r"bytes +14336, par +20480  under par ")


class Wrong(CommandLine):
    def test_command_lines(self):
        self.write("answer.tess", "let a = 1\n")
        for line in [["--check", "45", "answer.tess"], ["--check", "0", "answer.tess"], ["--lesson", "45"],
                     ["--check", "1", "nothing.tess"], ["--check", "nothing.lesson"], ["--list", "--reset"],
                     ["--lesson", "nothing.lesson"], ["--check", "1", "a", "b"]]:
            with self.subTest(line=line):
                done = self.fails(2, "learn", *line)
                self.assertTrue(done.err.startswith("error: "), done.err)

    def test_an_answer_that_is_too_long(self):
        self.write("answer.tess", "# \n" * 30_000)
        self.assertIn("64 KiB", self.fails(2, "learn", "--check", "1", "answer.tess").err)

    def test_statements_that_never_end(self):
        self.write("answer.tess", "let a = (\n" * 6_000)
        self.assertEqual(self.tessera("learn", "--check", "1", "answer.tess").status, 1)
        done = self.tessera("learn", "--lesson", "halves.lesson", text="")
        self.assertEqual(done.status, 2)
        self.write("halves.lesson", LESSON)
        done = self.tessera("learn", "--lesson", "halves.lesson", text="let a = (\n" * 20_000)
        self.assertEqual((done.status, done.err.count("64 KiB")), (0, 3))


LESSON = """== title
Halves

== text
A dimension is cut in two.

== given
mesh m = [x: 2]
let a = iota(f32[8@x])

== goal
say how many elements a device holds.

== check numbers
count: tile of a

== answer
let count = 4

== mistake count: 8
That is all of them.
"""


class OwnLessons(CommandLine):
    def test_a_fault_has_its_line(self):
        """Whatever makes no sense in a lecturer's file, when it is read or when an answer is judged."""
        faults = [("let a = iota(f32[8@x])", "let a = iota(f32[8@z])", 9), ("let a = iota(f32[8@x])", "let a = nothing", 9),
                  ("count: tile of a", "count: tile of b", 15), ("count: tile of a", "count: tiles of a", 15),
                  ("== check numbers\ncount: tile of a", "== check cuts\ncount: a over 0", 15),
                  ("== goal", "== judged with\n\nlet a = iota(f32[8])\n\n== goal", 13),
                  ("== goal", "== judged with\n\nmesh m = [x: 2]\nlet a = no\n\n== goal", 14)]
        for text, fault, line in faults:
            with self.subTest(fault=fault):
                self.assertIn(text, LESSON)
                self.write("halves.lesson", LESSON.replace(text, fault))
                done = self.fails(2, "learn", "--check", "halves.lesson")
                self.assertRegex(done.err, rf"halves\.lesson:{line}\b")

    def test_a_lesson_of_a_lecturers(self):
        self.write("halves.lesson", LESSON)
        self.assertEqual(self.succeeds("learn", "--check", "halves.lesson"), "right\n")
        self.write("answer.tess", "let count = 8\n")
        done = self.tessera("learn", "--check", "halves.lesson", "answer.tess")
        self.assertEqual(done.status, 1)
        self.assertIn("That is all of them.\n", done.out)
        page = self.succeeds("learn", "--lesson", "halves.lesson", text="let count = 4\n")
        self.assertIn("Halves", page)
        self.assertIn("Right.", page)
        self.assertNotIn("Lesson", page)

    def test_what_is_wrong_with_one_is_said_with_its_line(self):
        for change, line, what in [
            (("== title", "title"), 1, "`== title`"),
            (("== goal", "== aim"), 11, "no section `aim`"),
            (("check numbers", "check number"), 14, "numbers, holds, cuts"),
            (("count: tile of a", "count = tile of a"), 15, "`NAME: VALUE`"),
            (("count: tile of a", ""), 14, "says nothing"),
            (("== check numbers\ncount: tile of a", "== check plan\nfrom: a"), 14, "`to: ...`"),
            (("== check numbers\ncount: tile of a", "== check error\nname: a\nslug: b\nfoo: c"), 17, "knows no `foo`"),
            (("== answer\nlet count = 4", ""), 1, "`== answer`"),
            (("mistake count: 8", "mistake cout: 8"), 20, "a mistake in `cout`"),
            (("== check numbers\ncount: tile of a", "== check plan\nfrom: a\nto: count\ntype: T\nby-hand: no"), 18, "only be `yes`"),
            (("mistake count: 8", "mistake count"), 20, "`== mistake NAME: VALUE`"),
            (("count: tile of a", "count: tile of a\ncount: tile of a"), 16, "appears twice"),
        ]:
            with self.subTest(change=change):
                self.write("bad.lesson", LESSON.replace(*change))
                done = self.fails(2, "learn", "--check", "bad.lesson")
                self.assertIn(f"bad.lesson:{line}: ", done.err)
                self.assertIn(what, done.err)

    def test_facts_that_make_no_sense(self):
        for fact, what in [("tile of b", "`b`"), ("tile of a on y=1", "y=1"), ("layouts of rank 9", "rank 1"),
                           ("received of a as [7@x]", "redistribution"), ("nothing(a)", "nothing"),
                           ("least peak of a", "one change")]:
            with self.subTest(fact=fact):
                self.write("bad.lesson", LESSON.replace("tile of a", fact))
                self.assertIn(what, self.fails(2, "learn", "--check", "bad.lesson").err)

    def test_other_data_have_the_same_types(self):
        self.write("bad.lesson", LESSON.replace("== goal", "== judged with\nlet a = iota(f32[9@x])\n\n== goal"))
        self.assertIn("`a` has another type", self.fails(2, "learn", "--check", "bad.lesson").err)

    def test_a_program_that_is_given_must_run(self):
        self.write("bad.lesson", LESSON.replace("iota(f32[8@x])", "iota(f32[8@y])"))
        self.assertIn("unknown-axis", self.tessera("learn", "--check", "bad.lesson").err)
        self.assertNotEqual(self.tessera("learn", "--lesson", "bad.lesson").status, 0)


if __name__ == "__main__":
    main()
