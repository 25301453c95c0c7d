"""scripts/gpu-check without a GPU: whatever a command does, it ends in its time, and says in a table what was wrong."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bundle = pathlib.Path(self.folder.name)
        (self.bundle / "bin").mkdir()
        self.out = self.bundle / "out"

    def command(self, name, text):
        path = self.bundle / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def begin(self, seconds, only):
        words = [sys.executable, str(ROOT / "scripts/gpu/check.py"), str(self.bundle), "--out", str(self.out), "--seconds", str(seconds)]
        environment = {**os.environ, "TESSERA_CUDA": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen([*words, "--only", only], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def lines(self):
        return json.loads((self.out / "gpu-check.json").read_text())["table"]

    def test_a_command_that_fails_is_a_line(self):
        self.command("tessera", "echo 'error[no-gpu]: there is none' >&2; exit 3")
        process = self.begin(20, "machine,cases,failures,sanitizer")
        said, wrong = process.communicate(timeout=40)
        self.assertEqual(process.returncode, 1, wrong)
        self.assertIn("there is none", said)
        verdicts = {(line["part"], line["name"]): line["verdict"] for line in self.lines()}
        self.assertEqual(verdicts["machine", "tessera gpu"], "FAIL")
        self.assertEqual(verdicts["failures", "a GPU that there is not"], "ok")
        self.assertEqual(verdicts["cases", "tests/cases"], "skipped")

    def test_a_command_that_hangs_takes_its_time_alone(self):
        self.command("tessera", "sleep 1000")
        begin = time.monotonic()
        process = self.begin(2, "machine,failures,sanitizer")
        said, wrong = process.communicate(timeout=40)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(process.returncode, 1, wrong)
        self.assertIn("failed; all of it in", said)

    def test_what_has_no_time_did_not_fail(self):
        (self.bundle / "examples").mkdir()
        self.command("tessera", "sleep 1000")
        process = self.begin(1.5, "programs")
        process.communicate(timeout=40)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([line["verdict"] for line in self.lines()], ["skipped", "skipped"])

    def test_what_does_not_end_is_ended_with_a_table(self):
        self.command("tessera", "sleep 1000")
        process = self.begin(1000, "machine")
        time.sleep(1.5)
        process.send_signal(signal.SIGTERM)
        said, wrong = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1, wrong)
        self.assertIn("this part was not through", said)
        self.assertIn("1 lines, 1 of them failed", said)


if __name__ == "__main__":
    unittest.main()
