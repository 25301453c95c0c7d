"""Messages and hints are those of `tessera check --json`: of all examples and of 300 programs of tests/cases."""

import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import client

PROGRAMS = 300
SEVERITIES = {"error": 1, "warning": 2, "note": 3}


def range_in(text, place):
    """The range of a place of `check --json`, as the protocol counts."""
    lines = text.split("\n")
    line = lines[place["line"] - 1] if place["line"] <= len(lines) else ""
    line = line.removesuffix("\r")
    begin, end = place["column"] - 1, place["column"] - 1 + place["length"]
    return {
        "start": {"line": place["line"] - 1, "character": client.units(line[:begin])},
        "end": {"line": place["line"] - 1, "character": client.units(line[: min(end, len(line))])},
    }


def elsewhere(place):
    """The range of a place in a file that the text uses, as it is counted there."""
    begin = place["column"] - 1
    return {"start": {"line": place["line"] - 1, "character": begin},
            "end": {"line": place["line"] - 1, "character": begin + place["length"]}}


def expected(path, text, told):
    """A message of `check --json` as the server says it: marked where the text itself is meant."""
    labels = told["labels"]
    nowhere = {"line": 0, "character": 0}
    is_here = [one.get("file", told["file"]) == str(path) for one in labels]
    here = labels[is_here.index(True)] if True in is_here else None
    related = [(range_in(text, one) if own else elsewhere(one), one["text"] or "see here")
               for one, own in zip(labels, is_here, strict=True) if one["text"] or not one["primary"] or not own]
    return {
        "range": range_in(text, here) if here else {"start": nowhere, "end": nowhere},
        "severity": SEVERITIES[told["severity"]],
        "code": told["slug"],
        "message": told["message"] + (f"\nhelp: {told['help']}" if told["help"] else ""),
        "related": related,
    }


def said(diagnostic):
    related = [(one["location"]["range"], one["message"]) for one in diagnostic["relatedInformation"]]
    return {key: diagnostic[key] for key in ("range", "severity", "code", "message")} | {"related": related}


class Messages(unittest.TestCase):
    executable = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera_editors_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "text.tess"
        self.uri = self.path.as_uri()

    def check(self, text):
        """The messages of `check --json`, and the types of names."""
        self.path.write_bytes(text.encode())
        done = subprocess.run([self.executable, "check", "--json", str(self.path)], capture_output=True, cwd=self.folder, check=False)
        objects = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return [one for one in objects if "slug" in one], [one for one in objects if "name" in one and "type" in one]

    def compare(self, server, name, text):
        with self.subTest(program=name):
            told, types = self.check(text)
            self.assertEqual([said(one) for one in server.open(self.uri, text)], [expected(self.path, text, one) for one in told])
            hints = {(one["position"]["line"], one["position"]["character"]): one["label"] for one in server.hints(self.uri)
                     if one.get("kind") == 1}
            if any(one["severity"] == "error" for one in told):
                return
            places = {}
            for one in types:
                line = text.split("\n")[one["line"] - 1]
                after = client.units(line[: one["column"] - 1 + len(one["name"])])
                places[one["line"] - 1, after] = ": " + one["type"].split(" on ")[0]  # which mesh needs a name differs from line to line
            for place, label in hints.items():
                if place in places:  # others are in functions and blocks
                    self.assertEqual(label.split(" on ")[0], places[place], place)

    def test_examples(self):
        with client.Client(self.executable) as server:
            for name, text in client.examples():
                self.compare(server, name, text)

    def test_mistakes_of_files_in_use(self):
        (self.folder / "layers.tess").write_text("fn f(v: f32[4]) -> f32[4] = v + w\nfn g(v: f32[N]?) = v @ [1.0]\n")
        programs = {"declared": 'use "layers.tess"\n', "called": 'use "std/nn"\nprint linear([[1.0]], [[2.0]], [[[3.0]]])\n',
                    "both": 'print 1\nuse "layers.tess"\nprint g([1.0, 2.0])\n', "missing": 'use "none.tess"\n',
                    "clash": 'fn f(v: f32[N]?) = v\nuse "layers.tess"\n', "circle": 'use "text.tess"\n'}
        with client.Client(self.executable) as server:
            for name, text in programs.items():
                self.compare(server, name, text)

    def test_cases(self):
        programs = client.programs_of_cases()
        with client.Client(self.executable) as server:
            for name, text in random.Random(40).sample(programs, PROGRAMS):
                try:
                    text.encode()
                except UnicodeEncodeError:
                    continue  # no client can send what is no text
                self.compare(server, name, text)

    def test_every_move_of_a_program_has_its_bytes(self):
        text = "mesh m = [x: 4]\nlet a = iota(f32[1024@x, 1024])\nlet b = a as [1024, 1024@x]\nlet c = a + b\n"
        with client.Client(self.executable) as server:
            server.open(self.uri, text)
            labels = [one["label"] for one in server.hints(self.uri) if "kind" not in one]
            self.assertEqual(labels, ["⇄ all_to_all 3 MiB", "⇄ all_to_all 3 MiB"])

    def test_a_half_typed_statement_leaves_the_others_their_hints(self):
        with client.Client(self.executable) as server:
            server.open(self.uri, "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [\nlet c = sum(a)\n")
            labels = [one["label"] for one in server.hints(self.uri)]
            self.assertIn(": f32[8@x]", labels)
            self.assertIn(": f32{+x}", labels)


if __name__ == "__main__":
    Messages.executable = sys.argv.pop(1)
    unittest.main()
