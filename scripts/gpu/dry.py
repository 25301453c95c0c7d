"""Compiles all kernels of programs with NVIDIA's compiler, without a GPU: on the emulated driver, whose kernels do nothing where
they are machine code of a real GPU. What comes of the programs is nonsense; what counts is whether each text compiles.

    scripts/gpu/dry.py BUNDLE EMULATED NVRTC CACHE     folders: of libcuda.so.1 that is emulated, of libnvrtc.so.13, of kernels

CACHE/tessera/kernels is what `scripts/gpu-bundle OUT CACHE/tessera/kernels` packs."""

import os
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import listed
from check import Tools
from commands import run

TOGETHER = 12
SECONDS = 240
FAULT = re.compile(r"\[internal\] (.*)")


def folder_of(emulated, nvrtc):
    """One folder with the driver of the one and the compiler of the other."""
    folder = Path(tempfile.mkdtemp(prefix="tessera-dry-"))
    for path in [*Path(emulated).glob("libcuda.so*"), *Path(emulated).glob("libcublas.so*"), *Path(nvrtc).glob("libnvrtc*")]:
        (folder / path.name).symlink_to(path.resolve())
    return folder


def main():
    bundle, emulated, nvrtc, cache = sys.argv[1:5]
    tools = Tools(Path(bundle).resolve(), "0", 2, True, 1)
    extra = {"TESSERA_CUDA": str(folder_of(emulated, nvrtc)), "XDG_CACHE_HOME": os.path.abspath(cache)}
    every = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    names = listed(tools, 60)[::every]
    faults = Counter()

    def of_cases(some):
        words = [tools.cases, "--folder", tools.case_folder, "--gpu", "0", f"--gtest_filter={':'.join(some)}"]
        return run(words, SECONDS, extra=extra)

    def of_script(path):
        return run([tools.tessera, "run", "--gpu", "0", str(path)], SECONDS, extra=extra)

    with ThreadPoolExecutor(tools.workers) as pool:
        scripts = sorted(Path(bundle, "examples").glob("*.tess"))
        done = [*pool.map(of_script, scripts),
                *pool.map(of_cases, [names[at:at + TOGETHER] for at in range(0, len(names), TOGETHER)])]
    for one in done:
        faults.update(FAULT.findall(one.out + one.err))
        if one.status is None:
            faults["it hangs"] += 1
    files = list(Path(cache, "tessera/kernels").glob("*"))
    print(f"{len(scripts)} scripts, {len(names)} cases: {len(files)} kernels, {sum(f.stat().st_size for f in files)} bytes")
    for fault, count in faults.most_common(30):
        print(f"{count:5} {fault[:400]}")


if __name__ == "__main__":
    main()
