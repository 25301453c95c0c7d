"""NVIDIA's compute-sanitizer on a program with kernels of every family."""

import re
import shutil
from pathlib import Path

from commands import run

PROGRAM = """mesh m = [x: 2]
let a = random(f32[40@x, 33], 1)
let b = a as [40, 33@x]
let c = softmax(b * 2.0 + 1.0, 1)
let d = (transpose(c) @ a) + 1.0
print sum(d), max(c, dim=0)[2], argmax(d), cumsum(sum(a, dim=1))[39]
let i = iota(i64[10@x]) * 7 % 40
print sum(take(a, i)), sort(sum(a, dim=1), 0)[5]
fn loss(t: f32[N, M]?, i: i64[K]?) = sum(take(t, i) ** 2.0)
let (l, g) = grad(loss, wrt=t)(a, i)
print l, sum(g)
"""


def tool():
    found = shutil.which("compute-sanitizer")
    if found:
        return found
    return next((str(path) for path in sorted(Path("/usr/local").glob("cuda*/bin/compute-sanitizer"))), None)


def add(report, tools, clock):
    sanitizer = None if tools.emulated else tool()
    if sanitizer is None:
        report.line("sanitizer", "compute-sanitizer", "skipped", "no card" if tools.emulated else "it is not installed")
        return
    for kind in ("memcheck", "racecheck"):
        words = [sanitizer, "--tool", kind, "--error-exitcode", "9", tools.executable, "run", "--products", "ordered", "--gpu",
                 tools.gpus, "-"]
        done = run(words, clock.left(75), PROGRAM, {"LD_LIBRARY_PATH": tools.libraries})
        report.keep(f"{kind}.txt", done.out + done.err)
        summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", done.out + done.err)
        verdict = "ok" if done.status == 0 else "skipped" if done.status is None else "FAIL"
        report.line("sanitizer", kind, verdict, summary[-1] if summary else f"status {done.status}: {done.first_words()}")
