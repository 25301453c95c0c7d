"""The kernel, by jupyter_kernel_test's suite and by what is its own."""

import os
import subprocess
import sys
import tempfile
import unittest

import pytest

jupyter_kernel_test = pytest.importorskip("jupyter_kernel_test")
pytest.importorskip("ipykernel")

FOLDER = tempfile.mkdtemp(prefix="tessera-kernel-")
subprocess.run([sys.executable, "-m", "tessera.kernel", "install", "--prefix", FOLDER], check=True, capture_output=True)
os.environ["JUPYTER_PATH"] = f"{FOLDER}/share/jupyter"


class Kernel(jupyter_kernel_test.KernelTests):
    kernel_name = "tessera"
    language_name = "tessera"
    file_extension = ".tess"
    code_hello_world = 'print "hello, world"'
    code_generate_error = "let a = nobody"
    code_execute_result = [{"code": "1 + 2", "result": "3"}, {"code": "let k = 2\nk * 3", "result": "6"}]
    complete_code_samples = ["let a = 1", "fn f(x: f32) = x", ":help", "print 1"]
    incomplete_code_samples = ["fn f(x: f32) {", "let a = (1 +", "let a ="]
    invalid_code_samples = ["let let = 1", "1 + + )"]
    completion_samples = [{"text": "cumsu", "matches": {"cumsum"}}, {"text": ":ex", "matches": {":explain"}}]
    code_inspect_sample = "cumsum"
    code_page_something = None

    def replies(self, code):
        """The reply and the messages of a cell: (kind, content). A cell that fails aborts none that is asked for at once."""
        reply, messages = self.execute_helper(code=code, stop_on_error=False)
        return reply["content"], [(message["msg_type"], message["content"]) for message in messages]

    def text(self, code):
        return "".join(content["text"] for kind, content in self.replies(code)[1] if kind == "stream")

    def test_a_cell_is_all_or_nothing(self):
        self.flush_channels()
        reply, messages = self.replies("let good = 1\nlet bad = nobody")
        self.assertEqual((reply["status"], reply["ename"]), ("error", "unknown-name"))
        self.assertIn("error[unknown-name]", reply["evalue"])
        self.assertIn("cell ", reply["evalue"])
        self.assertIn("error", [kind for kind, _ in messages])
        self.assertEqual(self.replies("good")[0]["status"], "error")

    def test_half_a_program_says_what_is_missing(self):
        self.flush_channels()
        reply, _ = self.replies("fn f(x: f32) {")
        self.assertEqual(reply["status"], "error")
        self.assertRegex(reply["evalue"], r"error\[[a-z-]+\]: .*")
        self.assertIn("cell ", reply["evalue"])

    def test_only_the_last_line_s_value_is_the_result(self):
        self.flush_channels()
        _, messages = self.replies("mesh m = [x: 2]\n7\nprint 8\niota(f32[4@x])")
        kinds = [kind for kind, _ in messages if kind in ("stream", "execute_result")]
        streams = "".join(content["text"] for kind, content in messages if kind == "stream")
        result = next(content for kind, content in messages if kind == "execute_result")
        self.assertEqual(streams, "7\n8\n")
        self.assertEqual(kinds[-1], "execute_result")
        self.assertEqual(set(result["data"]), {"text/plain", "image/svg+xml", "text/html"})
        self.assertIn("<svg", result["data"]["image/svg+xml"])
        _, messages = self.replies("iota(f32[4])\nlet after = 1")
        self.assertNotIn("execute_result", [kind for kind, _ in messages])
        self.assertIn("3.", "".join(content["text"] for kind, content in messages if kind == "stream"))

    def test_plans_are_shown_beside_their_text(self):
        self.flush_channels()
        _, messages = self.replies("mesh m = [x: 4]\nlet a = iota(f32[8@x, 8])\nplan a as [8, 8@x]")
        shown = [content for kind, content in messages if kind == "display_data"]
        self.assertEqual(len(shown), 1)
        self.assertIn("all_to_all", shown[0]["data"]["text/html"])
        self.assertIn("all_to_all", "".join(content["text"] for kind, content in messages if kind == "stream"))

    def test_commands(self):
        self.flush_channels()
        self.replies("mesh m = [x: 4]\nlet a = iota(f32[8@x, 8])")
        self.assertEqual(self.text(":type a @ a"), "f32[8@x, 8]\n")
        self.assertIn("rejected", self.text(":why a + iota(f32[8, 8@x])"))
        _, messages = self.replies(":plan a as [8, 8@x]")
        self.assertIn("display_data", [kind for kind, _ in messages])
        self.assertEqual(self.text(":plan a"), "nothing moves\n")
        _, messages = self.replies(":explain axis-used-twice")
        self.assertIn("text/markdown", next(content["data"] for kind, content in messages if kind == "display_data"))
        self.assertIn("cumsum(a, dim)", self.text(":help cumsum"))
        self.assertIn(":why", self.text(":help"))
        self.assertIn("a terminal", self.text(":step a"))
        self.assertIn("EXPRESSION", self.text(":type"))
        self.assertEqual(self.replies(":type nobody")[0]["ename"], "unknown-name")

    def test_completion_knows_names_and_axes(self):
        self.flush_channels()
        self.replies("mesh m = [rows: 2, columns: 2]\nlet weights = 1\nfn widen(a: f32) = a")

        def matches(code):
            message = self.kc.complete(code)
            return self.get_non_kernel_info_reply_of(message) if hasattr(self, "get_non_kernel_info_reply_of") else self._reply(message)

        self.assertEqual(matches("let a = wei"), ["weights"])
        self.assertIn("widen", matches("wid"))
        self.assertEqual(matches("iota(f32[4@"), ["columns", "rows"])
        self.assertEqual(matches("iota(f32[4@(rows, c"), ["columns"])
        self.assertIn("let", matches("le"))

    def _reply(self, message):
        while True:
            reply = self.kc.get_shell_msg(timeout=20)
            if reply["parent_header"].get("msg_id") == message:
                return reply["content"]["matches"]

    def test_an_interrupt_leaves_the_session_as_it_was(self):
        self.flush_channels()
        self.replies("let kept = 1")
        self.kc.execute("let kept = 2\nlet a = loop w = 0.0 for i < 1000000000 { w + sum(ones(f32[1000])) }",
                        stop_on_error=False)
        import time

        time.sleep(0.7)
        self.km.interrupt_kernel()
        reply = self.kc.get_shell_msg(timeout=20)["content"]
        self.assertEqual((reply["status"], reply["ename"]), ("error", "interrupted"))
        self.flush_channels()
        _, messages = self.replies("kept")
        self.assertEqual(next(content for kind, content in messages if kind == "execute_result")["data"]["text/plain"], "1")


if __name__ == "__main__":
    unittest.main()
