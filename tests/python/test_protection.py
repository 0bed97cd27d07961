"""What cases get of the user's own things, and what they hold: the real executable."""

import json
import os
import subprocess
import sys

import pytest
from agent_client import config_of

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "hunter2",
    "GITHUB_TOKEN": "hunter2",
    "HTTPS_PROXY": "http://me:hunter2@proxy",
    "JAX_API_KEY": "hunter2",
    "NVIDIA_API_KEY": "hunter2",
    "MY_SETTING": "mine",
    "OMP_PROC_BIND": "close",
}
LOOK = """
import json, os, socket
from seamark_suites.case import case


def tried(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"


def parent_of(pid):
    with open("/proc/%d/status" % pid) as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("PPid:"))


@case("selftest.os.getpid", reference="none")
def look(t):
    t.call("selftest.os.getpid")
    server = socket.create_server(("127.0.0.1", 0))
    outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found = {
        "variables": dict(os.environ),
        "home": tried(lambda: open(os.path.expanduser("~/left"), "w")),
        "work": tried(lambda: open(os.path.join(os.environ["SEAMARK_WORK_DIR"], "left"), "w")),
        "cache": tried(lambda: open(os.path.join(os.environ.get("TRITON_CACHE_DIR", "."), "left"), "w")),
        "loopback": tried(lambda: socket.create_connection(server.getsockname(), 5).close()),
        "network": tried(lambda: outside.connect(("192.0.2.1", 9))),
        "supervisor": tried(lambda: open("/proc/%d/environ" % parent_of(os.getppid()), "rb").read()),
    }
    with open(os.path.join(os.path.dirname(__file__), "found.json"), "w") as stream:
        json.dump(found, stream)
"""
HOLD = """
import ctypes, os, time
from seamark_suites.case import case


@case("selftest.os.getpid", reference="none")
def unasked(t):  # for what it got, as C does
    t.call("selftest.os.getpid")
    libc = ctypes.CDLL(None)
    libc.malloc.restype = libc.memset.restype = ctypes.c_void_p
    libc.malloc.argtypes, libc.memset.argtypes = [ctypes.c_size_t], [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    libc.memset(libc.malloc(400 << 20), 1, 400 << 20)
    time.sleep(20)


@case("selftest.os.getpid", reference="none")
def together(t):
    t.call("selftest.os.getpid")
    for _ in range(4):
        if os.fork() == 0:
            held = bytearray(150 << 20)
            held[::4096] = bytes(held[::4096]).replace(b"\\0", b"1")
            time.sleep(20)
            os._exit(0)
    time.sleep(20)
"""


def run(executable, folder, cases, *flags, mode="fork", mib=4096, **variables):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (folder / "own.toml").write_text(config_of(mode, memory_limit="rlimit", memory_mib=mib))
    (folder / "mine.py").write_text(cases)
    command = [executable, "--config", "own.toml", "run", "--target", "selftest/cpu"]
    command += ["--python", sys.executable, "--suite", "mine.py", "--store", "s.db", "--no-timing"]
    done = subprocess.run(
        [*command, *flags],
        cwd=folder,
        env={**os.environ, "SEAMARK_CACHE": str(folder / "cache"), "HOME": str(home), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    lines = subprocess.run(
        [executable, "export", "--store", folder / "s.db", "--format", "jsonl", "-o", "-"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.splitlines()
    return done.stdout, [json.loads(line) for line in lines]


def looked(executable, folder, *flags, **variables):
    output, attempts = run(executable, folder, LOOK, *flags, **variables)
    assert [one["outcome"] for one in attempts] == ["pass"], output
    return output, json.loads((folder / "found.json").read_text())


def lacking(executable):
    """The safeguards that this machine does not permit."""
    said = subprocess.run(
        [executable, "targets", "--doctor", "--json"], stdout=subprocess.PIPE, check=True, text=True
    )
    return {one["safeguard"] for one in json.loads(said.stdout)["safeguards"] if not one["here"]}


def test_workers_get_no_secrets(executable, tmp_path):
    _, found = looked(executable, tmp_path, "--pass-env", "MY_SETTING", **SECRETS)
    assert "hunter2" not in json.dumps(found["variables"])
    assert found["variables"]["MY_SETTING"] == "mine"
    assert found["variables"]["OMP_PROC_BIND"] == "close"


def test_what_is_not_named_does_not_pass(executable, tmp_path):
    _, found = looked(executable, tmp_path, SEAMARK_PASS_ENV="OTHER", OTHER="1", MY_SETTING="mine")
    assert "MY_SETTING" not in found["variables"]
    assert found["variables"]["OTHER"] == "1"


def test_the_home_and_the_network_are_closed(executable, tmp_path):
    lacks = lacking(executable)
    output, found = looked(executable, tmp_path)
    assert (found["work"], found["cache"], found["loopback"]) == ("done", "done", "done")
    for safeguard, key in (
        ("home folder read-only", "home"),
        ("no network but the loopback", "network"),
        ("home folder read-only", "supervisor"),
    ):
        assert (found[key] == "done") == (safeguard in lacks)
        assert ("without: " + safeguard in output) == (safeguard in lacks)
    if not lacks:
        assert os.listdir(tmp_path / "home") == []
        assert os.environ.get("HOME", "") not in found["variables"]["TRITON_CACHE_DIR"]


def test_it_can_be_switched_off(executable, tmp_path):
    output, found = looked(executable, tmp_path, "--no-sandbox")
    assert found["home"] == "done"
    assert "TRITON_CACHE_DIR" not in found["variables"]
    assert "without" not in output


def test_the_folder_of_temporary_files_may_lie_in_the_home(executable, tmp_path):
    if lacking(executable):
        pytest.skip("not permitted here")
    temporary = tmp_path / "home" / "tmp"
    temporary.mkdir(parents=True)
    _, found = looked(executable, tmp_path, TMPDIR=str(temporary))
    assert (found["work"], found["cache"]) == ("done", "done")
    assert found["home"] != "done"


@pytest.mark.parametrize("mode", ["fork", "persistent"])
def test_memory_is_that_of_all_processes_and_a_refusal_is_no_fault(executable, tmp_path, mode):
    _, attempts = run(executable, tmp_path, HOLD, mode=mode, mib=256)
    assert sorted(one["case"].split("/")[1] for one in attempts) == ["together", "unasked"]
    for one in attempts:
        assert one["outcome"] == "error", one
        assert "memory limit of 256.0 MiB" in one["reason"], one
