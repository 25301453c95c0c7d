#!/usr/bin/env python3
"""Tests run_docs.py with a `tessera` that echoes: it prints its program's lines that start with `print `, and fails with the
error its program names."""

import tempfile
import textwrap
import unittest
from pathlib import Path

import run_docs

ECHO = """#!/usr/bin/env python3
import sys
if len(sys.argv) == 1:
    print("banner\\n> ", end="", flush=True)
    for line in sys.stdin:
        print("got " + line + ("> " if "(" not in line else ". "), end="", flush=True)
elif sys.argv[1] == "run":
    for line in open(sys.argv[2]):
        if line.startswith("print "):
            print(line[6:], end="")
        if line.startswith(("error", "warning")):
            print(line.strip() + ": so it goes", file=sys.stderr)
            if line.startswith("error"):
                sys.exit(1)
else:
    print("\\n".join(sys.argv[1:]))
"""


def failures(document):
    """What run_docs says of a document, with the echo as `tessera`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        echo = folder / "tessera"
        echo.write_text(ECHO, encoding="utf-8")
        echo.chmod(0o755)
        path = folder / "document.md"
        path.write_text(textwrap.dedent(document), encoding="utf-8")
        return [line.removeprefix(str(folder) + "/") for line in run_docs.check_document(echo, path)]


class Programs(unittest.TestCase):
    def test_one_that_succeeds(self):
        self.assertEqual(failures("Text.\n\n```tessera\nprint 1\n```\n"), [])
        self.assertEqual(len(failures("```tessera\nerror[a]\n```\n")), 1)

    def test_its_output(self):
        self.assertEqual(failures("```tessera\nprint 1\n```\n\n```text\n1\n```\n"), [])
        found = failures("```tessera\nprint 1\n```\n```text\n2\n```\n")
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("document.md:1: this example should print"), found[0])

    def test_text_further_down_is_not_its_output(self):
        self.assertEqual(failures("```tessera\nprint 1\n```\nSomething else:\n```text\n2\n```\n"), [])

    def test_one_that_fails(self):
        self.assertEqual(failures("```tessera error[bad-thing]\nerror[bad-thing]\n```\n"), [])
        self.assertEqual(failures("```tessera error[a]\nerror[a]\n```\n```text\nerror[a]: so it goes\n```\n"), [])
        self.assertEqual(len(failures("```tessera error[a]\nerror[b]\n```\n")), 1)
        self.assertEqual(len(failures("```tessera error[a]\nprint 1\n```\n")), 1)

    def test_one_that_warns(self):
        self.assertEqual(failures("```tessera warning[a]\nwarning[a]\n```\n"), [])
        self.assertEqual(len(failures("```tessera warning[a]\nprint 1\n```\n")), 1)

    def test_one_inside_a_list(self):
        self.assertEqual(failures("- item\n\n  ```tessera\n  print 1\n  ```\n\n  ```text\n  1\n  ```\n"), [])


class Consoles(unittest.TestCase):
    def test_commands_and_their_output(self):
        self.assertEqual(failures("```console\n$ tessera a b\na\nb\n$ tessera c\nc\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ tessera a\nb\n```\n")), 1)
        self.assertEqual(len(failures("```console\n$ tessera a\n```\n")), 1)

    def test_a_command_over_two_lines(self):
        self.assertEqual(failures("```console\n$ tessera a \\\n  b\na\nb\n```\n"), [])

    def test_left_out_lines(self):
        self.assertEqual(failures("```console\n$ tessera a b c\na\n...\nc\n```\n"), [])
        self.assertEqual(failures("```console\n$ tessera a b c\n...\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ tessera a b c\n...\nd\n```\n")), 1)

    def test_left_out_text(self):
        self.assertEqual(failures("```console\n$ tessera one-17-word b\none-...-word\nb\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ tessera one-17-word b\none-...-words\nb\n```\n")), 1)

    def test_exit_status(self):
        self.assertEqual(failures("```console exit=3\n$ tessera a; exit 3\na\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ tessera a; exit 3\na\n```\n")), 1)
        self.assertEqual(len(failures("```console exit=3\n$ tessera a\na\n```\n")), 1)

    def test_files_stay_for_later_examples(self):
        self.assertEqual(failures("```console\n$ echo hello > a.txt\n```\n\n```console\n$ cat a.txt\nhello\n```\n"), [])

    def test_files_for_later_examples(self):
        self.assertEqual(failures("```file a.txt\nhello\n```\n```console\n$ cat a.txt\nhello\n```\n"), [])
        self.assertEqual(len(failures("```file a.txt\nhello\n```\n```console\n$ cat a.txt\nbye\n```\n")), 1)


class Sessions(unittest.TestCase):
    def test_lines_are_typed_and_answers_compared(self):
        self.assertEqual(failures("```session\n> a\ngot a\n> b (\ngot b (\n. c\ngot c\n```\n"), [])
        self.assertEqual(len(failures("```session\n> a\ngot b\n```\n")), 1)
        self.assertEqual(len(failures("```session\n> a (\ngot a (\n> c\ngot c\n```\n")), 1)
        self.assertEqual(len(failures("```session\n> a\n```\n")), 1)

    def test_left_out_lines(self):
        self.assertEqual(failures("```session\n> a\n...\n> b\ngot ...\n```\n"), [])


class Tags(unittest.TestCase):
    def test_other_blocks_are_left_alone(self):
        self.assertEqual(failures("```sh\nexit 1\n```\n\n```\nanything\n```\n\n```cpp\nint x;\n```\n"), [])

    def test_a_slip_in_a_tag_is_found(self):
        self.assertEqual(len(failures("```tessera eror[a]\nprint 1\n```\n")), 1)
        self.assertEqual(len(failures("```console exit\n$ true\n```\n")), 1)
        self.assertEqual(len(failures("```file ../a.txt\nhello\n```\n")), 1)
        self.assertEqual(len(failures("```console\nno command\n```\n")), 1)


if __name__ == "__main__":
    unittest.main()
