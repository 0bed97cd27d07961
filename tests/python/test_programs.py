"""A program that fails is explained: the smallest of its calls that fails alone."""

import json

import pytest
from agent_client import agent_command

TARGETS = {
    "torch": {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"},
    "tensorflow": {
        "name": "tensorflow/cpu+xla", "framework": "tensorflow", "adapter": "tensorflow", "device": "cpu",
        "options": {"jit": True},
    },
    "jax": {
        "name": "jax/tpu-v3+aot", "framework": "jax", "adapter": "jax_aot", "device": "tpu",
        "options": {"platform": "tpu", "topology": "v3:2x2"},
    },
}  # fmt: skip
TORCH = """
from seamark_suites.case import case

@case("torch.mine.lstm", dtypes="f32", program=True, name="learns", grad=True)
@case("torch.mine.lstm", dtypes="f32", program=True)
@case("torch.mine.lstm", dtypes="f32", name="no_program")
def recurrent(t, dtype):
    layer = t.construct("torch.nn.LSTM", 4, 5)
    head = t.construct("torch.nn.Linear", 5, 2)
    return t.call(lambda x: head(layer(x.relu() + 1)[0]).softmax(-1), t.randn((3, 2, 4), dtype))

@case("torch.mine.whole", dtypes="f32", program=True)
def only_the_whole(t, dtype):
    def call(x):
        y = (x * 2).exp()
        if t.place == "target":
            raise RuntimeError("not there")
        return y
    return t.call(call, t.randn((3,), dtype))

@case("torch.mine.right", dtypes="f32", program=True)
def right(t, dtype):
    return t.call(lambda x: (x * 2).exp(), t.randn((3,), dtype))

@case("torch.mine.wrong", dtypes="f32", program=True, reference=lambda np, x: x + 7)
def against_its_reference(t, dtype):
    return t.call(lambda x: (x * 2).exp(), t.randn((3,), dtype))
"""
TENSORFLOW = """
from seamark_suites.case import case

@case("tf.mine.boxes", dtypes="f32", program=True)
def boxes_in_a_loop(t, dtype):
    tf = t.fw

    def call(images, boxes):
        def drawn(i, x):
            return i + 1, tf.image.draw_bounding_boxes(tf.nn.relu(x) * 2, boxes, [[1.0, 0.0, 0.0]])
        return tf.while_loop(lambda i, x: i < 2, drawn, [0, images])[1]

    boxes = t.const([[[0.1, 0.2, 0.5, 0.9]]], dtype)
    return t.call(call, t.uniform((1, 8, 8, 3), dtype), boxes)
"""
JAX = """
from seamark_suites.case import case

@case("jax.mine.eigenvalues", dtypes="f32", program=True)
def within_a_loop(t, dtype):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def call(x):
        def step(carried, _):
            found = jnp.abs(jnp.linalg.eigvals(carried)).sum()
            return jnp.sin(carried) / (1 + found), found
        return jax.lax.scan(step, x + x.T, None, length=3)[1]

    return t.call(call, t.randn((3, 3), dtype))
"""


def run(python, framework, text, tmp_path):
    """{case: its end}."""
    suite = tmp_path / "mine.py"
    suite.write_text(text)
    _, out, err = agent_command(
        python,
        "run",
        "--suite",
        str(suite),
        "--target",
        json.dumps(TARGETS[framework]),
        timeout=300,
    )
    ends = {end["case"]: end for end in map(json.loads, out.splitlines())}
    assert ends, err[-2000:]
    return ends


@pytest.mark.framework
def test_a_pytorch_program_names_its_function(framework_python, tmp_path):
    ends = run(framework_python("torch"), "torch", TORCH, tmp_path)
    for name in ("recurrent", "learns"):
        failure = ends["torch.mine.lstm/%s[f32]" % name]["failure"]
        assert failure["failing_call"].startswith(
            "torch.lstm(f32[3,2,4], (f32[1,2,5], f32[1,2,5]), "
        )
        assert "not a lazy tensor" in failure["failing_call"]
        assert "\n" not in failure["failing_call"]
    assert ends["torch.mine.lstm/no_program[f32]"]["failure"]["failing_call"] is None
    whole = ends["torch.mine.whole/only_the_whole[f32]"]["failure"]
    assert whole["failing_call"] == "none of its 2 different calls fails alone"
    assert ends["torch.mine.right/right[f32]"]["outcome"] == "pass"
    wrong = ends["torch.mine.wrong/against_its_reference[f32]"]["failure"]
    assert wrong["failing_call"] == "none of its 2 different calls fails alone"


@pytest.mark.framework
def test_a_tensorflow_program_names_its_operation(framework_python, tmp_path):
    (end,) = run(framework_python("tensorflow"), "tensorflow", TENSORFLOW, tmp_path).values()
    said = end["failure"]["failing_call"]
    assert said.startswith(
        "tf.raw_ops.DrawBoundingBoxesV2(images=f32[1,8,8,3], boxes=f32[1,1,4], "
    ), said


@pytest.mark.framework
def test_a_jax_program_is_opened_down_to_a_primitive(framework_python, tmp_path):
    (end,) = run(framework_python("jax"), "jax", JAX, tmp_path).values()
    said = end["failure"]["failing_call"]
    assert said.startswith("jax.lax.eig(f32[3,3]): "), said
