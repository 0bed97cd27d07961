"""docs/bring-up.md: its commands, as they stand there, bring up the device of tests/device."""

import os
import re
import shutil
import subprocess

import pytest
from agent_client import ROOT

pytestmark = [pytest.mark.framework, pytest.mark.long]


def test_the_commands_of_the_page(framework_python, tmp_path):
    framework_python("torch")  # or skips
    executable = os.environ.get("SEAMARK_TEST_EXECUTABLE")
    if not executable:
        pytest.skip("SEAMARK_TEST_EXECUTABLE names no executable")
    page = (ROOT / "docs" / "bring-up.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    assert len(blocks) == 3
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "tests" / "device", folder / "tests" / "device")
    path = "%s:%s" % (os.path.dirname(executable), os.environ["PATH"])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=folder,
        env=dict(
            os.environ, PATH=path, COLUMNS="100", XDG_STATE_HOME=str(tmp_path)
        ),  # narrower tables leave columns out
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert "1 of 1 targets usable here" in done.stdout
    assert re.search(r"torch/minidev +verified +63 +63 +5\d", done.stdout), done.stdout
    assert "WHAT TO MEND FIRST" in done.stdout.upper()
    assert "convolution_overrideable not implemented" in done.stdout
    missing = re.findall(r"^  torch/minidev +\d+  (\S+ +(?:raises|host)) ", page, re.M)
    assert len(missing) == 4
    for one in missing:
        assert re.search(" +".join(map(re.escape, one.split())), done.stdout), one
    assert (folder / "bring-up.html").stat().st_size > 100_000
