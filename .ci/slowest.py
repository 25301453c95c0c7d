#!/usr/bin/env python3
"""Says what took long in a stage of .ci/run, so that whoever waits knows what to make shorter.

    slowest.py LOG [NINJA_LOG...]      LOG: what the stage printed; NINJA_LOG: build/PRESET/.ninja_log of what it built

Prints up to two lines, the longest tests and the folders that took longest to build; nothing of what the stage has none of."""

import collections
import re
import sys
from pathlib import Path

SHOWN_MAX = 4
# ` 12/345 Test #67: cases.pad.edge ....   Passed   12.34 sec`
TEST = re.compile(r"^ *\d+/\d+ +Test +#\d+: (\S+) \.*[ *]*\w.*? (\d+\.\d+) sec", re.MULTILINE)


def longest_tests(text):
    """(seconds, name) of the tests that ctest reports in `text`, the longest first."""
    return sorted(((float(seconds), name) for name, seconds in TEST.findall(text)), reverse=True)


def folder_of(output):
    """The folder a built file belongs to, as people name it: `tests/runtime` of an object of its tests."""
    parts = [part for part in output.split("/") if part]
    depth = 2 if parts[0] in ("tests", "bench") and len(parts) > 2 and parts[1] != "CMakeFiles" else 1
    return "/".join(parts[:depth])


def built(log):
    """(seconds, folder) of what ninja's log holds, the longest first. The last line of a file counts; two files that one
    command made count once."""
    commands = {}
    for line in log.splitlines()[1:]:
        begin, end, _, output, command = line.split("\t")
        if not output.startswith("/"):
            commands[command] = (int(end) - int(begin), folder_of(output))
    seconds = collections.Counter()
    for milliseconds, folder in commands.values():
        seconds[folder] += milliseconds / 1000
    return sorted(((spent, folder) for folder, spent in seconds.items()), reverse=True)


def line(what, found):
    return f"{what}: " + ", ".join(f"{name} {seconds:.0f} s" for seconds, name in found[:SHOWN_MAX])


def main():
    log, *ninja_logs = map(Path, sys.argv[1:])
    tests = longest_tests(log.read_text(encoding="utf-8", errors="replace"))
    if tests:
        print(line("longest tests", tests))
    for ninja_log in ninja_logs:
        print(line(f"longest to build in {ninja_log.parent.name}", built(ninja_log.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
