"""Changes and views under torch.func.functionalize, which makes neither: the results, and what was given, are as without it."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

T, _SINCE = "torch.Tensor.", ("2.0", "torch.func.functionalize")


def _changed(np, x, change):
    made = x.copy()
    change(made)
    return made


def _halves(np, x, y):
    made = _changed(np, x, lambda z: (z[:2].__imul__(2), z[2:].__iadd__(y[2:])))
    return [made[:2], made[2:], made]


def _parts(f, x, y):
    one, two = f(x, 2)
    one.mul_(2)
    two.add_(y[2:])
    return [one, two, x]


def _viewed(f, x, y):
    lines = f(x, 2, 12)
    lines[0].mul_(3)
    again = f(lines, -1)
    again.add_(y.reshape(-1))
    return [lines, again, x]


def _viewed_too(np, x, y):
    made = _changed(np, x, lambda z: (z[:2].__imul__(3), z.__iadd__(y)))
    return [made.reshape(2, 12), made.reshape(-1), made]


def _spread(f, x, y):
    wide = f(x[0], y)
    x.add_(y)
    return [wide * 1, x]


def _added(f, x, y):
    first = f(x[1:], y[:1], alpha=2)
    f(x.mT, 3)
    return [first, f(x[:, ::2], y[:, ::2]), x]


def _added_too(np, x, y):
    made = _changed(np, x, lambda z: (z[1:].__iadd__(2 * y[:1]), z.__iadd__(3), z[:, ::2].__iadd__(y[:, ::2])))  # fmt: skip
    return [made[1:], made[:, ::2], made]


def _covered(f, x, y):
    first = f(x[:2], y[:2] > 1, 7)
    f(x.mT, y.mT < 0, y[0, 0])
    return [first, x]


def _covered_too(np, x, y):
    made = x.copy()
    made[:2][y[:2] > 1] = 7
    made[y < 0] = y[0, 0]
    return [made[:2], made]


def _taken(f, x, y):
    places = (y[:3, 0] > 0).long()
    made = f(x, 0, places)
    x.mul_(2)
    made.add_(1)
    return [made, f(x, 1, places), x]


def _taken_too(np, x, y):
    places = (y[:3, 0] > 0).astype(int)
    return [x[places] + 1, 2 * x[:, places], 2 * x]


# What changes x of 4x6 in place, by y, and gives it last; and what that is.
FORMS = {
    "torch.chunk": (_parts, _halves),
    "torch.Tensor.view": (_viewed, _viewed_too),
    "torch.Tensor.expand_as": (_spread, lambda np, x, y: [np.broadcast_to(x[0] + y[0], (4, 6)), x + y]),
    "torch.Tensor.add_": (_added, _added_too),
    "torch.Tensor.masked_fill_": (_covered, _covered_too),
    "torch.Tensor.index_select": (_taken, _taken_too),
}  # fmt: skip
each = each_of(FORMS)


def _twice(form):
    def reference(np, x, y, **_):
        made = form[1](np, x, y)
        return [*made, *made, made[-1], made[-1]]

    return reference


@each(FORMS, _twice, dtypes="f32 f64 i64", since=_SINCE)
def as_without_changes(t, dtype, function):
    """Of changes alone, and of views, too; what was given has the change afterwards."""
    run, f, functionalize = FORMS[function][0], t.get(function), t.fw.func.functionalize
    x, y = t.randn((4, 6), dtype), t.randn((4, 6), dtype)
    changes = functionalize(lambda x, y: run(f, x, y))
    both = functionalize(lambda x, y: run(f, x, y), remove="mutations_and_views")

    def all_of(x, y):
        given = [x.clone(), x.clone()]
        return [*changes(given[0], y), *both(given[1], y), *given]

    return t.call(all_of, x, y)


def _each_part(np, x):
    part, rows, turned = x.copy(), x.copy(), x.copy()
    part[:, 1:3] = 0
    rows[1] *= 3
    rows[2] = 0
    turned[2] += 1
    turned[0] = 0
    return [part, rows, turned.T]


@case(T + "zero_", dtypes="f32 i64", part=0, core=False, since=_SINCE, reference=lambda np, x, part: _each_part(np, x)[0:1] * 2)  # fmt: skip
@case(T + "unbind", dtypes="f32 i64", part=1, core=False, since=_SINCE, reference=lambda np, x, part: _each_part(np, x)[1:2] * 2)  # fmt: skip
@case(T + "t", dtypes="f32 i64", part=2, core=False, since=_SINCE, reference=lambda np, x, part: _each_part(np, x)[2:3] * 2)  # fmt: skip
def views_that_nothing_changes(t, dtype, part, function):
    """Under functionalize, of changes alone and of views, too: what is written to a part shows in the whole."""
    f, functionalize, zero = t.get(function), t.fw.func.functionalize, t.get(T + "zero_")

    def run(x):
        x = x * 1
        if part == 0:
            f(x[:, 1:3])
            return x
        made = f(x)
        if part == 1:
            made[1].mul_(3)
            zero(made[2])
            return x
        made[:, 2].add_(1)
        zero(made.t()[0])
        return made

    both = functionalize(run), functionalize(run, remove="mutations_and_views")
    return t.call(lambda x: [one(x) for one in both], t.randint((4, 6), dtype, 1, 9))
