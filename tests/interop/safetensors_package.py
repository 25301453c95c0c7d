"""Files of the safetensors package and ours, read by each other in all element types that both have.

    safetensors_package.py TESSERA    under a Python that has safetensors (scripts/setup --peers)"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

TYPES = {"f4": "f32", "f8": "f64", "f2": "f16", "i4": "i32", "i8": "i64", "?": "bool"}


def drawn():
    """Arrays by name, and the element type of each in our words."""
    draw = np.random.default_rng(1)
    arrays, types = {}, {}
    for i in range(3):
        for code, element in TYPES.items():
            numbers = draw.integers(-9, 9, (4 + i, 6))
            arrays[f"layer.{i}.{code}"] = (numbers > 0) if code == "?" else numbers.astype(code)
            types[f"layer.{i}.{code}"] = element
    arrays["halves"], types["halves"] = np.arange(8).astype(ml_dtypes.bfloat16), "bf16"
    arrays["none"], types["none"] = np.zeros((0, 3), "f4"), "f32"
    arrays["one \u00e9\"\\"], types["one \u00e9\"\\"] = np.array(3, "i8"), "i64"
    return arrays, types


def quoted(name):
    return json.dumps(name, ensure_ascii=False)


def type_text(element, array):
    return f"{element}[{', '.join(f'{extent}@x' if d == 0 else f'{extent}' for d, extent in enumerate(array.shape))}]"


def run(tessera, folder, lines):
    subprocess.run([tessera, "run", "-"], input="mesh m = [x: 3]\n" + "\n".join(lines) + "\n", text=True, cwd=folder, check=True)


def theirs_by_us(tessera, folder, arrays, types):
    save_file(arrays, f"{folder}/theirs.safetensors", metadata={"format": "np"})
    for name, array in arrays.items():
        run(tessera, folder, [f'save(load("theirs.safetensors", {type_text(types[name], array)}, name={quoted(name)}), "out.npy")'])
        found = np.load(Path(folder, "out.npy"))
        assert np.array_equal(found.view(array.dtype) if types[name] == "bf16" else found, array), name


def ours_by_them(tessera, folder, arrays, types):
    """Written anew, into their file beside what it holds, and by an index."""
    for file in ("ours.safetensors", "theirs.safetensors", "ours.safetensors.index.json"):
        run(tessera, folder, [f'save(load("theirs.safetensors", {type_text(types[name], array)}, name={quoted(name)}), "{file}", '
                              f'name={quoted(name + (".again" if file[0] == "t" else ""))})' for name, array in arrays.items()])
    both = {**arrays, **{name + ".again": array for name, array in arrays.items()}}
    index = json.loads(Path(folder, "ours.safetensors.index.json").read_text(encoding="utf-8"))
    assert index["metadata"]["total_size"] == sum(array.nbytes for array in arrays.values())
    by_index = {name: load_file(f"{folder}/{file}")[name] for name, file in index["weight_map"].items()}
    for found, wanted in ((load_file(f"{folder}/ours.safetensors"), arrays), (load_file(f"{folder}/theirs.safetensors"), both),
                          (by_index, arrays)):
        assert sorted(found) == sorted(wanted)
        for name, array in wanted.items():
            assert found[name].dtype == array.dtype and found[name].shape == array.shape and np.array_equal(found[name], array), name
    with safe_open(f"{folder}/theirs.safetensors", "np") as file:
        assert file.metadata() == {"format": "np"}


def main():
    arrays, types = drawn()
    with tempfile.TemporaryDirectory() as folder:
        theirs_by_us(sys.argv[1], folder, arrays, types)
        ours_by_them(sys.argv[1], folder, arrays, types)
    print(f"{len(arrays)} arrays, both ways")


if __name__ == "__main__":
    main()
