"""Makes .npy files for the runtime to load, and checks those it saved, byte for byte.

    numpy_check.py make FOLDER
    numpy_check.py check FOLDER"""

import sys
from pathlib import Path

import numpy

CODES = {"bool": "?", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"}
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (0, 3)]


def arrays():
    """Every element type and shape: the same numbers the test computes, row-major number times 3 less 5."""
    for name, code in CODES.items():
        for number, shape in enumerate(SHAPES):
            values = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) * 3 - 5
            yield f"{name}-{number}", values.astype(code)


def make(folder):
    for name, array in arrays():
        for order in "CF":
            for swap in (False, True):
                stored = numpy.array(array, order=order)
                if swap:
                    stored = stored.astype(stored.dtype.newbyteorder())
                for version in [(1, 0), (2, 0), (3, 0)]:
                    path = folder / f"{name}-{order}-{int(swap)}-{version[0]}.npy"
                    with open(path, "wb") as out:
                        numpy.lib.format.write_array(out, stored, version=version)


def check(folder):
    for name, array in arrays():
        numpy.save(folder / "wanted.npy", array)
        if (folder / "wanted.npy").read_bytes() != (folder / f"{name}.npy").read_bytes():
            sys.exit(f"{name}.npy is not what NumPy writes")
        loaded = numpy.load(folder / f"{name}.npy", allow_pickle=False)
        if loaded.dtype != array.dtype or loaded.shape != array.shape or not (loaded == array).all():
            sys.exit(f"{name}.npy loads as something else")


def main():
    {"make": make, "check": check}[sys.argv[1]](Path(sys.argv[2]))


if __name__ == "__main__":
    main()
