"""Arguments that Python programs write in more than one way."""

from __future__ import annotations

import json
import os
from typing import Any


def machine_text(machine: Any) -> tuple[str, str]:
    """The text of a machine, and what messages call it: from a file's name, a text, or the lists of one."""
    if isinstance(machine, (list, dict)):
        return json.dumps(machine), "machine"
    if isinstance(machine, str) and machine.lstrip()[:1] in ("[", "{"):
        return machine, "machine"
    if not isinstance(machine, (str, os.PathLike)):
        raise TypeError("machine is the name of a file, its text, or a list such as "
                        '[{"name": "node", "count": 4, "bandwidth": 25e9, "latency": 5e-6}]')
    name = os.fspath(machine)
    with open(name, encoding="utf-8") as file:
        return file.read(), str(name)


def place_text(place: Any) -> str:
    """`auto` or a matrix, as the language writes it."""
    return place if isinstance(place, str) else json.dumps(place)
