"""Sizes that a graph knows of totals, tiles and chosen parts where the input, its axes or its places are fed."""

from seamark_suites.case import case

from .known_before_it_runs import expect_known
from .totals import LOGICAL, NUMBERS, each

TILE, GATHER, SHAPE = "tf.tile", "tf.gather", "tf.compat.v1.shape"


@each(NUMBERS + " " + LOGICAL, core=False, host_only=True)
def total_known_in_part(t, function):
    """Over all of an unknown shape it is one number; over axes that are fed only their count may be known."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    kind = tf.bool if function[3:] in LOGICAL.split() else tf.float32
    keep = "keep_dims" if "v1" in function else "keepdims"
    with tf.Graph().as_default():
        free, rows = fed(kind), fed(kind, [None, 3])
        axes, one = fed(tf.int32), fed(tf.int32, [1])
        found = {
            "all": (t.call(function, free), [[]]),
            "all, kept": (t.call(function, free, **{keep: True}), [None]),
            "two axes": (t.call(function, free, [1, 2]), [None]),
            "fed axes": (t.call(function, rows, axes), [None]),
            "one fed axis": (t.call(function, rows, one), [None]),
            "fed axes, kept": (t.call(function, rows, axes, **{keep: True}), [[None, None]]),
            "first": (t.call(function, rows, 0), [[3]]),
            "last": (t.call(function, rows, [-1]), [[None]]),
            "last, kept": (t.call(function, rows, [-1], **{keep: True}), [[None, 1]]),
            "i64": (t.call(function, rows, tf.constant(0, tf.int64)), [[3]]),
            "i32": (t.call(function, rows, tf.constant(1)), [[None]]),
        }
        expect_known(t, found)
        for wrong in ([-3], [2], [0, 2], [[1], [2]]):
            t.raises(ValueError, t.call, function, rows, wrong)
        few = tf.constant([[False, True], [True, True]])
        few = few if kind == tf.bool else tf.cast(few, kind)
        with tf.compat.v1.Session() as session:
            moved = t.call(function, few, one)
            for twice in ([0, 0], [1, -1]):
                made = t.call(function, few, axes)
                wrong = tf.errors.InvalidArgumentError
                t.raises(wrong, session.run, made, {axes: twice})
            one_by_one = [session.run(moved, {one: [place]}).tolist() for place in (0, 1)]
        mean = [[0.5, 1], [0.5, 1]]
        whole = {
            "reduce_sum": [[1, 2], [1, 2]],
            "reduce_mean": mean,
            "reduce_max": [[1, 1], [1, 1]],
            "reduce_any": [[True, True], [True, True]],
            "reduce_all": [[False, True], [False, True]],
        }
        want = whole[function.rsplit(".", 1)[1]]
        t.expect(one_by_one == want, "%s, got %s" % (want, one_by_one))


@case(TILE, core=False, host_only=True, reference="none")
def tile_known_in_part(t):
    """The count of axes comes from the input or from the length of the multiples; else nothing is known."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        free, by, once = fed(tf.float32), fed(tf.int32), fed(tf.int32, [])
        square = fed(tf.float32, [None, None])
        whole = t.call(TILE, tf.ones([4, 4, 4, 4]), by)
        unknown = t.call(TILE, free, by)
        found = {
            "fed multiples": (whole, [[None] * 4]),
            "fed input": (t.call(TILE, free, [2, 2, 2, 2]), [[None] * 4]),
            "both fed": (unknown, [None]),
            "one multiple": (t.call(TILE, tf.ones([1, 1]), [once, 7]), [[None, 7]]),
            "two axes": (t.call(TILE, square, by), [[None, None]]),
            "three multiples": (t.call(TILE, free, fed(tf.int32, [3])), [[None] * 3]),
        }
        expect_known(t, found)
        t.raises(ValueError, t.call, TILE, square, fed(tf.int32, [3]))
        t.raises(ValueError, t.call, TILE, square, [2])
        with tf.compat.v1.Session() as session:
            values = t.np.arange(6.0).reshape(2, 3)
            got = session.run(unknown, {free: values, by: [2, 1]})
            t.expect((got == t.np.tile(values, [2, 1])).all(), "tiled, got %s" % got)
            got = session.run(whole, {by: [1, 2, 1, 3]})
            t.expect(got.shape == (4, 8, 4, 12) and (got == 1).all(), "ones, got %s" % (got.shape,))
            wrong = tf.errors.InvalidArgumentError
            t.raises(wrong, session.run, unknown, {free: values, by: [2]})


@case(GATHER, core=False, host_only=True, reference="none")
def gather_known_in_part(t):
    """Places or the axis are fed; which of the inputs have a slope, and of what kind it is."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    slopes = tf.compat.v1.gradients
    with tf.Graph().as_default():
        x, free = fed(tf.float32, [3, 4]), fed(tf.float32)
        places, some, axis = fed(tf.int32), fed(tf.int32, [2]), fed(tf.int32, [])
        along = t.call(GATHER, x, some, axis=axis)
        rows = t.call(GATHER, x, some, axis=0)
        columns = t.call(GATHER, x, some, axis=1)
        found = {
            "fed places": (t.call(GATHER, tf.ones([3, 4]), places), [None]),
            "fed axis": (t.call(GATHER, x, [[0, 1], [1, 0]], axis=axis), [[None] * 3]),
            "both fed": (t.call(GATHER, free, places), [None]),
            "fed input": (t.call(GATHER, free, [0, 1]), [None]),
            "a row of places": (along, [[None, None]]),
            "rows": (rows, [[2, 4]]),
            "columns": (columns, [[3, 2]]),
        }
        expect_known(t, found)
        whole, none, still = slopes(along, [x, some, axis])
        t.expect(none is None and still is None, "no slope of places or axis")
        t.expect(whole.shape.as_list() == [3, 4], "a slope by x, got %s" % whole)
        by_rows, none = slopes(rows, [x, some])
        t.expect(isinstance(by_rows, tf.IndexedSlices) and none is None, "rows, got %s" % by_rows)
        by_columns, none = slopes(columns, [x, some])
        t.expect(tf.is_tensor(by_columns) and none is None, "a tensor, got %s" % by_columns)
        integers = fed(tf.int32, [3, 4])
        for place in (0, 1):
            none = slopes(t.call(GATHER, integers, some, axis=place), [integers, some])
            t.expect(none == [None, None], "no slope of integers, got %s" % none)
        for back in (-1, -2):
            made = t.call(GATHER, free, places, batch_dims=back)
            t.raises(ValueError, slopes, made, free)  # of how many axes is not known
        with tf.compat.v1.Session() as session:
            given = {x: t.np.arange(12.0).reshape(3, 4), some: [2, 0]}
            for place in (0, 1, -1):
                got = session.run([along, whole], {**given, axis: place})
                count = t.np.zeros((3, 4))
                count[(slice(None),) * (place % 2) + ([2, 0],)] = 1
                same = (got[0] == given[x].take([2, 0], place)).all() and (got[1] == count).all()
                t.expect(same, "over axis %d, got %s" % (place, got))
            got = session.run(columns, given)
            t.expect((got == given[x][:, [2, 0]]).all(), "columns, got %s" % got)


@case(GATHER, core=False, host_only=True, reference="none")
def gather_of_variables(t):
    """Of version 1 and of resources: each has its own kernel; rows of one axis and of more, of two kinds of places."""
    tf = t.fw
    values = t.np.arange(24.0).reshape(4, 3, 2)
    for kind in (tf.float32, tf.float64, tf.int32):
        with tf.Graph().as_default():
            for resource, kernel in ((False, "GatherV2"), (True, "ResourceGather")):
                start = tf.constant(values, kind)
                name = "kept%d" % resource
                x = tf.compat.v1.get_variable(name, initializer=start, use_resource=resource)
                made = []
                for whole in (tf.int32, tf.int64):
                    for places in (3, [2], [0, 2, 0, 3], [[1, 1, 0], [3, 2, 2]]):
                        made.append((t.call(GATHER, x, tf.constant(places, whole)), places))
                t.expect(made[0][0].op.type == kernel, "%s, got %s" % (kernel, made[0][0].op.type))
                wrong = t.call(GATHER, x, [[7]])
                with tf.compat.v1.Session() as session:
                    session.run(x.initializer)
                    for one, places in made:
                        got = session.run(one)
                        same = got.shape == values[places].shape and (got == values[places]).all()
                        t.expect(same, "%s of %s, got %s" % (places, kernel, got))
                    t.raises(tf.errors.InvalidArgumentError, session.run, wrong)
    t.raises(tf.errors.InvalidArgumentError, t.call, GATHER, tf.ones([2, 3]), [[7]], axis=1)
    for far in (-(2**31), -5, 5, 2**31 - 1):
        t.refuses(GATHER, tf.ones([3]), [0], batch_dims=far)


@case(GATHER, core=False, host_only=True, reference="none")
def gather_slopes_known_in_part(t):
    """The slope keeps what is known of the sizes of what was gathered from, also that of a gather of a gather."""
    tf = t.fw
    spec = tf.TensorSpec([4, None, 10], tf.float32)
    seen = {}

    @tf.function(input_signature=[spec, tf.TensorSpec([None], tf.int32)])
    def run(x, places):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = t.call(GATHER, x, places, axis=2)
        one = tape.gradient(made, x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            first = t.call(GATHER, x, places)
            second = t.call(GATHER, first, [0, 0])
        two = tf.convert_to_tensor(tape.gradient(second, x))
        seen.update(
            once=(one, [[4, None, 10]]),
            twice=(two, [[4, None, 10]]),
            first=(first, [[None, None, 10]]),
            second=(second, [[2, None, 10]]),
        )
        expect_known(t, seen)
        return one, two

    one, two = run(tf.ones([4, 5, 10]), tf.constant([3, 1, 3]))
    want = t.np.zeros((4, 5, 10))
    want[..., [1, 3]] = 1, 2
    t.expect((one.numpy() == want).all(), "counts on the last axis, got %s" % one)
    want = t.np.zeros((4, 5, 10))
    want[3] = 2
    t.expect((two.numpy() == want).all(), "two of row 3, got %s" % two)


@case("tf.transpose", core=False, host_only=True, reference="none")
@case("tf.compat.v1.transpose", core=False, host_only=True, reference="none")
def transpose_known_in_part(t, function):
    """An input of which nothing is known: only the length of the order tells the number of axes."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        free, order, two = fed(tf.float32), fed(tf.int32), fed(tf.int32, [2])
        turned = t.call(function, free)
        found = {
            "unknown": (turned, [None]),
            "fed order": (t.call(function, free, order), [None]),
            "an order of two": (t.call(function, free, two), [[None, None]]),
            "a known order": (t.call(function, free, [1, 0]), [[None, None]]),
            "in part": (t.call(function, fed(tf.float32, [100, 37, None]), [2, 0, 1]), [[None, 100, 37]]),
            "fed, of three": (t.call(function, tf.ones([1, 2, 3]), order), [[None] * 3]),
            "reversed": (t.call(function, fed(tf.float32, [None, 3])), [[3, None]]),
        }  # fmt: skip
        expect_known(t, found)
        with tf.compat.v1.Session() as session:
            for shape in ((), (3,), (2, 3), (2, 3, 4)):
                values = t.np.arange(float(t.np.prod(shape))).reshape(shape)
                got = session.run(turned, {free: values})
                same = got.shape == shape[::-1] and (got == values.T).all()
                t.expect(same, "reversed %s, got %s" % (shape, got))


@case(SHAPE, core=False, host_only=True, reference="none")
@case("tf.shape", core=False, host_only=True, reference="none")
def shape_leads_others(t, function):
    """Sizes made of it are known in a graph as far as the input's are: in zeros, and in a reshape also as i64."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        x, free = fed(tf.float32, [4, None, 10]), fed(tf.float32)
        sizes = t.call(function, x)
        wide, real = tf.cast(sizes, tf.int64), tf.cast(tf.cast(sizes, tf.float32), tf.int32)
        found = {
            "zeros": (tf.zeros([sizes[0]]), [[4]]),
            "zeros of the unknown": (tf.zeros([sizes[1], sizes[2]]), [[None, 10]]),
            "reshaped": (tf.reshape(free, sizes), [[4, None, 10]]),
            "by i64": (tf.reshape(free, wide), [[4, None, 10]]),
            "by way of f32": (tf.reshape(free, real), [[None] * 3]),
            "itself": (sizes, [[3]]),
            "of a scalar": (t.call(function, tf.ones([])), [[0]]),
            "unknown": (t.call(function, free), [[None]]),
        }
        expect_known(t, found)

    @tf.function(input_signature=[tf.TensorSpec([10, None], tf.float32)])
    def run(x):
        made = tf.zeros([t.call(function, x)[0]])
        expect_known(t, {"in a function": (made, [[10]])})
        return made

    t.expect(run(tf.ones([10, 2])).shape == [10], "ten zeros")


@case("tf.shape", core=False, host_only=True, reference="none")
@case(SHAPE, core=False, host_only=True, reference="none")
@case("tf.size", core=False, host_only=True, reference="none")
@case("tf.rank", core=False, host_only=True, reference="none")
def sizes_of_any_kind(t, function):
    """Numbers, truths, texts and sparse rows of one to six axes, also as plain values of a sparse tensor."""
    tf, np = t.fw, t.np
    what = function.rsplit(".", 1)[1]
    outs = [{}] if what == "rank" else [{"out_type": tf.int32}, {"out_type": tf.int64}]
    for rank in range(1, 7):
        sizes = [2, 3, 1, 4, 1, 2][:rank]
        want = {"shape": sizes, "size": int(np.prod(sizes)), "rank": rank}[what]
        places, total = np.array([[0] * rank, [1] + [0] * (rank - 1)]), np.array(sizes)
        plain = tf.compat.v1.SparseTensorValue(places, np.array([3.0, 4.0]), total)
        inputs = [np.zeros(sizes, kind) for kind in ("float32", "int64", "bool", "S3")]
        for x in [*inputs, plain, tf.sparse.SparseTensor(places, [3.0, 4.0], sizes)]:
            for out in outs:
                made = t.call(function, x, **out)
                kind = out.get("out_type", tf.int32)
                same = made.numpy().tolist() == want and made.dtype == kind
                t.expect(same, "%s of %s, got %s" % (what, sizes, made))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.sparse_placeholder(tf.float32)
        made = t.call(function, fed)
        value = tf.compat.v1.SparseTensorValue([[0, 1]], [1.0], [3, 4])
        got = np.asarray(session.run(made, {fed: value})).tolist()
        want = {"shape": [3, 4], "size": 12, "rank": 2}[what]
        t.expect(got == want, "of fed rows %s, got %s" % (want, got))


@case("tf.greater", core=False, host_only=True, reference="none")
@case("tf.less", core=False, host_only=True, reference="none")
@case("tf.equal", core=False, host_only=True, reference="none")
@case("tf.not_equal", core=False, host_only=True, reference="none")
@case("tf.logical_and", core=False, host_only=True, reference="none")
def no_truth_before_it_runs(t, function):
    """In a graph neither an answer nor a chain of comparisons is a truth of Python; eagerly that of one number is."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    logical = function == "tf.logical_and"
    with tf.Graph().as_default():
        x = fed(tf.bool if logical else tf.float32)
        made = t.call(function, x, x)
        for ask in (
            bool,
            lambda one: one and made,
            lambda one: not one,
            lambda one: 1 if one else 0,
        ):
            t.raises(TypeError, ask, made)
        t.raises(TypeError, lambda: 1 < fed(tf.float32) < 2)
        t.raises(TypeError, lambda: 3 if fed(tf.float32) > 2 else 4)
    pairs = [(True, False), (True, True)] if logical else [(1.0, 2.0), (1.0, 1.0), (2.0, 1.0)]
    want = {
        "tf.greater": [False, False, True],
        "tf.less": [True, False, False],
        "tf.equal": [False, True, False],
        "tf.not_equal": [True, False, True],
        "tf.logical_and": [False, True],
    }[function]
    got = [bool(t.call(function, a, b)) for a, b in pairs]
    t.expect(got == want, "%s, got %s" % (want, got))
    t.raises(ValueError, bool, t.call(function, [pairs[0][0]] * 2, [pairs[0][1]] * 2))


@case("tf.pad", core=False, host_only=True, reference="none")
@case("tf.compat.v1.pad", core=False, host_only=True, reference="none")
@case("tf.tile", core=False, host_only=True, reference="none")
@case("tf.slice", core=False, host_only=True, reference="none")
@case("tf.random.uniform", core=False, host_only=True, reference="none")
def refused_when_run(t, function):
    """A function knows no shape of what it gets: what has the wrong number of axes is refused as it runs."""
    tf = t.fw
    free, whole = tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.int32)
    row = tf.constant([7.0, 8.0, 9.0])
    tries = {
        "pad": [
            (tf.constant(7.0), [[1, 2]]),
            (row, [1, 2]),
            (row, [[1], [2]]),
            (row, [[1, 2]] * 2),
        ],
        "tile": [(row, 2), (row, [2, 2]), (tf.constant(7.0), [2])],
        "slice": [(row, 0, 1), (row, [0], 1), (row, 0, [1]), (row, [0, 0], [1])],
        "uniform": [(3,), ([[3]],)],
    }[function.rsplit(".", 1)[1]]
    right = {
        "pad": ((row, [[1, 1]]), [0, 7, 8, 9, 0]),
        "tile": ((row, [2]), [7, 8, 9] * 2),
        "slice": ((row, [1], [2]), [8, 9]),
    }.get(function.rsplit(".", 1)[1])
    drawn = function == "tf.random.uniform"
    specs = [whole] if drawn else [free] + [whole] * (len(tries[0]) - 1)

    @tf.function(input_signature=specs)
    def run(*given):
        return t.call(function, *given)

    def fed(given):
        kept = list(given) if drawn else given[1:]
        kept = [tf.constant(one, tf.int32) for one in kept]
        return kept if drawn else [given[0], *kept]

    for given in tries:
        t.raises(tf.errors.InvalidArgumentError, run, *fed(given))
    if drawn:
        made = run(tf.constant([2, 3])).numpy()
        t.expect(made.shape == (2, 3) and (made >= 0).all() and (made < 1).all(), "below 1")
    else:
        got = run(*fed(right[0])).numpy().tolist()
        t.expect(got == right[1], "%s, got %s" % (right[1], got))
