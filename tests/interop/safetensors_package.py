"""Files that the safetensors package writes are read here, in all element types that both have.

    safetensors_package.py TESSERA    under a Python that has safetensors (scripts/setup --peers)"""

import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

TYPES = {"f4": "f32", "f8": "f64", "f2": "f16", "i4": "i32", "i8": "i64", "?": "bool"}


def main():
    tessera = sys.argv[1]
    draw = np.random.default_rng(1)
    arrays = {f"layer.{i}.{code}": (draw.integers(-9, 9, (4 + i, 6)) > 0 if code == "?" else draw.integers(-9, 9, (4 + i, 6))).astype(code)
              for i in range(3) for code in TYPES}
    arrays["halves"] = np.arange(8).astype(ml_dtypes.bfloat16)
    with tempfile.TemporaryDirectory() as folder:
        save_file(arrays, f"{folder}/model.safetensors", metadata={"format": "np"})
        for name, array in arrays.items():
            kind = TYPES.get(name.rsplit(".", 1)[-1], "bf16")
            shape = ", ".join(f"{extent}@x" if d == 0 else f"{extent}" for d, extent in enumerate(array.shape))
            script = f'mesh m = [x: 3]\nsave(load("model.safetensors", {kind}[{shape}], name="{name}"), "out.npy")\n'
            subprocess.run([tessera, "run", "-"], input=script, text=True, cwd=folder, check=True)
            found = np.load(Path(folder, "out.npy"))
            assert np.array_equal(found.view(array.dtype) if kind == "bf16" else found, array), name
    print(f"{len(arrays)} arrays")


if __name__ == "__main__":
    main()
