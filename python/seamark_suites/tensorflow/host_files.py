"""Files, records, logging, the test runner and the default strategy, all on the host."""

import logging
import os
import subprocess
import sys

from seamark_suites.case import case


@case("tf.test.main", host_only=True, reference="none", timeout_s=120)
def test_main_runs(t):
    """The tests of the main module run, and the exit status tells whether one failed."""
    source = (
        "import importlib\n"
        "tf = importlib.import_module('tensorflow')\n"
        "class Check(tf.test.TestCase):\n"
        "    def test_one(self):\n"
        "        self.assertAllEqual(tf.constant([1, 2]) * 2, [2, 4])\n"
        "    def test_two(self):\n"
        "        self.assertEqual(1, %s)\n"
        "tf.test.main()\n"
    )
    run = t.get("tf.test.main")
    t.expect(callable(run), "a function")

    def statuses():
        found = []
        for right in (1, 2):
            done = subprocess.run(
                [sys.executable, "-c", source % right],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"),
            )
            found.append((done.returncode, b"Ran " in done.stdout))
        return found

    (good, ran), (bad, ran_too) = t.call(statuses)
    t.expect(good == 0 and ran and bad != 0 and ran_too, "0, then a failure")


class _Kept(logging.Handler):
    def __init__(self):
        logging.Handler.__init__(self)
        self.lines = []

    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage()))


def _logged(t, level, *said):
    log, v1 = _Kept(), t.fw.compat.v1.logging
    before, logger = v1.get_verbosity(), t.fw.get_logger()
    v1.set_verbosity(level)
    logger.addHandler(log)
    try:
        t.call("tf.compat.v1.logging.info", *said)
    finally:
        logger.removeHandler(log)
        v1.set_verbosity(before)
    return log.lines


@case("tf.compat.v1.logging.info", host_only=True, reference="none")
def info_logged(t):
    got = _logged(t, t.fw.compat.v1.logging.INFO, "step %d of %s", 3, "ten")
    t.expect(got == [("INFO", "step 3 of ten")], "the formatted line, got %r" % (got,))


@case("tf.compat.v1.logging.info", host_only=True, reference="none", core=False)
def info_below_verbosity(t):
    """Less than the verbosity is dropped; from it on, lines are kept."""
    v1 = t.fw.compat.v1.logging
    t.expect(_logged(t, v1.WARN, "unseen") == [], "nothing at WARN")
    t.expect(len(_logged(t, v1.DEBUG, "seen")) == 1, "a line at DEBUG")


@case("tf.compat.v1.logging.info", host_only=True, reference="none", core=False)
def info_percent_alone(t):
    """Without arguments the text is not formatted."""
    got = _logged(t, t.fw.compat.v1.logging.INFO, "100% done")
    t.expect(got == [("INFO", "100% done")], "the text as it is, got %r" % (got,))


@case("tf.io.gfile.GFile", host_only=True, reference="none")
def gfile_text(t):
    path = os.path.join(t.tmpdir(), "text")
    with open(path, "w", encoding="utf-8") as out:
        out.write("one\ntwo\u00e9\nthree")
    with t.call("tf.io.gfile.GFile", path) as file:
        lines = list(file)
    t.expect(lines == ["one\n", "two\u00e9\n", "three"], "the lines, got %r" % (lines,))


@case("tf.io.gfile.GFile", host_only=True, reference="none")
def gfile_bytes(t):
    path = os.path.join(t.tmpdir(), "bytes")
    with open(path, "wb") as out:
        out.write(bytes(range(256)))
    with t.call("tf.io.gfile.GFile", path, "rb") as file:
        t.expect(file.size() == 256 and file.read(3) == b"\0\1\2", "the size and the first bytes")
        file.seek(250)
        t.expect(file.tell() == 250 and file.read() == bytes(range(250, 256)), "the rest")


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_missing(t):
    path = os.path.join(t.tmpdir(), "missing")
    file = t.call("tf.io.gfile.GFile", path, "r")
    t.raises(t.fw.errors.NotFoundError, file.read)


@case("tf.io.gfile.GFile", host_only=True, reference="none", core=False)
def gfile_wrong_mode(t):
    path = os.path.join(t.tmpdir(), "file")
    t.raises(
        (ValueError, t.fw.errors.OpError), lambda: t.call("tf.io.gfile.GFile", path, "q").write("x")
    )


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", mode=["w", "wb"])
def gfile_write(t, mode):
    path = os.path.join(t.tmpdir(), "out")
    parts = [b"a\n", b"\xc3\xa9", b"end"]
    with t.fw.io.gfile.GFile(path, mode) as file:
        for part in parts:
            t.call("tf.io.gfile.GFile.write", file, part if mode == "wb" else part.decode("utf-8"))
    with open(path, "rb") as back:
        got = back.read()
    t.expect(got == b"a\n\xc3\xa9end", "what was written, got %r" % got)


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", core=False)
def gfile_append(t):
    """Mode a adds to the end; mode w begins anew."""
    path = os.path.join(t.tmpdir(), "out")
    for mode, want in (("w", b"x"), ("a", b"xx"), ("w", b"x")):
        with t.fw.io.gfile.GFile(path, mode) as file:
            t.call("tf.io.gfile.GFile.write", file, "x")
        with open(path, "rb") as back:
            t.expect(back.read() == want, "%r after mode %s" % (want, mode))


@case("tf.io.gfile.GFile.write", host_only=True, reference="none", core=False)
def gfile_write_refused(t):
    """A file that is open for reading takes nothing."""
    path = os.path.join(t.tmpdir(), "out")
    open(path, "w").close()
    file = t.fw.io.gfile.GFile(path, "r")
    t.raises(t.fw.errors.PermissionDeniedError, t.call, "tf.io.gfile.GFile.write", file, "x")


@case("tf.train.Feature", host_only=True, reference="none")
def feature_kinds(t):
    train = t.fw.train
    for kind, values, right in (
        ("int64_list", [1, -5, 2**40], train.Int64List),
        ("float_list", [0.5, -2.0], train.FloatList),
        ("bytes_list", [b"a", b""], train.BytesList),
    ):
        made = t.call("tf.train.Feature", **{kind: right(value=values)})
        t.expect(made.WhichOneof("kind") == kind, "%s, got %s" % (kind, made))
        t.expect(list(getattr(made, kind).value) == values, "the values of %s" % kind)
        back = train.Feature.FromString(made.SerializeToString())
        t.expect(list(getattr(back, kind).value) == values, "the values after serializing")


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_one_kind(t):
    """A second kind replaces the first."""
    made = t.call("tf.train.Feature", int64_list=t.fw.train.Int64List(value=[1]))
    made.float_list.value.append(0.5)
    t.expect(made.WhichOneof("kind") == "float_list", "floats alone")
    t.expect(len(made.int64_list.value) == 0, "no integer is left")
    t.expect(t.call("tf.train.Feature").WhichOneof("kind") is None, "an empty feature")


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_refused(t):
    feature, floats = "tf.train.Feature", t.fw.train.FloatList(value=[1.0])
    t.raises((TypeError, ValueError), t.call, feature, int64_list=floats)
    t.raises((TypeError, ValueError), t.call, feature, no_such_list=floats)


def _parsed(t, specs, **values):
    train = t.fw.train
    features = {}
    for name, value in values.items():
        kind = {int: "int64_list", float: "float_list", bytes: "bytes_list"}[type(value[0])]
        holder = {"int64_list": train.Int64List, "float_list": train.FloatList,
                  "bytes_list": train.BytesList}[kind]  # fmt: skip
        features[name] = train.Feature(**{kind: holder(value=value)})
    record = train.Example(features=train.Features(feature=features)).SerializeToString()
    with t.fw.device("cpu"):
        return t.fw.io.parse_single_example(record, specs)


@case("tf.io.FixedLenFeature", host_only=True, reference="none")
def fixed_parses(t):
    made = t.call("tf.io.FixedLenFeature", [2, 2], t.fw.float32)
    t.expect(list(made.shape) == [2, 2] and made.dtype == t.fw.float32, "shape and dtype")
    t.expect(made.default_value is None, "no default value")
    got = _parsed(t, {"x": made}, x=[1.0, 2.0, 3.0, 4.5])["x"].numpy()
    t.expect(got.tolist() == [[1.0, 2.0], [3.0, 4.5]], "the rows, got %s" % got)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_default(t):
    made = t.call("tf.io.FixedLenFeature", [2], t.fw.int64, [7, 8])
    got = _parsed(t, {"x": made}, other=[1])["x"].numpy().tolist()
    t.expect(got == [7, 8], "the default, got %s" % got)
    given = _parsed(t, {"x": made}, x=[3, 4])["x"].numpy().tolist()
    t.expect(given == [3, 4], "what the record has, got %s" % given)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_strings(t):
    made = t.call("tf.io.FixedLenFeature", [], t.fw.string)
    got = _parsed(t, {"x": made}, x=[b"a\0b"])["x"].numpy()
    t.expect(got == b"a\0b", "the bytes, got %r" % got)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_missing(t):
    """Without a default a missing feature, a wrong number and a wrong dtype are refused."""
    made = t.call("tf.io.FixedLenFeature", [2], t.fw.int64)
    for values in ({"other": [1]}, {"x": [1, 2, 3]}, {"x": [1.0, 2.0]}):
        t.raises(t.fw.errors.InvalidArgumentError, _parsed, t, {"x": made}, **values)


@case("tf.distribute.get_strategy", host_only=True, reference="none")
def strategy_default_and_scope(t):
    """The default has one replica; a scope makes another one current, and ends."""
    default = t.call("tf.distribute.get_strategy")
    t.expect(default.num_replicas_in_sync == 1, "one replica")
    t.expect(not t.fw.distribute.has_strategy(), "the default one")
    mine = t.fw.distribute.OneDeviceStrategy("/cpu:0")
    with mine.scope():
        t.expect(t.call("tf.distribute.get_strategy") is mine, "the strategy of the scope")
    t.expect(t.call("tf.distribute.get_strategy") is default, "the default again")


@case("tf.distribute.get_strategy", host_only=True, reference="none", core=False)
def strategy_default_runs(t):
    default = t.call("tf.distribute.get_strategy")
    got = default.run(lambda a, b: a * b, args=(3, 4))
    t.expect(int(got) == 12, "12, got %r" % (got,))
    total = default.reduce("SUM", t.fw.constant([1.0, 2.5]), axis=0)
    t.expect(float(total) == 3.5, "3.5, got %r" % (total,))


@case("tf.distribute.get_strategy", host_only=True, reference="none", core=False)
def strategy_within_replica(t):
    mine = t.fw.distribute.OneDeviceStrategy("/cpu:0")
    seen = []
    with mine.scope():
        mine.run(lambda: seen.append(t.call("tf.distribute.get_strategy")))
    t.expect(len(seen) == 1 and seen[0] is mine, "the strategy that runs the replica")
