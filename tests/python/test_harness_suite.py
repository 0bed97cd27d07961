"""The suite of JAX's own harnesses."""

import json
import os
import subprocess

import pytest
from seamark_suites import automatic
from seamark_suites.auto import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOOT = os.path.join(ROOT, "python", "seamark_agent", "boot.py")
TARGET = '{"name":"jax/cpu","framework":"jax","adapter":"jax","device":"cpu"}'


class One:
    def __init__(self, dtype="f4", limited=False, group="sin", **params):
        import numpy

        self.dtype, self.jax_unimplemented = numpy.dtype(dtype), [1] if limited else []
        self.group_name, self.params = group, params


def agent(python, *arguments):
    env = dict(os.environ, JAX_PLATFORMS="cpu")
    done = subprocess.run(
        [python, BOOT, *arguments], stdout=subprocess.PIPE, env=env, timeout=600, check=False
    )
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def listing(python, suite):
    return agent(python, "list", "--suite", suite, "--framework", "jax")


def test_one_of_a_group_is_the_plain_one():
    first, limited, plain, last = One("i4"), One("f4", limited=True), One("f4"), One("f8")
    assert harness.chosen([first, limited, plain, last], 1) == [plain]
    assert harness.chosen([first, limited, plain, last], 3) == [plain, last, first]
    assert harness.chosen([first, limited, plain, last], "all") == [first, limited, plain, last]


def test_what_is_empty_or_gives_the_values_alone_comes_last():
    empty, plain = One(shape=(0, 5)), One(shape=(3, 5))
    assert harness.chosen([empty, plain], 1) == [plain]
    kinds = [(0, 0, True), (5, 5, False), (1, 1, True), (6, 6, True)]
    eig = [One(group="eig", shape=(n, m), compute_right_eigenvectors=v) for n, m, v in kinds]
    assert harness.chosen(eig, 1) == [eig[3]]


# What is wrong though the moduli and the trace, or the product, are right; and what is as right.
def test_wrong_factors_show_and_another_sign_does_not():
    import numpy as np

    def given(found, parts):
        return [np.round(one, 9) for one in harness.put_together(np, found, matrix, parts)]

    def same(one, other):
        return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))

    matrix = np.random.RandomState(0).randn(4, 4)
    q, r = np.linalg.qr(matrix)
    qr, turn = One(group="qr"), np.diag([1.0, -1, -1, 1])
    right = given(qr, [q, r])
    assert same(right, given(qr, [q @ turn, turn @ r]))
    for wrong in ([q / 2, r * 2], [matrix, np.eye(4)], [q[:, ::-1], r[::-1]]):
        assert not same(right, given(qr, wrong))

    values, vectors = np.linalg.eig(matrix)
    left = np.conj(np.linalg.inv(vectors).T)
    left /= np.linalg.norm(left, axis=-2)
    eig = One(group="eig", compute_left_eigenvectors=True, compute_right_eigenvectors=True)
    right = given(eig, [values, left, vectors])
    order = [2, 0, 3, 1]
    assert same(right, given(eig, [values[order], left[:, order] * -1j, -vectors[:, order]]))
    for wrong in (
        [values * np.exp(1j), left, vectors],
        [values, left, vectors[:, order]],
        [values, left[:, order], vectors],
        [values, vectors, vectors],
        [values, left, vectors / 2],
    ):
        assert not same(right, given(eig, wrong))


def test_dtype_names():
    names = [
        harness.dtype_name(text) for text in ("float32", "bfloat16", "complex64", "uint8", "bool")
    ]
    assert names == ["f32", "bf16", "c64", "u8", "bool"]
    assert harness.dtype_name("int4") is None
    assert harness.dtype_name("key<fry>") is None


def test_the_option_takes_a_number_or_all():
    read = automatic.read_options
    assert read(harness, "harness", "") == {"per_group": 1}
    assert read(harness, "harness", "per_group=all") == {"per_group": "all"}
    assert read(harness, "harness", "per_group=3") == {"per_group": 3}
    for text in ("per_group=0", "per_group=some"):
        with pytest.raises(automatic.SuiteError, match=r"whole number from 1 to \d+, or all"):
            read(harness, "harness", text)


@pytest.mark.framework
def test_one_case_of_every_group(framework_python):
    python = framework_python("jax")
    cases = listing(python, "harness")
    assert len(cases) >= 120
    assert len({item["name"] for item in cases}) == len(cases)
    functions = {item["function"] for item in cases}
    assert {
        "jax.lax.sin",
        "jax.lax.linalg.svd",
        "jax.random.uniform",
        "jax.lax.betainc",
    } <= functions
    assert any(name.endswith("_p") for name in functions)  # a primitive that has no function
    assert listing(python, "harness") == cases


@pytest.mark.framework
def test_all_harnesses_are_cases(framework_python):
    cases = listing(framework_python("jax"), "harness?per_group=all")
    assert len(cases) > 5000
    assert len({item["name"] for item in cases}) == len(cases)
    assert len({item["hash"] for item in cases}) == len(cases)


@pytest.mark.framework
def test_a_harness_runs_and_is_compared(framework_python):
    python = framework_python("jax")
    factors = ["jax.lax.linalg.%s/*" % name for name in ("svd", "eig", "eigh", "qr")]
    for pattern in ("jax.lax.sin/*", "jax.random.split/*", *factors):
        ends = agent(python, "run", "--suite", "harness", "--target", TARGET, "--case", pattern)
        assert [end["outcome"] for end in ends] == ["pass"]
        assert "_0_0_" not in ends[0]["case"]
        if pattern in factors:  # by NumPy, not by JAX in another type
            assert ends[0]["reference"]["kind"] == "analytic"
        evidence = "executed" if "random" in pattern else "verified"
        assert [end["evidence"] for end in ends] == [evidence]


@pytest.mark.framework
def test_what_is_empty_is_executed_not_verified(framework_python):
    ends = agent(
        framework_python("jax"), "run", "--suite", "harness?per_group=all", "--target", TARGET,
        "--case", "jax.lax.linalg.eigh/*float32_0_0_*",
    )  # fmt: skip
    assert [(end["outcome"], end["evidence"]) for end in ends] == [("pass", "executed")] * 2


@pytest.mark.framework
def test_a_known_limitation_stands_beside_the_result_and_excludes_nothing(framework_python):
    ends = agent(
        framework_python("jax"), "run", "--suite", "harness?per_group=all", "--target", TARGET,
        "--case", "jax.lax.scatter_add/*shape_bool_5_*",
    )  # fmt: skip
    assert ends
    assert all("known-limitation" in end["attributes"] for end in ends)
