"""The grammar for highlighting, by vscode-textmate, beside the server's own tokens: of all examples.

test_grammar.py PATH/TO/tessera FOLDER; 77: npm cannot fetch vscode-textmate."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

import client
import npm

TYPES = ("keyword", "type", "variable", "parameter", "function", "operation", "mesh", "axis", "string", "number", "comment")
# The scope that each of the server's tokens has; a grammar cannot tell variables from parameters, or axes in arguments.
SCOPES = {
    "keyword": {"keyword.other"},
    "type": {"storage.type"},
    "variable": {"variable.other"},
    "parameter": {"variable.other"},
    "function": {"entity.name.function", "support.function", "variable.other"},  # `grad(f)`
    "operation": {"support.function"},
    "mesh": {"entity.name.type", "variable.other"},  # behind `on`
    "axis": {"entity.other.attribute-name", "variable.other"},
    "string": {"string.quoted", "constant.character"},
    "number": {"constant.numeric"},
    "comment": {"comment.line"},
}


def decoded(data):
    """(line, begin, end, type) of the protocol's numbers."""
    line = begin = 0
    for at in range(0, len(data), 5):
        lines, units, length, kind, _ = data[at : at + 5]
        begin = units if lines else begin + units
        line += lines
        yield line, begin, begin + length, TYPES[kind]


class Grammar(unittest.TestCase):
    executable = folder = ""

    def test_examples(self):
        modules = npm.packages(self.folder, "vscode-textmate@9.0.0", "vscode-oniguruma@2.0.1")
        paths = [client.ROOT / name for name, _ in client.examples()]
        script = Path(__file__).with_name("tokens.js")
        grammar = client.ROOT / "editors/tessera.tmLanguage.json"
        done = subprocess.run(["node", script, modules, grammar, *paths], capture_output=True, check=True, text=True)
        axes = 0
        with client.Client(self.executable) as server:
            for (name, text), line in zip(client.examples(), done.stdout.splitlines(), strict=True):
                scopes = json.loads(line)
                uri = (client.ROOT / name).as_uri()
                server.open(uri, text)
                for number, begin, end, kind in decoded(server.about("semanticTokens/full", uri)["data"]):
                    found = [scope for left, right, scope in scopes[number] if left <= begin and end <= right or begin <= left < end]
                    where = f"{name}:{number + 1}: {text.split(chr(10))[number][begin:end]} is {kind}, and {found}"
                    self.assertTrue(found, where)
                    for scope in found:
                        self.assertIn(".".join(scope.split(".")[: len(next(iter(SCOPES[kind])).split("."))]) if len(SCOPES[kind]) == 1
                                      else next((one for one in SCOPES[kind] if scope.startswith(one)), scope), SCOPES[kind], where)
                    axes += kind == "axis" and found[0].startswith("entity.other.attribute-name")
        self.assertGreater(axes, 100)


if __name__ == "__main__":
    Grammar.executable, Grammar.folder = sys.argv.pop(1), sys.argv.pop(1)
    npm.packages(Grammar.folder, "vscode-textmate@9.0.0", "vscode-oniguruma@2.0.1")
    unittest.main()
