"""Pages of the documentation site that are made, not written: the public headers, one page each. A hook of mkdocs.

A header is its own manual. A page is its opening comment as text, then its parts, which `// ---- Name ----` begins, each
as code under a heading."""

import re
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "embed/include/tessera"
PART = re.compile(r"^// ---- (\w[\w ,]*?) -+\n", re.M)


def opening(text):
    """The comment that a header begins with, as paragraphs, and the rest."""
    if text.startswith("/*"):
        comment, _, rest = text.partition("*/\n")
        lines = [re.sub(r"^( \* ?|/\* ?)", "", line) for line in comment.splitlines()]
    else:
        lines = re.match(r"(?://.*\n)*", text).group().splitlines()
        rest = text[sum(len(line) + 1 for line in lines):]
        lines = [line[2:].removeprefix(" ") for line in lines]
    # What the comment indents further is an example.
    return "\n".join("    " + line.lstrip() if line.startswith("  ") else line for line in lines), rest


def page(header):
    """The page of a header."""
    comment, rest = opening(header.read_text(encoding="utf-8"))
    language = "c" if header.suffix == ".h" else "cpp"
    pieces = PART.split(rest)
    text = f"# {header.parent.name}/{header.name}\n\n{comment}\n"
    for heading, code in zip(["", *pieces[1::2]], pieces[0::2]):
        text += f"\n## {heading}\n" if heading else ""
        text += f"\n```{language}\n{code.strip()}\n```\n" if code.strip() else ""
    return text


def on_files(files, config):
    """Called by mkdocs when it has found the written pages."""
    folder = tempfile.mkdtemp(prefix="tessera-site-")
    for header in sorted(HEADERS.iterdir()):
        target = Path(folder) / "api" / (header.name + ".md")
        target.parent.mkdir(exist_ok=True)
        target.write_text(page(header), encoding="utf-8")
        files.append(File(f"api/{header.name}.md", folder, config["site_dir"], config["use_directory_urls"]))
    return files
