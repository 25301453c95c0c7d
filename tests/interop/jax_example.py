"""The example of examples/interop: its plan is emitted, it runs, both ways give the same values, and ours takes less memory.

    jax_example.py TESSERA EXAMPLE"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHANGE = ["--mesh", "x:4,y:2", "f32[128@y,128,128@x] -> f32[128,128@(x,y),128]"]


def main():
    tessera, example = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run([tessera, "plan", *CHANGE, "--emit", "jax"], capture_output=True, text=True, check=True).stdout
        Path(folder, "layout_change.py").write_text(text, encoding="utf-8")
        shutil.copy(example, folder)
        environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
        done = subprocess.run([sys.executable, Path(example).name], cwd=folder, env=environment, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    memory = dict(re.findall(r"(\w+): .* ms, ([\d.]+) MiB", done.stdout))
    assert done.returncode == 0 and "equal: True" in done.stdout
    assert float(memory["Tessera"]) * 6 <= float(memory["XLA"]), memory


if __name__ == "__main__":
    main()
