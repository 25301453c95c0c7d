"""Ctrl-C ends a run, a call and a plan at once, and names are as they were; a host's handler keeps its meaning."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import tessera

LONG = "let a = loop w = 0.0 for i < 1000000000 { w + sum(ones(f32[1000])) }"
# Of the wall's clock: the machine may be busy with others.
SECONDS_MAX = 2.0
PLAN = ("a:16,b:32", "f32[4001@a,1024,8@b]", "f32[4001,1024@(b,a),8]")
MACHINE = [{"name": f"l{i}", "count": 4 if i < 3 else 8, "bandwidth": 1e9 * 4**i, "latency": 1e-5 / 4**i} for i in range(4)]


def interrupted_after(work, seconds=0.2):
    """How long the work went on after the signal."""
    sent = []

    def send():
        time.sleep(seconds)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        work()
        time.sleep(10)
    took = time.monotonic() - sent[0]
    sender.join()
    return took


def prepared():
    s = tessera.Session()
    s.run("mesh m = [x: 2]\nlet kept = 1\nfn long(n: i64) -> f32 = loop w = 0.0 for i < n { w + sum(ones(f32[1000])) }")
    return s


def test_a_run():
    s = prepared()
    for _ in range(3):
        assert interrupted_after(lambda: s.run(LONG)) < SECONDS_MAX
        assert s.names() == {"kept": "i64"}
    s.run("let b = 1")


def test_a_call_and_the_function_lives_on():
    s = prepared()
    long = s.function("long")
    s["n"] = 10**9
    forever = s["n"]
    s["n"] = 1
    for _ in range(3):
        assert interrupted_after(lambda: long(forever)) < SECONDS_MAX
        assert float(long(s["n"])) == 1000


def test_a_plan():
    def plans():
        while True:
            tessera.plan(*PLAN, machine=MACHINE)

    assert interrupted_after(plans) < SECONDS_MAX


def test_a_callback_is_interrupted_as_python_is():
    s = tessera.Session(output=lambda text: time.sleep(20))
    assert interrupted_after(lambda: s.run("let c = 1\nprint c")) < SECONDS_MAX
    assert s.names() == {}


def test_a_handler_of_the_host_s_keeps_its_meaning():
    s, seen = prepared(), []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(tessera.WorldError) as caught:
            s.run(LONG)
        assert caught.value.slug == "interrupted" and seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted_after(lambda: s.run(LONG)) < SECONDS_MAX


def test_nested_work():
    inner = prepared()
    outer = tessera.Session(output=lambda text: inner.run(LONG))
    assert interrupted_after(lambda: outer.run("print 1")) < SECONDS_MAX
    assert interrupted_after(lambda: inner.run(LONG)) < SECONDS_MAX


def test_without_a_handler_the_process_ends_as_others_do():
    program = ("import signal, tessera\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
               f"print('ready', flush=True)\ntessera.Session().run({LONG!r})")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == -signal.SIGINT


def test_work_on_another_thread_goes_on():
    s, failures = prepared(), []

    def work():
        try:
            s.run(LONG)
        except tessera.TesseraError as error:
            failures.append(error.slug)

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    assert failures == []
    s.stop()
    thread.join(30)
    assert failures == ["interrupted"]
