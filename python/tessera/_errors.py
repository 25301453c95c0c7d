"""The exceptions, one for whoever has to act, and the diagnostics that they carry."""

from __future__ import annotations

from typing import Any

_BLAMES = {1: "program", 2: "command", 3: "world", 4: "us"}


class Label:
    """A place in a text, and what is to be said of it. Lines and columns count from 1, columns in code points."""

    __slots__ = ("file", "line", "column", "length", "text", "primary")

    def __init__(self, file: str, line: int, column: int, length: int, text: str, primary: bool) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.text = text
        self.primary = primary

    def __repr__(self) -> str:
        return f"<{self.file}:{self.line}:{self.column} {self.text}>"


class Diagnostic:
    """What is wrong, where, and what to type instead. `str` is what the command prints."""

    __slots__ = ("slug", "severity", "blame", "message", "help", "labels", "_drawn")

    def __init__(self, slug: str, severity: str, blame: int, message: str, help: str, labels: tuple[Label, ...],
                 drawn: str) -> None:
        self.slug = slug
        self.severity = severity
        self.blame = _BLAMES[blame]
        self.message = message
        self.help = help
        self.labels = labels
        self._drawn = drawn

    def __str__(self) -> str:
        return self._drawn

    def __repr__(self) -> str:
        return f"<{self.severity}[{self.slug}]: {self.message}>"


class TesseraError(Exception):
    """A call that failed; nothing in its session has changed. `str` is what the command prints."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        self.args = (diagnostics,)

    @property
    def slug(self) -> str:
        """Of the first diagnostic; tessera.explain() has a section about it."""
        return self.diagnostics[0].slug

    def __str__(self) -> str:
        return "\n".join(str(diagnostic) for diagnostic in self.diagnostics)

    def __reduce__(self) -> Any:
        return type(self), (self.diagnostics,)


class ProgramError(TesseraError):
    """The program is wrong."""


class CommandError(TesseraError, ValueError):
    """The call is wrong."""


class WorldError(TesseraError, OSError):
    """A file, memory, a limit or another rank."""


class InternalError(TesseraError):
    """A bug of Tessera's: please report it."""


_CLASSES = {"program": ProgramError, "command": CommandError, "world": WorldError, "us": InternalError}


def error_of(diagnostics: tuple[Diagnostic, ...]) -> TesseraError:
    """The exception that the first diagnostic's blame wants."""
    return _CLASSES[diagnostics[0].blame](diagnostics)
