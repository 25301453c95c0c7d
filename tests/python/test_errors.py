"""Exceptions: whose they are, and that they print what the command prints."""

import os
import pickle
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tessera

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ["TESSERA_BUILD"]) / "tessera"
WRONG = re.findall(r"^```tessera error\[([a-z0-9-]+)\]\n(.*?)^```$", (ROOT / "docs/errors.md").read_text(encoding="utf-8"), re.S | re.M)


def test_every_example_of_the_error_index_prints_as_the_command_does(tmp_path):
    """One process for each would take long: a hundred of them, of every twentieth kind both ways."""
    assert len(WRONG) > 90
    for number, (slug, text) in enumerate(WRONG):
        (tmp_path / "example.tess").write_text(text, encoding="utf-8")
        os.chdir(tmp_path)
        with pytest.raises(tessera.TesseraError) as caught:
            tessera.Session(output=lambda text: None, files=True).run(text, "example.tess")
        assert slug in [each.slug for each in caught.value.diagnostics]
        if number % 8 == 0:
            done = subprocess.run([COMMAND, "run", "example.tess"], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
            errors = [each for each in done.stderr.split("\n\n") if each]
            assert str(caught.value).strip() in "\n".join(errors), slug


def raised(call, *arguments):
    with pytest.raises(tessera.TesseraError) as caught:
        call(*arguments)
    return caught.value


def test_classes_say_who_has_to_act():
    s = tessera.Session()
    assert type(raised(s.run, "let a = b")) is tessera.ProgramError
    command = raised(tessera.explain, "no-such-slug")
    assert type(command) is tessera.CommandError and isinstance(command, ValueError)
    world = raised(s.run, 'let a = load("x.npy", f32[1])')
    assert type(world) is tessera.WorldError and isinstance(world, OSError)
    assert issubclass(tessera.InternalError, tessera.TesseraError)


def test_a_diagnostic_says_what_where_and_what_to_type():
    error = raised(tessera.Session().run, "mesh m = [x: 2, y: 2]\nfn f(a: f32[8@x, 8@x]) = a", )
    first = error.diagnostics[0]
    assert error.slug == first.slug == "axis-used-twice"
    assert (first.severity, first.blame) == ("error", "program")
    assert "`y`" in first.help and "`x`" in first.message
    label = first.labels[0]
    assert (label.file, label.line, label.primary) == ("input", 2, True) and label.text and label.length == 1
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and type(again) is type(error) and again.diagnostics[0].labels[0].line == 2


def test_several_mistakes():
    error = raised(tessera.Session().run, "let a = b\nlet c = d")
    assert [each.labels[0].line for each in error.diagnostics] == [1, 2]
    assert str(error).count("error[") == 2


def test_plans_say_which_text_is_wrong():
    assert raised(tessera.plan, "x:4", "f32[8@x]", "f32[9]").diagnostics
    assert raised(tessera.plan, "x:4", "f32[8@", "f32[8]").diagnostics[0].labels[0].file == "from"
    assert type(raised(lambda: tessera.plan("x:4", "f32[8]", "f32[8@x]", planner="nobody"))) is tessera.CommandError
    with pytest.raises(ValueError, match="a wrong plan"):
        tessera.verify("{}")


def test_what_is_written_as_in_jax_is_told_what_to_write():
    s = tessera.Session()
    s.run("mesh m = [x: 4]\nfn f(a: f32[8@x], b: f32) = a * b")
    a = s.array(np.arange(8, dtype="f4"), "f32[8@x]")
    for wrong, told in [
        (lambda: a + 1, 's.run("let b = a + 2.0")'), (lambda: 2.0 * a, 's.run("let b = 2.0 * a")'), (lambda: a @ a, 's.run("let b = a @ a")'),
        (lambda: a[0], 's.run("let b = a[0]")'), (lambda: list(a), "a.tiles[d]"), (lambda: a.sum(), 's.run("let b = sum(a)")'),
        (lambda: a.T, 's.run("let b = transpose(a)")'), (lambda: a.sharding, "`a.type`"), (lambda: a.addressable_shards, "`a.tiles`"),
        (lambda: a.block_until_ready(), "nothing to wait for"), (lambda: a.item(), "`float(a)`"),
        (lambda: s.array(np.ones((32, 4), "f4")), '"f32[32, 4]" puts all of them on every device, "f32[32@x, 4]" splits'),
        (lambda: s.array(1.5), "s.array(x, type)"), (lambda: s.function("f", ["f32[8@x]", "f32"])(a, b=a), "in their order, f(x, w)"),
        (lambda: tessera.jit, 's.function("f")'), (lambda: tessera.grad, "grad(f, wrt=[w])(x, w)"), (lambda: tessera.array, "s.array(x, "),
        (lambda: tessera.run, "s.run(..)"), (lambda: tessera.zeros, 's.run("let b = zeros(..)")'), (lambda: tessera.P, "part of the type"),
    ]:
        with pytest.raises((TypeError, AttributeError)) as caught:
            wrong()
        assert told in str(caught.value)
    assert not hasattr(a, "nothing") and not hasattr(tessera, "nothing")
    np.testing.assert_array_equal(a + np.ones(8, "f4"), np.arange(1, 9))  # numpy gathers
    np.testing.assert_array_equal(np.asarray([a, a]).shape, (2, 8))


def test_what_a_program_asks_for_is_told_what_to_write():
    """The expressions that the hints name are of the language."""
    s = tessera.Session()
    s.run("mesh m = [x: 4]")
    for written in tessera._hints._WRITTEN.values():
        s["a"] = s.array(np.ones((8, 8), "f4"), "f32[8, 8]")
        s.run(f"let b = {written.replace('8, 4@x', '8, 8@x').replace('[0] =', '[0, 0] =')}")
