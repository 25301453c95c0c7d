#!/usr/bin/env python3
"""Runs the examples of our documents, so that none of them can go stale.

    run_docs.py TESSERA FILE.md...

In a document these fences are examples (README.md says more):

    ```tessera                     a program that runs and succeeds
    ```tessera error[slug]         a program that fails with this error; also warning[slug] and note[slug]
    ```text                        directly after a program: exactly what it prints
    ```console                     `$ command` lines, each followed by exactly what it prints; `...` stands for any lines
                                   or, within a line, any text
    ```console exit=N              the same, where the last command's exit status is N
    ```session                     lines behind `> ` and `. ` are typed into `tessera` on a terminal; the others are what comes.
                                   A document's sessions are one, until `:quit`
    ```file NAME                   a file that the examples after it find in their folder

Prints one line for each example that does not do what its document says, and fails if there is any."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^( {0,3})```+\s*(.*?)\s*$")
WANTED = re.compile(r"^tessera\s+((error|warning|note)\[[a-z0-9-]+\])$")
FILE = re.compile(r"^file\s+([\w.-]+)$")
EXIT = re.compile(r"^console\s+exit=(\d+)$")
SECONDS_MAX = 60


@dataclass
class Fence:
    """One fenced block: what its opening line says, its text, the line it opens on, and whether it follows another at once."""

    tag: str
    text: str
    line: int
    follows: bool


def fences(document):
    """All fenced blocks of a document, in order."""
    found, opened, body, gap = [], None, [], True
    for number, line in enumerate(document.splitlines(), 1):
        match = FENCE.match(line)
        if opened is None and match:
            opened, body = (number, match.group(2), match.group(1)), []
        elif opened is not None and match and not match.group(2):
            found.append(Fence(opened[1], "".join(body), opened[0], not gap))
            opened, gap = None, False
        elif opened is not None:
            body.append(line.removeprefix(opened[2]) + "\n")
        elif line.strip():
            gap = True
    return found


class Runner:
    """Runs programs and commands in one folder, with `tessera` first on the path and plain output."""

    def __init__(self, tessera, folder):
        self.folder = folder
        self.environment = dict(os.environ, NO_COLOR="1", COLUMNS="100", LC_ALL="C.UTF-8")
        self.environment["XDG_STATE_HOME"] = str(Path(folder) / "state")
        self.environment["PATH"] = f"{Path(tessera).resolve().parent}{os.pathsep}{os.environ['PATH']}"

        self.typist = None  # the session that the document's examples go on with

    def close(self):
        if self.typist is not None:
            self.typist.close()
        self.typist = None

    def run(self, command, merged=False):
        """Exit status, standard output and standard error; with `merged` the two come as one, as on a terminal."""
        error = subprocess.STDOUT if merged else subprocess.PIPE
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=error, timeout=SECONDS_MAX, check=False,
            )
        except subprocess.TimeoutExpired:
            return 124, "", f"took longer than {SECONDS_MAX} s\n"
        return done.returncode, done.stdout.decode("utf-8", "replace"), (done.stderr or b"").decode("utf-8", "replace")


class Typist:
    """`tessera` on a terminal that neither edits nor echoes, so that everything on it is a prompt or an answer."""

    # A prompt's number, which the documents leave out, and the prompt.
    PROMPT = re.compile(r"(?:^|\n)(\d*)([>.] |Enter: next step )$")
    TYPED = re.compile(r"(?:[>.] |Enter: next step)(.*)")

    def __init__(self, runner):
        self.terminal, inside = pty.openpty()
        modes = termios.tcgetattr(inside)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(inside, termios.TCSANOW, modes)
        self.process = subprocess.Popen(["tessera"], cwd=runner.folder, env={**runner.environment, "TERM": "dumb"},
                                        stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
        os.close(inside)
        self.answer()  # the banner

    def answer(self):
        """What comes up to the next prompt, and the prompt; without one if the session ends."""
        text, deadline = "", time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            found = self.PROMPT.search(text)
            if found:
                return text[:found.start(1)], found.group(2)
            ready, _, _ = select.select([self.terminal], [], [], 0.1)
            try:
                data = os.read(self.terminal, 65536) if ready else None
            except OSError:
                data = b""
            if data == b"":
                return text, ""
            text += (data or b"").decode("utf-8", "replace")
        return text + f"took longer than {SECONDS_MAX} s\n", ""

    def enter(self, line):
        os.write(self.terminal, line.encode() + b"\n")
        return self.answer()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines()) or "    (nothing)\n"


def differs(expected, actual):
    return f"should print\n{indented(expected)}  but prints\n{indented(actual)}"


def run_program(runner, fence, output):
    """What is wrong with a ```tessera example, or None. `output` is the ```text after it, if there is one."""
    (Path(runner.folder) / "example.tess").write_text(fence.text, encoding="utf-8")
    status, printed, complaint = runner.run(["tessera", "run", "example.tess"])
    wanted = WANTED.match(fence.tag)
    fails = wanted is not None and wanted.group(2) == "error"
    if fails != (status != 0):
        return f"should {'fail' if fails else 'succeed'}, but its exit status is {status}\n{indented(complaint)}"
    if wanted is not None and wanted.group(1) not in complaint:
        return f"should report {wanted.group(1)}, but reports\n{indented(complaint)}"
    shown = complaint if wanted is not None else printed
    if output is not None and shown != output:
        return differs(output, shown)
    return None


def matches(expected, actual):
    """Equal line by line, where a line `...` of what is expected stands for any lines, and within a line for any text."""
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, actual if actual.endswith("\n") or not actual else actual + "\n") is not None


def commands(text):
    """The commands of a ```console example with what each should print."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1] += line + "\n"
    return found


def run_console(runner, fence):
    """What is wrong with a ```console example, or None."""
    lines = commands(fence.text)
    if not lines:
        return "holds no `$ command` line"
    exit_match = EXIT.match(fence.tag)
    last_status = int(exit_match.group(1)) if exit_match else 0
    for position, (command, expected) in enumerate(lines):
        status, printed, complaint = runner.run(["bash", "-c", command], merged=True)
        wanted = last_status if position == len(lines) - 1 else 0
        if status != wanted:
            return f"`{command}`: exit status {status} instead of {wanted}\n{indented(printed + complaint)}"
        if not matches(expected, printed):
            return f"`{command}` {differs(expected, printed)}"
    return None


def run_session(runner, fence):
    """What is wrong with a ```session example, or None."""
    runner.typist = runner.typist or Typist(runner)
    shown, prompt = "", "> "
    for line in fence.text.splitlines():
        typed = Typist.TYPED.fullmatch(line)
        if prompt and typed:
            shown += (prompt + typed.group(1)).rstrip() + "\n"
            answer, prompt = runner.typist.enter(typed.group(1))
            shown += answer
    if not prompt:
        runner.close()
    return None if matches(fence.text, shown) else differs(fence.text, shown)


def check_fence(runner, fence, following):
    """What is wrong with one block; None also for a block that is no example."""
    if fence.tag == "tessera" or WANTED.match(fence.tag):
        after = following if following is not None and following.tag == "text" and following.follows else None
        return run_program(runner, fence, None if after is None else after.text)
    if FILE.match(fence.tag):
        (Path(runner.folder) / FILE.match(fence.tag).group(1)).write_text(fence.text, encoding="utf-8")
        return None
    if fence.tag == "console" or EXIT.match(fence.tag):
        return run_console(runner, fence)
    if fence.tag == "session":
        return run_session(runner, fence)
    if fence.tag.split(" ")[0] in ("tessera", "console", "session", "file"):
        return f"has a tag that means nothing: {fence.tag}"
    return None


def check_document(tessera, path):
    """Every failure of a document's examples. They share one folder, which starts with our examples/ in it."""
    found = fences(path.read_text(encoding="utf-8"))
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        examples = Path(__file__).resolve().parents[2] / "examples"
        if examples.is_dir():
            shutil.copytree(examples, Path(folder) / "examples")
        runner = Runner(tessera, folder)
        for position, fence in enumerate(found):
            following = found[position + 1] if position + 1 < len(found) else None
            fault = check_fence(runner, fence, following)
            if fault is not None:
                failures.append(f"{path}:{fence.line}: this example {fault}")
        runner.close()
    return failures


def main():
    if len(sys.argv) < 3:
        print("usage: run_docs.py TESSERA FILE.md...", file=sys.stderr)
        return 2
    failures = []
    for name in sys.argv[2:]:
        failures += check_document(sys.argv[1], Path(name))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
