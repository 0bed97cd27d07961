"""Rows of several lengths as lists of lists: what reductions, repetitions and picking give of them."""


def nested(values, lengths):
    """Lists of lists of these lengths, the outer first."""
    made = list(values)
    for row in reversed(lengths):
        ends = [sum(row[:n]) for n in range(len(row) + 1)]
        made = [made[start:end] for start, end in zip(ends, ends[1:])]
    return made


def laid(np, made, rank):
    """The values and the ends of the rows of so many ragged axes."""
    ends = []
    for _ in range(rank):
        ends.append(np.cumsum([0, *map(len, made)]))
        made = [one for row in made for one in row]
    return [np.array(made), *ends]


def _met(made, depth):
    """Siblings as one: what has the same place is together."""
    if depth == 0:
        return [one for row in made for one in row]
    return [_met([row[n] for row in made if len(row) > n], depth - 1)
            for n in range(max(map(len, made), default=0))]  # fmt: skip


def _along(made, axis, left):
    return [_along(one, axis - 1, left - 1) for one in made] if axis else _met(made, left - 1)


def _each(made, depth, f):
    return [_each(one, depth - 1, f) for one in made] if depth else f(made)


def reduced(np, made, rank, f, axis, keepdims):
    """Of `rank` axes in all, over some: what `f` gives of the values that meet."""
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    axes, made = sorted(one % rank for one in axes), _each(made, rank, lambda one: [one])
    for n, one in enumerate(reversed(axes)):
        made = _along(made, one, rank - n)
    made = _each(made, rank - len(axes), f)
    for one in axes if keepdims else ():
        made = wrapped(made, one)
    return made


def tiled(made, counts):
    inner = [tiled(one, counts[1:]) for one in made] if len(counts) > 1 else list(made)
    return inner * counts[0]


def taken(made, i):
    """Rows by places, which are nested themselves."""
    return [taken(made, one) for one in i] if isinstance(i, list) else made[i]


def found(made, i):
    """By the innermost lists of places, one for each axis."""
    if i and isinstance(i[0], list):
        return [found(made, one) for one in i]
    for one in i:
        made = made[one]
    return made


def wrapped(made, axis):
    return [wrapped(one, axis - 1) for one in made] if axis else [made]


def opened(made, axes, at=0):
    """Without these axes, of one each."""
    if not axes or not isinstance(made, list):
        return made
    rest = [one for one in axes if one != at]
    inner = [opened(one, rest, at + 1) for one in made]
    return inner[0] if at in axes else inner


def stacked(made, axis):
    return [stacked(list(rows), axis - 1) for rows in zip(*made)] if axis else made


def chosen(truth, x, y):
    """Number by number, or row by row where the truths are fewer."""
    return [chosen(*each) for each in zip(truth, x, y)] if isinstance(truth, list) else x if truth else y  # fmt: skip


def places(truth, before=()):
    """Where it is true."""
    if isinstance(truth, list):
        return [one for n, row in enumerate(truth) for one in places(row, (*before, n))]
    return [list(before)] if truth else []


def mapped(made, f):
    return [mapped(one, f) for one in made] if isinstance(made, list) else f(made)


def times(made, by):
    return mapped(made, lambda one: one * by)
