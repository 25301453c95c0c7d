"""Arrays of .safetensors files, their indices and .npz archives: read by every layout, and lies in their heads refused."""

import io
import json
import struct
import unittest
import zipfile
from pathlib import Path

import numpy as np

from driver import CommandLine, main

DTYPES = {"f4": "F32", "f8": "F64", "f2": "F16", "i4": "I32", "i8": "I64", "b1": "BOOL", "u1": "U8", "u8": "U64"}


def dtype_of(array):
    return DTYPES[array.dtype.str[1:]]


def safetensors(arrays, **changes):
    """The bytes of a file that holds these; `changes` replace parts of an array's entry."""
    head, data = {"__metadata__": {"format": "np"}}, b""
    for name, array in arrays.items():
        bytes_ = array.tobytes()
        head[name] = {"dtype": dtype_of(array), "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(bytes_)]}
        head[name].update(changes.get(name, {}))
        data += bytes_
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


def npz(arrays, compressed):
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def contents(data):
    """The arrays of a .safetensors file, whose bytes have to fill it, and what it says of itself."""
    length = struct.unpack("<Q", data[:8])[0]
    head, begin, last = json.loads(data[8:8 + length]), 8 + length, 0
    assert begin % 8 == 0, begin
    metadata, arrays = head.pop("__metadata__", None), {}
    for name, tensor in sorted(head.items(), key=lambda item: item[1]["data_offsets"]):
        at, end = tensor["data_offsets"]
        code = {value: key for key, value in DTYPES.items()}.get(tensor["dtype"], "u2")
        assert at == last and at % np.dtype(code).itemsize == 0, name
        arrays[name], last = np.frombuffer(data[begin + at:begin + end], code).reshape(tensor["shape"]), end
    assert begin + last == len(data)
    return arrays, metadata


W = np.arange(24, dtype="f4").reshape(6, 4)
B = np.arange(5, dtype="i8")
ALL = {"h.0.w": W, "b": B, "flags": np.array([True, False, True]), "half": np.arange(4, dtype="f2")}
TYPES = {"h.0.w": "f32[6, 4]", "b": "i64[5]", "flags": "bool[3]", "half": "f16[4]"}


class Stored(CommandLine):
    def loads(self, file, name, type_, mesh="x: 2, y: 2"):
        script = f'mesh m = [{mesh}]\nlet a = load("{file}", {type_}, name="{name}")\nsave(a, "out.npy")\n'
        self.succeeds("run", self.write("load.tess", script))
        return np.load(self.folder / "out.npy")

    def refused(self, status, slug, file, name="h.0.w", type_="f32[6, 4]"):
        said = self.fails(status, "run", "-", text=f'print load("{file}", {type_}, name="{name}")\n').err
        self.assertIn(f"error[{slug}]", said)
        return said

    def test_every_form_and_layout(self):
        self.write("a.safetensors", safetensors(ALL))
        self.write("a.npz", npz(ALL, False))
        self.write("c.npz", npz(ALL, True))
        for file in ("a.safetensors", "a.npz", "c.npz"):
            for name, array in ALL.items():
                with self.subTest(file=file, name=name):
                    self.assertTrue(np.array_equal(self.loads(file, name, TYPES[name]), array))
            for layout in ("f32[6@x, 4]", "f32[6, 4@x]", "f32[6@(y,x), 4]", "f32[_@y, _@x]"):
                self.assertTrue(np.array_equal(self.loads(file, "h.0.w", layout), W))

    def test_large_arrays_deflated(self):
        draw = np.random.default_rng(7)
        arrays = {"noise": draw.standard_normal((300, 200)).astype("f4"), "zeros": np.zeros((500, 300), "f4"),
                  "ramp": np.tile(np.arange(97, dtype="f4"), 900).reshape(900, 97)}
        self.write("large.npz", npz(arrays, True))
        for name, array in arrays.items():
            self.assertTrue(np.array_equal(self.loads("large.npz", name, f"f32[{array.shape[0]}@x, {array.shape[1]}]"), array))

    def test_names_from_numbers(self):
        layers = {f"h.{i}.w": W + i for i in range(3)}
        self.write("model.safetensors", safetensors(layers))
        out = self.succeeds("run", "-", text='mesh m = [x: 2]\nlet s = loop v = zeros(f32[6@x, 4]) for i < 3 '
                            '{ v + load("model.safetensors", f32[6@x, 4], name="h.{i}.w") }\nprint sum(s)\n')
        self.assertEqual(float(out), float(sum(layer.sum() for layer in layers.values())))

    def test_an_index_of_several_files(self):
        self.write("model-1.safetensors", safetensors({"a": W}))
        self.write("model-2.safetensors", safetensors({"b": B}))
        index = {"metadata": {"total_size": 1}, "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
        self.write("model.safetensors.index.json", json.dumps(index))
        self.assertTrue(np.array_equal(self.loads("model.safetensors.index.json", "b", "i64[5]"), B))
        self.assertIn("holds no array", self.refused(3, "no-such-array", "model.safetensors.index.json", "c"))
        self.write("far.safetensors.index.json", json.dumps({"weight_map": {"a": "../model-1.safetensors"}}))
        self.refused(3, "bad-archive", "far.safetensors.index.json", "a")

    def test_what_is_not_there(self):
        self.write("a.safetensors", safetensors(ALL))
        self.write("a.npz", npz(ALL, False))
        for file in ("a.safetensors", "a.npz"):
            self.assertIn('did you mean "h.0.w"?', self.refused(3, "no-such-array", file, "h.0.v"))
            self.refused(3, "file-shape-mismatch", file, type_="f32[4, 6]")
            self.refused(3, "file-element-mismatch", file, type_="i32[6, 4]")
        self.write("u.safetensors", safetensors({"h.0.w": np.zeros(3, "u8")}))
        self.assertIn("has elements of U64", self.refused(3, "bad-archive", "u.safetensors"))

    def test_which_array_has_to_be_said(self):
        said = self.fails(1, "run", "-", text='print load("a.safetensors", f32[4])\n').err
        self.assertIn('say which one: `load("model.safetensors", T, name="w")`', said)
        for text in ('print load("a.npy", f32[4], name="w")', 'save(ones(f32[4]), "a.npy", name="w")',
                     'save_shards(ones(f32[4]), "a.safetensors", name="w")'):
            self.assertIn("leave `name=` out", self.fails(1, "run", "-", text=text + "\n").err)

    def test_lies_in_tensors(self):
        good = safetensors(ALL)
        length = struct.unpack("<Q", good[:8])[0]
        twice = good[8:8 + length].replace(b'"b"', b'"flags"')
        lies = {
            "short": good[:5], "cut": good[:-1], "more": good + b"x", "head": struct.pack("<Q", 1 << 60) + good[8:],
            "text": struct.pack("<Q", length - 1) + good[8:], "list": struct.pack("<Q", 2) + b"[]",
            "twice": struct.pack("<Q", len(twice)) + twice + good[8 + length:],
            "over": safetensors(ALL, b={"data_offsets": [40, 80]}), "gap": safetensors(ALL, b={"data_offsets": [97, 137]}),
            "back": safetensors(ALL, b={"data_offsets": [136, 96]}), "size": safetensors(ALL, b={"shape": [6]}), "half": good.replace(b'"b"', b'"\xff"'),
            "negative": safetensors(ALL, b={"shape": [-5]}), "huge": safetensors(ALL, b={"shape": [1 << 40, 1 << 40]}),
            "far": safetensors(ALL, half={"data_offsets": [139, 1 << 50]}), "braces": struct.pack("<Q", 100_000) + b"{" * 100_000,
            "digits": struct.pack("<Q", 100_009) + b'{"a":' + b"9" * 100_004,
        }
        for name, data in lies.items():
            with self.subTest(lie=name):
                self.write("lie.safetensors", data)
                self.refused(3, "bad-archive", "lie.safetensors")

    def test_a_head_of_100_megabytes(self):
        with open(self.folder / "long.safetensors", "wb") as file:
            file.write(struct.pack("<Q", 100_000_000) + b"{" + b" " * 99_999_999)
        self.assertIn("is too long", self.refused(3, "bad-archive", "long.safetensors"))

    def test_any_byte_changed(self):
        """Wherever a head is damaged the array is right, or there is a reason."""
        small = {"h.0.w": W[:2]}
        for name, data in (("s.safetensors", safetensors(small)), ("s.npz", npz(small, False)), ("d.npz", npz(small, True))):
            for at in range(0, len(data), 7):
                changed = bytearray(data)
                changed[at] ^= 0x41
                self.write(name, bytes(changed))
                done = self.tessera("run", "-", text=f'print load("{name}", f32[2, 4], name="h.0.w")\n')
                self.assertIn(done.status, (0, 3), (name, at, done.err))

    def test_lies_in_archives(self):
        good = npz(ALL, True)
        end = good.rindex(b"PK\5\6")
        central = good.index(b"PK\1\2")
        lies = {"short": good[:10], "cut": good[: end + 10], "place": good[: end + 16] + struct.pack("<I", 1 << 30) + good[end + 20:],
                "count": good[: end + 10] + struct.pack("<H", 9) + good[end + 12:],
                "size": good[: central + 24] + struct.pack("<I", 1 << 31) + good[central + 28:],
                "method": good[: central + 10] + struct.pack("<H", 12) + good[central + 12:],
                "over": good[: central + 42] + struct.pack("<I", 1) + good[central + 46:],
                "locked": good[: central + 8] + struct.pack("<H", 1) + good[central + 10:]}
        for name, data in lies.items():
            with self.subTest(lie=name):
                self.write("lie.npz", data)
                self.refused(3, "bad-archive", "lie.npz")
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("h.0.w.npy", b"no array at all")
        self.write("plain.npz", file.getvalue())
        self.refused(3, "bad-npy", "plain.npz")

    def saves(self, text):
        self.succeeds("run", "-", text="mesh m = [x: 2, y: 2]\n" + text)

    def test_what_is_saved_is_there_beside_the_others(self):
        self.write("a.safetensors", safetensors(ALL))
        self.write("a.npz", npz(ALL, True))
        for file in ("a.safetensors", "a.npz", "fresh.safetensors", "fresh.npz"):
            before = ALL if file.startswith("a") else {}
            self.saves(f'let w = load("a.safetensors", f32[6@x, 4@y], name="h.0.w")\n'
                       f'save(w * 2.0, "{file}", name="two")\nsave(sum(w), "{file}", name="sum")\n'
                       f'save(w > 7.0, "{file}", name="flags")\nsave(zeros(f64[0@x, 3]), "{file}", name="none")\n')
            wanted = {**before, "two": W * 2, "sum": W.sum(), "flags": W > 7, "none": np.zeros((0, 3))}
            data = (self.folder / file).read_bytes()
            if file.endswith(".npz"):
                found = dict(np.load(io.BytesIO(data)))
                self.assertIsNone(zipfile.ZipFile(io.BytesIO(data)).testzip())
            else:
                found, metadata = contents(data)
                self.assertEqual(metadata, {"format": "np"} if before else None)
            self.assertEqual(sorted(found), sorted(wanted))
            for name, array in wanted.items():
                self.assertEqual(found[name].dtype, np.asarray(array).dtype, name)
                self.assertTrue(np.array_equal(found[name], array), name)

    def test_elements_that_we_lack_stay(self):
        half = np.array([1, 2, 3], "f4")
        self.write("a.safetensors", safetensors({"bytes": np.arange(3, dtype="u8"), "w": half}))
        self.saves('save(ones(bf16[5@x]), "a.safetensors", name="b")\n')
        found, _ = contents((self.folder / "a.safetensors").read_bytes())
        self.assertEqual(found["bytes"].tolist(), [0, 1, 2])
        self.assertEqual(found["b"].tolist(), [0x3F80] * 5)
        self.assertEqual(found["w"].tolist(), [1, 2, 3])

    def test_large_arrays_saved(self):
        """Several pieces, whose check sums are joined."""
        self.saves('let a = normal(f32[3000@x, 2001], 1)\nsave(a, "a.npy")\nsave(a, "a.npz", name="a")\n'
                   'save(a, "a.safetensors", name="a")\n')
        wanted = np.load(self.folder / "a.npy")
        self.assertTrue(np.array_equal(np.load(self.folder / "a.npz")["a"], wanted))
        self.assertTrue(np.array_equal(contents((self.folder / "a.safetensors").read_bytes())[0]["a"], wanted))

    def test_saved_by_an_index(self):
        self.write("old.safetensors", safetensors({"a": W, "b": B}))
        self.write("model.safetensors.index.json", json.dumps(
            {"metadata": {"total_size": W.nbytes + B.nbytes, "who": [1]}, "weight_map": {"a": "old.safetensors", "b": "old.safetensors"}}))
        self.write("model-00002.safetensors", "somebody else's")
        self.saves('save(zeros(i64[7]), "model.safetensors.index.json", name="b")\n'
                   'loop a = 0 for i < 3 { save(full(f32[2@x], f32(i)), "model.safetensors.index.json", name="h.{i}")\na }\n')
        index = json.loads(self.read("model.safetensors.index.json"))
        self.assertEqual(index["metadata"], {"total_size": W.nbytes + 7 * 8 + 3 * 8, "who": [1]})
        self.assertEqual(index["weight_map"], {
            "a": "old.safetensors", "b": "old.safetensors", "h.0": "model-00001.safetensors", "h.1": "model-00003.safetensors",
            "h.2": "model-00004.safetensors"})
        arrays, _ = contents((self.folder / "old.safetensors").read_bytes())
        self.assertTrue(np.array_equal(arrays["a"], W) and arrays["b"].tolist() == [0] * 7)
        self.assertEqual(self.loads("model.safetensors.index.json", "h.2", "f32[2]").tolist(), [2, 2])
        self.assertEqual(self.read("model-00002.safetensors"), "somebody else's")

    def test_nothing_is_lost_where_nothing_can_be_added(self):
        lies = {"a.safetensors": safetensors(ALL)[:-1], "a.npz": npz(ALL, False)[:-1], "model.safetensors.index.json": b"{"}
        for name, data in lies.items():
            self.write(name, data)
            done = self.fails(3, "run", "-", text=f'save(ones(f32[4]), "{name}", name="w")\n')
            self.assertIn("error[bad-archive]", done.err)
            self.assertEqual((self.folder / name).read_bytes(), data)
        done = self.fails(3, "run", "-", text='save(ones(f32[4]), "b.safetensors", name="__metadata__")\n')
        self.assertIn("is not the name of an array there", done.err)
        self.assertFalse((self.folder / "b.safetensors").exists())

    def test_move(self):
        self.write("model.safetensors", safetensors({"w": W, "b": B, "other": W}))
        lines = [{"name": "w", "mesh": "x:2", "to_mesh": "x:2 on 2:4", "from": "f32[6@x,4]", "to": "f32[6,4@x]"},
                 {"name": "b", "mesh": "x:2", "to_mesh": "x:2 on 2:4", "from": "i64[5]", "to": "i64[5@x]"}]
        self.write("list.json", "\n".join(map(json.dumps, lines)))
        (self.folder / "out").mkdir()
        self.succeeds("move", "list.json", "--from", "model.safetensors", "--to", "out")
        self.assertTrue(np.array_equal(np.load(self.folder / "out/w.dev3.npy"), W[:, 2:]))
        for file in ("out.safetensors", "out.npz"):
            self.succeeds("move", "list.json", "--from", "model.safetensors", "--to", file)
            data = (self.folder / file).read_bytes()
            found = contents(data)[0] if file.endswith("s") else dict(np.load(io.BytesIO(data)))
            self.assertEqual(sorted(found), ["b", "w"])
            self.assertTrue(np.array_equal(found["w"], W) and np.array_equal(found["b"], B))
        self.succeeds("move", "list.json", "--from", "out.npz", "--to", "again.safetensors")
        self.assertEqual(self.read_bytes("again.safetensors"), self.read_bytes("out.safetensors"))
        said = self.fails(3, "move", "list.json", "--from", "model.safetensors", "--to", "m.safetensors.index.json").err
        self.assertIn("several arrays go into a .safetensors file or a .npz archive", said)

    def test_the_example(self):
        example = Path(__file__).resolve().parents[2] / "examples/interop/model_file.tess"
        self.assertIn("answers: ", self.succeeds("run", str(example)))
        arrays, _ = contents(self.read_bytes("model.safetensors"))
        self.assertEqual(sorted(arrays), ["h.0.mlp.w1", "h.0.mlp.w2", "h.1.mlp.w1", "h.1.mlp.w2"])

    def test_the_solver_goes_on_from_its_checkpoint(self):
        solver = Path(__file__).resolve().parents[2] / "examples/programs/conjugate_gradients.tess"
        first = self.succeeds("run", str(solver))
        self.assertTrue((self.folder / "potential.npy").exists())
        for size in ("1", "3"):
            (self.folder / "there.tess").write_text(solver.read_text().replace("x: 4", f"x: {size}"))
            again = self.succeeds("run", "there.tess", "--define", "resumed=true")
            numbers = [[float(word) for word in text.split()[3:]] for text in (first, again)]
            self.assertTrue(np.allclose(*numbers, rtol=1e-6), numbers)

    def read_bytes(self, name):
        return (self.folder / name).read_bytes()


if __name__ == "__main__":
    main()
