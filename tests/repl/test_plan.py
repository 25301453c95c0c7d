"""tessera plan and tessera compare."""

import json
import unittest

from driver import CommandLine, main

ANY_CHANGE = ["tessera", "paper", "xla", "shardy", "dtensor", "gather"]
OF_SUMS = ["ring", "smp", "p2"]
PLANNERS = ANY_CHANGE + OF_SUMS
KEYS = ["mesh", "from", "to", "planner", "devices", "steps", "received_bytes_total", "lower_bound_bytes_total",
        "local_bytes_max", "bound_bytes", "peak_bytes", "seconds", "lower_bound_seconds", "verified"]
STEP_KEYS = ["op", "detail", "type", "local_bytes_max", "received_bytes_total", "received_bytes_max", "groups", "group_size",
             "transfer"]
DIRECT = {"recipe": "direct", "hops": 1, "stretches": 1}
NODES = [{"name": "node", "count": 4, "bandwidth": 12.5e9, "latency": 0}, {"name": "gpu", "count": 4, "bandwidth": 300e9, "latency": 0}]


def change(mesh="x:4", source="f32[8@x,8]", target="f32[8,8@x]"):
    return ["--mesh", mesh, "--from", source, "--to", target]


class Plan(CommandLine):
    def test_text(self):
        text = self.succeeds("plan", *change())
        self.assertIn("all_to_all", text)
        self.assertTrue(text.endswith("\n"))

    def test_a_change_in_one_text(self):
        """'FROM -> TO' stands for --from and --to, in plan and in compare."""
        arrow = ["--mesh", "x:4", "f32[8@x,8] -> f32[8,8@x]"]
        for command in ("plan", "compare"):
            with self.subTest(command=command):
                self.assertEqual(self.succeeds(command, *arrow), self.succeeds(command, *change()))
                self.assertIn(f"{command} needs 'FROM -> TO', or --from and --to, not both",
                              self.fails(2, command, *arrow, "--from", "f32[8]").err)
                for wrong in ("f32[8@x,8] f32[8,8@x]", "f32[8] -> f32[8] -> f32[8]"):
                    said = self.fails(2, command, "--mesh", "x:4", wrong).err
                    self.assertIn(f"`{wrong}` is no change of layout\n  help: tessera {command} --mesh", said)

    def test_json(self):
        (plan,) = self.tessera("plan", *change("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"), "--json").objects()
        self.assertEqual(list(plan), KEYS)
        self.assertEqual((plan["mesh"], plan["from"], plan["to"]), ("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"))
        self.assertEqual((plan["planner"], plan["devices"], plan["verified"]), ("tessera", 8, True))
        self.assertEqual((plan["bound_bytes"], plan["local_bytes_max"], plan["lower_bound_bytes_total"]), (2048, 2048, 14336))
        for step in plan["steps"]:
            self.assertEqual(list(step), STEP_KEYS)
            self.assertEqual(step["transfer"], DIRECT)

    def test_what_moves_nothing_has_no_transfer(self):
        (plan,) = self.tessera("plan", *change("x:4", "f32[8,8]", "f32[8@x,8]"), "--json").objects()
        self.assertEqual([list(step) for step in plan["steps"]], [STEP_KEYS[:-1]])

    def test_an_all_reduce_has_two_hops(self):
        (plan,) = self.tessera("plan", *change("x:4", "f32[8,8]{+x}", "f32[8,8]"), "--json").objects()
        self.assertEqual([step["transfer"]["hops"] for step in plan["steps"] if step["op"] == "all_reduce"], [2])

    def test_a_relay(self):
        machine = self.folder / "machine.json"
        machine.write_text(json.dumps(NODES))
        request = change("a:4,b:4", "f32[4096@b,4096]", "f32[4096@a,4096]") + ["--machine", str(machine)]
        (plan,) = self.tessera("plan", *request, "--json").objects()
        (step,) = plan["steps"]
        self.assertEqual(step["op"], "relay")
        self.assertTrue(step["transfer"]["recipe"].startswith("relay "))
        self.assertEqual(step["detail"], "{stretches} stretches, {hops} hops".format(**step["transfer"]))
        self.assertEqual(plan["received_bytes_total"], plan["lower_bound_bytes_total"])
        self.assertLess(plan["seconds"], 1.05 * plan["lower_bound_seconds"])
        self.assertIn(step["detail"], self.succeeds("plan", *request))

    def test_gathering_everything(self):
        (plan,) = self.tessera("plan", *change("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"), "--planner", "gather",
                               "--json").objects()
        self.assertEqual([step["op"] for step in plan["steps"]][-1], "slice")
        self.assertEqual((plan["received_bytes_total"], plan["local_bytes_max"]), (114688, 16384))

    def test_every_planner(self):
        for planner in ANY_CHANGE:
            (plan,) = self.tessera("plan", *change(), "--planner", planner, "--json").objects()
            self.assertEqual(plan["planner"], planner)
        for planner in OF_SUMS:
            done = self.fails(1, "plan", *change(), "--planner", planner)
            self.assertIn("error[unsupported]", done.err)

    def test_planners_of_sums(self):
        machine = self.write("nodes", json.dumps(NODES))
        for planner in OF_SUMS:
            (plan,) = self.tessera("plan", *change("x:16", "f32[4096]{+x}", "f32[4096]"), "--machine", machine, "--planner",
                                   planner, "--json").objects()
            self.assertEqual([step["op"] for step in plan["steps"]], ["all_reduce"])
            self.assertIn("program", plan["steps"][0])
            self.succeeds("plan", "--verify", self.write("plan", json.dumps(plan)), "--machine", machine)

    def test_nothing_to_do(self):
        (plan,) = self.tessera("plan", *change(target="f32[8@x, 8]"), "--json").objects()
        self.assertEqual((plan["steps"], plan["seconds"]), ([], 0))
        self.succeeds("plan", *change(target="f32[8@x, 8]"))

    def test_collectives_only(self):
        (plan,) = self.tessera("plan", *change("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"), "--collectives-only",
                               "--json").objects()
        self.assertNotIn("exchange", [step["op"] for step in plan["steps"]])

    def test_meshes_may_be_written_as_in_programs(self):
        self.assertEqual(self.succeeds("plan", *change("[x: 4]"), "--json"), self.succeeds("plan", *change(), "--json"))

    def test_a_budget_kept_by_rounds(self):
        first = change("x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]")
        (plan,) = self.tessera("plan", *first, "--within", "4096", "--json").objects()
        self.assertEqual(plan["peak_bytes"], 4096)
        self.assertNotIn("round", "".join(step["detail"] for step in plan["steps"]))
        (plan,) = self.tessera("plan", *first, "--within", "4095", "--json").objects()
        self.assertEqual([(step["op"], step["detail"]) for step in plan["steps"]],
                         [("exchange", "round 1 of 2"), ("exchange", "round 2 of 2")])
        self.assertEqual({(step["type"], step["local_bytes_max"]) for step in plan["steps"]},
                         {("f32[16,16@(x,y),16]", 2048)})
        self.assertEqual((plan["peak_bytes"], plan["local_bytes_max"], plan["verified"]), (3072, 2048, True))
        text = self.succeeds("plan", *first, "--within", "4095")
        self.assertIn("exchange  round 2 of 2  MPI_Alltoallw", text)
        self.write("batch", json.dumps({"mesh": "x:4,y:2", "from": first[3], "to": first[5], "within": 2304}) + "\n")
        (plan,) = self.tessera("plan", "--batch", "batch").objects()
        self.assertEqual(len(plan["steps"]), 8)
        (failure,) = self.fails(1, "plan", *first, "--within", "2303", "--json").objects()
        self.assertEqual(failure["least_bytes"], 2304)

    def test_a_budget(self):
        self.succeeds("plan", *change(), "--within", "64MiB")
        done = self.fails(1, "plan", *change(), "--within", "1")
        self.assertIn("error[over-budget]: ", done.err)
        self.assertRegex(done.err, r"(?m)^least budget: \d+ bytes$")
        least = int(done.err.split("least budget: ")[1].split()[0])
        self.succeeds("plan", *change(), "--within", str(least))
        self.fails(1, "plan", *change(), "--within", str(least - 1))
        done = self.fails(1, "plan", *change(), "--within", "1", "--json")
        (failure,) = done.objects()
        self.assertEqual(list(failure), ["mesh", "from", "to", "planner", "devices", "error", "message", "least_bytes"])
        self.assertEqual((failure["error"], failure["least_bytes"]), ("over-budget", least))

    def test_command_lines_that_do_not_parse(self):
        for line in [change(mesh="x:"), change(mesh="4"), change(source="f32[8"), change(source="8"), change(target="[8,8]{"),
                     change() + ["--within", "much"], change() + ["--within", "-1"], change() + ["--planner", "best"]]:
            with self.subTest(line=line):
                self.fails(2, "plan", *line)

    def test_requests_that_do_not_check(self):
        for line in [change(target="f32[8,8@z]"), change(target="f32[8@x,8@x]"), change(target="f32[8,9@x]"),
                     change(target="i32[8,8@x]"), change(mesh="x:0"), change(mesh="x:4,x:4"), change(mesh="x:70000"),
                     change(mesh="x:256,y:257"), change(target="f32[99999999999999999999,8]"),
                     change(source="f32[4611686018427387904,16]", target="f32[4611686018427387904,16]")]:
            with self.subTest(line=line):
                self.fails(1, "plan", *line)

    def test_where_the_fault_is(self):
        done = self.fails(1, "plan", *change(target="f32[8,8@z]"))
        self.assertIn("error[unknown-axis]: the mesh has no axis `z`\n  to:1:9\n   1 | f32[8,8@z]\n     |         ^", done.err)

    def test_machines(self):
        self.write("good.json", '[{"name":"gpu","count":4,"bandwidth":1e9,"latency":1e-6}]')
        self.write("other.json", '[{"name":"gpu","count":3,"bandwidth":1e9,"latency":1e-6}]')
        self.write("broken.json", '[{"name":"gpu","count":4,"bandwidth":1e9,"latency":]')
        (plan,) = self.tessera("plan", *change(), "--machine", "good.json", "--json").objects()
        (usual,) = self.tessera("plan", *change(), "--json").objects()
        self.assertNotEqual(plan["lower_bound_seconds"], usual["lower_bound_seconds"])
        self.fails(1, "plan", *change(), "--machine", "other.json")
        self.fails(2, "plan", *change(), "--machine", "broken.json")
        self.fails(2, "plan", *change(), "--machine", "missing.json")


BETWEEN = ["--mesh", "x:2,y:4", "--to-mesh", "x:2,y:4 on 8:16", "--from", "f32[64@y,64]", "--to", "f32[64@x,64]"]
RIVALS_BETWEEN = ["sendrecv", "localgather", "globalgather", "alpa"]


class BetweenMeshes(CommandLine):
    """--to-mesh."""

    def setUp(self):
        super().setUp()
        machine = self.folder / "nodes.json"
        machine.write_text(json.dumps(NODES))
        self.machine = ["--machine", str(machine)]

    def test_text(self):
        text = self.succeeds("plan", *BETWEEN)
        self.assertIn("  from mesh x:2,y:4\n  to mesh   x:2,y:4 on 8:16\n", text)

    def test_json_says_where_the_target_lies(self):
        (plan,) = self.tessera("plan", *BETWEEN, *self.machine, "--json").objects()
        self.assertEqual(list(plan), [KEYS[0], "to_mesh"] + KEYS[1:])
        self.assertEqual((plan["to_mesh"], plan["devices"], plan["verified"]), ("x:2,y:4 on 8:16", 16, True))
        self.assertEqual({step["mesh"] for step in plan["steps"]}, {"to_mesh"})
        self.assertEqual(plan["received_bytes_total"], plan["lower_bound_bytes_total"])

    def test_the_same_mesh_is_one(self):
        here = change("x:4", "f32[8@x,8]", "f32[8,8@x]")
        self.assertEqual(self.succeeds("plan", *here, "--json"), self.succeeds("plan", *here, "--to-mesh", "x:4 on 0:4", "--json"))

    def test_every_planners_plan_reads_back_with_its_sends(self):
        for planner in ["tessera"] + RIVALS_BETWEEN:
            for more in [[], ["--sends"]]:
                text = self.succeeds("plan", *BETWEEN, *self.machine, "--planner", planner, "--json", *more)
                self.assertEqual(self.succeeds("plan", "--verify", "-", "--json", *self.machine, text=text), text)

    def test_a_changed_one_is_wrong(self):
        text = self.succeeds("plan", *BETWEEN, *self.machine, "--json")
        wrong = text.replace("on 8:16", "on 4:12")
        done = self.tessera("plan", "--verify", "-", *self.machine, text=wrong)
        self.assertEqual(done.status, 1)
        self.assertIn("line 1: wrong: ", done.out)

    def test_batch(self):
        lines = [{"mesh": "x:2", "to_mesh": "y:3 on 1:4", "from": "f32[6@x]", "to": "f32[6@y]"},
                 {"mesh": "x:2", "to_mesh": "y:3 on 1:3", "from": "f32[6@x]", "to": "f32[6@y]"},
                 {"mesh": "x:2", "to_mesh": "y:", "from": "f32[6@x]", "to": "f32[6@y]"}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        plans = self.tessera("plan", "--batch", "-", text=text).objects()
        self.assertEqual([plan.get("error") for plan in plans[:2]], [None, "mesh-devices"])
        self.assertEqual([plan["to_mesh"] for plan in plans], ["y:3 on 1:4", "y:3 on 1:3", "y:"])

    def test_compare_has_a_line_for_everybody(self):
        plans = self.tessera("compare", *BETWEEN, *self.machine, "--json").objects()
        self.assertEqual([plan["planner"] for plan in plans], PLANNERS + RIVALS_BETWEEN)
        self.assertEqual([plan.get("error") for plan in plans], [None] + ["unsupported"] * 8 + [None] * 4)
        bound = plans[0]["lower_bound_seconds"]
        self.assertLess(plans[0]["seconds"], 1.05 * bound)
        self.assertGreater(plans[len(PLANNERS)]["seconds"], 3.9 * bound)
        table = self.succeeds("compare", *BETWEEN, *self.machine)
        for planner in ["tessera", *RIVALS_BETWEEN]:
            self.assertIn("\n" + planner, table)
        self.assertIn("\n" + ", ".join(PLANNERS[1:]) + " cannot do this: the meshes differ\n", table)

    def test_what_is_wrong(self):
        def slug(*words):
            return self.fails(1, *words).err
        self.assertIn("[mesh-devices]", slug("plan", *change("x:4 on 4:4")))
        self.assertIn("[mesh-devices]", slug("plan", *BETWEEN[:3], "x:2,y:4 on 8:12", *BETWEEN[4:]))
        self.assertIn("[machine-mismatch]", slug("plan", *BETWEEN[:3], "x:2,y:4 on 9:17", *BETWEEN[4:], *self.machine))
        self.assertIn("[cross-mesh]", slug("plan", *BETWEEN, "--collectives-only"))
        self.assertIn("[unsupported]", slug("plan", *BETWEEN, "--planner", "gather"))
        self.assertIn("[unsupported]", slug("plan", *change(), "--planner", "alpa"))
        self.fails(2, "plan", "--batch", "-", "--to-mesh", "x:2")
        self.fails(2, "plan", "--verify", "-", "--to-mesh", "x:2")


class Batch(CommandLine):
    def lines(self, *requests):
        return "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in requests)

    GOOD = {"mesh": "x:4", "from": "f32[8@x,8]", "to": "f32[8,8@x]"}

    def test_one_line_for_each(self):
        self.write("batch", self.lines(self.GOOD, {**self.GOOD, "planner": "gather"}, "", {**self.GOOD, "within": "1MiB"}))
        done = self.tessera("plan", "--batch", "batch")
        self.assertEqual((done.status, done.err), (0, ""))
        plans = done.objects()
        self.assertEqual([plan["planner"] for plan in plans], ["tessera", "gather", "tessera"])
        self.assertEqual(done.out.splitlines()[0] + "\n", self.succeeds("plan", *change(), "--json"))

    def test_bad_lines_do_not_stop_the_others(self):
        bad = ["nonsense", "[]", "{}", "7", '{"mesh":4}', {**self.GOOD, "speed": 1}, {**self.GOOD, "from": "f32[8"},
               {**self.GOOD, "to": "f32[8,9@x]"}, {**self.GOOD, "planner": "best"}, {**self.GOOD, "within": 1},
               {**self.GOOD, "within": []}, '{"mesh":"x:4"']
        self.write("batch", self.lines(*bad, self.GOOD))
        done = self.tessera("plan", "--batch", "batch")
        self.assertEqual((done.status, done.err), (1, ""))
        answers = done.objects()
        self.assertEqual([answer.get("error") for answer in answers],
                         ["plan-request"] * 6 + [answers[6]["error"], "as-changes-shape", "unknown-planner", "over-budget",
                                                 "plan-request", "plan-request", None])
        for answer in answers[:-1]:
            self.assertTrue(answer["message"])
        self.assertEqual(answers[6]["from"], "f32[8")
        for answer in (answers[5], answers[10]):
            self.assertEqual({key: answer[key] for key in self.GOOD}, self.GOOD)
        self.assertEqual((answers[11]["mesh"], answers[11]["from"]), ("x:4", ""))
        self.assertIn("least_bytes", answers[9])

    def test_from_standard_input_with_a_default_planner(self):
        done = self.tessera("plan", "--batch", "-", "--planner", "gather", text=self.lines(self.GOOD))
        self.assertEqual(done.objects()[0]["planner"], "gather")
        self.assertEqual(self.succeeds("plan", "--batch", "-", text=""), "")
        self.assertEqual(self.succeeds("plan", "--batch", "-", text=json.dumps(self.GOOD)), self.succeeds("plan", *change(), "--json"))

    def test_command_lines_that_are_wrong(self):
        self.fails(2, "plan", "--batch", "missing")
        self.fails(2, "plan", "--batch", ".")
        self.fails(2, "plan", "--batch", self.write("batch", ""), "--planner", "best")

    def test_a_line_without_end(self):
        done = self.shell('head -c 40000000 /dev/zero | "$tessera" plan --batch -')
        self.assertEqual(done.status, 1)


class Verify(CommandLine):
    def plan(self, *arguments):
        return self.succeeds("plan", *(arguments or change()), "--json")

    def test_our_plans_are_right(self):
        plans = self.plan() + "\n" + self.plan(*change("x:3,y:2", "f32[7@x,7]{+y}", "f32[7,7@(y,x)]"))
        first, second = self.succeeds("plan", "--verify", self.write("plans", plans)).splitlines()
        self.assertEqual(first, "line 1: verified: 192 B received (at least 192 B), peak 128 B, 3 us (at least 0.48 ns)")
        self.assertTrue(second.startswith("line 3: verified: "), second)  # a line without a plan counts

    def test_every_planners_plan_reads_back_as_it_was(self):
        for planner in ANY_CHANGE:
            plan = self.plan(*change(), "--planner", planner)
            self.assertEqual(self.succeeds("plan", "--verify", "-", "--json", text=plan), plan)

    def test_what_differs_is_named(self):
        plan = json.loads(self.plan())
        plan["steps"][0]["received_bytes_total"] = 96
        done = self.tessera("plan", "--verify", "-", text=self.plan() + json.dumps(plan) + "\n" + self.plan())
        self.assertEqual((done.status, done.err), (1, ""))
        self.assertEqual(done.out.splitlines()[1],
                         "line 2: wrong: step 1 (all_to_all): received_bytes_total says 96, the replay finds 192")
        self.assertTrue(done.out.splitlines()[2].startswith("line 3: verified"))

    def test_another_target_is_not_reached(self):
        plan = json.loads(self.plan())
        plan["to"] = "f32[8@x,8]"
        done = self.tessera("plan", "--verify", "-", "--json", text=json.dumps(plan))
        self.assertEqual(done.status, 1)
        self.assertEqual(done.objects(), [{"line": 1, "error": "wrong-plan",
                                           "message": "its end: a device holds another tile in the end"}])

    def test_seconds_are_those_of_the_machine(self):
        machine = self.write("machine", '[{"name": "gpu", "count": 4, "bandwidth": 1e9, "latency": 0}]')
        done = self.tessera("plan", "--verify", "-", "--machine", machine, text=self.plan())
        self.assertEqual(done.status, 1)
        self.assertIn("seconds says 3.00048e-06, the replay finds 4.8e-08", done.out)
        on_it = self.plan(*change(), "--machine", machine)
        self.succeeds("plan", "--verify", "-", "--machine", machine, text=on_it)

    def test_what_is_no_plan(self):
        for text in ["{", "[]", "{}", '{"mesh": "x:4"}', "null", self.plan().replace("all_to_all", "teleport")]:
            done = self.tessera("plan", "--verify", "-", text=text)
            self.assertEqual((done.status, done.err), (1, ""), text)
            self.assertTrue(done.out.startswith("line 1: wrong: "), done.out)

    def test_usage(self):
        self.fails(2, "plan", "--verify", "nowhere")
        self.fails(2, "plan", "--verify", "-", *change())
        self.fails(2, "plan", "--verify", "-", "--batch", "-")


class Compare(CommandLine):
    def test_table(self):
        text = self.succeeds("compare", *change())
        rows = [line.split()[0] for line in text.splitlines() if line]
        self.assertEqual(rows[-10:], ["planner", *ANY_CHANGE, "bound", "ring,", "modelled:"])
        self.assertIn("\nring, smp, p2 cannot do this: the change is not just a sum\n", text)

    def test_json(self):
        done = self.tessera("compare", *change(), "--json")
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertEqual([plan["planner"] for plan in done.objects()], PLANNERS)

    def test_rivals_may_be_unable(self):
        done = self.tessera("compare", *change("x:3,y:2", "f32[7@x,7]{+y}", "f32[7,7@(y,x)]"), "--json")
        self.assertEqual((done.status, done.err), (0, ""))
        for plan in done.objects():
            self.assertTrue("steps" in plan or plan["error"] in ("unsupported", "over-budget"), plan)
        self.succeeds("compare", *change("x:3,y:2", "f32[7@x,7]{+y}", "f32[7,7@(y,x)]"))

    def test_what_is_wrong_is_told_once(self):
        done = self.fails(1, "compare", *change(target="f32[8,8@z]"))
        self.assertEqual(done.err.count("error["), 1)
        self.fails(2, "compare", *change(target="f32[8,8"))

    def test_limits_make_no_plan_faster(self):
        """The search for sums ends at so many steps: what it has not come to may be as plain as one reduce_scatter for each dimension."""
        self.write("machine.json", '[{"name": "device", "count": 12, "bandwidth": 5.6e9, "latency": 1e-4}]')
        request = ("plan", "--mesh", "x:2,y:2 w(5,3),z:3", "--from", "f32[6000@y.w,2,1,11]{min z,x}", "--to", "f32[6000,2@(z,y),1,11@x]",
                   "--machine", "machine.json", "--json")
        seconds = [json.loads(self.succeeds(*request, *more))["seconds"]
                   for more in ((), ("--collectives-only",), ("--within", "600000"), ("--within", "440000"))]
        for limited in seconds[1:]:
            self.assertLessEqual(seconds[0], limited * 1.01)
        self.assertLess(seconds[0], 500e-6)
        self.assertLess(seconds[3], 900e-6)


if __name__ == "__main__":
    main()
