"""The course for a class: answers graded in bulk, courses of one's own, handouts."""

import json
import re

from driver import CommandLine, main
from test_learn import LESSON, LESSONS, answer_of, flowing, sections


class Classes(CommandLine):
    """The answers of a class, courses of one's own, handouts."""

    def grades(self, *arguments):
        return [json.loads(line) for line in self.succeeds("learn", *arguments, "--json").splitlines()]

    def test_a_class_is_graded(self):
        for student, files in {"anna": {"05-mine.tess": answer_of(LESSONS[4]), "1.tess": "let shape = [2, 3]\n"},
                               "bea": {"5.tess": "let b = all_gather(a, 0, x)\nlet received = 192\nlet peak = 128\n",
                                       "1.tess": "let shape = [2, 3]\nlet copies = 1\nlet bytes = loop w = 0 for i < 100000000000 { w }\n",
                                       "notes.tess": "", ".hidden.tess": "", "data.npy": ""}}.items():
            (self.folder / "class" / student).mkdir(parents=True)
            for name, text in files.items():
                self.write(f"class/{student}/{name}", text)
        done = self.tessera("learn", "--grade", "class", "--seconds", "1")
        self.assertEqual(done.status, 2, done)  # because of notes.tess
        self.assertIn("anna, lesson 1: wrong: The answer does not bind `bytes`", done.out)
        self.assertIn("anna, lesson 5: right (05-mine.tess)\n", done.out)
        self.assertIn("bea, lesson 1: stopped: The answer was stopped after 1 s", done.out)
        self.assertTrue(done.out.endswith("\nanna  1 of 2 right\nbea   0 of 2 right\n\n"
                                          "lesson 1   0 of 2 right  not anna, bea\nlesson 5   1 of 2 right  not bea\n"), done.out)
        self.assertIn("notes.tess answers no lesson", done.err)
        (self.folder / "class/bea/notes.tess").unlink()
        grades = self.grades("--grade", "class", "--seconds", "1")
        self.assertEqual([(one["student"], one["lesson"], one["outcome"]) for one in grades],
                         [("anna", 1, "wrong"), ("anna", 5, "right"), ("bea", 1, "stopped"), ("bea", 5, "wrong")])
        self.assertEqual(grades[1]["scores"][0], {"name": "bytes", "own": 192, "par": 192})
        self.assertIn("that is a gather", flowing(grades[3]["reply"]))
        self.assertEqual(grades[0]["title"], "What does one device hold?")
        self.assertEqual([one["file"] for one in grades][1:3], ["class/anna/05-mine.tess", "class/bea/1.tess"])

    def test_a_lesson_counts_once(self):
        (self.folder / "class/eve").mkdir(parents=True)
        self.write("class/eve/5.tess", "let b = a\n")
        self.write("class/eve/5-fn.tess", answer_of(LESSONS[4]))
        said = self.succeeds("learn", "--grade", "class")
        self.assertIn("eve, lesson 5: right (5-fn.tess)\n", said)
        self.assertRegex(said, r"(?m)^eve, lesson 5: wrong: .* \(5\.tess\)$")
        self.assertTrue(said.endswith("\neve  1 of 1 right\n\nlesson 5   1 of 1 right\n"), said)

    def test_one_lesson_for_all(self):
        (self.folder / "class").mkdir()
        self.write("class/anna.tess", answer_of(LESSONS[2]))
        self.write("class/bea.tess", "let first = nothing\nlet second = 1\n")
        grades = self.grades("--grade", "class", "--lesson", "3")
        self.assertEqual([(one["student"], one["outcome"]) for one in grades], [("anna", "right"), ("bea", "wrong")])
        self.assertIn("unknown-name", grades[1]["diagnostics"])
        self.write("halves.lesson", LESSON)
        self.write("class/anna.tess", "let count = 4\n")
        self.assertEqual(self.grades("--grade", "class", "--lesson", "halves.lesson")[0]["outcome"], "right")

    def test_a_course_of_ones_own(self):
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        (self.folder / "my course").mkdir()
        self.write("my course/1-halves.lesson", LESSON)
        self.write("my course/2-quarters.lesson", LESSON.replace("Halves", "Quarters").replace("8@x", "4@x").replace("count = 4", "count = 2"))
        self.assertIn("2        Quarters", self.succeeds("learn", "--course", "my course", "--list"))
        said = self.succeeds("learn", "--course", "my course", text="let count = 4\n:quit\n")
        self.assertIn("Lesson 2 of 2: Quarters", said)
        self.assertEqual(self.read("data/tessera/lessons-my course").splitlines(), ["at quarters", "done halves"])
        self.write("two.tess", "let count = 2\n")
        self.assertEqual(self.succeeds("learn", "--course", "my course", "--check", "2", "two.tess"), "right\n")
        said = self.succeeds("learn", "--course", "my course", text=":skip\n")
        self.assertIn("lessons are still open: 2.\n`tessera learn --course DIR --lesson 2` takes one.\n", said)
        said = self.succeeds("learn", "--course", "my course", "--lesson", "2", text="let count = 2\n")
        self.assertIn("That was the last lesson. `tessera learn --course DIR --list` shows them all.\n", said)
        (self.folder / "empty").mkdir()
        for line in [["--course", "empty"], ["--course", "nowhere", "--list"], ["--grade", "empty"], ["--grade", "nowhere"],
                     ["--json"], ["--page", "1"], ["--page", "99", "-o", "-"], ["--seconds", "3"], ["-o", "x"],
                     ["--grade", "empty", "--check", "1"]]:
            with self.subTest(line=line):
                self.assertTrue(self.fails(2, "learn", *line).err.startswith("error: "))
        self.assertIn("tessera learn --lesson 5", self.fails(2, "learn", "5").err)
        self.assertIn("a lesson is its number, or a file", self.fails(2, "learn", "--lesson", "five").err)
        self.write("empty/1.tess", "let shape = [2, 3]\n")
        self.assertIn("name the folder around it", self.fails(2, "learn", "--grade", "empty").err)

    def test_every_lesson_has_a_handout(self):
        for number, lesson in enumerate(LESSONS, 1):
            page = self.succeeds("learn", "--page", str(number), "-o", "-")
            data = json.loads(re.search(r'<script type="application/json" id="data">(.*)</script>\n<script>', page).group(1))
            text = dict(sections(lesson.read_text(encoding="utf-8")))
            self.assertEqual(data["name"], f"Lesson {number}: {text['title'].strip()}")
            self.assertEqual("\n".join(data["lesson"]["text"]), text["text"].strip("\n"))
            self.assertNotIn("answer", data)
            arrays = re.findall(r"(?m)^let (\w+) = ", text["given"])
            self.assertTrue({one["label"].split(":")[0] for one in data["changes"]} <= set(arrays))
            self.assertTrue(all(one["steps"] == [] and len(one["moments"]) == 1 for one in data["changes"]))
        self.assertEqual(self.succeeds("learn", "--page", "7", "-o", "page.html"), "")
        self.assertIn("What costs nothing?", self.read("page.html"))


if __name__ == "__main__":
    main()
