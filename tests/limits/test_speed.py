"""How long ordinary work may take, in seconds of processor time. Of several runs the best counts, since other programs can
only make it slower."""

import os
import statistics
import sys
import unittest
from pathlib import Path

from limits import Hostile, garbage, main

SOURCE = Path(__file__).resolve().parents[2]
OPTIMISED = "Release"


def long_program(lines):
    """Functions, elementwise work, products, changes of layout, reductions; each line asks something of the checker."""
    text = ["mesh m = [x: 2, y: 2]", "let v0 = iota(f32[16@x, 8@y])", "fn f(a: f32[N, K]?, b: f32) = a * b + 1.0"]
    forms = ["let v{k} = v{p} + v{p} * 0.5", "let v{k} = f(v{p}, 2.0)", "let v{k} = (v{p} as [16@y, 8@x]) - v{p}", "let v{k} = v{p} @ ((transpose(v{p}) as [8, 16@y]) @ v{p})",
             "let v{k} = relu(v{p}) / (abs(v{p}) + 1.0)", "let v{k} = where(v{p} > 0.5, v{p}, 0.0 - v{p})", "let v{k} = softmax(v{p}, 1)",
             "let v{k} = v{p} - mean(v{p}, dim=0)", "let v{k} = concat([v{p}[0:8], v{p}[8:16]], 0)", "assert sum(v{p}) < 1e30 || true, \"finite\""]
    previous = 0
    for number in range(1, lines - 2):
        form = forms[number % len(forms)]
        text.append(form.format(k=number, p=previous))
        previous = number if "{k}" in form else previous
    return "\n".join(text) + "\n"


def session(statements):
    """New names, names bound again, functions and values shown, one line each."""
    forms = ["let v{k} = {k}.0", "let again = v{k0} + 1.0", "fn f{k}(x: f32) = x * again", "f{k2}(v{k0})"]
    return "".join(forms[k % 4].format(k=k, k0=k - k % 4, k2=k - k % 4 + 2) + "\n" for k in range(statements))


def record(fields):
    """A record of so many fields: passed with its fields in another order, changed, taken field by field, and carried."""
    names = [f"r{k}_" for k in range(fields)]
    given, types, others = (", ".join(form.format(name) for name in names) for form in ("{}: 1.0", "{}: f32", "{}: 2.0"))
    turned = ", ".join(reversed(types.split(", ")))
    return f"""let p = {{{given}}}
fn first(q: {{{turned}}}) = q.r0_
print first(p)
fn same(a: f32[..]?) = a
let q = each(same, p)
let r = {{..q, {others}}}
let z = loop s = r for i < 3 {{ each(same, s) }}
"""


@unittest.skipUnless(sys.argv[-1] == OPTIMISED, "the build is not optimised")
class Speed(Hostile):
    def best(self, runs, *arguments, statuses=(0,), given=os.devnull, limit=None):
        """Of so many runs; of twice as many more while none is within the limit, as neighbours of the machine come and go."""
        times = []
        while len(times) < runs or (limit is not None and min(times) >= limit and len(times) < 3 * runs):
            done = self.tessera(*arguments, given=given)
            self.expect(done, statuses, " ".join(arguments))
            times.append(done.seconds)
        print(f"{' '.join(Path(word).name for word in arguments)}: best {min(times):.3f} s, median {statistics.median(times):.3f} s")
        return min(times)

    def test_ten_thousand_lines_are_checked_in_two_seconds(self):
        path = self.write(long_program(10_000), "long.tess")
        self.assertLess(self.best(3, "check", path, limit=2.0), 2.0)

    def test_the_tour_is_checked_in_50_milliseconds(self):
        self.assertLess(self.best(15, "check", str(SOURCE / "examples" / "tour.tess")), 0.050)

    def test_a_megabyte_of_garbage_is_refused_in_a_second(self):
        for seed in range(3):
            path = self.write(garbage(1 << 20, seed), "garbage.tess")
            self.assertLess(self.best(3, "check", path, statuses=(1,)), 1.0)

    def test_a_session_takes_four_times_as_long_for_four_times_as_much(self):
        """Twice that is allowed: what grows with the square would take sixteen times as long."""
        few, many = (self.write(session(count), f"session{count}.tess") for count in (2_000, 8_000))
        most = 8 * self.best(3, given=few)
        self.assertLess(self.best(3, given=many, limit=most), most)

    def test_a_record_takes_four_times_as_long_for_four_times_as_many_fields(self):
        few, many = (self.write(record(count), f"record{count}.tess") for count in (2_500, 10_000))
        most = 8 * self.best(3, "check", few)
        self.assertLess(self.best(3, "check", many, limit=most), most)


if __name__ == "__main__":
    main()
