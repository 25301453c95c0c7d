#!/usr/bin/env python3
"""One trace of all ranks: the same slices on the same devices, however many ranks there are.

    test_traces.py MPIRUN PATH/TO/tessera"""

import json
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

from launches import RanksTest

sys.path.append(str(Path(__file__).resolve().parent.parent / "repl"))
from arrows import check_arrows  # noqa: E402
from pipelines import SCHEDULES, pipeline  # noqa: E402

PROGRAM = """mesh m = [x: 4, y: 2]
let a = iota(f32[16@y, 16, 16@x])
let b = a as [16, 16@(x,y), 16]
let c = loop w = 0.0 for i < 5 { w + sum(all_gather(b, 1, y)) }
print sum(b), c
"""


class Traces(RanksTest):
    def events(self, ranks, text=PROGRAM, status=0):
        path = self.folder / f"on_{ranks}.json"
        done = self.launch(ranks, "run", self.script(text), "--trace", path)
        self.assertEqual(done.status, status, done.err)
        return json.loads(path.read_text())["traceEvents"]

    def trace(self, ranks, text=PROGRAM, status=0):
        events = self.events(ranks, text, status)
        names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        slices = [event for event in events if event["ph"] == "X"]
        return names, slices

    @staticmethod
    def steps(names, slices):
        """What was taken where, without the times."""
        kept = ("type", "received_bytes", "peak_bytes", "source")
        return Counter((names[s["tid"]], s["name"], *(s["args"].get(key) for key in kept)) for s in slices)

    def test_the_same_slices_on_any_number_of_ranks(self):
        alone = self.steps(*self.trace(1))
        for ranks in (2, 4, 11):
            names, slices = self.trace(ranks)
            self.assertEqual(self.steps(names, slices), alone)
            self.assertEqual(len({s["pid"] for s in slices}), min(ranks, 8))

    def test_pipelines_need_what_was_planned(self):
        """On every device of every stage, to the byte, however many ranks there are; with the visits that were planned."""
        for schedule in SCHEDULES:
            text = pipeline(schedule) + "print sum(p), sum(q)\n"
            told = subprocess.run(self.command("check", self.script(text), "--json"), check=True, capture_output=True,
                                  text=True, cwd=self.folder).stdout.splitlines()
            report = next(one for one in map(json.loads, told) if "pipeline" in one)
            for ranks in (1, 2, 3, 8) if schedule in ("gpipe", "auto") else (3,):
                names, slices = self.trace(ranks, text)
                for stage in report["stages"]:
                    for device in stage["devices"]:
                        own = [s for s in slices if names[s["tid"]] == f"device {device['device']}" and "microbatch" in s["args"]]
                        measured = max(s["args"]["peak_bytes"] for s in own if s["cat"] != "visit")
                        self.assertEqual(measured, device["peak_bytes"], (schedule, ranks, device))
                visits = Counter((names[s["tid"]], s["args"]["visit"], s["args"]["microbatch"]) for s in slices if s["cat"] == "visit")
                planned = Counter((f"device {device['device']}", visit["visit"], visit["microbatch"])
                                  for visit in report["timeline"]["visits"]
                                  for device in report["stages"][visit["stage"]]["devices"])
                self.assertEqual(visits, planned, (schedule, ranks))

    def test_arrows_lead_from_rank_to_rank(self):
        """The same pairs of devices on any number of ranks, and no arrow goes back in time."""
        ends = {}
        for ranks in (1, 3, 4):
            events = self.events(ranks)
            self.assertEqual(check_arrows(self, events), {"all_to_all", "all_gather", "all_reduce"})
            starts = {e["id"]: e for e in events if e["ph"] == "s"}
            for arrow in (e for e in events if e["ph"] == "f"):
                self.assertGreaterEqual(arrow["ts"] + 0.002, starts[arrow["id"]]["ts"])
            ends[ranks] = Counter((e["ph"], e["tid"] % 100_000, e["args"]["bytes"]) for e in events if e["ph"] in "sf")
        self.assertEqual(ends[3], ends[1])
        self.assertEqual(ends[4], ends[1])

    def test_clocks_agree(self):
        """A rank ends a gather after every rank has begun it: it reads what they bring."""
        names, slices = self.trace(4)
        gathers = {}
        for s in slices:
            if s["name"] == "all_gather":
                gathers.setdefault(names[s["tid"]], []).append(s)
        self.assertEqual({len(rounds) for rounds in gathers.values()}, {5})
        pairs = [("device 0", "device 1"), ("device 2", "device 3"), ("device 4", "device 5")]  # neighbours along y
        for one, other in pairs:
            for a, b in zip(gathers[one], gathers[other]):
                self.assertGreaterEqual(a["ts"] + a["dur"] + 0.002, b["ts"])
                self.assertGreaterEqual(b["ts"] + b["dur"] + 0.002, a["ts"])

    def test_a_run_that_fails_on_one_rank(self):
        names, slices = self.trace(4, "mesh m = [x: 4]\nlet a = iota(i64[8@x])\nlet b = 1 / (a - 5)\nprint sum(b)\n", status=1)
        self.assertEqual({names[s["tid"]] for s in slices if s["name"] == "iota"}, {f"device {d}" for d in range(4)})
        failed = {(names[s["tid"]], s["name"], s["args"]["source"].split(":")[1]) for s in slices if s["args"].get("failed")}
        self.assertEqual({failure for failure in failed if failure[2] == "3"}, {("device 2", "divide", "3")})
        # The others may have begun the sum already, which cannot be completed.
        self.assertLessEqual({name for _, name, line in failed if line == "4"}, {"all_reduce"})

    def test_a_target_that_cannot_be_written(self):
        done = self.launch(3, "run", self.script(PROGRAM), "--trace", "nowhere/a.json")
        self.assertEqual((done.status, done.out), (3, ""), done.err)
        self.assertEqual(done.err.count("cannot write nowhere/a.json"), 1, done.err)

    def test_a_trace_on_some_ranks_only(self):
        path = self.script(PROGRAM)
        done = self.launch_parts((1, self.folder, ["run", path, "--trace", "a.json"]), (1, self.folder, ["run", path]))
        self.assertIn("error[ranks-differ]", done.err)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
