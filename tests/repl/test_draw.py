"""The drawn page: its data are the plans', and in a browser every control works, by mouse and by keyboard.

test_draw.py PATH/TO/tessera PATH/TO/chromium. With TESSERA_SCREENSHOTS set to a folder, pictures of the pages go there."""

import json
import os
import re
import sys
import unittest
from pathlib import Path

from driver import main
from drawn_page import MOVED, PARTS, BrowserReader, PageReader

FIRST = """# Three changes of layout.
mesh m = [x: 4, y: 2]
let a = iota(f32[16@y, 16, 16@x])
let b = a as [16, 16@(x,y), 16]
let p = sum(b * b, dim=1)
let s = p as [16@x, 16]
print "</script><script>alert(1)</script>", sum(a)
"""
UNEVEN = "mesh m = [x: 3, y: 2]\nlet a = iota(i64[8@(x,y)])\nlet b = a as [8@y]\nlet c = b as [8]\n"
LARGE = "mesh m = [x: 16, y: 32]\nlet a = iota(f32[1024@(x,y), 64])\nlet b = a as [1024@x, 64@y]\n"
DEEP = "mesh m = [x: 2, y: 3]\nlet a = iota(f32[5@x, 4, 3@y, 6, 7])\nlet b = a as [5, 4@y, 3, 6@x, 7]\n"
SCALAR = "mesh m = [x: 3]\nlet s = sum(iota(f32[10@x]))\nprint s\n"
# From devices 0 to 3 to devices 2 to 6: some are on both meshes.
CROSSING = "mesh a = [d: 4]\nmesh b = [t: 5] on 2:7\nlet v = iota(f32[20@d, 8] on a)\nlet w = v as [20, 8@t] on b\n"
PIPELINE = """mesh a = [x: 1] on 0:1
mesh b = [x: 1] on 1:2
let t = ones(f32[12, 64, 64] on a)
let (p, q) = pipeline p = zeros(f32[64, 64] on a), q = zeros(f32[64, 64] on b) for i < 12 by "1f1b" {
  let h = t[i] @ t[i]
  let d = (h as [64, 64] on b) @ (h as [64, 64] on b)
  (p + h @ (d as [64, 64] on a), q + d)
}
print sum(p), sum(q)
"""
NOTHING = "let a = iota(f32[8])\nprint a\n"
# On two nodes of four a program: two hops inside the nodes, one over their links.
HOPS = "mesh m = [dp: 8]\nlet g = ones(f32[512, 512]{+dp})\nlet h = g as [512, 512@dp]\n"
HOPS_OF = ["reduce_scatter dp:(2)4 halving", "reduce_scatter dp:(2)4 halving", "reduce_scatter dp:(1)2"]
PROGRAMS = {"first": FIRST, "uneven": UNEVEN, "large": LARGE, "deep": DEEP, "scalar": SCALAR, "parts": PARTS, "moved": MOVED, "nothing": NOTHING}
FIGURES = ["received_bytes_total", "lower_bound_bytes_total", "local_bytes_max", "bound_bytes", "peak_bytes", "seconds"]


class Page(PageReader):
    def test_is_one_file_that_asks_for_nothing(self):
        page = self.drawn(FIRST)
        self.assertNotRegex(page, r"(?i)(src|href)=\"(?!data:)")
        self.assertNotRegex(page, r"@(STYLE|DATA|STAGE|TIMELINE|LOADS|ESTIMATE|SCRIPT)@|url\((?!#)|@import")
        self.assertEqual([address for address in re.findall(r"https?://[^\s'\"]*", page)], ["http://www.w3.org/2000/svg"])
        self.assertEqual(page.count("<script"), 2)

    def test_holds_the_figures_of_the_plans(self):
        for name, program in PROGRAMS.items():
            for change in self.data(self.drawn(program))["changes"]:
                mesh = ",".join(f"{axis['name']}:{axis['size']}" for axis in change["mesh"])
                plan = json.loads(self.succeeds("plan", "--mesh", mesh, "--from", change["from"], "--to", change["to"], "--json"))
                with self.subTest(program=name, change=change["to"]):
                    for figure in FIGURES:
                        self.assertAlmostEqual(change[figure], plan[figure], delta=1e-5 * abs(plan[figure]))
                    self.assertEqual([step["op"] for step in change["steps"]], [step["op"] for step in plan["steps"]])
                    if plan["devices"] <= 32:
                        self.check_devices(change, plan)

    def check_devices(self, change, plan):
        """What the devices hold and receive adds up to the plan's figures."""
        for step, drawn, moment in zip(plan["steps"], change["steps"], change["moments"][1:]):
            received = [device["received_bytes"] for device in moment["devices"]]
            self.assertEqual(sum(received), step["received_bytes_total"])
            self.assertEqual(max(received), step["received_bytes_max"])
            self.assertEqual(max(device["bytes"] for device in moment["devices"]), step["local_bytes_max"])
            self.assertEqual(drawn["received_bytes_total"], step["received_bytes_total"])

    def test_of_a_large_mesh_some_devices_and_the_pattern(self):
        moment = self.data(self.drawn(LARGE))["changes"][0]["moments"][0]
        self.assertEqual([device["number"] for device in moment["devices"]], [0, 1, 2, 3, 4, 5, 510, 511])
        self.assertEqual(moment["pattern"], ["Dimension 0: 1024 in 512 tiles of 2.", "Dimension 1: 64, whole on every device.",
                                             "Drawn are 8 of 512 devices: the first 6 and the last 2."])
        self.assertLess(len(self.drawn(LARGE)), 100_000)

    def test_pipelines_are_those_of_the_check(self):
        drawn = self.data(self.drawn(PIPELINE))["pipelines"]
        told = [json.loads(line) for line in self.succeeds("check", "a.tess", "--json").splitlines()]
        self.assertEqual(drawn, [one for one in told if "pipeline" in one])
        timeline = drawn[0]["timeline"]
        self.assertEqual(len(timeline["visits"]), 12 * 3)
        self.assertEqual(len(timeline["borders"]), 12 * 2)
        own = next(one for one in drawn[0]["schedules"] if one["name"] == "1f1b")
        self.assertEqual(own["makespan_seconds"], max(visit["end_seconds"] for visit in timeline["visits"]))
        self.assertEqual(own["in_flight"], [stage["in_flight"] for stage in drawn[0]["stages"]])
        self.assertEqual(len({one["name"] for one in drawn[0]["schedules"]}), 7)
        # A stage does one thing at a time, and a border begins when its visit is done.
        for stage in (0, 1):
            own = [visit for visit in timeline["visits"] if visit["stage"] == stage]
            for one, other in zip(own, own[1:]):
                self.assertLessEqual(one["end_seconds"], other["begin_seconds"] * (1 + 1e-9))
        self.assertEqual(self.data(self.drawn(FIRST))["pipelines"], [])

    def test_pending_parts(self):
        moments = self.data(self.drawn(SCALAR))["changes"][0]["moments"]
        self.assertEqual((moments[0]["contributions"], moments[1]["contributions"]), (3, 1))
        self.assertEqual([device["contribution"] for device in moments[0]["devices"]], [0, 1, 2])

    def test_local_steps_are_those_that_devices_wait_for(self):
        self.write("machine.json", '{"devices": [{"count": 1, "flops": 3e6}, {"count": 3, "flops": 1e6}]}')
        self.write("a.tess", "mesh m = [d: 4 work(speed)]\nlet a = iota(f32[24@d, 8])\nlet b = a @ ones(f32[8, 8])\n"
                             "let c = (a as [24@d.work, 8]) @ ones(f32[8, 8])\n")
        self.succeeds("draw", "a.tess", "-o", "page.html", "--machine", "machine.json")
        work = [step for step in self.data(self.read("page.html"))["work"] if step["step"] == "contract"]
        self.assertEqual([step["line"] for step in work], [3, 4])
        self.assertEqual(work[0]["slowest"], 1)
        self.assertAlmostEqual(work[0]["seconds"], 6 * 128 / 1e6)
        self.assertAlmostEqual(work[0]["fastest_seconds"], 6 * 128 / 3e6)
        self.assertAlmostEqual(work[1]["seconds"], 12 * 128 / 3e6)
        self.assertEqual(self.data(self.drawn(FIRST))["work"], [])

    def test_hops_of_a_sum_by_a_program(self):
        """Every hop says whose step it is and who sends to whom; a change in one hop has none."""
        self.write("machine.json", json.dumps([{"name": "node", "count": 2, "bandwidth": 1e9, "latency": 1e-5},
                                               {"name": "gpu", "count": 4, "bandwidth": 1e11, "latency": 1e-6}]))
        self.write("a.tess", HOPS)
        self.succeeds("draw", "a.tess", "-o", "page.html", "--machine", "machine.json")
        lines = self.data(self.read("page.html"))["changes"][-1]["steps"][0]["hop_lines"]
        self.assertEqual([re.match(r"hop \d, ([^:]+:\(\d\)\d[^:]*): ", line).group(1) for line in lines], HOPS_OF)
        self.assertRegex(lines[0], r"8 devices receive 512 KiB each from 1 other, device 0 from \d; gpu links are busy ")
        steps = [step for change in self.data(self.drawn(FIRST))["changes"] for step in change["steps"]]
        self.assertEqual({len(step["hop_lines"]) for step in steps}, {0})

    def test_says_of_which_machine_times_are(self):
        self.assertEqual(self.data(self.drawn(FIRST))["machine"].strip(),
                         "modelled: links of 100 GB/s and 1 us, assumed; --machine FILE gives others")

    def test_standard_output(self):
        self.write("a.tess", FIRST)
        self.assertEqual(self.succeeds("draw", "a.tess", "-o", "-"), self.drawn(FIRST))

    def test_what_goes_wrong(self):
        self.write("a.tess", "let a = b\n")
        self.assertIn("unknown-name", self.fails(1, "draw", "a.tess", "-o", "page.html").err)
        self.assertFalse((self.folder / "page.html").exists())
        self.fails(2, "draw", "nothing.tess", "-o", "page.html")
        self.fails(2, "draw", "a.tess")
        self.write("a.tess", FIRST)
        self.assertIn("cannot write", self.fails(3, "draw", "a.tess", "-o", "no/folder/page.html").err)


class InABrowser(BrowserReader):
    def photograph(self, name, whole=True):
        folder = os.environ.get("TESSERA_SCREENSHOTS")
        if folder:
            self.browser.screenshot(Path(folder) / f"{name}.png", whole)

    def test_mouse(self):
        self.open(FIRST)
        for button, moment in [("next", 1), ("next", 2), ("back", 1), ("first", 0), ("last", 2)]:
            self.browser.click(f"#{button}")
            self.assertEqual(self.moment(), moment, button)
        self.assertTrue(self.browser.evaluate("document.querySelector('#next').disabled"))
        self.browser.click("#list li:nth-child(2) button")
        self.assertEqual((self.current(), self.moment()), (1, 0))
        self.browser.click("#lines button.number")
        self.assertEqual(self.current(), 0)
        self.assertEqual(self.text("#lines li.here .code"), "let b = a as [16, 16@(x,y), 16]")
        self.browser.click("summary")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#rows tr').length"), 8)

    def test_keyboard(self):
        self.open(FIRST)
        for key, moment in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0), ("End", 2)]:
            self.browser.press(key)
            self.assertEqual(self.moment(), moment, key)
        self.browser.press("ArrowDown")
        self.assertEqual((self.current(), self.moment()), (1, 0))
        self.browser.press("ArrowUp")
        self.assertEqual(self.current(), 0)
        self.browser.press("ArrowUp")
        self.assertEqual(self.current(), 0)
        # With the focus on a button, arrows mean what they mean elsewhere.
        self.browser.evaluate("document.querySelector('#next').focus()")
        self.browser.press("ArrowDown")
        self.assertEqual((self.current(), self.moment()), (1, 0))
        self.photograph("pending")

    def test_every_control_is_reached_by_tab_and_shows_it(self):
        self.open(FIRST)
        reached = []
        for _ in range(40):
            self.browser.press("Tab")
            at = self.browser.evaluate("(() => { const e = document.activeElement; return e === document.body ? '' :"
                                       " [e.id || e.className || e.dataset.change || e.localName,"
                                       " getComputedStyle(e).outlineStyle].join(' '); })()")
            if not at:
                break
            reached.append(at)
        for name in ["program solid", "number solid", "0 solid", "1 solid", "play solid", "next solid", "last solid", "summary solid"]:
            self.assertIn(name, reached)
        self.browser.evaluate("document.querySelector('#next').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.moment(), 1)
        self.browser.press("Enter")
        self.assertEqual(self.moment(), 2)
        self.assertEqual(self.browser.evaluate("document.activeElement.id"), "play")

    def test_playing(self):
        self.open(FIRST)
        self.browser.press(" ")
        self.assertEqual(self.text("#play"), "Pause")
        self.browser.wait("document.querySelector('#change').dataset.moment === '2'")
        self.browser.wait("document.querySelector('#play').textContent === 'Play'")
        self.browser.click("#play")
        self.browser.wait("document.querySelector('#change').dataset.moment === '1'")
        self.browser.click("#play")
        self.assertEqual((self.text("#play"), self.moment()), ("Play", 1))

    def test_boxes_fly_where_motion_is_wanted(self):
        self.open(FIRST, motion="no-preference")
        self.browser.click("#next")
        self.browser.wait("document.querySelectorAll('.flying').length > 0")
        links = self.browser.evaluate("document.querySelectorAll('.link').length")
        moves = {(move["source"], move["target"]) for move in Page.data(self, self.read("page.html"))["changes"][0]["steps"][0]["moves"]}
        self.assertEqual(links, len(moves))
        # A link ends at the edges of two cards, and in neither.
        inside = self.browser.evaluate("""(() => {
          const cards = [...document.querySelectorAll('#stage .card')].map((card) => card.getBoundingClientRect());
          const isIn = ({ x, y }) => cards.some((c) => x > c.left + 2 && x < c.right - 2 && y > c.top + 2 && y < c.bottom - 2);
          return [...document.querySelectorAll('#stage .link')].filter((link) => [0, link.getTotalLength()].some((at) =>
            isIn(link.getPointAtLength(at).matrixTransform(link.getScreenCTM())))).length;
        })()""")
        self.assertEqual(inside, 0)
        # Labels stand in front of what travels: every one comes later in the document.
        behind = self.browser.evaluate("""(() => {
          const moving = [...document.querySelectorAll('#stage .flying, #stage .link')];
          const labels = [...document.querySelectorAll('#stage text')];
          const isBehind = (label) => moving.some((m) => !(m.compareDocumentPosition(label) & Node.DOCUMENT_POSITION_FOLLOWING));
          return [labels.length, labels.filter(isBehind).length];
        })()""")
        self.assertEqual(behind, [32, 0])
        self.photograph("flight", whole=False)
        self.assertEqual(self.moment(), 0)
        self.browser.wait("document.querySelector('#change').dataset.moment === '1'")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.flying').length"), 0)
        # A click in the middle of a flight starts over from where the boxes were.
        self.browser.click("#next")
        self.browser.click("#first")
        self.assertEqual(self.moment(), 0)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.flying').length"), 0)

    def test_numbers_are_the_plans(self):
        self.open(FIRST)
        plan = json.loads(self.succeeds("plan", "--mesh", "x:4,y:2", "--from", "f32[16@y,16,16@x]", "--to",
                                        "f32[16,16@(x,y),16]", "--json"))
        shown = self.browser.evaluate("[...document.querySelectorAll('#figures dd')].map((e) => Number(e.dataset.exact))")
        for figure, value in zip(FIGURES, shown):
            self.assertAlmostEqual(value, plan[figure], delta=1e-5 * plan[figure])
        self.assertEqual(self.text("#figures div:first-child dd"), "20 KiB in all")
        self.browser.press("ArrowRight")
        self.assertEqual(self.text("#live"), "After step 1 of 2, all_to_all x: dim 2 -> dim 1: f32[16@y, 16@x, 16]. Devices receive "
                                             "12 KiB in all, at most 1.5 KiB each. Peak on a device 4 KiB.")
        labels = self.browser.evaluate("[...document.querySelectorAll('[data-device]')].map((e) => e.getAttribute('aria-label'))")
        self.assertEqual(labels[3], "device 3 (x=1, y=1): [8:16, 4:8, 0:16], 2 KiB, received 1.5 KiB")
        self.assertEqual(len(labels), 8)

    def test_tiles_are_drawn_to_scale(self):
        self.open(UNEVEN)
        widths = self.browser.evaluate("[...document.querySelectorAll('[data-device]')].map((g) =>"
                                       " g.querySelector('.tile').width.baseVal.value / g.querySelector('.whole').width.baseVal.value)")
        for drawn, elements in zip(widths, [1, 1, 2, 1, 1, 2]):
            self.assertAlmostEqual(drawn, elements / 8, places=4)

    def test_it_says_how_a_picture_is_read(self):
        for program, words in [
                (FIRST, "A picture has a panel for each piece of dimension 0, from left to right 0:8; 8:16. In each, down is "
                        "dimension 1, across dimension 2."),
                (LARGE, "In a picture, down is dimension 0, across dimension 1."),
                (DEEP, "A picture has a bar for each dimension"), (UNEVEN, "The lower bar"), (SCALAR, "The lower bar")]:
            with self.subTest(program=program):
                self.open(program)
                self.assertTrue(self.text("#key").startswith(words), self.text("#key"))

    def test_what_is_said_is_said_to_everybody(self):
        self.open(FIRST)
        self.assertEqual(self.browser.evaluate("document.querySelector('#live').getAttribute('aria-live')"), "polite")
        nameless = self.browser.evaluate("[...document.querySelectorAll('button, nav, section, svg, [role=img], [role=group]')]"
                                         ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).length")
        self.assertEqual(nameless, 0)

    def test_every_sort_of_program_at_every_width_in_both_schemes(self):
        for name, program in PROGRAMS.items():
            for width in [360, 768, 1200]:
                for scheme in ["light", "dark"]:
                    with self.subTest(program=name, width=width, scheme=scheme):
                        self.open(program, width=width, scheme=scheme)
                        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                        ground = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
                        self.assertEqual(ground, "rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 28)")
                        if name != "nothing":
                            self.browser.press("End")
                        self.photograph(f"{name}-{width}-{scheme}")

    def test_our_examples(self):
        examples = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.tess"))
        self.assertGreater(len(examples), 3)
        for example in examples:
            with self.subTest(example=example.stem):
                self.open(example.read_text(encoding="utf-8"), width=360)
                for number in range(self.browser.evaluate("document.querySelectorAll('#list button').length")):
                    self.assertEqual(self.current(), number)
                    self.browser.press("End")
                    self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360)
                    self.browser.press("ArrowDown")
                self.assertEqual(self.browser.complaints(), [])

    def test_a_printed_page_shows_all_of_a_timeline(self):
        """On a narrow screen it scrolls."""
        self.open(PIPELINE, width=500)
        wide = "document.querySelector('.pipeline .wide').scrollWidth"
        self.assertGreater(self.browser.evaluate(wide), 500)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", media="")
        self.assertLess(self.browser.evaluate(wide), 500)
        below = "document.querySelector('.pipeline').getBoundingClientRect().top - document.getElementById('program').getBoundingClientRect().bottom"
        self.assertGreaterEqual(self.browser.evaluate(below), 8)
        self.photograph("pipeline-printed")

    def test_letters_stand_out(self):
        """WCAG's contrast of every text with the ground it stands on, in both schemes: at least 4.5."""
        contrast = """(() => {
          const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
          const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
          const texts = [...document.querySelectorAll('body *')].filter((e) => !e.closest('svg, script, noscript') &&
            !e.disabled && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
          const cards = [...document.querySelectorAll('svg text')].map((e) =>
            ratio(getComputedStyle(e).fill, getComputedStyle(document.querySelector('.card')).fill));
          return Math.min(...texts.map((e) => ratio(getComputedStyle(e).color, ground(e))), ...cards);
        })()"""
        for scheme in ["light", "dark"]:
            self.open(FIRST, scheme=scheme)
            self.assertGreaterEqual(self.browser.evaluate(contrast), 4.5, scheme)

    def test_the_line_of_a_change_is_in_sight(self):
        changes = "".join(f"# line\n# line\nlet a{i + 1} = a{i} as [{'8, 8@x' if i % 2 == 0 else '8@x, 8'}]\n" for i in range(60))
        self.open("mesh m = [x: 4]\nlet a0 = iota(f32[8@x, 8])\n" + changes, width=360)
        inside = """(() => [['#program', '#lines .here'], ['#list ul', '#list [aria-current=true]']].every(([panel, item]) => {
          const [a, b] = [panel, item].map((s) => document.querySelector(s).getBoundingClientRect());
          return a.top <= b.top && b.bottom <= a.bottom + 1; }) && scrollY === 0)()"""
        for _ in range(45):
            self.browser.press("ArrowDown")
        self.assertEqual(self.current(), 45)
        self.assertTrue(self.browser.evaluate(inside))
        for _ in range(40):
            self.browser.press("ArrowUp")
        self.assertTrue(self.browser.evaluate(inside))

    def test_code_is_set_as_code(self):
        self.open(FIRST)
        self.assertEqual((self.text("#why code"), self.text("#machine code")), ("as", "--machine FILE"))
        self.assertNotIn("`", self.browser.evaluate("document.body.innerText"))

    def test_a_timeline_is_as_wide_as_the_page_allows(self):
        for width in (1200, 1920):
            self.open(PIPELINE, width=width)
            spare = "document.querySelector('.pipeline .wide').clientWidth - document.querySelector('.pipeline svg').clientWidth"
            self.assertIn(self.browser.evaluate(spare), range(-1, 2 if width == 1200 else 400))

    def test_local_steps_have_a_line_each(self):
        self.write("machine.json", '{"devices": [{"count": 1, "flops": 3e6}, {"count": 1, "flops": 1e6}]}')
        self.open("mesh m = [x: 2]\nlet a = iota(f32[8@x]) * 2.0\n", "--machine", "machine.json")
        items = self.browser.evaluate("[...document.querySelectorAll('#work li')].map((item) => item.textContent).join('|')")
        self.assertIn("line 2: map multiply takes 4 us on device 1, 1.333 us on the fastest", items)
        self.open(FIRST)
        self.assertTrue(self.browser.evaluate("document.querySelector('#work').hidden"))

    def test_devices_stand_as_in_the_mesh(self):
        self.open(FIRST)
        places = self.browser.evaluate("""[...document.querySelectorAll('#stage [data-device]')].map((card) => {
          const { x, y } = card.getBoundingClientRect(); return [Math.round(x), Math.round(y)]; })""")
        self.assertEqual(len({x for x, _ in places}), 2)
        self.assertEqual(len({y for _, y in places}), 4)
        self.assertIn("down is x, across y", self.text("#key"))
        widest = self.browser.evaluate("Math.max(...[...document.querySelectorAll('#stage .card')].map((card) => card.getBoundingClientRect().width))")
        self.assertLessEqual(widest, 241)

    def test_the_devices_of_both_meshes_are_drawn(self):
        """A device has a tile only while the array is on its mesh; what crosses flies from card to card."""
        self.open(CROSSING, motion="no-preference")
        change = Page.data(self, self.read("page.html"))["changes"][0]
        labels = "[...document.querySelectorAll('[data-device]')].map((card) => card.getAttribute('aria-label'))"
        full = "[...document.querySelectorAll('[data-device]')].filter((card) => card.querySelector('.tile')).map((card) => Number(card.dataset.device))"
        self.assertEqual([label.split(" ")[1].rstrip(":") for label in self.browser.evaluate(labels)], list("0123456"))
        self.assertEqual(self.browser.evaluate(full), [0, 1, 2, 3])
        self.assertEqual(self.browser.evaluate(labels)[6], "device 6: not of this mesh")
        self.assertIn("Drawn are the devices of both meshes", self.text("#key"))
        self.assertEqual(self.text("#why"), "Asked for by as at line 4, column 9. From mesh d:4 to mesh t:5 on 2:7.")
        self.photograph("crossing-before")
        pairs = {(move["source"], move["target"]) for move in change["steps"][0]["moves"]}
        self.assertTrue({source for source, _ in pairs} <= {0, 1, 2, 3} and {target for _, target in pairs} <= {2, 3, 4, 5, 6}, pairs)
        self.browser.click("#next")
        self.browser.wait("document.querySelectorAll('.flying').length > 0")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.link').length"), len(pairs))
        self.photograph("crossing-flight", whole=False)
        self.browser.wait("document.querySelector('#change').dataset.moment === '1'")
        self.browser.press("End")
        self.assertEqual(self.browser.evaluate(full), [2, 3, 4, 5, 6])
        self.assertEqual(self.browser.evaluate(labels)[0], "device 0: not of this mesh")
        self.photograph("crossing-after")

    def test_pipelines_are_drawn_to_scale(self):
        """Every visit and border is there, as wide as it takes long, and no letter is smaller than 12 pixels."""
        self.open(PIPELINE)
        drawn = self.browser.evaluate("""({
          visits: [...document.querySelectorAll('.pipeline .visit')].map((r) => [Number(r.getAttribute('x')), Number(r.getAttribute('width'))]),
          passages: document.querySelectorAll('.pipeline .passage').length,
          scale: Number(document.querySelector('.pipeline svg').getAttribute('width')) - 68,
          sizes: [...document.querySelectorAll('.pipeline text, .pipeline td, .pipeline th, .pipeline p')].map((t) => parseFloat(getComputedStyle(t).fontSize)),
          rows: [...document.querySelectorAll('.pipeline tbody')].map((b) => b.rows.length)})""")
        told = [json.loads(line) for line in self.succeeds("check", "a.tess", "--json").splitlines()]
        timeline = next(one for one in told if "pipeline" in one)["timeline"]
        makespan = max(visit["end_seconds"] for visit in timeline["visits"])
        self.assertEqual(len(drawn["visits"]), len(timeline["visits"]))
        self.assertEqual(drawn["passages"], len(timeline["borders"]))
        for (left, width), visit in zip(drawn["visits"], timeline["visits"]):
            self.assertAlmostEqual(left - 64, drawn["scale"] * visit["begin_seconds"] / makespan, delta=0.01)
            self.assertAlmostEqual(width, max(1, drawn["scale"] * (visit["end_seconds"] - visit["begin_seconds"]) / makespan), delta=0.01)
        self.assertGreaterEqual(min(drawn["sizes"]), 12)
        self.assertEqual(drawn["rows"], [2, 7])
        self.photograph("pipeline")

    def test_nothing_to_draw(self):
        self.open(NOTHING)
        self.assertFalse(self.browser.evaluate("document.querySelector('#nothing').hidden"))
        self.assertTrue(self.browser.evaluate("document.querySelector('#change').hidden"))

    def test_text_is_twelve_pixels_at_least_and_long_lines_wrap(self):
        self.open(FIRST + "# " + "a long line " * 40 + "\n", width=400)
        sizes = self.browser.evaluate("[...document.querySelectorAll('body *')].map((one) => parseFloat(getComputedStyle(one).fontSize))")
        self.assertGreaterEqual(min(sizes), 12)
        self.assertTrue(self.browser.evaluate("document.querySelector('#program').scrollWidth <= document.querySelector('#program').clientWidth"))


if __name__ == "__main__":
    InABrowser.chromium = sys.argv.pop(2)
    main()
