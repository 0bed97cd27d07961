"""Logging, the test runner and the default strategy, all on the host."""

import logging
import os
import subprocess
import sys
import threading

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


@case("tf.test.main", host_only=True, reference="none", core=False, timeout_s=120)
def test_main_chooses(t):
    """`argv` names the tests to run; one that is skipped or fails as it should is none that fails; the program ends there."""
    source = (
        "import importlib, unittest\n"
        "tf = importlib.import_module('tensorflow')\n"
        "class Check(tf.test.TestCase):\n"
        "    def test_wrong(self):\n"
        "        self.assertAllClose([1.0, 2.0], [1.0, 2.1])\n"
        "    def test_right(self):\n"
        "        self.assertAllClose([1.0, 2.0], tf.constant([1.0, 2.0 + 1e-7]))\n"
        "        with self.assertRaises(tf.errors.InvalidArgumentError):\n"
        "            tf.reshape([1, 2], [3])\n"
        "    @unittest.skip('not now')\n"
        "    def test_skipped(self):\n"
        "        self.fail()\n"
        "    @unittest.expectedFailure\n"
        "    def test_known(self):\n"
        "        self.assertEqual(1, 2)\n"
        "tf.test.main(argv=['program', 'Check.test_right', 'Check.test_skipped', 'Check.test_known'])\n"
        "print('behind it')\n"
    )
    t.expect(callable(t.get("tf.test.main")), "a function")

    def run():
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")
        done = subprocess.run(
            [sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        return done.returncode, done.stdout

    status, said = t.call(run)
    t.expect(status == 0 and b"Ran 3 tests" in said, "three, got %d: %s" % (status, said[-500:]))
    t.expect(b"skipped=1" in said and b"expected failures=1" in said, "one of each, got %s" % said)
    t.expect(b"behind it" not in said, "the program ends with the tests")


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


@case("tf.compat.v1.logging.info", host_only=True, reference="none", core=False)
def info_formats(t):
    """Widths, digits and bases; values by name; a percent sign; what is no text; other alphabets and lines."""
    level = t.fw.compat.v1.logging.INFO
    for said, want in (
        (("%.3f|%5s|%-4d|%x", 0.12345, "a", 3, 255), "0.123|    a|3   |ff"),
        (("%(a)s and %(b)d", {"a": 1, "b": 2}), "1 and 2"),
        (("%d%%", 50), "50%"),
        (([1, 2],), "[1, 2]"),
        ((None,), "None"),
        (("\u00fc\n%s", "z"), "\u00fc\nz"),
        (("%s", t.fw.constant(2)), "tf.Tensor(2, shape=(), dtype=int32)"),
    ):
        got = _logged(t, level, *said)
        t.expect(got == [("INFO", want)], "%r, got %r" % (want, got))
    t.raises(TypeError, t.call, "tf.compat.v1.logging.info")


@case("tf.compat.v1.logging.info", host_only=True, reference="none", core=False)
def info_records(t):
    """Each line is a record: where it was said, what else is told with it, an error that is being handled."""
    kept, logger, v1 = [], t.fw.get_logger(), t.fw.compat.v1.logging
    handler, before = logging.Handler(), v1.get_verbosity()
    handler.emit = kept.append
    logger.addHandler(handler)
    v1.set_verbosity(v1.INFO)
    try:
        t.call("tf.compat.v1.logging.info", "one", extra={"who": "me"})
        try:
            raise KeyError("of the body")
        except KeyError:
            t.call("tf.compat.v1.logging.info", "two %d", 2, exc_info=True)
    finally:
        logger.removeHandler(handler)
        v1.set_verbosity(before)
    one, two = kept
    t.expect((one.who, one.levelno, one.name) == ("me", logging.INFO, "tensorflow"), "its parts")
    t.expect(one.exc_info is None and two.exc_info[0] is KeyError, "the error with the second")
    t.expect(two.getMessage() == "two 2" and two.args == (2,), "its text, got %r" % two.msg)


WRITE = "tf.io.gfile.GFile.write"


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


@case("tf.distribute.get_strategy", host_only=True, reference="none", core=False)
def strategy_of_threads_and_graphs(t):
    """Each thread has its own; a graph and a traced function are in their scope; a replica meets the others in a merge."""
    tf, name = t.fw, "tf.distribute.get_strategy"
    default, mine, seen = t.call(name), tf.distribute.MirroredStrategy(["/cpu:0"]), []
    t.expect(
        t.call(name) is default and not tf.distribute.in_cross_replica_context(), "in a replica"
    )
    traced = tf.function(lambda: tf.constant(t.call(name) is mine))
    with mine.scope():
        thread = threading.Thread(target=lambda: seen.append(t.call(name)))
        thread.start()
        thread.join()
        t.expect(seen == [default], "the default in another thread, got %s" % seen)
        t.expect(tf.distribute.in_cross_replica_context(), "above its replicas")
        t.expect(bool(traced()), "in a function that is traced there")
    with tf.Graph().as_default(), mine.scope():
        t.expect(t.call(name) is mine, "in a graph")
    t.expect(not bool(traced()), "traced anew outside")

    def replica():
        context = tf.distribute.get_replica_context()
        return context.merge_call(lambda strategy: strategy is t.call(name))

    t.expect(mine.run(replica) is True, "in a merge")
    t.refuses(name, 1)


@case("tf.test.main", host_only=True, reference="none", core=False, timeout_s=120)
def test_main_measures(t):
    """With --benchmark_filter it runs the benchmarks of that name and none of the tests, and says what they took."""
    source = (
        "import importlib\n"
        "tf = importlib.import_module('tensorflow')\n"
        "class Measured(tf.test.Benchmark):\n"
        "    def benchmark_one(self):\n"
        "        self.report_benchmark(iters=3, wall_time=0.25, extras={'rows': 7})\n"
        "    def benchmark_other(self):\n"
        "        print('the other one')\n"
        "class Check(tf.test.TestCase):\n"
        "    def test_wrong(self):\n"
        "        self.fail()\n"
        "tf.test.main()\n"
    )
    t.expect(callable(t.get("tf.test.main")), "a function")

    def run():
        done = subprocess.run(
            [sys.executable, "-c", source, "--benchmark_filter=benchmark_one"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"),
        )
        return done.returncode, done.stdout

    status, said = t.call(run)
    t.expect(status == 0 and b"FAIL" not in said, "no test ran, got %d: %s" % (status, said[-500:]))
    t.expect(b"Measured.benchmark_one" in said and b"0.25" in said, "got %s" % said[-500:])
    t.expect(b"the other one" not in said, "the other one is not asked for")


@case("tf.test.main", host_only=True, reference="none", core=False, timeout_s=120)
def test_main_shares_the_work(t):
    """Of two shares the second runs every other test; the set-up of class and module runs once around them."""
    source = (
        "import importlib\n"
        "tf = importlib.import_module('tensorflow')\n"
        "def setUpModule():\n"
        "    print('SAID module')\n"
        "class Check(tf.test.TestCase):\n"
        "    @classmethod\n"
        "    def setUpClass(cls):\n"
        "        super().setUpClass()\n"
        "        print('SAID class')\n"
        "    def test_a(self): print('SAID a')\n"
        "    def test_b(self): print('SAID b', self.get_temp_dir() != '')\n"
        "    def test_c(self): print('SAID c')\n"
        "    def test_d(self): print('SAID d', tf.executing_eagerly())\n"
        "if __name__ == '__main__':\n"
        "    tf.test.main()\n"
    )
    t.expect(callable(t.get("tf.test.main")), "a function")

    def run():
        share = {"TEST_TOTAL_SHARDS": "2", "TEST_SHARD_INDEX": "1", "TEST_RANDOMIZE_ORDERING_SEED": "0"}  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1", TEST_TMPDIR=t.tmpdir(), **share),
        )
        return done.returncode, done.stdout.decode()

    status, said = t.call(run)
    got = [line.split("SAID ")[1] for line in said.split("\n") if "SAID " in line]
    t.expect(status == 0, "0, got %d: %s" % (status, said[-500:]))
    t.expect(got == ["module", "class", "b True", "d True"], "b and d, got %s" % got)


@case("tf.compat.v1.logging.info", host_only=True, reference="none", core=False)
def info_tells_its_place(t):
    """A record has the file, the line and the function that said it; a thread's, too; the logger's own level counts."""
    kept, logger, v1 = [], t.fw.get_logger(), t.fw.compat.v1.logging
    handler, before = logging.Handler(), v1.get_verbosity()
    handler.emit = kept.append
    logger.addHandler(handler)
    say = t.get("tf.compat.v1.logging.info")

    def said_here():
        say("one %s", "two", stack_info=True)

    try:
        logger.setLevel("INFO")
        t.expect(v1.get_verbosity() == v1.INFO, "one level by either name")
        t.call(said_here)
        thread = threading.Thread(target=say, args=("three",), name="another")
        thread.start()
        thread.join()
        logger.setLevel("ERROR")
        t.call("tf.compat.v1.logging.info", "unheard")
        v1.set_verbosity(v1.DEBUG)
        t.call("tf.compat.v1.logging.info", "%s%%", 4)
    finally:
        logger.removeHandler(handler)
        v1.set_verbosity(before)
    first = kept[0]
    t.expect([one.getMessage() for one in kept] == ["one two", "three", "4%"], "three, got %s" % kept)  # fmt: skip
    t.expect(first.funcName == "said_here" and first.lineno == said_here.__code__.co_firstlineno + 1, "its line, got %s %d" % (first.funcName, first.lineno))  # fmt: skip
    here = sys._getframe().f_code.co_filename
    t.expect(first.pathname == here, "its file, got %s" % first.pathname)
    t.expect("said_here" in first.stack_info and kept[1].threadName == "another", "where and by whom")  # fmt: skip
