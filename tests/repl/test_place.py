"""tessera place, and what is refused where meshes are placed: matrices, machine files, programs in JSON."""

import itertools
import json
import unittest
from pathlib import Path

from driver import CommandLine, main

NODES = [{"name": "node", "count": 4, "bandwidth": 8e9, "latency": 5e-6},
         {"name": "device", "count": 16, "bandwidth": 270e9, "latency": 1e-6}]
PAIR = [{"name": "node", "count": 2, "bandwidth": 1e9, "latency": 1e-5},
        {"name": "device", "count": 4, "bandwidth": 1e11, "latency": 1e-6}]
RIGHT = [[[1, 16], [4, 1]], [[2, 8], [2, 2]], [[4, 4], [1, 4]]]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/mlp_2d.tess"


class Place(CommandLine):
    def nodes(self, levels=NODES):
        return self.write("nodes.json", json.dumps(levels))

    def ranking(self, *arguments):
        (ranking,) = self.tessera("place", *arguments, "--json").objects()
        return ranking

    def test_a_mesh(self):
        asked = ["--mesh", "dp:16,tp:4", "--from", "f32[25000000]{+dp}", "--to", "f32[25000000]", "--machine", self.nodes()]
        ranking = self.ranking(*asked)
        self.assertEqual(list(ranking), ["mesh", "name", "count", "examined", "priced", "best"])
        self.assertEqual((ranking["mesh"], ranking["name"], ranking["count"]), ("dp:16,tp:4", "", 3))
        self.assertEqual(sorted(one["place"] for one in ranking["best"]), RIGHT)
        self.assertEqual([one["place"] for one in ranking["best"] if one["row_major"]], [[[4, 4], [1, 4]]])
        seconds = [one["seconds"] for one in ranking["best"]]
        self.assertEqual(seconds, sorted(seconds))
        for one in ranking["best"]:
            self.assertGreaterEqual(one["seconds"], one["lower_bound_seconds"])
            (move,) = one["moves"]
            self.assertEqual((move["times"], move["times_known"]), (1, True))
        # A sum over an axis inside the nodes crosses no slow link.
        self.assertEqual(ranking["best"][0]["place"], [[1, 16], [4, 1]])
        self.assertEqual(len(self.ranking(*asked, "--top", "1")["best"]), 1)

    def test_what_is_moved_often_counts_often(self):
        def best(times):
            return self.ranking("--mesh", "dp:16,tp:4", "--from", "f32[25000000]{+dp}", "--to", "f32[25000000]", "--from",
                                "f32[25000000]{+tp}", "--to", "f32[25000000]", "--times", "1", "--times", times, "--machine",
                                self.nodes())["best"][0]["place"]
        self.assertEqual(best("0.001"), [[1, 16], [4, 1]])
        self.assertEqual(best("1000"), [[4, 4], [1, 4]])

    def test_the_example(self):
        ranking = self.ranking(EXAMPLE, "--machine", self.nodes(PAIR))
        self.assertEqual((ranking["mesh"], ranking["name"], ranking["count"]), ("data:2,t:4", "m", 2))
        self.assertTrue(ranking["best"][0]["moves"])
        text = self.succeeds("place", EXAMPLE, "--machine", self.nodes(PAIR))
        self.assertTrue(text.startswith("mesh m: data:2,t:4 on node:2,device:4; 2 matrices, 2 priced\n"), text)
        self.assertRegex(text, r"\nmodelled: node .* device .*, as given\n\Z")
        run = self.tessera("run", EXAMPLE, "--machine", self.nodes(PAIR), "--place", "auto")
        self.assertEqual(run.status, 0, run)
        self.assertIn("note[placed]: mesh `m` is placed by ", run.err)

    def test_another_machine(self):
        """A mesh may have fewer devices than the machine; never more."""
        few = [{**PAIR[0], "count": 1}, PAIR[1]]
        done = self.fails(1, "place", EXAMPLE, "--machine", self.nodes(few))
        self.assertIn("error[machine-mismatch]", done.err)
        self.assertIn("4 devices", done.err)


class Refused(CommandLine):
    def test_matrices(self):
        """All matrices of small numbers but the three that fit, and those that are none."""
        numbers = [1, 2, 4, 8, 16]
        wrong = [[[a, b], [c, d]] for a, b, c, d in itertools.product(numbers, repeat=4) if [[a, b], [c, d]] not in RIGHT]
        wrong = wrong[::9] + [[[16], [4]], [[4, 4, 1], [1, 4, 1]], [[4, 4]], [[4, 4], [1, 4], [1, 1]], [[4, 4], [4]],
                              [[0, 16], [4, 1]], [[-4, -4], [1, 4]], [[16, 1], [1, 4]]]
        self.assertGreater(len(wrong), 70)
        lines = [{"mesh": f"dp:16,tp:4 place {matrix}", "from": "f32[64@dp]", "to": "f32[64]"} for matrix in wrong]
        done = self.tessera("plan", "--batch", self.write("lines", "\n".join(json.dumps(line) for line in lines)), "--machine",
                            self.write("nodes.json", json.dumps(NODES)))
        answers = done.objects()
        self.assertEqual(len(answers), len(wrong))
        for matrix, answer in zip(wrong, answers):
            self.assertEqual(answer.get("error"), "bad-place", (matrix, answer))
            self.assertRegex(answer["message"], "which has to multiply to the axis' size|but the machine's are 4, 16$|"
                             "but the mesh has 2 axes$|and row 1 has 2$|but a number is at least 1$")
        # The message says how it lies and how it has to lie, and lists all that fit if they are few.
        done = self.fails(1, "plan", "--mesh", "dp:16,tp:4 place [[16,1],[1,4]]", "--from", "f32[64@dp]", "--to", "f32[64]",
                          "--machine", self.write("nodes.json", json.dumps(NODES)))
        self.assertIn("puts the mesh on levels of 16, 4, but the machine's are 4, 16", done.err)
        for matrix in RIGHT:
            self.assertIn(json.dumps(matrix, separators=(",", ":")), done.err)

    def test_machine_files(self):
        for key, value in itertools.product(["name", "count", "bandwidth", "latency", "gap"],
                                            ["", [], {}, None, -1, "four", True]):
            with self.subTest(key=key, value=value):
                level = {**NODES[0], key: value}
                if key == "name" and isinstance(value, str) and value:
                    continue
                done = self.fails(2, "plan", "--mesh", "x:64", "--from", "f32[64@x]", "--to", "f32[64]", "--machine",
                                  self.write("wrong.json", json.dumps([level, NODES[1]])))
                self.assertRegex(done.err, rf'error\[machine-file\]: this is not a machine model: "{key}" (must be|needs) a')

    def test_programs(self):
        machine = self.write("nodes.json", json.dumps(NODES))
        plan = json.loads(self.succeeds("plan", "--mesh", "dp:64", "--from", "f32[6400000]{+dp}", "--to", "f32[6400000]",
                                        "--machine", machine, "--json"))
        steps = plan["steps"][0]["program"]["steps"]
        self.assertGreater(len(steps), 2)
        wrong = []

        def with_program(**changes):
            changed = json.loads(json.dumps(plan))
            changed["steps"][0]["program"].update(changes)
            wrong.append(changed)

        for i in range(len(steps)):
            with_program(steps=steps[:i] + steps[i + 1:])
            with_program(steps=steps[:i] + [steps[i], steps[i]] + steps[i + 1:])
            for op in ("all_reduce", "reduce_scatter", "reduce", "all_gather", "broadcast", "permute"):
                if op != steps[i]["op"]:
                    with_program(steps=steps[:i] + [{**steps[i], "op": op}] + steps[i + 1:])
            for form in ("direct", "halving", "ring", "fast"):
                if form != steps[i]["form"]:
                    with_program(steps=steps[:i] + [{**steps[i], "form": form}] + steps[i + 1:])
            with_program(steps=steps[:i] + [{**steps[i], "axes": "tp"}] + steps[i + 1:])
        for stretches in (0, -1, "many", 7):
            with_program(stretches=stretches)
        with_program(steps=steps[::-1])
        self.assertGreater(len(wrong), 40)
        done = self.tessera("plan", "--verify", self.write("plans", "\n".join(json.dumps(one) for one in wrong)), "--machine",
                            machine)
        self.assertEqual(done.status, 1)
        lines = done.out.splitlines()
        self.assertEqual(len(lines), len(wrong))
        for line in lines:
            self.assertRegex(line, r": wrong: (step \d \(all_reduce\): its program: step \d: |.*but `hops` says|"
                             r".*`op` is all_reduce, reduce_scatter|.*says .*, the replay finds|"
                             r".*`stretches` is not a whole number|.*at least 1 stretch)")


if __name__ == "__main__":
    main()
