"""Packages of npm for tests, fetched once into the build folder."""

import shutil
import subprocess
import sys
from pathlib import Path

SECONDS_MAX = 300
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def packages(folder, *names):
    """The folder in which they are; the test is skipped where they cannot be had."""
    if shutil.which("npm") is None:
        skip("there is no npm; on Debian: apt-get install npm")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / "node_modules" / name.rsplit("@", 1)[0]).exists() for name in names):
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder), *names]
        done = subprocess.run(command, capture_output=True, timeout=SECONDS_MAX, check=False)
        if done.returncode != 0:
            skip("npm could not fetch " + " ".join(names))
    return folder / "node_modules"
