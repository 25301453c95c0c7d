"""The other side of rival.cpp: rows of `tessera-bench kernels` with NumPy or JAX, a line in, a line out.

A row is a mesh, the type of its result, an expression and inputs (name, type, bound), with tabs between them."""

import os
import re
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=12")
IS_JAX = sys.argv[1] == "jax"
CLOCK = time.process_time if sys.argv[2] == "cpu" else time.perf_counter
TYPE = re.compile(r"([a-z0-9]+)\[(.*)\]")
ELEMENTS = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "bool": "bool"}


def dimensions(text):
    """Extents and axes: `4096@x,60@(y,x)` is ([4096, 60], [("x",), ("y", "x")])."""
    shape, axes = [], []
    for part in re.findall(r"[0-9]+(?:@(?:\([a-z,]+\)|[a-z]+))?", text):
        extent, _, names = part.partition("@")
        shape.append(int(extent))
        axes.append(tuple(re.findall("[a-z]+", names)))
    return shape, axes


def names_of_numpy(numpy):
    def softmax(a):
        e = numpy.exp(a - numpy.max(a, axis=-1, keepdims=True))
        return e / numpy.sum(e, axis=-1, keepdims=True)

    return {"np": numpy, "softmax": softmax}


def names_of_jax(jax):
    return {
        "np": jax.numpy,
        "softmax": jax.nn.softmax,
        "gelu": lambda a: jax.nn.gelu(a, approximate=False),
        "erf": jax.scipy.special.erf,
        "relayout": lambda a: a,
    }


class Rows:
    """What is asked for: rows made ready and run."""

    def __init__(self):
        import numpy

        self.numpy = numpy
        self.names = names_of_numpy(numpy)
        if IS_JAX:
            import jax

            jax.config.update("jax_enable_x64", True)
            self.jax = jax
            self.names = names_of_jax(jax)

    def sharding(self, mesh, axes):
        from jax.sharding import NamedSharding, PartitionSpec

        return NamedSharding(mesh, PartitionSpec(*[a if a else None for a in axes]))

    def mesh_of(self, text):
        sizes = dict((name, int(size)) for name, size in re.findall(r"([a-z]+): ([0-9]+)", text or "one: 1"))
        count = self.numpy.prod(list(sizes.values()))
        devices = self.numpy.array(self.jax.devices()[:count]).reshape(list(sizes.values()))
        return self.jax.sharding.Mesh(devices, tuple(sizes))

    def elements(self, text, below):
        element, inside = TYPE.fullmatch(text).groups()
        shape, axes = dimensions(inside)
        random = self.numpy.random.default_rng(1)
        values = random.integers(0, below, shape) if below else random.standard_normal(shape, dtype="float32")
        return values.astype(ELEMENTS[element]), axes

    def prepare(self, mesh_text, result, expression, *inputs):
        mesh = self.mesh_of(mesh_text) if IS_JAX else None
        arrays = []
        for text, below in (of_input.split(" ")[1:] for of_input in inputs):
            values, axes = self.elements(text, int(below))
            arrays.append(self.jax.device_put(values, self.sharding(mesh, axes)) if IS_JAX else values)
        parameters = ", ".join(of_input.split(" ")[0] for of_input in inputs)
        function = eval(f"lambda {parameters}: {expression}", self.names)
        if IS_JAX:
            _, axes = dimensions(TYPE.fullmatch(result).group(2))
            function = self.jax.jit(function, out_shardings=self.sharding(mesh, axes))
        self.run = lambda: self.jax.block_until_ready(function(*arrays)) if IS_JAX else function(*arrays)
        self.run()

    def answer(self, line):
        if line == "hello":
            return "here"
        if line == "go":
            begin = CLOCK()
            self.run()
            return CLOCK() - begin
        try:
            self.prepare(*line.split("\t"))
            return "ready"
        except Exception as why:  # whatever a library has against a row, it is left out
            print(f"{line.split(chr(9))[2]}: {why}".splitlines()[0], file=sys.stderr)
            return "not here"


rows = Rows()
for line in sys.stdin:
    print(rows.answer(line.rstrip("\n")), flush=True)
