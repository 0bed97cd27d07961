"""The parts of scripts/quickstart (scripts/lib.sh): its one-line steps, the link, and whether there is anything to run."""

import os
import pty
import re
import select
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def command(words):
    return [
        "bash",
        "-c",
        "set -euo pipefail; source %s; %s" % (shlex.quote(str(ROOT / "scripts/lib.sh")), words),
    ]


def variables(**more):
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    return {**kept, "TERM": "xterm", **more}


def to_pipe(words, **more):
    done = subprocess.run(
        command(words), env=variables(**more), capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def to_terminal(words):
    """The exit status, and what a terminal got."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        command(words), env=variables(), stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    written = b""
    while select.select([master], [], [], 60)[0]:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last writer is gone
            break
        if not part:
            break
        written += part
    os.close(master)
    return child.wait(timeout=60), written.decode()


def test_a_step_is_one_line_on_a_terminal_and_its_output_is_in_the_log(tmp_path):
    log = tmp_path / "build" / "q.log"
    code, text = to_terminal(
        "live_step %s Build bash -c 'for i in 1 2 3; do echo step $i; done'" % log
    )
    assert code == 0
    assert text.count("\n") == 1 and "Build: done in" in text.splitlines()[-1]
    assert "\r\x1b[2K==> Build: " in text and "step 3" in text
    assert log.read_text() == "==> Build\nstep 1\nstep 2\nstep 3\n"


def test_a_step_has_no_control_characters_elsewhere(tmp_path):
    code, text = to_pipe(
        "live_step %s Build bash -c 'echo one; echo two >&2'" % (tmp_path / "q.log")
    )
    assert code == 0
    assert re.fullmatch(r"==> Build\n    done in \d+ s\n", text), text
    assert (tmp_path / "q.log").read_text() == "==> Build\none\ntwo\n"


def test_a_step_that_fails_shows_the_end_of_what_it_wrote(tmp_path):
    log = tmp_path / "q.log"
    log.write_text("an earlier step\n")
    code, text = to_pipe("live_step %s Build bash -c 'seq 1 20; exit 7'" % log)
    assert code == 7
    assert "Build: failed after" in text and "(exit status 7)" in text and str(log) in text
    assert text.splitlines()[-15:] == [str(i) for i in range(6, 21)]
    assert "an earlier step" not in text


@pytest.fixture
def program(tmp_path):
    made = tmp_path / "build" / "seamark"
    made.parent.mkdir()
    made.write_text("#!/bin/sh\necho ours\n")
    made.chmod(0o755)
    return made


def test_the_program_is_found_by_its_name(tmp_path, program):
    home = tmp_path / "home"
    found = "%s/.local/bin:%s" % (home, os.environ["PATH"])
    code, text = to_pipe("link_executable %s" % program, HOME=str(home), PATH=found)
    assert code == 0 and "made %s/.local/bin/seamark -> %s" % (home, program) in text
    assert "export PATH" not in text
    assert to_pipe("seamark", HOME=str(home), PATH=found) == (0, "ours\n")
    # Again: it is there.
    assert to_pipe("link_executable %s" % program, HOME=str(home), PATH=found) == (0, "")
    # Where the folder is not on PATH, the line to type.
    _, text = to_pipe("link_executable %s" % program, HOME=str(home))
    assert 'export PATH="$HOME/.local/bin:$PATH"' in text


@pytest.mark.parametrize("kind", ["file", "link", "dangling"])
def test_what_is_there_stays(tmp_path, program, kind):
    folder = tmp_path / "home" / ".local" / "bin"
    folder.mkdir(parents=True)
    other = folder / "seamark"
    if kind == "file":
        other.write_text("mine")
    else:
        other.symlink_to("/bin/sh" if kind == "link" else tmp_path / "gone")
    before = os.readlink(other) if kind != "file" else other.read_text()
    code, text = to_pipe("link_executable %s" % program, HOME=str(tmp_path / "home"))
    assert code == 0 and "another program and stays" in text and str(program) in text
    assert (os.readlink(other) if kind != "file" else other.read_text()) == before


def test_a_home_that_cannot_be_written_stops_nothing(tmp_path, program):
    (tmp_path / "home").write_text("no folder")
    code, text = to_pipe("link_executable %s" % program, HOME=str(tmp_path / "home"))
    assert code == 0 and "no link" in text and str(program) in text


def test_a_target_that_cannot_be_used_is_told_with_the_reason(executable):
    words = "PYTHON=%s; unusable %s torch/mps" % (sys.executable, executable)
    code, text = to_pipe(words)
    assert code == 0 and re.fullmatch(r"torch/mps: \S.*\n", text), text


def test_a_whole_run_of_the_same_cases_is_known(tmp_path, executable):
    pytest.importorskip("numpy")
    (tmp_path / "suite.py").write_text(
        "from seamark_suites.case import case\n\n\n"
        '@case("selftest.math.fsum", reference="none")\n'
        "def fsum(t):\n"
        '    t.call("selftest.math.fsum", [0.5])\n'
        '\n\n@case("selftest.math.sqrt", reference="none")\n'
        "def sqrt(t):\n"
        '    t.call("selftest.math.sqrt", 4.0)\n'
    )
    (tmp_path / "seamark.toml").write_text(
        'suites = ["suite.py"]\n[[target]]\nname = "selftest/cpu"\nadapter = "selftest"\n'
        'device = "cpu"\nworker = "fork"\nmemory_limit = "none"\n'
    )
    config = str(tmp_path / "seamark.toml")
    run = [executable, "run", "--config", config, "--target", "selftest/cpu", "--python", sys.executable,
           "--cases", "quick", "--no-timing"]  # fmt: skip

    def known(cases="quick", sample="all", target="selftest/cpu", store="seamark.db"):
        words = "PYTHON=%s; whole_run %s %s %s %s %s" % (
            sys.executable,
            executable,
            tmp_path / store,
            cases,
            sample,
            target,
        )
        code, text = to_pipe(words, SEAMARK_CONFIG=config)
        assert bool(text) == (code == 0)
        return text.strip()

    assert not known()
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    assert known() == "latest"
    assert not known(cases="all")
    assert not known(sample="study")
    suite = (tmp_path / "suite.py").read_text()
    (tmp_path / "suite.py").write_text(suite.replace("0.5", "0.25"))
    assert not known()
    (tmp_path / "suite.py").write_text(suite.rpartition("\n\n\n")[0])
    assert not known()
    (tmp_path / "suite.py").write_text(suite)
    assert known()
    assert not known(target="torch/cpu")
    (tmp_path / "other.db").write_text("no store")
    assert not known(store="other.db")
    subprocess.run(
        [*run, "--function", "selftest.math.fsum"], cwd=tmp_path, check=True, capture_output=True
    )
    assert re.fullmatch(r"[0-9a-f-]{30,}", known())  # the latest is of another function
