"""What each request answers."""

import sys
import tempfile
import unittest
from pathlib import Path

import client

TEXT = """mesh m = [x: 4, y: 2]
fn twice(v: f32[N, K]?) = v * 2.0
let a = iota(f32[8@x, 8])
let b = a as [8, 8@y]
let n = 3
let s = sum(twice(a) + b)
"""


class Answers(unittest.TestCase):
    executable = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera_editors_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.uri = (self.folder / "text.tess").as_uri()
        self.server = client.Client(self.executable)
        self.addCleanup(self.server.__exit__)

    def place(self, text, mark):
        at = text.index(mark)
        return client.position(text, at + mark.find("|") if "|" in mark else at)

    def hover(self, text, word, offset=0):
        place = client.position(text, text.index(word) + offset)
        told = self.server.about("hover", self.uri, place["line"], place["character"])
        return told["contents"]["value"] if told else ""

    def after(self, text, edit):
        return client.with_edits(text, edit["changes"][self.uri])

    def actions(self, text, word):
        begin = text.index(word)
        places = {"start": client.position(text, begin), "end": client.position(text, begin + len(word))}
        return self.server.about("codeAction", self.uri, range=places, context={"diagnostics": []})

    def test_mistakes_of_a_file_in_use(self):
        layers = self.folder / "layers.tess"
        layers.write_text("let n = 2.0\nfn f(v: f32[4]) -> f32[4] = v * n + w\n", encoding="utf-8")
        text = 'mesh m = [x: 4]\nuse "layers.tess"\nlet a = f(ones(f32[4]))\n'
        (told,) = self.server.open(self.uri, text)
        self.assertEqual(told["code"], "unknown-name")
        self.assertEqual(told["range"]["start"], client.position(text, text.index('"layers.tess"')))
        places = [(one["location"]["uri"], one["location"]["range"]["start"]) for one in told["relatedInformation"]]
        self.assertIn((layers.as_uri(), {"line": 1, "character": 36}), places)
        layers.write_text("let n = 2.0\nfn f(v: f32[4]) -> f32[4] = v * n\n", encoding="utf-8")
        self.assertEqual(self.server.open(self.uri, text + "print n\n"), [])
        self.assertIn("a: f32[4]", self.hover(text, "a = f"))
        self.server.open(self.uri, 'use "none.tess"\n')

    def test_hover(self):
        self.assertEqual(self.server.open(self.uri, TEXT), [])
        self.assertIn("a: f32[8@x, 8]", self.hover(TEXT, "a = iota"))
        self.assertIn("each device 2x8 (64 B)", self.hover(TEXT, "a = iota"))
        self.assertTrue(self.hover(TEXT, "iota(").startswith("```tessera\niota(T, dim=, like=)\n```\n0, 1, 2, ... "), self.hover(TEXT, "iota("))
        self.assertTrue(self.hover(TEXT, "as [8, 8@y]").startswith("```tessera\nlet b = a as "), self.hover(TEXT, "as [8, 8@y]"))
        self.assertIn("8 devices", self.hover(TEXT, "m = ["))
        self.assertIn("4 positions", self.hover(TEXT, "x: 4"))
        self.assertIn("fn twice(v: f32[N, K]?)", self.hover(TEXT, "twice(a)"))
        self.assertIn("received", self.hover(TEXT, "as [8, 8@y]", 1))
        self.assertIn("asked for by `as` at line 4", self.hover(TEXT, "as [8, 8@y]", 1))
        self.assertIn("inserted", self.hover(TEXT, "+ b)"))
        wrong = TEXT + "let c = aa\n"
        self.server.open(self.uri, wrong)
        self.assertIn("unknown-name", self.hover(wrong, "aa"))

    def test_definition_references_and_rename(self):
        self.server.open(self.uri, TEXT)
        for name, count in (("a", 3), ("twice", 2), ("m", 1), ("x", 2), ("y", 2), ("v", 2), ("n", 1)):
            word = {"a": "a as", "twice": "twice(a)", "m": "m = [", "x": "x, 8])", "y": "y]\n", "v": "v * 2", "n": "n = 3"}[name]
            place = client.position(TEXT, TEXT.index(word))
            with self.subTest(name=name):
                found = self.server.about("references", self.uri, **place, context={"includeDeclaration": True})
                self.assertEqual(len(found), count)
                self.assertIn(self.server.about("definition", self.uri, **place)["range"], [one["range"] for one in found])
                new = self.server.about("rename", self.uri, **place, newName="other")
                renamed = self.after(TEXT, new)
                self.assertEqual(renamed.count("other"), count)
                self.assertEqual(self.server.open((self.folder / "new.tess").as_uri(), renamed), [])

    def test_a_name_that_changes_the_meaning_is_refused(self):
        self.server.open(self.uri, TEXT)
        place = client.position(TEXT, TEXT.index("b = a"))
        for name in ("a", "let", "1", "", "x y"):
            with self.subTest(name=name), self.assertRaises(client.Failed):
                self.server.about("rename", self.uri, **place, newName=name)

    def test_repairs_that_messages_offer(self):
        head = "mesh m = [x: 4, y: 2]\nlet a = iota(f32[8@x, 8])\n"
        for wrong, word, repaired in (
            ("let b = aa\n", "aa", "let b = a\n"),
            ("let b = a as [8@(x,x), 8]\n", "x), 8", "let b = a as [8@(x), 8]\n"),
            ("let b = ones(f32[8@x, 8@x])\n", "x])", "let b = ones(f32[8@x, 8])\n"),
            ("let b = ones(f32[8@x, 8@x])\n", "x])", "let b = ones(f32[8@x, 8@y])\n"),
            ("let b = a as [8, 8] within 8\n", "a as [8, 8]", "let b = a as [8, 8] within 320\n"),
        ):
            with self.subTest(wrong=wrong):
                text = head + wrong
                self.assertNotEqual(self.server.open(self.uri, text), [])
                results = [self.after(text, one["edit"]) for one in self.actions(text, word) if one["kind"] == "quickfix"]
                self.assertIn(head + repaired, results)
                for result in results:
                    told = self.server.open((self.folder / "new.tess").as_uri(), result)
                    self.assertFalse([one for one in told if one["severity"] == 1], result)

    def test_layouts_and_moves_are_written_out(self):
        self.server.open(self.uri, TEXT)
        written = {one["title"]: self.after(TEXT, one["edit"]) for one in self.actions(TEXT, "a = iota")}
        self.assertIn("let a: f32[8@x, 8] = iota", written["write the layout that was found, `f32[8@x, 8]`"])
        moves = [one for one in self.actions(TEXT, "twice(a) + b") if one["title"].startswith("make this move explicit")]
        self.assertTrue(moves)
        for one in moves:
            new = (self.folder / "new.tess").as_uri()
            self.assertEqual(self.server.open(new, self.after(TEXT, one["edit"])), [])

    def test_completion(self):
        text = TEXT + "let t = iota(f32[8@\nlet u = \n"
        self.server.open(self.uri, text)

        def labels(line, character):
            return {one["label"] for one in self.server.about("completion", self.uri, line, character)}

        self.assertLessEqual({"x", "y"}, labels(6, 19))
        self.assertLessEqual({"a", "b", "twice", "sum", "all_gather", "if"}, labels(7, 8))
        self.assertNotIn("t", labels(2, 8))
        self.server.open(self.uri, TEXT)
        self.assertLessEqual({"let", "mesh", "print"}, labels(6, 0))
        for sign in ("+", "*", "max "):
            self.server.open(self.uri, "mesh m = [x: 2]\nlet a = iota(f32[4]{" + sign)
            self.assertEqual(labels(1, len("let a = iota(f32[4]{" + sign)), {"x"})
        self.server.open(self.uri, "mesh m = [x: 2]\nlet a = iota(f32[4]) as f32[4] on \n")
        self.assertEqual(labels(1, 34), {"m"})
        record = "let layer = {weights: zeros(f32[2]), shift: {first: 1.0}}\nprint layer."
        self.server.open(self.uri, record)
        self.assertEqual(labels(1, len("print layer.")), {"weights", "shift", "first"})

    def test_signature_help(self):
        text = TEXT + "let t = all_gather(a, 0, \n"
        self.server.open(self.uri, text)
        told = self.server.about("signatureHelp", self.uri, 6, 25)
        self.assertEqual(told["activeParameter"], 2)
        self.assertEqual(len(told["signatures"][0]["parameters"]), 3)
        told = self.server.about("signatureHelp", self.uri, 5, 18)
        self.assertEqual(told["signatures"][0]["label"], "fn twice(v: f32[N, K]?)")

    def test_shape_of_the_text(self):
        text = "# one\n# two\n" + TEXT + "fn f(v: f32[N]) = {\n  let w = v + 1.0\n  w\n}\n"
        self.server.open(self.uri, text)
        names = [one["name"] for one in self.server.about("documentSymbol", self.uri)]
        self.assertEqual(names, ["m", "twice", "a", "b", "n", "s", "f"])
        folds = [(one["startLine"], one["endLine"]) for one in self.server.about("foldingRange", self.uri)]
        self.assertIn((0, 1), folds)
        self.assertIn((8, 11), folds)
        (chain,) = self.server.about("selectionRange", self.uri, positions=[{"line": 9, "character": 10}])
        depth = 0
        while chain:
            inner, chain = chain["range"], chain.get("parent")
            self.assertTrue(chain is None or (chain["range"]["start"]["line"], -chain["range"]["end"]["line"])
                            <= (inner["start"]["line"], -inner["end"]["line"]))
            depth += 1
        self.assertGreaterEqual(depth, 4)

    def test_formatting(self):
        text = "let a  =  1\nlet   b=a+1\n"
        self.server.open(self.uri, text)
        self.assertEqual(client.with_edits(text, self.server.about("formatting", self.uri, options={})), "let a = 1\nlet b = a + 1\n")
        second = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}}
        edits = self.server.about("rangeFormatting", self.uri, range=second, options={})
        self.assertEqual(client.with_edits(text, edits), "let a  =  1\nlet b = a + 1\n")

    def test_settings_and_machine_file(self):
        self.server.open(self.uri, TEXT)
        self.server.tell("workspace/didChangeConfiguration", {"settings": {"tessera": {"hints": "bytes"}}})
        self.assertTrue(all("kind" not in one for one in self.server.hints(self.uri)))
        self.server.tell("workspace/didChangeConfiguration", {"settings": {"tessera": {"leastBytes": 1 << 40}}})
        self.assertEqual(self.server.hints(self.uri), [])
        self.server.tell("workspace/didChangeConfiguration", {"settings": {"tessera": {"hints": "all", "leastBytes": 1}}})
        level = '[{"name": "node", "count": 8, "bandwidth": 1e9, "latency": 1e-5}]'
        (self.folder / "tessera.machine").write_text(level, encoding="utf-8")
        self.server.change(self.uri, [{"text": TEXT + "\n"}])
        self.assertTrue(any(one["label"].endswith(" us") for one in self.server.hints(self.uri)), self.server.log)
        (self.folder / "tessera.machine").write_text("no machine", encoding="utf-8")
        self.server.change(self.uri, [{"text": TEXT}])
        self.assertTrue(self.server.log)
        self.assertTrue(self.server.hints(self.uri))

    def test_commands(self):
        self.server.open(self.uri, TEXT)

        def run(command, *arguments):
            return self.server.ask("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

        place = {"line": 3, "character": 4}
        self.assertIn("received", run("tessera.plan", self.uri, place))
        self.assertIn("tessera", run("tessera.compare", self.uri, place))
        self.assertIn("<!DOCTYPE html>", run("tessera.draw", self.uri, place))
        self.assertIn("unknown-name", run("tessera.explain", "unknown-name"))
        with self.assertRaises(client.Failed):
            run("tessera.none")


if __name__ == "__main__":
    Answers.executable = sys.argv.pop(1)
    unittest.main()
