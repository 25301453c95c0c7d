"""What goes wrong in a way that is meant: each ends soon, with the right words and status, and nothing hangs."""

from commands import run

LONG = "let s = loop s = iota(f32[4096]) for i < 100_000_000 { relu(s * 0.5 + 1.0) }\nprint sum(s)\n"
LONG_SUMS = "let s = loop s = ones(f32[4096, 4096]) for i < 100_000_000 { s * 0.5 + sum(s, dim=1) }\nprint sum(s)\n"
INDEX = "let i = iota(i64[4]) * 3\nlet t = iota(f32[5])\nprint take(t, i)\n"


def add(report, tools, clock):
    # The emulated driver's compiler is the host's, which takes its time and ends at Ctrl-C, too.
    patience, until = (8, 25) if tools.emulated else (1, 4)

    def on_gpu(words, text, seconds=30, **more):
        seconds *= patience
        return run([tools.tessera, "run", "--gpu", tools.gpus, *words, "-"], clock.left(seconds), text, **more)

    def expect(name, done, status, words):
        """Ends with this status and says these words."""
        if done.status is None and clock.left() < 1:
            report.line("failures", name, "skipped", "no time is left")
            return
        right = done.status == status and words in done.err + done.out
        report.line("failures", name, "ok" if right else "FAIL", f"exit {done.status} in {done.seconds:.1f} s: {done.first_words()}")

    expect("larger than the card", on_gpu([], "print sum(ones(f32[1000000, 1000000]))\n"), 3, "[out-of-memory-plan]")
    expect("larger than --gpu-memory", on_gpu(["--gpu-memory", "1MiB"], "print sum(iota(f32[1000000]) * 2.0)\n"), 3,
           "[out-of-memory-plan]")
    expect("room beside arrays", on_gpu(["--gpu-memory", "64MiB"], "print sort(random(f32[4000000], 1), 0)[0]\n"), 3,
           "for what steps need beside them")
    expect("a GPU that there is not", run([tools.tessera, "run", "--gpu", "99", "-"], clock.left(30), "print 1\n"), 3, "[no-gpu]")
    expect("no driver", run([tools.tessera, "run", "--gpu", "-"], clock.left(30), "print 1\n",
                            {"CUDA_VISIBLE_DEVICES": "-1"}) if not tools.emulated else
           run([tools.tessera, "run", "--gpu", "0", "-"], clock.left(30), "print 1\n", {"TESSERA_CUDA": "/nowhere"}), 3, "[no-gpu]")
    expect("--throttle with --gpu", on_gpu(["--throttle"], "print 1\n"), 2, "--throttle")
    expect("an index out of range", on_gpu([], INDEX), 1, "[index-out-of-range]")
    session = run([tools.tessera, "--gpu", tools.gpus], clock.left(30 * patience), INDEX + "let b = t + 1.0\nsum(b)\n")
    verdict = "ok" if "15.0" in session.out else "skipped" if clock.left() < 1 else "FAIL"
    report.line("failures", "a session goes on after it", verdict, session.out.strip().replace("\n", " | "))
    for name, text in (("Ctrl-C amid small steps", LONG), ("Ctrl-C amid large steps", LONG_SUMS)):
        if clock.left() < until + 5:
            report.line("failures", name, "skipped", "no time is left")
            continue
        expect(name, on_gpu([], text, 15, interrupt_after=until), 3, "[interrupted]")
