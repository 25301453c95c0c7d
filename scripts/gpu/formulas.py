#!/usr/bin/env python3
"""What NVIDIA's compiler makes of the operations on single elements (runtime/elements) gives the bits of the host's compiler: its PTX
is run on the CPU, one operation an instruction.

    scripts/gpu/formulas.py [--arch 90] [--count N] [--compiler c++] [--nvrtc FOLDER]

Numbers are of any bits, and of usual sizes. Exit status 77 where NVRTC or NumPy is not found, 1 where a bit differs. Where NVRTC is
looked for: see texts.py."""

import argparse
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not there")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from ptx import Run, kernels_of  # noqa: E402
from texts import FORBIDDEN, NOT_FOUND, SOURCE, find_compiler  # noqa: E402

OPTIONS = ["--std=c++20", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "--device-as-default-execution-space",
           "--device-int128"]
INCLUDES = "".join(f'#include "runtime/elements/{name}.hpp"\n' for name in ("functions", "random", "casts", "operations"))
SMOOTH = ("Exp UsualExp Exp2 Log UsualLog Tanh Sigmoid UsualSigmoid Gelu Erf Log2 Log10 Log1p Expm1 Arctan Sin Cos").split()
TYPES = {"float": np.float32, "double": np.float64, "std::int32_t": np.int32, "std::int64_t": np.int64, "std::uint16_t": np.uint16}
SHORT = {"float": "f32", "double": "f64", "std::int32_t": "i32", "std::int64_t": "i64", "std::uint16_t": "u16"}


def operations():
    """name -> (what it takes, what it gives, the expression of a and b)."""
    made = {}

    def add(name, taken, given, expression):
        made[f"{name}_{SHORT[taken]}" + ("" if taken == given else f"_{SHORT[given]}")] = (taken, given, expression)

    for floats in ("float", "double"):
        for name in SMOOTH:
            add(name, floats, floats, f"functions::{name}::of(a)")
        add("Power", floats, floats, "functions::Power::of(a, b)")
        for name in ("Sqrt", "Rsqrt", "Relu", "Abs", "Sign", "Floor", "Negate"):
            add(name, floats, floats, f"elementwise::{name}()(a)")
        for name in ("Add", "Subtract", "Multiply", "Divide", "Remainder", "Minimum", "Maximum"):
            add(name, floats, floats, f"elementwise::{name}()(a, b)")
        for name in ("Less", "LessEqual", "Equal", "NotEqual"):
            add(name, floats, "std::int32_t", f"elementwise::{name}()(a, b)")
        for name in ("Uniform", "Gaussian"):
            add(name, "std::int64_t", floats, f"{name}::of<{floats}>(random_words(a, b))")
        for whole in ("std::int32_t", "std::int64_t"):
            add("Cast", floats, whole, f"elementwise::Cast<{whole}>()(a)")
            add("Cast", whole, floats, f"elementwise::Cast<{floats}>()(a)")
    add("Cast", "float", "double", "elementwise::Cast<double>()(a)")
    add("Cast", "double", "float", "elementwise::Cast<float>()(a)")
    for whole in ("std::int32_t", "std::int64_t"):
        for name in ("Add", "Subtract", "Multiply", "Divide", "Remainder", "Minimum", "Maximum", "BitAnd", "BitOr", "BitXor", "ShiftLeft",
                     "ShiftRight"):
            add(name, whole, whole, f"elementwise::{name}()(a, b)")
        for name in ("Relu", "Abs", "Sign", "Negate"):
            add(name, whole, whole, f"elementwise::{name}()(a)")
        add("Power", whole, whole, "elementwise::Power()(a, b & 31)")
    for half in ("F16", "Bf16"):
        add(f"Stored{half}", "float", "std::uint16_t", f"elementwise::Stored{half}()(a)")
        add(f"Widened{half}", "std::uint16_t", "float", f"elementwise::Widened{half}()(a)")
    return made


def gpu_text(made):
    lines = [INCLUDES, "using namespace tessera::runtime;\n"]
    for name, (taken, given, expression) in made.items():
        lines.append(f"extern \"C\" __global__ void {name}(const {taken}* as, const {taken}* bs, {given}* out) {{\n"
                     f"  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     f"  const {taken} a = as[i];\n  const {taken} b = bs[i];\n  out[i] = {expression};\n}}\n")
    return "".join(lines)


def host_text(made):
    lines = [INCLUDES, "using namespace tessera::runtime;\n"]
    for name, (taken, given, expression) in made.items():
        lines.append(f"extern \"C\" void {name}(const {taken}* as, const {taken}* bs, {given}* out, long n) {{\n"
                     f"  for (long i = 0; i < n; ++i) {{\n    const {taken} a = as[i];\n    [[maybe_unused]] const {taken} b = bs[i];\n"
                     f"    out[i] = {expression};\n  }}\n}}\n")
    return "".join(lines)


def host_library(text, compiler, folder):
    source, library = folder / "formulas.cpp", folder / "formulas.so"
    source.write_text(text)
    subprocess.run([compiler, "-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-DTESSERA_KERNEL_ALONE", f"-I{SOURCE}",
                    "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


def numbers(kind, count, random):
    """Any bits, usual sizes, and what stands at the edges."""
    kind = np.dtype(kind)
    any_bits = random.integers(0, 256, count * kind.itemsize, dtype=np.uint8).view(kind)
    if kind.kind != "f":
        few = random.integers(-40 if kind.kind == "i" else 0, 40, count).astype(kind)
        return np.where(random.random(count) < 0.5, any_bits, few)
    usual = random.standard_normal(count) * 10.0**random.integers(-3, 4, count)
    edges = np.array([0.0, -0.0, 1, -1, 0.5, 2, 3, 4, -2, np.inf, -np.inf, np.nan, 88.7, -103.9, 709.8, -745.1, 2.0**23, 2.0**52, 2.0**31,
                      -2.0**31, 2.0**63, 1e-45, 1e-38, 5e-324])
    with np.errstate(all="ignore"):
        mixed = np.where(random.random(count) < 0.5, any_bits, usual.astype(kind))
        mixed[:len(edges) * 16] = np.repeat(edges, 16).astype(kind)[:count]
    return random.permutation(mixed)


def same(a, b):
    equal = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return equal | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else equal


def compiled(compiler, text, arch):
    headers = {str(path.relative_to(SOURCE)).encode(): path.read_bytes()
               for folder in ("runtime/elements", "runtime/device/text", "synth/layout") for path in (SOURCE / folder).glob("*.hpp")}
    headers |= {path.name.encode(): path.read_bytes() for path in (SOURCE / "runtime/device/text/std").iterdir()}
    code, log, ptx = compiler.compiled("#define TESSERA_KERNEL_ALONE\n" + text, headers, [*OPTIONS, f"--gpu-architecture=sm_{arch}"])
    if code != 0:
        sys.exit(f"it does not compile: {log}")
    return ptx


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default="90")
    parser.add_argument("--count", type=int, default=1 << 14)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--nvrtc")
    asked = parser.parse_args()
    compiler = find_compiler(asked.nvrtc)
    if compiler is None:
        print("skipped: NVRTC is not there; `pip install nvidia-cuda-nvrtc`")
        return NOT_FOUND
    made = operations()
    ptx = compiled(compiler, gpu_text(made), asked.arch)
    kernels, constants = kernels_of(ptx)
    wrong = [f"steps that are not the formula's: {' '.join(sorted(set(FORBIDDEN.findall(ptx))))}"] if FORBIDDEN.search(ptx) else []
    random = np.random.default_rng(41)
    with tempfile.TemporaryDirectory(prefix="tessera-formulas-") as name:
        host = host_library(host_text(made), asked.compiler, Path(name))
        for operation, (taken, given, _) in made.items():
            a, b = (numbers(TYPES[taken], asked.count, random) for _ in range(2))
            if operation.startswith("Usual"):  # for whom NaN is not usual
                a = np.nan_to_num(a, nan=1, posinf=np.inf, neginf=-np.inf)
            there, here = np.zeros(asked.count, TYPES[given]), np.zeros(asked.count, TYPES[given])
            Run(kernels[operation], constants, [a, b, there], asked.count).run()
            getattr(host, operation)(*(ctypes.c_void_p(array.ctypes.data) for array in (a, b, here)), ctypes.c_long(asked.count))
            differ = np.flatnonzero(~same(there, here))
            if len(differ) > 0:
                at = differ[0]
                wrong.append(f"{operation}: {len(differ)} of {asked.count}, first of {a[at]!r} and {b[at]!r}: {there[at]!r} and not {here[at]!r}")
    print(f"NVRTC {compiler.version()}, sm_{asked.arch}: {len(made)} operations of {asked.count} elements each, "
          f"{len(ptx.splitlines())} lines of PTX, {len(wrong)} faults")
    for words in wrong:
        print(words)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
