"""Plans as C for MPI: compiled without a warning, run on ranks, every element looked at.

    test_emitted.py MPIRUN MPICC TESSERA COUNT"""

import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "interop"))
from random_plans import nodes_of, random_change

MPIRUN, MPICC, TESSERA, COUNT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
CHOSEN = [  # what each kind of step needs: (mesh, change, more words, ranks)
    ("x:4", "f32[10@x,7] -> f32[10,7@x]", [], 4),  # uneven extents
    ("x:4", "f32[8,6]{max x} -> f32[8@x,6]", [], 4),
    ("x:2,y:2", "i32[9,6]{min x,y} -> i32[9@y,6]", [], 4),
    ("x:2,y:2", "f32[9,6]{*x,y} -> f32[9@y,6]", [], 4),
    ("x:4", "i64[12]{*x} -> i64[12]", [], 4),
    ("x:4", "i32[8] -> i32[8]{*x}", [], 4),
    ("x:4", "f32[12,4]{+x} -> f32[12,4]{+x}", [], 4),
    ("x:4", "f32[64@x,64] -> f32[64,64@x]", ["--within", "6KiB"], 5),  # rounds, and a rank that has no part
    ("x:2,y:2", "i64[8@(x,y),8] -> i64[8,8@(y,x)]", [], 4),
    ("x:4", "f64[9@x,5] -> f64[9,5]", ["--to-mesh", "x:2 on 3:5"], 5),  # meshes that overlap
    ("x:2", "bool[6@x] -> bool[6]", ["--to-mesh", "x:3 on 2:5"], 5),
    ("x:4", "f32{+x} -> f32", [], 4),
    ("x:4", "f16[8] -> f16[8]", [], 4),
    ("x:4", "f32[8] -> f32[8]{+x}", [], 4),
    ("x:4 w(3,2,2,1)", "f32[16@x.w] -> f32[16@x]", [], 4),  # tiles by weights
]


class Emitted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tessera_emitted_")
        self.addCleanup(self.folder.cleanup)

    def run_plan(self, mesh, change, words, ranks):
        """Emits, compiles and runs the plan."""
        said = f"{mesh}: {change} {words}"
        text = subprocess.run([TESSERA, "plan", "--mesh", mesh, change, *words, "--emit", "mpi-c"], capture_output=True, text=True)
        self.assertEqual(text.returncode, 0, said + text.stderr)
        source, program = Path(self.folder.name) / "plan.c", Path(self.folder.name) / "plan"
        source.write_text(text.stdout, encoding="utf-8")
        built = subprocess.run([MPICC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-DTESSERA_TEST", source, "-o", program, "-lm"],
                               capture_output=True, text=True)
        self.assertEqual((built.returncode, built.stderr), (0, ""), said)
        done = subprocess.run([MPIRUN, "-np", str(ranks), program], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, said + done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^wrong: 0 of [1-9]\d*$", said)

    def test_what_each_kind_of_step_needs(self):
        for chosen in CHOSEN:
            with self.subTest(chosen=chosen):
                self.run_plan(*chosen)

    def test_random_plans(self):
        """Uneven extents too, with and without a machine of slow links, on which plans relay and sum by programs; all kinds of reductions."""
        draw = random.Random(20240607)
        for number in range(COUNT):
            devices = draw.choice([4, 6, 8, 12, 5])
            mesh, source, target = random_change(devices, draw, even=draw.random() < 0.5)
            sign = ("+", "*", "max ", "min ")[number % 4]
            source, target = (end.replace("{+", "{" + sign) for end in (source, target))
            words = []
            if devices in (4, 6, 8, 12) and draw.random() < 0.6:
                machine = Path(self.folder.name) / "machine.json"
                machine.write_text(json.dumps(nodes_of(devices, 1e9)), encoding="utf-8")
                words = ["--machine", str(machine)]
            with self.subTest(number=number):
                self.run_plan(mesh, f"{source} -> {target}", words, devices)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
