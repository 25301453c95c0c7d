"""A client of `tessera lsp`: as little of the protocol as the tests need."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 120


class Failed(Exception):
    """The server answered with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    def __init__(self, executable, *arguments, cwd=None, initialize=True, settings=None):
        self.process = subprocess.Popen([executable, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd)
        self.number = 0
        self.diagnostics = {}
        self.log = []
        if initialize:
            options = {"capabilities": {}, "processId": None, "rootUri": None}
            self.server = self.ask("initialize", options | {"initializationOptions": settings or {}})
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(SECONDS_MAX)
        self.process.stdout.close()

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def receive(self):
        """The next message of the server; None at its end."""
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def wait(self, number):
        """The answer to a request; what comes before it is noted."""
        while True:
            message = self.receive()
            if message is None:
                raise EOFError("the server is gone")
            if "method" not in message and message["id"] == number:
                break
            self.note(message)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def ask(self, method, params):
        return self.wait(self.begin(method, params))

    def note(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif message.get("method") == "window/logMessage":
            self.log.append(message["params"]["message"])

    # ---- Texts

    def open(self, uri, text):
        """The text's diagnostics."""
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tessera", "version": 1, "text": text}})
        return self.wait_for_diagnostics(uri)

    def change(self, uri, changes, version=2):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})
        return self.wait_for_diagnostics(uri)

    def wait_for_diagnostics(self, uri):
        self.diagnostics.pop(uri, None)
        while uri not in self.diagnostics:
            message = self.receive()
            if message is None:
                raise EOFError("the server is gone")
            self.note(message)
        return self.diagnostics[uri]

    def about(self, method, uri, line=None, character=None, **more):
        params = {"textDocument": {"uri": uri}, **more}
        if line is not None:
            params["position"] = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", params)

    def hints(self, uri):
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 30, "character": 0}}
        return self.about("inlayHint", uri, range=everything)


def programs_of_cases():
    """(name, text) of every case that has a program alone: no defines, no files, no machine, no policy, no session."""
    found = []
    for path in sorted((ROOT / "tests/cases").rglob("*.case")):
        sections = {}
        name = None
        for line in path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True):
            if line.startswith("--- "):
                name = line[4:].split()[0]
                sections[name] = ""
            elif name:
                sections[name] += line
        alone = "source" in sections and not {"define", "files", "machine", "reshard", "repl"} & sections.keys()
        if alone:
            found.append((str(path.relative_to(ROOT)), sections["source"]))
    return found


def examples():
    return [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in sorted((ROOT / "examples").glob("*.tess"))]


def units(text):
    """UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def position(text, offset):
    """The place of a character as the protocol counts it."""
    begin = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": units(text[begin:offset])}


def with_edits(text, edits):
    """The text after edits of the protocol."""
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)

    def offset(place):
        begin = begins[place["line"]]
        at, seen = begin, 0
        while seen < place["character"]:
            seen += units(text[at])
            at += 1
        return at

    for edit in sorted(edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]), reverse=True):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text
