#!/usr/bin/env python3
"""Which of the three parts of the longest checks a run of .ci/run takes. Three runs in turn take all of them.

    part.py            prints 1, 2 or 3

A clone with its history takes the number of its commit, so that each commit takes the part after that of the commit
before. A shallow clone cannot count its commits and takes the commit's hash; a folder of which git says nothing takes
the day. CI_PART names a part instead."""

import os
import subprocess
import sys
import time
from pathlib import Path

PARTS = 3
SECONDS_OF_DAY = 86_400


def part(number):
    """The part of the commit that is the number-th of its history."""
    return number % PARTS + 1


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
        print(part_of(Path(__file__).resolve().parents[1]))
    elif wanted in [str(number + 1) for number in range(PARTS)]:
        print(wanted)
    else:
        sys.exit(f"CI_PART is 1, 2 or 3, not {wanted}")


if __name__ == "__main__":
    main()
