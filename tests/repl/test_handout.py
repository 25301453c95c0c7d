"""A lesson's page, in a headless Chromium: on the screen one array at a time, on paper all of them."""

import sys

from browser import BrowserTest
from driver import main


class Handout(BrowserTest):
    def open(self, lesson, width=718):
        self.succeeds("learn", "--page", str(lesson), "-o", "page.html")
        self.browser.size(width)
        self.browser.open(self.folder / "page.html")

    def print(self):
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", media="")

    def titles(self):
        """Of the arrays that are to be seen."""
        return self.browser.evaluate("[...document.querySelectorAll('#changes h2')].filter((one) => one.checkVisibility())"
                                     ".map((one) => one.textContent)")

    def cards(self):
        """How many cards of devices are to be seen."""
        return self.browser.evaluate("[...document.querySelectorAll('[data-device]')].filter((one) => one.checkVisibility()).length")

    def test_paper_has_all_arrays(self):
        self.open(3)
        self.assertEqual((self.titles(), self.cards()), (["a: i32[6@(x,y)]"], 6))
        self.print()
        self.assertEqual((self.titles(), self.cards()), (["a: i32[6@(x,y)]", "b: i32[6@(y,x)]"], 12))
        self.assertFalse(self.browser.evaluate("document.querySelector('#list').checkVisibility()"))

    def test_the_chosen_array_comes_first(self):
        self.open(34)
        self.browser.click("#list [data-change='1']")
        self.assertEqual(len(self.titles()), 1)
        self.print()
        self.assertEqual([title[0] for title in self.titles()], ["w", "v"])

    def test_pictures_are_as_wide_as_the_paper(self):
        for width in (500, 718):
            self.open(3, width)
            self.print()
            widths = self.browser.evaluate("['#stage svg', '.stage svg'].map((one) => document.querySelector(one).viewBox.baseVal.width)")
            self.assertEqual(widths[0], widths[1])
            self.assertLess(widths[1], width)

    def test_a_page_does_not_end_between_a_heading_and_its_picture(self):
        self.open(3)
        self.print()
        # What stands above a picture stays with what follows it, and another array is in one piece.
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('#title, #why, #pattern, #others h2, #others .why, #others .pattern, .stage svg')]"
            ".filter((one) => getComputedStyle(one).breakAfter !== 'avoid').length"), 0)
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('#others > div')].map((one) => getComputedStyle(one).breakInside)"), ["avoid"])

    def test_a_lesson_of_one_array_or_none(self):
        for lesson, arrays in ((1, 1), (44, 0)):
            self.open(lesson)
            self.print()
            self.assertEqual(len(self.titles()), arrays)


if __name__ == "__main__":
    Handout.chromium = sys.argv.pop(2)
    main()
