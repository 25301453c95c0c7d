"""Bad input, cancellation and the end: an error of the protocol, or an exit; no crash, no orphan."""

import random
import sys
import time
import unittest

import client

INITIALIZE = {"capabilities": {}, "processId": None, "rootUri": None}
URI = "file:///tmp/tessera-protocol/text.tess"
NOT_INITIALIZED = -32002
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
PARSE_ERROR = -32700
CANCELLED = -32800
MODIFIED = -32801

# Planning this takes seconds.
LONG = "mesh m = [a: 7, b: 11, c: 13, d: 5]\n" + "".join(
    f"let v{k} = zeros(f32[{5000 + k}@a, {7001 + k}@b, {900 + k}@c, {40 + k}@d])\n"
    f"let w{k} = v{k} as [{5000 + k}@d, {7001 + k}@a, {900 + k}@b, {40 + k}@c]\n"
    for k in range(40)
)


class Protocol(unittest.TestCase):
    executable = ""

    def server(self, **options):
        return client.Client(self.executable, **options)

    def fails(self, code, work):
        with self.assertRaises(client.Failed) as failure:
            work()
        self.assertEqual(failure.exception.code, code)

    def test_before_initialize_after_shutdown_and_unknown(self):
        with self.server(initialize=False) as server:
            self.fails(NOT_INITIALIZED, lambda: server.about("hover", URI, 0, 0))
            server.ask("initialize", INITIALIZE)
            self.fails(INVALID_REQUEST, lambda: server.ask("initialize", INITIALIZE))
            self.fails(METHOD_NOT_FOUND, lambda: server.ask("tessera/none", {}))
            self.fails(INVALID_PARAMS, lambda: server.ask("textDocument/hover", {}))
            self.fails(INVALID_PARAMS, lambda: server.about("hover", URI, 0, 0))
            server.ask("shutdown", None)
            self.fails(INVALID_REQUEST, lambda: server.ask("textDocument/hover", {}))
            server.tell("exit", None)
            self.assertEqual(server.process.wait(client.SECONDS_MAX), 0)

    def test_exit_without_shutdown(self):
        with self.server() as server:
            server.tell("exit", None)
            self.assertEqual(server.process.wait(client.SECONDS_MAX), 1)

    def test_a_client_that_vanishes(self):
        with self.server() as server:
            server.tell("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "tessera", "version": 1, "text": LONG}})
            server.process.stdin.close()
            self.assertEqual(server.process.wait(client.SECONDS_MAX), 3)

    def test_no_json_no_object_no_header(self):
        with self.server() as server:
            for data in (b"{", b"[1, 2]", b"\xff\xfe", b'"text"', b'{"method": "\\ud800"}', b"[" * 100_000):
                server.send_raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)
                answer = server.receive()
                self.assertIn(answer["error"]["code"], (PARSE_ERROR, INVALID_REQUEST))
                self.assertIsNone(answer["id"])
            server.send({"id": 7})
            self.assertEqual(server.receive()["error"]["code"], INVALID_REQUEST)
            server.send_raw(b"GET / HTTP/1.1\r\n\r\n")
            self.assertEqual(server.receive()["error"]["code"], PARSE_ERROR)
            self.assertEqual(server.process.wait(client.SECONDS_MAX), 3)

    def test_a_message_of_a_hundred_megabytes(self):
        with self.server() as server:
            size = 100_000_000
            server.send_raw(b"Content-Length: %d\r\n\r\n" % size)
            for _ in range(100):
                server.send_raw(b" " * (size // 100))
            self.assertEqual(server.receive()["error"]["code"], INVALID_REQUEST)
            self.assertEqual(server.open(URI, "let a = 1\n"), [])

    def test_positions_beyond_the_end(self):
        with self.server() as server:
            server.open(URI, "let a = 1\nlet b = 𝕏\n")
            for line, character in ((0, 99), (99, 0), (1, 9), (1, 10), (2**31, 2**31)):
                for method in ("hover", "completion", "definition", "signatureHelp", "documentHighlight"):
                    server.about(method, URI, line, character)
            backwards = {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}
            server.about("codeAction", URI, range=backwards, context={"diagnostics": []})
            server.change(URI, [{"range": backwards, "text": "let c = 2"}])

    def test_texts_that_no_program_holds(self):
        with self.server() as server:
            for text in ("\0", "let a = \x01", "\r\r\r", "let a = \"", "#" * 100_000, "(" * 10_000, "𝕏" * 1000):
                server.open(URI, text)
                server.hints(URI)
                server.about("semanticTokens/full", URI)
                server.about("hover", URI, 0, 0)

    def test_units_are_utf16(self):
        with self.server() as server:
            server.open(URI, 'print "𝕏𝕏", aa\n')
            self.assertEqual(server.diagnostics[URI][0]["range"]["start"], {"line": 0, "character": 14})

    def test_a_request_that_is_taken_back_ends_a_planner(self):
        with self.server() as server:
            document = {"uri": URI, "languageId": "tessera", "version": 1, "text": LONG}
            server.tell("textDocument/didOpen", {"textDocument": document})
            number = server.begin("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 4}})
            server.tell("$/cancelRequest", {"id": number})
            server.tell("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "let a = 1"}]})
            begun = time.monotonic()
            self.fails(CANCELLED, lambda: server.wait(number))
            self.assertEqual(server.wait_for_diagnostics(URI), [])
            self.assertLess(time.monotonic() - begun, 10)

    def test_random_bytes(self):
        chance = random.Random(1)
        for _ in range(20):
            with self.server(initialize=False) as server:
                data = bytes(chance.randrange(256) for _ in range(chance.randrange(300)))
                server.send_raw(data)
                server.process.stdin.close()
                self.assertIn(server.process.wait(client.SECONDS_MAX), (0, 3))

    def test_random_requests(self):
        chance = random.Random(2)
        methods = ("hover", "completion", "rename", "codeAction", "foldingRange", "selectionRange", "semanticTokens/range", "inlayHint",
                   "formatting", "rangeFormatting", "references", "didChange", "prepareRename", "signatureHelp")
        values = (None, 1, -1, 1e300, "x", [], {}, {"uri": URI}, {"line": -1, "character": 1e12}, [{"line": 0}], True,
                  {"start": {}, "end": {}})
        keys = ("textDocument", "position", "range", "positions", "context", "newName", "contentChanges", "options")
        with self.server() as server:
            server.open(URI, "mesh m = [x: 2]\nlet a = iota(f32[4@x])\n")
            for _ in range(300):
                params = {key: chance.choice(values) for key in keys if chance.random() < 0.7}
                params["textDocument"] = chance.choice(({"uri": URI}, {"uri": URI}, params.get("textDocument")))
                method = f"textDocument/{chance.choice(methods)}"
                if method.endswith("didChange"):
                    server.tell(method, params)
                    continue
                try:
                    server.ask(method, params)
                except client.Failed:
                    pass
            self.assertEqual(server.open(URI, "let a = 1\n"), [])


if __name__ == "__main__":
    Protocol.executable = sys.argv.pop(1)
    unittest.main()
