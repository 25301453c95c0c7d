"""Diagnostics and hints of a text of 1,000 lines are there within 50 ms of a key: of the server's own time."""

import os
import statistics
import sys
import time
from pathlib import Path

import client

URI = "file:///tmp/tessera-speed/text.tess"
MILLISECONDS_MAX = 50
KEYS = 40


def text_of(lines):
    text = ["mesh m = [x: 4, y: 2]", "let a0 = iota(f32[64@x, 64@y])"]
    for k in range(1, lines - 1):
        text.append((f"let a{k} = a{k - 1} @ a{k - 1}", f"let a{k} = a{k - 1} + {k}.0", f"let a{k} = a{k - 1} as [64@y, 64@x]",
                     f"let a{k} = a{k - 1} * 2.0 - a{max(0, k - 2)}", f"let a{k} = transpose(a{k - 1})")[k % 5])
    return "\n".join(text) + "\n"


def processor_milliseconds(process):
    """What the server has taken of the processors so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(executable):
    text = text_of(1000)
    with client.Client(executable) as server:
        server.open(URI, text)
        server.hints(URI)
        taken = []
        before = processor_milliseconds(server.process.pid)
        for key in range(KEYS):
            line = (key // 2 * 97) % 990 + 2
            place = {"line": line, "character": 0}
            after = {"line": line, "character": key % 2}
            begun = time.perf_counter()
            server.change(URI, [{"range": {"start": place, "end": after}, "text": " " if key % 2 == 0 else ""}], key + 2)
            server.hints(URI)
            taken.append(1000 * (time.perf_counter() - begun))
        each = (processor_milliseconds(server.process.pid) - before) / KEYS
    print(f"{each:.1f} ms of processor a key; median {statistics.median(taken):.1f} ms, best {min(taken):.1f} ms of {KEYS} keys in 1,000 lines")
    # Other work on the machine makes a key wait, so the server's own time is what has to be short.
    if each > MILLISECONDS_MAX:
        sys.exit(f"a key takes more than {MILLISECONDS_MAX} ms of processor: {each:.1f}")


if __name__ == "__main__":
    main(sys.argv[1])
