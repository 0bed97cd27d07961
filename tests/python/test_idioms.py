"""The suite idioms: whole, apart from the curated suite, and right where nothing stands in the way."""

import json

import pytest
from agent_client import agent_command
from seamark_suites import loader

MOVES = ["early_exit", "capsule_routing", "data_pruning", "proximal_step"]
CPU = {
    "torch": {"adapter": "torch_eager", "device": "cpu"},
    "tensorflow": {"adapter": "tensorflow", "device": "cpu"},
    "jax": {"adapter": "jax", "device": "cpu", "options": {"platform": "cpu"}},
}
ROOTS = {"torch": "torch", "tensorflow": "tf", "jax": "jax"}


def test_every_framework_has_every_move():
    for framework, root in ROOTS.items():
        cases = loader.load(["idioms"], framework)
        names = [item.name for item in cases]
        assert list(dict.fromkeys(item.function for item in cases)) == [
            "%s.idioms.%s" % (root, move) for move in MOVES
        ]
        assert all(item.suite == "idioms" for item in cases)
        bodies = {name.split("[")[0].split("/")[1] for name in names}
        assert bodies >= {"branch_on_a_value", "hard_examples_by_a_mask", "zero_rows_are_removed"}


def test_idioms_carry_no_verdict_and_do_not_slip_into_the_curated_suite():
    idioms = loader.load(["idioms"])
    assert not any(item.core for item in idioms)
    curated = {item.function for item in loader.load(["curated"])}
    assert not curated & {item.function for item in idioms}
    both = loader.load(["curated", "idioms"])
    assert len(both) == len(idioms) + len(loader.load(["curated"]))


def test_every_idiom_has_a_reference_that_is_not_the_framework():
    for item in loader.load(["idioms"]):
        assert callable(item.reference) or item.grad, item.name


@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(CPU))
def test_idioms_pass_on_the_cpu(framework, framework_python):
    target = dict(CPU[framework], name=framework + "/cpu", framework=framework)
    status, out, _ = agent_command(
        framework_python(framework), "run", "--suite", "idioms", "--target", json.dumps(target)
    )
    ends = [json.loads(line) for line in out.splitlines()]
    assert status == 0, [(end["case"], end["failure"]) for end in ends if end["outcome"] != "pass"]
    assert len(ends) >= 16 and {end["evidence"] for end in ends} == {"verified"}
