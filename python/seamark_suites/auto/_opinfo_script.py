"""Standalone reproducers of `opinfo`: PyTorch, NumPy where its test modules want it, nothing of Seamark."""

import inspect

from seamark_suites.auto import _opinfo_samples as samples

_HEAD = '''"""%(name)s on %(target)s: PyTorch's own sample, which a few lines cannot show."""

import sys
import types
import unittest

import numpy as np

# PyTorch's test modules import it and use none of it here.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))

%(setup)s

%(samples)s

'''

_OP = """if __name__ == "__main__":
    ops, _ = import_databases(torch)
    op = next(one for one in ops if (one.name, one.variant_test_name) == (%(op)r, %(variant)r))
    dtype = getattr(torch, NAMES[%(made)r])
    found = op_samples(torch, op, dtype, %(grad)r, %(draw)d, %(sample)d + 1, %(way)r)
    chosen = found[%(sample)d]
    given = (chosen.input, chosen.args, chosen.kwargs)
    torch.manual_seed(%(seed)d & 0x7FFFFFFF)
    value, args, kwargs = moved(torch, given, DEVICE, %(made)r, %(made)r)
    print(run_call(processed(op, chosen, %(way)r), (value, *args), kwargs, %(grad)r))
"""

_MODULE = """if __name__ == "__main__":
    _, modules = import_databases(torch)
    info = next(one for one in modules if one.name == %(module)r)
    dtype = getattr(torch, NAMES[%(made)r])
    found = module_samples(torch, info, dtype, %(training)r, %(grad)r, %(draw)d, %(sample)d + 1)
    chosen = found[%(sample)d]
    built = built_module(torch, info, chosen, %(made)r, %(made)r, %(training)r, DEVICE)
    given = (chosen.forward_input.args, chosen.forward_input.kwargs)
    args, kwargs = moved(torch, given, DEVICE, %(made)r, %(made)r)
    if %(grad)r:
        print(run_call(with_parameters(built), (list(built.parameters()), *args), kwargs, True))
    else:
        print(run_call(built, args, kwargs, False))
"""


def of_op(case, adapter, draw, seed):
    return _head(case, adapter) + _OP % dict(case.params, draw=draw, seed=seed)


def of_module(case, adapter, draw, seed):
    return _head(case, adapter) + _MODULE % dict(case.params, draw=draw, seed=seed)


def _head(case, adapter):
    text = inspect.getsource(samples).split('"""', 2)[2].strip()
    return _HEAD % {
        "name": case.name,
        "target": adapter.name,
        "setup": adapter.script_setup().strip() + "\n",
        "samples": text.replace("\nimport importlib\n", "\n"),
    }
