"""The magics in IPython's shell."""

import numpy as np
import pytest

interactive = pytest.importorskip("IPython.core.interactiveshell")
import tessera  # noqa: E402


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    interactive.InteractiveShell.clear_instance()
    made = interactive.InteractiveShell.instance()
    made.run_line_magic("load_ext", "tessera")
    yield made
    interactive.InteractiveShell.clear_instance()


def test_arrays_go_in_and_out(shell, capsys):
    shell.user_ns["w"] = np.arange(12, dtype="f4").reshape(6, 2)
    result = shell.run_cell_magic("tessera", "--in w --out v,total", "mesh m = [x: 3]\nlet v = (w as [6@x, 2]) * 2.0\nlet total = sum(v)\nprint total\n")
    assert result is None and capsys.readouterr().out == "132.0\n"
    assert isinstance(shell.user_ns["v"], tessera.Array) and float(shell.user_ns["total"]) == 132
    np.testing.assert_array_equal(np.asarray(shell.user_ns["v"]), shell.user_ns["w"] * 2)
    again = shell.run_line_magic("tessera", "sum(v) + 1.0")
    assert float(again) == 133
    last = shell.run_cell_magic("tessera", "--in v", "print 1\nv")
    assert last.type == "f32[6@x, 2]" and capsys.readouterr().out == "1\n"


def test_plans(shell):
    from unittest import mock

    with mock.patch("tessera._magics.display") as shown:
        shell.run_cell_magic("tessera", "--plan", "mesh m = [x: 4]\nlet a = iota(f32[8@x, 8]) as [8, 8@x]")
    assert "all_to_all" in shown.call_args.args[0].data


def test_sessions_are_apart(shell):
    shell.run_cell_magic("tessera", "--session other", "let only = 1")
    with pytest.raises(tessera.ProgramError):
        shell.run_line_magic("tessera", "only")
    assert int(shell.run_cell_magic("tessera", "--session other", "only")) == 1


def test_mistakes(shell, capsys):
    done = shell.run_cell("%%tessera\nlet a = nobody\n")
    assert isinstance(done.error_in_exec, tessera.ProgramError)
    out = capsys.readouterr().out
    assert "error[unknown-name]" in out and "_magics.py" not in out
    with pytest.raises(NameError, match="Python has no `missing`"):
        shell.run_cell_magic("tessera", "--in missing", "let a = 1")
    with pytest.raises(KeyError):
        shell.run_cell_magic("tessera", "--out missing", "let a = 1")
