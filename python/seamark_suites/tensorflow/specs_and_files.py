"""More of TensorSpec and GFile."""

import os
import pickle

from seamark_suites.case import case

SPEC, FILE = "tf.TensorSpec", "tf.io.gfile.GFile"


# --- TensorSpec


@case(SPEC, host_only=True, core=False, reference="none")
def spec_of_other_arguments(t):
    """NumPy's dtypes, text, a TensorShape, no shape at all, an unknown rank, no axes."""
    tf = t.fw
    for shape, dtype, want in (
        ([1], t.np.float32, tf.float32),
        ([1], "int64", tf.int64),
        (tf.TensorShape([1]), tf.string, tf.string),
    ):
        made = t.call(SPEC, shape, dtype)
        t.expect(made.shape == tf.TensorShape([1]) and made.dtype == want, "%s" % want)
    t.expect(t.call(SPEC, None).shape.rank is None, "an unknown rank")
    t.expect(t.call(SPEC, []).shape.rank == 0, "no axes")


@case(SPEC, host_only=True, core=False, reference="none")
def spec_of_a_tensor(t):
    """from_tensor and from_spec, with a name of their own or that of the first."""
    kind, tf = t.call(t.get, SPEC), t.fw
    made = kind.from_tensor(tf.zeros([2, 3], tf.int32), name="given")
    t.expect(made == tf.TensorSpec([2, 3], tf.int32, "given"), "that of the tensor, got %r" % made)
    again = kind.from_spec(made)
    t.expect(again == made and again.name == "given", "the same with its name")
    t.expect(kind.from_spec(made, name="other").name == "other", "another name")


@case(SPEC, host_only=True, core=False, reference="none")
def spec_as_a_key(t):
    """Equal ones have one hash; a name, a dtype or a size makes another; they come back from a pickle; printed."""
    first = t.call(SPEC, [None, 3], t.fw.float32, "x")
    t.expect({first: 1}[t.fw.TensorSpec([None, 3], "float32", "x")] == 1, "found by an equal one")
    for other in (([None, 3], "float32", "y"), ([None, 3], "int32", "x"), ([2, 3], "float32", "x")):
        t.expect(first != t.fw.TensorSpec(*other), "another than %s" % (other,))
    t.expect(pickle.loads(pickle.dumps(first)) == first, "itself from a pickle")
    t.expect("float32" in repr(first) and "(None, 3)" in repr(first), repr(first))


@case(SPEC, host_only=True, core=False, reference="none")
def spec_among_others(t):
    """A sharper one is a subtype; what two have in common leaves open where they differ."""
    tf = t.fw
    made = t.call(SPEC, [None, 3], tf.float32)
    sharp = tf.TensorSpec([2, 3], tf.float32)
    t.expect(sharp.is_subtype_of(made) and not made.is_subtype_of(sharp), "a subtype one way")
    both = sharp.most_specific_common_supertype([tf.TensorSpec([4, 3], tf.float32)])
    t.expect(both == made, "the common one, got %r" % (both,))
    t.expect(
        sharp.most_specific_common_supertype([tf.TensorSpec([2, 3], tf.int32)]) is None,
        "none of two dtypes",
    )
    t.expect(made.is_compatible_with(sharp), "compatible with a sharper one")
    t.expect(not made.is_compatible_with(tf.TensorSpec([2, 4])), "and with no other")


@case(SPEC, host_only=True, core=False, reference="none")
def spec_of_a_placeholder(t):
    """In a graph of TensorFlow 1 an open size may turn out to be any."""
    tf = t.fw
    with tf.Graph().as_default():
        open_one = tf.compat.v1.placeholder(tf.float32, [None, 3])
        full = tf.compat.v1.placeholder(tf.float32, [2, 3])
        rankless = tf.compat.v1.placeholder(tf.float32)
        made = t.call(SPEC, [4, 3], tf.float32)
        found = [made.is_compatible_with(one) for one in (open_one, full, rankless)]
    t.expect(found == [True, False, True], "got %s" % found)


@case(SPEC, host_only=True, core=False, reference="none")
def spec_within_structures(t):
    """Specs are leaves; a signature may be a dictionary of them; nothing of a spec can be set; printed without a shape."""
    tf = t.fw
    first, second = t.call(SPEC, [None], tf.float32), t.call(SPEC, [], tf.int32, name="n")
    t.expect(tf.nest.flatten({"b": [second], "a": first}) == [first, second], "two leaves")
    run = tf.function(
        lambda held: held["x"] * tf.cast(held["n"], tf.float32),
        input_signature=[{"x": first, "n": second}],
    )
    got = run({"x": tf.constant([1.0, 2.0]), "n": tf.constant(3)}).numpy().tolist()
    t.expect(got == [3.0, 6.0], "three times, got %s" % got)
    for name in ("shape", "dtype", "name"):
        t.raises(AttributeError, setattr, first, name, None)
    t.expect("unknown" in str(t.call(SPEC, None)) and "name='n'" in repr(second), "%r" % second)
    t.expect(first.value_type is tf.Tensor, "of tensors")


@case(SPEC, host_only=True, core=False, reference="none")
def spec_refuses(t):
    """No shape, no dtype, texts and fractions for sizes; what is no tensor has none."""
    tf, make = t.fw, t.get(SPEC)
    for given in ((), ("ab",), ([1.5],), ([2], None), ([2], "no dtype"), ([[2]],)):
        t.raises((TypeError, ValueError), t.call, SPEC, *given)
    for wrong in (tf.ragged.constant([[1]]), t.np.zeros(2), [1.0], None):
        t.raises((TypeError, ValueError), make.from_tensor, wrong)
        t.expect(not make([1]).is_compatible_with(wrong), "and fits none: %r" % (wrong,))


# --- GFile


@case(FILE, host_only=True, core=False, reference="none")
def gfile_by_lines(t):
    """readline with its end, readlines, an empty line, the end of the file; read of some characters."""
    path = os.path.join(t.tmpdir(), "lines")
    with open(path, "w", encoding="utf-8") as out:
        out.write("one\n\nthree\nfour")
    with t.call(FILE, path) as file:
        t.expect([file.readline(), file.readline()] == ["one\n", "\n"], "two lines")
        t.expect(file.readlines() == ["three\n", "four"], "the rest")
        t.expect(file.readline() == "" and file.read() == "", "nothing at the end")
        file.seek(0)
        t.expect(file.read(5) == "one\n\n" and file.tell() == 5, "five characters")
        t.expect(file.read(100) == "three\nfour", "no more than there is")


@case(FILE, host_only=True, core=False, reference="none")
def gfile_written_and_read(t):
    """w, flush, a, w+; the size while it is open; a file of nothing."""
    path = os.path.join(t.tmpdir(), "out")
    with t.call(FILE, path, "w") as file:
        file.write("one\n")
        file.flush()
        t.expect(os.path.getsize(path) == 4, "on the disk after a flush")
    with t.call(FILE, path, "a") as file:
        file.write("two")
    with t.call(FILE, path) as file:
        t.expect(file.size() == 7 and file.read() == "one\ntwo", "what was added")
    with t.call(FILE, path, "w+") as file:
        file.write("three")
        file.flush()
        file.seek(0)
        t.expect(file.read() == "three", "what was written, read back")
    with t.call(FILE, path, "w") as file:
        file.write("")
    with t.call(FILE, path) as file:
        t.expect(file.size() == 0 and list(file) == [], "nothing")


@case(FILE, host_only=True, core=False, reference="none")
def gfile_refuses(t):
    """To read what is written alone, to write what is read, a place before the file, a folder."""
    folder, errors = t.tmpdir(), t.fw.errors
    path = os.path.join(folder, "file")
    with t.call(FILE, path, "w") as file:
        t.raises(errors.PermissionDeniedError, file.read)
        file.write("text")
    with t.call(FILE, path) as file:
        t.raises(errors.PermissionDeniedError, file.write, "x")
        t.raises(errors.OpError, file.seek, -1)
    t.raises(errors.OpError, t.call(FILE, folder).read)


@case(FILE, host_only=True, core=False, reference="none")
def gfile_by_path(t):
    """A path that is an object; its name and mode."""
    import pathlib

    path = pathlib.Path(t.tmpdir()) / "file"
    path.write_bytes(b"\xc3\xa9\0x")
    with t.call(FILE, path, "rb") as file:
        t.expect(file.read() == b"\xc3\xa9\0x", "all bytes")
        t.expect(file.mode == "rb" and str(file.name) == str(path), "mode and name")
    with t.call(FILE, str(path)) as file:
        t.expect(file.read() == "\u00e9\0x", "as text")
