"""Nothing is kept of what is over: calls, sessions, exceptions out of callbacks, cycles. The process ends in silence."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import tessera


def resident_bytes():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def grown(work, times):
    """How much the process has grown over so many turns, after as many that fill what is kept for the next one."""
    for _ in range(times):
        work()
    before = resident_bytes()
    for _ in range(times):
        work()
    return resident_bytes() - before


PROGRAM = "mesh m = [x: 4]\nfn f(a: f32[64@x, 16]) -> f32[64, 16@x] = a + 1.0"


def test_ten_thousand_calls():
    s = tessera.Session()
    s.run(PROGRAM)
    f = s.function("f")
    x = np.zeros((64, 16), "f4")

    def call():
        np.asarray(f(s.array(x, "f32[64@x, 16]")))
        f(s.array(x, "f32[64@x, 16]", copy=True)).tiles

    before = sys.getrefcount(x)
    assert grown(call, 5000) < 4 << 20
    assert sys.getrefcount(x) == before


def test_a_thousand_sessions():
    def session():
        s = tessera.Session(output=lambda text: None, progress=lambda *now: None)
        s.run(PROGRAM + "\nlet a = iota(f32[64@x, 16])\nprint 1")
        s.fork()["a"].tiles

    assert grown(session, 500) < 8 << 20


def test_a_hundred_exceptions_out_of_callbacks():
    class Mine(Exception):
        pass

    def fail(text):
        raise Mine(bytearray(1 << 20))

    s = tessera.Session(output=fail)

    def failing():
        with pytest.raises(Mine):
            s.run("print 1")

    assert grown(failing, 100) < 20 << 20


@pytest.mark.parametrize("also", ["session", "function", "fork"])
def test_cycles_through_callbacks_are_collected(also):
    class Host:
        def __init__(self):
            self.session = tessera.Session(output=self.write)
            self.session.run(PROGRAM)
            self.function = self.session.function("f") if also == "function" else None
            self.fork = self.session.fork() if also == "fork" else None

        def write(self, text):
            pass

    gone = weakref.ref(Host())
    gc.collect()
    assert gone() is None


def test_a_function_keeps_the_callbacks_that_it_needs():
    said = []
    s = tessera.Session(output=lambda text: said.append(text))
    s.run("fn f(a: i64) { print a\n a }")
    f = s.function("f")
    s["n"] = 3
    n = s["n"]
    del s
    gc.collect()
    f(n)
    assert said == ["3"]


@pytest.mark.parametrize("ending", ["", "import os; os.kill(os.getpid(), 2)", "raise SystemExit(0)", "1 / 0", "del s", "import gc; gc.disable()"])
def test_the_process_ends_in_silence(ending):
    program = ("import tessera, numpy as np\n"
               "s = tessera.Session(output=print, progress=lambda *now: None)\n"
               f"s.run({PROGRAM!r})\n"
               "x = np.zeros((64, 16), 'f4')\nf = s.function('f')\na = s.array(x, 'f32[64@x, 16]')\nb = f(a)\nt = b.tile(1)\n"
               "p = tessera.plan('x:4', 'f32[8@x]', 'f32[8]')\nmoment = p.moment(0)\n") + ending
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert "nanobind" not in done.stderr and "leak" not in done.stderr
    if "kill" in ending:
        assert "KeyboardInterrupt" in done.stderr
    elif "1 / 0" in ending:
        assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
