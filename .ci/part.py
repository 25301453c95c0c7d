#!/usr/bin/env python3
"""Which part of the longest checks a run of .ci/run takes. As many runs in turn as there are parts take all of them.

    part.py            prints the part: its number, how many there are, and the command that it is

A clone with its history takes the number of its commit, so that each commit takes the part after that of the commit
before. A shallow clone cannot count its commits and takes the commit's hash; a folder of which git says nothing takes
the day. CI_PART=NUMBER names a part instead."""

import os
import subprocess
import sys
import time
from pathlib import Path

# Each takes a quarter of an hour to twenty minutes on two cores of an AMD EPYC (2 GHz) without a compiler cache, most of
# it to build: the rooms alone take eleven minutes under a sanitizer. The release before takes three quarters of an hour
# there, and more than one part would not surely be through within CI_MINUTES.
PARTS = [
    "scripts/test-checked asan planning",
    "scripts/tidy --half 1",
    "scripts/test-checked asan running",
    "scripts/test-checked tsan running",
    "scripts/test-checked asan programs",
    "scripts/tidy --half 2",
    "scripts/test-checked asan cases",
    "scripts/test-checked tsan programs",
    "scripts/test-checked asan command",
    "scripts/test-checked asan gpus",
]
SECONDS_OF_DAY = 86_400


def part(number):
    """The part of the commit that is the number-th of its history, counted from 1."""
    return number % len(PARTS) + 1


def part_of_hash(commit):
    """The part of a commit of which only the hash is known."""
    return part(int(commit, 16))


def git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout.strip()


def part_of(root):
    """The part of what is checked out in `root`."""
    try:
        if git(root, "rev-parse", "--is-shallow-repository") == "true":
            return part_of_hash(git(root, "rev-parse", "HEAD"))
        return part(int(git(root, "rev-list", "--count", "HEAD")))
    except (OSError, subprocess.CalledProcessError):
        return part(int(time.time()) // SECONDS_OF_DAY)


def main():
    wanted = os.environ.get("CI_PART")
    if wanted is None:
        chosen = part_of(Path(__file__).resolve().parents[1])
    elif wanted in [str(number + 1) for number in range(len(PARTS))]:
        chosen = int(wanted)
    else:
        sys.exit(f"CI_PART is a number from 1 to {len(PARTS)}, not {wanted}")
    print(chosen, len(PARTS), PARTS[chosen - 1])


if __name__ == "__main__":
    main()
