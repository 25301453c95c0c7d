"""Sessions on the ranks of mpi4py's communicator, and what the wrong one is told."""

import shutil
import subprocess
import sys
import types

import pytest

import tessera

PROGRAM = '''
from mpi4py import MPI
import numpy as np
import tessera
s = tessera.Session(output=print, comm=MPI.COMM_WORLD)
s.run("mesh m = [x: 4]\\nlet a = iota(f32[10@x])\\nlet b = a as [10]\\nprint sum(a)")
assert np.asarray(s["a"]).tolist() == list(range(10))
f = None
s.run("fn f(a: f32[10@x]) -> f32[10] = a * 2.0")
assert np.asarray(s.function("f")(s["a"]))[9] == 18
try:
    s.run("let c = a + d")
except tessera.ProgramError as error:
    assert error.slug == "unknown-name", error
del s
'''


def test_two_ranks():
    pytest.importorskip("mpi4py")
    launcher = shutil.which("mpirun.openmpi")
    if launcher is None:
        pytest.skip("Open MPI's mpirun is not here")
    pytest.importorskip("tessera._tessera_mpi")
    done = subprocess.run([launcher, "-np", "2", sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "45.0\n"), done.stderr


def test_what_is_no_communicator():
    pytest.importorskip("tessera._tessera_mpi")
    with pytest.raises(TypeError, match=r"MPI\.COMM_WORLD"):
        tessera.Session(comm=7)


def test_another_mpi_and_none_are_named(monkeypatch):
    theirs = types.ModuleType("mpi4py")
    theirs.MPI = types.SimpleNamespace(Get_library_version=lambda: "Elsewhere MPI 7.1\nbuilt")
    monkeypatch.setitem(sys.modules, "mpi4py", theirs)
    comm = types.SimpleNamespace(py2f=lambda: 0)
    ours = types.ModuleType("tessera._tessera_mpi")
    ours.name = lambda: "Open MPI"
    monkeypatch.setitem(sys.modules, "tessera._tessera_mpi", ours)
    monkeypatch.setattr(tessera, "_tessera_mpi", ours, raising=False)
    with pytest.raises(ImportError, match="built with Open MPI, and mpi4py with Elsewhere MPI"):
        tessera.Session(comm=comm)
    monkeypatch.setitem(sys.modules, "tessera._tessera_mpi", None)
    monkeypatch.delattr(tessera, "_tessera_mpi")
    with pytest.raises(ImportError, match="TESSERA_MPI=openmpi"):
        tessera.Session(comm=comm)
