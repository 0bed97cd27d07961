"""clamp: bounds that are truths, whole numbers and fractions beside one another; bounds that a script leaves out."""

from typing import Optional

from seamark_suites.case import case

# From the narrowest to the widest; the bounds of each test, and how each is given: its first number, all, or not at all.
KINDS = ["bool", "i32", "i64", "f16", "f32", "f64"]
BOUNDS = [("bool", "bool"), ("bool", "i32"), ("i64", "bool"), ("i64", "i64"), ("i32", "f64"), ("f16", "f32"), ("f32", "bool"), ("f64", "i64"), ("bool", "f16")]  # fmt: skip
NUMBERS = [(0, 5), (0.5, 2.0), (True, 2.5), (0, True)]
WAYS = [("all", "all"), ("one", "all"), ("all", "one"), ("all", None), (None, "all")]
OF_NUMBERS = {bool: "bool", int: "i64", float: "f32"}


def _sort(kind):
    return {"b": 0, "i": 1, "f": 2}[kind[0]]


def _widest(kind, bounds):
    """Of axes the widest kind; what has none counts only where it is of another sort."""
    for other in [other for other, way in bounds if way == "all"]:
        kind = max(kind, other, key=KINDS.index)
    for other in [other for other, way in bounds if way == "one"]:
        kind = other if _sort(other) > _sort(kind) else kind
    return kind


def _asked(kind):
    """Each pair of bounds, how both are given, and the kind of the result, which is never bool."""
    for number, pair in enumerate(BOUNDS):
        for ways in WAYS:
            result = _widest(kind, list(zip(pair, ways)))
            if result != "bool":
                yield number, ways, result


def _given(pair, ways):
    return [None if way is None else one if way == "all" else one[0] for one, way in zip(pair, ways)]  # fmt: skip


def _within(np, x, low, high):
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _between(kind):
    def reference(np, x, *drawn):
        halved = lambda x, kind: x / (2 if _sort(kind) == 2 else 1)  # noqa: E731
        x = halved(x.astype("f8"), kind)
        drawn = [halved(one.astype("f8"), of) for one, of in zip(drawn, [of for pair in BOUNDS for of in pair])]  # fmt: skip
        pairs = list(zip(drawn[::2], drawn[1::2]))
        made = [_within(np, x, *_given(pairs[number], ways)) for number, ways, _ in _asked(kind)]
        return made + [_within(np, x, float(low), float(high)) for low, high in NUMBERS]

    return reference


def _each_kind(name, kinds):
    def declare(body):
        for kind in kinds.split():
            case(name, dtypes=kind, core=False, reference=_between(kind))(body)
        return body

    return declare


@_each_kind("torch.clamp", "bool i32 f16 f32")
@_each_kind("torch.Tensor.clamp", "bool i32 f16 f32")
def bounds_of_mixed_kinds(t, dtype, function):
    """Two tensors, one with axes and one without, one alone, two numbers: the result has the kind of all; in place the input's stays."""

    def draw(kind, low, high):
        low, high = (0, 2) if kind == "bool" else (low, high)
        made = t.randint((24,), kind, low, high)
        return made / 2 if _sort(kind) == 2 else made

    x = draw(dtype, -9, 10)
    pairs = [(draw(low, -6, 2), draw(high, 0, 7)) for low, high in BOUNDS]
    asked = [(pairs[number], ways, kind) for number, ways, kind in _asked(dtype)]
    asked += [((low, high), ("all", "all"), _widest(dtype, [(OF_NUMBERS[type(one)], "one") for one in (low, high)])) for low, high in NUMBERS]  # fmt: skip
    made = []
    for pair, ways, kind in asked:
        low, high = _given(pair, ways)
        made.append(t.call(function, x, low, high))
        t.expect(made[-1].dtype is t.dtype(kind), "%s of %s" % (kind, ways))
        if kind == dtype or _sort(dtype) == 2:
            own = x.clone()
            changed = t.call("torch.Tensor.clamp_", own, low, high)
            t.expect(changed is own and own.dtype is x.dtype, "its own kind in place")
            t.expect(bool((own == made[-1]).all()), "the same numbers in place")
    return made


@case("torch.clamp", dtypes="f32 f64 i64", core=False, reference=lambda np, x, y: [
      np.minimum(x, 2), np.maximum(x, -1), np.minimum(x, 2), np.maximum(x, -1), np.minimum(x, y), np.maximum(x, y)])  # fmt: skip
@case("torch.Tensor.clamp", dtypes="f32 f64 i64", core=False, reference=lambda np, x, y: [
      np.minimum(x, 2), np.maximum(x, -1), np.minimum(x, 2), np.maximum(x, -1), np.minimum(x, y), np.maximum(x, y)])  # fmt: skip
def bounds_a_script_leaves_out(t, dtype, function):
    """None as it is written, in a variable, and in the place of a tensor."""
    torch = t.fw

    if function == "torch.clamp":

        def written(x):
            return torch.clamp(x, min=None, max=2), torch.clamp(x, -1, None)

        def held(x, low: Optional[int], high: Optional[int]):
            return torch.clamp(x, min=low, max=high)

        def tensors(x, low: Optional[torch.Tensor], high: Optional[torch.Tensor]):
            return torch.clamp(x, min=low, max=high)

    else:

        def written(x):
            return x.clamp(min=None, max=2), x.clamp(-1, None)

        def held(x, low: Optional[int], high: Optional[int]):
            return x.clamp(min=low, max=high)

        def tensors(x, low: Optional[torch.Tensor], high: Optional[torch.Tensor]):
            return x.clamp(low, high)

    x, y = (t.randint((7, 6), dtype, -5, 6) for _ in range(2))
    written, held, tensors = (torch.jit.script(one) for one in (written, held, tensors))
    made = [*t.call(written, x), t.call(held, x, None, 2), t.call(held, x, -1, None)]
    return [*made, t.call(tensors, x, None, y), t.call(tensors, x, y, None)]
