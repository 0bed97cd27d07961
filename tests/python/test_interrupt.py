"""Ctrl-C while the interpreters of targets are asked: the real executable, and an interpreter that hangs."""

import os
import signal
import subprocess
import sys
import time

import pytest

TARGET = """
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "fork"
memory_limit = "none"
"""
# Hangs where its arguments hold a text, else is Python.
INTERPRETER = """#!/bin/sh
case "$*" in *{at}*) {before}echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600 ;; esac
exec {python} "$@"
"""
STUBBORN = "trap '' TERM INT; "


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("verb", "at", "number", "before"),
    [
        ("targets", "boot.py probe", signal.SIGINT, ""),
        ("targets", "importlib", signal.SIGTERM, ""),  # packages are listed
        ("run", "boot.py probe", signal.SIGTERM, STUBBORN),
        ("run", "importlib", signal.SIGINT, ""),
        ("run", "boot.py list", signal.SIGINT, ""),
    ],
)
def test_an_interrupt_ends_what_hangs(executable, tmp_path, verb, at, number, before):
    (tmp_path / "own.toml").write_text(TARGET)
    (tmp_path / "tmp").mkdir()
    pid_file = tmp_path / "pid"
    python = tmp_path / "python"
    python.write_text(
        INTERPRETER.format(at='"%s"' % at, before=before, pid=pid_file, python=sys.executable)
    )
    python.chmod(0o755)
    process = subprocess.Popen(
        [executable, "--config", "own.toml", verb, "--target", "selftest/cpu", "--python", python]
        + (["--suite", "selftest", "--store", "s.db"] if verb == "run" else []),
        cwd=tmp_path,
        env={
            **os.environ,
            "SEAMARK_CACHE": str(tmp_path / "cache"),
            "TMPDIR": str(tmp_path / "tmp"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        end = time.monotonic() + 60
        while not pid_file.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        hanging = int(pid_file.read_text())
        start = time.monotonic()
        process.send_signal(number)
        output, _ = process.communicate(timeout=10)
        assert time.monotonic() - start < (4 if before else 2), output
    finally:
        process.kill()
    assert process.returncode == 130, output
    assert not exists(hanging)
    assert os.listdir(tmp_path / "tmp") == []
    assert not (tmp_path / "s.db").exists()
