"""Can the cases fail? Functions are made wrong, and the suite must notice."""

import json
import sys

import pytest
from agent_client import SELFTEST, agent_command
from seamark_agent import mutate as mutants
from test_harness import Cpu, Differentiable, Toy, make

TARGETS = {
    "torch": {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"},
    "tensorflow": {
        "name": "tensorflow/cpu", "framework": "tensorflow", "adapter": "tensorflow", "device": "cpu",
    },
    "jax": {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"},
}  # fmt: skip
# Lazy tensors end the process there: torch.func.jvp, SIGSEGV.
CRASHES = {"torch": ["--except", "*/in_forward_mode*"], "tensorflow": [], "jax": []}
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


def of_case(body, adapter=None, **header):
    """{kind: noticed}."""
    case = make(body, **header)
    return {f["kind"]: f["noticed"] for f in mutants.check(adapter or Toy(), [case], share=1)}


def difference(t, dtype):
    x, y = t.randn((4, 5), dtype), t.randn((4, 5), dtype)
    return t.call(t.get("torch.subtract"), x, y)


def test_every_kind_is_noticed_where_all_is_compared():
    found = of_case(difference, Differentiable(), grad=True)
    assert set(found) == set(mutants.KINDS) - {"nothing"}
    assert set(found.values()) == {True}


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
    share = "0.01" if framework == "jax" else "0.02"
    _, found, total = mutate(
        framework_python(framework),
        TARGETS[framework],
        "--share",
        share,
        "--one",
        *CRASHES[framework],
    )
    survivors = [item for item in found if item["noticed"] is False]
    assert total["mutants"] >= 4 and len(survivors) <= 1, (total, survivors)


@pytest.mark.long
@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(TARGETS))
def test_the_suite_notices_wrong_functions(framework, framework_python, drawn_seed):
    """A tenth of the curated cases."""
    for seed in [drawn_seed, *KEPT_SEEDS[framework]]:
        _, found, total = mutate(
            framework_python(framework),
            TARGETS[framework],
            "--share",
            "0.1",
            "--seed",
            str(seed),
            *CRASHES[framework],
            timeout=3000,
        )
        survivors = [item for item in found if item["noticed"] is False]
        assert total["mutants"] >= 20, total
        assert total["held"], (f"seed {seed}, for KEPT_SEEDS", total, survivors)
