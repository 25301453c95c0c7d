"""The drawn page of programs whose operations move parts, carry values or fetch rows by themselves.

test_draw_parts.py PATH/TO/tessera PATH/TO/chromium"""

import sys

from driver import main, received_by
from drawn_page import MOVED, PARTS, BrowserReader, PageReader

NOTHING = "mesh m = [x: 2]\nlet a = iota(f32[8@x]) as [8]\n"


class Page(PageReader):
    def test_parts_moved_are_those_that_the_run_counts(self):
        drawn = self.data(self.drawn(PARTS))
        self.assertEqual([part["who"] for part in drawn["parts"]], ["a slice", "`pad`"])
        received = received_by(self.tessera("run", "a.tess", "--stats").err)
        self.assertEqual([part["received_bytes_total"] for part in drawn["parts"]], received)
        self.assertIn(f"{sum(received)} B received in all", drawn["summary"])

    def test_arrays_of_parts_are_drawn_as_changes_are(self):
        drawn = self.data(self.drawn(MOVED))
        arrays = [array for part in drawn["parts"] for array in part["arrays"]]
        told = [(array["line"], array["steps"][0]["op"], array["steps"][0]["detail"]) for array in arrays]
        self.assertEqual(told, [(3, "assemble", "part 1 of 2"), (3, "assemble", "part 2 of 2"), (4, "carry", ""),
                                (5, "fetch", "numbers"), (5, "fetch", "rows"), (7, "assemble", "")])
        for part in drawn["parts"][:3]:
            received = [sum(device["received_bytes"] for device in array["moments"][1]["devices"]) for array in part["arrays"]]
            self.assertEqual(sum(received), part["received_bytes_total"])
            for array in part["arrays"]:
                for move in array["steps"][0]["moves"]:
                    source = array["moments"][0]["devices"][move["source"]]
                    self.assertTrue(all(a <= c and d <= b for (a, b), (c, d) in zip(source["box"], move["box"])))
        self.assertEqual([moment["shape"] for moment in arrays[0]["moments"]], [[8, 4], [16, 4]])
        self.assertEqual([(move["source"], move["target"], move["hop"]) for move in arrays[2]["steps"][0]["moves"]],
                         [(0, 1, 0), (1, 2, 1), (2, 3, 2)])
        self.assertEqual([part["at_most"] for part in drawn["parts"]], [False, False, True, True])
        # Where a slice begins is known only in the run: the arrays are there, and no box.
        self.assertEqual(arrays[-1]["steps"][0]["moves"], [])
        self.assertEqual(arrays[-1]["received_bytes_total"], drawn["parts"][-1]["received_bytes_total"])


class InABrowser(BrowserReader):
    def test_parts_moved_have_a_line_each(self):
        self.open(PARTS)
        items = self.browser.evaluate("[...document.querySelectorAll('#parts li')].map((item) => item.textContent).join('|')")
        self.assertRegex(items, r"^line 3: a slice fetches \d+ B\|line 4: ")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('#lines .moves')].map((line) => line.dataset.line).join()"), "3,4")
        self.open(NOTHING)
        self.assertTrue(self.browser.evaluate("document.querySelector('#parts').hidden"))

    def test_what_operations_move_is_shown_step_by_step(self):
        self.open(MOVED)
        names = self.browser.evaluate("[...document.querySelectorAll('#list button')].map((b) => b.textContent).join('|')")
        self.assertEqual(names, "1. line 3: assemble part 1 of 2|2. line 3: assemble part 2 of 2|3. line 4: carry|4. line 5: fetch numbers|"
                                "5. line 5: fetch rows|6. line 7: assemble")
        self.assertEqual(self.text("#title"), "f32[8@x, 4] → f32[16@x, 4]")
        self.browser.press("ArrowRight")
        self.assertEqual(self.moment(), 1)
        self.assertEqual(self.text("#live"), "After step 1 of 1, assemble part 1 of 2: f32[16@x, 4]. Devices receive 96 B in all, at most "
                                             "64 B each. Peak on a device 96 B.")
        for _ in range(4):
            self.browser.press("ArrowDown")
        self.assertIn("received at most", self.text("#figures"))
        self.assertEqual(self.browser.complaints(), [])


if __name__ == "__main__":
    InABrowser.chromium = sys.argv.pop(2)
    main()
