"""Times of programs on a GPU beside JAX's on the same card, in one run.

    bench/gpu/beside_jax.py PATH/TO/tessera [GPUS]

A row is timed by the session's `:time` of loops of different length: what a turn takes is the difference of their medians over
that of their turns, so that what a run costs by itself is in no figure."""

import json
import math
import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from rows import CHANGES, ROWS, small

UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
WANTED = 0.15  # seconds that a longer loop takes more than a short one
TIMES = re.compile(r"(?:one cold run: |median )([0-9.e+-]+) (ns|us|µs|ms|s)\b")


def with_sizes(text, sizes):
    for letter, size in sizes.items():
        text = re.sub(rf"\b{letter}\b", str(size), text)
    return text


class Talk:
    """A session that is typed into, and what it says until a time is over."""

    def __init__(self, words, seconds):
        self.end = time.monotonic() + seconds
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def seconds_of(self, text):
        """Types a text that ends with `:time`; its median. Raises what went wrong."""
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            while (line := self.lines.get(timeout=max(0.1, self.end - time.monotonic()))) is not None:
                if match := TIMES.search(line):
                    return float(match.group(1)) * UNITS[match.group(2)]
                if "error" in line:
                    raise RuntimeError(line.strip())
        except queue.Empty:
            raise RuntimeError("it takes too long") from None
        except OSError:
            pass
        raise RuntimeError(f"the session has ended: {self.process.wait(5)}")

    def close(self):
        self.process.kill()
        self.process.wait()


def seconds_of(tessera, options, row, on_card, seconds):
    """Seconds of a turn, or the words of what went wrong. The loop is as long as it has to be for a clear difference."""
    sizes = row.sizes if on_card else small(row)
    wanted = WANTED if on_card else WANTED / 10
    talk = Talk([tessera, *options], seconds)

    def timed(turns, before=""):
        loop = f"loop {row.carried} = {row.first} for turn < {turns} {{ {row.turn} }}"
        return talk.seconds_of(with_sizes(f"{before}:time {loop}", sizes))

    try:
        short = timed(2, f"{row.setup}\nlet warm = loop {row.carried} = {row.first} for turn < 2 {{ {row.turn} }}\nlet warm = 0\n")
        turns, each = 2, short / 2
        for _ in range(2):
            turns = 2 + max(2, min(20000, round(wanted / max(each, 1e-7))))
            long = timed(turns)
            each = (long - short) / (turns - 2)
            if long - short > wanted / 3:
                break
        return each
    except RuntimeError as why:
        return str(why)
    finally:
        talk.close()


def of_jax(seconds):
    """Seconds by row, and what JAX says of itself."""
    script = Path(__file__).with_name("of_jax.py")
    try:
        done = subprocess.run([sys.executable, str(script), str(seconds)], capture_output=True, text=True, timeout=seconds + 20)
        out = done.stdout
    except subprocess.TimeoutExpired as late:
        out = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    about = next((one for one in told if "jax" in one), {})
    return {one["name"]: one.get("seconds", one.get("error")) for one in told if "name" in one}, about


def copy_rate():
    try:
        done = subprocess.run([sys.executable, str(Path(__file__).with_name("copies.py"))], capture_output=True, text=True,
                              timeout=40)
        return json.loads(done.stdout)["bytes_per_second"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None


def told(row, ours, theirs, copy, sizes):
    """A line's figures in words."""
    words = [f"{ours * 1e3:9.4f} ms"]
    if isinstance(theirs, float):
        words.append(f"JAX {theirs * 1e3:9.4f} ms, ratio {ours / theirs:.2f}")
    elif row.jax:
        words.append(f"JAX: {theirs}")
    if row.moved and copy:
        rate = eval(row.moved, {}, dict(sizes)) / ours  # noqa: S307  (a formula of the table above)
        words.append(f"{rate / copy:.2f} of copy")
    if row.flops:
        words.append(f"{eval(row.flops, {}, dict(sizes)) / ours / 1e12:.1f} Tflop/s")  # noqa: S307
    return ", ".join(words)


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def main():
    tessera = sys.argv[1]
    gpus = sys.argv[2] if len(sys.argv) > 2 else "0"
    copy, (jax, about) = copy_rate(), of_jax(120)
    print(about, f"copy {copy / 1e12:.3f} TB/s" if copy else "no copy")
    ratios = []
    for row in ROWS + CHANGES:
        options = ["--gpu", gpus] + (["--products", "ordered"] if "ordered" in row.name else [])
        ours = seconds_of(tessera, options, row, copy is not None, 60)
        if isinstance(ours, str) or ours <= 0:
            print(f"{row.name:<28} {ours}")
            continue
        theirs = jax.get(row.name)
        if isinstance(theirs, float) and row in ROWS:
            ratios.append(ours / theirs)
        print(f"{row.name:<28} {told(row, ours, theirs, copy, row.sizes if copy else small(row))}")
    print(f"geometric mean of {len(ratios)} ratios: {mean_of(ratios)}")


if __name__ == "__main__":
    main()
