"""What the tests of the drawn page share: how its data are read, and how it is opened."""

import json
import re

from browser import BrowserTest
from driver import CommandLine

# What operations move: boxes, carries and rows.
PARTS = "mesh m = [x: 2]\nlet a = iota(f32[8@x])\nprint a[0:3]\nprint pad(a, [[2, 0]])\n"
MOVED = """mesh m = [x: 4]
let a = iota(f32[8@x, 4])
let b = concat([a, a], 0)
let c = cumsum(a, 0)
let d = take(iota(f32[4096@x, 64]), iota(i64[1024@x]))
let k = argmax(iota(f32[3]), dim=0)
let e = a[k:k + 4]
"""


class PageReader(CommandLine):
    def drawn(self, text, name="a.tess"):
        self.write(name, text)
        self.assertEqual(self.succeeds("draw", name, "-o", "page.html"), "")
        return self.read("page.html")

    def data(self, page):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*)</script>\n<script>', page).group(1))


class BrowserReader(BrowserTest):
    def open(self, program, *options, width=1200, scheme="light", motion="reduce"):
        self.write("a.tess", program)
        self.succeeds("draw", "a.tess", "-o", "page.html", *options)
        self.browser.size(width)
        self.browser.media(prefers_color_scheme=scheme, prefers_reduced_motion=motion)
        self.browser.open(self.folder / "page.html")

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def moment(self):
        return int(self.browser.evaluate("document.querySelector('#change').dataset.moment"))

    def current(self):
        return int(self.browser.evaluate("document.querySelector('#list [aria-current=true]').dataset.change"))
