"""tessera fmt: to standard output, as a check, in place."""

import os
import stat
import unittest

from driver import CommandLine, main

UGLY = "let   a=[1,2]  # two\n\n\n\nprint  a"
NEAT = "let a = [1, 2]  # two\n\nprint a\n"


class Fmt(CommandLine):
    def test_prints_the_canonical_layout(self):
        self.assertEqual(self.succeeds("fmt", self.write("a.tess", UGLY)), NEAT)
        self.assertEqual(self.read("a.tess"), UGLY)
        self.assertEqual(self.succeeds("fmt", "-", text=UGLY), NEAT)
        self.assertEqual(self.succeeds("fmt", "-", text=NEAT), NEAT)

    def test_check(self):
        done = self.fails(1, "fmt", "--check", self.write("a.tess", UGLY))
        self.assertEqual((done.out, done.err), ("", "a.tess is not in the canonical layout\n"))
        self.assertEqual(self.succeeds("fmt", "--check", self.write("a.tess", NEAT)), "")
        self.fails(1, "fmt", "--check", "-", text=UGLY)

    def test_write(self):
        self.write("a.tess", UGLY)
        os.chmod(self.folder / "a.tess", 0o640)
        self.assertEqual(self.succeeds("fmt", "--write", "a.tess"), "")
        self.assertEqual(self.read("a.tess"), NEAT)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "a.tess").st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["a.tess"])

    def test_write_leaves_neat_files_alone(self):
        self.write("a.tess", NEAT)
        before = os.stat(self.folder / "a.tess")
        self.succeeds("fmt", "--write", "a.tess")
        self.assertEqual(os.stat(self.folder / "a.tess").st_ino, before.st_ino)

    def test_write_keeps_links(self):
        self.write("a.tess", UGLY)
        os.symlink("a.tess", self.folder / "link.tess")
        self.succeeds("fmt", "--write", "link.tess")
        self.assertTrue(os.path.islink(self.folder / "link.tess"))
        self.assertEqual(self.read("a.tess"), NEAT)

    def test_a_text_that_does_not_parse_is_left_alone(self):
        self.write("a.tess", "let = 1\n")
        for options in [[], ["--check"], ["--write"]]:
            done = self.fails(1, "fmt", *options, "a.tess")
            self.assertIn("  a.tess:1:", done.err)
            self.assertEqual(done.out, "")
        self.assertEqual(self.read("a.tess"), "let = 1\n")

    def test_a_place_that_cannot_be_written(self):
        done = self.shell('"$tessera" fmt --write /proc/self/environ')
        self.assertIn(done.status, (1, 2, 3))
        if os.geteuid() == 0:
            return
        self.write("a.tess", UGLY)
        os.chmod(self.folder, 0o500)
        done = self.tessera("fmt", "--write", "a.tess")
        os.chmod(self.folder, 0o700)
        self.assertEqual(done.status, 3)
        self.assertEqual(self.read("a.tess"), UGLY)


if __name__ == "__main__":
    main()
