"""All of tests/cases on GPUs, names equal to the bit: in some processes at once, going on behind one that ends."""

import re
import threading
from collections import Counter
from queue import Empty, Queue

from commands import run

AT_ONCE = 8  # processes on a card
TOGETHER = 30  # cases in a process
SECONDS = 90  # of a process


def listed(tools, seconds):
    """`suite.name` of every case."""
    said = run([tools.cases, "--folder", tools.case_folder, "--gtest_list_tests"], seconds)
    names, suite = [], ""
    for line in said.out.splitlines():
        if re.match(r"^\w+\.", line):
            suite = line.split()[0]
        elif line.startswith("  "):
            names.append(suite + line.split()[0])
    return names


class Outcomes:
    """What has come of each case, from what GoogleTest writes."""

    def __init__(self):
        self.of = {}
        self.said = {}
        self.on_host = Counter()
        self.lock = threading.Lock()

    def take(self, out):
        """Gives the case that had begun and not ended."""
        running, words = None, []
        with self.lock:
            for line in out.splitlines():
                if match := re.match(r"\[ RUN      \] (\S+)", line):
                    running, words = match.group(1), []
                elif match := re.match(r"\[ *(OK|FAILED|SKIPPED) *\] (\S+?),? ", line + " "):
                    if running == match.group(2):
                        self.end(running, match.group(1), words)
                        running = None
                elif match := re.match(r"on the host: (.*)", line):
                    for step in match.group(1).split(", "):
                        name, count = step.rsplit(" ", 1)
                        self.on_host[name] += int(count)
                else:
                    words.append(line)
        return running

    def end(self, name, verdict, words):
        text = "\n".join(words)
        if verdict == "OK":
            self.of[name] = "equal"
        elif verdict == "SKIPPED":
            self.of[name] = "nothing to run"
        else:
            self.of[name] = "failed" if "; there: [" in text or "internal" in text else "different"
            self.said[name] = text[:600]


def _work(tools, clock, gpus, queue, outcomes):
    while clock.left() > 2:
        try:
            names = queue.get_nowait()
        except Empty:
            return
        words = [tools.cases, "--folder", tools.case_folder, "--gpu", gpus, "--gtest_brief=0", "--gtest_color=no",
                 f"--gtest_filter={':'.join(names)}"]
        done = run(words, clock.left(SECONDS))
        running = outcomes.take(done.out)
        if running is not None and clock.left() > 2:
            with outcomes.lock:
                outcomes.of[running] = "hung" if done.status is None else "crashed"
                outcomes.said[running] = f"status {done.status}: {done.err[-400:]}"
        elif running is None and not any(name in outcomes.of for name in names):
            with outcomes.lock:
                outcomes.said["(none ran)"] = done.first_words()
            return
        rest = [name for name in names if name not in outcomes.of]
        if rest:
            queue.put(rest)


def _add(report, tools, clock, gpus, names):
    queue, outcomes = Queue(), Outcomes()
    for at in range(0, len(names), TOGETHER):
        queue.put(names[at:at + TOGETHER])
    threads = [threading.Thread(target=_work, args=(tools, clock, gpus, queue, outcomes))
               for _ in range(min(AT_ONCE, tools.workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = Counter(outcomes.of.values())
    bad = {name: verdict for name, verdict in sorted(outcomes.of.items()) if verdict not in ("equal", "nothing to run")}
    missing = len(names) - len(outcomes.of)
    report.figure(f"cases --gpu {gpus}", {"counts": counts, "bad": bad, "said": outcomes.said,
                                          "on the host": outcomes.on_host, "not reached": missing})
    detail = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    if missing:
        detail += f", {missing} not reached"
    if "(none ran)" in outcomes.said:
        detail += ": " + outcomes.said["(none ran)"]
    is_untried = not outcomes.of and "(none ran)" not in outcomes.said
    verdict = "skipped" if is_untried else "ok" if not bad and counts["equal"] else "FAIL"
    report.line("cases", f"--gpu {gpus}", verdict, detail)
    for name, verdict in list(bad.items())[:4]:
        report.line("cases", f"  {name}"[-34:], verdict, outcomes.said.get(name, ""))
    if outcomes.on_host:
        told = ", ".join(f"{name} {count}" for name, count in outcomes.on_host.most_common(12))
        report.line("cases", "  steps on the host", sum(outcomes.on_host.values()), told)


def add(report, tools, clock):
    if tools.cases is None:
        report.line("cases", "tests/cases", "skipped", "the bundle has no tessera_cases")
        return
    names = listed(tools, clock.left(30))
    if tools.every > 1:
        names = names[::tools.every]
    _add(report, tools, clock, tools.gpus, names)
    twice = f"{tools.gpus},{tools.gpus}"
    if tools.gpus.isdigit() and clock.left() > 45:
        _add(report, tools, clock, twice, names)
    else:
        report.line("cases", f"--gpu {twice}", "skipped", "no time is left")
