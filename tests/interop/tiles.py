"""What our types mean, by arithmetic of the tests' own: which part of an array each device of a mesh holds."""

import math
import re

AXIS = re.compile(r"(\w+)(?::\((\d+)\)(\d+))?")


def mesh_of(text):
    """`x:4,y:2` as [("x", 4), ("y", 2)]."""
    return [(name, int(size)) for name, size in re.findall(r"(\w+):(\d+)", text)]


def digits(mesh, axes):
    """(size, stride) of each axis or part of an axis that `y,x:(1)2` lists, the major one first."""
    strides, stride = {}, 1
    for name, size in reversed(mesh):
        strides[name], stride = (size, stride), stride * size
    found = []
    for name, before, part in AXIS.findall(axes or ""):
        size, stride = strides[name]
        before, part = (int(before), int(part)) if part else (1, size)
        found.append((part, stride * (size // (before * part))))
    return found


def position(found, device):
    place = 0
    for size, stride in found:
        place = place * size + device // stride % size
    return place


class Type:
    """`f32[16@(y,x), 8]{+z}` on a mesh."""

    def __init__(self, text, mesh):
        self.mesh = mesh_of(mesh)
        self.devices = math.prod(size for _, size in self.mesh)
        element, dimensions, pending = re.fullmatch(r"(\w+)(?:\[(.*)\])?(?:\{(.*)\})?", text.strip()).groups()
        self.element = element
        self.shape, self.splits = [], []
        for extent, axes in re.findall(r"(\d+)(?:@(\((?:[^()]|\(\d+\))*\)|\w+(?::\(\d+\)\d+)?))?(?:,|$)", (dimensions or "").replace(" ", "")):
            self.shape.append(int(extent))
            if axes.startswith("("):
                axes = axes[1:-1]
            self.splits.append(digits(self.mesh, axes))
        self.reduce = None
        self.pending = []
        if pending:
            self.reduce = "sum" if pending.startswith("+") else pending.split()[0]
            self.pending = digits(self.mesh, pending[1:] if pending.startswith("+") else pending.split(None, 1)[1])

    def tile(self, device):
        """[begin, end) of every dimension."""
        box = []
        for extent, split in zip(self.shape, self.splits):
            count, place = math.prod(size for size, _ in split), position(split, device)
            box.append((place * extent // count, (place + 1) * extent // count))
        return box

    def contribution(self, device):
        """Which part of a pending reduction the device has."""
        return position(sorted(self.pending, key=lambda digit: -digit[1]), device)
