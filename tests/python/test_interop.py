"""Layouts of other systems: read from texts and from objects that have their attributes, written back; plans emitted."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace as Thing

import pytest

import tessera
from tessera import interop

TEXTS = [  # text, the rest, what it is
    ("P('x', None)", {"shape": "f32[8,4]", "mesh": "x:4"}, "f32[8@x, 4]"),
    ("PartitionSpec(('y', 'x'),)", {"shape": "f32[16,8]", "mesh": {"x": 4, "y": 2}}, "f32[16@(y,x), 8]"),
    ("NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=P('x', 'y'), memory_kind=device)", {"shape": "bf16[8,8]"}, "bf16[8@x, 8@y]"),
    ("float32[8@x,8]{U:y}", {"mesh": "x:2,y:2"}, "f32[8@x, 8]{+y}"),
    ("{devices=[1,4]<=[4]}", {"shape": "f32[8,8]"}, "f32[8, 8@a]"),
    ("{replicated}", {"shape": "f32[8,8]", "devices": 4}, "f32[8, 8]"),
    ('#sdy.sharding<@mesh, [{"x"}, {}]>', {"shape": "f32[8,8]", "mesh": '<["x"=4]>'}, "f32[8@x, 8]"),
    ("[S(0), R]", {"shape": "f32[8,8]", "mesh": "x:4,y:2"}, "f32[8@x, 8]"),
    ("(Shard(dim=1), Partial(sum))", {"shape": "f32[8,8]", "mesh": "x:4,y:2"}, "f32[8, 8@x]{+y}"),
    ("[_S(0, 2), S(0)]", {"shape": "f32[16,4]", "mesh": "x:4,y:2"}, "f32[16@(y,x), 4]"),
    ("S01R", {"shape": "f32[8,8]", "mesh": "x:4,y:2"}, "f32[8@(x,y), 8]"),
    ("RS1", {"shape": "f32[8,8]", "mesh": "x:4,y:2"}, "f32[8, 8@y]"),
    ("f32[8@x, 8]", {"mesh": "x:4"}, "f32[8@x, 8]"),
]


@pytest.mark.parametrize("text, rest, wanted", TEXTS)
def test_the_format_of_a_text_is_seen(text, rest, wanted):
    layout = interop.read(text, **rest)
    assert layout.type == wanted and layout.devices in (4, 8)
    assert interop.read(layout.write("tessera"), mesh=layout.mesh) == layout
    assert hash(layout) == hash(interop.read(text, **rest)) and wanted in repr(layout)


@pytest.mark.parametrize("text, rest, wanted", TEXTS)
def test_what_is_written_is_read_again(text, rest, wanted):
    layout = interop.read(text, **rest)
    for format in ("hlo", "sdy", "jax", "dtensor"):
        try:
            written = layout.write(format)
        except tessera.ProgramError as error:
            assert error.slug == "interop-unwritable"
            continue
        again = interop.read(written, shape=layout.type.split("{")[0].replace("@(y,x)", "").replace("@(x,y)", "").translate(
            str.maketrans("", "", "@xyad ")), mesh=layout.write_mesh(format) or layout.mesh, devices=layout.devices)
        change = tessera.plan(*map(str, (layout.mesh, layout.type, layout.type)))
        assert change.received_bytes == 0 and again.devices == layout.devices
        source, target = interop.read_pair(Thing(type=layout.type, mesh=dict(
            (axis.split(":")[0], int(axis.split(":")[1])) for axis in layout.mesh.split(","))), Thing(type=again.type, mesh=dict(
                (axis.split(":")[0], int(axis.split(":")[1])) for axis in again.mesh.split(",")))) if again.mesh == layout.mesh else (0, 0)
        assert source == target


def jax_array(text, shape, dtype="float32"):
    class NamedSharding:
        spec = mesh = "there"

        def __str__(self):
            return text

    return Thing(sharding=NamedSharding(), shape=shape, dtype=Thing(name=dtype))


def test_objects_by_their_attributes():
    array = jax_array("NamedSharding(mesh=Mesh('x': 4, axis_types=(Auto,)), spec=PartitionSpec(None, 'x'), memory_kind=device)", (8, 4))
    assert interop.read(array).type == "f32[8, 4@x]"
    assert interop.read(array.sharding, shape="f32[8,4]").mesh == "x:4"
    other = Thing(shape=(8, 4), dtype="bfloat16", sharding=Thing(_to_xla_hlo_sharding=lambda rank: "{devices=[2,1]<=[2]}", device_set={0, 1}))
    assert interop.read(other).type == "bf16[8@a, 4]"

    class PartitionSpec(tuple):
        def __str__(self):
            return f"PartitionSpec{tuple(self)}"

    mesh = Thing(axis_names=("x", "y"), shape={"x": 2, "y": 4})
    assert interop.read(PartitionSpec(["y", None]), shape="f32[8,4]", mesh=mesh).type == "f32[8@y, 4]"
    tensor = Thing(placements=["Shard(dim=0)", "Replicate()"], device_mesh=Thing(mesh_dim_names=("a", "b"), shape=(2, 2)), shape=(4, 6),
                   dtype="torch.float64")
    tensor.placements = [type("Placement", (), {"__repr__": lambda self, text=text: text})() for text in tensor.placements]
    assert interop.read(tensor) == interop.Layout("a:2,b:2", "f64[4@a, 6]", 4, [])
    tensor.device_mesh.mesh_dim_names = None
    assert interop.read(tensor).mesh == "d0:2,d1:2"
    s = tessera.Session()
    s.run("mesh m = [x: 2]\nlet a = iota(f32[8@x])")
    assert interop.read(s["a"]).write("jax") == "P('x')"


def test_both_ends_on_one_mesh():
    source, target = interop.read_pair("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
                                       shape="f32[8,8]")
    assert source.mesh == target.mesh
    plan = tessera.plan(source.mesh, source.type, target.type)
    assert plan.verified and plan.received_bytes > 0


@pytest.mark.parametrize("x, rest, slug", [
    ("P('z')", {"shape": "f32[8]", "mesh": "x:4"}, "interop-syntax"),
    ("{devices=[3]<=[4]}", {"shape": "f32[8]"}, "interop-devices"),
    ("{manual}", {"shape": "f32[8]", "devices": 2}, "interop-unsupported"),
    ("P('x')", {"shape": "f32[7]", "mesh": "x:4"}, "interop-uneven"),
    ("S0", {"shape": "f32[8]", "mesh": "x:4", "format": "alpine"}, "bad-call"),
])
def test_what_cannot_be_read(x, rest, slug):
    with pytest.raises(tessera.TesseraError) as caught:
        interop.read(x, **rest)
    assert caught.value.slug == slug


def test_what_is_no_layout():
    for x in (3, None, object(), Thing(sharding=None, shape=()), Thing(sharding=Thing(), shape=(2,))):
        with pytest.raises(TypeError):
            interop.read(x, shape="f32[8]", mesh="x:4")
    with pytest.raises(TypeError):
        interop.read("P('x')", shape="f32[8]", mesh=4)
    with pytest.raises(ValueError, match="format="):
        interop.read("rows over x", shape="f32[8]", mesh="x:4")


def test_neither_jax_nor_torch_is_imported():
    program = ("import sys, tessera\ntessera.interop.read(\"P('x')\", shape='f32[8]', mesh='x:4').write('dtensor')\n"
               "print([name for name in ('jax', 'torch', 'numpy') if name in sys.modules])")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_plans_emitted():
    command = Path(os.environ["TESSERA_BUILD"]) / "tessera"
    for (mesh, begin, end), target in itertools.product([("x:4", "f32[8@x,8]", "f32[8,8@x]"), ("x:2,y:2", "f32[8@(x,y)]", "f32[8@y]")],
                                                        ("jax", "mpi-c")):
        text = tessera.plan(mesh, begin, end).emit(target)
        printed = subprocess.run([command, "plan", "--mesh", mesh, "--from", begin, "--to", end, "--emit", target],
                                 capture_output=True, text=True, check=True).stdout
        assert text == printed
        if target == "jax":
            compile(text, "emitted.py", "exec")
    with pytest.raises(tessera.TesseraError) as caught:
        tessera.plan("x:3", "f32[8@x]", "f32[8]").emit("jax")
    assert caught.value.slug == "emit-unsupported"
    with pytest.raises(tessera.CommandError):
        tessera.plan("x:4", "f32[8@x]", "f32[8]").emit("cuda")
