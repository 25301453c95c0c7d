"""Commands that never hang, and what came of them."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Done:
    status: int | None  # None: it was ended because its time was over
    out: str
    err: str
    seconds: float

    def first_words(self):
        """The first line that says something, for a table."""
        lines = [line.strip() for line in (self.err + "\n" + self.out).splitlines() if line.strip()]
        return lines[0] if lines else "nothing was said"


RUNNING = set()


def end_all():
    """Ends what still runs."""
    for process in list(RUNNING):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def run(words, seconds, text="", extra=None, interrupt_after=None, folder=None):
    """Runs a command for at most so many seconds, in a group of its own, which is killed after them."""
    begin = time.monotonic()
    environment = {**os.environ, **(extra or {})}
    typed = tempfile.TemporaryFile()
    typed.write(text.encode())
    typed.seek(0)
    try:
        process = subprocess.Popen(words, stdin=typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", env=environment, start_new_session=True, cwd=folder)
    except OSError as error:
        return Done(127, "", str(error), 0.0)
    RUNNING.add(process)
    if interrupt_after is not None:
        time.sleep(interrupt_after)
        begin = time.monotonic()  # what counts is the time from the signal on
        os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=max(seconds, 0.1))
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = None
    RUNNING.discard(process)
    return Done(status, out, err, time.monotonic() - begin)


class Clock:
    """The time that all parts have together."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self, most=float("inf")):
        return max(0.0, min(most, self.end - time.monotonic()))
