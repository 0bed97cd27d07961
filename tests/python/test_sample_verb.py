"""`seamark sample` from outside: the draw against one written here from its description, and the way
from a sample over a run to an estimate of the whole population."""

import csv
import importlib.util
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

MASK = (1 << 64) - 1


def fnv1a_fields(fields):
    """FNV-1a over the fields, each followed by its length as eight little-endian bytes."""
    state = 0xCBF29CE484222325
    for field in fields:
        for byte in field.encode() + len(field.encode()).to_bytes(8, "little"):
            state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


class Pcg32:
    """PCG-XSH-RR 64/32, from O'Neill's paper."""

    def __init__(self, seed, framework, purpose):
        fields = (str(seed), framework, purpose)
        self.increment = (fnv1a_fields(("stream", *fields)) << 1 | 1) & MASK
        self.state = self.increment
        self.state = (self.state + fnv1a_fields(("state", *fields))) & MASK
        self.next()

    def next(self):
        old = self.state
        self.state = (old * 6364136223846793005 + self.increment) & MASK
        shifted = ((old >> 18 ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        return (shifted >> turn | shifted << (32 - turn)) & 0xFFFFFFFF

    def below(self, bound):
        while True:
            product = self.next() * bound
            if product & 0xFFFFFFFF >= (1 << 32) % bound:
                return product >> 32

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def expected(counts, framework, seed, top=20, per_decile=5):
    """The draw as docs/sample.md describes it: (role, function) in order."""
    ranked = sorted(counts)
    Pcg32(seed, framework, "ties").shuffle(ranked)
    ranked.sort(key=lambda name: -counts[name])
    n = len(ranked)
    drawn = [("top", name) for name in ranked[:top]]
    for decile in range(1, 11):
        own = [ranked[r] for r in range(n) if -(-(r + 1) * 10 // n) == decile]
        Pcg32(seed, framework, "decile-%d" % decile).shuffle(own)
        for name in own[:per_decile]:
            drawn.append(("overlap" if name in ranked[:top] else "decile", name))
    return drawn


@pytest.fixture
def seamark(tmp_path):
    def run(*arguments, code=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")}
        environment.update(NO_COLOR="1", SEAMARK_CACHE=str(tmp_path / "cache"))
        done = subprocess.run(
            [EXECUTABLE, *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            cwd=tmp_path,
            env=environment,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def write_usage(path, counts, header="function,tier,calls,references,files,repositories"):
    rows = [
        "%s,resolved,%d,0,%d,1" % (name, calls, min(calls, 9)) for name, calls in counts.items()
    ]
    path.write_text("\n".join([header, *rows]) + "\n")


def test_the_draw_is_what_its_description_says(seamark, tmp_path):
    counts = {
        "torch": {"torch.f%03d" % i: 1 + 3000 // (i + 1) for i in range(157)},
        "jax": {"jax.g%03d" % i: 1 + i % 7 for i in range(91)},
    }
    write_usage(tmp_path / "u.csv", {**counts["torch"], **counts["jax"]})
    for seed in (0, 7, 123456789):
        drawn = seamark("sample", "--usage", "u.csv", "--seed", str(seed), "--format", "json")
        rows = json.loads(drawn.stdout)["functions"]
        for framework, own in counts.items():
            found = [(r["role"], r["function"]) for r in rows if r["framework"] == framework]
            assert found == expected(own, framework, seed), (framework, seed)


def test_what_is_drawn_is_kept_named_and_recorded(seamark, tmp_path):
    counts = {"torch.f%03d" % i: 1000 - i for i in range(200)}
    write_usage(tmp_path / "u.csv", counts)
    first = json.loads(
        seamark(
            "sample", "--usage", "u.csv", "--name", "mine", "-o", "-", "--format", "json"
        ).stdout
    )
    again = json.loads(seamark("sample", "--usage", "u.csv", "--format", "json").stdout)
    assert again["id"] == first["id"]
    low = [r["function"] for r in first["functions"] if r["role"] == "decile"][-1]
    changed = seamark(
        "sample", "--usage", "u.csv", "--replace", low + ":needs a network", "--exclude",
        "torch.f000:no function", "--format", "csv", "-o", "s.csv",
    )  # fmt: skip
    assert changed.stdout == ""
    rows = list(csv.DictReader(io.StringIO((tmp_path / "s.csv").read_text())))
    by_name = {r["function"]: r for r in rows if r["role"] != "overlap"}
    assert by_name["torch.f000"]["role"] == "excluded"
    assert by_name["torch.f000"]["inclusion"] == ""
    assert by_name[low]["reason"] == "needs a network"
    other = by_name[by_name[low]["replaced_by"]]
    assert (other["role"], other["replaces"], other["decile"]) == ("replacement", low, "10")
    # What stands for the population adds up to it.
    total = sum(float(r["weight"]) for r in rows if r["weight"])
    assert total == pytest.approx(199)
    seamark("sample", "--usage", "u.csv", "--seed", "3", "--name", "mine", code=2)
    table = seamark("sample", "--usage", "u.csv", "--replace", low + ":needs a network").stdout
    assert "replaced" in table and "needs a network" in table and "Seed 0" in table


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--usage", "none.csv"), "holds no corpus"),
        (("--usage", "bad.csv"), "no column 'calls'"),
        (("--usage", "u.csv", "--population", "all"), "seamark catalog --target torch/cpu"),
        (("--usage", "u.csv", "--exclude", "torch.f001"), "FUNCTION:REASON"),
        (("--usage", "u.csv", "--exclude", "torch.g001:why"), "no such function"),
        (
            ("--usage", "u.csv", "--replace", "torch.f000:a", "--exclude", "torch.f000:b"),
            "is excluded",
        ),
        (("--usage", "u.csv", "--never-seen", "3"), "--population all"),
        (("--usage", "u.csv", "--tier", "inferred"), "--tier"),
        (("--usage", "u.csv", "--framework", "jax"), "no function of jax"),
        (("--usage", "u.csv", "--catalogue", "u.csv"), "u.csv"),
    ],
)
def test_what_cannot_be_drawn_is_said(seamark, tmp_path, arguments, words):
    write_usage(tmp_path / "u.csv", {"torch.f%03d" % i: 9 for i in range(30)})
    (tmp_path / "bad.csv").write_text("function\ntorch.a\n")
    assert words in seamark("sample", *arguments, code=2).stderr


CASE = """
@case("selftest.{name}", reference="none")
def {name}(t):
    t.call("selftest.math.sqrt", {argument})

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


def test_from_a_sample_over_a_run_to_the_whole_population(seamark, tmp_path, monkeypatch):
    if importlib.util.find_spec("numpy") is None:
        pytest.skip("no NumPy in %s" % sys.executable)
    names = ["f%03d" % i for i in range(60)]
    rows = ["selftest,selftest.%s,%d" % (name, 600 // (i + 1)) for i, name in enumerate(names)]
    (tmp_path / "u.csv").write_text("\n".join(["framework,function,calls", *rows]) + "\n")
    (tmp_path / "seamark.toml").write_text(CONFIG)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    seamark("trust")
    drawn = json.loads(
        seamark("sample", "--usage", "u.csv", "--top", "4", "--per-decile", "2", "--name", "small",
                "--format", "json").stdout
    )  # fmt: skip
    sampled = [r for r in drawn["functions"] if r["role"] in ("top", "decile")]
    top = [r["function"] for r in sampled if r["role"] == "top"]
    lonely = sampled[-1]["function"]  # without a case: nothing is known of it
    failing = {top[1], sampled[5]["function"], sampled[8]["function"]}
    body = "from seamark_suites.case import case\n"
    for name in names:
        full = "selftest." + name
        if full != lonely:
            body += CASE.format(name=name, argument="-1.0" if full in failing else "4.0")
    (tmp_path / "suite.py").write_text(body)

    listed = seamark("run", "--sample", "small", "--target", "selftest/cpu", "--python", sys.executable,
                     "--list").stdout.split()  # fmt: skip
    assert sorted(line.split("/")[0] for line in listed) == sorted(
        r["function"] for r in sampled if r["function"] != lonely
    )
    ran = seamark(
        "run", "--sample", "--target", "selftest/cpu", "--python", sys.executable, "--no-timing"
    )
    assert "1 function of selftest have no case here: " + lonely in " ".join(ran.stderr.split())

    report = json.loads(seamark("report", "--format", "json").stdout)["sample"]
    assert report["name"] == "small"
    (target,) = report["targets"]
    assert (target["population"], target["drawn"], target["failed"]) == (60, len(sampled), 3)
    assert target["answered"] == len(sampled) - 1
    assert target["unknown"] == [lonely]
    # By hand, from the record.
    strata = {s["stratum"]: s for s in drawn["strata"]}
    value = best = 0.0
    for name, stratum in strata.items():
        own = [r["function"] for r in sampled if r["stratum"] == name]
        fails = sum(f in failing for f in own)
        known = [f for f in own if f != lonely]
        value += stratum["functions"] * fails / len(known)
        best += stratum["functions"] * fails / len(own)
    share = target["functions_fail"]
    assert share["value"] == pytest.approx(value / 60)
    assert share["best"] == pytest.approx(best / 60)
    assert share["lowest"] <= share["low"] < share["value"] < share["high"] <= share["highest"] < 1
    assert share["worst"] > share["value"]
    for form, words in (("terminal", "THE WHOLE CATALOGUE"), ("markdown", "The whole catalogue"),
                        ("html", 'id="catalogue"')):  # fmt: skip
        seamark("report", "--full", "--format", form, "-o", "r.out")
        text = (tmp_path / "r.out").read_text()
        assert words in text and lonely in text.replace("<wbr>", ""), form
    resumed = seamark("run", "--sample", "nobody", "--target", "selftest/cpu", code=2)
    assert "small" in resumed.stderr
    # A run of no sample says nothing of the population.
    seamark(
        "run", "--target", "selftest/cpu", "--python", sys.executable, "--no-timing", "-f", top[0]
    )
    assert json.loads(seamark("report", "--format", "json").stdout)["sample"] is None


def test_without_a_catalogue_private_names_are_not_drawn(seamark, tmp_path):
    counts = {"torch.f%03d" % i: 100 - i for i in range(30)}
    hidden = {"torch._C.f": 999, "torch.nn._reduction.g": 998}
    write_usage(tmp_path / "u.csv", {**counts, **hidden, "torch.Tensor.__add__": 997})
    drawn = json.loads(seamark("sample", "--usage", "u.csv", "--format", "json").stdout)
    names = {row["function"] for row in drawn["functions"]}
    assert "torch.Tensor.__add__" in names and not names & set(hidden)
    assert drawn["frames"][0]["unknown_names"] == 2


def test_the_shipped_table_is_drawn_from_whatever_was_counted_last(seamark, tmp_path):
    (tmp_path / "code.py").write_text("import torch\ntorch.add(1, 2)\n")
    seamark("usage", "code.py", "--label", "mine", "-o", "mine.csv")
    shipped = Path(__file__).resolve().parents[2] / "data" / "usage" / "calls.csv"
    if not shipped.exists():
        pytest.skip("this checkout ships no usage table")
    drawn = json.loads(seamark("sample", "--format", "json").stdout)
    assert drawn["usage"].startswith("shipped (")
    assert {frame["framework"] for frame in drawn["frames"]} == {"jax", "tensorflow", "torch"}
