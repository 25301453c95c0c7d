#!/usr/bin/env python3
"""Compiles the kernels of programs with NVIDIA's compiler, without a GPU, and looks at what comes of them: no register is
kept in memory, no product is contracted with a sum, and nothing is rounded but as IEEE says.

    scripts/gpu/texts.py BUILD [--arch 80,90,100] [--every N] [--nvrtc FOLDER] [--programs FILE...]

The programs, all examples unless some are named, run on the emulated driver of BUILD first, whose compiler writes down the texts.
With --every every N-th text is compiled only. NVRTC is looked for in FOLDER, in CUDA_HOME, in /usr/local/cuda*, and among the
packages of this Python (`pip install nvidia-cuda-nvrtc`). Exit status 77 where it is not found, 1 where a text is not as it should
be."""

import argparse
import ctypes
import importlib.util
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from commands import run  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
NOT_FOUND = 77
SECONDS = 600  # of a program, whose kernels the host's compiler makes first
ALL_REGISTERS = "--define-macro=TESSERA_ALL_REGISTERS"  # as runtime/device/gpu/compiler.cpp asks for
# Steps that are not those of the formula: fused, with subnormals as zero, off by more than half a unit, or rounded as the
# compiler likes, which may contract them.
FORBIDDEN = re.compile(r"\b(?:fma|mad)\.(?:\w+\.)*f(?:16|32|64)\w*|\b\w+(?:\.\w+)*\.(?:ftz|approx)\b(?:\.\w+)*"
                       r"|\b(?:add|sub|mul|div|sqrt|rcp)\.f(?:16|32|64)\w*")


def folders(given):
    """Where NVRTC may be."""
    if given:
        yield Path(given)
        return
    if home := os.environ.get("CUDA_HOME"):
        yield Path(home) / "lib64"
    for toolkit in sorted(Path("/usr/local").glob("cuda*"), reverse=True):
        yield toolkit / "lib64"
    if package := importlib.util.find_spec("nvidia"):
        for place in package.submodule_search_locations or []:
            yield from sorted(Path(place).glob("cu*/lib"), reverse=True)
            yield Path(place) / "cuda_nvrtc/lib"


class Compiler:
    """NVRTC. Its calls may come from several threads."""

    def __init__(self, path):
        for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
            if ".alt." not in builtins.name:
                ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(path))
        self.path = path

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def _text(self, program, name):
        size = ctypes.c_size_t()
        getattr(self.library, f"{name}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        getattr(self.library, name)(program, text)
        return text.value.decode(errors="replace")

    def compiled(self, source, headers, options):
        """NVRTC's code, what it logs, and PTX."""
        program = ctypes.c_void_p()
        strings = ctypes.c_char_p * len(headers)
        words = [option.encode() for option in options]
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", len(headers),
                                        strings(*headers.values()), strings(*headers))
        code = self.library.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
        log = self._text(program, "nvrtcGetProgramLog")
        ptx = self._text(program, "nvrtcGetPTX") if code == 0 else ""
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return code, log, ptx


def find_compiler(given):
    for folder in folders(given):
        found = sorted(path for path in folder.glob("libnvrtc.so.*") if ".alt." not in path.name)
        if found:
            return Compiler(found[-1])
    return None


def write_texts(build, programs, folder):
    """Runs programs on the emulated driver. What failed, in words."""
    extra = {"TESSERA_CUDA": str(build / "emulated"), "TESSERA_EMULATED_TEXTS": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    faults = []
    for program in programs:
        done = run([str(build / "tessera"), "run", "--gpu", "0", str(program)], SECONDS, extra=extra, folder=SOURCE)
        if done.status != 0:
            faults.append(f"{program.name}: exit status {done.status}: {done.first_words()}")
    return faults


def stack_of(log):
    found = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", log)
    return int(found.group(1)) + int(found.group(2)) if found else 0


def faults_of(compiler, source, headers, options):
    """What is not as it should be of a text; whether it had to have all registers."""
    code, log, ptx = compiler.compiled(source, headers, options)
    if code != 0:
        return [f"it does not compile: {log.strip()[:600]}"], False
    has_all = stack_of(log) > 0
    if has_all:
        _, log, ptx = compiler.compiled(source, headers, [*options, ALL_REGISTERS])
    faults = [f"a thread needs {stack_of(log)} bytes of memory for registers"] if stack_of(log) else []
    wrong = sorted(set(FORBIDDEN.findall(ptx)))
    if wrong:
        faults.append("steps that are not the formula's: " + " ".join(wrong[:6]))
    return faults, has_all


def kernel_of(source):
    """The kernel's name, for people."""
    found = re.search(r"using ChosenKernel = (.*);", source)
    return found.group(1) if found else "?"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--arch", default="80,90,100")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--nvrtc")
    parser.add_argument("--programs", type=Path, nargs="+", default=sorted((SOURCE / "examples").glob("*.tess")))
    return parser.parse_args()


def main():
    asked = arguments()
    compiler = find_compiler(asked.nvrtc)
    if compiler is None:
        print("skipped: NVRTC is not there; `pip install nvidia-cuda-nvrtc`")
        return NOT_FOUND
    with tempfile.TemporaryDirectory(prefix="tessera-texts-") as name:
        folder = Path(name)
        wrong = write_texts(asked.build.resolve(), [program.resolve() for program in asked.programs], folder)
        files = sorted(folder.glob("*.cu"))[::asked.every]
        headers = {str(path.relative_to(folder / "headers")).encode(): path.read_bytes()
                   for path in (folder / "headers").rglob("*") if path.is_file()}
        given = [line for line in (folder / "options").read_text().splitlines() if "architecture" not in line] if files else []
        work = [(path.read_text(), arch) for path in files for arch in asked.arch.split(",")]
        with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
            done = list(pool.map(lambda each: faults_of(compiler, each[0], headers, [*given, f"--gpu-architecture=sm_{each[1]}"]), work))
        for (source, arch), (faults, _) in zip(work, done):
            wrong += [f"sm_{arch}, {kernel_of(source)}: {fault}\n{source}" for fault in faults]
    print(f"NVRTC {compiler.version()} ({compiler.path}): {len(files)} texts of {len(asked.programs)} programs for sm_{asked.arch}, "
          f"{sum(has_all for _, has_all in done)} of them compiled again with all registers, {len(wrong)} faults")
    for words in wrong:
        print(words)
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
