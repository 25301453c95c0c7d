// The functions that the translation of a program to NumPy leans on.
#include "tests/generator/program.hpp"

namespace tessera::generator {

namespace {

constexpr std::string_view kPrelude = R"py(import math
import numpy as np

np.seterr(all="ignore")


def philox(seed, shape):
    """Philox4x32-10: four words for each element; the key is the seed, the counter the element's number."""
    mask = np.uint64(0xFFFFFFFF)
    number = np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint64).reshape(shape)
    words = [number & mask, number >> np.uint64(32), np.zeros_like(number), np.zeros_like(number)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        left = np.uint64(0xD2511F53) * words[0]
        right = np.uint64(0xCD9E8D57) * words[2]
        words = [(right >> np.uint64(32)) ^ words[1] ^ np.uint64(key[0]), right & mask,
                 (left >> np.uint64(32)) ^ words[3] ^ np.uint64(key[1]), left & mask]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return words


def uniform53(low, high):
    return (((high << np.uint64(32)) | low) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def philox_uniform(shape, dtype, seed):
    words = philox(seed, shape)
    if dtype is np.float32:
        return (words[0] >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)
    return uniform53(words[0], words[1])


def philox_normal(shape, dtype, seed):
    words = philox(seed, shape)
    radius = np.sqrt(-2 * np.log(1 - uniform53(words[0], words[1])))
    return (radius * np.cos(2 * np.pi * uniform53(words[2], words[3]))).astype(dtype)


def cast(x, dtype):
    return np.asarray(x).astype(dtype)


def joined(re, im):
    re = np.asarray(re)
    z = np.empty(re.shape, dtype=np.complex64 if re.dtype == np.float32 else np.complex128)
    z.real, z.imag = re, im
    return z[()]


def stored_f16(x):
    return np.asarray(x).astype(np.float16).astype(np.float32)


def stored_bf16(x):
    """The upper halves, rounded to even: a carry may go on into the exponent."""
    x = np.asarray(x, dtype=np.float32)
    bits = np.frombuffer(x.tobytes(), dtype=np.uint32).astype(np.uint64)
    kept = (bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16) << np.uint64(16)
    rounded = np.frombuffer(kept.astype(np.uint32).tobytes(), dtype=np.float32).reshape(x.shape)
    return np.where(np.isnan(x), x, rounded)


def twice(x):
    return x + x


def counts_between(x, edges):
    """How many lie between each two edges, the last one included. NaN is greater than all numbers."""
    x = np.ravel(x)
    at = np.searchsorted(edges, x, "right") - 1
    at = np.where((x == edges[-1]) | (np.isnan(x) & np.isnan(edges[-1])), edges.size - 2, at)
    return np.bincount(at[(at >= 0) & (at < edges.size - 1)], minlength=edges.size - 1)


def erf(x):
    x = np.asarray(x)
    return np.vectorize(math.erf, otypes=[np.float64])(x).astype(x.dtype)


def gelu(x):
    x = np.asarray(x)
    wide = x.astype(np.float64)
    return (0.5 * wide * (1 + erf(wide / math.sqrt(2)))).astype(x.dtype)


def softmax(x, axis):
    raised = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return raised / np.sum(raised, axis=axis, keepdims=True)


def log_softmax(x, axis):
    return x - logsumexp(x, axis, True)


def logsumexp(x, axis, keepdims=False):
    most = np.max(x, axis=axis, keepdims=True)
    sums = most + np.log(np.sum(np.exp(x - most), axis=axis, keepdims=True))
    return sums if keepdims else np.squeeze(sums, axis=axis)


def one_hot(ids, n):
    return (np.asarray(ids)[..., None] == np.arange(n)).astype(np.float32)


def cov(x):
    d = x - np.mean(x, axis=1, keepdims=True, dtype=x.dtype)
    return (d @ d.T) / x.dtype.type(x.shape[1] - 1)


def update(a, i, v):
    result = np.array(a)
    result[tuple(slice(int(at), int(at) + extent) for at, extent in zip(i, np.shape(v)))] = v
    return result


def replaced(a, *parts):
    result = np.array(a)
    for part, v in parts:
        result[part] = v
    return result


def loop(body, n, w):
    for i in range(int(n)):
        w = body(np.int64(i), w)
    return w


def loop_while(body, more, n, w):
    i = 0
    while i < int(n) and more(np.int64(i), w):
        w = body(np.int64(i), w)
        i += 1
    return w


def recur(a, b, axis):
    a, b = (np.moveaxis(x, axis, 0) for x in np.broadcast_arrays(a, b))
    y = np.array(b)
    for i in range(1, len(y)):
        y[i] = a[i] * y[i - 1] + b[i]
    return np.moveaxis(y, 0, axis)


def scan(body, n, w):
    rows = []
    for i in range(n):
        rows.append(w)
        w = body(np.int64(i), w)
    return np.stack(rows)


def loop2(body, n, u, w):
    for i in range(int(n)):
        u, w = body(np.int64(i), u, w)
    return u, w
)py";

}  // namespace

std::string_view numpy_prelude() { return kPrelude; }

}  // namespace tessera::generator
