"""Everything that only a GPU can show, as scripts/gpu-check starts it in an unpacked bundle.

    check.py BUNDLE [--out FOLDER] [--gpus LIST] [--only PART,PART] [--seconds N] [--every N]

Goes on where something fails; no command may take longer than its time. A part that does not end is ended some seconds after all
of the time is over, or at SIGTERM, and the table is printed all the same. Exit status 1 where a line of the table fails."""

import argparse
import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import cases
import failures
import figures
import machine
import programs
import sanitizers
from commands import Clock, end_all
from report import Report

# In the order in which they are made, with the time of each where all are.
PARTS = {
    "machine": (machine, 40),
    "programs": (programs, 60),
    "figures": (figures, 150),
    "cases": (cases, 150),
    "failures": (failures, 60),
    "sanitizer": (sanitizers, 80),
}


@dataclass
class Tools:
    bundle: Path
    gpus: str
    workers: int
    emulated: bool  # no card: the driver is the emulated one
    every: int  # only every so many of the cases

    @property
    def tessera(self):
        return str(self.bundle / "bin/tessera")

    @property
    def executable(self):
        """The command itself, which needs `libraries`."""
        return str(self.bundle / "lib/bin/tessera")

    @property
    def libraries(self):
        return str(self.bundle / "lib")

    @property
    def cases(self):
        path = self.bundle / "bin/tessera_cases"
        return str(path) if path.is_file() else None

    @property
    def case_folder(self):
        return str(self.bundle / "tests/cases")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--out", default=os.environ.get("OUT", "gpu-check"))
    parser.add_argument("--gpus", default="0")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--seconds", type=float, default=350)
    parser.add_argument("--every", type=int, default=1)
    return parser.parse_args()


LATE = 5  # seconds


class TimeIsOver(BaseException):
    """Nobody takes it for a failure of one command."""


def is_over(*_):
    raise TimeIsOver


def main():
    asked = arguments()
    signal.signal(signal.SIGALRM, is_over)
    signal.signal(signal.SIGTERM, is_over)
    signal.setitimer(signal.ITIMER_REAL, asked.seconds + LATE)
    clock = Clock(asked.seconds)
    report = Report(asked.out)
    tools = Tools(asked.bundle.resolve(), asked.gpus, max(1, len(os.sched_getaffinity(0))), bool(os.environ.get("TESSERA_CUDA")), asked.every)
    wanted = [name for name in PARTS if name in asked.only.split(",")]
    for name in wanted:
        part, seconds = PARTS[name]
        begin = time.monotonic()
        try:
            # A part alone may take all the time.
            part.add(report, tools, Clock(clock.left(seconds if len(wanted) > 1 else asked.seconds)))
        except TimeIsOver:
            report.line(name, "the script itself", "FAIL", "the time is over, and this part was not through")
            break
        except Exception:  # noqa: BLE001  (the other parts are made all the same)
            report.keep(f"{name}-fault.txt", traceback.format_exc())
            report.line(name, "the script itself", "FAIL", traceback.format_exc().strip().splitlines()[-1])
        report.figures.setdefault("seconds", {})[name] = round(time.monotonic() - begin, 1)
        report.save()
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(report.table())
    report.keep("gpu-check.txt", report.table() + "\n")
    end_all()
    return 1 if any(row[2] == "FAIL" for row in report.rows) else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # threads may wait for commands that have no time left
