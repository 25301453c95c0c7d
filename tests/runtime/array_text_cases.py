"""Writes arrays and what numpy.array2string(a, floatmode='unique') makes of them, for array_text_test.cpp to compare with.

    array_text_cases.py SEED COUNT FILE

Each case: a line `ELEMENT EXTENTS... | BYTES CHARACTERS`, the elements' bytes, the text."""

import sys

import numpy

NAMES = {"bool": "?", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}


def random_shape(random):
    kind = random.integers(8)
    if kind == 0:
        return ()
    if kind == 1:
        return tuple(random.integers(0, 4, size=random.integers(1, 5)))
    if kind == 2:
        return (int(random.integers(1, 3000)),)
    if kind == 3:
        return tuple(random.integers(1, 60, size=2))
    if kind == 4:
        return tuple(random.integers(1, 14, size=3))
    return tuple(random.integers(1, 9, size=random.integers(1, 4)))


def random_floats(random, shape, code):
    kind = random.integers(10)
    if kind == 0:
        values = random.standard_normal(shape)
    elif kind == 9:
        values = random.integers(2**24, 10**8, shape) * 1.0
    elif kind == 1:
        values = random.integers(-1000, 1000, shape) * 1.0
    elif kind == 2:
        values = 10.0 ** random.integers(-12, 12, shape)
    elif kind == 3:
        values = random.standard_normal(shape) * 10.0 ** random.integers(-30, 30, shape)
    elif kind == 4:
        values = 2.0 ** random.integers(-120, 120, shape)
    elif kind == 5:
        values = random.choice([1e8, 99999999.0, 1e-4, 0.0001, 9.9e-5, 1000.0, 1001.0, 1.0, 0.0, -0.0], shape)
    elif kind == 6:
        values = random.integers(0, 100, shape) / 8.0
    elif kind == 7:
        count = int(numpy.prod(shape))
        bits = random.bytes(count * numpy.dtype(code).itemsize)
        return numpy.frombuffer(bits, code).reshape(shape).copy()
    else:
        values = random.standard_normal(shape) * random.choice([1e-3, 1.0, 1e3])
    with numpy.errstate(over="ignore"):
        values = numpy.asarray(values).astype(code)
    if values.size and random.integers(4) == 0:
        where = random.random(shape) < random.choice([0.1, 1.0])
        values = numpy.where(where, random.choice([numpy.nan, numpy.inf, -numpy.inf], shape), values).astype(code)
    return values


def random_array(random, name):
    shape = random_shape(random)
    if name == "bool":
        return random.integers(0, 2, shape).astype("?")
    if name in ("i32", "i64"):
        most = int(random.choice([2, 10, 1000, 2**31 - 1]))
        return numpy.asarray(random.integers(-most, most, shape)).astype(NAMES[name])
    return numpy.asarray(random_floats(random, shape, NAMES[name]))


def main():
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random = numpy.random.default_rng(seed)
    with open(path, "wb") as out:
        for number in range(count):
            name = list(NAMES)[number % len(NAMES)]
            array = random_array(random, name)
            text = numpy.array2string(array, floatmode="unique").encode()
            data = array.tobytes()
            head = " ".join([name, *map(str, array.shape), "|", str(len(data)), str(len(text))])
            out.write(head.encode() + b"\n" + data + text)
            if array.shape == () and name in ("f32", "f64"):
                text = str(array[()]).encode()
                out.write(f"scalar-{name} | {len(data)} {len(text)}\n".encode() + data + text)


if __name__ == "__main__":
    main()
