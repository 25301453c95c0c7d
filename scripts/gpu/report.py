"""The table that is printed at the end, and the figures as JSON."""

import json
from pathlib import Path

WIDTH = 150


class Report:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows = []
        self.figures = {}

    def line(self, part, name, verdict, detail=""):
        """One line of the table, said at once, too. Verdicts: ok, FAIL, skipped, a number."""
        self.rows.append((part, name, str(verdict), " ".join(detail.split())))
        print(self.text_of(self.rows[-1]), flush=True)
        self.figures.setdefault("table", []).append(
            {"part": part, "name": name, "verdict": str(verdict), "detail": detail})
        self.save()

    def figure(self, key, value):
        self.figures[key] = value
        self.save()

    def keep(self, name, text):
        """A text that is too long for the table."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def save(self):
        (self.folder / "gpu-check.json").write_text(json.dumps(self.figures, indent=1), encoding="utf-8")

    @staticmethod
    def text_of(row):
        part, name, verdict, detail = row
        return f"{part:<9} {name:<34} {verdict:>9}  {detail}"[:WIDTH]

    def table(self):
        lines = ["", "=" * WIDTH] + [self.text_of(row) for row in self.rows]
        failed = sum(row[2] == "FAIL" for row in self.rows)
        return "\n".join(lines + ["=" * WIDTH, f"{len(self.rows)} lines, {failed} of them failed; all of it in {self.folder}"])
