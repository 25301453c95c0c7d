"""Sessions: names, forks, the host's functions and their exceptions, files, limits, threads, a forked child."""

import os
import threading

import numpy as np
import pytest

import tessera


def test_names():
    s = tessera.Session()
    s.run("mesh m = [x: 2]\nlet a = iota(f32[4@x])")
    assert "a" in s and "b" not in s and s.names() == {"a": "f32[4@x]"}
    with pytest.raises(KeyError, match="did you mean `a`"):
        s["aa"]
    with pytest.raises(KeyError):
        s.get("nothing_like_it")
    with pytest.raises(tessera.CommandError, match="cannot be a variable's name"):
        s["let"] = 1


@pytest.mark.parametrize("value, kind", [
    (True, "bool"), (7, "i64"), (-2.5, "f64"), ([1, 2], "i64[2]"), ([[1.5], [2.5]], "f64[2, 1]"), ([True], "bool[1]"),
    (np.float32(2), "f32"), (np.int64(3), "i64"), (np.zeros((2, 0), "f4"), "f32[2, 0]"), (np.arange(3, dtype="f2"), "f16[3]"),
])
def test_numbers_and_lists_are_bound_as_numpy_reads_them(value, kind):
    s = tessera.Session()
    s["v"] = value
    assert s.names() == {"v": kind}
    np.testing.assert_array_equal(np.asarray(s["v"]), np.asarray(value))


def test_what_is_bound_is_a_copy_and_a_scalar_is_known():
    s = tessera.Session()
    mine = np.zeros(3)
    s["v"] = mine
    mine[:] = 9
    assert np.asarray(s["v"]).sum() == 0
    s["n"] = 4
    assert s.run("let z = zeros(f32[n])").bindings[0].type == "f32[4]"
    with pytest.raises(ValueError, match="i64 ends at"):
        s["n"] = 2**63
    other = tessera.Session()
    other["w"] = s["z"]
    assert other.names() == {"w": "f32[4]"}


def test_forks_go_their_own_ways():
    said = []
    s = tessera.Session(output=said.append)
    s.run("mesh m = [x: 2]\nlet a = 1")
    fork = s.fork()
    fork.run("let a = 2\nprint a")
    assert (int(s["a"]), int(fork["a"]), said) == (1, 2, ["2"])
    assert s.meshes() == {"m": {"x": 2}}


STEP = """
fn loss(x: f32[B, D]?, w: f32[D, F]?) -> f32 = sum(x @ w)
auto fn step(x: f32[B, D] auto, w: f32[D, F] auto) -> (f32, f32[D, F] as w) {
  let (l, g) = grad(loss, wrt=[w])(x, w)
  (l, w - 0.5 * g)
}
"""


def test_choices_are_dictionaries_and_the_last_text_s():
    s = tessera.Session()
    s.run("mesh m = [x: 2]\n" + STEP + "let x = ones(f32[8, 4])")
    assert s.choices() == []
    call = "let (l, w) = step(x, ones(f32[4, 2]))"
    checked = s.check(call).choices
    assert s.choices() == []  # nothing of it ran
    report = s.run(call)
    assert report.choices == checked == s.choices()
    (one,) = checked
    assert one["function"] == "step" and one["mesh"] == "x:2" and one["verified"] is True and one["weights"] is None
    types = {value["name"]: value["type"] for value in one["values"]}
    assert types["w"] == one["values"][-1]["type"] and list(types) == ["x", "w", "l", "g", None]
    assert one["bound_seconds"] <= one["seconds"] and len(one["peak_bytes"]) == 2
    checked[0]["function"] = "mine"
    assert s.choices()[0]["function"] == "step"  # a dictionary is the caller's own
    s.function("step", ["f32[16, 4]", "f32[4, 2]"])
    assert s.choices()[0]["values"][0]["type"].startswith("f32[16")
    s.run("let y = x + x")
    assert s.check("let z = x").choices == []


def test_callbacks():
    logged, steps = [], []
    s = tessera.Session(log=logged.append, progress=lambda *now: steps.append(now), reshard="warn")
    s.run("mesh m = [x: 2]\nlet a = iota(f32[8@x, 8]) + iota(f32[8, 8@x])")
    assert steps and all(step <= count for step, count, _ in steps)
    assert [each.severity for each in logged] == ["warning"]
    assert str(logged[0]).startswith("warning[")


@pytest.mark.parametrize("which", ["output", "log", "progress", "files"])
def test_an_exception_of_the_host_s_comes_out_and_nothing_has_changed(which):
    class Mine(Exception):
        pass

    def fail(*_):
        raise Mine("from a callback")

    s = tessera.Session(**{which: fail}, reshard="warn")
    s_before = tessera.Session()
    text = ("mesh m = [x: 2]\nlet a = iota(f32[8@x, 8]) + iota(f32[8, 8@x])\nlet n = 2 + 2\nprint n\n"
            'save(a, "a.npy")\n')
    for _ in range(100):
        with pytest.raises(Mine, match="from a callback"):
            s.run(text)
        assert s.names() == s_before.names() == {}
    assert s.run("let ok = 1") if which not in ("progress",) else True


def test_a_callback_may_read_its_session_and_run_another():
    s = tessera.Session(output=lambda text: seen.append((s.names(), refused())))

    def refused():
        with pytest.raises(tessera.CommandError, match="at work"):
            s.run("let inner = 1")
        other = tessera.Session()
        other.run("let inner = 1")
        return int(other["inner"])

    seen = []
    s.run("let a = 1")
    s.run("print a")
    assert seen == [({"a": "i64"}, 1)]


def test_files(tmp_path):
    program = f'save(iota(f32[4]), "{tmp_path}/a.npy")'
    with pytest.raises(tessera.WorldError) as caught:
        tessera.Session().run(program)
    assert caught.value.slug == "file-not-allowed" and isinstance(caught.value, OSError)
    tessera.Session(files=True).run(program)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.arange(4, dtype="f4"))
    inside = tessera.Session(files=tmp_path)
    inside.run('let a = load("a.npy", f32[_])')
    assert inside["a"].type == "f32[4]"
    with pytest.raises(tessera.WorldError):
        inside.run('let a = load("/etc/passwd", f32[_])')

    opened = []

    def give(name, use):
        opened.append((name, use))
        if name == "no.npy":
            return "not that one"
        file = open(tmp_path / name, "rb" if use == "read" else "wb")
        return file if len(opened) % 2 else os.dup(file.fileno())

    s = tessera.Session(files=give)
    for _ in range(4):
        s.run('let a = load("a.npy", f32[4])')
    with pytest.raises(tessera.WorldError, match="not that one"):
        s.run('let a = load("no.npy", f32[4])')
    assert ("a.npy", "read") in opened


def test_options():
    assert tessera.Session(defines={"n": 3, "t": True}).run("let n = 1\nlet t = false\nlet a = zeros(f32[n])").bindings[-1].type == "f32[3]"
    with pytest.raises(ValueError, match='"silent", "warn" or "error"'):
        tessera.Session(reshard="loud")
    with pytest.raises(TypeError, match="colour"):
        tessera.Session(colour=True)
    with pytest.raises(tessera.CommandError):
        tessera.Session(machine="[{]")
    with pytest.raises(FileNotFoundError):
        tessera.Session(machine="/no/such/machine.json")
    with pytest.raises(TypeError, match="machine is the name of a file"):
        tessera.Session(machine=7)


@pytest.mark.parametrize("limit, text, slug", [
    ({"text_bytes_max": 10}, "let a = 1 + 1 + 1", "bad-call"), ({"nesting_max": 3}, "let a = ((((1))))", "nested-too-deeply"),
    ({"devices_max": 2}, "mesh m = [x: 4]", "too-many-devices"), ({"output_bytes_max": 3}, 'print "12345"', "too-much-output"),
    ({"steps_max": 10}, "let a = loop w = 0.0 for i < 1000 { w + 1.0 }", "too-many-steps"),
    ({"seconds_max": 0.05}, "let a = loop w = 0.0 for i < 1000000000 { w + sum(ones(f32[1000])) }", "over-time"),
    ({"memory_bytes_max": 1 << 20}, "let a = iota(f32[1000000])", "out-of-memory-plan"),
])
def test_limits(limit, text, slug):
    s = tessera.Session(output=print, **limit)
    with pytest.raises(tessera.TesseraError) as caught:
        s.run(text)
    assert caught.value.slug == slug and s.names() == {}
    s.run("let b = 1")


def test_threads_call_one_function_at_once():
    s = tessera.Session()
    s.run("mesh m = [x: 4]\nfn f(a: f32[64@x]) -> f32[64] = a * 2.0")
    f = s.function("f")
    wrong = []

    def work(number):
        x = np.full(64, number, "f4")
        mine = s.fork()
        for _ in range(50):
            if not (np.asarray(f(mine.array(x, "f32[64@x]"))) == 2 * number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_another_thread_is_refused_and_may_stop():
    s = tessera.Session(output=lambda text: began.set())
    began = threading.Event()
    failures = []

    def work():
        try:
            s.run("print 1\nlet a = loop w = 0.0 for i < 1000000000 { w + sum(ones(f32[1000])) }")
        except tessera.TesseraError as error:
            failures.append(error.slug)

    thread = threading.Thread(target=work)
    thread.start()
    assert began.wait(30)
    for refused in (lambda: s.run("let b = 1"), lambda: s["a"], s.names, s.fork):
        with pytest.raises(tessera.CommandError, match=r"s\.fork\(\)"):
            refused()
    s.stop()
    thread.join(30)
    assert failures == ["interrupted"] and s.names() == {}


def test_functions():
    s, other = tessera.Session(), tessera.Session()
    for each in (s, other):
        each.run(f"mesh m = [x: {2 if each is s else 4}]\nfn f(a: f32[8@x]) -> f32[8@x] = a + 1.0\nfn pair(a: f32[n]) = (a, sum(a))")
    f = s.function("f")
    a = s.array(np.zeros(8, "f4"), "f32[8@x]")
    assert (f.name, f.parameters, f.results) == ("f", ["f32[8@x]"], ["f32[8@x]"])
    assert np.asarray(f(a)).tolist() == [1] * 8
    assert repr(f) == "<Function f(f32[8@x]) -> f32[8@x]>"
    s.run("fn of_record(p: {w: f32[4], out: {b: f32}}) -> f32 = sum(p.w) + p.out.b")
    assert repr(s.function("of_record")) == "<Function of_record({w: f32[4], out: {b: f32}}) -> f32>"
    assert repr(tessera.Session()) == "<Session without names>"
    assert repr(other.run("let b = 1")) == "<Report b: i64>" and repr(other) == "<Session b: i64>"
    assert [each.type for each in s.function("pair", ["f32[3]"])(s.array(np.ones(3, "f4"), "f32[3]"))] == ["f32[3]", "f32"]
    with pytest.raises(TypeError, match=r's\.array\(x, "f32\[8@x\]"\)'):
        f(np.zeros(8, "f4"))
    with pytest.raises(tessera.CommandError, match=r"argument 1 of `f` lives on a mesh"):
        f(other.array(np.zeros(8, "f4"), "f32[8@x]"))
    with pytest.raises(tessera.CommandError, match="takes 1 argument, not 0"):
        f()
    with pytest.raises(tessera.CommandError, match="give the types"):
        s.function("pair")
    with pytest.raises(tessera.CommandError, match="there is no function `g`"):
        s.function("g")
    del s
    assert np.asarray(f(a)).tolist() == [1] * 8


RECORDS = """
mesh m = [data: 2]
fn scores(p: {w: f32[D, C], b: f32[C]}, x: f32[N@data, D]) -> f32[N@data, C] = x @ p.w + p.b
fn loss(p: {w: f32[D, C], b: f32[C]}, x: f32[N@data, D], y: f32[N@data, C]) -> f32 = { let d = scores(p, x) - y; mean(d * d) }
fn slopes(p: {w: f32[D, C], b: f32[C]}, x: f32[N@data, D], y: f32[N@data, C]) = grad(loss, wrt=p)(p, x, y)
fn twice(p: {layer: {w: f32[2@data], b: f32}, n: i64}) -> {layer: {w: f32[2@data], b: f32}, n: i64} =
  {layer: {..p.layer, w: p.layer.w * 2.0}, n: p.n + 1}
"""


def test_functions_of_records():
    s = tessera.Session()
    s.run(RECORDS)
    types = {"w": "f32[3, 1]", "b": "f32[1]"}
    f = s.function("slopes", [types, "f32[4@data, 3]", "f32[4@data, 1]"])
    assert f.parameters == [types, "f32[4@data, 3]", "f32[4@data, 1]"]
    slopes = {"w": "f32[3, 1]{+data}", "b": "f32[1]{+data}"}
    assert f.results == ["f32", slopes]
    w, b = np.array([[1.0], [2.0], [3.0]], "f4"), np.array([0.5], "f4")
    x, y = np.arange(12, dtype="f4").reshape(4, 3) / 8, np.ones((4, 1), "f4")
    p = s.array({"b": b, "w": w}, types)
    value, g = f(p, s.array(x, "f32[4@data, 3]"), s.array(y, "f32[4@data, 1]"))
    d = x @ w + b - y
    assert list(g) == ["w", "b"] and float(value) == pytest.approx(float(np.mean(d * d)))
    np.testing.assert_allclose(np.asarray(g["w"]), x.T @ d / 2, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(g["b"]), d.sum(0) / 2, rtol=1e-6)
    assert s.function("slopes", ["{b: f32[1], w: f32[3, 1]}", *f.parameters[1:]]).results == ["f32", slopes]


def test_functions_of_nested_records():
    s = tessera.Session()
    s.run(RECORDS)
    f = s.function("twice")
    assert f.parameters == [{"layer": {"w": "f32[2@data]", "b": "f32"}, "n": "i64"}]
    p = s.array({"n": np.int64(3), "layer": {"b": np.float32(1), "w": np.ones(2, "f4")}}, f.parameters[0])
    once = f(p)
    again = f(once)
    assert np.asarray(again["layer"]["w"]).tolist() == [4, 4] and int(again["n"]) == 5 and float(again["layer"]["b"]) == 1


def test_arguments_that_are_no_record_of_the_function():
    s = tessera.Session()
    s.run(RECORDS + "fn total(a: f32[2]) = sum(a)")
    f = s.function("twice")
    p = s.array({"layer": {"w": np.ones(2, "f4"), "b": np.float32(1)}, "n": np.int64(3)}, f.parameters[0])
    with pytest.raises(TypeError, match=r"a record there: a dict with `layer.w`, `layer.b`, `n`"):
        f(p["n"])
    with pytest.raises(TypeError, match=r"argument 1 of `twice` has no item `layer.b`"):
        f({"layer": {"w": p["layer"]["w"]}, "n": p["n"]})
    with pytest.raises(TypeError, match=r"argument 1 of `twice` has an item `m` that the function does not take"):
        f({**p, "m": p["n"]})
    with pytest.raises(TypeError, match=r'`n` of argument 1 of `twice` is a int: s\.array\(x, "i64"\)'):
        f({**p, "n": 3})
    with pytest.raises(TypeError, match=r"argument 1 of `twice` has a key that is a int"):
        f({**p, 3: p["n"]})
    with pytest.raises(TypeError, match=r"argument 1 of `total` is a dict, and the function takes an array there, f32\[2\]"):
        s.function("total")({"a": p["n"]})
    with pytest.raises(tessera.CommandError, match=r"field `n` of argument 1 of `twice` is i64, not f32"):
        f({**p, "n": p["layer"]["b"]})
    with pytest.raises(tessera.CommandError, match=r"takes 3 arrays, one for each field of its records, not 0"):
        f()
    with pytest.raises(tessera.CommandError, match=r"two fields `w`"):
        s.function("twice", ["{w: f32, w: f32}"])
    with pytest.raises(tessera.ProgramError, match=r"there is no field|has no field|is missing|lacks|`b`"):
        s.function("slopes", [{"w": "f32[3, 1]"}, "f32[4@data, 3]", "f32[4@data, 1]"])
    with pytest.raises(TypeError, match="types is a list"):
        s.function("total", "f32[2]")


def test_names_that_are_records():
    s = tessera.Session(output=print)
    s.run("mesh m = [data: 2]")
    s["p"] = {"w": np.ones((2, 3), "f4"), "layer": {"b": [1, 2], "n": 4}}
    assert s.names() == {"p": "{w: f32[2, 3], layer: {b: i64[2], n: i64}}"} or s.names() == {
        "p": "{layer: {b: i64[2], n: i64}, w: f32[2, 3]}"}
    assert "p" in s and int(s["p"]["layer"]["n"]) == 4 and s["p.w"].shape == (2, 3)
    s.run("let q = {..p, w: p.w * 2.0}")
    assert np.asarray(s["q"]["w"]).sum() == 12
    s["p"] = s["q"]
    assert np.asarray(s["p"]["w"]).sum() == 12
    s["p"] = 3
    assert int(s["p"]) == 3 and "p.w" not in s.names() and list(s.names()) == ["p", "q"]
    with pytest.raises(ValueError, match="has no items"):
        s["r"] = {"w": {}}
    with pytest.raises(tessera.CommandError, match="cannot be the name of a field"):
        s["r"] = {"a b": 1}
    with pytest.raises(TypeError, match="two dicts with the same keys"):
        s.array({"w": np.ones(2, "f4")}, "f32[2]")
    with pytest.raises(TypeError, match="the type has no item `b`"):
        s.array({"b": np.ones(2, "f4")}, {"w": "f32[2]"})
    with pytest.raises(TypeError, match="the dict has no item `b`"):
        s.array({"w": np.ones(2, "f4")}, {"w": "f32[2]", "b": "f32"})


def test_a_forked_child_goes_on():
    s = tessera.Session()
    s.run("mesh m = [x: 4]\nlet a = iota(f32[400000@x])\nfn f(a: f32[400000@x]) -> f32[400000@x] = a * 2.0")
    f = s.function("f")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            s.run("let b = sum(a)")
            os.write(writer, f"{float(s['b']) > 0} {np.asarray(f(s['a']))[1]}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    said = os.read(reader, 100).decode()
    os.waitpid(child, 0)
    assert said == "True 2.0"
    assert float(np.asarray(f(s["a"]))[1]) == 2
