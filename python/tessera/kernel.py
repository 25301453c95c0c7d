"""The Jupyter kernel: notebooks in Tessera itself.

    python3 -m tessera.kernel install [--user | --prefix PREFIX]

A cell is a program: all of it runs, or nothing has changed. A bare expression as its last line is shown."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from ipykernel.kernelbase import Kernel

from . import __version__, explain, format, is_incomplete, operations
from ._cells import Cells
from ._errors import TesseraError
from ._tessera import _bytes_text, _keywords, _seconds_text, _slugs

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_COMMANDS = {
    ":type": "EXPRESSION: its type; nothing runs",
    ":plan": "EXPRESSION: the steps that its changes of layout would take; nothing runs",
    ":why": "EXPRESSION: why data moves for it, and the other ways that were priced; nothing runs",
    ":explain": "SLUG: a mistake, with an example and its repair",
    ":help": "[OPERATION]: the commands, or an operation",
}


_SUBJECT = "subject_of_a_command"


class TesseraKernel(Kernel):
    """One session; `restart` begins another."""

    implementation = "tessera"
    implementation_version = __version__
    banner = f"Tessera {__version__}"
    language_info = {"name": "tessera", "version": __version__, "mimetype": "text/x-tessera", "file_extension": ".tess",
                     "pygments_lexer": "rust", "codemirror_mode": "rust"}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._silent = False
        self._cells = Cells(self._stream, files=True)

    # ---- Running

    def do_execute(self, code: str, silent: bool, store_history: bool = True, user_expressions: Any = None,
                   allow_stdin: bool = False, **_: Any) -> dict[str, Any]:
        """Runs a cell, or one of the commands."""
        self._silent = silent
        try:
            if code.lstrip().startswith(":"):
                self._command(code.strip())
            elif code.strip():
                self._run(code, f"cell {self.execution_count}")
        except TesseraError as error:
            return self._failed(error.slug, str(error))
        except KeyboardInterrupt:
            return self._failed("interrupted", "the cell was interrupted; names are bound as they were before it")
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _run(self, code: str, name: str) -> None:
        shown = self._cells.run(code, name)
        for plan in shown.plans:
            self._display({"text/html": plan._repr_html_(), "text/plain": str(plan)})
        if shown.array is None or self._silent:
            return
        data = {"text/plain": shown.text}
        svg = shown.array._repr_svg_()
        if svg is not None:
            data["image/svg+xml"] = svg
            data["text/html"] = f"{svg}<pre>{_escaped(shown.text)}</pre>"
        self.send_response(self.iopub_socket, "execute_result",
                           {"execution_count": self.execution_count, "data": data, "metadata": {}})

    def _failed(self, name: str, text: str) -> dict[str, Any]:
        content = {"ename": name, "evalue": text, "traceback": text.splitlines()}
        if not self._silent:
            self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def _stream(self, text: str) -> None:
        if not self._silent:
            self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text + "\n"})

    def _display(self, data: dict[str, str]) -> None:
        if not self._silent:
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    # ---- Commands

    def _command(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        answer = {":type": self._type, ":plan": self._plan, ":why": self._why, ":explain": self._explain,
                  ":help": self._help}.get(word)
        if answer is None:
            self._stream(f"{word} is a command of `tessera`, the session on a terminal. In a cell there are "
                         f"{', '.join(_COMMANDS)}.")
        elif not rest.strip() and word != ":help":
            self._stream(f"{word} {_COMMANDS[word]}")
        else:
            answer(rest.strip())

    def _type(self, expression: str) -> None:
        self._cells.check(expression, "cell")  # which complains of the expression as it was typed
        # A name is bound to what an expression is; shown, its pending sums would be finished.
        self._stream(self._cells.check(f"let {_SUBJECT} = {expression}\n", "cell").bindings[-1].type)

    def _plan(self, expression: str) -> None:
        changes = self._cells.check(expression, "cell").redistributions
        for change in changes:
            self._display({"text/html": change.plan._repr_html_(), "text/plain": str(change.plan)})
        if not changes:
            self._stream("nothing moves")

    def _why(self, expression: str) -> None:
        changes = self._cells.check(expression, "cell").redistributions
        for change in changes:
            begin, end, _, _ = change.plan._ends()
            asked = "inserted: asked for" if change.inserted else "asked for"
            self._stream(f"{begin} -> {end}\n  {asked} by {change.who} at column {change.place.column}: "
                         f"{_bytes_text(change.plan.received_bytes)} in all, {_seconds_text(change.plan.seconds)}")
            for one in change.compared:
                mark = "chosen  " if one.chosen else "rejected"
                self._stream(f"    {mark} {one.description}: {_bytes_text(one.received_bytes)} received, "
                             f"peak {_bytes_text(one.peak_bytes)}, {_seconds_text(one.seconds)}")
        if not changes:
            self._stream("nothing moves")

    def _explain(self, slug: str) -> None:
        text = explain(slug)
        self._display({"text/markdown": text, "text/plain": text})

    def _help(self, name: str) -> None:
        found = [operation for operation in operations() if operation.name == name]
        if not name:
            self._stream("\n".join(f"{word} {what}" for word, what in _COMMANDS.items()))
        elif not found:
            self._stream(f"there is no operation `{name}`; {', '.join(sorted({o.name for o in operations()}))}")
        for operation in found:
            self._stream(_described(operation))

    # ---- While typing

    def do_is_complete(self, code: str) -> dict[str, str]:
        """Would another line complete it?"""
        if code.lstrip().startswith(":"):
            return {"status": "complete"}
        if is_incomplete(code):
            return {"status": "incomplete", "indent": "  "}
        try:
            format(code)
        except TesseraError:
            return {"status": "invalid"}
        return {"status": "complete"}

    def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """Axes after `@`; else commands, names, operations and keywords."""
        before = code[:cursor_pos]
        match = _WORD.search(before)
        word = match.group() if match else ""
        start = cursor_pos - len(word)
        session = self._cells.session
        if re.search(r"@\(?(\w+,\s*)*$", before[:start]):
            known = {axis for axes in session.meshes().values() for axis in axes}
        elif before.lstrip() == before[start - 1:] and before[start - 1:start] == ":":
            word, start, known = ":" + word, start - 1, set(_COMMANDS)
        else:
            known = {*session.names(), *session._functions(), *_keywords(), *(o.name for o in operations())}
        return {"status": "ok", "matches": sorted(name for name in known if name.startswith(word)),
                "cursor_start": start, "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:
        """An operation, a name's type, or a mistake."""
        begin = re.search(r"[\w-]*$", code[:cursor_pos])
        end = re.match(r"[\w-]*", code[cursor_pos:])
        slug = (begin.group() if begin else "") + (end.group() if end else "")
        word = slug.split("-")[0] if slug not in _slugs() else slug
        found = [_described(operation) for operation in operations() if operation.name == word]
        names = self._cells.session.names()
        if word in names:
            found = [f"{word}: {names[word]}"]
        elif slug in _slugs():
            found = [explain(slug)]
        return {"status": "ok", "found": bool(found), "metadata": {},
                "data": {"text/plain": "\n\n".join(found)} if found else {}}


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)


def _described(operation: Any) -> str:
    return "\n".join(part for part in (operation.signature, operation.does, operation.layouts) if part)


def install(arguments: list[str]) -> int:
    """Tells Jupyter of the kernel: for everybody, for this user, or below a prefix."""
    from jupyter_client.kernelspec import KernelSpecManager

    spec = {"argv": [sys.executable, "-m", "tessera.kernel", "-f", "{connection_file}"], "display_name": "Tessera",
            "language": "tessera", "interrupt_mode": "signal"}
    prefix = None
    if "--prefix" in arguments[:-1]:
        prefix = arguments[arguments.index("--prefix") + 1]
    elif arguments not in ([], ["--user"]):
        print("usage: python3 -m tessera.kernel install [--user | --prefix PREFIX]", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.json").write_text(json.dumps(spec, indent=1), encoding="utf-8")
        place = KernelSpecManager().install_kernel_spec(folder, "tessera", user="--user" in arguments, prefix=prefix)
    print(f"installed the kernel tessera in {place}")
    return 0


def main() -> int:
    """`install`, or what Jupyter starts."""
    if sys.argv[1:2] == ["install"]:
        return install(sys.argv[2:])
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=TesseraKernel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
