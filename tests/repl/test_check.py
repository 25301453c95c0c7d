"""tessera check: types on standard output, diagnostics on standard error, or all of it as JSON."""

import unittest

from driver import CommandLine, main



class Check(CommandLine):
    def test_one_line_for_each_binding(self):
        self.write("a.tess", "mesh m = [x: 4, y: 2]\nlet N = 16\nfn f(a: f32[16@x]) = a * 2.0\n"
                             "let a = iota(f32[N@y, 16, 16@x])\nlet a = sum(a, dim=2)\nlet b = f(ones(f32[N@x]))\n")
        self.assertEqual(self.succeeds("check", "a.tess"),
                         "N : i64\na : f32[16@y, 16, 16@x]\na : f32[16@y, 16]{+x}\nb : f32[16@x]\n")

    def test_nothing_runs(self):
        self.assertEqual(self.succeeds("check", self.write("a.tess", 'print "no"\nsave(ones(f32[2]), "a.npy")\n')), "")
        self.assertFalse((self.folder / "a.npy").exists())

    def test_json(self):
        self.write("a.tess", "mesh m = [x: 2]\nlet a = ones(f32[4@x])\nlet b = 1\n")
        done = self.tessera("check", "--json", "a.tess")
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertEqual(done.objects(), [{"name": "a", "type": "f32[4@x]", "line": 2, "column": 5},
                                          {"name": "b", "type": "i64", "line": 3, "column": 5}])

    def test_json_of_what_operations_move(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[512@x, 64])\nlet b = concat([a, a], 0)\nlet c = cumsum(a, 0)\n"
                             "let d = take(iota(f32[4096@x, 64]), iota(i64[1024@x]) * 37 % 4096)\nlet e = a + a\n")
        told = [each for each in self.tessera("check", "--json", "a.tess").objects() if "op" in each]
        self.assertEqual(told[0], {"op": "assemble", "who": "`concat`", "line": 3, "column": 9, "from": ["f32[512@x, 64]"],
                                   "to": "f32[1024@x, 64]", "received_bytes_total": 192 << 10, "received_bytes_max": 64 << 10,
                                   "gathered_bytes_total": 384 << 10, "peak_bytes": 96 << 10, "lower_bound_bytes_total": 192 << 10})
        self.assertEqual([(each["op"], each["received_bytes_max"], each.get("at_most")) for each in told],
                         [("assemble", 64 << 10, None), ("carry", 512, None), ("fetch", 256 * (256 + 4), True)])
        self.assertNotIn("lower_bound_bytes_total", told[2])

    def test_each_stage_is_printed_as_text(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [8]\nprint b\n")
        lines = {stage: self.tessera("check", "--after", stage, "a.tess").out.splitlines()
                 for stage in ["elaborate", "assign", "insert", "lower"]}
        self.assertEqual({stage: text[0] for stage, text in lines.items()},
                         {"elaborate": "open 7 values", "assign": "layouts", "insert": "typed 3 values", "lower": "program"})
        self.assertIn("  %4: f32[8] = as %2 [_] is_as begins %4 who \"`as`\" @47..48 (47..48 #3, 47..55, 52..55)",
                      lines["elaborate"])
        self.assertIn("  %4: (f32[8]) uses ((f32[8] asked annotation who \"`as`\")) at (47..55, 52..55)", lines["assign"])
        self.assertIn("  %1: f32[8] = redistribute %0 p0 all_gather asked annotation who \"`as`\" @47..48 (47..55, 52..55)",
                      lines["insert"])
        self.assertIn("  r1 = collect (r0) all_gather axes (x) from 0 rounds 1 @1", lines["lower"])

    def test_notes_and_mistakes_go_to_standard_error_beside_a_stage(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = ones(f32[4@x])\nlet b = a as [4]\n")
        done = self.tessera("check", "--after", "insert", "a.tess")
        self.assertEqual(done.status, 0)
        self.assertIn("note[annotation-gathers]", done.err)
        done = self.fails(1, "check", "--after", "elaborate", self.write("b.tess", "let a = one\n"))
        self.assertEqual(done.out, "")
        self.assertIn("error[unknown-name]", done.err)

    def test_all_mistakes_are_told(self):
        done = self.fails(1, "check", self.write("a.tess", "let a = one\nlet b = 1\nlet c = three\n"))
        self.assertEqual(done.out, "")
        self.assertEqual(done.err.count("error[unknown-name]"), 2)

    def test_diagnostics_as_json(self):
        self.write("a.tess", "mesh m = [x: 4]\nfn g(a: f32[8@x, 8@x]) = a\nlet b = c\n")
        done = self.tessera("check", "--json", "a.tess")
        self.assertEqual((done.status, done.err), (1, ""))
        first, second = done.objects()
        self.assertEqual(list(first), ["slug", "severity", "message", "file", "line", "column", "labels", "help"])
        self.assertEqual((first["slug"], first["severity"]), ("axis-used-twice", "error"))
        self.assertEqual((first["file"], first["line"], first["column"]), ("a.tess", 2, 20))
        self.assertEqual([(label["line"], label["column"], label["length"], label["primary"]) for label in first["labels"]],
                         [(2, 20, 1, True), (2, 15, 1, False)])
        self.assertEqual(second["slug"], "unknown-name")

    def test_syntax_errors_one_a_statement(self):
        done = self.fails(1, "check", self.write("a.tess", "let = 1\nlet b = 2\nlet c = )\n"))
        self.assertIn("  a.tess:1:", done.err)
        self.assertIn("  a.tess:3:", done.err)
        self.assertEqual(done.err.count("error["), 2)

    def test_notes_go_to_standard_error(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = ones(f32[4@x])\nlet b = a as [4]\n")
        done = self.tessera("check", "a.tess")
        self.assertEqual((done.status, done.out), (0, "a : f32[4@x]\nb : f32[4]\n"))
        self.assertIn("note[annotation-gathers]", done.err)
        objects = self.tessera("check", "--json", "a.tess").objects()
        self.assertEqual([each.get("slug", each.get("name")) for each in objects], ["annotation-gathers", "a", "b"])

    def test_a_missing_data_file(self):
        self.write("a.tess", 'let a = load("missing.npy", f32[_])\n')
        self.assertIn("error[file-missing]", self.fails(3, "check", "a.tess").err)
        done = self.tessera("check", "--json", "a.tess")
        self.assertEqual((done.status, done.objects()[0]["slug"]), (3, "file-missing"))

    def test_standard_input(self):
        self.assertEqual(self.succeeds("check", "-", text="let a = 1"), "a : i64\n")
        done = self.tessera("check", "-", "--json", text="let a = b")
        self.assertEqual(done.objects()[0]["file"], "<stdin>")

    def test_any_bytes_end_in_an_answer(self):
        for text in [b"\xff\xfe", b"\0", b"let a = \"", b"(" * 100_000, b"let a = " + b"-" * 100_000 + b"1", b"\xef\xbb\xbflet a = 1",
                     b"let a = 1\r\nlet b = a\r\n"]:
            self.assertIn(self.tessera("check", "-", text=text).status, (0, 1))

    def test_a_script_without_end(self):
        done = self.shell('"$tessera" check /dev/zero')
        self.assertEqual(done.status, 1)
        self.assertIn("error[source-too-large]", done.err)


if __name__ == "__main__":
    main()
