"""Neovim without a screen and with the module of editors/neovim: messages and hints of all examples, and of a mistake.

test_neovim.py PATH/TO/tessera; 77: there is no Neovim."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import client

SCRIPT = """
local out = {{}}
vim.opt.runtimepath:append("{root}/editors/neovim")
require("tessera").setup({{ command = {{ "{executable}", "lsp" }}, root = "{folder}" }})
for _, path in ipairs(vim.fn.argv()) do
  vim.cmd("edit " .. path)
  local buffer = vim.api.nvim_get_current_buf()
  local space = vim.api.nvim_create_namespace("tessera-hints")
  vim.wait(20000, function()
    return #vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {{}}) > 0
  end, 20)
  local hints = {{}}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {{ details = true }})) do
    local text = ""
    for _, part in ipairs(mark[4].virt_text) do text = text .. part[1] end
    table.insert(hints, {{ mark[2], text }})
  end
  local told = {{}}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do table.insert(told, {{ one.lnum, one.col, one.message }}) end
  table.insert(out, {{ path = path, hints = hints, told = told }})
end
vim.fn.writefile({{ vim.fn.json_encode(out) }}, "{folder}/out.json")
vim.cmd("qall!")
"""


class Neovim(unittest.TestCase):
    executable = ""

    def run_on(self, paths):
        with tempfile.TemporaryDirectory(prefix="tessera_neovim_") as folder:
            script = Path(folder) / "script.lua"
            script.write_text(SCRIPT.format(root=client.ROOT, executable=self.executable, folder=folder), encoding="utf-8")
            command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", *map(str, paths), "-c", f"luafile {script}"]
            subprocess.run(command, check=True, timeout=400, capture_output=True)
            return json.loads((Path(folder) / "out.json").read_text(encoding="utf-8"))

    def test_examples_have_the_hints_of_the_server(self):
        paths = [client.ROOT / name for name, _ in client.examples()]
        with client.Client(self.executable) as server:
            for one, (name, text) in zip(self.run_on(paths), client.examples(), strict=True):
                with self.subTest(example=name):
                    uri = (client.ROOT / name).as_uri()
                    self.assertEqual(server.open(uri, text), [])
                    self.assertEqual(one["told"], [])
                    expected = {}
                    for hint in server.hints(uri):
                        line = hint["position"]["line"]
                        expected[line] = expected.get(line, "") + hint["label"] + "  "
                    self.assertEqual({line: text for line, text in one["hints"]}, expected)

    def test_a_mistake_is_told(self):
        with tempfile.TemporaryDirectory(prefix="tessera_neovim_") as folder:
            path = Path(folder) / "wrong.tess"
            path.write_text("let abc = 1\nlet b = abd + abc\nlet c = abc\n", encoding="utf-8")
            (one,) = self.run_on([path])
            self.assertEqual(one["told"], [[1, 8, "there is no variable `abd` here\nhelp: did you mean `abc`?"]])


if __name__ == "__main__":
    if shutil.which("nvim") is None:
        print("skipped: there is no Neovim; scripts/setup test installs it on Debian")
        sys.exit(77)
    Neovim.executable = sys.argv.pop(1)
    unittest.main()
