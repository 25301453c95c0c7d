#!/usr/bin/env python3
"""The solver of examples/programs/conjugate_gradients.tess beside the same in C with MPI, which this builds: seconds of a turn.

    solver.py TESSERA [--side 1024] [--ranks 1 2] [--mpicc mpicc] [--mpirun mpirun] [--goes 3]

A turn is the difference of two runs that take more and fewer turns, over the turns between them. The runs alternate, and
the best of each counts. On one rank Tessera runs alone; on several both run under mpirun."""

import argparse
import os
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FEW, MANY = 20, 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tessera")
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--goes", type=int, default=3)
    return parser.parse_args()


def program(side, turns, devices):
    """The example with a number of turns instead of a tolerance, and without checkpoints."""
    text = (HERE.parents[1] / "examples/programs/conjugate_gradients.tess").read_text(encoding="utf-8")
    text = text[: text.index("let u = solved")]
    for old, new in (
        ("mesh m = [x: 4]", f"mesh m = [x: {devices}]"),
        ("let N = 48", f"let N = {side}"),
        ("while size > 1e-16, max=1000", f"for turn < {turns}"),
        ('    if turns % 50 == 49 { save(next, "potential.npy") }\n', ""),
        ("  u\n}", "  (u, size)\n}"),
        ('if resumed { load("potential.npy", f64[N@x, N]) } else { zeros(f64[N@x, N]) }', "zeros(f64[N@x, N])"),
    ):
        if old not in text:
            raise SystemExit(f"the example lacks {old!r}")
        text = text.replace(old, new)
    return text + "let (u, size) = solved(b, guess)\nprint size\n"


class Solver:
    """One of the two on so many ranks: how to start it with a number of turns, and its best times."""

    def __init__(self, name, command):
        self.name, self.command = name, command
        self.best = {turns: [float("inf"), float("inf")] for turns in (FEW, MANY)}
        self.size = None

    def go(self, turns):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(self.command(turns), capture_output=True, text=True, check=True)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.best[turns] = [min(old, new) for old, new in zip(self.best[turns], (wall, processor))]
        self.size = float(re.search(r"\S+", done.stdout).group())

    def turn(self):
        return [(many - few) / (MANY - FEW) for few, many in zip(self.best[FEW], self.best[MANY])]


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/solver"
        subprocess.run([args.mpicc, "-O3", "-march=native", "-ffast-math", "-o", binary, HERE / "solver.c"], check=True)
        print(f"{'ranks':>5} {'':10} {'ms a turn':>10} {'cpu ms':>8}   over C")
        for ranks in args.ranks:
            launch = [args.mpirun, "-np", str(ranks)]
            if os.geteuid() == 0 and "Open MPI" in subprocess.run([*launch[:1], "--version"], capture_output=True, text=True, check=True).stdout:
                launch.append("--allow-run-as-root")
            for turns in (FEW, MANY):
                Path(folder, f"{turns}.tess").write_text(program(args.side, turns, ranks), encoding="utf-8")
            alone = [] if ranks == 1 else launch
            ours = Solver("tessera", lambda turns, alone=alone: [*alone, args.tessera, "run", f"{folder}/{turns}.tess"])
            theirs = Solver("C and MPI", lambda turns, launch=launch: [*launch, binary, str(args.side), str(turns)])
            for _ in range(args.goes):
                for turns in (FEW, MANY):
                    for solver in (ours, theirs):
                        solver.go(turns)
            if abs(ours.size - theirs.size) > 1e-6 * theirs.size:
                raise SystemExit(f"they disagree after {MANY} turns: {ours.size} and {theirs.size}")
            for solver in (ours, theirs):
                wall, processor = solver.turn()
                over = "" if solver is theirs else "   ".join(f"{a / b:.2f}" for a, b in zip(solver.turn(), theirs.turn()))
                print(f"{ranks:>5} {solver.name:10} {wall * 1e3:>10.3f} {processor * 1e3:>8.3f}   {over}")


if __name__ == "__main__":
    main()
