"""The card's own copy from memory to memory, by the driver: one JSON object with bytes read plus written a second.

    bench/gpu/copies.py [BYTES]"""

import ctypes
import json
import statistics
import sys


def called(driver, name, *arguments):
    code = getattr(driver, name)(*arguments)
    if code != 0:
        raise RuntimeError(f"{name} gives {code}")


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2**32
    driver = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    source, target = ctypes.c_uint64(), ctypes.c_uint64()
    begin, end, milliseconds = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    called(driver, "cuInit", 0)
    called(driver, "cuDeviceGet", ctypes.byref(device), 0)
    called(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    called(driver, "cuCtxSetCurrent", context)
    called(driver, "cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(size))
    called(driver, "cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(size))
    called(driver, "cuMemsetD8_v2", source, ctypes.c_ubyte(1), ctypes.c_size_t(size))
    called(driver, "cuEventCreate", ctypes.byref(begin), 0)
    called(driver, "cuEventCreate", ctypes.byref(end), 0)
    rates = []
    for _ in range(9):
        called(driver, "cuEventRecord", begin, None)
        called(driver, "cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)
        called(driver, "cuEventRecord", end, None)
        called(driver, "cuEventSynchronize", end)
        called(driver, "cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
        rates.append(2 * size / (milliseconds.value * 1e-3))
    print(json.dumps({"bytes": size, "bytes_per_second": statistics.median(rates), "best": max(rates)}))


if __name__ == "__main__":
    main()
