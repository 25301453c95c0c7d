"""What notebooks show: well-formed, without a script, without anything from elsewhere, and true."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import tessera

SVG = "{http://www.w3.org/2000/svg}"
TYPES = ["f32", "f32[8@x]", "f32[7@x]", "f32[8]", "f32[5@x, 3@y]", "f32[5@(x,y), 3]", "f32[3, 4@x, 5@y]", "f32[3@x, 4, 5]", "f32[0@x]",
         "f32[8]{+x}", "f32[2, 2@y]{+x}"]


@pytest.fixture(scope="module")
def session():
    s = tessera.Session()
    s.run("mesh m = [x: 4, y: 2]")
    for number, kind in enumerate(TYPES):  # a pending one is a sum that is not finished
        s.run(f"let a{number} = zeros({kind})")
    return s


@pytest.mark.parametrize("number", range(len(TYPES)))
def test_every_device_is_in_the_picture_once(session, number):
    a = session[f"a{number}"]
    root = xml.fromstring(a._repr_svg_())
    named = [int(device) for title in root.iter(SVG + "title") for device in re.findall(r"\d+", title.text)]
    assert sorted(named) == list(range(a.devices))
    width, height = float(root.get("width")), float(root.get("height"))
    rectangles = [[float(r.get(k)) for k in ("x", "y", "width", "height")] for r in root.iter(SVG + "rect")]
    assert len(rectangles) == len({repr(a.box(d)) for d in range(a.devices) if a.tile(d).size})
    for x, y, w, h in rectangles:
        assert 0 <= x and x + w <= width and 0 <= y and y + h <= height
    assert "<script" not in a._repr_svg_() and not re.search(r'(href|src)="http', a._repr_svg_())
    for i, (x, y, w, h) in enumerate(rectangles):
        for u, v, p, q in rectangles[i + 1:]:
            assert x + w <= u + 0.2 or u + p <= x + 0.2 or y + h <= v + 0.2 or v + q <= y + 0.2


def test_what_is_too_much_has_none():
    s = tessera.Session()
    s.run("mesh m = [x: 65]\nlet a = zeros(f32[65@x])\nlet b = zeros(f32[1, 1, 1, 1])")
    assert s["a"]._repr_svg_() is None and s["b"]._repr_svg_() is None


def test_repr():
    s = tessera.Session()
    s.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet c = zeros(f32[2000000@x])\nlet d = zeros(f64[300, 300])")
    assert repr(s["a"]) == "Array(f32[8@x] on [x:4], [0., 1., 2., 3., 4., 5., 6., 7.])"
    assert repr(s["c"]) == "Array(f32[2000000@x] on [x:4], 2,000,000 elements)"
    assert len(repr(s["d"])) <= 3000 and "..." in repr(s["d"])
    s["w"] = np.arange(900.0).reshape(30, 30)
    assert len(repr(s["w"])) <= 3000 and repr(s["w"]).startswith("Array(f64[30, 30] on [x:4],\n      [[")
    assert s["a"].picture().startswith("a: f32[8@x] on [x:4]\n")


def test_a_plan_as_a_table():
    for plan in tessera.compare("x:4,y:2", "f32[16@y, 16, 16@x]", "f32[16, 16@(x,y), 16]"):
        root = xml.fromstring(plan._repr_html_())
        tables = list(root.iter("table"))
        assert len(list(tables[0].iter("tr"))) == len(plan.steps) + 1
        text = "".join(root.itertext())
        assert plan.planner in text and all(step.detail in text for step in plan.steps)
        widths = [float(w) for w in re.findall(r"width:(\d+)px", plan._repr_html_())]
        assert max(widths) == 160
    assert "<script" not in plan._repr_html_()
