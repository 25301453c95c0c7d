"""`%tessera EXPRESSION` and `%%tessera`, for notebooks of Python: `%load_ext tessera`."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import HTML, display

from ._cells import Cells
from ._errors import TesseraError


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


@magics_class
class TesseraMagics(Magics):
    """One session a notebook, and one for each other name."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._cells: dict[str, Cells] = {}
        self._count = 0

    def _of(self, name: str) -> Cells:
        if name not in self._cells:
            self._cells[name] = Cells(print)
        return self._cells[name]

    @magic_arguments()
    @argument("--in", dest="given", metavar="NAMES", help="Python's arrays, numbers or Arrays to bind first: a,b")
    @argument("--out", dest="wanted", metavar="NAMES", help="names to give to Python as Arrays afterwards: c")
    @argument("--plan", action="store_true", help="show the plan of each change of layout")
    @argument("--session", default="", help="another session than the notebook's")
    def _options(self) -> None:
        """Options of %%tessera."""

    @line_cell_magic
    def tessera(self, line: str, cell: str | None = None) -> Any:
        """`%tessera EXPRESSION` gives its value as an Array; `%%tessera` runs the cell as a program."""
        self._count += 1
        name = f"cell {self._count}"
        try:
            return self._line(line, name) if cell is None else self._cell(line, cell, name)
        except TesseraError as error:
            text = f"{type(error).__name__}: {error}"
            # Frames of this file help nobody: IPython shows this instead.
            error._render_traceback_ = lambda: [text]  # type: ignore[attr-defined]
            raise

    def _line(self, line: str, name: str) -> Any:
        return self._of("").run(line, name).array

    def _cell(self, line: str, cell: str, name: str) -> Any:
        options = parse_argstring(TesseraMagics._options, line)
        cells = self._of(options.session)
        for given in _names(options.given):
            if given not in self.shell.user_ns:
                raise NameError(f"--in {given}: Python has no `{given}`")
            cells.session[given] = self.shell.user_ns[given]
        planned = cells.check(cell, name).redistributions if options.plan else []
        shown = cells.run(cell, name)
        for plan in [change.plan for change in planned] or shown.plans:
            display(HTML(plan._repr_html_()))
        for wanted in _names(options.wanted):
            self.shell.user_ns[wanted] = cells.session[wanted]
        return shown.array


def load(shell: Any) -> None:
    """Adds the magics to a shell."""
    shell.register_magics(TesseraMagics)
