"""The protocol as pytest-lsp sees it: a client that is not ours, which checks every message against the specification.

test_pytest_lsp.py PATH/TO/tessera; 77: build/venv has no pytest-lsp."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build/venv/bin/python"

if __name__ == "__main__":
    known = PYTHON.exists() and subprocess.run([PYTHON, "-c", "import pytest_lsp"], capture_output=True, check=False).returncode == 0
    if not known:
        print("skipped: build/venv has no pytest-lsp; scripts/setup test puts it there")
        sys.exit(77)
    tests = Path(__file__).with_name("by_pytest_lsp.py")
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--asyncio-mode=auto", str(tests)]
    sys.exit(subprocess.run(command, env={**os.environ, "TESSERA": sys.argv[1]}, check=False).returncode)
