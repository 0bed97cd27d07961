"""Arrays with more than 2^31 elements of a byte each: positions that 32 bits do not hold. Every case takes up to 4 GiB."""

FAR = 1 << 31
SIZE = FAR + 9
MARKS = (5, FAR - 1, FAR + 7)  # where something else than zero stands


def same(t, got, wanted):
    values = t.host(got).reshape(-1).tolist()
    t.expect(values == list(wanted), "%s, got %s" % (list(wanted), values[:9]))
