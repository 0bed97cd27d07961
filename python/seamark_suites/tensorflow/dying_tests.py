"""Programs of tests that die, and what they leave."""

import os
import signal
import subprocess
import sys

from seamark_suites.case import case

MAIN = "tf.test.main"


@case(MAIN, host_only=True, reference="none", core=False, timeout_s=120)
def test_main_tells_where_it_dies(t):
    """An abort within a test, under a flag of one's own that the program takes off: the calls that led there are told."""
    source = (
        "import importlib, os, signal, sys\n"
        "tf = importlib.import_module('tensorflow')\n"
        "child = '--child' in sys.argv\n"
        "sys.argv = [one for one in sys.argv if one != '--child']\n"
        "class Check(tf.test.TestCase):\n"
        "    def test_dies(self):\n"
        "        if child: os.kill(os.getpid(), signal.SIGABRT)\n"
        "tf.test.main()\n"
    )
    t.expect(callable(t.get(MAIN)), "a function")

    def run(*flags):
        done = subprocess.run(
            [sys.executable, "-c", source, *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"),
        )
        return done.returncode, done.stdout

    status, said = t.call(run, "--child")
    t.expect(status == -signal.SIGABRT, "aborted, got %d: %s" % (status, said[-500:]))
    told = b"in test_dies" in said or b"PyEval_Eval" in said
    t.expect(told, "where it was, got %s" % said[-500:])
    status, said = t.call(run)
    t.expect(status == 0 and b"OK" in said, "else it passes, got %d: %s" % (status, said[-500:]))
