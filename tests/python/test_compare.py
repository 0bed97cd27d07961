"""Comparison and tolerances."""

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from seamark_agent import compare

CASE = types.SimpleNamespace(rtol={}, atol={})
LOOSE = types.SimpleNamespace(rtol={"c64": 1.0}, atol={})


def check(got, want, dtype="f32", framework="torch", case=CASE):
    report = compare.Report()
    compare.compare_arrays(
        np, "", np.asarray(got), np.asarray(want), dtype, framework, case, report
    )
    return report


def test_equal_values_with_nan_and_inf_pass():
    check([1.0, np.nan, np.inf, -np.inf], [1.0, np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("got", [[0.0], [np.nan], [np.inf], [1.001]])
def test_other_values_fail(got):
    with pytest.raises(compare.Mismatch, match="1 of 1 elements differ"):
        check(got, [1.0])


INF = np.inf


@pytest.mark.parametrize(
    ("got", "want", "dtype"),
    [
        (5.0, INF, "f32"),
        (-INF, INF, "f32"),
        (0.0, -INF, "bf16"),
        (1000.0, INF, "f64"),
        (np.nan, INF, "f16"),
        (INF, 5.0, "f32"),
        (5 + 1j, complex(INF, 1), "c64"),
        (complex(INF, 1), complex(-INF, 1), "c64"),
        (complex(INF, 1), complex(INF, 2), "c64"),
        (complex(0, INF), complex(0, -INF), "c128"),
    ],
)
def test_beside_an_infinity_is_nothing_but_itself(got, want, dtype):
    with pytest.raises(compare.ValuesDiffer, match="1 of 1 elements differ") as raised:
        check([got], [want], dtype)
    assert raised.value.excess == INF
    check([want], [want], dtype)


def test_the_finite_part_of_an_infinite_number_has_its_tolerance():
    check(
        [complex(INF, 1 + 1e-7), complex(2 + 1e-7, -INF)],
        [complex(INF, 1), complex(2, -INF)],
        "c64",
    )


def test_the_message_says_where_and_how_much():
    with pytest.raises(
        compare.Mismatch, match=r"first at \[1, 0\]: 3.5, expected 3.0.*0.5 absolute.*rtol=1.3e-06"
    ):
        check([[1.0, 2.0], [3.5, 4.0]], [[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64"])
def test_a_ulp_is_the_spacing_of_the_dtypes_numbers(dtype):
    kind = {"f16": "float16", "f32": "float32", "f64": "float64"}[dtype]
    most = np.finfo(kind).maxexp - 1
    values = np.ldexp(np.random.default_rng(0).random(1000), np.arange(1000) % (2 * most) - most)
    values = np.append(values, [0.0, 1.0, 2.0 - 2.0**-40])  # the last is 2 in a narrower dtype
    assert (compare.spacing(np, values, dtype) == np.spacing(values.astype(kind))).all()


def test_the_largest_errors_are_kept():
    report = check([1.0 + 2.0**-22, 4.0, np.nan], [1.0, 4.0 - 2.0**-21, np.nan])
    assert (report.max_abs_err, report.max_ulp_err) == (2.0**-21, 2.0)
    assert report.max_rel_err == 2.0**-22
    assert check([1.0078125j], [1.0j], "c64", case=LOOSE).max_ulp_err == 65536.0
    assert check([1.0078125], [1.0], "bf16").max_ulp_err == 1.0
    assert check([0.0], [0.0]).max_ulp_err == 0.0
    assert check([1e-6], [0.0]).max_ulp_err == pytest.approx(1e-6 / 2.0**-149)
    assert check([1, 2], [1, 2], "i64").max_ulp_err is None
    assert compare.spacing(np, np.ones(1), "f8_e4m3fn") is None


@pytest.mark.parametrize(("got", "want"), [(0, -(2**63)), (2**63 - 1, -(2**63)), (-(2**63), 2**63 - 1), (-1, 2**63 - 1)])  # fmt: skip
def test_integers_that_are_far_apart_differ(got, want):
    for shape in ((), (1,)):
        far, right = np.full(shape, got, np.int64), np.full(shape, want, np.int64)
        check(right, right, "i64")
        with pytest.raises(compare.Mismatch, match="differ") as caught:
            check(far, right, "i64")
        assert "greatest difference %.3g" % abs(got - want) in str(caught.value)


def test_integers_are_exact():
    check([1, 2], [1, 2], "i64")
    with pytest.raises(compare.Mismatch):
        check([1, 2], [1, 3], "i64")
    with pytest.raises(compare.Mismatch):
        check([True, False], [True, True], "bool")


def test_shapes_are_compared_before_values():
    with pytest.raises(compare.Mismatch, match=r"shape \(2,\), expected \(2, 1\)"):
        check([1.0, 1.0], [[1.0], [1.0]])


def test_a_case_may_set_its_own_tolerance():
    loose = types.SimpleNamespace(rtol={"f32": 0.1}, atol={})
    check([1.05], [1.0], case=loose)
    with pytest.raises(compare.Mismatch):
        check([1.05], [1.0], "f64", case=loose)


def test_the_least_exact_type_decides():
    assert compare.least_exact("f64", "bf16") == "bf16"
    assert compare.least_exact("i64", "f32") == "f32"
    assert compare.least_exact("i64", None) == "i64"


@given(
    hnp.arrays(
        np.float64, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(allow_nan=True)
    )
)
def test_anything_equals_itself(array):
    check(array, array.copy())


@given(
    hnp.arrays(np.float64, (5,), elements=st.floats(-1e6, 1e6)),
    st.integers(0, 4),
    st.floats(1e-3, 1e3),
)
def test_a_changed_element_is_found(array, index, change):
    changed = array.copy()
    changed[index] += change * max(1.0, abs(changed[index]))
    with pytest.raises(compare.Mismatch):
        check(changed, array)


@pytest.mark.parametrize("arrays,trivial", [
    ([np.zeros(3)], True), ([np.ones(4)], True), ([np.zeros(0)], True), ([np.arange(3)], False),
    ([np.array(2.0)], False), ([np.array(0.0)], True), ([], False), ([np.zeros(3), np.arange(2)], False),
    ([np.array(["a", "a"], object)], False),
])  # fmt: skip
def test_trivial_references(arrays, trivial):
    assert compare.is_trivial(np, arrays) is trivial
