"""The notebooks of examples/ reproduce their outputs headless, and pass into pages."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def use_kernel(folder):
    """Installs the kernel `tessera` below a folder, where Jupyter then finds it."""
    subprocess.run([sys.executable, "-m", "tessera.kernel", "install", "--prefix", str(folder)], check=True, capture_output=True)
    os.environ["JUPYTER_PATH"] = f"{folder}/share/jupyter"
    os.environ["IPYTHONDIR"] = f"{folder}/ipython"


@pytest.fixture(scope="module", autouse=True)
def kernel(tmp_path_factory):
    use_kernel(tmp_path_factory.mktemp("jupyter"))


def said(cell):
    """What a cell shows, without what differs between runs."""
    shown = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            shown.append(("stream", output.text))
        elif output.output_type == "error":
            shown.append(("error", output.ename))
        else:
            shown.append((output.output_type, {kind: "".join(data) for kind, data in output.data.items()}))
    merged = []
    for kind, what in shown:
        if merged and kind == merged[-1][0] == "stream":
            merged[-1] = (kind, merged[-1][1] + what)
        else:
            merged.append((kind, what))
    return merged


def run(path):
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    return book


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_reproduces_its_outputs(path):
    committed, again = nbformat.read(path, as_version=4), run(path)
    for number, (old, new) in enumerate(zip(committed.cells, again.cells, strict=True)):
        assert said(old) == said(new), f"cell {number}: {old.source}"
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text and not re.search(r'(src|href)=\\?"http', text)
    assert any(output.output_type != "stream" for cell in committed.cells for output in cell.get("outputs", []))


if __name__ == "__main__":
    # Writes the outputs anew: read what has changed as if somebody else had written it.
    use_kernel(tempfile.mkdtemp(prefix="tessera-jupyter-"))
    for notebook in NOTEBOOKS:
        done = run(notebook)
        done.metadata.pop("widgets", None)
        for cell in done.cells:
            cell.metadata.pop("execution", None)
        done.metadata["language_info"] = {"name": done.metadata["language_info"]["name"]}
        nbformat.write(done, notebook)
