"""A pseudo-terminal with `tessera` in it: what is typed, and what comes up on the screen."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

SECONDS_MAX = 60
# Said when a text is about to be typed, and once it has been entered: a line that is drawn anew has its prompt, too, and
# what is read may end in it.
TYPING, ENTERED = "\x1b[?2004h", "\x1b[?2004l"
TAB, ERASE_LINE = "\t", "\x15"
GOES_ON = re.compile(r"\n\d+\. +$")
# Sequences that move the cursor, erase or colour.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z~]|\x1b[=>78M]|\x1b\([A-Z0-9]|\x07|\x0f")


def plain(text):
    """The text without escape sequences, with plain line ends. What is written over again counts once."""
    lines = ESCAPES.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(line[line.rfind("\r") + 1:] for line in lines)


class Terminal:
    """`tessera` on a terminal of its own. `case` is the test, whose folder and environment it gets."""

    def __init__(self, case, *arguments, columns=100, rows=30, echo=True, **environment):
        self.descriptor, inside = pty.openpty()
        self.resize(columns, rows)
        if not echo:
            modes = termios.tcgetattr(inside)
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(inside, termios.TCSANOW, modes)
        self.process = subprocess.Popen(
            [case.executable, *arguments], stdin=inside, stdout=inside, stderr=inside, cwd=case.folder,
            env={**case.environment, **environment}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(inside)
        self.edits = environment.get("TERM", "xterm") not in ("dumb", "")  # or the terminal itself does, line by line
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a letter may come in two pieces
        self.text = ""  # all that came, escape sequences too
        self.seen = 0   # how much of it the test has looked at
        case.addCleanup(self.close)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.descriptor)

    def resize(self, columns, rows=30):
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        data = keys if isinstance(keys, bytes) else keys.encode()
        while data:
            data = data[os.write(self.descriptor, data):]

    def read(self, seconds):
        """Whether something came within so many seconds."""
        ready, _, _ = select.select([self.descriptor], [], [], max(0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            return False  # the process has gone
        self.text += self.decoder.decode(data)
        return bool(data)

    def until(self, wanted, seconds=SECONDS_MAX, typing=False):
        """What came since the last call, without escapes, once that matches the regular expression; with `typing`,
        only once another text, or another line of this one, is asked for: a line that is entered is drawn a last time,
        with its prompt, and what has been read may end there."""
        deadline = time.monotonic() + seconds
        while True:
            fresh = plain(self.text[self.seen:])
            if re.search(wanted, fresh, re.DOTALL) and (not typing or GOES_ON.search(fresh) or self.asks()):
                self.seen = len(self.text)
                return fresh
            # The last words of a process that has ended are still to be read.
            if not self.read(deadline - time.monotonic()):
                raise AssertionError(f"no {wanted!r} came, but\n{fresh}")

    def asks(self):
        """Whether another text has been asked for since the last call of until()."""
        if not self.edits:
            return True
        began = self.text.rfind(TYPING, self.seen)
        return began >= 0 and began > self.text.rfind(ENTERED)

    def prompt(self, seconds=SECONDS_MAX):
        """What came up to the next prompt."""
        return self.until(r"(?:^|\n)\d+> $", seconds, typing=True)

    def answer(self, line, seconds=SECONDS_MAX):
        """Types a line; what came up to the next prompt, without the line itself and the prompt."""
        self.type(line + "\r")
        text = self.until(r"\n(?:.*\n)?\d+> $", seconds, typing=True)
        return re.sub(r"\d+> $", "", text[text.index("\n") + 1:])

    def enter(self, line):
        """Types a line, and waits until it is taken, not until it is answered."""
        self.type(line + "\r")
        while ENTERED not in self.text[self.seen:]:
            assert self.read(SECONDS_MAX), f"{line!r} is not taken, but\n{self.text[self.seen:]}"

    def interrupt(self):
        self.type(b"\x03")

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def leave(self):
        """Ctrl-D; gives the exit status."""
        self.type(b"\x04")
        return self.ended()

    def ended(self):
        deadline = time.monotonic() + SECONDS_MAX
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        return self.process.wait(1)


def complete_names(case, terminal):
    """Names of a session are completed: one that is alone, several that begin alike, an axis of the mesh."""
    terminal.answer("mesh m = [rows: 2]")
    terminal.answer("let softness = 3")
    case.assertEqual(terminal.answer("softn" + TAB), "3\n")
    terminal.type("sof" + TAB)
    terminal.until(r"t$")
    terminal.type(TAB)
    terminal.until(r"\nsoftmax\( *softness\n\d+> soft$")
    terminal.type(ERASE_LINE)
    terminal.until(r"> $")
    case.assertEqual(terminal.answer("print sum(iota(f32[4@ro" + TAB + "]))"), "6.0\n")


STOP, CONTINUE = signal.SIGTSTP, signal.SIGCONT
