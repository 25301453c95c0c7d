"""Arrays split over devices, whose types say where every element lives.

    import tessera
    s = tessera.Session(output=print)
    s.run("mesh m = [x: 4]\\nlet a = iota(f32[8@x])\\nprint sum(a)")

docs/python.md has an example of every name here."""

from . import _hints, interop
from ._errors import CommandError, InternalError, ProgramError, TesseraError, WorldError
from ._tessera import (
    Array,
    Function,
    Plan,
    Program,
    Report,
    Session,
    _version,
    compare,
    explain,
    format,
    is_incomplete,
    operations,
    plan,
    verify,
)

__version__: str = _version()
_hints.teach()

__all__ = [
    "Array", "CommandError", "Function", "InternalError", "Plan", "Program", "ProgramError", "Report", "Session",
    "TesseraError", "WorldError", "__version__", "compare", "explain", "format", "interop", "is_incomplete", "operations",
    "plan", "verify",
]


def load_ipython_extension(shell: object) -> None:
    """Called by `%load_ext tessera`: adds the magics `%tessera` and `%%tessera`."""
    from ._magics import load

    load(shell)


def __getattr__(name: str) -> object:
    """Called where the package has no such name."""
    _hints.of_package(name)
