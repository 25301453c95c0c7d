"""Random edits of programs: after each, the server answers as a fresh one does that is given the text whole.

random_edits.py PATH/TO/tessera SEED EDITS"""

import random
import sys

import client

URI = "file:///tmp/tessera-edits/text.tess"
PIECES = ("let ", "a", "b", " = ", "@x", "(", ")", "[", "]", "{", "}", "\n", "+", " as ", "f32[8@x]", "8", ",", "𝕏", "é", "#", '"', "sum(",
          "mesh m = [x: 2, y: 2]\n", "\r\n", "print ", ";", "{+x}", "within 64KiB", "fn f(v: f32[N]?) = ")
SEED_TEXT = """mesh m = [x: 4, y: 2]
fn twice(v: f32[N, K]?) = v * 2.0
let a = iota(f32[8@x, 8])
let b = a as [8@(x,y), 8]
let s = sum(a @ b, dim=0)
print "𝕏", s
"""
FRESH_EVERY = 50  # a server of its own; else the text is opened anew under another name


def edit(chance, text):
    """A change of the protocol, and the text after it."""
    begin = chance.randrange(len(text) + 1)
    end = min(len(text), begin + chance.choice((0, 0, 0, 1, 2, 5, 20)))
    new = "".join(chance.choice(PIECES) for _ in range(chance.choice((0, 1, 1, 2))))
    crosses = text[begin - 1 : begin] == "\r" or text[end - 1 : end] == "\r"  # within a line end is no place
    if crosses:
        return edit(chance, text)
    change = {"range": {"start": client.position(text, begin), "end": client.position(text, end)}, "text": new}
    return change, text[:begin] + new + text[end:]


def answers(server, uri, line, character):
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 20, "character": 0}}
    told = {
        "hints": server.about("inlayHint", uri, range=whole),
        "tokens": server.about("semanticTokens/full", uri),
        "hover": server.about("hover", uri, line, character),
        "symbols": server.about("documentSymbol", uri),
        "completion": server.about("completion", uri, line, character),
    }
    return repr(told).replace(uri, "")


def main(executable, seed, edits):
    chance = random.Random(seed)
    server = client.Client(executable)
    beside = client.Client(executable)
    text = SEED_TEXT
    server.open(URI, text)
    for number in range(edits):
        if len(text) > 1500 or chance.random() < 0.01:
            server.change(URI, [{"text": SEED_TEXT}])
            text = SEED_TEXT
        change, text = edit(chance, text)
        told = server.change(URI, [change], number + 3)
        if number % FRESH_EVERY == 0:
            beside.__exit__()
            beside = client.Client(executable)
        fresh = f"file:///tmp/tessera-edits/fresh{number}.tess"
        told_fresh = beside.open(fresh, text)
        place = client.position(text, chance.randrange(len(text) + 1)).values()
        same = repr(told).replace(URI, "") == repr(told_fresh).replace(fresh, "") and (
            answers(server, URI, *place) == answers(beside, fresh, *place))
        if not same:
            print(told, told_fresh, answers(server, URI, *place), answers(beside, fresh, *place), sep="\n")
            sys.exit(f"seed {seed}, edit {number}: the answers differ from a fresh server's for\n{text}")
        beside.tell("textDocument/didClose", {"textDocument": {"uri": fresh}})
    server.__exit__()
    beside.__exit__()
    print(f"{edits} edits from seed {seed}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
