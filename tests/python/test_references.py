"""Right is what an answer that calls no kernel of the framework says: how many functions have one."""

import ast
import inspect
from pathlib import Path

import pytest
from seamark_suites import loader

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "python" / "seamark_suites"
FLOORS = {
    "torch": 0.9,
    "jax": 0.9,
    "tensorflow": 0.9,
}  # of the functions whose values are compared
NEARLY_ALL = 0.9  # of the cases of one of them
PURE = {"seamark_suites", "numpy", "mpmath", "math", "functools", "itertools"}


def shares(framework):
    """{function: the share of its cases with values to compare whose reference is independent}."""
    cases = {}
    for case in loader.load(["curated"], framework):
        if case.reference != "none" and not case.random and not case.host_only:
            cases.setdefault(case.function, []).append(
                callable(case.reference) or case.reference == "numpy"
            )
    return {function: sum(own) / len(own) for function, own in cases.items()}


@pytest.mark.parametrize("framework", sorted(FLOORS))
def test_functions_have_independent_references(framework):
    found = shares(framework)
    without = sorted((share, function) for function, share in found.items() if share < NEARLY_ALL)
    share = 1 - len(without) / len(found)
    listing = "\n".join("%4.0f%% %s" % (100 * own, function) for own, function in without)
    print(
        "%s: %d of %d functions; of the others so many cases have one:"
        % (framework, len(found) - len(without), len(found))
    )
    print(listing)
    assert share >= FLOORS[framework], listing


@pytest.mark.parametrize("framework", sorted(FLOORS))
def test_draws_come_back(framework):
    """A body that keeps its draw to itself is executed, not verified, whatever it checked."""
    silent = set()
    for case in loader.load(["curated"], framework):
        if case.random is True and case.reference != "none":
            body = ast.parse(inspect.getsource(case.body)).body[0]
            if not isinstance(body.body[-1], ast.Return):
                silent.add(case.name)
    assert not silent


@pytest.mark.parametrize(
    "path",
    sorted(SUITES.rglob("reference*.py")),
    ids=lambda path: str(path.relative_to(SUITES).with_suffix("")),
)
def test_references_import_no_framework(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add(node.module.split(".")[0])
    # SciPy stands beside JAX, whose own special functions are others.
    assert imported <= PURE | ({"scipy"} if path.parent.name == "jax" else set())


def test_gradients_by_differences_are_those_of_formulas():
    np = pytest.importorskip("numpy")
    from seamark_suites.reference import with_gradient

    rng = np.random.default_rng(0)
    x, y = (
        rng.standard_normal((3, 3)),
        rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)),
    )
    w = np.linspace(0.5, 1.5, 9).reshape(3, 3)

    def product(np, x, y):
        return x * y, np.arange(3)  # whole numbers have no gradient

    def inverse(np, x):
        return np.linalg.inv(x)  # of double precision alone

    def inverse_pull(np, w, x):
        inverse = np.linalg.inv(x).conj().T
        return -inverse @ w @ inverse

    result, found = with_gradient(product)(np, x, y)
    assert (result[0] == x * y).all()
    formulas = with_gradient(product, lambda np, w, x, y: (w[0] * y.conj(), w[0] * x))(np, x, y)[1]
    for one, two, exact in zip(found, formulas, ((w * y).real, w * x), strict=True):
        assert abs(one - exact).max() < 1e-12 and (two == exact).all()
    assert len(with_gradient(product, of=(1,))(np, x, y)[1]) == 1
    for z in (x, y):
        one, two = (with_gradient(inverse, pull)(np, z)[1][0] for pull in (None, inverse_pull))
        assert abs(one - two).max() < 1e-9 * abs(two).max()
    assert (with_gradient(product)(np, np.arange(3), np.arange(3))[0] == [0, 1, 4]).all()


def test_gradients_of_affine_functions_are_exact():
    np = pytest.importorskip("numpy")
    from seamark_suites.reference import affine_pull, with_gradient

    x, y = np.arange(1.0, 7.0).reshape(2, 3), np.array([1 + 2j, 3, -1j])
    w = np.linspace(0.5, 1.5, 6).reshape(2, 3)

    def product(np, number, x, y):
        return number + x * y, x[0]

    found = with_gradient(product, affine_pull(product))(np, np.arange(3), x, y)[1]
    assert abs(found[0] - (w * y).real - [[0.5, 1, 1.5], [0, 0, 0]]).max() < 1e-15
    assert abs(found[1] - ((w * x).sum(0))).max() < 1e-14


def test_weights_and_complex_gradients_are_the_frameworks_own():
    np = pytest.importorskip("numpy")
    from seamark_suites.jax import reference as of_jax
    from seamark_suites.reference import with_gradient

    def square(np, z):
        return z * z

    def pull(np, w, z):
        return 2 * w * z.conj()

    z = np.array([1 + 2j, 3 - 1j])
    assert (with_gradient(square, pull)(np, z)[1][0] == [1 - 2j, 9 + 3j]).all()
    for own in (of_jax.with_gradient(square, pull), of_jax.with_gradient(square)):
        assert abs(own(np, z)[1][0] - [1 + 2j, 9 - 3j]).max() < 1e-12
    twice = with_gradient(square, pull, weights=lambda np, array: 2 * np.ones(array.shape))
    assert (twice(np, z)[1][0] == 4 * z.conj()).all()


def test_threefry_is_the_published_one():
    """Test vectors of Random123."""
    from seamark_suites.jax.reference import threefry

    most = 2**32 - 1
    assert threefry((0, 0), (0, 0)) == (0x6B200159, 0x99BA4EFE)
    assert threefry((most, most), (most, most)) == (0x1CB996FC, 0xBB002BE7)
    pi = threefry((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3))
    assert pi == (0xC4923A9C, 0x483DF7A0)
