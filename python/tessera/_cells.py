"""Cells of notebooks: texts that one session runs after each other, with what there is to show of each."""

from __future__ import annotations

from typing import Callable

from ._errors import TesseraError
from ._tessera import Array, Plan, Program, Session

# The name that a check of a cell's end is given; it is bound nowhere.
_END = "end_of_the_cell"


class Shown:
    """What a cell shows when it has run: the value of its last line, as the language writes it and as an Array."""

    def __init__(self, text: str, array: Array | None, plans: list[Plan]) -> None:
        self.text = text
        self.array = array
        self.plans = plans  # of its `plan` statements


class Cells:
    """A session, and where it writes."""

    def __init__(self, write: Callable[[str], object], **options: object) -> None:
        self._write = write
        self._pieces: list[str] | None = None
        self.session = Session(output=self._output, _bare_expressions=True, **options)  # type: ignore[arg-type, call-arg]

    def _output(self, text: str) -> None:
        if self._pieces is not None:
            self._pieces.append(text)
            if len(self._pieces) < 2:
                return
            text = self._pieces.pop(0)
        self._write(text)

    def run(self, code: str, name: str) -> Shown:
        """Runs a cell: all of it, or nothing has changed. What it writes before its last line's value is written at once."""
        ends = self._ends_in_a_value(code, name)
        self._pieces = [] if ends else None
        try:
            self.session.run(code, name)
        finally:
            held, self._pieces = self._pieces or [], None
            if not ends:
                for piece in held:
                    self._write(piece)
        plans = self._planned(code, name)
        if not ends:
            return Shown("", None, plans)
        return Shown("\n".join(held), self.session.get("_"), plans)

    def check(self, expression: str, name: str) -> Program:
        """An expression, or any text, without running it."""
        return self.session.check(expression, name)

    def _planned(self, code: str, name: str) -> list[Plan]:
        """The plans of its `plan` statements that stand on a line, for those who draw them beside their text."""
        plans = []
        for line in code.splitlines():
            if line.startswith("plan "):
                try:
                    plans += [change.plan for change in self.session.check(line.removeprefix("plan "), name).redistributions]
                except TesseraError:
                    continue  # it ends on another line
        return plans

    def _ends_in_a_value(self, code: str, name: str) -> bool:
        """Is the last statement a bare expression? A text that is wrong is left to run() to complain of."""
        try:
            bindings = self.session.check(f"{code}\nlet {_END} = 0\n", name).bindings
        except TesseraError:
            return False
        statements = {binding.name: binding._statement for binding in bindings}
        return statements.get("_", -2) == statements[_END] - 1
