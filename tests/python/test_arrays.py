"""Arrays in and out: what is copied, what is not, and what the wrong thing is told."""

import ctypes
import itertools

import numpy as np
import pytest

import tessera

ELEMENTS = {"bool": "?", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8", "f16": "f2",
            "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "u32": "u4", "c64": "c8", "c128": "c16"}


@pytest.fixture
def session():
    s = tessera.Session()
    s.run("mesh m = [x: 4, y: 2]")
    return s


def numbers(shape, dtype):
    count = int(np.prod(shape))
    return (np.arange(count) % 2 if dtype == "?" else np.arange(count)).astype(dtype).reshape(shape)


LAYOUTS = [((7,), "7@x"), ((7,), "7"), ((5, 3), "5@x, 3"), ((5, 3), "5, 3@x"), ((5, 3), "5@(y,x), 3"), ((4, 5, 3), "4, 5@y, 3@x"),
           ((4, 5, 3), "4@x, 5, 3@y"), ((1, 8), "1@x, 8@y"), ((0, 3), "0@x, 3")]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("shape, layout", LAYOUTS)
def test_every_element_type_and_order_comes_back(session, element, shape, layout):
    whole = numbers(shape, ELEMENTS[element])
    wide = np.zeros([2 * extent for extent in shape], whole.dtype)
    strided = wide[tuple(slice(None, None, 2) for _ in shape)]
    strided[...] = whole
    frozen = whole.copy()
    frozen.flags.writeable = False
    backwards = np.ascontiguousarray(whole[::-1])[::-1]
    for x in (whole, np.asfortranarray(whole), strided, frozen, backwards):
        for copy in (None, True):
            a = session.array(x, f"{element}[{layout}]", copy=copy)
            assert a.shape == shape and a.ndim == len(shape) and a.size == whole.size
            assert a.dtype == whole.dtype
            np.testing.assert_array_equal(np.asarray(a), whole)
            for device in range(a.devices):
                np.testing.assert_array_equal(a.tile(device), whole[a.box(device)])
                assert not a.tile(device).flags.writeable
            if copy:
                assert not any(np.shares_memory(tile, x) for tile in a.tiles)


@pytest.mark.parametrize("shape, layout", LAYOUTS)
def test_what_is_dense_is_read_in_place_and_copy_false_says_where_it_is_not(session, shape, layout):
    whole = numbers(shape, "f4")
    for x in (whole, np.asfortranarray(whole)):
        pieces = [x[session.array(x, f"f32[{layout}]").box(d)] for d in range(8)]
        dense = all(piece.flags.c_contiguous for piece in pieces)
        a = session.array(x, f"f32[{layout}]")
        assert a.borrowed == dense
        for piece, tile in zip(pieces, a.tiles):
            if piece.size and piece.flags.c_contiguous:
                assert np.shares_memory(tile, x)
        if dense:
            assert session.array(x, f"f32[{layout}]", copy=False).borrowed
        else:
            with pytest.raises(ValueError, match=r"leave out copy=False, .*ascontiguousarray.*s\.borrow"):
                session.array(x, f"f32[{layout}]", copy=False)


def test_wrong_elements_name_what_to_type(session):
    for element, other in itertools.permutations(ELEMENTS, 2):
        with pytest.raises(TypeError, match=f"the type wants {element}: convert it, `x.astype"):
            session.array(np.zeros(4, ELEMENTS[other]), f"{element}[4]")
    for wrong in (np.zeros(4, "u8"), np.zeros(4, "G"), np.zeros(4, ">f4"), np.zeros(4, ">i2"), np.array(["a"])):
        with pytest.raises(TypeError, match="convert it"):
            session.array(wrong, "f32[4]")
        with pytest.raises(TypeError, match="element types are bool, i8"):
            session["w"] = wrong
    with pytest.raises(TypeError, match=r"numpy\.asarray\(x\)"):
        session.array([1.0, 2.0], "f32[2]")


def test_wrong_shapes_and_types(session):
    with pytest.raises(ValueError, match=r"the shape is \(4,\), and f32\[5@x\] wants \(5,\)"):
        session.array(np.zeros(4, "f4"), "f32[5@x]")
    with pytest.raises(tessera.ProgramError) as caught:
        session.array(np.zeros(4, "f4"), "f32[4@z]")
    assert caught.value.slug == "unknown-axis"
    with pytest.raises(tessera.ProgramError):
        session.array(np.zeros(4, "f4"), "f32[4")
    with pytest.raises(tessera.CommandError, match=r"borrow\(\)"):
        session.array(np.zeros(4, "f4"), "f32[4]{+x}")
    with pytest.raises(ValueError, match=r"tile 1 of f32\[8@\(x,y\)\] wants \(1,\)"):
        session.borrow([np.zeros(1, "f4"), np.zeros(2, "f4")] * 4, "f32[8@(x,y)]")
    with pytest.raises(tessera.CommandError, match="8 devices, but 3 tiles"):
        session.borrow([np.zeros(1, "f4")] * 3, "f32[8@(x,y)]")


def test_borrowed_tiles_are_seen_where_they_are(session):
    tiles = [np.full((2, 3), device, "f4") for device in range(8)]
    a = session.borrow(tiles, "f32[16@(x,y), 3]")
    assert a.borrowed and all(np.shares_memory(mine, theirs) for mine, theirs in zip(tiles, a.tiles))
    tiles[0] = np.asfortranarray(np.ones((2, 3), "f4"))
    assert not session.borrow(tiles, "f32[16@(x,y), 3]").borrowed
    pending = session.borrow([np.full(3, 2.0, "f4")] * 8, "f32[3]{+x}")
    np.testing.assert_array_equal(np.asarray(pending), np.full(3, 8.0, "f4"))


def test_what_is_replicated_goes_out_in_place_and_what_is_split_is_gathered(session):
    session.run("let a = iota(f32[6, 2])\nlet b = a as [6@x, 2]")
    whole, split = session["a"], session["b"]
    out = np.asarray(whole)
    assert np.shares_memory(out, whole.tile(3)) or np.shares_memory(out, whole.tile(0))
    assert not out.flags.writeable
    with pytest.raises(ValueError):
        out[0] = 1
    assert np.array(whole, copy=True).flags.writeable and whole.__array__(copy=True).flags.writeable
    assert whole.__array__(np.dtype("f8")).dtype == "f8"
    gathered = np.asarray(split)
    assert gathered.flags.writeable
    np.testing.assert_array_equal(gathered, out)
    with pytest.raises(ValueError, match=r"a\.tiles"):
        split.__array__(copy=False)
    with pytest.raises(BufferError, match=r"numpy\.asarray\(a\)"):
        split.__dlpack__()
    assert whole.__dlpack_device__() == (1, 0)
    shared = np.from_dlpack(whole)
    assert np.shares_memory(shared, out)


def test_views_keep_arrays_alive(session):
    session.run("let a = iota(f32[1000@x])")
    tile = session["a"].tile(2)
    want = tile.copy()
    session.run("let a = 0")
    for _ in range(3):
        session.run("let big = zeros(f32[1000@x]) + 1.0")
    np.testing.assert_array_equal(tile, want)


def test_bf16(session):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    whole = np.arange(12, dtype="f4").astype(ml_dtypes.bfloat16).reshape(4, 3)
    a = session.array(whole, "bf16[4@x, 3]")
    assert a.dtype == ml_dtypes.bfloat16 and a.borrowed
    np.testing.assert_array_equal(np.asarray(a).astype("f4"), whole.astype("f4"))
    for device in range(8):
        np.testing.assert_array_equal(a.tile(device).astype("f4"), whole[a.box(device)].astype("f4"))
    with pytest.raises(TypeError, match=r"ml_dtypes\.bfloat16"):
        session.array(np.zeros(4, "f4"), "bf16[4]")


def test_bf16_without_ml_dtypes_names_what_to_do(session, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    session.run("let a = zeros(bf16[4])")
    with pytest.raises(TypeError, match=r"f32\(a\)"):
        np.asarray(session["a"])
    assert "0." in repr(session["a"])


def test_scalars_are_numbers(session):
    session.run("let i = 7\nlet f = f64(2.5)\nlet t = 1 < 2\nlet v = iota(f32[2])\nlet h = f16(1.5)")
    assert (int(session["i"]), float(session["f"]), bool(session["t"]), float(session["h"])) == (7, 2.5, True, 1.5)
    with pytest.raises(TypeError, match=r"f32\[2\] is no scalar.*sum\(a\)"):
        float(session["v"])
    with pytest.raises(TypeError, match=r"an Array has no `\+`"):
        session["v"] + session["v"]


def test_other_libraries_arrays(session):
    """Whoever has a buffer or __dlpack__; these are no numpy arrays."""
    plain = (ctypes.c_float * 6)(*range(6))
    np.testing.assert_array_equal(np.asarray(session.array(plain, "f32[6@x]")), np.arange(6, dtype="f4"))

    class ByDlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    whole = np.arange(6, dtype="f8").reshape(3, 2)
    a = session.array(ByDlpack(whole), "f64[3@x, 2]")
    assert np.shares_memory(a.tile(7), whole)
    del whole
    np.testing.assert_array_equal(np.asarray(a), np.arange(6, dtype="f8").reshape(3, 2))
    for library, make in (("jax.numpy", lambda m: m.arange(6, dtype="float32")), ("torch", lambda m: m.arange(6, dtype=m.float32))):
        try:
            module = __import__(library, fromlist=["arange"])
        except ImportError:
            continue
        np.testing.assert_array_equal(np.asarray(session.array(make(module), "f32[6@x]")), np.arange(6, dtype="f4"))
