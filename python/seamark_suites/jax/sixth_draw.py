"""What a sixth drawing of functions found missing: of clip and concatenate."""

from seamark_suites.case import case

from .reference import with_gradient
from .transformed import NP

CLIP, CONCATENATE = NP + "clip", NP + "concatenate"


@case(CLIP, dtypes="i32 i8 u8", core=False, reference=lambda np, x: np.clip(x, 0.5, 2.5))
def bounds_of_another_kind(t, dtype):
    """Integers between fractions become fractions."""
    made = t.call(CLIP, t.randint((5, 4), dtype, 0, 6), 0.5, 2.5)
    t.expect(t.place == "wide" or made.dtype == t.dtype("f32"), "f32")
    return made


@case(
    CLIP,
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x: [x, np.full((5, 4), -1), np.clip(x, -1, 2)],
)
def no_bound_and_crossed_bounds(t, dtype):
    """Without a bound the numbers as they are; where the bounds cross the upper one; bounds by their names."""
    x = t.randn((5, 4), dtype)
    return [t.call(CLIP, x), t.call(CLIP, x, 2, -1), t.call(CLIP, x, min=-1, max=2)]


@case(CLIP, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x, low, high: np.minimum(np.maximum(x, low), high),
      lambda np, w, x, low, high: (w * (x > low) * (x < high), (w * (x < low)).sum(), (w * (x > high)).sum(0))))  # fmt: skip
def slope_by_the_bounds(t, dtype):
    """A bound gets the slope of what it holds."""
    x, low = t.distinct((6, 4), dtype), t.const(-5.25, dtype, grad=True)
    return t.call(CLIP, x, low, t.const([2.25, 3.25, 4.25, 5.25], dtype, grad=True))


@case(CLIP, core=False, reference="none")
def clip_refuses(t):
    """Complex numbers, complex bounds, text."""
    x = t.randn((3,), "f32")
    t.refuses(CLIP, t.randn((3,), "c64"), 0, 1)
    t.refuses(CLIP, x, t.randn((3,), "c64"), None)
    t.refuses(CLIP, x, "a", None)


@case(CONCATENATE, dtypes="f32 i32", core=False, reference=lambda np, x, *parts: [
      np.concatenate(x), np.concatenate(parts, 1)])  # fmt: skip
def one_array_and_many_parts(t, dtype):
    """An array's rows in place of a list; more parts than XLA joins at once."""
    rows = t.randn((4, 3, 2), dtype)
    parts = [t.randn((3, 1 + n % 3), dtype) for n in range(40)]
    return [t.call(CONCATENATE, rows), t.call(CONCATENATE, parts, axis=1)]
