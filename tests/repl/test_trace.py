"""tessera run --trace: what is in the file, and that it is there."""

import json
import re
import unittest

from arrows import check_arrows
from driver import CommandLine, main, received_by
from pipelines import SCHEDULES, pipeline

# Each line of the loop is one of several steps.
SCRIPT = """mesh m = [x: 4, y: 2]
let a = iota(f32[16@y, 16, 16@x])
let b = a as [16, 16@(x,y), 16]
let c = relu(b * 2.0 + 1.0)
let d = loop w = 0.0 for i < 3 {
  let inner = loop v = w for j < 2 {
    v + sum(all_gather(c, 1, y))
  }
  inner + 1.0
}
let e = ones(f32[7@x, 3]{+y}) as [7@x, 3]
print "sum", sum(b), d, sum(e)
"""


def events(path):
    return json.loads(path.read_text(encoding="utf-8"))["traceEvents"]


def slices(path):
    return [event for event in events(path) if event["ph"] == "X"]


class Traces(CommandLine):
    def trace(self, script, *arguments, status=0):
        self.write("a.tess", script)
        done = self.tessera("run", "a.tess", "--trace", "a.json", *arguments)
        self.assertEqual(done.status, status, done)
        return done, self.folder / "a.json"

    def test_every_event_is_whole(self):
        _, path = self.trace(SCRIPT)
        names = {}
        for event in events(path):
            self.assertGreater(event["pid"], 0)
            if event["ph"] == "M":
                names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
                continue
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "C":
                self.assertRegex(event["name"], r"\A(memory|in flight), device [0-7]\Z")
                self.assertGreaterEqual(event["args"]["bytes"], 0)
                continue
            if event["ph"] in "sf":
                continue
            self.assertEqual(event["ph"], "X")
            self.assertGreaterEqual(event["dur"], 0)
            self.assertGreater(event["args"]["peak_bytes"], 0)
            self.assertRegex(names["thread_name", event["pid"], event["tid"]], r"\Adevice [0-7]\Z")
        tracks = [name for (kind, _, _), name in names.items() if kind == "thread_name"]
        self.assertEqual(sorted(tracks), [f"device {device}" for device in range(8)])

    def test_slices_of_a_track_follow_each_other(self):
        _, path = self.trace(SCRIPT)
        end = {}
        for event in slices(path):
            self.assertGreaterEqual(event["ts"] + 0.002, end.get(event["tid"], 0))
            end[event["tid"]] = event["ts"] + event["dur"]

    def test_bytes_are_those_of_the_statistics(self):
        done, path = self.trace(SCRIPT, "--stats")
        of_statements = sum(received_by(done.err))
        self.assertGreater(of_statements, 0)
        self.assertEqual(sum(event["args"]["received_bytes"] for event in slices(path)), of_statements)

    def test_counters_are_those_of_the_slices(self):
        _, path = self.trace(SCRIPT)
        counted = [event for event in events(path) if event["ph"] == "C"]
        arrived = [event["args"]["bytes"] for event in counted if event["name"].startswith("in flight")]
        received = [event["args"]["received_bytes"] for event in slices(path)]
        self.assertEqual(arrived[0::2], [count for count in received if count > 0])
        self.assertEqual(set(arrived[1::2]), {0})
        self.assertEqual([event["args"]["bytes"] for event in counted if event["name"].startswith("memory")],
                         [event["args"]["peak_bytes"] for event in slices(path)])

    def test_arrows_lead_from_slice_to_slice(self):
        _, path = self.trace(SCRIPT)
        self.assertEqual(check_arrows(self, events(path)), {"all_to_all", "all_gather", "all_reduce"})

    def test_arrows_carry_what_the_receivers_count(self):
        _, path = self.trace("mesh m = [x: 4]\nlet a = iota(f32[8@x, 8])\nlet b = a as [8, 8@x]\n")
        received = {event["tid"]: event["args"]["received_bytes"] for event in slices(path) if event["name"] == "all_to_all"}
        arrived = dict.fromkeys(received, 0)
        for event in events(path):
            if event["ph"] == "f":
                arrived[event["tid"]] += event["args"]["bytes"]
        self.assertEqual(arrived, received)
        self.assertEqual(len([event for event in events(path) if event["ph"] == "s"]), 4 * 3)

    def test_bytes_of_each_device(self):
        # 7 elements over 3 devices: pieces of 2, 2 and 3. A piece's owner receives it from two others, then the others'.
        _, path = self.trace("mesh m = [x: 3]\nlet a = ones(f32[7]{+x})\nprint sum(a as [7])\n")
        received = [event["args"]["received_bytes"] // 4 for event in slices(path) if event["name"] == "all_reduce"]
        self.assertEqual(sorted(received[:3]), [2 * 2 + 5, 2 * 2 + 5, 3 * 2 + 4])

    def test_steps_say_where_they_come_from(self):
        _, path = self.trace(SCRIPT)
        lines = SCRIPT.splitlines()
        found = {}
        for event in slices(path):
            name, line, column = event["args"]["source"].split(":")
            self.assertEqual((name, event["args"]["text"]), ("a.tess", lines[int(line) - 1]))
            self.assertLessEqual(int(column), len(lines[int(line) - 1]))
            found.setdefault(int(line), set()).add(event["name"])
        self.assertEqual(found[2], {"iota"})
        self.assertEqual(found[3], {"all_to_all"})
        self.assertIn("multiply, add, relu", found[4])
        self.assertEqual(found[7], {"all_gather", "reduce sum", "all_reduce", "add"})
        self.assertIn("print", found[12])

    def test_a_sum_says_its_program(self):
        self.write("machine.json", json.dumps([{"name": "node", "count": 2, "bandwidth": 1e9, "latency": 1e-5},
                                               {"name": "gpu", "count": 4, "bandwidth": 1e11, "latency": 1e-6}]))
        script = ("mesh m = [dp: 8]\nlet x = ones(f32[64@dp, 512])\nlet g = transpose(x) @ x\n"
                  "let h = g as [512, 512@dp]\nlet t = h as [512@dp, 512]\n")
        _, path = self.trace(script, "--machine", "machine.json")
        programs = {event["name"]: event["args"].get("program") for event in slices(path)}
        self.assertEqual(programs["reduce_scatter"], "reduce_scatter dp:(2)4 halving; reduce_scatter dp:(1)2")
        self.assertEqual({programs[name] for name in programs if name != "reduce_scatter"}, {None})

    def test_rounds_of_nested_loops(self):
        _, path = self.trace(SCRIPT)
        gathers = [event for event in slices(path) if event["name"] == "all_gather"]
        self.assertEqual(len(gathers), 3 * 2 * 8)
        self.assertEqual({event["args"]["type"] for event in gathers}, {"f32[16, 16@x, 16]"})

    def test_a_run_that_fails(self):
        done, path = self.trace("mesh m = [x: 2]\nlet a = iota(i64[4@x])\nlet b = 1 / (a - 3)\nprint sum(b)\n", status=1)
        self.assertIn("error[division-by-zero]", done.err)
        self.assertIn("iota", {event["name"] for event in slices(path)})
        failed = [event for event in slices(path) if event["args"].get("failed")]
        self.assertEqual({event["args"]["source"] for event in failed}, {"a.tess:3:9"})
        self.assertEqual(slices(path)[-1], failed[-1])

    def test_a_program_that_is_wrong_leaves_no_file(self):
        _, path = self.trace("let a = b\n", status=1)
        self.assertFalse(path.exists())

    def test_text_that_json_has_to_quote(self):
        _, path = self.trace('let größe = sum(iota(f32[4]))\nprint "a\\"b\\\\", größe\n')
        self.assertIn('print "a\\"b\\\\", größe', {event["args"]["text"] for event in slices(path)})

    def test_a_target_that_cannot_be_written(self):
        self.write("a.tess", 'print "ran"\n')
        done = self.fails(3, "run", "a.tess", "--trace", "nowhere/a.json")
        self.assertEqual((done.out, done.err), ("", "error: cannot write nowhere/a.json: No such file or directory\n"))

    def test_a_disk_that_is_full(self):
        self.write("a.tess", SCRIPT)
        self.write("old.json", "old")
        done = self.shell('ulimit -f 8; trap "" XFSZ; "$tessera" run a.tess --trace old.json')
        self.assertEqual(done.status, 3, done)
        self.assertIn("error: cannot write old.json: File too large", done.err)
        self.assertEqual((self.folder / "old.json").read_text(encoding="utf-8"), "old")
        self.assertEqual(sorted(path.name for path in self.folder.glob("*json*")), ["old.json"])


class Pipelines(CommandLine):
    def traced(self, schedule):
        self.write("a.tess", pipeline(schedule) + "print sum(p), sum(q)\n")
        self.succeeds("run", "a.tess", "--trace", "a.json")
        return slices(self.folder / "a.json")

    def report(self):
        told = [json.loads(line) for line in self.succeeds("check", "a.tess", "--json").splitlines()]
        return next(one for one in told if "pipeline" in one)

    def test_peaks_are_the_planned_ones(self):
        """To the byte, on every device of every stage; and more microbatches in flight need more."""
        firsts = {}
        for schedule in SCHEDULES:
            found = self.traced(schedule)
            report = self.report()
            self.assertEqual(report["pipeline"], schedule)
            for stage in report["stages"]:
                for device in stage["devices"]:
                    measured = [s["args"]["peak_bytes"] for s in found if s["cat"] != "visit" and "microbatch" in s["args"]
                                and s["tid"] % 100000 == device["device"]]
                    self.assertEqual(max(measured), device["peak_bytes"], (schedule, device))
                self.assertEqual(stage["peak_bytes"], max(device["peak_bytes"] for device in stage["devices"]))
            firsts[report["stages"][0]["in_flight"]] = report["stages"][0]["peak_bytes"]
        in_flight = sorted(firsts)
        self.assertGreater(len(in_flight), 2)
        self.assertEqual([firsts[w] for w in in_flight], sorted(set(firsts.values())))

    def test_plan_says_the_peak_of_a_run(self):
        for schedule in ("gpipe", "1f1b"):
            self.write("a.tess", pipeline(schedule) + "print sum(p), sum(q)\n")
            report = self.report()
            self.write("b.tess", pipeline(schedule, "plan"))
            rows = [line.split() for line in self.succeeds("run", "b.tess").splitlines()]
            at = next(k for k, row in enumerate(rows) if row[:1] == ["stage"])
            self.assertEqual(rows[at][-1], "peak")
            for row, stage in zip(rows[at + 1:], report["stages"]):
                planned = float(row[-2]) * {"B": 1, "KiB": 1024}[row[-1]]
                self.assertAlmostEqual(planned / stage["peak_bytes"], 1, delta=1e-3)

    def test_visits_are_whole(self):
        """Every visit of every microbatch is a slice around its steps, in the planned order; borders are slices, too."""
        for schedule in ("gpipe", "eager-1f1b", "auto"):
            found = self.traced(schedule)
            report = self.report()
            visits = [s for s in found if s["cat"] == "visit"]
            stage_of = {v["visit"]: v["stage"] for v in report["timeline"]["visits"]}
            planned = {}
            for visit in report["timeline"]["visits"]:
                for device in report["stages"][visit["stage"]]["devices"]:
                    planned.setdefault(device["device"], []).append((visit["visit"], visit["microbatch"]))
            for device, expected in planned.items():
                own = sorted((s for s in visits if s["tid"] % 100000 == device), key=lambda s: s["ts"])
                self.assertEqual([(s["args"]["visit"], s["args"]["microbatch"]) for s in own], expected, (schedule, device))
                for one, other in zip(own, own[1:]):
                    self.assertLessEqual(one["ts"] + one["dur"], other["ts"] + 0.002)
                steps = [s for s in found if s["cat"] == "step" and "visit" in s["args"] and s["tid"] % 100000 == device]
                for step in steps:
                    self.assertIn(device, [d["device"] for d in report["stages"][stage_of[step["args"]["visit"]]]["devices"]])
                    around = [s for s in own if s["args"]["visit"] == step["args"]["visit"]
                              and s["args"]["microbatch"] == step["args"]["microbatch"]]
                    self.assertLessEqual(around[0]["ts"], step["ts"] + 0.002)
                    self.assertGreaterEqual(around[0]["ts"] + around[0]["dur"] + 0.002, step["ts"] + step["dur"])
            borders = [s for s in found if s["cat"] == "border"]
            self.assertEqual(len(borders), 7 * 3 + 7 * 2)  # each on the devices that get something
            self.assertTrue(all(s["args"]["received_bytes"] > 0 for s in borders))


class Sessions(CommandLine):
    def test_from_the_command_on(self):
        out = self.succeeds(text="let a = ones(f32[8])\n:trace t.json\nlet b = a + 1.0\n:trace\nlet c = exp(a)\n")
        self.assertIn("2 slices written to t.json\n", out)
        self.assertEqual([event["name"] for event in slices(self.folder / "t.json")], ["constant", "add"])
        self.assertEqual([event["args"]["source"] for event in slices(self.folder / "t.json")][-1], "<stdin>:3:9")

    def test_the_end_of_the_input_and_quit_write_it(self):
        for ending in ["", ":quit\n"]:
            (self.folder / "t.json").unlink(missing_ok=True)
            self.succeeds(text=f":trace t.json\nlet a = ones(f32[8])\nlet a = exp(a)\n:undo\n{ending}")
            self.assertIn("exp", [event["name"] for event in slices(self.folder / "t.json")])

    def test_a_second_one_ends_the_first(self):
        self.succeeds(text=":trace one.json\nlet a = ones(f32[8])\n:trace two.json\nlet b = exp(a)\n:set reshard warn\nlet c = log(b)\n")
        self.assertEqual(slices(self.folder / "one.json")[-1]["args"]["source"], "<stdin>:2:9")
        self.assertEqual([event["name"] for event in slices(self.folder / "two.json")], ["exp", "log"])

    def test_what_cannot_be_written(self):
        done = self.fails(1, text=":trace nowhere/t.json\nlet a = 1\n:trace\n")
        self.assertIn("cannot write nowhere/t.json", done.err)
        self.assertIn("nothing is traced", done.err)
        self.assertEqual(done.out, "a : i64\n")


if __name__ == "__main__":
    main()
