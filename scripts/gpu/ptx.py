"""Runs PTX on the CPU, with NumPy, one operation an instruction: what NVIDIA's compiler makes of plain functions of numbers. Threads
are lanes of arrays; those that a branch parts go on from the first block that anybody is in, so that they meet again."""

import re

import numpy as np

INTEGERS = {bits: (np.dtype(f"u{bits // 8}"), np.dtype(f"i{bits // 8}")) for bits in (8, 16, 32, 64)}
FLOATS = {32: np.dtype("f4"), 64: np.dtype("f8")}
SPACE = 40  # bits of addresses that belong to one array
COMPARED = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
            "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}


def width_of(kind):
    return int(re.search(r"\d+$", kind).group())


def dtype_of(kind):
    """NumPy's type of `f32`, `s64`, `u16`, `b8`."""
    bits = width_of(kind)
    if kind[0] == "f":
        return FLOATS[bits]
    return INTEGERS[bits][1 if kind[0] == "s" else 0]


class Kernel:
    """A function of PTX, cut into blocks: lists of (predicate, negated, operation, operands)."""

    def __init__(self, text):
        self.parameters = re.findall(r"\.param [^,()]*?([\w$]+_param_\d+)", text[:text.index("{")])
        body = text[text.index("{") + 1:text.rindex("}")]
        body = re.sub(r"//.*", "", body)
        self.widths = {name: kind for kind, name in re.findall(r"\.reg \.(\w+)\s+(%\w+)<\d+>;", body)}
        self.blocks, self.labels = [[]], {}
        for line in body.split("\n"):
            line = line.strip()
            if not line or line.startswith((".reg", ".pragma", ".loc", "{", "}")):
                continue
            if label := re.fullmatch(r"([$\w]+):", line):
                if self.blocks[-1]:
                    self.blocks.append([])
                self.labels[label.group(1)] = len(self.blocks) - 1
                continue
            said = re.fullmatch(r"(?:@(!?)(%\w+)\s+)?([\w.:]+)\s*(.*?);", line)
            if said is None:
                raise ValueError(f"no instruction: {line}")
            negated, predicate, operation, operands = said.groups()
            self.blocks[-1].append((predicate, bool(negated), operation.split("."), re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", operands)))
            if operation.startswith(("bra", "ret")):
                self.blocks.append([])


def kernels_of(ptx):
    """name -> Kernel, and the arrays of constants that they read."""
    kernels = {name: Kernel(text) for text, name in re.findall(r"(\.entry (\w+)\([^{]*\{.*?\n\})", ptx, re.S)}
    constants = {}
    for line in re.findall(r"^(?:\.visible )?\.(?:global|const) .*?;$", ptx, re.S | re.M):
        said = re.search(r"([\w$]+)\[\d+\]\s*=\s*\{([^}]*)\}", line)
        if said is None:
            continue  # one number, which compilers put where it is used
        name, values = said.groups()
        kind = re.search(r"\.([busf]\d+) ", line).group(1)
        constants[name] = np.array([int(value) for value in values.split(",")], dtype=dtype_of(kind)).view(np.uint8)
    return kernels, constants


class Run:
    """A kernel on as many threads as its arrays have elements."""

    def __init__(self, kernel, constants, arrays, lanes):
        self.kernel, self.lanes = kernel, lanes
        self.memory = {}
        self.symbols = {}
        for name, array in [*zip(kernel.parameters, arrays), *constants.items()]:
            self.symbols[name] = (len(self.memory) + 1) << SPACE
            self.memory[len(self.memory) + 1] = array.view(np.uint8)
        self.registers = {}
        self.carry = np.zeros(lanes, bool)

    # ---- Operands: bits, and what an instruction takes them for.

    def register(self, name):
        if name not in self.registers:
            kind = self.kernel.widths[re.match(r"%[a-z]+", name).group()]
            kind_of_array = bool if kind == "pred" else INTEGERS[width_of(kind)][0]
            self.registers[name] = np.zeros(self.lanes, kind_of_array)
        return self.registers[name]

    def bits(self, operand):
        special = {"%tid.x": np.arange(self.lanes), "%ctaid.x": 0, "%ntid.x": self.lanes}
        if operand in special:
            return np.broadcast_to(np.asarray(special[operand], np.uint32), self.lanes)[self.active]
        if operand.startswith("%"):
            return self.register(operand)[self.active]
        if operand.startswith("0f"):
            return np.uint32(int(operand[2:], 16))
        if operand.startswith("0d"):
            return np.uint64(int(operand[2:], 16))
        if operand in self.symbols:
            return np.uint64(self.symbols[operand])
        return int(operand.rstrip("U"), 0)

    def value(self, operand, kind):
        bits = self.bits(operand)
        if kind == "pred":
            return bits
        wanted = dtype_of(kind)
        if isinstance(bits, int):
            return np.array(bits & (1 << width_of(kind)) - 1, INTEGERS[width_of(kind)][0]).view(wanted)
        whole = INTEGERS[width_of(kind)][0]
        return np.asarray(bits).astype(whole, copy=False).view(wanted)  # the low bits of a wider register

    def set(self, target, value):
        if target == "_":
            return
        register = self.register(target)
        if register.dtype == bool:
            register[self.active] = value
            return
        value = np.asarray(value)
        if value.dtype.kind == "f":
            value = value.view(INTEGERS[8 * value.dtype.itemsize][0])
        register[self.active] = value.astype(register.dtype)  # of a narrower one: by its sign, where it has one

    # ---- Memory

    def places(self, operand, kind):
        said = re.fullmatch(r"\[([%\w$]+)(?:\+(-?\d+))?\]", operand)
        address = np.broadcast_to(self.value(said.group(1), "u64"), len(self.active)) + np.uint64(int(said.group(2) or 0))
        space = int(address[0] >> np.uint64(SPACE))
        if np.any(address >> np.uint64(SPACE) != space):
            raise ValueError("threads read different arrays at once")
        return self.memory[space].view(dtype_of(kind)), (address & np.uint64((1 << SPACE) - 1)) // np.uint64(width_of(kind) // 8)

    def load(self, words, targets):
        if words[1] == "param":
            self.set(targets[0], np.full(len(self.active), self.symbols[targets[1].strip("[]")], np.uint64))
            return
        array, places = self.places(targets[1], words[-1])
        self.set(targets[0], array[places])

    def store(self, words, targets):
        array, places = self.places(targets[0], words[-1])
        array[places] = self.value(targets[1], words[-1])

    # ---- Instructions

    def move(self, words, targets):
        kind = words[-1]
        if targets[0].startswith("{"):
            low, high = (name.strip() for name in targets[0].strip("{}").split(","))
            bits, half = self.value(targets[1], kind), width_of(kind) // 2
            mask = bits.dtype.type((1 << half) - 1)
            self.set(low, bits & mask)
            self.set(high, bits >> bits.dtype.type(half))
        elif targets[1].startswith("{"):
            half = f"u{width_of(kind) // 2}"
            low, high = (self.value(name.strip(), half).astype(dtype_of(kind)) for name in targets[1].strip("{}").split(","))
            self.set(targets[0], low | high << dtype_of(kind).type(width_of(half)))
        else:
            self.set(targets[0], self.value(targets[1], kind) + np.zeros(len(self.active), bool if kind == "pred" else dtype_of(kind)))

    def compare(self, words, targets):
        a, b = (self.value(name, words[-1]) for name in targets[1:3])
        how = words[1]
        if words[-1][0] != "f":
            return self.set(targets[0], COMPARED[how](a, b))
        nan = np.isnan(a) | np.isnan(b)
        if how in ("num", "nan"):
            return self.set(targets[0], nan if how == "nan" else ~nan)
        unordered = how.endswith("u") and how != "u"
        compared = COMPARED[how[:-1] if unordered else how](a, b)
        return self.set(targets[0], compared | nan if unordered else compared & ~nan)

    def convert(self, words, targets):
        to, source = words[-2:]
        value = self.value(targets[1], source)
        if source[0] == "f" and to[0] != "f":
            if "rzi" not in words and "rni" not in words:
                raise ValueError(".".join(words))
            whole = np.trunc(value) if "rzi" in words else np.rint(value)
            limits = np.iinfo(dtype_of(to))
            inside = (whole >= float(limits.min)) & (whole < -float(limits.min) if to[0] == "s" else whole < 2.0**width_of(to))
            result = np.where(inside, whole, 0).astype(dtype_of(to))
            result = np.where(inside | np.isnan(whole), result, np.where(whole < 0, limits.min, limits.max).astype(dtype_of(to)))
        elif source[0] == "f" and to == source:
            result = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}[words[1]](value)
        else:
            result = value.astype(dtype_of(to))
        self.set(targets[0], result)

    def add_with_carry(self, words, targets, sign):
        """add, addc, sub and subc, with .cc."""
        a, b = (self.value(name, "u" + words[-1][1:]) for name in targets[1:3])
        takes = words[0].endswith("c")
        bits = width_of(words[-1])
        carry = self.carry[self.active] if takes else np.zeros(len(self.active), bool)
        wide = [int(x) + sign * (int(y) + int(c)) for x, y, c in zip(*np.broadcast_arrays(a, b, carry))]
        self.set(targets[0], np.array([value & (1 << bits) - 1 for value in wide], INTEGERS[bits][0]))
        if "cc" in words:
            self.carry[self.active] = [not 0 <= value < 1 << bits for value in wide]

    def multiply(self, words, targets):
        kind = words[-1]
        a, b = (self.value(name, kind) for name in targets[1:3])
        if kind[0] == "f":
            return a * b
        bits = width_of(kind)
        if "wide" in words:
            wide = dtype_of(f"{kind[0]}{2 * bits}")
            return a.astype(wide) * b.astype(wide)
        if "hi" in words:
            whole = [int(x) * int(y) >> bits for x, y in zip(*np.broadcast_arrays(a, b, np.zeros(len(self.active)))[:2])]
            return np.array([value & (1 << bits) - 1 for value in whole], INTEGERS[bits][0])
        return a * b

    def shift(self, words, targets):
        value = self.value(targets[1], words[-1])
        bits = width_of(words[-1])
        by = np.minimum(self.value(targets[2], "u32"), bits).astype(np.uint64)
        last = np.minimum(by, bits - 1).astype(value.dtype)
        if words[0] == "shl":
            return np.where(by < bits, value << last, value.dtype.type(0))
        return np.where((by < bits) | (value.dtype.kind == "i"), value >> last, value.dtype.type(0))

    def funnel(self, words, targets):
        """32 bits of a and b, b above a, shifted by c."""
        low, high, by = (self.value(name, "u32").astype(np.uint64) for name in targets[1:4])
        by = by & np.uint64(31) if "wrap" in words else np.minimum(by, np.uint64(32))
        both = high << np.uint64(32) | low
        return ((both << by) >> np.uint64(32) if "l" in words else both >> by).astype(np.uint32)

    def divide(self, words, targets):
        a, b = (self.value(name, words[-1]) for name in targets[1:3])
        if words[-1][0] == "f":
            return a / b
        quotient = np.where(b == 0, 0, a // np.where(b == 0, 1, b))
        rest = a - quotient * b
        if a.dtype.kind == "i":
            quotient = quotient + ((rest != 0) & ((a < 0) != (b < 0)))
            rest = a - quotient * b
        return (rest if words[0] == "rem" else quotient).astype(a.dtype)

    def plain(self, words, targets):
        kind = words[-1]
        name = words[0]
        values = [self.value(target, kind) for target in targets[1:]]
        a = values[0]
        two = {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
               "min": np.fmin if kind[0] == "f" else np.minimum, "max": np.fmax if kind[0] == "f" else np.maximum}
        if name in two:
            return two[name](a, values[1])
        if name == "copysign":
            return np.copysign(values[1], a)
        if name == "rcp":
            return a.dtype.type(1) / a
        if name == "clz":
            bits = width_of(kind)
            return np.array([bits - int(x).bit_length() for x in np.broadcast_to(a, len(self.active))], np.uint32)
        one = {"neg": np.negative, "abs": np.abs, "not": np.invert, "sqrt": np.sqrt}
        if name not in one:
            raise ValueError(".".join(words))
        return one[name](a)

    def take(self, words, targets):
        name = words[0]
        if name == "ld":
            self.load(words, targets)
        elif name == "st":
            self.store(words, targets)
        elif name == "mov":
            self.move(words, targets)
        elif name == "cvta":
            self.set(targets[0], self.value(targets[1], words[-1]))
        elif name == "setp":
            self.compare(words, targets)
        elif name == "cvt":
            self.convert(words, targets)
        elif name == "selp":
            a, b = (self.value(target, words[-1]) for target in targets[1:3])
            self.set(targets[0], np.where(self.bits(targets[3]), a, b))
        elif name in ("addc", "subc") or "cc" in words:
            self.add_with_carry(words, targets, 1 if name.startswith("add") else -1)
        elif name == "mul":
            self.set(targets[0], self.multiply(words, targets))
        elif name == "mad":
            self.set(targets[0], self.multiply(words, targets) + self.value(targets[3], words[-1]))
        elif name in ("shl", "shr"):
            self.set(targets[0], self.shift(words, targets))
        elif name == "shf":
            self.set(targets[0], self.funnel(words, targets))
        elif name in ("div", "rem"):
            self.set(targets[0], self.divide(words, targets))
        else:
            self.set(targets[0], self.plain(words, targets))

    def run(self):
        count = len(self.kernel.blocks)
        at = np.zeros(self.lanes, np.int64)
        with np.errstate(all="ignore"):
            while (block := int(at.min())) < count:
                lanes = np.flatnonzero(at == block)
                at[lanes] = block + 1
                for predicate, negated, words, targets in self.kernel.blocks[block]:
                    self.active = lanes
                    if predicate is not None:
                        self.active = lanes[self.register(predicate)[lanes] != negated]
                    if words[0] == "bra":
                        at[self.active] = self.kernel.labels[targets[0]]
                    elif words[0] == "ret":
                        at[self.active] = count
                    elif len(self.active) > 0:
                        self.take(words, targets)
