"""How long importing, calls and arrays take. The times of docs/python.md's promises, three times as wide: others may be at work. The
times of a processor are the least of many."""

import subprocess
import sys
import time

import numpy as np
import test_interrupts as interrupts

import tessera


def least_seconds(work, times=7, turns=1):
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        for _ in range(turns):
            work()
        best = min(best, (time.process_time() - begin) / turns)
    return best


def test_importing():
    program = "import time; b = time.process_time(); import tessera; print(time.process_time() - b)"
    took = min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout) for _ in range(7))
    print(f"import {1e3 * took:.1f} ms")
    assert took < 0.075


def test_a_call_and_arrays():
    s = tessera.Session()
    s.run("mesh m = [x: 4]\nfn f(a: f32[8@x]) -> f32[8@x] = a * 2.0")
    f = s.function("f")
    x = np.ones(8, "f4")
    a = s.array(x, "f32[8@x]")
    big = np.ones((4096, 1024), "f4")
    call = least_seconds(lambda: f(a), turns=2000)
    borrowing = least_seconds(lambda: s.array(x, "f32[8@x]"), turns=500)
    tile = least_seconds(lambda: a.tile(1), turns=500)
    split = s.array(big, "f32[4096@x, 1024]")
    gathering, copying = least_seconds(lambda: np.asarray(split)), least_seconds(big.copy)
    print(f"call {1e6 * call:.1f} us, borrowing {1e6 * borrowing:.1f} us, tile {1e6 * tile:.1f} us, "
          f"gathering {1e3 * gathering:.2f} ms, numpy's copy {1e3 * copying:.2f} ms")
    assert call < 60e-6 and borrowing < 300e-6 and tile < 300e-6
    assert gathering < 3 * copying + 1e-3


def test_ctrl_c_within_a_fifth_of_a_second():
    s = interrupts.prepared()
    long = s.function("long")
    s["n"] = 10**9
    forever = s["n"]

    def plans():
        while True:
            tessera.plan(*interrupts.PLAN, machine=interrupts.MACHINE)

    for what, work in (("run", lambda: s.run(interrupts.LONG)), ("call", lambda: long(forever)), ("plan", plans)):
        took = min(interrupts.interrupted_after(work) for _ in range(5))
        print(f"Ctrl-C in a {what}: {1e3 * took:.1f} ms")
        assert took < 0.2, what
