"""Session(comm=...): the ranks of an mpi4py communicator."""

from __future__ import annotations

from typing import Any


def team(comm: Any) -> Any:
    """What the session wants of them. ImportError where the package has no MPI, or another one than mpi4py."""
    try:
        from . import _tessera_mpi  # type: ignore[attr-defined]
    except ImportError as error:
        raise ImportError("this tessera was built without MPI, and mpi4py has one: build it with "
                          "`pip install . -C cmake.define.TESSERA_MPI=openmpi`") from error
    if not hasattr(comm, "py2f"):
        raise TypeError(f"comm is a communicator of mpi4py, MPI.COMM_WORLD say, not a {type(comm).__name__}")
    from mpi4py import MPI

    theirs = MPI.Get_library_version().split("\n")[0].split(",")[0].strip("\0 ")
    ours = _tessera_mpi.name()
    if not theirs.lower().replace(" ", "").startswith(ours.lower().replace(" ", "")):
        raise ImportError(f"this tessera was built with {ours}, and mpi4py with {theirs}: both need the same MPI")
    return _tessera_mpi.team(comm.py2f())
