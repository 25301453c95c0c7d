"""Operations that mix positions of split dimensions receive what their results are made of and the devices lack, and no more: the bytes
that `run --stats` counts, beside bounds that are counted here from the types alone. On the machine here a step costs its bytes and hardly
anything else: where small arrays meet latencies, the fastest way may receive a few bytes more."""

import math
from pathlib import Path

import operations_table
from bounds import MACHINE, MESHES, carried, lacking, lacking_picked, positions, reduced, text, tile
from driver import CommandLine, main, received_by

SLACK = 1.05


class Bounds(CommandLine):
    def received(self, mesh, lines):
        declared = ", ".join(f"{axis}: {size}" for axis, size in mesh.items())
        self.write("a.tess", f"mesh m = [{declared}]\n" + "\n".join(lines) + "\n")
        self.write("machine.json", MACHINE)
        done = self.tessera("run", "a.tess", "--stats", "--machine", "machine.json")
        self.assertEqual(done.status, 0, done.err)
        return sum(received_by(done.err))

    def holds(self, mesh, lines, elements, element_bytes=4):
        """The program receives no more than so many elements, and no fewer."""
        received, bound = self.received(mesh, lines), elements * element_bytes
        self.assertLessEqual(received, SLACK * bound, lines)
        self.assertGreaterEqual(received, bound, lines)

    def each(self):
        """Every mesh, with extents that its axes divide and such that they do not."""
        for mesh in MESHES:
            for rows, columns in [(144, 120), (145, 119)]:
                splits = [("x", ""), ("xy", ""), ("x", "y")] if "y" in mesh else [("x", "")]
                for own in splits:
                    yield mesh, (rows, columns), own

    def test_concat(self):
        for mesh, shape, own in self.each():
            a = f"let a = iota({text(shape, own)})"
            for dimension in (0, 1):
                joined = list(shape)
                joined[dimension] *= 2
                shift = [0, 0]
                elements = lacking(mesh, (shape, own), (joined, own), shift)
                shift[dimension] = -shape[dimension]
                elements += lacking(mesh, (shape, own), (joined, own), shift)
                self.holds(mesh, [a, f"let b = concat([a, a], {dimension})"], elements)

    def test_concat_of_other_layouts_into_the_wanted_one(self):
        for mesh, shape, own in self.each():
            wanted = ("", "x")
            lines = [f"let a = iota({text(shape, own)})", f"let b = iota({text((7, shape[1]), ('', 'x'))})"]
            joined = (shape[0] + 7, shape[1])
            elements = lacking(mesh, (shape, own), (joined, wanted), (0, 0))
            lines.append(f"let c: {text(joined, wanted)} = concat([a, b], 0)")
            self.holds(mesh, lines, elements)

    def test_dealing(self):
        for mesh, shape, own in self.each():
            dealt = ("", own[1] + own[0])
            elements = lacking(mesh, (shape, own), (shape, dealt), (0, 0))
            a = f"let a = iota({text(shape, own)})"
            for operation in ["sort(a, 0)", "argsort(a, 0)"]:
                self.holds(mesh, [a, f"let b = {operation}"], elements)

    def test_lines_sorted_by_cuts(self):
        """Elements that tiles lack, and what finds the cuts: 300 bytes for each pair of a line's tiles, or 450."""
        for mesh in MESHES:
            pairs = mesh["x"] * math.prod(mesh.values())
            for rows in (20000, 20011):
                elements = operations_table.sorted_line(mesh, rows) // 4
                for element, each, most in (("f32", 4, 300), ("f64", 8, 450)):
                    a = f"let a = {element}(iota(i64[{rows}@x]) * {operations_table.multiplied(rows)} % {rows})"
                    for operation, moved in (("sort", elements * each), ("argsort", elements * (each + 4))):
                        received = self.received(mesh, [a, f"let b = {operation}(a, 0)"])
                        self.assertGreaterEqual(received, moved, (mesh, operation, element))
                        self.assertLessEqual(received, moved + most * pairs, (mesh, operation, element))

    def test_running_sums(self):
        for mesh, shape, own in self.each():
            for rows in (3, shape[0], 10 * shape[0]):  # tiles begin inside the first block, and behind some
                longer = (rows, shape[1])
                a = f"let a = iota({text(longer, own)})"
                self.holds(mesh, [a, "let b = cumsum(a, 0)"], carried(mesh, longer, own))
                self.holds(mesh, [a, "let b = cumprod(a, 0)"], carried(mesh, longer, own, of_blocks=1))
                self.holds(mesh, [a, "let b = cummin(a, 0)"], carried(mesh, longer, own, block=longer[0]))
                self.holds(mesh, [a, "let b = recur(0.5, a, 0)"], carried(mesh, longer, own, block=longer[0]))
                a = a.replace("f32", "i64")  # of whole numbers one sum is all
                elements = carried(mesh, longer, own, block=longer[0])
                self.holds(mesh, [a, "let b = cumsum(a, 0)"], elements, element_bytes=8)

    def test_rows_by_request(self):
        for mesh, shape, own in self.each():
            rows, columns = shape
            elements = 0
            for at in positions(mesh):
                (own_begin, own_end), (first, last) = tile(mesh, at, shape, own)
                begin, end = tile(mesh, at, (97,), own[:1])[0]
                named = {37 * i % rows for i in range(begin, end)}
                # A row, and its number of 4 bytes.
                elements += sum(not own_begin <= row < own_end for row in named) * (last - first + 1)
            ids = text((97,), own[:1]).replace("f32", "i64")
            lines = [f"let a = iota({text(shape, own)})", f"let b = take(a, iota({ids}) * 37 % {rows})"]
            self.holds(mesh, lines, elements)

    def test_greatest_of_tiles(self):
        for mesh, shape, own in self.each():
            candidates = (8 * math.prod(mesh[axis] for axis in own[0]), shape[1])
            elements = lacking(mesh, (candidates, own), (candidates, ("", own[1] + own[0])), (0, 0))
            a = f"let a = iota({text(shape, own)})"
            self.holds(mesh, [a, "let b = topk(a, 8, 0)"], elements)
            dealt = lacking(mesh, (shape, own), (shape, ("", own[1] + own[0])), (0, 0))
            # A candidate is a value and its position, 4 B each; of short tiles all elements are fewer bytes.
            self.holds(mesh, [a, "let b = argtopk(a, 8, 0)"], min(2 * elements, dealt))

    def test_a_table_is_not_gathered_to_save_a_launch(self):
        """Where links have latency, too: of more than 64 KiB each device fetches the elements that its ids name, or finds candidates."""
        for mesh in MESHES[:2]:  # of two tiles, elements of 4 bytes and their numbers are as many bytes as the table
            n = 65_537
            declared = ", ".join(f"{axis}: {size}" for axis, size in mesh.items())
            self.write("a.tess", f"mesh m = [{declared}]\nlet v = iota(f32[{n}@x])\nlet i = iota(i64[{n}@x]) * 37 % {n}\n"
                                 "let c = take(v, i) == f32(i)\nassert all(c)\nlet b = argtopk(v, 9, 0)\n")
            done = self.tessera("run", "a.tess", "--stats")
            self.assertEqual(done.status, 0, done.err)
            self.assertNotIn("operation-gathers", done.err)
            received = {int(line.split(":")[1]): sum(received_by(line + "\n")) for line in done.err.splitlines() if ": steps " in line}
            holders = [tile(mesh, at, (n,), ("x",))[0] for at in positions(mesh)]
            lacking_rows = sum(not own[0] <= 37 * k % n < own[1] for own in holders for k in range(*own))
            self.assertLessEqual(received[4], SLACK * 8 * lacking_rows)  # an element and its number
            self.assertLessEqual(received[6], 9 * 8 * mesh["x"] * len(holders))

    def test_update_anywhere(self):
        for mesh, shape, own in self.each():
            part = (31, 17)
            lines = [f"let a = iota({text(shape, own)})", f"let v = iota({text(part, own)})", "let b = update(a, [40, 50], v)"]
            self.holds(mesh, lines, lacking(mesh, (part, own), (shape, own), (-40, -50)))

    def test_steps(self):
        for mesh, shape, own in self.each():
            a, rows = f"let a = iota({text(shape, own)})", shape[0]
            for first, step in [(1, 3), (rows - 1, -1), (rows - 2, -4)]:
                picked = range(first, rows if step > 0 else -1, step)
                elements = lacking_picked(mesh, shape, own, picked)
                self.holds(mesh, [a, f"let b = a[{first}::{step}]"], elements)
            self.holds(mesh, [a, "let b = reverse(a, 0)"], lacking_picked(mesh, shape, own, range(rows - 1, -1, -1)))

    def test_roll(self):
        for mesh, shape, own in self.each():
            a, rows = f"let a = iota({text(shape, own)})", shape[0]
            for by in (1, -50):
                by_rows = by % rows
                elements = sum(lacking(mesh, (shape, own), (shape, own), (shift, 0)) for shift in (-by_rows, rows - by_rows))
                self.holds(mesh, [a, f"let b = roll(a, {by}, 0)"], elements)
                self.holds(mesh, [a, f"let i = sum([{by}, 0])", "let b = roll(a, i, 0)"], elements)

    def test_pending_products(self):
        for mesh, shape, own in self.each():
            a = f"let a = iota({text(shape, own)})"
            result = text((shape[1],), (own[1],))
            elements = reduced(mesh, shape, own)
            self.holds(mesh, [a, f"let b: {result} = prod(a, dim=0)"], elements)

    def test_positions_of_extremes(self):
        for mesh, shape, own in self.each():
            a = f"let a = iota({text(shape, own)})"
            positions = text((shape[1],), (own[1],)).replace("f32", "i64")
            elements = reduced(mesh, shape, own)
            self.holds(mesh, [a, f"let b: {positions} = argmax(a, dim=0)"], 3 * elements)  # a maximum and a position: 4 B and 8 B

    def test_diagonals(self):
        for mesh in MESHES:
            for own in [("x", ""), ("", "x")] + ([("x", "y"), ("y", "x"), ("", "xy")] if "y" in mesh else []):
                a = f"let a = iota({text((97, 97), own)})"
                self.holds(mesh, [a, 'let b = einsum("ii->i", a)', 'let c = einsum("ii->", a)'], 0)

    def test_reshape(self):
        for mesh in MESHES:
            shape, splits = (144, 120), [("", "x")] + ([("x", "y"), ("", "xy"), ("y", "x")] if "y" in mesh else [])
            for own in splits:
                lines = [f"let a = iota({text(shape, own)})", "let b = reshape(a, [17280])"]
                self.holds(mesh, lines, lacking(mesh, (shape, own), (shape, (own[0] + own[1], "")), (0, 0)))

    def test_a_reshape_of_uneven_tiles_shifts_what_lies_beside_their_ends(self):
        """Values, the gradient, and bytes: beyond what dealing the rows receives no more than a quarter of the array, which is small."""
        for mesh in MESHES:
            for shape, own, into in [((1031, 127), ("", "x"), (-1,)), ((1031, 127), ("x", ""), (-1,)), ((130937,), ("x",), (1031, 127)),
                                     ((2, 521, 126), ("", "x", ""), (2, -1)), ((210, 1, 599), ("", "", "x"), (105, 1198))]:
                whole, to = text(shape, ("",) * len(shape)), ", ".join(map(str, into))
                lines = [f"let a = iota({text(shape, own)}) % 8191.0", f"let b = reshape(a, [{to}])",
                         f"fn loss(a: {whole}?, w: f32[{'N' if len(into) == 1 else 'N, M'}]?) = sum(reshape(a, [{to}]) * w)",
                         "let (l, g) = grad(loss, wrt=a)(a, b)",
                         f"print all(b == reshape(iota({whole}) % 8191.0, [{to}])), all(g == a)"]
                declared = ", ".join(f"{axis}: {size}" for axis, size in mesh.items())
                self.write("machine.json", MACHINE)
                self.write("a.tess", f"mesh m = [{declared}]\n" + "\n".join(lines) + "\n")
                done = self.tessera("run", "a.tess", "--stats", "--machine", "machine.json")
                self.assertEqual((done.status, done.out), (0, "True True\n"), (lines, done.err))
                dealt = 4 * lacking(mesh, (shape, own), (shape, ("x",) + ("",) * (len(shape) - 1)), (0,) * len(shape))
                room = math.prod(shape)
                received = received_by(next(line for line in done.err.splitlines() if line.startswith("a.tess:3:")) + "\n")
                self.assertLessEqual(sum(received), dealt + room, lines)

    def test_the_tables_of_the_page(self):
        page = (Path(__file__).resolve().parents[2] / "docs/operations.md").read_text(encoding="utf-8")
        for shapes in (operations_table.EVEN, operations_table.UNEVEN):
            self.assertIn("\n".join(operations_table.table(self.executable, shapes)), page)


if __name__ == "__main__":
    main()
