"""What is read from the text of compiled programs: trips, cycles, risks."""

import pytest
from seamark_agent.adapters import hlo_text

LOOP = """HloModule jit_f, entry_computation_layout={(f32[8]{0:T(256)})->f32[8]{0}}

%%inner (p.1: (s32[], f32[8], s32[])) -> (s32[], f32[8], s32[]) {
  %%p.1 = (s32[]{:T(256)}, f32[8]{0}, /*index=2*/s32[]) parameter(0)
  %%i.1 = s32[] get-tuple-element(%%p.1), index=0
  %%n.1 = s32[] get-tuple-element(%%p.1), index=2
  %%one.1 = s32[] constant(%(step)s)
  %%i.2 = s32[] %(change)s(%%i.1, %%one.1)
  %%x.1 = f32[8]{0} get-tuple-element(%%p.1), index=1
  %%x.2 = f32[8]{0} sine(%%x.1), backend_config={"window_config":{"estimated_cycles":"100"}}
  ROOT %%t.1 = (s32[], f32[8], s32[]) tuple(%%i.2, %%x.2, %%n.1)
}

%%more (p.2: (s32[], f32[8], s32[])) -> pred[] {
  %%p.2 = (s32[], f32[8], s32[]) parameter(0)
  %%i.3 = s32[] get-tuple-element(%%p.2), index=0
  %%n.2 = s32[] get-tuple-element(%%p.2), index=2
  ROOT %%c.1 = pred[] compare(%%i.3, %%n.2), direction=%(direction)s
}

ENTRY %%main (x: f32[8]) -> f32[8] {
  %%x = f32[8]{0} parameter(0)
  %%begin = s32[] constant(%(begin)s)
  %%b.1 = s32[] copy(%%begin)
  %%limit = s32[] %(limit)s
  %%t.2 = (s32[], f32[8], s32[]) tuple(%%b.1, %%x, %%limit)
  %%w = (s32[], f32[8], s32[]) while(%%t.2), condition=%%more, body=%%inner%(config)s
  ROOT %%r = f32[8]{0} get-tuple-element(%%w), index=1
}
"""


def loop(begin=0, limit="constant(7)", step=1, change="add", direction="LT", config=""):
    return hlo_text.Cycles(hlo_text.Program(LOOP % locals()))


@pytest.mark.parametrize(
    ("facts", "trips"),
    [
        ({}, 7),
        ({"begin": 3}, 4),
        ({"begin": 9}, 0),
        ({"step": 3}, 3),
        ({"direction": "LE"}, 8),
        ({"direction": "NE"}, 7),
        ({"begin": 7, "limit": "constant(0)", "direction": "GT", "step": -1}, 7),
        ({"begin": 7, "limit": "constant(0)", "direction": "GE", "change": "subtract"}, 8),
        ({"config": ', backend_config={"known_trip_count":{"n":"12"}}'}, 12),
    ],
)
def test_trips_are_read_from_the_counter(facts, trips):
    cycles = loop(**facts)
    assert (cycles.cycles or 0) == 100 * trips
    assert cycles.loops == 1
    assert cycles.exact is (True if trips else None)


@pytest.mark.parametrize(
    "facts",
    [
        {"limit": "parameter(1)"},
        {"change": "multiply"},
        {"direction": "GT"},
        {"direction": "NE", "step": 2},
        {"step": 0},
    ],
)
def test_a_loop_whose_trips_are_not_told_counts_once_and_says_so(facts):
    cycles = loop(**facts)
    assert cycles.cycles == 100
    assert cycles.exact is False


def test_the_dearest_branch_counts_and_makes_it_a_bound():
    text = """ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %i = s32[] constant(1)
  ROOT %c = f32[8]{0} conditional(%i, %x, %x), branch_computations={%a, %b}
}

%a (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %s = f32[8]{0} sine(%p), backend_config={"estimated_cycles":"30"}
}

%b (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %s = f32[8]{0} sine(%p), backend_config={"estimated_cycles":"40"}
}
"""
    cycles = hlo_text.Cycles(hlo_text.Program(text))
    assert (cycles.cycles, cycles.exact) == (40, False)


def test_a_program_without_estimates_has_none():
    text = """ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  ROOT %s = f32[8]{0} sine(%x)
}
"""
    cycles = hlo_text.Cycles(hlo_text.Program(text))
    assert (cycles.cycles, cycles.exact) == (None, None)


@pytest.mark.parametrize(
    "text", ["", "no program", "ENTRY %m () -> f32[] {\n %x = (((\n}", "%a = "]
)
def test_text_that_is_no_program_gives_nothing(text):
    program = hlo_text.Program(text)
    assert hlo_text.Cycles(program).cycles is None
    assert hlo_text.risks(program, text, "tpu") == []


def lowered(*types):
    inside = ", ".join("%%arg%d: tensor<4x%s>" % (i, name) for i, name in enumerate(types))
    return "func.func public @main(%s) -> (tensor<4xf32>) {\n}" % inside


def compiled(*types):
    given = ", ".join("%s[4]{0:T(256)}" % name for name in types)
    lines = ["  %%p.%d = %s[4]{0} parameter(%d)" % (i, t, i) for i, t in enumerate(types)]
    return hlo_text.Program(
        "HloModule m, entry_computation_layout={(%s)->f32[4]{0}}\n\nENTRY %%m (a: f32[4]) -> f32[4] {\n%s\n}\n"
        % (given, "\n".join(lines))
    )


@pytest.mark.parametrize(
    ("asked", "given"), [("f64", "f32"), ("i64", "s32"), ("ui64", "u32"), ("complex<f64>", "c64")]
)
def test_an_argument_that_became_narrower_is_a_risk_with_its_instruction(asked, given):
    (risk,) = hlo_text.risks(compiled("f32", given), lowered("f32", asked), "tpu")
    assert risk["kind"] == "type"
    assert risk["instruction"] == "%%p.1 = %s[4]{0} parameter(1)" % given
    assert risk["note"].endswith("is compiled as " + given)


def test_arguments_that_kept_their_types_are_no_risk():
    types = ("f32", "i64", "complex<f64>", "i1", "bf16")
    program = compiled("f32", "s64", "c128", "pred", "bf16")
    assert hlo_text.arguments(lowered(*types)) == hlo_text.parameters(program)
    assert hlo_text.risks(program, lowered(*types), "tpu") == []


# As jax 0.10.2 prints it for an H100: a product that Triton makes, and one that cuBLAS makes.
PRODUCTS = """HloModule jit_f, entry_computation_layout={(f32[64,33]{1,0}, f32[33,16]{1,0})->f32[64,16]{1,0}}

%%gemm_computation (p.0: %(dtype)s[64,33], p.1: %(dtype)s[33,16]) -> f32[64,16] {
  %%p.0 = %(dtype)s[64,33]{1,0} parameter(0)
  %%p.1 = %(dtype)s[33,16]{1,0} parameter(1)
  ROOT %%dot.0 = f32[64,16]{1,0} dot(%%p.0, %%p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}%(asked)s
}

%%loop_computation (p.2: f32[64,33], p.3: f32[33,16]) -> f32[64,16] {
  %%p.2 = f32[64,33]{1,0} parameter(0)
  %%p.3 = f32[33,16]{1,0} parameter(1)
  ROOT %%dot.1 = f32[64,16]{1,0} dot(%%p.2, %%p.3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY %%main (a: %(dtype)s[64,33], b: %(dtype)s[33,16]) -> f32[64,16] {
  %%a = %(dtype)s[64,33]{1,0} parameter(0)
  %%b = %(dtype)s[33,16]{1,0} parameter(1)
  ROOT %%made = %(call)s
}
"""
TRITON = (
    "f32[64,16]{1,0} fusion(%a, %b), kind=kCustom, calls=%gemm_computation, backend_config={"
    '"fusion_backend_config":{"kind":"__triton_nested_gemm_fusion"}}'
)
LOOPED = "f32[64,16]{1,0} fusion(%a, %b), kind=kLoop, calls=%loop_computation"
CUBLAS = (
    "(f32[64,16]{1,0}, s8[4194304]{0}) custom-call(%%a, %%b), "
    'custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{'
    '"precision_config":{"operand_precision":["%s","%s"],"algorithm":"ALG_UNSET"}}}'
)
ASKED_DEFAULT = (
    "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]"
    " : (tensor<64x33xf32>, tensor<33x16xf32>) -> tensor<64x16xf32>\n"
)


@pytest.mark.parametrize(
    ("call", "asked", "dtype", "shown"),
    [
        (TRITON, "", "f32", "dot("),
        (CUBLAS % ("DEFAULT", "DEFAULT"), "", "f32", "custom-call("),
        (TRITON, ", operand_precision={highest,highest}", "f32", None),
        (TRITON, ", algorithm=dot_f32_f32_f32", "f32", None),
        (TRITON, "", "bf16", None),  # no more precise than it was asked for
        (LOOPED, "", "f32", None),  # no tensor core
        (CUBLAS % ("HIGHEST", "HIGHEST"), "", "f32", None),
    ],
)
def test_a_gpu_multiplies_f32_in_tf32_where_nothing_else_is_asked(call, asked, dtype, shown):
    program = hlo_text.Program(PRODUCTS % {"call": call, "asked": asked, "dtype": dtype})
    found = hlo_text.risks(program, ASKED_DEFAULT, "cuda")
    if shown is None:
        assert found == []
        return
    (risk,) = found
    assert (risk["kind"], risk["count"]) == ("float-precision", 1)
    assert "TF32" in risk["note"]
    assert shown in risk["instruction"]
