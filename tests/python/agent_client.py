"""Drives the agent over its wire and by its one-shot commands, for the tests."""

import fnmatch
import functools
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOOT = ROOT / "python" / "seamark_agent" / "boot.py"
ADAPTERS = {
    "selftest": "selftest",
    "torch": "torch_eager",
    "jax": "jax",
    "tensorflow": "tensorflow",
}


def target_of(framework):
    """The entry of FRAMEWORK/cpu, as the agent takes it."""
    return {
        "name": framework + "/cpu",
        "framework": framework,
        "adapter": ADAPTERS[framework],
        "device": "cpu",
    }


SELFTEST = target_of("selftest")


def config_of(worker, framework="selftest", **keys):
    """A config with the target FRAMEWORK/cpu alone, of that worker mode, and with these keys besides."""
    keys = {**target_of(framework), "worker": worker, **keys}
    del keys["framework"]
    return "[[target]]\n" + "".join("%s = %s\n" % (k, json.dumps(v)) for k, v in keys.items())


class Agent:
    """A worker driven over its wire, as the supervisor does it but without mercy for time."""

    def __init__(
        self,
        python,
        target,
        mode="persistent",
        suites=("selftest",),
        output=subprocess.PIPE,
        **hello,
    ):
        to_worker, ours = os.pipe()
        theirs, from_worker = os.pipe()
        keys, self.keys = os.pipe()
        self.nonces = 0
        self.process = subprocess.Popen(
            [python, str(BOOT), "worker", "--in-fd", str(to_worker), "--out-fd", str(from_worker)]
            + ["--key-fd", str(keys)],
            pass_fds=(to_worker, from_worker, keys),
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
        )
        os.close(to_worker)
        os.close(from_worker)
        os.close(keys)
        self.inp, self.out = os.fdopen(ours, "wb", 0), os.fdopen(theirs, "rb")
        self.names = []
        self.send(
            dict(
                {"op": "hello", "wire": 2, "target": target, "mode": mode, "suites": list(suites)},
                **hello,
            )
        )

    def send(self, message):
        if message["op"] == "run":
            self.nonces += 1
            os.write(self.keys, b"%032d" % self.nonces)
        self.inp.write(json.dumps(message).encode() + b"\n")

    def receive(self):
        """The next event; None at the end."""
        for line in self.out:
            if line.strip():
                return json.loads(line)
        return None

    def plan(self, names):
        self.send({"op": "plan", "names": names})
        self.names = names

    def run(self, name, phase="correctness"):
        """The case's `end`; the event that closes it, or None, where there is none."""
        self.send({"op": "run", "id": self.names.index(name), "phase": phase})
        end = None
        while True:
            event = self.receive()
            if event is None or event["ev"] in ("done", "reaped"):
                return end or event
            if event["ev"] == "end":
                end = event

    def close(self):
        self.inp.close()
        os.close(self.keys)
        output = self.process.stdout.read() if self.process.stdout else b""
        self.process.wait(30)
        self.out.close()
        if self.process.stdout:
            self.process.stdout.close()
        return output.decode(errors="replace")


def agent_command(python, *arguments, timeout=300):
    """(exit status, stdout, stderr) of a one-shot command of the agent."""
    done = subprocess.run(
        [python, str(BOOT), *arguments],
        capture_output=True, text=True, errors="replace", cwd="/", timeout=timeout,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def reproduced(python, target, case, folder, **environment):
    """(the text of a case's reproducer, how it ended), started as a user would, without Seamark."""
    status, text, err = agent_command(
        python, "script", "--case", case, "--target", json.dumps(target)
    )
    assert status == 0, err
    assert "seamark" not in "".join(line for line in text.splitlines() if "import" in line)
    path = folder / "case.py"
    path.write_text(text)
    done = subprocess.run(
        [python, "-I", str(path)],
        capture_output=True, text=True, cwd=folder, env=dict(os.environ, **environment),
    )  # fmt: skip
    return text, done


def run_cases(python, target, pattern="*", *options, suite="curated"):
    """{case: end event} of a run in one process."""
    _, out, err = agent_command(
        python, "run", "--suite", suite, "--target", json.dumps(target), "--case", pattern, *options
    )
    ends = {end["case"]: end for end in map(json.loads, out.splitlines())}
    assert ends, err
    return ends


@functools.cache
def names_of(suite, framework):
    """The names of a suite's cases, and whether each is quick."""
    from seamark_suites import loader

    return {item.name: item.quick for item in loader.load([suite], framework)}


class Workers:
    """As run_cases, by one persistent worker of each target and suite: starting one takes longer than most cases."""

    def __init__(self):
        self._workers = {}

    def __call__(
        self, python, target, pattern="*", suite="curated", phase="correctness", quick=False
    ):
        known = names_of(suite, target["framework"])
        asked = fnmatch.filter(known, pattern.replace("[", "[[]"))
        ends = {}
        for name in asked:
            if known[name] or not quick:
                worker = self._worker(python, target, suite)
                ends[name] = end = worker.run(name, phase)
                assert end, "the worker ended at %s" % name
                if end.get("spent"):
                    self._workers.pop((python, json.dumps(target), suite)).close()
        assert ends, "no case is %s" % pattern
        return ends

    def _worker(self, python, target, suite):
        key = (python, json.dumps(target), suite)
        if key not in self._workers:
            worker = Agent(python, target, suites=[suite], output=subprocess.DEVNULL)
            ready = worker.receive()
            assert ready["ev"] == "ready", ready
            worker.plan(list(names_of(suite, target["framework"])))
            self._workers[key] = worker
        return self._workers[key]

    def close(self):
        for worker in self._workers.values():
            worker.close()


def only(ends):
    assert len(ends) == 1
    return next(iter(ends.values()))


def check_forks(worker, names):
    """Each case passes in a child of its own, one after the other; `worker` is in fork mode."""
    assert worker.receive()["ev"] == "ready"
    worker.plan(names)
    for number, name in enumerate(names):
        worker.send({"op": "run", "id": number, "phase": "correctness"})
        assert worker.receive()["ev"] == "forked"
        end = worker.receive()
        assert (end["ev"], end["outcome"]) == ("end", "pass"), (name, end)
        reaped = worker.receive()
        assert (reaped["ev"], reaped["status"], reaped["leaked"]) == ("reaped", 0, [])
    worker.close()
