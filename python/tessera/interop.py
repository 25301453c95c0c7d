"""Layouts as JAX, XLA, Shardy, PyTorch and Alpa have them, read as types and written back; docs/interop.md is their page.

    layout = tessera.interop.read("P('x', None)", shape="f32[8,4]", mesh="x:4")
    layout.type                # f32[8@x, 4]
    layout.write("dtensor")    # [S(0)]

Objects are known by their attributes: neither jax nor torch is imported."""

from __future__ import annotations

from typing import Any

from ._tessera import _layout_formats, _read_layout, _read_layouts, _write_layout

__all__ = ["Layout", "read", "read_pair"]

_ELEMENTS = {"bool": "bool", "int32": "i32", "int64": "i64", "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "uint32": "u32", "complex64": "c64", "complex128": "c128"}
# How a text of each format begins.
_BEGINS = (
    (r"#sdy\.|sdy\.|<@|@\w+\s*,", "sdy"),
    (r"\{", "hlo"),
    (r"P\(|PartitionSpec\(|NamedSharding\(", "jax"),
    (r"[\[(]\s*(_?S(trided)?(Shard)?|R(eplicate)?|P(artial)?|Shard)\b", "dtensor"),
    (r"[\[(]\s*[\])]", "dtensor"),
    (r"(R|S[01]+)+\s*$", "alpa"),
    (r"(bool|i8|i16|i32|i64|u8|u16|u32|f16|bf16|f32|f64|c64|c128)\s*(\[|\{|$)", "tessera"),
    (r"\w+(<[^>]*>)?\[", "jax"),
)


class Layout:
    """A layout as one of our types: `mesh`, `type`, how many `devices`, and `notes` on what the text said besides."""

    __slots__ = ("devices", "mesh", "notes", "type")

    def __init__(self, mesh: str, type: str, devices: int, notes: list[str]) -> None:
        self.mesh = mesh
        self.type = type
        self.devices = devices
        self.notes = notes

    def write(self, format: str) -> str:
        """The same in another system's words: `hlo`, `sdy`, `jax`, `dtensor`, `alpa` or `tessera`."""
        return _write_layout(self.mesh, self.type, format)[0]

    def write_mesh(self, format: str) -> str:
        """The mesh in that system's words where it writes it apart, as Shardy does; else an empty text."""
        return _write_layout(self.mesh, self.type, format)[1]

    def __repr__(self) -> str:
        return f"Layout(mesh={self.mesh!r}, type={self.type!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and (self.mesh, self.type) == (other.mesh, other.type)

    def __hash__(self) -> int:
        return hash((self.mesh, self.type))


def _shape_text(x: Any) -> str:
    """`f32[8,4]` of an array of any system; empty where x is none."""
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is None or dtype is None:
        return ""
    name = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    return f"{_ELEMENTS.get(name, name)}[{','.join(str(int(extent)) for extent in shape)}]"


def _mesh_text(mesh: Any) -> str:
    """`x:4,y:2` of a text, a dictionary, or a mesh of JAX or PyTorch."""
    if mesh is None or isinstance(mesh, str):
        return mesh or ""
    if isinstance(mesh, dict):
        sizes = mesh
    elif hasattr(mesh, "axis_names") and hasattr(mesh, "shape"):  # jax.sharding.Mesh
        sizes = dict(mesh.shape)
    elif hasattr(mesh, "mesh_dim_names"):  # torch.distributed.DeviceMesh
        extents = tuple(mesh.shape)
        names = mesh.mesh_dim_names or [f"d{dim}" for dim in range(len(extents))]
        sizes = dict(zip(names, extents))
    else:
        raise TypeError(f"a mesh is a text such as 'x:4,y:2', a dictionary, or a mesh of JAX or PyTorch, and not {mesh!r}")
    return ",".join(f"{name}:{int(size)}" for name, size in sizes.items())


def _format_of(text: str) -> str:
    import re

    for begin, format in _BEGINS:
        if re.match(begin, text.lstrip()):
            return format
    raise ValueError(f"no system writes a layout as {text[:60]!r}; say which one, `format=`, if it is one of "
                     + ", ".join(_layout_formats()))


def _words_of_sharding(sharding: Any, rank: int | None) -> tuple[str, str, int]:
    """Format, text and devices of a `Sharding` of JAX."""
    if hasattr(sharding, "spec") and hasattr(sharding, "mesh"):
        return "jax", str(sharding), 0
    if not hasattr(sharding, "_to_xla_hlo_sharding") or rank is None:
        raise TypeError(f"{type(sharding).__name__} says nothing of a layout that can be read without its array")
    return "hlo", str(sharding._to_xla_hlo_sharding(rank)), len(sharding.device_set)


def _words(x: Any, shape: str, mesh: Any, format: str, devices: int) -> tuple[str, str, str, str, int]:
    if isinstance(x, str):
        return format or _format_of(x), x, _mesh_text(mesh), shape, devices
    if hasattr(x, "placements") and hasattr(x, "device_mesh"):  # DTensor
        return "dtensor", str(tuple(x.placements)), _mesh_text(mesh or x.device_mesh), shape or _shape_text(x), devices
    if hasattr(x, "sharding"):  # an array of JAX, or what stands for one
        if x.sharding is None:
            raise TypeError(f"this {type(x).__name__} has no sharding")
        kind, text, count = _words_of_sharding(x.sharding, len(x.shape))
        return kind, text, "", shape or _shape_text(x), devices or count
    if hasattr(x, "spec") and hasattr(x, "mesh") or hasattr(x, "_to_xla_hlo_sharding"):
        kind, text, count = _words_of_sharding(x, None)
        return kind, text, "", shape, devices or count
    if type(x).__name__ == "PartitionSpec":
        return "jax", str(x), _mesh_text(mesh), shape, devices
    if isinstance(getattr(x, "type", None), str) and isinstance(getattr(x, "mesh", None), dict):  # tessera.Array
        return "tessera", x.type, _mesh_text(mesh or x.mesh), "", devices
    if isinstance(x, (list, tuple)):  # placements
        return "dtensor", str(tuple(x)), _mesh_text(mesh), shape, devices
    raise TypeError(f"a layout is a text, or an array or sharding of JAX or PyTorch, and not {type(x).__name__}")


def read(x: Any, *, shape: str = "", mesh: Any = None, format: str = "", devices: int = 0, leaf: int | None = None) -> Layout:
    """Reads a layout: a text, an array of JAX or PyTorch, or what they say of one.

    `shape` is the array's, `f32[8,4]`, where x does not say it, and `mesh` its mesh: `x:4,y:2`, a dictionary, or theirs.
    `format` is needed only where a text could be of several systems, `devices` where nothing says how many there are,
    `leaf` for a sharding of a tuple."""
    return Layout(*_read_layout(_words(x, shape, mesh, format, devices), leaf))


def read_pair(from_: Any, to: Any, *, shape: str = "", mesh: Any = None, devices: int = 0) -> tuple[Layout, Layout]:
    """Both ends of a change of layout, on one mesh: `tessera.plan(a.mesh, a.type, b.type)` plans it."""
    source, target = _read_layouts(_words(from_, shape, mesh, "", devices), _words(to, shape, mesh, "", devices))
    return Layout(*source), Layout(*target)
