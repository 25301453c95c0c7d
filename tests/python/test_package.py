"""The package: its names, what importing loads, docstrings, stubs, the command."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tessera

PUBLIC = {"Array", "CommandError", "Function", "InternalError", "Plan", "Program", "ProgramError", "Report", "Session", "TesseraError",
          "WorldError", "__version__", "compare", "explain", "format", "interop", "is_incomplete", "operations", "plan", "verify"}
SAMPLE = '''
import numpy as np
import tessera
import tessera.kernel

def work(path: str) -> float:
    s = tessera.Session(output=print, files=path, memory_bytes_max=1 << 30)
    report = s.run("mesh m = [x: 4]\\nfn f(a: f32[8@x]) -> f32[8] = a")
    names: list[str] = [binding.name for binding in report.bindings]
    a: tessera.Array = s.array(np.ones(8, "f4"), "f32[8@x]", copy=False)
    shape: tuple[int, ...] = a.shape
    plan = tessera.plan("x:4", "f32[8@x]", "f32[8]", within="1MiB")
    steps: list[str] = [step.op for step in plan.steps]
    rows = plan.to_dicts()
    try:
        s.check("let b = a")
    except tessera.ProgramError as error:
        print(error.slug, error.diagnostics[0].labels[0].line, names, shape, steps, rows)
    layout: tessera.interop.Layout = tessera.interop.read("P('x')", shape="f32[8]", mesh={"x": 4})
    source, target = tessera.interop.read_pair("{replicated}", layout.write("hlo"), shape="f32[8]", devices=4)
    program: str = tessera.plan(source.mesh, source.type, target.type).emit("jax")
    print(layout.devices + 1, layout.notes, program.splitlines())
    s["n"] = 4
    types: dict[str, str] = s.names()
    print(types, tessera.explain("bad-call"), [o.name for o in tessera.operations()], [p.seconds for p in tessera.compare("x:2", "f32[8@x]", "f32[8]")])
    result = s.function("f", ["f32[8@x]"])(a)
    return float(result)
'''


def test_public_names():
    assert set(tessera.__all__) == PUBLIC
    assert {name for name in dir(tessera) if not name.startswith("_")} - PUBLIC == {"load_ipython_extension"}


def test_every_public_name_has_a_docstring():
    bare = []
    for name in sorted(PUBLIC - {"__version__"}):
        thing = getattr(tessera, name)
        bare += [name] * (not (thing.__doc__ or "").strip())
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and not (value.__doc__ or "").strip():
                bare.append(f"{name}.{member}")
    assert bare == []


def test_importing_loads_little():
    program = ("import sys; before = set(sys.modules); import tessera; "
               "print([m for m in ('numpy', 'json', 'ipykernel', 'IPython', 'mpi4py', 'dataclasses', 'typing_extensions', 'html') "
               "if m in set(sys.modules) - before])")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_program_without_numpy(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no numpy here')", encoding="utf-8")
    program = ("import tessera, array\ns = tessera.Session(output=print)\ns.run('mesh m = [x: 2]\\nlet a = iota(f32[4@x])\\nprint a')\n"
               "b = s.array(array.array('f', [1, 2, 3, 4]), 'f32[4@x]')\nprint(repr(b), b.type, float(s['a'].size))\n"
               "s['n'] = 3\nprint(int(s['n']), memoryview(s['n']) if False else '')")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("Array(f32[4@x] on [x:2], ")


def test_stubs_under_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    package = Path(tessera.__file__).parent
    assert (package / "py.typed").exists()
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache",
                           "--allow-subclassing-any", "--allow-untyped-decorators", "--allow-untyped-calls", "sample.py"],
                          capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(package.parent)})
    assert done.returncode == 0, done.stdout


def test_the_command():
    for command in ([sys.executable, "-m", "tessera"], [sys.executable, "-c", "import sys; from tessera.__main__ import main; main()"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert tessera.__version__ in done.stdout
    program = subprocess.run([sys.executable, "-m", "tessera", "run", "-"], input="print 1 + 1", capture_output=True, text=True)
    assert program.stdout == "2\n"
    assert subprocess.run([sys.executable, "-m", "tessera", "run", "-"], input="let a = b", capture_output=True, text=True).returncode == 1


def test_what_is_installed_stands_by_itself(tmp_path):
    """As a wheel has it: the library beside the module, and nothing that leads back to the build."""
    build = os.environ["TESSERA_BUILD"]
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", tmp_path], check=True, capture_output=True)
    package = tmp_path / "tessera"
    files = {path.name for path in package.iterdir()}
    assert {"__init__.py", "_tessera.pyi", "py.typed", "kernel.py", "bin"} <= files and any("libtessera.so" in name for name in files)
    for module in package.glob("_tessera*.so"):
        said = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
        assert "$ORIGIN" in said and build not in said
    program = "import tessera; print(tessera.__file__); s = tessera.Session(output=print); s.run('print sum(iota(f32[4, 4]) @ ones(f32[4, 4]))')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
    assert done.stdout.split() == [str(package / "__init__.py"), "480.0"], done.stderr


def test_pip_s_build_configures(tmp_path):
    """As `pip install .` calls CMake: with the command of the package, which no other build has."""
    source = Path(__file__).resolve().parents[2]
    options = ["CMAKE_BUILD_TYPE=Release", "SKBUILD=2", "TESSERA_PYTHON_MODULE=ON", "TESSERA_TESTS=OFF", "TESSERA_BENCH=OFF", "TESSERA_INSTALL=OFF",
               "TESSERA_MPI=off", f"Python_EXECUTABLE={sys.executable}"]
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, *(f"-D{option}" for option in options)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tessera_packaged" in (tmp_path / "build.ninja").read_text(encoding="utf-8")
