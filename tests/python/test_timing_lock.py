"""Two runs of one host, each with a cache folder of its own as two users have: one times at a time."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import time

import pytest

SUITE = """
from seamark_suites.case import case


@case("selftest.time.sleep", n=[1, 2, 3], reference="none")
def sleeps(t, n):
    t.call("selftest.time.sleep", 0.2)
"""
CONFIG = """
suites = ["suite.py"]
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "fork"
memory_limit = "none"
"""


def start(executable, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "suite.py").write_text(SUITE)
    (folder / "own.toml").write_text(CONFIG)
    python = os.environ.get("SEAMARK_TEST_PYTHON", sys.executable)
    return subprocess.Popen(
        [executable, "--config", "own.toml", "run", "--target", "selftest/cpu", "--python", python],
        cwd=folder,
        env={
            **os.environ,
            "SEAMARK_CACHE": str(folder / "cache"),
            "SEAMARK_LOCKS": str(tmp_path / "locks"),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def is_held(path):
    if not path.exists():
        return False
    with open(path) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def read_until(stream, words, seconds):
    text = b""
    end = time.monotonic() + seconds
    while words not in text and time.monotonic() < end:
        if select.select([stream], [], [], 0.2)[0]:
            piece = os.read(stream.fileno(), 65536)
            if not piece:
                break
            text += piece
    return text.decode()


def test_the_second_waits_for_the_first(executable, tmp_path):
    pytest.importorskip("numpy")
    one = start(executable, tmp_path, "one")
    other = None
    try:
        end = time.monotonic() + 60
        while not is_held(tmp_path / "locks" / "seamark-timing-cpu.lock"):
            assert one.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        one.send_signal(signal.SIGSTOP)
        other = start(executable, tmp_path, "other")
        told = read_until(other.stderr, b"waiting for the timing lock", 60)
        assert "waiting for the timing lock" in told
        one.send_signal(signal.SIGCONT)
        assert one.wait(timeout=60) == 0
        assert other.wait(timeout=60) == 0
    finally:
        for process in (one, other):
            if process is not None:
                process.kill()
                process.wait()
