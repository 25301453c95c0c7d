"""`tessera estimate` and `:estimate`: tables, sweeps, JSON, the page's data, and what is refused.

test_estimate.py PATH/TO/tessera"""

import json
import re
import unittest

from driver import CommandLine, main

PROGRAM = """let B = 64
mesh m = [x: 4]
let a = iota(f32[1024@x, 256])
let w = iota(f32[256, B])
let b = a @ w
let c = b as [1024, B@x]
let s = loop t = c for i < 5 { t * 2.0 }
print sum(s)
"""
MACHINE = {"levels": [{"name": "host", "count": 2, "bandwidth": 1e9, "latency": 1e-5},
                      {"name": "rank", "count": 2, "bandwidth": 1e10, "latency": 1e-6}],
           "devices": [{"count": 4, "flops": 1e11, "bandwidth": 1e10, "memory": 1e9}]}


class Estimates(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("a.tess", PROGRAM)
        self.write("machine.json", json.dumps(MACHINE))

    def objects(self, *words):
        return [json.loads(line) for line in self.succeeds("estimate", "a.tess", "--json", *words).splitlines()]

    def lines_of_table(self, text):
        return [int(line) for line in re.findall(r"^.{20,42}? +(\d+) +[\d.e+-]+ (?:s|ms|us|ns) ", text, re.M)]

    def test_table_by_time_and_by_lines(self):
        by_time = self.succeeds("estimate", "a.tess")
        by_lines = self.succeeds("estimate", "a.tess", "--by", "lines")
        self.assertEqual(sorted(by_time.splitlines()), sorted(by_lines.splitlines()))
        rows = [line for line in by_lines.splitlines() if line.startswith(("let", "print"))]
        self.assertEqual([row[:5] for row in rows], ["let a", "let w", "let b", "let c", "let s", "print"])
        seconds = [one["seconds"] for one in self.objects()[0]["statements"]]
        longest = max(range(len(seconds)), key=seconds.__getitem__)
        first = next(line for line in by_time.splitlines() if line.startswith(("let", "print")))
        self.assertEqual(first.split("  ")[0], rows[longest].split("  ")[0])

    def test_says_of_which_machine_its_seconds_are(self):
        self.assertIn("assumed; --machine FILE gives others\n", self.succeeds("estimate", "a.tess"))
        self.assertIn("1 Tflop a second and 93.13 GiB/s each, assumed", self.succeeds("estimate", "a.tess"))
        given = self.succeeds("estimate", "a.tess", "--machine", "machine.json")
        self.assertIn("as given", given)
        self.assertNotIn("assumed", given)
        self.assertIn("it fits", given)

    def test_bytes_by_level(self):
        one, = self.objects("--machine", "machine.json")
        self.assertEqual(one["levels"], ["host", "rank"])
        change = next(each for each in one["statements"] if each["line"] == 6)
        # Of three quarters of 256 KiB two thirds come from the other host.
        self.assertEqual(change["received_by_level"], [131072, 65536])
        self.assertIn("by host", self.succeeds("estimate", "a.tess", "--machine", "machine.json"))

    def test_what_does_not_fit(self):
        small = dict(MACHINE, devices=[{"count": 4, "flops": 1e11, "bandwidth": 1e10, "memory": 1000}])
        self.write("small.json", json.dumps(small))
        self.assertIn("it does not fit", self.succeeds("estimate", "a.tess", "--machine", "small.json"))
        self.assertIn(" no ", self.succeeds("estimate", "a.tess", "--machine", "small.json", "--devices", "2,4"))

    def test_sweeps(self):
        rows = self.objects("--define", "B=64,128", "--devices", "1,2,4")
        self.assertEqual([(row["sweep"]["devices"], row["sweep"]["B"]) for row in rows],
                         [(d, b) for d in ("1", "2", "4") for b in ("64", "128")])
        self.assertEqual([row["devices"] for row in rows], [1, 1, 2, 2, 4, 4])
        self.assertGreater(rows[0]["seconds"], rows[2]["seconds"])  # more devices
        self.assertGreater(rows[1]["seconds"], rows[0]["seconds"])  # more work
        together = self.objects("--define", "B=64,128", "--devices", "1,2", "--together")
        self.assertEqual([row["sweep"] for row in together], [{"devices": "1", "B": "64"}, {"devices": "2", "B": "128"}])
        table = self.succeeds("estimate", "a.tess", "--devices", "1,2,4").splitlines()
        self.assertEqual(table[0].split()[:2], ["devices", "seconds"])
        self.assertEqual([row.split()[0] for row in table[1:4]], ["1", "2", "4"])
        self.assertEqual(table[1].split()[-1], "1.00")
        for machines in (["--machine", "machine.json,slow.json"], ["--machine", "machine.json", "--machine", "slow.json"]):
            slow = dict(MACHINE, devices=[{"count": 4, "flops": 1e10, "bandwidth": 1e9}])
            self.write("slow.json", json.dumps(slow))
            fast, slower = self.objects(*machines)
            self.assertEqual((fast["sweep"]["machine"], slower["sweep"]["machine"]), ("machine.json", "slow.json"))
            self.assertAlmostEqual(slower["compute_seconds"] / fast["compute_seconds"], 10, places=6)

    def test_a_point_that_makes_no_sense_leaves_the_others(self):
        rows = self.objects("--define", "B=64,-1,128")
        self.assertEqual(["error" in row for row in rows], [False, True, False])
        self.assertIn("B -1: ", self.succeeds("estimate", "a.tess", "--define", "B=64,-1,128"))
        self.assertIn("no program of the sweep makes sense", self.fails(1, "estimate", "a.tess", "--define", "B=-1,-2").err)

    def test_devices_of_a_mesh_of_several_axes(self):
        self.write("a.tess", "mesh m = [x: 2, y: 3]\nlet a = iota(f32[12@x, 6@y])\nprint sum(a)\n")
        self.assertEqual([row["devices"] for row in self.objects("--devices", "3,6,12")], [3, 6, 12])
        self.assertIn("4 devices are no multiple of the 3", self.fails(2, "estimate", "a.tess", "--devices", "4").err)
        self.write("b.tess", "mesh a = [x: 1] on 0:1\nmesh b = [x: 1] on 1:2\nprint 1\n")
        self.assertIn("this one has 2: sweep a name by --define", self.fails(2, "estimate", "b.tess", "--devices", "4").err)

    def test_refused(self):
        for status, words, why in (
                (2, ["--devices", "two"], "--devices needs numbers of devices, not `two`"),
                (2, ["--define", "B"], "--define needs NAME=VALUE, not `B`"),
                (2, ["--by", "names"], "--by"),
                (2, ["--json", "-o", "page.html"], "--json and -o exclude each other"),
                (2, ["--together", "--devices", "1,2", "--define", "B=1,2,3"], "lists go --together only if they are alike in length"),
                (2, ["--machine", "nowhere.json"], "nowhere.json"),
                (2, ["--define", "C=3"], "no top-level `let C")):
            with self.subTest(words=words):
                self.assertIn(why, self.fails(status, "estimate", "a.tess", *words).err)
        self.write("wrong.tess", "let a = b\n")
        self.assertIn("error[", self.fails(1, "estimate", "wrong.tess").err)
        self.assertEqual(self.fails(2, "estimate", "nowhere.tess").out, "")
        self.assertEqual(self.fails(3, "estimate", "a.tess", "-o", "no/folder/page.html").out, "")

    def test_loops_of_unknown_count(self):
        self.write("a.tess", "let a = iota(i64[4])\nlet s = loop t = ones(f32[100]) for i < max(a) { t * 2.0 }\nprint sum(s)\n")
        self.assertIn("was taken for one turn", self.succeeds("estimate", "a.tess"))
        self.assertFalse(self.objects()[0]["turns_known"])

    def test_the_page_holds_the_figures(self):
        self.assertEqual(self.succeeds("estimate", "a.tess", "--devices", "1,2,4", "-o", "page.html"), "")
        found = re.search(r'<script type="application/json" id="data">(.*)</script>\n<script>', self.read("page.html"))
        drawn = json.loads(found.group(1))["estimate"]
        rows = self.objects("--devices", "1,2,4")
        self.assertEqual([one["seconds"] for one in drawn["sweep"]], [row["seconds"] for row in rows])
        self.assertEqual(drawn["statements"], rows[-1]["statements"])
        self.assertAlmostEqual(sum(one["seconds"] * one["times"] for one in drawn["steps"]), drawn["seconds"], delta=1e-12)

    def session(self, *lines):
        done = self.tessera(text="\n".join(lines) + "\n")
        self.assertEqual(done.status, 0, done)
        return done.out

    def drawn(self, text):
        """What `draw` says of the devices of a program, on four of unequal speed."""
        self.write("a.tess", text)
        kinds = [{"count": count, "flops": flops, "bandwidth": 1e15, "memory": 1 << 20} for count, flops in [(1, 1e6), (2, 3e6), (1, 6e6)]]
        self.write("machine.json", json.dumps({"devices": kinds}))
        self.succeeds("draw", "a.tess", "-o", "page.html", "--machine", "machine.json")
        return json.loads(re.search(r'id="data">(.*)</script>\n<script>', self.read("page.html")).group(1))["estimate"]

    def test_a_page_has_shares_and_loads_of_devices(self):
        """Each device's seconds are its tiles' at its own speed."""
        for cut, rows in [("d", [13, 13, 13, 13]), ("d.work", [4, 12, 12, 24])]:
            page = self.drawn(f"mesh m = [d: 4 work(1,3,3,6)]\nlet a = iota(f32[52@{cut}, 8])\nlet b = a @ ones(f32[8, 16])\n")
            self.assertEqual(page["shares"], [{"axis": "d", "cut": "work", "weights": [1, 3, 3, 6]}])
            self.assertEqual([load["device"] for load in page["loads"]], [0, 1, 2, 3])
            for load, own, speed in zip(page["loads"], rows, [1e6, 3e6, 3e6, 6e6]):
                self.assertAlmostEqual(load["compute_seconds"], own * 8 * 16 * 2 / speed, places=6)
                self.assertEqual((load["peak_bytes"], load["memory_bytes"]), ((own * (8 + 16) + 8 * 16) * 4, 1 << 20))
        # Turns of a loop count, and a device may have nothing to do.
        page = self.drawn("mesh m = [d: 3]\nlet a = loop x = iota(f32[2@d, 4]) for i < 10 { x @ ones(f32[4, 4]) }\n")
        seconds = [load["compute_seconds"] for load in page["loads"]]
        self.assertEqual(page["shares"], [])
        self.assertAlmostEqual(seconds[1], 10 * 4 * 4 * 2 / 3e6, places=8)
        self.assertLess(min(seconds), seconds[1] / 100)
        self.assertEqual(self.drawn("let a = iota(f32[8])\nprint a\n")["loads"], [])

    def test_in_a_session(self):
        told = self.session("mesh m = [x: 4]", "let a = iota(f32[64@x, 64])", ":estimate a as [64, 64@x]")
        self.assertRegex(told, r"all_to_all +1 +[\d.]+ us +0 flop +0 B +12 KiB")
        told = self.session("mesh m = [x: 4]", "let a = iota(f32[64@x, 64])", "let w = iota(f32[64, 64])", "let b = a @ w", "let c = 1", ":estimate b")
        self.assertRegex(told, r"contract .* 524.3 kflop")
        self.assertNotIn("iota", told.split(" by the machine model")[1])
        self.assertIn("modelled: links of 100 GB/s and 1 us, assumed; :machine FILE gives others", told)

    def test_in_a_session_mistakes_are_reported(self):
        done = self.tessera(text=":estimate nothing\n:estimate\n:estimate let a = 1\n")
        self.assertEqual(done.status, 1)
        self.assertIn("error[unknown-name]", done.err)
        self.assertIn("`:estimate` needs", done.err)


if __name__ == "__main__":
    main()
