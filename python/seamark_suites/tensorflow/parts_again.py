"""Saved models as they come back: containers, defaults, partial functions, signatures, tables, types of one's own, options."""

import collections
import functools
import gc
import operator
import os
import weakref

from seamark_suites.case import case

LOAD = "tf.saved_model.load"
KINDS = ValueError, TypeError
Pair = collections.namedtuple("Pair", ["a", "b"])


def _again(t, model, times=2, name="model", **options):
    """Saved and loaded, which is saved and loaded again; no part of a compiled function."""
    for number in range(times):
        folder = os.path.join(t.tmpdir(), "%s%d" % (name, number))
        t.fw.saved_model.save(model, folder, **options)
        model = t.get(LOAD)(folder) if t.compiled else t.call(LOAD, folder)
    return model


@case(LOAD, host_only=True, core=False, reference="none")
def loads_containers(t):
    """Dictionaries, lists and tuples of variables and functions; None where a plain number was in a list, no key in a
    dictionary; what a function made as it was traced; one tensor that two functions captured."""
    tf, model = t.fw, t.fw.train.Checkpoint()
    model.named = {"a": tf.Variable(1.0), "b": tf.Variable(2.0), "c": 1}
    model.calls = {"a": tf.function(lambda: tf.constant(100.0))}
    model.calls["whole"] = model.calls["a"].get_concrete_function()
    model.listed = [tf.Variable(1.0), 1, tf.Variable(3.0)]
    model.fixed = tf.Variable(4.0), 1, (tf.Variable(5.0),)
    model.held = [tf.Variable(1.0)]

    def second():
        if len(model.held) == 1:
            model.held.append(tf.Variable(2.0))
        return model.held[1] ** 2

    model.losses = [tf.function(lambda: model.held[0] ** 2), tf.function(second, autograph=False)]
    found = [float(one()) for one in model.losses]
    t.expect(found == [1.0, 4.0], "1 and 4, got %s" % found)
    seven = tf.fill([3], 7.0)
    model.plus, model.less = tf.function(lambda: seven + 1.0), tf.function(lambda: seven - 2.0)
    model.plus(), model.less()
    loaded = _again(t, model)
    got = {name: float(one) for name, one in loaded.named.items()}
    t.expect(got == {"a": 1.0, "b": 2.0}, "two of three, got %s" % got)
    got = [float(loaded.calls[name]()) for name in ("a", "whole")]
    t.expect(got == [100.0, 100.0], "100 of each, got %s" % got)
    for held, want in ((loaded.listed, [1.0, 3.0]), (loaded.fixed, [4.0])):
        t.expect(len(held) == 3 and held[1] is None, "three with None, got %s" % (held,))
        got = [float(one) for one in (held[0], held[2]) if hasattr(one, "numpy")]
        t.expect(got == want, "%s, got %s" % (want, got))
    t.expect(float(loaded.fixed[2][0]) == 5.0, "5 in a tuple within")
    got = [float(one()) for one in loaded.losses]
    for one, value in zip(loaded.held, (3.0, 4.0)):
        one.assign(value)
    got += [float(one()) for one in loaded.losses]
    t.expect(got == [1.0, 4.0, 9.0, 16.0], "of their variables, got %s" % got)
    got = loaded.plus().numpy().tolist() + loaded.less().numpy().tolist()
    t.expect(got == [8.0] * 3 + [5.0] * 3, "of the tensor, got %s" % got)
    calls = [one.get_concrete_function() for one in (loaded.plus, loaded.less)]
    one, other = (call.captured_inputs for call in calls)
    t.expect(len(one) == len(other) == 1 and one[0] is other[0], "one tensor, captured twice")


@case(LOAD, host_only=True, core=False, reference="none")
def loads_defaults_and_partial_functions(t):
    """Arguments that nobody gives, given by position or by name; partial functions by name, over a default, of a function."""
    tf, model, c = t.fw, t.fw.Module(), t.fw.constant

    def every(a=1, b=2, c=3, training=True):
        return [a, b, c, training] if training else [c, b, a, training]

    def many(x, training=False, unused=7.1, more=7.7):
        return 2 * x if training else 6 if more == 7 else 7

    def hidden(x=3, training=True, y=7):
        return x + y if training else x + y + 2

    def traced(f, **named):
        return tf.function(f, autograph=False, **named)

    model.every, model.many = traced(every), traced(many)
    calls = traced(lambda a, b, c: [model.every(a, b, c, flag)[0] for flag in (True, False)], input_signature=[tf.TensorSpec(None)] * 3)  # fmt: skip
    calls.get_concrete_function()
    model.many(c(10), True), model.many(c(1)), model.many(c(1), more=7.0)
    model.zeros = traced(functools.partial(lambda x, y: x - y, x=tf.zeros([1]), y=tf.ones([1])))
    model.five = traced(functools.partial(lambda x, y=3: x + y, y=5))
    model.hidden = traced(functools.partial(hidden, y=6))
    model.first = traced(functools.partial(lambda x, y: x - y, x=5))
    model.called = traced(functools.partial(lambda f, y: f(3) + y, lambda a: 2 * a))
    model.zeros(), model.five(1), model.hidden(), model.hidden(training=False)
    model.first(y=c(7)), model.called(c(3))
    loaded = _again(t, model)
    got = [float(one) for one in loaded.every()] + [float(one) for one in loaded.every(-1.0, training=False)]  # fmt: skip
    t.expect(got == [1.0, 2.0, 3.0, 1.0, 3.0, 2.0, -1.0, 0.0], "its defaults, got %s" % got)
    t.raises(KINDS, loaded.every, ["hello", 1.0])
    got = [int(loaded.many(c(2), True)), int(loaded.many(c(2))), int(loaded.many(c(1), more=7.0))]
    t.expect(got == [4, 7, 6], "4, 7 and 6, got %s" % got)
    got = [float(loaded.zeros()[0]), int(loaded.five(1)), int(loaded.hidden()), int(loaded.hidden(training=False))]  # fmt: skip
    t.expect(got == [-1.0, 6, 9, 11], "-1, 6, 9 and 11, got %s" % got)
    got = [int(loaded.first(y=c(9))), int(loaded.called(c(4)))]
    t.expect(got == [-4, 10], "-4 and 10, got %s" % got)


@case(LOAD, host_only=True, core=False, reference="none")
def loads_signatures_as_they_are(t):
    """Chosen by the saver, under their keys: of one input by position or by name, of two by name alone; names that are
    made fit; pairs; their variables; nothing can be set."""
    tf, model, c = t.fw, t.fw.train.Checkpoint(v=t.fw.Variable(3.0)), t.fw.constant
    number = tf.TensorSpec(None, tf.float32)
    model.times = tf.function(lambda x: model.v * x)
    model.both = tf.function(lambda x, y: x - y)
    odd = [tf.TensorSpec([], tf.int32, name) for name in ("A-b", "A/D", "bar")]
    model.odd = tf.function(lambda a, b, c, d=10: a + 2 * b + 3 * c + d, input_signature=odd)
    model.pair = tf.function(lambda: (tf.ones([]), tf.zeros([])), input_signature=())
    given = {
        "times": model.times.get_concrete_function(number),
        "both": model.both.get_concrete_function(number, number),
        "odd": model.odd,
        "pair": model.pair,
    }
    loaded = _again(t, model, signatures=given, times=1)
    made = loaded.signatures
    t.expect(sorted(made) == sorted(given), "their keys, got %s" % sorted(made))
    two = c(2.0)
    got = [float(made["times"](x=two)["output_0"]), float(made["times"](two)["output_0"])]
    loaded.v.assign(4.0)
    got.append(float(made["times"](x=two)["output_0"]))
    t.expect(got == [6.0, 6.0, 8.0], "by its variable, got %s" % got)
    t.expect(float(made["both"](x=two, y=c(5.0))["output_0"]) == -3.0, "-3")
    t.raises(TypeError, made["both"], two, y=c(5.0))
    t.raises(TypeError, made["both"], x=two)
    got = sorted(one.name for one in made["odd"].inputs)
    t.expect(got == ["a_b:0", "a_d:0", "bar:0"], "names that fit, got %s" % got)
    got = {name: float(one) for name, one in made["pair"]().items()}
    t.expect(got == {"output_0": 1.0, "output_1": 0.0}, "a pair, got %s" % got)
    t.raises(TypeError, operator.setitem, made, "key", 3)
    alone = _again(t, model, name="one", times=1, signatures=given["times"])
    t.expect(list(alone.signatures) == ["serving_default"], "the one, got %s" % alone.signatures)
    alone.signatures = {"other": made["times"]}
    t.raises(ValueError, tf.saved_model.save, alone, os.path.join(t.tmpdir(), "no"))


@case(LOAD, host_only=True, core=False, reference="none")
def loads_functions_by_what_was_traced(t):
    """A trace by its specs; lists for what has a signature; no more keys than there were; a call of a call; none that was
    never traced; run step by step; one that returns nothing; its docstring's lines."""
    tf, c, model = t.fw, t.fw.constant, t.fw.train.Checkpoint(v=t.fw.Variable(3.0))
    row = tf.TensorSpec([None], tf.int32)
    model.scaled = tf.function(lambda x, training=False: 2 * x if training else 3 * x, autograph=False)  # fmt: skip
    model.scaled.get_concrete_function(row, True)
    model.scaled.get_concrete_function(tf.TensorSpec([None]))
    model.doubled = tf.function(lambda x: 2 * x, input_signature=[row])
    model.keyed = tf.function(lambda x: tf.add(x["a"], 1.0))
    model.keyed({"a": c(2.0)})
    model.untraced = tf.function(lambda x: x)

    def grow(by=1.0):
        model.v.assign_add(by)

    model.grow = tf.function(grow, autograph=False)
    model.grow(c(10.0)), model.grow()
    model.part = tf.Module()
    model.part.__call__ = tf.function(lambda x: x * 3.0, input_signature=[tf.TensorSpec(None)])
    model.f = tf.function(lambda x: model.v * x, input_signature=[tf.TensorSpec(None)])
    chain = tf.Module()
    chain.__call__ = tf.Module()
    chain.__call__.__call__ = model.part.__call__
    model.chain = chain
    value = float(model.v)
    loaded = _again(t, model)
    trace = loaded.scaled.get_concrete_function(training=True, x=row)
    t.expect(trace(x=c([1, 2])).numpy().tolist() == [2, 4], "twice by the trace")
    t.raises(ValueError, loaded.scaled.get_concrete_function, row)
    again = loaded.scaled.get_concrete_function(row, True)
    t.expect(again(c([5, 7, 1])).numpy().tolist() == [10, 14, 2], "twice by position")
    for given in ([1, 2, 3], c([1, 2, 3])):
        t.expect(loaded.doubled(given).numpy().tolist() == [2, 4, 6], "twice of %s" % (given,))
    t.raises(KINDS, loaded.doubled, c(2))
    t.expect(float(loaded.keyed({"a": 3.0})) == 4.0, "a number where a tensor was")
    t.raises(KINDS, loaded.keyed, {"a": 2.0, "b": 3.0})
    t.raises(KINDS, loaded.untraced, 1)
    got = [float(loaded.part(c(2.0))), float(loaded.chain(c(2.0)))]
    t.expect(got == [6.0, 6.0], "three times by a call, got %s" % got)
    none = loaded.grow(c(10.0)), loaded.grow(), loaded.grow(c(1.0))
    t.expect(none == (None,) * 3 and float(loaded.v) == value + 12.0, "grown, got %s" % loaded.v)
    loaded.v.assign(3.0)
    t.expect(float(loaded.f(x=c(2.0))) == 6.0, "6 by its name")
    tf.config.run_functions_eagerly(True)
    try:
        got = float(loaded.f(c(2.0))), loaded.doubled(c([4])).numpy().tolist()
    finally:
        tf.config.run_functions_eagerly(False)
    t.expect(got == (6.0, [8]), "step by step, got %s" % (got,))


@case(LOAD, host_only=True, core=False, reference="none")
def loads_tables_that_change(t):
    """A table that was filled by hand, by number or text, comes back full; what is put in then is in it alone."""
    tf, model = t.fw, t.fw.Module()
    text, i64 = tf.string, tf.int64
    model.words = tf.lookup.experimental.MutableHashTable(text, tf.float32, -1.0)
    model.other = tf.lookup.experimental.MutableHashTable(text, tf.float32, -1.0)
    model.dense = tf.lookup.experimental.DenseHashTable(i64, i64, -1, empty_key=-9, deleted_key=-8)
    start = tf.lookup.KeyValueTensorInitializer(tf.constant([11, 12, 13], i64), tf.constant([0, 1, 2], i64))  # fmt: skip
    model.fixed = tf.lookup.StaticHashTable(start, -1)
    model.words.insert(["foo", "bar"], [15.0, 2.5])
    model.other.insert("far", 21.0)
    model.dense.insert(tf.constant([3, 4], i64), tf.constant([30, 40], i64))

    def asked(table, kind):
        spec = [tf.TensorSpec([None], kind)]
        return tf.function(lambda x: table.lookup(x), input_signature=spec, autograph=False)

    def filled(table, kind, values):
        spec = [tf.TensorSpec([None], kind), tf.TensorSpec([None], values)]

        def put(x, y):
            table.insert(x, y)

        return tf.function(put, input_signature=spec, autograph=False)

    model.word, model.number = asked(model.words, text), asked(model.dense, i64)
    model.at, model.put = asked(model.fixed, i64), filled(model.words, text, tf.float32)
    model.put_number = filled(model.dense, i64, i64)
    loaded = _again(t, model)
    loaded.put(tf.constant(["new", "foo"]), tf.constant([1.5, 16.0]))
    loaded.put_number(tf.constant([5], i64), tf.constant([50], i64))
    keys = tf.constant(["foo", "bar", "far", "new"])
    numbers, few = tf.constant([3, 4, 5], i64), tf.constant([12, 13, 14], i64)
    for one, words, dense in ((loaded, [16.0, 2.5, -1.0, 1.5], [30, 40, 50]), (model, [15.0, 2.5, -1.0, -1.0], [30, 40, -1])):  # fmt: skip
        got = one.word(keys).numpy().tolist(), one.number(numbers).numpy().tolist()
        t.expect(got == (words, dense), "%s and %s, got %s" % (words, dense, got))
        got = one.at(few).numpy().tolist()
        t.expect(got == [1, 2, -1], "by numbers, got %s" % got)


@functools.lru_cache(None)  # a name is registered once
def _line(tf):
    class Line(tf.experimental.ExtensionType):
        __name__ = "seamark.Line"
        slope: tf.Tensor
        start: tf.Tensor

        def at(self, x):
            return self.slope * x + self.start

    return Line


@case(LOAD, dtypes="f32", core=False, reference=lambda np, x: [
      x + 1, x + 3, np.array([0, 2, 5]), 2 * x, np.array([[0, 1], [0, 2], [1, 0], [2, 1], [2, 3]]), x * 3 - 1, x[:2] - x[2:4]])  # fmt: skip
def loads_types_of_tensors(t, dtype):
    """Ragged rows beside a number of Python, which picks the trace; what is sparse; a type of one's own; named tuples."""
    tf, kind = t.fw, t.dtype(dtype)
    model, Line = tf.Module(), _line(tf)
    model.plus = tf.function(lambda x, c=1: tf.add(x, tf.cast(c, kind)), autograph=False)
    for number in (1, 3):
        model.plus.get_concrete_function(tf.RaggedTensorSpec([None, None], kind), number)
    sparse = tf.SparseTensorSpec([None, 4], kind)
    twice = lambda x: tf.SparseTensor(x.indices, x.values * 2, x.dense_shape)  # noqa: E731
    model.twice = tf.function(twice, input_signature=[sparse], autograph=False)
    model.line = tf.function(lambda line, x: line.at(x), autograph=False)
    one = tf.TensorSpec([], kind)
    model.line.get_concrete_function(Line.Spec(one, one), tf.TensorSpec([None], kind))
    model.pair = tf.function(lambda pair: pair.a - pair.b, autograph=False)
    row = tf.TensorSpec([None], kind)
    model.pair.get_concrete_function(Pair(row, row))
    loaded = _again(t, model, signatures={})
    places = [[0, 1], [0, 2], [1, 0], [2, 1], [2, 3]]

    def every(x):
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 3])
        made = [loaded.plus(rows), loaded.plus(rows, 3)]
        found = loaded.twice(tf.SparseTensor(places, x, [3, 4]))
        line = Line(tf.constant(3, kind), tf.constant(-1, kind))
        return [made[0].flat_values, made[1].flat_values, made[1].row_splits, found.values, found.indices,
                loaded.line(line, x), loaded.pair(Pair(x[:2], x[2:4]))]  # fmt: skip

    made = t.call(every, t.uniform((5,), dtype, 1, 2))
    t.raises(KINDS, loaded.plus, tf.ragged.constant([[1.0]], dtype=kind), 2)
    return made


@case(LOAD, host_only=True, core=False, reference="none")
def loads_under_options(t):
    """Without the checkpoint the variables have no values until they are assigned; functions by an alias; variables go
    with the model; how they are gathered stays; variables by a creator of one's own."""
    tf, model = t.fw, t.fw.Module()
    kinds = tf.VariableSynchronization.NONE, tf.VariableAggregation.ONLY_FIRST_REPLICA
    model.v = tf.Variable([1.0, 2.0], trainable=False, synchronization=kinds[0], aggregation=kinds[1])  # fmt: skip
    model.f = tf.function(lambda x: model.v * x, input_signature=[tf.TensorSpec([])])
    folder = os.path.join(t.tmpdir(), "model")
    tf.saved_model.save(model, folder, options=tf.saved_model.SaveOptions(function_aliases={"times": model.f}))  # fmt: skip
    without = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    bare = t.call(LOAD, folder, options=without)
    t.expect(bare.v.numpy().tolist() != [1.0, 2.0], "no values, got %s" % bare.v)
    bare.v.assign([5.0, 7.0])
    t.expect(bare.f(tf.constant(2.0)).numpy().tolist() == [10.0, 14.0], "as it is assigned")
    named = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = t.call(LOAD, folder, options=named)
    got = loaded.function_aliases["times"](tf.constant(3.0)).numpy().tolist()
    t.expect(got == [3.0, 6.0], "three times by its alias, got %s" % got)
    loaded = _again(t, model)
    got = loaded.v.synchronization, loaded.v.aggregation, loaded.v.trainable
    t.expect(got == (*kinds, False), "as before, got %s" % (got,))
    gone = weakref.ref(loaded.v)
    del loaded
    gc.collect()
    t.expect(gone() is None, "gone with the model")
    seen = []

    def creator(make, **given):
        seen.append((tf.TensorShape(given["shape"]).as_list(), given["trainable"]))
        return make(**given)

    with tf.variable_creator_scope(creator):
        loaded = t.call(LOAD, folder)
    t.expect(seen == [([2], False)], "one variable is made, got %s" % seen)
    t.expect(loaded.f(tf.constant(3.0)).numpy().tolist() == [3.0, 6.0], "with its values")
