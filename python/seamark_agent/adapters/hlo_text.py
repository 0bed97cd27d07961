"""Reads the text of a compiled XLA program: cycles, loops, and where its numbers lose precision.

Reads what `as_text()` of a compiled program prints (HLO). It knows no framework: whoever compiles through
XLA may use it.
"""

import re

MAX_INSTRUCTION = 300  # characters of an instruction that shows a risk

_HEADER = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{$")
_CYCLES = re.compile(r'"estimated_cycles":"?(\d+)')
_TRIPS = re.compile(r'"known_trip_count":\{"n":"?(\d+)')
_NAME = re.compile(r"%([\w.\-]+)")
_CALLED = re.compile(r"(?:to_apply|calls|called_computations)=\{?%?([\w.\-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_TRUE_FALSE = re.compile(r"(?:true|false)_computation=%?([\w.\-]+)")
_TARGET = re.compile(r'custom_call_target="([^"]*)"')
_SCALAR = re.compile(r"^[a-z]\w*\[\]")
_LAYOUT = re.compile(r"entry_computation_layout=\{\((.*?)\)->")
_TYPE = re.compile(r"(?<![\w%.])([a-z][a-z0-9]*)\[")
# Opcodes that name or regroup values and do no work of their own.
_FREE = {
    "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id",
    "replica-id", "opt-barrier", "async-done", "copy-done", "all-gather-done", "all-reduce-done",
    "collective-permute-done", "domain", "iota",
}  # fmt: skip
# Custom calls by which libtpu names the halves of a wide type, or memory: no work either.
_FREE_CALLS = {
    "X64SplitHigh", "X64SplitLow", "X64Combine", "X128SplitHigh", "X128SplitLow", "X128Combine",
    "AllocateBuffer", "AssumeGatherIndicesInBound",
}  # fmt: skip


class Instruction:
    __slots__ = ("line", "name", "opcode", "operands", "root", "shape", "text")

    def __init__(self, line):
        line = line.strip()
        self.root = line.startswith("ROOT ")
        self.line = line[5:] if self.root else line
        name, _, rest = self.line.partition(" = ")
        self.name = name.lstrip("%")
        end = _balanced(rest) if rest.startswith("(") else rest.find(" ")
        self.shape, rest = rest[:end], rest[end:].lstrip()
        opening = max(rest.find("("), 0)
        self.opcode = rest[:opening]
        end = _balanced(rest, opening)
        self.text = rest[opening + 1 : end - 1]  # what stands between its parentheses
        self.operands = _NAME.findall(self.text)

    @property
    def dtype(self):
        """The element type of an array; None for a tuple."""
        return None if self.shape.startswith("(") else self.shape.partition("[")[0]


class Program:
    """The computations of one compiled program. A computation is read when it is asked for."""

    def __init__(self, text):
        self.text = text
        self._lines, self._read, self.entry = {}, {}, None
        name = None
        for line in text.splitlines():
            if name is None:
                found = _HEADER.match(line)
                if found:
                    name = found.group(2)
                    self._lines[name] = []
                    if found.group(1):
                        self.entry = name
            elif line.startswith("}"):
                name = None
            elif " = " in line:
                self._lines[name].append(line)

    def computation(self, name):
        """{name: Instruction}, in order; empty where the program has no such computation."""
        if name not in self._read:
            made = [Instruction(line) for line in self._lines.get(name, ())]
            self._read[name] = {item.name: item for item in made}
        return self._read[name]

    def computations(self):
        return list(self._lines)

    def lines(self, name):
        return self._lines[name]

    def root(self, name):
        return next((item for item in self.computation(name).values() if item.root), None)


# -- cycles --------------------------------------------------------------------------------------


class Cycles:
    """The compiler's estimate for one run of a program.

    cycles  int, or None where nothing that the program runs has an estimate
    exact   False where the sum is a bound only: a loop whose trips the text does not tell (one is
            counted), a branch (the dearest is counted), or work for which the compiler gives no estimate
    loops   while loops that the program reaches
    """

    def __init__(self, program):
        self._program = program
        self.exact, self.loops = True, 0
        self._inside = set()
        total = self._of(program.entry, {}) if program.entry else 0
        self.cycles = total or None  # none that the program reaches: the compiler says nothing
        if not total:
            self.exact = None

    def _of(self, name, known):
        """Of a computation; `known` are its parameter's elements that are constants, by index."""
        if name in self._inside:  # no valid program calls itself
            self.exact = False
            return 0
        self._inside.add(name)
        inside = self._program.computation(name)
        total = sum(self._of_instruction(item, inside, known) for item in inside.values())
        self._inside.discard(name)
        return total

    def _of_instruction(self, item, inside, known):
        if item.opcode in _FREE:
            return 0
        if item.opcode == "while":
            return self._of_loop(item, inside, known)
        if item.opcode == "conditional":
            return self._of_branches(item)
        said = _CYCLES.search(item.line)
        if said:
            return int(said.group(1))
        called = _CALLED.search(item.line)
        if called and item.opcode in ("call", "async-start"):
            return self._of(called.group(1), {})
        if item.opcode == "custom-call":
            target = _TARGET.search(item.line)
            if target is None or target.group(1) not in _FREE_CALLS:
                self.exact = False
        elif not _SCALAR.match(item.shape):
            self.exact = False
        return 0

    def _of_loop(self, item, inside, known):
        self.loops += 1
        loop = _Loop(self._program, item, inside, known)
        said = _TRIPS.search(item.line)
        trips = int(said.group(1)) if said else loop.trips()
        if trips is None:
            self.exact = False
            trips = 1
        body = self._of(loop.body, loop.kept)
        return trips * body + (trips + 1) * self._of(loop.condition, loop.kept)

    def _of_branches(self, item):
        listed = _BRANCHES.search(item.line)
        names = _NAME.findall(listed.group(1)) if listed else _TRUE_FALSE.findall(item.line)
        costs = [self._of(name, {}) for name in names]
        if len(set(costs)) > 1:
            self.exact = False
        return max(costs, default=0)


class _Loop:
    """A while loop: its computations, and how often it turns where constants tell it."""

    def __init__(self, program, item, inside, known):
        self._program, self._known = program, known
        self.body = _attribute(item.line, "body")
        self.condition = _attribute(item.line, "condition")
        start = inside.get(item.operands[0]) if item.operands else None
        self._start = [] if start is None or start.opcode != "tuple" else start.operands
        self._inside = inside
        root = program.root(self.body)
        self._next = [] if root is None or root.opcode != "tuple" else root.operands
        self.kept = {}  # elements that the body hands on unchanged and that begin as constants
        for index, name in enumerate(self._next[: len(self._start)]):
            if self._element(self.body, name) == index:
                value = self._constant(inside, self._start[index], known)
                if value is not None:
                    self.kept[index] = value

    def trips(self):
        """An int, or None where the condition is no comparison of a counter with a constant."""
        compare = self._program.root(self.condition)
        if compare is None or compare.opcode != "compare" or len(compare.operands) != 2:
            return None
        index = self._element(self.condition, compare.operands[0])
        limit = self._constant(
            self._program.computation(self.condition), compare.operands[1], self.kept
        )
        if index is None or limit is None or index >= min(len(self._start), len(self._next)):
            return None
        begin = self._constant(self._inside, self._start[index], self._known)
        step = self._step(index)
        if begin is None or not step:
            return None
        return _count(begin, step, limit, _attribute(compare.line, "direction"))

    def _step(self, index):
        """What the body adds to an element each time; None where it does something else."""
        inside = self._program.computation(self.body)
        item = _source(inside, self._next[index])
        if item is None or item.opcode not in ("add", "subtract") or len(item.operands) != 2:
            return None
        first, second = item.operands
        if self._element(self.body, first) == index:
            step = self._constant(inside, second, self.kept)
            return -step if step is not None and item.opcode == "subtract" else step
        if item.opcode == "add" and self._element(self.body, second) == index:
            return self._constant(inside, first, self.kept)
        return None

    def _element(self, computation, name):
        """The index of the parameter's element that an instruction hands on; None for anything else."""
        inside = self._program.computation(computation)
        item = _source(inside, name)
        if item is None or item.opcode != "get-tuple-element":
            return None
        origin = inside.get(item.operands[0]) if item.operands else None
        if origin is None or origin.opcode != "parameter":
            return None
        return _index(item)

    @staticmethod
    def _constant(inside, name, known):
        item = _source(inside, name)
        if item is None:
            return None
        if item.opcode == "constant" and re.match(r"^-?\d+$", item.text):
            return int(item.text)
        if item.opcode == "get-tuple-element" and item.operands:
            origin = inside.get(item.operands[0])
            if origin is not None and origin.opcode == "parameter":
                return known.get(_index(item))
        return None


def _source(inside, name):
    """The instruction behind copies."""
    item = inside.get(name)
    for _ in inside:  # no chain is longer, whatever the text says
        if item is None or item.opcode not in ("copy", "bitcast") or not item.operands:
            break
        item = inside.get(item.operands[0])
    return item


def _count(begin, step, limit, direction):
    if direction in ("LE", "GE"):
        limit += 1 if direction == "LE" else -1
    if direction in ("LT", "LE"):
        return max(0, -(-(limit - begin) // step)) if step > 0 else None
    if direction in ("GT", "GE"):
        return max(0, -(-(begin - limit) // -step)) if step < 0 else None
    if direction == "NE" and (limit - begin) % step == 0:
        return (limit - begin) // step if (limit - begin) // step >= 0 else None
    return None


def _attribute(line, name):
    found = re.search(r"[, ]%s=%%?([\w.\-]+)" % name, line)
    return found.group(1) if found else None


def _index(item):
    found = re.search(r"[, ]index=(\d+)", item.line)
    return int(found.group(1)) if found else None


def _balanced(text, begin=0):
    """The position after the parenthesis that closes the one at `begin`."""
    depth = 0
    for position in range(begin, len(text)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


# -- numerics ------------------------------------------------------------------------------------

_MLIR = {"i1": "pred", "ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64", "i8": "s8", "i16": "s16",
         "i32": "s32", "i64": "s64", "complex<f32>": "c64", "complex<f64>": "c128"}  # fmt: skip
_MAIN = re.compile(r"func\.func public @main\((.*?)\) (?:->|attributes|\{)", re.S)
_ARGUMENT = re.compile(r"%arg\d+: tensor<(?:[\d?]+x)*([^<>]+(?:<\w+>)?)>")
_PRODUCT = re.compile(r"stablehlo\.(?:dot_general|dot|convolution)\b[^\n]*")
_TRITON_GEMM = re.compile(r'"kind":"__triton\w*gemm\w*"')
_CUBLAS = re.compile(r'custom_call_target="__cublas\$')
# More than the default, in a `dot` and in a call of cuBLAS; or an algorithm by name.
_ASKED = re.compile(
    r'operand_precision=\{h|"operand_precision":\["HIGH|algorithm=dot_|"algorithm":"ALG_DOT'
)
_WIDE = ("f64", "s64", "u64", "c128")


def risks(program, stablehlo, platform):
    """What a compiled program shows of lost range or precision: [{kind, note, instruction, count}].

    kind is `type` (a type was narrowed or is emulated) or `float-precision` (f32 is multiplied in a
    shorter type because nothing else was asked for). Nothing here is a failure.
    """
    found = []
    narrowed = _narrowed(program, stablehlo)
    if narrowed:
        found.append(narrowed)
    split = _split_doubles(program)
    if split:
        found.append(split)
    product = _short_products(program, stablehlo, platform)
    if product:
        found.append(product)
    return found


def arguments(stablehlo):
    """Element types (f32, s64, ...) of a lowered program's arguments."""
    main = _MAIN.search(stablehlo)
    if not main:
        return []
    names = [name.strip() for name in _ARGUMENT.findall(main.group(1))]
    return [_MLIR.get(name, name) for name in names]


def parameters(program):
    """Element types of a compiled program's parameters."""
    header = program.text.split("\n", 1)[0]
    layout = _LAYOUT.search(header)
    if layout is None:
        return []
    depth = _balanced("(" + header[layout.start(1) :])
    return _TYPE.findall(header[layout.start(1) : layout.start(1) + depth - 2])


def risk(kind, note, instruction, count=1):
    return {"kind": kind, "note": note, "instruction": shown(instruction), "count": count}


def shown(line):
    """An instruction without what only the compiler reads, bounded."""
    line = line.strip()
    for mark in (", metadata={", ", backend_config={", ", frontend_attributes={", ", sharding={"):
        line = line.split(mark, 1)[0]
    return line[:MAX_INSTRUCTION]


def _narrowed(program, stablehlo):
    asked, given = arguments(stablehlo), parameters(program)
    if len(asked) != len(given):  # the compiler passes them in another way: nothing can be said
        return None
    pairs = [(i, a, g) for i, (a, g) in enumerate(zip(asked, given)) if a in _WIDE and a != g]
    if not pairs:
        return None
    index, wide, narrow = pairs[0]
    lines = program.lines(program.entry) if program.entry else []
    line = next((text for text in lines if "parameter(%d)" % index in text), "")
    note = "an argument of type %s is compiled as %s" % (wide, narrow)
    return risk("type", note, line, len(pairs))


def _split_doubles(program):
    """f64 that the device has not: the compiler carries each value as two f32."""
    first, count = None, 0
    for name in program.computations():
        for line in program.lines(name):
            if 'custom_call_target="X64SplitHigh"' in line and " = f32[" in line:
                first, count = first or line, count + 1
    if first is None:
        return None
    return risk("type", "f64 is carried as two f32: their range, and fewer digits", first, count)


def _short_products(program, stablehlo, platform):
    """Products of f32 at the default precision, which a TPU multiplies in bf16 and a GPU in TF32."""
    if not any(map(_is_default_f32, _PRODUCT.findall(stablehlo))):
        return None
    if platform == "cuda":
        return _tf32_products(program)
    return _bf16_products(program) if platform == "tpu" else None


def _tf32_products(program):
    """Matrix products of f32 that XLA gives to the tensor cores of an NVIDIA GPU: a `dot` in a Triton kernel, or
    a call of cuBLAS. Which algorithm a convolution gets is chosen on the device: the text does not tell."""
    triton = _triton_products(program)
    found = []
    for name in program.computations():
        for line in program.lines(name):
            product = _CUBLAS.search(line) or (name in triton and " dot(" in line)
            if product and not _ASKED.search(line) and _of_f32(program.computation(name), line):
                found.append(line)
    if not found:
        return None
    note = "f32 is multiplied in TF32: the device's default precision"
    return risk("float-precision", note, found[0], len(found))


def _triton_products(program):
    """Names of the computations of which XLA's Triton emitter makes matrix products."""
    lines = [line for name in program.computations() for line in program.lines(name)]
    waiting = [
        name for line in lines if _TRITON_GEMM.search(line) for name in _CALLED.findall(line)
    ]
    known = set()
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            inside = program.computation(name).values()
            waiting += [called for item in inside for called in _CALLED.findall(item.line)]
    return known


def _of_f32(inside, line):
    """Whether an instruction of the computation takes f32."""
    operands = Instruction(line).operands
    return any(inside[name].dtype == "f32" for name in operands if name in inside)


def _bf16_products(program):
    of_f32, of_bf16, count = None, None, 0
    for name in program.computations():
        for line in program.lines(name):
            if (" convolution(" in line or " dot(" in line) and "operand_precision={h" not in line:
                inside = program.computation(name)
                operands = Instruction(line).operands
                types = {inside[o].dtype for o in operands if o in inside}
                count += 1
                if "f32" in types:
                    of_f32 = of_f32 or line
                elif "bf16" in types:
                    of_bf16 = of_bf16 or line
    line = of_f32 or of_bf16
    if line is None:
        return None
    note = "f32 is multiplied in bf16: the device's default precision"
    return risk("float-precision", note, line, count)


def _is_default_f32(line):
    """Whether a product in StableHLO has f32 operands and asks for no more than the default."""
    types = line.rpartition(" : (")[2].partition(")")[0]
    if "xf32>" not in types and "tensor<f32>" not in types and "xcomplex<f32>" not in types:
        return False
    # "HIGH" is also the beginning of HIGHEST.
    return "HIGH" not in line
