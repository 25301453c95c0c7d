"""What to write instead of NumPy's, JAX's and PyTorch's names: an Array computes nothing by itself, a program does."""

from __future__ import annotations

from typing import Any, NoReturn

from ._tessera import Array, operations
from .interop import _shape_text

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"}
_IN_PROGRAMS = 's["a"] = a binds it, and s.run("let b = {}") computes; numpy.asarray(a) is the whole array'
# Of arrays: an expression of the language.
_WRITTEN = {"T": "transpose(a)", "mT": "transpose(a)", "astype": "f64(a)", "to": "f64(a)", "dot": "a @ a", "ravel": "reshape(a, [-1])",
            "flatten": "reshape(a, [-1])", "view": "reshape(a, [-1])", "at": "a with [0] = 1.0", "redistribute": "a as [8, 4@x]"}
# Of arrays: what is here in its place.
_INSTEAD = {
    "sharding": "the layout is part of `a.type`", "placements": "the layout is part of `a.type`", "device_mesh": "the mesh is `a.mesh`",
    "addressable_shards": "`a.tiles` has the tile of every device, `a.box(d)` says where it lies", "to_local": "`a.tile(d)` is a device's tile",
    "block_until_ready": "there is nothing to wait for: a call returns when its work is done",
    "full_tensor": "`numpy.asarray(a)` is the whole array", "numpy": "`numpy.asarray(a)` is the whole array",
    "tolist": "`numpy.asarray(a).tolist()`", "item": "`float(a)`, `int(a)` and `bool(a)` are a scalar's number",
}
_MESH = 'a program says it: s.run("mesh m = [x: 4, y: 2]")'
_ARRAY = 's = tessera.Session(), then s.array(x, "f32[8@x, 4]")'
_LAYOUT = 'a layout is part of the type, "f32[8@x, 4]"; tessera.interop.read takes that of an array of JAX or PyTorch'
_OF_PACKAGE = {
    "jit": 's.function("f") compiles a function of a program', "compile": 's.function("f") compiles a function of a program',
    "grad": "a program says `grad(f, wrt=[w])(x, w)`", "value_and_grad": "a program says `grad(f, wrt=[w])(x, w)`",
    "vmap": "operations take whole arrays: call the function itself", "pmap": "the types say which device computes what",
    "shard_map": "the types say which device computes what", "make_mesh": _MESH, "init_device_mesh": _MESH, "Mesh": _MESH, "array": _ARRAY, "asarray": _ARRAY, "device_put": _ARRAY,
    "distribute_tensor": _ARRAY, "P": _LAYOUT, "PartitionSpec": _LAYOUT, "NamedSharding": _LAYOUT, "Shard": _LAYOUT, "Replicate": _LAYOUT,
    "numpy": 'programs are texts, and arrays compute in them: s = tessera.Session(), then s.run("let a = ones(f32[8])")',
}


def _is_operation(name: str) -> bool:
    return any(operation.name == name for operation in operations())


def _attribute(array: Array, name: str) -> NoReturn:
    text = f"'Array' object has no attribute '{name}'"
    written = _WRITTEN.get(name) or (f"{name}(a)" if not name.startswith("_") and _is_operation(name) else "")
    if written:
        text += f": {_IN_PROGRAMS.format(written)}"
    elif name in _INSTEAD:
        text += f": {_INSTEAD[name]}"
    raise AttributeError(text, name=name, obj=array)


def _operator(sign: str, begin: str, end: str) -> Any:
    def told(array: Array, other: object) -> Any:
        if type(other) not in (int, float, complex, bool, Array):
            return NotImplemented  # numpy gathers the array and computes
        raise TypeError(f"an Array has no `{sign}`: {_IN_PROGRAMS.format(f'{begin} {sign} {end}')}")

    return told


def _item(array: Array, index: object) -> NoReturn:
    raise TypeError(f"an Array has no [..]: a.tiles[d] is the tile of a device; {_IN_PROGRAMS.format('a[0]')}")


def teach() -> None:
    """Arrays say so from now on."""
    for name, sign in _OPERATORS.items():
        other = "a" if sign == "@" else "2.0"
        setattr(Array, f"__{name}__", _operator(sign, "a", other))
        setattr(Array, f"__r{name}__", _operator(sign, other, "a"))
    setattr(Array, "__getitem__", _item)
    setattr(Array, "__getattr__", _attribute)


def no_type(x: Any, meshes: dict[str, dict[str, int]]) -> NoReturn:
    """Raises what `s.array(x)` deserves in a session with these meshes."""
    text = "s.array(x, type): the type says where the elements live"
    if getattr(x, "shape", ()):
        whole = _shape_text(x).replace(",", ", ")
        text += f', "{whole}" puts all of them on every device'
        for axis in [axis for axes in meshes.values() for axis in axes][:1]:
            first = f"[{x.shape[0]}"
            text += f', "{whole.replace(first, f"{first}@{axis}")}" splits the first dimension over {axis}'
    raise TypeError(text)


def of_package(name: str) -> NoReturn:
    """Raises what `tessera.NAME` deserves where there is no such name."""
    text = f"module 'tessera' has no attribute '{name}'"
    if name in _OF_PACKAGE:
        text += f": {_OF_PACKAGE[name]}"
    elif name in ("run", "check", "function", "borrow", "names", "meshes"):
        text += f": it is a session's, s = tessera.Session(), then s.{name}(..)"
    elif not name.startswith("_") and _is_operation(name):
        text += f': it is an operation of programs: s = tessera.Session(), then s.run("let b = {name}(..)")'
    raise AttributeError(text, name=name)
