"""tessera convert, and the ends of tessera plan in other systems' words."""

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "repl"))
from driver import CommandLine, main
from tiles import Type

REPLICATED_REST = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"


class Convert(CommandLine):
    def convert(self, *words, **options):
        return self.succeeds("convert", *words, **options)

    def test_text(self):
        said = self.convert("--hlo", "{devices=[2,1,4]<=[4,2]T(1,0)}", "--shape", "f32[16,16,16]")
        self.assertEqual(said, "mesh a:4,b:2\ntype f32[16@b, 16, 16@a]\n")

    def test_json_and_back(self):
        (said,) = self.tessera("convert", "--type", "f32[16@(y,x),16]", "--mesh", "x:4,y:2", "--to-format", "dtensor", "--json").objects()
        self.assertEqual(said, {"mesh": "x:4,y:2", "type": "f32[16@(y,x), 16]", "devices": 8, "notes": [], "written": "[_S(0, 2), S(0)]"})
        (said,) = self.tessera("convert", "--type", "f32[16@y,16]", "--mesh", "x:4,y:2", "--to-format", "sdy", "--json").objects()
        self.assertEqual((said["written"], said["written_mesh"]),
                         ('#sdy.sharding<@mesh, [{"y"}, {}]>', 'sdy.mesh @mesh = <["x"=4, "y"=2]>'))

    def test_what_is_dropped_is_said(self):
        said = self.convert("--sdy", '#sdy.sharding<@mesh, [{"x", ?}p1]>', "--mesh", '<["x"=4]>', "--shape", "f32[8]")
        self.assertEqual(said.count("note: "), 2)

    def test_a_leaf_of_a_tuple(self):
        for leaf, split in ((0, "f32[8]"), (1, "f32[8@a]")):
            said = self.convert("--hlo", "{{replicated}, /*index=1*/{devices=[4]<=[4]}}", "--leaf", str(leaf), "--shape", "f32[8]",
                                "--devices", "4")
            self.assertIn(f"type {split}\n", said)

    def test_element_types(self):
        self.assertIn("interop-unsupported", self.fails(1, "convert", "--alpa", "S0", "--mesh", "x:2", "--shape", "u64[8]").err)
        self.assertIn("type f16[8@x]", self.convert("--alpa", "S0", "--mesh", "x:2", "--shape", "f8[8]", "--bytes", "2"))

    def test_mistakes_point_into_the_text(self):
        said = self.fails(2, "convert", "--jax", "P('x', 'q')", "--mesh", "x:4", "--shape", "f32[8,8]").err
        self.assertIn("error[interop-syntax]: this is not a JAX sharding: the mesh has no axis `q`\n  text:1:8", said)
        said = self.fails(1, "convert", "--hlo", "{devices=[3]<=[3]}", "--shape", "f32[10]").err
        self.assertIn("error[interop-uneven]", said)
        self.assertIn("there tiles begin at 0, 4, 8, here at 0, 3, 6", said)
        self.assertIn("12 is the least extent from 10 on", said)

    def test_what_the_command_line_lacks(self):
        self.assertIn("convert needs one layout", self.fails(2, "convert").err)
        self.assertIn("convert needs one layout", self.fails(2, "convert", "--alpa", "R", "--jax", "P()").err)
        self.assertIn("did you mean `jax`?", self.fails(2, "convert", "--alpa", "S0", "--mesh", "x:2", "--shape", "f32[2]", "--to-format", "jex").err)

    def test_batch(self):
        lines = [{"format": "jax", "text": "P('x')", "shape": "f32[8]", "mesh": "x:4"},
                 {"format": "hlo", "text": "{manual}", "shape": "f32[8]"}, {"format": "jax", "colour": 3}]
        done = self.tessera("convert", "--batch", "-", "--json", text="\n".join(map(json.dumps, lines)))
        good, refused, misspelt = done.objects()
        self.assertEqual(done.status, 1)
        self.assertEqual((good["type"], refused["error"], misspelt["error"]), ("f32[8@x]", "interop-unsupported", "layout-request"))
        self.assertEqual(refused["column"], 2)

    def test_torch_says_the_same(self):
        """dtensor.json is torch's own arithmetic (make_dtensor.py)."""
        cases = json.loads((HERE / "dtensor.json").read_text(encoding="utf-8"))
        lines = []
        for case in cases:
            mesh = ",".join(f"d{i}:{size}" for i, size in enumerate(case["mesh"]))
            shape = f"f32[{','.join(map(str, case['shape']))}]"
            lines += [{"format": "dtensor", "text": case[key], "mesh": mesh, "shape": shape} for key in ("text", "repr")]
        answers = self.tessera("convert", "--batch", "-", "--json", text="\n".join(map(json.dumps, lines))).objects()
        for i, answer in enumerate(answers):
            case = cases[i // 2]
            found = Type(answer["type"], answer["mesh"])
            self.assertEqual([[list(side) for side in found.tile(d)] for d in range(found.devices)], case["boxes"], lines[i])
            self.assertEqual(len({found.contribution(d) for d in range(found.devices)}), case["parts"])

    def test_plans(self):
        """Both ends in others' words, or one of them, give the plan of our own types."""
        ours = self.succeeds("plan", "--mesh", "x:4", "f32[8@x,8] -> f32[8,8@x]")
        for ends in (["--from-jax", "P('x', None)", "--to-jax", "P(None, 'x')", "--shape", "f32[8,8]"],
                     ["--from", "f32[8@x,8]", "--to-alpa", "RS0", "--shape", "f32[8,8]"],
                     ["--from-dtensor", "[S(0)]", "--to", "f32[8,8@x]"]):
            self.assertEqual(self.succeeds("plan", "--mesh", "x:4", *ends), ours)
        (plan,) = self.tessera("plan", "--from-hlo", REPLICATED_REST, "--to-hlo", "{devices=[1,4,2]<=[8] last_tile_dim_replicate}", "--shape", "f32[8,8]", "--json").objects()
        self.assertEqual((plan["mesh"], plan["from"], plan["to"]), ("a:2,b:2,c:2", "f32[8@a,8]", "f32[8,8@(a,b)]"))

    def test_plans_of_parts_of_axes(self):
        (plan,) = self.tessera("plan", "--from-jax", "P('x')", "--mesh", "x:4,y:2", "--to-hlo", REPLICATED_REST, "--shape", "f32[8,8]", "--json").objects()
        self.assertEqual((plan["to"], plan["verified"]), ("f32[8@x:(1)2,8]", True))

    def test_words_of_other_systems(self):
        """`tessera explain` says what they are here."""
        for word in ("PartitionSpec", "NamedSharding", "psum", "shard_map", "all_gather", "Shard", "Replicate", "Partial", "DeviceMesh",
                     "with_sharding_constraint", "ppermute", "FSDP", "ZeRO", "DDP", "Megatron", "1F1B", "redistribute"):
            self.assertIn(word, self.succeeds("explain", word))

    def test_machines_that_people_have(self):
        folder = HERE.parent.parent / "examples" / "machines"
        files = sorted(folder.glob("*.json"))
        self.assertEqual(len(files), 4)
        for file in files:
            self.assertIn(file.name, (folder / "README.md").read_text(encoding="utf-8"))
            devices = {"node_8_gpus": 8, "four_nodes_infiniband": 32, "tpu_v4_slice": 64, "cluster_10gbe": 16}[file.stem]
            self.succeeds("plan", "--mesh", f"x:{devices}", f"f32[{devices}@x,64] -> f32[{devices},64@x]", "--machine", str(file))

    def test_programs_for_others(self):
        change = ["plan", "--mesh", "x:4,y:2", "f32[16@y,16,16@x] -> f32[16,16@(x,y),16]"]
        for target, sign in (("jax", "def reshard(mesh):"), ("mpi-c", "int tessera_reshard(")):
            text = self.succeeds(*change, "--emit", target)
            self.assertIn(sign, text)
            self.assertIn("all_to_all  x: dim 2 -> dim 1", text)  # the plan's table
            self.assertEqual(self.succeeds(*change, "--emit", target), text)
        self.assertIn("emit", self.fails(2, *change, "--emit", "cobol").err)
        self.assertIn("without --json", self.fails(2, *change, "--emit", "jax", "--json").err)
        for ends, why in (("f32[10@x] -> f32[10]", "only evenly"), ("f32[8]{max x} -> f32[8]", "is a sum"), ("f32[8]{*x} -> f32[8]", "is a sum"), ("f32[64@x,64] -> f32[64,64@x]", "rounds")):
            more = ["--within", "6KiB"] if why == "rounds" else []
            said = self.fails(1, "plan", "--mesh", "x:4", ends, *more, "--emit", "jax").err
            self.assertIn("error[emit-unsupported]", said)
            self.assertIn(why, said)
        said = self.fails(1, "plan", "--mesh", "x:4", "--to-mesh", "x:2", "f32[8@x] -> f32[8]", "--emit", "jax").err
        self.assertIn("--emit mpi-c writes every plan", said)

    def test_ends_that_do_not_go_together(self):
        base = ["plan", "--shape", "f32[8,8]"]
        self.assertIn("two ends", self.fails(2, *base, "--from-jax", "P()").err)
        self.assertIn("said once", self.fails(2, *base, "--from-jax", "P()", "--from", "f32[8]", "--to-jax", "P()").err)
        said = self.fails(1, *base, "--from-hlo", "{devices=[2,1]<=[2]}", "--to-hlo", "{devices=[3,1]<=[3]}").err
        self.assertIn("interop-devices", said)
        self.assertIn("one end has 2, the other 3", said)
        said = self.fails(1, "plan", "--from-hlo", "{devices=[2,1,3]<=[6] last_tile_dim_replicate}", "--to-hlo",
                          "{devices=[3,1,2]<=[6] last_tile_dim_replicate}", "--shape", "f32[6,6]").err
        self.assertIn("interop-no-mesh", said)


if __name__ == "__main__":
    main()
