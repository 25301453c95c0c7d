"""Types random lines into a session at a terminal: statements, commands, nonsense, some interrupted while they run.

    random_lines.py TESSERA SEED COUNT

The session must answer each, keep its memory, and leave when it is told to."""

import random
import sys
import time
from pathlib import Path

from driver import CommandLine
from terminal import Terminal

# After this many lines the memory has everything in it that is made once.
WARM_UP = 200
GROWTH_BYTES_MAX = 200 << 20

VALID = [
    "mesh m = [x: {n}, y: 2]", "mesh line = [t: {n}]", "let a = iota(f32[{n}@x, 8])", "let b = a as [{n}, 8@(x,y)]",
    "let c = a @ transpose(a)", "a + {n}", "sum(a)", "show a", "plan a as [{n}, 8]", "fn f(v: i64) -> i64 = v * {n}",
    "f({n})", "let a = random(f64[64, 64@y], {n})", "print \"größe\", {n}", "let (p, q) = ({n}, 2)", "assert {n} > 0",
    "fn g(v: f64[N]?) = sum(again {{ v**{n}.0 }})", "let (l, d) = grad(g)(random(f64[{n}@x], {n}))", "grad(g, wrt=a)(1)",
    "let long = loop w = 0.0 for i < {n}00 {{ w + 1.0 }}",
]
COMMANDS = [
    ":type a + {n}", ":layout a", ":plan a as [{n}, 8@x]", ":why b", ":placements", ":compare a as [{n}, 8]", ":estimate a as [{n}, 8]", ":estimate b", ":compare --run a as [{n}, 8]",
    ":mem", ":stats", ":mesh", ":devices", ":machine", ":undo", ":reset", ":set", ":help", ":doc sum", ":save saved.tess", ":load small.tess",
]
INVALID = ["let = {n}", "a as [", "]", ")", "nothing({n})", ":nothing", ":type", "let a = a[{n}00]", "a @ @", "\"open", "{{", "{n}{n}x"]
LONG = "let w = loop w = 0.0 for i < 1000000000 {{ w + {n}.0 }}"


def nonsense(draw):
    return "".join(chr(draw.choice([draw.randrange(32, 127), draw.randrange(0xa1, 0x17f)])) for _ in range(draw.randrange(1, 30)))


def line(draw):
    kind = draw.random()
    if kind < 0.1:
        return nonsense(draw)
    pattern = draw.choice(VALID if kind < 0.6 else COMMANDS if kind < 0.8 else INVALID)
    return pattern.format(n=draw.randrange(1, 9))


class Session(CommandLine):
    """The folder and environment of a test, without a test."""

    def runTest(self):
        pass


def bytes_held(process):
    """Memory that the process has, as the system counts it."""
    for row in Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines():
        if row.startswith("VmRSS:"):
            return int(row.split()[1]) << 10
    return 0


def enter(terminal, text):
    """Types a line and waits for its answer; a statement that is not complete is dropped."""
    terminal.type(text + "\r")
    answer = terminal.until(r"\n\d+(?:> |\. +)$", typing=True)
    if not answer.endswith("> "):
        terminal.interrupt()
        answer += terminal.prompt()
    return answer


def interrupted(terminal, draw):
    terminal.enter(LONG.format(n=draw.randrange(1, 9)))
    time.sleep(0.05 + 0.1 * draw.random())
    terminal.interrupt()
    terminal.prompt()


def enter_one(terminal, draw, number):
    if draw.random() < 0.02:
        interrupted(terminal, draw)
    else:
        text = line(draw)
        answer = enter(terminal, text)
        if "internal error" in answer or "error[internal]" in answer:
            sys.exit(f"line {number}: {text!r}\n{answer}")
    terminal.text, terminal.seen = "", 0


def main():
    CommandLine.executable = str(Path(sys.argv[1]).resolve())
    seed, count = int(sys.argv[2]), int(sys.argv[3])
    print(f"seed {seed}")
    draw = random.Random(seed)
    session = Session()
    session.setUp()
    # AddressSanitizer keeps what is freed, 256 MiB of it, to notice who still uses it: that is no growth of ours.
    given = session.environment.get("ASAN_OPTIONS")
    session.environment["ASAN_OPTIONS"] = ":".join(filter(None, [given, "quarantine_size_mb=16"]))
    session.write("small.tess", "mesh m = [x: 2, y: 2]\nlet a = iota(f32[8@x, 8])\nsum(a)\n")
    terminal = Terminal(session, columns=120)
    terminal.prompt()
    held = 0
    for number in range(count):
        if number == WARM_UP:
            held = bytes_held(terminal.process)
        enter_one(terminal, draw, number)
    grown = bytes_held(terminal.process) - held if held else 0
    status = terminal.leave()
    session.doCleanups()
    print(f"{count} lines; the memory has grown by {grown >> 20} MiB; exit status {status}")
    if status != 0 or grown > GROWTH_BYTES_MAX:
        sys.exit(1)


if __name__ == "__main__":
    main()
