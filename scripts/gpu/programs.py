"""Small programs whose output on a GPU has to be that of the host, and all examples."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from commands import run

SMOKE = {
    "one number": "print 1 + 1\n",
    "a chain": "let a = iota(f32[1000])\nprint sum(relu(a * 2.0 - 100.0))\n",
    "functions": "let a = iota(f32[4096]) / 4096.0\nprint sum(exp(a) * tanh(a) + gelu(a))\nprint max(erf(a)), min(log(a + 1.0))\n",
    "two devices": "mesh m = [x: 2]\nlet a = iota(f32[8@x, 6])\nlet b = a as [8, 6@x]\nprint b\nshow b\n",
    "reductions": "let a = random(f32[300, 1000], 1)\nprint sum(a), sum(a, dim=1)[7], max(a, dim=0)[3], mean(a)\n",
    "softmax": "let a = normal(f32[64, 1000], 3)\nprint sum(softmax(a, 1), dim=1)\n",
    "a product": "let a = random(f64[65, 130], 1)\nlet b = random(f64[130, 70], 2)\nprint sum(a @ b), (a @ b)[3, 4]\n",
    "rows and sums": "mesh m = [x: 4]\nlet t = iota(f32[16@x, 3])\nlet i = iota(i64[8@x]) % 5\nprint take(t, i)\nprint sum(take(t, i), dim=0)\n",
    "a loop": "let a = iota(f32[1000])\nlet s = loop s = a for i < 50 { s * 0.5 + f32(i) }\nprint sum(s)\n",
    "a decision": "let n = loop x = f64(100.0) while x > 1.0, max=50 { x / 3.0 }\nprint n\n",
    "order": "let a = random(f32[5000], 4)\nprint sort(a, 0)[0], argmax(a), cumsum(a, 0)[4999]\n",
    "many devices": "mesh m = [x: 64]\nlet a = iota(f32[1000@x])\nprint sum(a)\n",
}


SECONDS = 60  # of a program
NO_TIME = "no time is left"


def _both(tools, words, clock, text):
    """Standard output on the host and on the GPU; None where they are equal."""
    if clock.left() < 1:
        return NO_TIME
    host = run([tools.tessera, "run", "--products", "ordered", *words], clock.left(SECONDS), text)
    there = run([tools.tessera, "run", "--products", "ordered", "--gpu", tools.gpus, "--stats", *words], clock.left(SECONDS), text)
    if None in (host.status, there.status) and clock.left() < 1:
        return NO_TIME
    if host.status != 0:
        return f"the host fails: {host.first_words()}"
    if there.status is None:
        return "it hangs"
    if there.status != host.status:
        return f"exit status {there.status}, host's {host.status}: {there.first_words()}"
    if there.out != host.out:
        first = next(((a, b) for a, b in zip(there.out.splitlines(), host.out.splitlines()) if a != b), ("", "more lines"))
        return f"prints {first[0][:40]!r}, the host {first[1][:40]!r}"
    return None


def _add_all(report, tools, clock, name, programs):
    """programs: name -> (words, text)."""
    with ThreadPoolExecutor(min(8, tools.workers)) as pool:
        faults = dict(zip(programs, pool.map(lambda one: _both(tools, *one[:1], clock, one[1]), programs.values())))
    missing = [key for key, fault in faults.items() if fault == NO_TIME]
    wrong = {key: fault for key, fault in faults.items() if fault and fault != NO_TIME}
    report.figure(name, {**wrong, **dict.fromkeys(missing, NO_TIME)})
    detail = [f"{key}: {fault}" for key, fault in wrong.items()] + ([f"no time for {len(missing)}"] if missing else [])
    right = len(programs) - len(wrong) - len(missing)
    verdict = "FAIL" if wrong else "ok" if right else "skipped"
    report.line("programs", name, verdict, f"{right} of {len(programs)} as on the host. {'; '.join(detail)}")


def add(report, tools, clock):
    _add_all(report, tools, clock, "small ones", {name: (["-"], text) for name, text in SMOKE.items()})
    examples = sorted(Path(tools.bundle, "examples").glob("*.tess"))
    _add_all(report, tools, clock, "examples", {path.name: ([str(path)], "") for path in examples})
