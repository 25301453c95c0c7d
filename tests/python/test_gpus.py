"""Arrays of GPUs in and out, on the emulated driver: other libraries are played by this file, which calls the driver by itself."""

import ctypes
import gc
import os
from pathlib import Path

import numpy as np
import pytest

import tessera

EMULATED = Path(os.environ["TESSERA_BUILD"]) / "emulated"
CUDA = 2  # DLPack's number of the kind of device
if not (EMULATED / "libcuda.so.1").exists():
    pytest.skip("the emulated driver is not built", allow_module_level=True)
os.environ.update(TESSERA_CUDA=str(EMULATED), XDG_CACHE_HOME=str(EMULATED / "cache"), TESSERA_EMULATED_GPUS="2")


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
rename = ctypes.pythonapi.PyCapsule_SetName
rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Library:
    """Another library's use of a GPU: its own stream and its own memory."""

    def __init__(self, gpu):
        self.driver, self.gpu = ctypes.CDLL(str(EMULATED / "libcuda.so.1")), gpu
        self.context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), gpu)
        self.here("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        assert getattr(self.driver, name)(*arguments) == 0, name

    def here(self, name, *arguments):
        self.call("cuCtxPushCurrent_v2", self.context)
        self.call(name, *arguments)
        self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def pinned(self, size):
        memory = ctypes.c_void_p()
        self.here("cuMemAllocHost_v2", ctypes.byref(memory), ctypes.c_size_t(size))
        return memory

    def array(self, values, offset=0):
        return Produced(self, values, offset)

    def read(self, address, like):
        pinned = self.pinned(like.nbytes)
        self.here("cuMemcpyDtoHAsync_v2", pinned, ctypes.c_uint64(address), ctypes.c_size_t(like.nbytes), self.stream)
        self.here("cuStreamSynchronize", self.stream)
        values = np.frombuffer((ctypes.c_char * like.nbytes).from_address(pinned.value), like.dtype).reshape(like.shape).copy()
        self.here("cuMemFreeHost", pinned)
        return values


class Produced:
    """An array that a stream fills which nobody waits for: whoever takes it has to follow that stream."""

    def __init__(self, library, values, offset):
        self.library, self.values, self.offset, self.streams, self.alive, self.kept = library, values, offset, [], 0, []
        self.base = np.ascontiguousarray(values if values.base is None else values.base)
        self.address, self.pinned = ctypes.c_uint64(), library.pinned(self.base.nbytes)
        library.here("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.base.nbytes + offset))
        ctypes.memmove(self.pinned, self.base.ctypes.data, self.base.nbytes)
        library.here("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.address.value + offset), self.pinned, ctypes.c_size_t(self.base.nbytes),
                     library.stream)
        self.data = self.address.value + offset + (values.ctypes.data - self.base.ctypes.data if values.base is not None else 0)

    def __dlpack_device__(self):
        return CUDA, self.library.gpu

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        event = ctypes.c_void_p()
        self.library.here("cuEventCreate", ctypes.byref(event), 2)
        self.library.here("cuEventRecord", event, self.library.stream)
        self.library.here("cuStreamWaitEvent", ctypes.c_void_p(stream), event, 0)
        shape = (ctypes.c_int64 * self.values.ndim)(*self.values.shape)
        strides = (ctypes.c_int64 * self.values.ndim)(*(s // self.values.itemsize for s in self.values.strides))
        code = CODES[self.values.dtype.kind]
        tensor = Tensor(self.data, CUDA, self.library.gpu, self.values.ndim, code, 8 * self.values.itemsize, 1, shape, strides, 0)
        managed = Managed(tensor, None, DELETER(self.let_go))
        self.kept.append((managed, shape, strides))
        self.alive += 1
        return new_capsule(ctypes.addressof(managed), b"dltensor", None)

    def let_go(self, _):
        self.alive -= 1


class Consumed:
    """What another library makes of an array that it is given."""

    def __init__(self, array, **options):
        capsule = array.__dlpack__(**options)
        self.managed = Managed.from_address(pointer_of(capsule, b"dltensor"))
        rename(capsule, b"used_dltensor")
        self.tensor = self.managed.tensor

    def end(self):
        self.managed.deleter(ctypes.byref(self.managed))


@pytest.fixture
def library():
    return Library(0)


@pytest.fixture
def session():
    s = tessera.Session(gpu="0")
    s.run("mesh m = [x: 2]")
    return s


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1", "?", "f2"])
def test_a_whole_array_goes_out_where_it_lies(session, library, dtype):
    values = (np.arange(24) % 2 if dtype == "?" else np.arange(24)).astype(dtype).reshape(4, 6)
    a = session.array(values, {"f4": "f32", "f8": "f64", "i4": "i32", "i8": "i64", "u1": "u8", "?": "bool", "f2": "f16"}[dtype] + "[4, 6]")
    assert a.__dlpack_device__() == (1, 0)  # it came from a processor, and no run has brought it in
    session["a"] = a
    session.run("let b = a[:, :]")
    b = session["b"]
    assert b.__dlpack_device__() == (CUDA, 0)
    taken = Consumed(b, stream=1)
    t = taken.tensor
    assert (t.device_type, t.device_id, t.ndim, t.code, t.bits, t.lanes) == (CUDA, 0, 2, CODES[values.dtype.kind], 8 * values.itemsize, 1)
    assert [t.shape[0], t.shape[1]] == [4, 6]
    again = Consumed(b, stream=None)
    assert again.tensor.data == t.data
    again.end()
    del a, b
    gc.collect()
    np.testing.assert_array_equal(library.read(t.data, values), values)
    taken.end()


def test_what_goes_out_outlives_its_session(library):
    session = tessera.Session(gpu="0")
    session.run("let a = iota(f32[1000]) * 2.0")
    taken = Consumed(session["a"], stream=2)
    del session
    gc.collect()
    tessera.Session(gpu="0").run("let a = iota(f32[1000]) * 3.0")
    expected = np.arange(1000, dtype="f4") * 2
    np.testing.assert_array_equal(library.read(taken.tensor.data, expected), expected)
    taken.end()


def test_streams_of_the_protocol(session):
    session.run("let a = iota(f32[8])")
    a = session["a"]
    for stream in (None, 1, 2, -1, 1 << 40):
        Consumed(a, stream=stream).end()
    with pytest.raises(ValueError, match="1 is the default stream"):
        a.__dlpack__(stream=0)
    with pytest.raises(TypeError, match="number"):
        a.__dlpack__(stream="1")


def test_a_processor_is_given_a_copy(session):
    session.run("let a = iota(f32[8]) * 0.5")
    a = session["a"]
    taken = Consumed(a, dl_device=(1, 0))
    assert taken.tensor.device_type == 1
    taken.end()
    np.testing.assert_array_equal(np.asarray(a), np.arange(8, dtype="f4") * 0.5)
    np.testing.assert_array_equal(a.tile(1), np.arange(8, dtype="f4") * 0.5)


def test_a_split_array_says_what_to_do(session):
    session.run("let a = iota(f32[8@x])")
    with pytest.raises(BufferError, match="lies on several devices"):
        session["a"].__dlpack__()


def test_an_array_comes_in_where_it_lies(session, library):
    values = np.arange(12, dtype="f4").reshape(3, 4)
    made = library.array(values)
    a = session.array(made, "f32[3, 4]", copy=False)
    assert a.borrowed and made.alive == 1
    assert len(made.streams) == 1 and made.streams[0] not in (None, 0)
    assert a.__dlpack_device__() == (CUDA, 0)
    taken = Consumed(a, stream=1)
    assert taken.tensor.data == made.address.value
    taken.end()
    session["a"] = a
    session.run("let b = a * 2.0 + 1.0\nlet c = sum(a, dim=0)")
    np.testing.assert_array_equal(np.asarray(session["b"]), values * 2 + 1)
    np.testing.assert_array_equal(np.asarray(session["c"]), values.sum(axis=0))
    np.testing.assert_array_equal(np.asarray(a), values)


def test_what_came_in_is_let_go_of(session, library):
    made = library.array(np.arange(64, dtype="f4"))
    a = session.array(made, "f32[64]", copy=False)
    assert made.alive > 0
    del a
    gc.collect()
    assert made.alive == 0


@pytest.mark.parametrize("type, borrowed", [("f32[4@x, 6]", True), ("f32[4, 6@x]", False), ("f32[4, 6]", True)])
def test_parts_that_are_not_dense_are_copied_on_the_gpu(session, library, type, borrowed):
    values = np.arange(24, dtype="f4").reshape(4, 6)
    if borrowed and "@" in type:
        values = np.arange(64, dtype="f4").reshape(4, 16)  # its parts are aligned as tiles are
        type = "f32[4@x, 16]"
    made = library.array(values)
    a = session.array(made, type)
    assert a.borrowed == borrowed
    session["a"] = a
    session.run("let b = a + 1.0")
    np.testing.assert_array_equal(np.asarray(session["b"]), values + 1)
    if not borrowed:
        assert made.alive == 0
        with pytest.raises(ValueError, match="leave out copy=False"):
            session.array(made, type, copy=False)


def test_strides_and_addresses_of_any_kind(session, library):
    wide = np.arange(60, dtype="f8").reshape(6, 10)
    for values in (wide[::2, 1:7], wide[:, ::-1][:, :4]):
        made = library.array(values)
        np.testing.assert_array_equal(np.asarray(session.array(made, f"f64[{values.shape[0]}, {values.shape[1]}]")), values)
    shifted = library.array(np.arange(9, dtype="f4"), offset=4)
    a = session.array(shifted, "f32[9]")
    assert not a.borrowed
    np.testing.assert_array_equal(np.asarray(a), np.arange(9, dtype="f4"))


def test_a_name_gets_a_copy(session, library):
    values = np.arange(10, dtype="i4")
    made = library.array(values)
    session["a"] = made
    gc.collect()
    assert made.alive == 0
    np.testing.assert_array_equal(np.asarray(session["a"]), values)
    assert session["a"].__dlpack_device__() == (CUDA, 0)


def test_tiles_on_two_gpus():
    session = tessera.Session(gpu="0,1")
    session.run("mesh m = [x: 2]")
    parts = [Library(gpu).array(np.arange(16, dtype="f4") + 100 * gpu) for gpu in (0, 1)]
    a = session.borrow(parts, "f32[32@x]")
    assert a.borrowed
    session["a"] = a
    session.run("let b = a as [32]\nlet c = sum(a)")
    expected = np.concatenate([part.values for part in parts])
    np.testing.assert_array_equal(np.asarray(session["b"]), expected)
    assert float(session["c"]) == expected.sum()
    with pytest.raises(tessera.TesseraError, match="device 1 of f32\\[16\\] is on GPU 1"):
        session.array(parts[0], "f32[16]")
    with pytest.raises(tessera.TesseraError, match="this memory is GPU 1's, and device 0"):
        session.borrow(list(reversed(parts)), "f32[32@x]")


def test_where_the_session_is_not(library):
    made = library.array(np.arange(8, dtype="f4"))
    for session in (tessera.Session(), tessera.Session(gpu="1")):
        with pytest.raises(TypeError, match=r'lies on GPU 0, where the session has no device: .*Session\(gpu="0"\)'):
            session.array(made, "f32[8]")
        with pytest.raises(TypeError, match="lies on GPU 0"):
            session["a"] = made
    assert made.streams == []


def test_from_one_session_to_another(session):
    other = tessera.Session(gpu="0")
    session.run("let a = random(f32[100], 5)")
    other["b"] = other.array(session["a"], "f32[100]", copy=False)
    other.run("let c = b + b")
    np.testing.assert_array_equal(np.asarray(other["c"]), 2 * np.asarray(session["a"]))
