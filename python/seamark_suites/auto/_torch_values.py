"""Objects of PyTorch that arguments of the generated suite need: `["value", NAME, ...]` in its data.

Each builder gets the handle, the tested dtype and the rest of the recipe. What it makes is the same every time:
weights are filled from the case's seed, and a group of processes is one process, without a network.
"""

from seamark_suites.auto import _torch_groups, _torch_programs, _torch_quantized

VALUES = dict(_torch_programs.VALUES, **_torch_groups.VALUES, **_torch_quantized.VALUES)


def build(t, dtype, name, rest):
    """The value of that name; an unknown one is an error of the data."""
    maker = VALUES.get(name)
    if maker is None:
        raise ValueError("there is no value %r of PyTorch" % name)
    return maker(t, dtype, *rest)
