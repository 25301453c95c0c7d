"""Arrays and plans as text and pictures. Nothing here is loaded before a picture is wanted."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ._tessera import Array, Plan, _bytes_text, _seconds_text

_TEXT_MAX = 3000  # characters of a repr
_GATHERED_MAX = 100_000  # elements that are gathered for one
_DEVICES_MAX = 64
_RANK_MAX = 3
# Twelve hues that are told apart, for devices.
_HUES = (205, 25, 285, 90, 340, 170, 50, 250, 120, 0, 190, 310)


# ---- An array as text

def _numbers(array: Array) -> str:
    """The elements as numpy writes them; without numpy as the language does."""
    if array.size > _GATHERED_MAX:
        return f"{array.size:,} elements"
    try:
        import numpy
    except ImportError:
        return array._text()
    try:
        return numpy.array2string(numpy.asarray(array), separator=", ", prefix=" " * len("Array("))
    except TypeError:  # bf16 without ml_dtypes
        return array._text()


def array_text(array: Array) -> str:
    """`Array(f32[8@x, 4] on [x:4], ...)`."""
    mesh = ",".join(f"{axis}:{size}" for axis, size in array.mesh.items())
    numbers = _numbers(array)
    between = ",\n      " if "\n" in numbers else ", "
    text = f"Array({array.type} on [{mesh}]{between}{numbers})"
    return text if len(text) <= _TEXT_MAX else text[:_TEXT_MAX - 4] + "...)"


# ---- An array as a picture

class _Ruler:
    """Where the cuts of a dimension lie in a picture: in proportion, but each piece wide enough for its text."""

    def __init__(self, sides: list[tuple[int, int]], length: float, least: float) -> None:
        cuts = sorted({end for side in sides for end in side})
        whole = max(cuts[-1] - cuts[0], 1)
        self.at = {cuts[0]: 0.0}
        for before, cut in zip(cuts, cuts[1:]):
            self.at[cut] = self.at[before] + max(least, length * (cut - before) / whole)
        self.length = self.at[cuts[-1]] or least
        self.sides = sorted(set(sides))


def _named(devices: list[int]) -> str:
    return f"device {devices[0]}" if len(devices) == 1 else f"devices {', '.join(map(str, devices))}"


def _tile(x: float, y: float, width: float, height: float, devices: list[int]) -> str:
    hue = _HUES[devices[0] % len(_HUES)]
    names = [str(device) for device in devices]
    shown = ", ".join(names) if len(names) <= 4 else f"{names[0]}, {names[1]}, .. {names[-1]}"
    return (f'<g><title>{_named(devices)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="hsl({hue} 70% 50%)" fill-opacity="0.3" stroke="hsl({hue} 70% 40%)"/>'
            f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" text-anchor="middle">{shown}</text></g>')


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill-opacity="0.7">{text}</text>'


def _sheet(boxes: dict[tuple[tuple[int, int], ...], list[int]], left: float, top: float) -> tuple[list[str], float, float]:
    """One plane of tiles with the positions of their cuts, and where it ends. Boxes have two sides."""
    rows = _Ruler([box[0] for box in boxes], 150, 30)
    columns = _Ruler([box[1] for box in boxes], 260, 56)
    parts = []
    for side in columns.sides:
        parts.append(_label(left + (columns.at[side[0]] + columns.at[side[1]]) / 2, top - 6, f"{side[0]}:{side[1]}"))
    for side in rows.sides:
        parts.append(_label(left - 6, top + (rows.at[side[0]] + rows.at[side[1]]) / 2 + 4, f"{side[0]}:{side[1]}", "end"))
    for box, devices in boxes.items():
        y, x = rows.at[box[0][0]], columns.at[box[1][0]]
        height = max(rows.at[box[0][1]] - y, 30)
        width = max(columns.at[box[1][1]] - x, 56)
        parts.append(_tile(left + x, top + y, width, height, devices))
    return parts, left + columns.length, top + rows.length


def _planes(array: Array) -> dict[tuple[int, int] | None, dict[tuple[tuple[int, int], ...], list[int]]]:
    """The devices of each box, in planes: of three dimensions one for each piece of the first."""
    planes: dict[tuple[int, int] | None, dict[tuple[tuple[int, int], ...], list[int]]] = {}
    for device in range(array.devices):
        box = tuple((side.start, side.stop) for side in array.box(device))
        if any(begin == end for begin, end in box):
            continue
        plane = box[0] if len(box) == 3 else None
        flat = box[-2:] if len(box) >= 2 else ((0, 1), *box) if box else ((0, 1), (0, 1))
        planes.setdefault(plane, {}).setdefault(flat, []).append(device)
    return planes


def array_svg(array: Array) -> str | None:
    """Who holds what. None where there is too much for a picture."""
    if array.ndim > _RANK_MAX or array.devices > _DEVICES_MAX:
        return None
    mesh = ",".join(f"{axis}:{size}" for axis, size in array.mesh.items())
    parts = [f'<text x="4" y="16" font-weight="bold">{escape(f"{array.type} on [{mesh}]")}</text>']
    right, bottom = 4 + 7.5 * len(f"{array.type} on [{mesh}]"), 20.0
    left = 70.0
    for plane, boxes in sorted(_planes(array).items(), key=lambda item: item[0] or (0, 0)):
        top = 66.0 if plane is not None else 48.0
        if plane is not None:
            parts.append(_label(left, 40, f"[{plane[0]}:{plane[1]}, :, :]", "start"))
        drawn, end, low = _sheet(boxes, left, top)
        parts += drawn
        right, bottom, left = max(right, end + 10), max(bottom, low + 10), end + 80
    empty = [device for device in range(array.devices) if any(side.start == side.stop for side in array.box(device))]
    if empty:
        parts.append(f'<g><title>{_named(empty)}</title>{_label(4, bottom + 12, "nothing on " + _named(empty), "start")}</g>')
        right, bottom = max(right, 8 + 7.5 * len("nothing on " + _named(empty))), bottom + 22
    if "{" in array.type:
        parts.append(_label(4, bottom + 12, "each device holds a part of every element of its tile", "start"))
        right, bottom = max(right, 380), bottom + 22
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{right:.0f}" height="{bottom:.0f}" '
            f'viewBox="0 0 {right:.0f} {bottom:.0f}" font-family="ui-monospace, monospace" font-size="12" '
            f'fill="currentColor">{"".join(parts)}</svg>')


# ---- A plan

def plan_dicts(plan: Plan) -> list[dict[str, Any]]:
    """The steps of the JSON, each with its peak."""
    steps: list[dict[str, Any]] = json.loads(plan.json())["steps"]
    for row, step in zip(steps, plan.steps):
        row["peak_bytes"] = step.peak_bytes
    return steps


def _bar(value: float, most: float, text: str, strong: bool = True) -> str:
    """A bar of its share of the most, with its figure."""
    width = 0 if most <= 0 else 160 * min(value / most, 1)
    return (f'<div style="display:flex;align-items:center;gap:6px;white-space:nowrap">'
            f'<span style="display:inline-block;width:{width:.0f}px;height:0.8em;'
            f'background:{"#2f6fd0" if strong else "#9aa4b2"}"></span><span>{escape(text)}</span></div>')


def _row(cells: list[str], tag: str = "td") -> str:
    style = 'style="text-align:left;padding:2px 10px 2px 0"'
    return "<tr>" + "".join(f"<{tag} {style}>{cell}</{tag}>" for cell in cells) + "</tr>"


def plan_html(plan: Plan) -> str:
    """The steps with what each makes devices receive, and the plan's figures beside their bounds."""
    steps = plan.steps
    most = max([step.received_bytes_total for step in steps], default=0)
    rows = [_row(["step", "axes", "type after it", "received by all", "peak of a device"], "th")]
    for step in steps:
        rows.append(_row([escape(step.op), escape(step.detail), f"<code>{escape(step.type)}</code>",
                          _bar(step.received_bytes_total, most, _bytes_text(step.received_bytes_total)),
                          _bytes_text(step.peak_bytes)]))
    figures = [("received", plan.received_bytes, plan.lower_bound_bytes, _bytes_text(plan.received_bytes),
                _bytes_text(plan.lower_bound_bytes)),
               ("time", plan.seconds, plan.lower_bound_seconds, _seconds_text(plan.seconds),
                _seconds_text(plan.lower_bound_seconds))]
    below = []
    for name, value, bound, text, bound_text in figures:
        below.append(_row([name, _bar(value, max(value, bound), text)]))
        below.append(_row(["at least", _bar(bound, max(value, bound), bound_text, strong=False)]))
    begin, end, mesh, to_mesh = plan._ends()
    on = f" on {mesh or 'one device'}" + (f" to {to_mesh}" if to_mesh else "")
    style = "border-collapse:collapse;border:none;margin:4px 0"
    return (f"<div><code>{escape(begin)} -&gt; {escape(end)}</code>{escape(on)}, planned by {escape(plan.planner)}"
            f'<table style="{style}">{"".join(rows)}</table><table style="{style}">{"".join(below)}</table></div>')
