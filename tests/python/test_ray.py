"""`--engine ray` on Ray's own cluster of several nodes on this machine, which are killed at random: what comes of it
is what one process does."""

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_stores import CONFIG
from test_slices import OUTCOMES, SUITE, rows
from test_usage_url import LINES, PACKED, site  # noqa: F401

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytest.importorskip("ray", reason="Ray has no wheel for this Python")
pytestmark = [
    pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark"),
    pytest.mark.alone,
]
# Ray notices after half a minute that a node is dead; here, after two seconds.
QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 500,
    "health_check_failure_threshold": 3,
}
RUNS = int(
    os.environ.get("SEAMARK_TEST_RAY_RUNS", "1")
)  # with kills; docs/scale.md has those of 20

NAMES = "acos asin atan ceil cos cosh erf fabs floor log1p radians sin sinh tan tanh trunc"
# Cases last as long as there is a file `hold` beside the suite, and tell that they run.
HOLD = """

def wait():
    import os, time

    here = os.path.dirname(os.path.abspath(__file__))
    time.sleep(0.2)
    while os.path.exists(here + "/hold"):
        open(here + "/begun", "w").close()
        time.sleep(0.1)
"""
MANY = HOLD + "".join(
    """

@case("selftest.math.%s", n=[1, 2], reference="none")
def %s(t, n):
    wait()
    t.expect(t.call("selftest.math.%s", 0.25 * n) is not None, "a number")
"""
    % (name, name, name)
    for name in NAMES.split()
)

# Kills the process of Ray that it runs below, a worker or a node's: what a case can do to its machine.
DEADLY = """

@case("selftest.math.pow", reference="none")
def deadly(t):
    import os, signal, time

    process = os.getpid()
    while True:
        with open("/proc/%d/stat" % process) as file:
            process = int(file.read().rsplit(")", 1)[1].split()[1])
        with open("/proc/%d/cmdline" % process, "rb") as file:
            if PROCESS in file.read().split(bytes(1))[0]:
                os.kill(process, signal.SIGKILL)
                time.sleep(60)
"""

GADGET = """
[[target]]
name = "selftest/gadget"
adapter = "selftest"
device = "cpu"
worker = "persistent"
memory_limit = "none"
resources = { gadget = 1 }
"""


def environment():
    return {
        **{k: v for k, v in os.environ.items() if k not in ("SEAMARK_STORE", "FORCE_COLOR")},
        "SEAMARK_PYTHON": sys.executable,
    }


def seamark(folder, *words, check=0, timeout=500, **variables):
    done = subprocess.run(
        [EXECUTABLE, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=dict(environment(), **variables),
    )
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """The folder for temporary files of nodes and drivers; Ray's own lie elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("temporary")
        patch.setenv("TMPDIR", str(folder))
        patch.setenv("RAY_TMPDIR", "/tmp")
        yield folder


def left(temporary):
    """What Seamark has on the nodes: processes, and temporary folders."""
    ours = (os.fsencode(EXECUTABLE), b"seamark_agent", b"seamark_helper", b"ray::on_node")
    found = os.listdir(temporary)
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % process, "rb") as file:
                here = b"TMPDIR=" + os.fsencode(temporary) in file.read()
            with open("/proc/%s/cmdline" % process, "rb") as file:
                command = file.read()
        except OSError:
            continue
        if here and any(one in command for one in ours):
            found.append("%s %s" % (process, command.replace(b"\0", b" ")))
    return found


def nothing_is_left(temporary):
    end = time.monotonic() + 2
    while left(temporary) and time.monotonic() < end:
        time.sleep(0.1)
    return left(temporary) == [], left(temporary)


@pytest.fixture(scope="module")
def cluster(temporary):
    """Four nodes besides the head: two with a gadget. A node that was killed comes back."""
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": False,
            "object_store_memory": 80 << 20,
            "_system_config": QUICK_TO_NOTICE,
        },
    )
    nodes = []

    def add(gadget):
        resources = {"gadget": 1} if gadget else {}
        node = made.add_node(num_cpus=1, resources=resources, object_store_memory=80 << 20)
        nodes.append((node, gadget))

    for gadget in (True, True, False, False):
        add(gadget)

    def replace(at):
        node, gadget = nodes.pop(at)
        made.remove_node(node, allow_graceful=False)
        add(gadget)

    def mend():
        """Replaces those that have died."""
        for at in reversed(range(len(nodes))):
            if nodes[at][0].dead_processes():
                replace(at)

    made.replace = lambda draw: replace(draw.randrange(len(nodes)))
    made.mend = mend
    yield made
    made.shutdown()


def fill(folder):
    (folder / "suite.py").write_text(SUITE + MANY)
    (folder / "seamark.toml").write_text(CONFIG + GADGET)
    return folder


@pytest.fixture
def folder(tmp_path):
    return fill(tmp_path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What one process does."""
    folder = fill(tmp_path_factory.mktemp("whole"))
    seamark(folder, *RUN.split(), "--store", "whole.db")
    return rows(folder / "whole.db", OUTCOMES)


RUN = "run --config seamark.toml --suite suite.py --target selftest/cpu --target selftest/gadget --no-timing"
ENGINE = "--engine ray --slice-seconds 2 --address"


@pytest.mark.parametrize("number", range(RUNS))
def test_nodes_that_are_killed_lose_nothing_and_double_nothing(
    cluster, folder, expected, drawn_seed, number
):
    draw = random.Random("%d %d" % (drawn_seed, number))
    words = [*RUN.split(), *ENGINE.split(), cluster.address, "--store", "all.db"]
    with open(folder / "said", "w") as file:
        process = subprocess.Popen([EXECUTABLE, *words], cwd=folder, env=environment(), stderr=file)
    kills = 0
    until = time.monotonic() + draw.uniform(4, 10)
    while process.poll() is None:
        time.sleep(0.1)
        if kills < 3 and time.monotonic() > until:
            kills += 1
            cluster.replace(draw)
            until = time.monotonic() + draw.uniform(1, 6)
    said = (folder / "said").read_text()
    assert process.returncode == 0, said
    assert rows(folder / "all.db", OUTCOMES) == expected, said
    assert rows(folder / "all.db", "SELECT state FROM runs") == [(2,)]
    assert kills
    print("%d nodes killed, %d slices again" % (kills, said.count("; again")))


@pytest.mark.long
@pytest.mark.parametrize(
    ("process", "times", "why"),
    [(b"ray::", 2, "it ended two workers"), (b"raylet/raylet", 4, "it lost four nodes")],
)
def test_a_slice_that_ends_workers_or_nodes_is_an_error(
    cluster, folder, start, process, times, why
):
    (folder / "suite.py").write_text(SUITE + DEADLY.replace("PROCESS", repr(process)))
    words = [
        *RUN.split()[:5],
        "--target",
        "selftest/cpu",
        "--no-timing",
        "--function",
        "selftest.math.*",
    ]
    run = start(*words, *ENGINE.split(), cluster.address, "--store", "all.db")
    while run.poll() is None:
        cluster.mend()
        time.sleep(0.1)
    said = (folder / "said").read_text()
    assert run.returncode == 3, said
    assert said.count("; again") == times, said
    found = rows(
        folder / "all.db",
        "SELECT function, r.outcome, r.reason, capture FROM results r JOIN attempts ON attempt_id = id WHERE r.attempt = 1",
    )
    by_function = {function: end for function, *end in found}
    outcome, reason, log = by_function["selftest.math.pow"]
    assert outcome == "error" and reason.startswith(why + ": "), said
    assert log.count("on %s:" % socket.gethostname()) == log.count("checking 1 cases") == times, log
    assert by_function["selftest.math.exp"][0] == "pass"
    shown = seamark(folder, "show", "selftest.math.pow", "--store", "all.db")
    assert why in shown and "checking 1 cases" in shown


@pytest.mark.long
def test_a_sample_of_the_store_goes_to_the_nodes(cluster, folder):
    counts = "".join("selftest,selftest.math.%s,%d\n" % (n, len(n)) for n in NAMES.split())
    (folder / "u.csv").write_text("framework,function,calls\n" + counts)
    draw = "sample --no-config --usage u.csv --top 3 --per-decile 0 --name mine --store"
    run = "run --config seamark.toml --suite suite.py --target selftest/cpu --no-timing --sample"
    for store in ("whole.db", "all.db"):
        seamark(folder, *draw.split(), store)
    seamark(folder, *run.split(), "mine", "--store", "whole.db")
    said = seamark(folder, *run.split(), *ENGINE.split(), cluster.address, "--store", "all.db")
    expected = rows(folder / "whole.db", OUTCOMES)
    assert len(expected) == 6 and rows(folder / "all.db", OUTCOMES) == expected, said
    for query in ("SELECT name, hash FROM samples", "SELECT options -> 'sample' FROM runs"):
        assert rows(folder / "all.db", query) == rows(folder / "whole.db", query)


def go_on(cluster, folder):
    words = "run --config seamark.toml --resume --engine ray --store all.db --address"
    seamark(folder, *words.split(), cluster.address)


@pytest.mark.long
def test_what_no_node_can_run_is_told(cluster, folder):
    config = folder / "seamark.toml"
    config.write_text(config.read_text().replace("gadget = 1 ", "gizmo = 1 "))
    words = [
        *RUN.split(),
        *ENGINE.split(),
        cluster.address,
        "--store",
        "all.db",
        "--function",
        "*.exp",
        "--patience",
        "5",
    ]
    said = subprocess.run(
        [EXECUTABLE, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert said.returncode == 3 and "no node of the cluster has CPU 1, gizmo 1" in said.stderr
    assert rows(folder / "all.db", "SELECT DISTINCT target FROM results") == [("selftest/cpu",)]
    config.write_text(config.read_text().replace("gizmo = 1 ", "gadget = 1 "))
    go_on(cluster, folder)
    assert len(rows(folder / "all.db", "SELECT DISTINCT target FROM results")) == 2


@pytest.mark.long
def test_a_worker_that_falls_silent_is_given_up(cluster, folder, expected, start, temporary):
    """Its process of Ray is stopped, so that nobody hears how the slice ends; its node is there."""
    run = start(
        *RUN.split(), *ENGINE.split(), cluster.address, "--store", "all.db", "--patience", "15"
    )

    def slices():
        return [one.split()[0] for one in left(temporary) if " --slice " in one]

    wait_for(run, slices)
    stat = Path("/proc/%s/stat" % slices()[0]).read_text()
    stopped = int(stat.rsplit(")", 1)[1].split()[1])  # above the command
    os.kill(stopped, signal.SIGSTOP)
    try:
        assert run.wait(timeout=150) == 0, (folder / "said").read_text()
    finally:
        os.kill(stopped, signal.SIGKILL)
    said = (folder / "said").read_text()
    assert "nothing was heard of it for 1" in said and said.count("; again") == 1, said
    assert rows(folder / "all.db", OUTCOMES) == expected, said


@pytest.mark.long
def test_a_driver_that_is_killed_goes_on(cluster, folder, expected):
    words = [*RUN.split(), *ENGINE.split(), cluster.address, "--store", "all.db"]
    process = subprocess.Popen(
        [EXECUTABLE, *words], cwd=folder, env=environment(), stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        if (folder / "all.db").exists() and rows(
            folder / "all.db", "SELECT 1 FROM sqlite_master WHERE name = 'events'"
        ):
            if rows(folder / "all.db", "SELECT 1 FROM events WHERE kind = 'slice'"):
                break
        time.sleep(0.1)
    assert process.poll() is None
    process.kill()
    process.wait()
    go_on(cluster, folder)
    assert rows(folder / "all.db", OUTCOMES) == expected


@pytest.fixture
def start(folder):
    """start(...): a process; what it says goes to the file `said`."""
    made = []

    def run(*words, **variables):
        with open(folder / "said", "w") as file:
            made.append(
                subprocess.Popen(
                    [EXECUTABLE, *words],
                    cwd=folder,
                    env=dict(environment(), **variables),
                    stdout=file,
                    stderr=file,
                )
            )
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()


def wait_for(process, what):
    end = time.monotonic() + 60
    while not what():
        assert process.poll() is None and time.monotonic() < end, process.args
        time.sleep(0.05)


def slices_in(store):
    """How many have ended."""
    try:
        ((count,),) = rows(store, "SELECT count(*) FROM events WHERE kind = 'slice'")
    except sqlite3.Error:
        return 0  # it is being made
    return count


@pytest.mark.long
@pytest.mark.parametrize(("where", "signals"), [("cluster", 1), ("cluster", 2), ("of its own", 1)])
def test_an_interrupt_ends_a_run_and_resume_goes_on(
    cluster, temporary, folder, start, expected, where, signals
):
    engine = ENGINE.split()[:-1] + (["--address", cluster.address] if where == "cluster" else [])
    command = RUN.replace(" --target selftest/gadget", "").split()
    for letter in "acef":
        command += ["--function", "*.%s*" % letter]
    store = folder / "all.db"
    process = start(*command, *engine, "--store", "all.db")
    wait_for(process, lambda: store.exists() and slices_in(store))
    (folder / "hold").touch()
    wait_for(process, (folder / "begun").exists)
    process.send_signal(signal.SIGINT)
    time.sleep(1.5)
    assert process.poll() is None, "it does not wait for what runs"
    before = slices_in(store)
    if signals == 1:
        (folder / "hold").unlink()
    else:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=40) == 130, (folder / "said").read_text()
    assert "what runs is finished first" in (folder / "said").read_text()
    nothing, what = nothing_is_left(temporary)
    assert nothing, what
    ended = slices_in(store)
    assert before < ended <= before + 4 if signals == 1 else ended == before
    assert rows(store, "SELECT state, state_reason FROM runs") == [(3, "interrupted by the user")]
    some = rows(store, OUTCOMES)
    whole = [
        row for row in expected if row[0] == "selftest/cpu" and row[1].split(".")[2][0] in "acef"
    ]
    assert some and set(some) < set(whole)
    (folder / "hold").unlink(missing_ok=True)
    seamark(folder, *command[:3], "--resume", *engine, "--store", "all.db")
    assert rows(store, OUTCOMES) == whole


COUNTS = ("functions", "files", "bytes", "imports", "losses")


@pytest.mark.long
@pytest.mark.parametrize("signals", [1, 2])
def test_an_interrupt_ends_usage_of_urls_and_the_same_command_goes_on(
    cluster, temporary, folder, start, site, signals  # noqa: F811
):  # fmt: skip
    for i, name in enumerate(["parquet", "json.gz", *["jsonl"] * 5, "jsonl.zst"]):
        path = "/in/%d.%s" % (i, name)
        site.files[path] = PACKED["a." + name](LINES * (i + 1))
        site.etags[path] = '"%d"' % i
    slow = set(list(site.files)[2:])
    count = ["usage", "--no-config", site.url + "/in/", "--label", "corpus", "--quiet"]
    count += ["--format", "json"]
    whole = json.loads(seamark(folder, *count, "--store", "whole.db"))
    site.asked.clear()
    site.stall = slow
    engine = ["--engine", "ray", "--address", cluster.address, "--store", "all.db"]
    process = start(*count, *engine)

    def shards():
        return rows(folder / "all.db", "SELECT count(*) FROM usage_shards")[0][0]

    # Four nodes at four shards at once; others wait.
    wait_for(process, lambda: len({path for what, path in site.asked if what == "GET"} & slow) == 4)
    process.send_signal(signal.SIGINT)
    time.sleep(1.5)
    assert process.poll() is None, "it does not wait for what runs"
    before = shards()
    if signals == 1:
        site.over.set()
    else:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=40) == 130, (folder / "said").read_text()
    nothing, what = nothing_is_left(temporary)
    assert nothing, what
    assert shards() == (before + 4 if signals == 1 else before)
    site.stall = set()
    said = json.loads(seamark(folder, *count, *engine))
    assert [said[key] for key in COUNTS] == [whole[key] for key in COUNTS]


def test_usage_on_a_cluster_is_the_usage_of_one_machine(cluster, tmp_path):
    for i in range(12):
        text = "import torch\n" + "torch.relu(x)\n" * (i + 1)
        line = json.dumps({"content": text, "repo_name": "r%d" % i})
        (tmp_path / ("shard-%02d.jsonl" % i)).write_text(line + "\n")
    shards = sorted(str(path) for path in tmp_path.glob("*.jsonl"))
    count = ["usage", *shards, "--label", "corpus", "--quiet", "--format", "json"]

    def counted(*words):
        said = json.loads(seamark(tmp_path, *count, *words))
        return [said[key] for key in COUNTS]

    expected = counted("--store", "whole.db")
    engine = ["--engine", "ray", "--address", cluster.address, "--store", "all.db"]
    assert counted(*engine) == expected
    # What is there is not counted again.
    assert counted(*engine) == expected
    assert rows(tmp_path / "all.db", "SELECT count(*) FROM usage_shards") == [(12,)]
    assert rows(tmp_path / "all.db", "SELECT complete FROM usage_corpora") == [(1,)]


def test_where_nothing_listens_it_ends_at_once_and_no_token_is_left_in_the_home(folder, tmp_path):
    """Ray itself tries for a quarter of an hour; a token there makes `auto` take other clusters for ones that ask for it."""
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        nobody = "127.0.0.1:%d" % server.getsockname()[1]
    run = [*RUN.replace(" --target selftest/gadget", "").split(), "--function", "*.exp"]
    run += ["--engine", "ray", "--store", "all.db"]
    given = {"timeout": 60, "HOME": str(home), "RAY_TMPDIR": "/tmp"}
    said = seamark(folder, *run, "--address", nobody, check=3, **given)
    assert "nothing listens at %s" % nobody in said
    assert "seamark report" in seamark(folder, *run, **given)
    assert not (home / ".ray" / "auth_token").exists()


@pytest.mark.long
def test_a_cluster_that_hears_no_token_is_told_and_an_interrupt_ends_it(cluster, folder, start):
    """The driver asks with one, as `auto` does where the home has one; the slice runs, and no word of it comes back."""
    given = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 32}
    words = [*RUN.split(), "--function", "*.exp", *ENGINE.split(), cluster.address]
    patient = [*words, "--store", "all.db", "--patience", "5"]
    said = seamark(folder, *patient, check=3, timeout=120, **given)
    assert "the token of the cluster must be the same here" in said
    assert "--resume --engine ray --address %s" % cluster.address in said
    process = start(*words, "--store", "other.db", **given)
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
