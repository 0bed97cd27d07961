"""Suite `harness`: the test harnesses that every JAX wheel carries, run on the target under test.

`jax._src.internal_test_util.test_harnesses` describes some 5,600 uses of JAX's primitives in 132 groups:
a function, and arguments that are drawn. Drawn arguments are this suite's inputs (seeded by the case's
name); the rest is part of the call. All harnesses are cases on every target; what JAX records as a
limitation there is the attribute `known-limitation` beside the result.

`harness?per_group=3` takes more of each group, `harness?per_group=all` takes all; groups are JAX's.
"""

import hashlib

from seamark_agent.attributes import KNOWN_LIMITATION

from seamark_suites.automatic import Option, add_shims, generated, plain_version
from seamark_suites.loader import functions

FRAMEWORKS = ("jax",)
OPTIONS = {"per_group": Option(1, low=1, words=("all",))}
VERSION = 2  # of the body and of what it draws: part of every case's hash

# The public function of a group where it is not jax.lax.GROUP.
FUNCTIONS = {
    "and": "jax.lax.bitwise_and",
    "or": "jax.lax.bitwise_or",
    "xor": "jax.lax.bitwise_xor",
    "regularized_incomplete_beta": "jax.lax.betainc",
    "device_put": "jax.device_put",
    "approx_top_k": "jax.lax.approx_max_k",
    "reduce_window_add": "jax.lax.reduce_window",
    "reduce_window_mul": "jax.lax.reduce_window",
    "reduce_window_max": "jax.lax.reduce_window",
    "reduce_window_min": "jax.lax.reduce_window",
    "random_categorical": "jax.random.categorical",
    "random_uniform": "jax.random.uniform",
    "random_randint": "jax.random.randint",
    "random_gamma": "jax.random.gamma",
    "random_split": "jax.random.split",
}
# Groups of which the same values in a wider type are another question: bits, spacing, draws, labels of
# a type; or JAX refuses it, as the initial value keeps its own. They are compared with plain CPU execution in the same type.
SAME_TYPE = (
    "bitcast_convert_type", "nextafter", "reduce_precision", "random_categorical", "random_uniform",
    "random_randint", "random_gamma", "random_split", "rng_bit_generator", "iota_2x32_shape",
    "convert_element_type", "approx_top_k", "stop_gradient", "population_count",
    "reduce", "reduce_window_mul",
)  # fmt: skip
# Sums of products, iterations and factorizations. JAX's own tests compare two computations in one type;
# here the reference is the same call in f64, so rounding adds up over the length of the sum.
ADDS_UP = {"f16": 1e-2, "bf16": 5e-2, "f32": 1e-4, "c64": 1e-4}
TOLERANCE = dict.fromkeys(("dot_general", "conv_general_dilated", "fft", "cumsum", "cumprod", "cumlogsumexp", "reduce_window_add", "reduce_window_mul", "reduce_sum", "reduce_prod", "reduce", "select_and_scatter_add", "scatter_add", "scatter_mul", "svd", "eig", "eigh", "qr", "lu", "cholesky", "triangular_solve", "tridiagonal_solve", "custom_linear_solve"), ADDS_UP)  # fmt: skip
# Beside a root of lgamma (1 and 2) its terms cancel.
TOLERANCE["lgamma"] = {"f16": 1e-2, "bf16": 5e-2, "f32": 1e-5}
# The results of these leave sign, phase or order open: what the factors must give together is compared, with what
# NumPy's factors give.
FACTORS = ("svd", "eig", "eigh", "qr")


def harness(t, harness_name):
    """One harness at one place."""
    found = named(harness_name)
    drawn = t.np.random.RandomState(seed_of(harness_name))
    args = [moved(t, one) for one in found.dyn_args_maker(drawn)]
    result = t.call(found.dyn_fun, *args)
    if found.group_name in FACTORS:
        parts = [t.host(one) for one in (result if isinstance(result, (list, tuple)) else [result])]
        return put_together(t.np, found, t.host(args[0]), parts)
    return result


def seed_of(name):
    return int(hashlib.sha256(name.encode("utf-8")).hexdigest()[:8], 16)


def moved(t, value):
    """An argument at this place: arrays are inputs, anything else is what the harness gave."""
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return value
    array = t.np.asarray(value)
    name = dtype_name(array.dtype)
    return value if name is None else t.const(array, name)


_SHORT = {"float": "f", "bfloat": "bf", "complex": "c", "int": "i", "uint": "u"}


def dtype_name(dtype):
    """f32 of float32; None for what has no name here (int4, float8, keys)."""
    text = str(dtype)
    if text == "bool":
        return text
    kind = text.rstrip("0123456789")
    bits = text[len(kind) :]
    return (
        _SHORT[kind] + bits if kind in _SHORT and bits in ("8", "16", "32", "64", "128") else None
    )


def put_together(np, found, matrix, parts):
    """A factorization as what its input determines: its values, the matrix or what is left of its equation, and
    what its factors give with themselves (the identity, unit columns, zeros below a diagonal)."""
    if found.group_name == "qr":
        q, r = parts
        return [_adjoint(np, q) @ q, q @ r, np.tril(r, -1)]
    if found.group_name == "eigh":
        vectors, values = sorted(parts, key=lambda one: -one.ndim)
        back = _adjoint(np, vectors)
        return [np.sort(values, axis=-1), back @ vectors, (vectors * values[..., None, :]) @ back]
    values, vectors = parts[0], parts[1:]
    if found.group_name == "svd":
        if not vectors:
            return [values]
        left, right = vectors
        count = values.shape[-1]
        product = (left[..., :, :count] * values[..., None, :]) @ right[..., :count, :]
        return [values, _adjoint(np, left) @ left, right @ _adjoint(np, right), product]
    given = [np.sort(values, axis=-1)]
    if found.params["compute_left_eigenvectors"]:
        left, vectors = _adjoint(np, vectors[0]), vectors[1:]
        given += [left @ matrix - values[..., None] * left, np.linalg.norm(left, axis=-1)]
    if found.params["compute_right_eigenvectors"]:
        right = vectors[0]
        given += [matrix @ right - right * values[..., None, :], np.linalg.norm(right, axis=-2)]
    return given


def factored(np, matrix, harness_name):
    """The reference: what NumPy's factors of the matrix give."""
    found = named(harness_name)
    asked = found.params
    if found.group_name == "qr":
        parts = np.linalg.qr(matrix, "complete" if asked["full_matrices"] else "reduced")
    elif found.group_name == "eigh":
        parts = np.linalg.eigh(matrix)
    elif found.group_name == "svd":
        left, values, right = np.linalg.svd(matrix, full_matrices=asked["full_matrices"])
        parts = (values, left, right) if asked["compute_uv"] else (values,)
    else:
        values, right = np.linalg.eig(matrix)
        left = _adjoint(np, np.linalg.inv(right))
        left = left / np.linalg.norm(left, axis=-2, keepdims=True)
        parts = [values]
        parts += [left] if asked["compute_left_eigenvectors"] else []
        parts += [right] if asked["compute_right_eigenvectors"] else []
    return put_together(np, found, matrix, list(parts))


def _adjoint(np, matrix):
    return np.conj(np.swapaxes(matrix, -1, -2))


# --- the suite -----------------------------------------------------------------------------------

_loaded = {}


def load():
    """JAX's module, imported in the same way on every machine and for every target."""
    if "all" not in _loaded:
        _loaded["all"] = _import_harnesses()
        _loaded["by name"] = {one.fullname: one for one in _loaded["all"]}
    return _loaded["all"]


def _import_harnesses():
    """It asks which device there is, and whether 64-bit types are on, and reads flags: all fixed here."""
    add_shims()
    import jax
    from jax._src import config, test_util

    config.already_configured_with_absl = True  # else it parses the command line
    device = test_util.device_under_test
    test_util.device_under_test = lambda: "cpu"
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        from jax._src.internal_test_util import test_harnesses
    finally:
        jax.config.update("jax_enable_x64", before)
        test_util.device_under_test = device
    return list(test_harnesses.all_harnesses)


def named(name):
    load()
    return _loaded["by name"][name]


def function_of(group):
    """The public function of a group; a primitive without one is jax.lax.GROUP_p."""
    import jax

    if group in FUNCTIONS:
        return FUNCTIONS[group]
    for prefix in ("jax.lax.", "jax.lax.linalg."):
        owner = jax.lax if prefix == "jax.lax." else jax.lax.linalg
        if callable(getattr(owner, group, None)):
            return prefix + group
    return "jax.lax.%s_p" % group


def chosen(harnesses, count):
    """`count` of one group's harnesses: each dtype in turn, f32 first; of a dtype what has no limitation, is not
    empty, and of a factorization what gives all of its factors."""
    if count == "all" or len(harnesses) <= count:
        return list(harnesses)
    by_dtype = {}
    for one in harnesses:
        by_dtype.setdefault(dtype_of(one) or "", []).append(one)
    for found in by_dtype.values():
        found.sort(key=lambda one: (bool(one.jax_unimplemented), _shows_little(one)))
    order = sorted(by_dtype, key=lambda name: (name != "f32", name))
    turns = [by_dtype[name][turn] for turn in range(len(harnesses)) for name in order
             if turn < len(by_dtype[name])]  # fmt: skip
    return turns[:count]


def _shows_little(one):
    """Whether it is empty, or of a factorization a single number or the values alone."""
    shape = one.params.get("shape") or ()
    if one.group_name not in FACTORS:
        return 0 in shape
    asked = [value for key, value in one.params.items() if key.startswith("compute_")]
    return min(shape) < 2 or not all(asked)


def dtype_of(one):
    import numpy

    try:
        return dtype_name(numpy.dtype(one.dtype))
    except TypeError:
        return None


def remarks_of(one):
    """Beside the result: whether JAX itself records a limitation for that kind of device."""

    def remarks(adapter):
        platform = {"cuda": "gpu", "rocm": "gpu"}.get(adapter.platform, adapter.platform)
        known = [item for item in one.jax_unimplemented if item.filter(platform, one.dtype)]
        return [KNOWN_LIMITATION] if known else []

    return remarks


def cases(framework, options):
    import jax

    groups = {}
    for one in load():
        groups.setdefault(one.group_name, []).append(one)
    version = plain_version(jax.__version__)
    held = set(functions("curated", "jax"))
    for group, harnesses in groups.items():
        core = None if function_of(group) in held else chosen(harnesses, 1)[0]
        for one in chosen(harnesses, options["per_group"]):
            yield case_of(one, version, one is core)


def case_of(one, version, core):
    group, dtype = one.group_name, dtype_of(one)
    return generated(
        function_of(group),
        harness,
        {"harness_name": one.fullname},
        [one.fullname],
        [version, VERSION, repr(sorted(TOLERANCE.get(group, {}).items()))],
        dtype=dtype,
        core=core,
        reference=factored if group in FACTORS else "native" if group in SAME_TYPE else None,
        trivial="weak",
        rtol=TOLERANCE.get(group),
        atol=TOLERANCE.get(group),
        remarks=remarks_of(one),
    )
