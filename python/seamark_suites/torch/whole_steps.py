"""torch.arange of integers by fractions, as its own samples ask for it: what is cut, and what counts."""

from seamark_suites.case import case

ARANGE = "torch.arange"
PARTS = [(-0.9, 2.1, 2.0), (2.1, -2.9, -1.0), (1.1, 1.1, 1.0), (1.1, 1.1, -1.0), (0.1, -7.9, -4.0), (1.1, 5.1, 2.0), (0.0, -8 - 1e-6, -4.0),
         (1.0, 5 + 1e-6, 2.0), (0.1, 1.1, 1.0), (0.0, 3.1, 1.0), (0.5, 8.0, 1.5)]  # fmt: skip


def _cut(np, kind):
    """Start and step lose their fractions; int64 counts by what is left of the ends, the others by the fractions."""
    made = []
    for start, end, step in PARTS:
        whole = int(start), int(end), int(step)
        first, last, by = whole if kind == "i64" else (start, end, step)
        made.append(whole[0] + whole[2] * np.arange(np.ceil((last - first) / by)))
    return made


@case(ARANGE, kind=["i64", "i32", "i16", "i8"], core=False, reference=_cut)
def integers_by_fractions(t, kind):
    made = [t.call(ARANGE, *ends, dtype=t.dtype(kind), device=t.device) for ends in PARTS]
    t.expect(all(one.dtype is t.dtype(kind) for one in made), "the asked dtype")
    return made


@case(ARANGE, core=False, reference="none", since=("2.13", "a step of which nothing is left raises"))  # fmt: skip
def no_step_is_left(t):
    """A fraction of a step is none of int64, by dtype= and by out=."""
    options = {"dtype": t.fw.int64, "device": t.device}
    for ends in ((0, 64, 0.5), (4, 0, -0.75)):
        t.raises(ValueError, t.call, ARANGE, *ends, **options)
        t.raises(ValueError, t.call, ARANGE, *ends, out=t.fw.empty(0, **options))
