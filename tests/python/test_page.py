"""The Python examples of docs/python.md and README.md, each document in one interpreter, print what the document says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$(?:\n```text\n(.*?)^```$)?", re.S | re.M)


@pytest.mark.parametrize("document", ["docs/python.md", "README.md"])
def test_examples(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    examples = list(EXAMPLE.finditer(text))
    assert examples
    names = {}
    for example in examples:
        line = text[:example.start()].count("\n") + 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.group(1), f"{document}:{line}", "exec"), names)
        assert printed.getvalue() == (example.group(2) or ""), f"{document}:{line}"
