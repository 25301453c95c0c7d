#!/usr/bin/env python3
"""Repeats what the failed tests of a stage of .ci/run said, so that the end of a long log tells why it is red.

    failed.py LOG      LOG: what the stage printed

Prints the line of each test that failed and the last lines of its output; nothing where no test failed."""

import re
import sys
from pathlib import Path

LINES_MAX = 40
# ` 12/345 Test #67: repl.run ....***Failed   12.34 sec`
TEST = re.compile(r"^ *\d+/\d+ +Test +#\d+: \S+ \.*.*? \d+\.\d+ sec$")
BEGUN = re.compile(r"^ +Start +\d+: \S+$")
CLOSING = re.compile(r"^\d+% tests passed, ")


def failures(text):
    """What ctest reports of each failed test: the line with its name, then what it printed."""
    found = []
    in_failure = False
    for line in text.splitlines():
        if TEST.match(line):
            in_failure = "***" in line and "***Skipped" not in line
            if in_failure:
                found.append([line])
        elif BEGUN.match(line) or CLOSING.match(line):
            in_failure = False
        elif in_failure:
            found[-1].append(line)
    return found


def shown(failure):
    """Its lines without empty ones at the end; of many the last ones."""
    name, *output = failure
    while output and not output[-1].strip():
        output.pop()
    left_out = len(output) - LINES_MAX
    return [name, *([f"({left_out} lines before)"] if left_out > 0 else []), *output[-LINES_MAX:]]


def main():
    for failure in failures(Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")):
        print("\n".join(["", *shown(failure)]))


if __name__ == "__main__":
    main()
