"""The other side of `tessera-bench programs`: a program with NumPy or JAX, a line in, a line out.

    PROGRAM, NAME=NUMBER, INPUT FILE EXTENTS     makes a program ready, with tabs between; the inputs are f64, or i64
    go                                           runs it, and answers with its wall's and its processor's seconds"""

import sys
import time

import numpy

IS_JAX = sys.argv[1] == "jax"


def programs():
    if not IS_JAX:
        import numpy_programs

        return numpy_programs
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax_programs

    return jax_programs


class Rival:
    """What is asked for: programs made ready and run."""

    def __init__(self):
        self.programs = programs()

    def prepare(self, name, *words):
        settings = {word.partition("=")[0]: int(word.partition("=")[2]) for word in words if "=" in word}
        inputs = []
        for _, path, element, extents in (word.split(" ") for word in words if "=" not in word):
            shape = [int(extent) for extent in extents.split(",") if extent]
            inputs.append(numpy.fromfile(path, dtype=element).reshape(shape))
        program = getattr(self.programs, name)
        self.run = lambda: program(*inputs, **settings)
        if IS_JAX:
            import jax

            compiled = jax.jit(lambda *arrays: program(*arrays, **settings))
            on_device = [jax.device_put(values) for values in inputs]
            self.run = lambda: jax.block_until_ready(compiled(*on_device))
        self.run()

    def answer(self, line):
        if line == "hello":
            return "here"
        if line == "go":
            wall, processor = time.perf_counter(), time.process_time()
            self.run()
            return f"{time.perf_counter() - wall} {time.process_time() - processor}"
        try:
            self.prepare(*line.split("\t"))
            return "ready"
        except Exception as why:  # whatever a library has against a program, it is left out
            print(f"{line.split(chr(9))[0]}: {why}".splitlines()[0], file=sys.stderr)
            return "not here"


rival = Rival()
for line in sys.stdin:
    print(rival.answer(line.rstrip("\n")), flush=True)
