"""Section "figures": programs timed beside JAX on the same card, in the same run, and what a start costs."""

import statistics
import sys
from pathlib import Path

from commands import run

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench" / "gpu"))

import beside_jax  # noqa: E402  (it lies in another folder)
from rows import CHANGES, ROWS, small  # noqa: E402

START = "let a = iota(f32[100000])\nprint sum(relu(a * 2.0 + 1.0))\n"


def _starts(report, tools, clock):
    """A small program, its kernels compiled before, beside a process that only opens the GPU."""
    program = [run([tools.tessera, "run", "--gpu", tools.gpus, "-"], clock.left(20), START).seconds for _ in range(4)][1:]
    opening = [run([tools.tessera, "gpu"], clock.left(20)).seconds for _ in range(4)][1:]
    more = statistics.median(program) - statistics.median(opening)
    report.line("figures", "a small program, from its start", f"{statistics.median(program):.3f} s", f"{more:.3f} s more than `tessera gpu`")


def _one(report, tools, clock, row, jax, copy):
    options = ["--gpu", tools.gpus] + (["--products", "ordered"] if "ordered" in row.name else [])
    ours = beside_jax.seconds_of(tools.tessera, options, row, not tools.emulated, clock.left(25))
    if isinstance(ours, str) or ours <= 0:
        report.line("figures", row.name, "FAIL", ours if isinstance(ours, str) else "a longer loop takes no longer")
        return None
    sizes = small(row) if tools.emulated else row.sizes
    theirs = jax.get(row.name)
    ratio = ours / theirs if isinstance(theirs, float) else None
    report.figures.setdefault("rows", {})[row.name] = {"seconds": ours, "jax": theirs, "ratio": ratio}
    verdict = f"{ratio:.2f}" if ratio else f"{ours * 1e3:.3f} ms"
    report.line("figures", row.name, verdict, beside_jax.told(row, ours, theirs, copy, sizes))
    return ratio


def add(report, tools, clock):
    _starts(report, tools, clock)
    jax, about, copy = {}, {}, None
    if tools.emulated:
        report.line("figures", "JAX and copies", "skipped", "no card; rows are small, and times say nothing")
    else:
        copy = beside_jax.copy_rate()
        jax, about = beside_jax.of_jax(min(90, clock.left() / 2))
        report.line("figures", "copy by the driver", f"{(copy or 0) / 1e12:.3f}", "TB/s, read and written")
        report.line("figures", "JAX", "ok" if about.get("backend") == "gpu" else "FAIL", f"{about}, {len(jax)} rows")
    report.figure("copy", copy)
    report.figure("jax", {"about": about, "rows": jax})
    ratios = []
    for row in ROWS + CHANGES:
        if clock.left() < 5:
            report.line("figures", row.name, "skipped", "no time is left")
            continue
        ratio = _one(report, tools, clock, row, jax, copy)
        ratios += [ratio] if ratio and row in ROWS else []
    mean = beside_jax.mean_of(ratios)
    if mean:
        report.line("figures", f"geometric mean of {len(ratios)} rows", f"{mean:.3f}", "of JAX's time; at most 1.0 is wanted")
        report.figure("mean", mean)
