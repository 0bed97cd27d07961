"""`--engine ray` on two machines, as far as one can be two: namespaces that share nothing but a link."""

import json
import os
import shutil
import subprocess
import sys

import namespaces
import pytest
import test_ray
from conftest import ROOT
from test_ray import COUNTS, EXECUTABLE, QUICK_TO_NOTICE, RUN, fill, wait_for
from test_slices import OUTCOMES, rows
from test_usage_url import LINES, PACKED

pytestmark = [
    pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark"),
    pytest.mark.long,
    pytest.mark.alone,
]
expected = test_ray.expected  # a fixture


class Machine:
    """Namespaces of mounts, network and processes: own folders for temporary files, home and work, own copy of Seamark
    in /mnt; of the others' nothing is seen. Linux, root."""

    def __init__(self, folder, address):
        self.folder, self.address = folder, address
        share = folder / "seamark" / "share" / "seamark"
        (folder / "seamark" / "bin").mkdir(parents=True)
        shutil.copy(EXECUTABLE, folder / "seamark" / "bin" / "seamark")
        for part in ("data", "python"):
            shutil.copytree(ROOT / part, share / part)
        for part in ("home", "work"):
            (folder / part).mkdir()
        fill(folder / "work")
        mounts = 'mount --bind "$1" /mnt; mount -t tmpfs t /tmp; mount -t tmpfs t /dev/shm; ip link set lo up'
        script = "set -e; %s; echo ready; exec sleep 900" % mounts
        how = ["unshare", "-nmpu", "--fork", "--kill-child", "--mount-proc"]
        self.process = subprocess.Popen(
            [*how, "sh", "-c", script, "sh", str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "ready\n"
        with open("/proc/%d/task/%d/children" % ((self.process.pid,) * 2)) as file:
            self.init = file.read().strip()

    def connect(self, other):
        link = "ip link add veth type veth peer name veth netns " + other.init
        subprocess.run(["nsenter", "-t", self.init, "-n", *link.split()], check=True)
        for machine in (self, other):
            machine.run("ip", "address", "add", machine.address + "/24", "dev", "veth")
            machine.run("ip", "link", "set", "veth", "up")

    def start(self, *words, **options):
        path = "/mnt/seamark/bin:%s:%s" % (os.path.dirname(sys.executable), os.environ["PATH"])
        return subprocess.Popen(
            ["nsenter", "-t", self.init, "-n", "-m", "-p", "-u", "--wdns=/mnt/work", *words],
            env={"HOME": "/mnt/home", "PATH": path, "SEAMARK_PYTHON": sys.executable},
            **options,
        )

    def run(self, *words):
        process = self.start(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, said
        return said

    def join(self, *how):
        limits = ["--num-cpus=1", "--object-store-memory=%d" % (80 << 20), "--disable-usage-stats"]
        self.run("ray", "start", "--node-ip-address=" + self.address, *limits, *how)


@pytest.mark.skipif(
    sys.executable.startswith("/tmp/"),
    reason="the interpreter lies in /tmp, of which each machine has its own",
)
@pytest.mark.skipif(
    not namespaces.permitted("unshare", "-nmpu", "ip link add va type veth peer name vb"),
    reason="no namespaces of networks, or no ip",
)
def test_two_machines_share_nothing_and_one_loses_its_link(tmp_path, expected):
    machines = [
        Machine(tmp_path / name, "10.77.0.%d" % at) for at, name in ((1, "one"), (2, "two"))
    ]
    one, two = machines
    try:
        one.connect(two)
        quick = json.dumps(QUICK_TO_NOTICE)
        one.join("--head", "--port=6379", "--include-dashboard=false", "--system-config=" + quick)
        two.join("--address=10.77.0.1:6379")
        engine = ["--engine", "ray", "--address", "10.77.0.1:6379", "--store", "all.db"]

        corpus = one.folder / "work" / "corpus"
        corpus.mkdir()
        for i in range(8):
            (corpus / ("%d.jsonl" % i)).write_bytes(PACKED["a.jsonl"](LINES * (i + 1)))
        with open(tmp_path / "asked", "w") as asked:
            serve = [sys.executable, "-u", "-m", "http.server", "8000", "--directory", "corpus"]
            one.start(*serve, stderr=asked)
        count = [
            "seamark",
            "usage",
            "--no-config",
            "--quiet",
            "--format",
            "json",
            "--label",
            "corpus",
        ]
        here, there = (
            json.loads(one.run(*count, *words))
            for words in (["corpus", "--store", "whole.db"], ["http://10.77.0.1:8000/", *engine])
        )
        assert [there[key] for key in COUNTS] == [here[key] for key in COUNTS]
        readers = {
            line.split()[0]
            for line in (tmp_path / "asked").read_text().splitlines()
            if "GET /" in line and ".jsonl" in line
        }
        assert readers == {"10.77.0.1", "10.77.0.2"}

        (two.folder / "work" / "hold").touch()
        command = RUN.replace(
            " --target selftest/gadget", " --function *.a* --function *.c*"
        ).split()
        with open(tmp_path / "said", "w") as said:
            options = ["--slice-seconds", "2"]
            process = one.start("seamark", *command, *engine, *options, stdout=said, stderr=said)
        wait_for(process, (two.folder / "work" / "begun").exists)
        two.run("ip", "link", "set", "veth", "down")
        said = tmp_path / "said"
        assert process.wait(timeout=120) == 0, said.read_text()
        assert said.read_text().count("; again") == 1
        whole = [
            row for row in expected if row[0] == "selftest/cpu" and row[1].split(".")[2][0] in "ac"
        ]
        assert whole and rows(one.folder / "work" / "all.db", OUTCOMES) == whole
    finally:
        for machine in machines:
            machine.process.kill()
            machine.process.wait()
