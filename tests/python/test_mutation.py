"""Can the cases fail? Functions are made wrong, and the suite must notice."""

import json
import sys

import pytest
from agent_client import SELFTEST, agent_command
from seamark_agent import mutate as mutants
from seamark_suites import loader
from soak import FRAMEWORKS
from test_harness import Cpu, Differentiable, Toy, make

TARGETS = {
    "torch": {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"},
    "tensorflow": {
        "name": "tensorflow/cpu", "framework": "tensorflow", "adapter": "tensorflow", "device": "cpu",
    },
    "jax": {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"},
}  # fmt: skip
# Seeds of draws that a suite failed once. They are tried each time; docs/developing.md, "Tests that draw".
KEPT_SEEDS = {"torch": [], "tensorflow": [], "jax": []}
SUITE = """
from seamark_suites.case import case

@case("selftest.math.sqrt", reference=lambda np, **params: 1.5, i=list(range(8)))
def checked(t, i):
    return t.call("selftest.math.sqrt", 2.25)

@case("selftest.os.getpid", reference="none", i=list(range(8)))
def blind(t, i):
    t.call("selftest.os.getpid")
    t.expect(True, "anything")
"""


def mutate(python, target, *arguments, timeout=600):
    status, out, err = agent_command(
        python, "mutate", "--target", json.dumps(target), *arguments, timeout=timeout
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines and "mutants" in lines[-1], err[-3000:]
    return status, lines[:-1], lines[-1]


def share_of(framework, cases):
    """The share of the curated cases that draws about so many, however many there are."""
    return "%.5f" % (cases / len(loader.load(["curated"], framework)))


def test_a_case_that_cannot_fail_is_found_out(tmp_path):
    suite = tmp_path / "half.py"
    suite.write_text(SUITE)
    status, found, total = mutate(
        sys.executable, SELFTEST, "--suite", str(suite), "--share", "1", "--seed", "3"
    )
    by_body = {}
    for item in found:
        body = item["case"].split("/")[1].split("[")[0]
        by_body.setdefault(body, set()).add(item["noticed"])
    assert by_body == {"checked": {True, None}, "blind": {False, None}}
    assert (status, total["mutants"], total["noticed"]) == (1, 48, 24)
    assert total["kinds"]["sign"] == [16, 8, 0] and total["kinds"]["roll"] == [0, 0, 16]


def test_one_mutant_of_each_case(tmp_path):
    suite = tmp_path / "half.py"
    suite.write_text(SUITE)
    _, found, total = mutate(
        sys.executable, SELFTEST, "--suite", str(suite), "--share", "1", "--one"
    )
    assert (total["mutants"], total["noticed"]) == (16, 8)
    assert len({item["case"] for item in found if item["noticed"] is not None}) == 16


FATAL = """
import os
from seamark_suites.case import case

@case("selftest.math.sqrt", reference="none")
def endless(t):
    value = 0
    while value < 3:  # for ever, where it is wrong by that much
        value = t.call("selftest.math.sqrt", 16.0)

@case("selftest.math.sqrt", reference="none", i=[0, 1])
def fatal(t, i):
    if t.call("selftest.math.sqrt", 2.25) < 0:
        os.abort()
    t.expect(True, "anything")

@case("selftest.math.sqrt", reference="none")
def broken(t):
    t.call("selftest.math.sqrt", 2.25)
    os.abort()
"""


def test_mutants_that_do_not_end_or_end_the_process_are_noticed(tmp_path):
    suite = tmp_path / "fatal.py"
    suite.write_text(FATAL)
    every = ["--suite", str(suite), "--share", "1", "--patience", "3"]
    status, found, total = mutate(sys.executable, SELFTEST, *every)
    how = {(item["case"].split("/")[1], item["kind"]): item["how"] for item in found}
    assert how["endless", "zeros"] == how["endless", "sign"] == "no end in 3 s"
    for i in "01":
        assert how["fatal[i=%s]" % i, "sign"] == "signal 6"
        assert how["fatal[i=%s]" % i, "zeros"] == "passed"
    assert how["broken", None] == "does not pass unchanged"
    assert (status, total["mutants"], total["noticed"]) == (1, 9, 4)
    _, found, total = mutate(sys.executable, SELFTEST, *every, "--one")
    assert total["mutants"] == 3  # and not of the case that does not pass


def of_case(body, adapter=None, **header):
    """{kind: noticed}."""
    case = make(body, **header)
    return {f["kind"]: f["noticed"] for f in mutants.check(adapter or Toy(), [case], share=1)}


def difference(t, dtype):
    x, y = t.randn((4, 5), dtype), t.randn((4, 5), dtype)
    return t.call(t.get("torch.subtract"), x, y)


def test_every_kind_is_noticed_where_all_is_compared():
    found = of_case(difference, Differentiable(), grad=True)
    assert set(found) == set(mutants.KINDS) - {"nothing", "finite"}
    assert set(found.values()) == {True}


def test_a_number_in_place_of_an_infinity_or_nan_is_noticed():
    def squares(t, dtype):
        x = t.const([float("inf"), 2.0, float("nan"), -3.0], dtype)
        return t.call("torch.square", x)

    assert of_case(squares)["finite"] is True

    def some(t, dtype):
        found = t.host(squares(t, dtype))
        t.expect(found[t.np.isfinite(found)].max() == 9, "the square of 3 is the largest number")

    assert of_case(some, reference="none")["finite"] is False


def test_what_is_allowed_is_no_mutant():
    def squares(t, dtype):
        return t.call("torch.square", t.const([[2.0, 1.0], [1.0, 2.0]], dtype))

    found = of_case(squares)
    # The same for any seed, exact in any dtype, one argument, no gradient.
    assert {kind for kind, noticed in found.items() if noticed is None} == {
        "stale", "narrow", "swapped",
    }  # fmt: skip
    found = of_case(difference, Differentiable(), rtol={"f32": 1e-2}, atol={"f32": 1e-2})
    assert found["narrow"] is None and found["near-3"] is True


def test_a_loose_check_is_found_out():
    def loose(t, dtype):
        x = t.randn((4, 5), dtype)
        t.expect(abs(t.host(t.call("torch.square", x)) - t.host(x) ** 2).max() < 10, "squares")

    found = of_case(loose, reference="none")
    assert found["near-3"] is found["near-30"] is None  # the body has its own tolerance
    assert found["perturb"] is found["roll"] is found["sign"] is False


def test_the_comparison_is_that_of_the_target():
    places = []

    def noted(t, dtype):
        places.append(t.place)
        return difference(t, dtype)

    found = of_case(noted, type("Adapter", (Cpu, Differentiable), {})())
    assert "native" not in places and "wide" in places
    # The CPU's own dtype is the expected one there: no such mutant is made.
    assert not {"dtype", "device"} & set(found) and set(found.values()) == {True}


def test_where_a_call_ran_is_asked_for_where_that_is_wrong():
    proofs = []

    class Proving(Differentiable):
        def prove(self):
            proofs.append(self)
            return super().prove()

    assert of_case(difference, Proving())["device"] is True
    assert len(proofs) == 1


def test_the_draw_is_seeded(tmp_path):
    suite = tmp_path / "half.py"
    suite.write_text(SUITE)

    def drawn(seed):
        _, found, _ = mutate(
            sys.executable, SELFTEST, "--suite", str(suite), "--share", "0.5", "--seed", str(seed)
        )
        return [item["case"] for item in found]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(TARGETS))
def test_a_few_cases_of_each_suite_notice(framework, framework_python):
    draw = ["--share", share_of(framework, 12), "--one"]
    _, found, total = mutate(framework_python(framework), TARGETS[framework], *draw)
    survivors = [item for item in found if item["noticed"] is False]
    allowed = max(1, 0.02 * total["mutants"])
    assert total["mutants"] >= 4 and len(survivors) <= allowed, (total, survivors)


@pytest.mark.framework
def test_named_results_are_made_wrong(framework_python):
    """What torch.max gives along an axis is a tuple of a type of its own."""
    target = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
    one = ["--case", "torch.max/along[f32,dim=0]", "--share", "1"]
    _, found, total = mutate(framework_python("torch"), target, *one)
    assert total["mutants"] == total["noticed"] >= 5, (total, found)


@pytest.mark.long
@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(TARGETS))
def test_the_suite_notices_wrong_functions(framework, framework_python, drawn_seed):
    """Of some 120 curated cases."""
    seeds = [drawn_seed] if framework in FRAMEWORKS else []
    seeds += KEPT_SEEDS[framework]
    if not seeds:
        pytest.skip("another framework is drawn in this run, and no seed of this one is kept")
    for seed in seeds:
        draw = ["--share", share_of(framework, 120), "--seed", str(seed)]
        _, found, total = mutate(
            framework_python(framework), TARGETS[framework], *draw, timeout=3000
        )
        survivors = [item for item in found if item["noticed"] is False]
        assert total["mutants"] >= 20, total
        assert total["held"], (f"seed {seed}, for KEPT_SEEDS", total, survivors)
