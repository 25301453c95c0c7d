"""`tessera` and `python -m tessera`: the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Becomes the command, with the arguments of this process."""
    command = Path(__file__).parent / "bin" / "tessera"
    if not command.exists():
        print("tessera: this package was built without the command (-DTESSERA_COMMAND=ON builds it)", file=sys.stderr)
        return 2
    sys.stdout.flush()
    os.execv(command, ["tessera", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
