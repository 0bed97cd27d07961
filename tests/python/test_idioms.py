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


KINDS = 20  # of programs that people run, each framework's at least
EVERYWHERE = {
    *("mlp", "cnn", "lstm", "transformer_encoder", "transformer_decoder", "gpt_block", "unet"),
    *("graph_network", "mixture_of_experts", "diffusion", "lora", "policy_gradient"),
    *("mixed_precision", "gradient_accumulation", "checkpointing", "saved_and_loaded"),
}


def kinds_of(framework):
    """What stands behind FRAMEWORK.idioms. in the names of functions."""
    prefix = ROOTS[framework] + ".idioms."
    functions = dict.fromkeys(item.function for item in loader.load(["idioms"], framework))
    assert all(name.startswith(prefix) for name in functions)
    return [name[len(prefix) :] for name in functions]


def test_every_framework_has_every_move():
    for framework in ROOTS:
        cases = loader.load(["idioms"], framework)
        names = [item.name for item in cases]
        assert kinds_of(framework)[: len(MOVES)] == MOVES
        assert all(item.suite == "idioms" and item.program for item in cases)
        bodies = {name.split("[")[0].split("/")[1] for name in names}
        assert bodies >= {"branch_on_a_value", "hard_examples_by_a_mask", "zero_rows_are_removed"}


def test_idioms_carry_no_verdict_and_do_not_slip_into_the_curated_suite():
    idioms = loader.load(["idioms"])
    assert not any(item.core for item in idioms)
    curated = {item.function for item in loader.load(["curated"])}
    assert not curated & {item.function for item in idioms}
    both = loader.load(["curated", "idioms"])
    assert len(both) == len(idioms) + len(loader.load(["curated"]))


def test_every_framework_has_what_people_train_and_how():
    for framework in ROOTS:
        kinds = kinds_of(framework)[len(MOVES) :]
        assert len(kinds) == len(set(kinds)) >= KINDS, framework
        assert set(kinds) >= EVERYWHERE, framework


def test_every_move_has_a_reference_that_is_not_the_framework():
    for item in loader.load(["idioms"]):
        moves = item.function.rpartition(".")[2] in MOVES
        assert callable(item.reference) or item.grad or not moves, item.name


@pytest.mark.framework
@pytest.mark.parametrize(
    "framework", ["torch", "tensorflow", pytest.param("jax", marks=pytest.mark.long)]
)
def test_idioms_pass_on_the_cpu(framework, framework_python):
    target = dict(CPU[framework], name=framework + "/cpu", framework=framework)
    status, out, _ = agent_command(
        framework_python(framework), "run", "--suite", "idioms", "--target", json.dumps(target)
    )
    ends = [json.loads(line) for line in out.splitlines()]
    assert status == 0, [(end["case"], end["failure"]) for end in ends if end["outcome"] != "pass"]
    assert len(ends) >= 16 and {end["evidence"] for end in ends} == {"verified"}
