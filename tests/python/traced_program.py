"""Runs a program of a test as `seamark audit --trace` does, and reads what is recorded of it."""

import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDER = os.path.join(ROOT, "python", "seamark_trace")


def traced_program(tmp_path, python):
    """run(text, ARGUMENT...): the ended process and what was recorded of it; traced=False: run as it is."""

    def run(text, *arguments, traced=True, steps=None, environment=()):
        (tmp_path / "train.py").write_text(text)
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        variables = dict(os.environ, OMP_NUM_THREADS="1", **dict(environment))
        variables.pop("SEAMARK_TRACE", None)
        if traced:
            own = variables.get("PYTHONPATH")
            variables["PYTHONPATH"] = os.pathsep.join([RECORDER] + ([own] if own else []))
            variables["SEAMARK_TRACE"] = str(out)
            if steps:
                variables["SEAMARK_TRACE_STEPS"] = str(steps)
        done = subprocess.run(
            [python, "train.py", *map(str, arguments)],
            cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        found = [json.loads(path.read_text()) for path in out.glob("*.json")]
        for path in out.glob("*"):
            path.unlink()
        return done, found

    return run


def audited(executable, folder, target, python, program="train.py"):
    """What an audit of train.py in `folder` says with the trace of `program`, as JSON; the results are in its s.db."""
    done = subprocess.run(
        [executable, "audit", "train.py", "--to", target, "--trace", "%s %s" % (python, program), "--store", "s.db",
         "--format", "json", "-o", "audit.json", "--no-config", "--python", python, "--fail-on", "none"],
        cwd=folder, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "audit.json").read_text())


def calls_at(trace, number):
    return {call["function"] for call in trace["calls"] if ["train.py", number] in [site[:2] for site in call["sites"]]}  # fmt: skip
