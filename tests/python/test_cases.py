"""The form of a case: expansion, names, hashes, errors, and speed of listing."""

import json
import sys
import textwrap

import pytest
from agent_client import agent_command
from seamark_agent.harness import body_arguments
from seamark_suites import loader


def suite(tmp_path, text, name="mine.py"):
    path = tmp_path / name
    path.write_text("from seamark_suites.case import case, table\n" + textwrap.dedent(text))
    return str(path)


def names(cases):
    return [item.name for item in cases]


def test_every_combination_is_one_case(tmp_path):
    path = suite(tmp_path, """
        @case("torch.argsort", dtypes="f32 i64", shapes="100 64x33", dim=[-1, 0])
        def argsort(t, dtype, shape, dim): ...
    """)  # fmt: skip
    cases = loader.load([path])
    assert len(cases) == 8
    assert names(cases)[0] == "torch.argsort/argsort[f32,100,dim=-1]"
    assert cases[3].listing()["shape"] == "64x33"
    assert [item.quick for item in cases] == [True] + [False] * 7


def test_core_can_be_some_dtypes_or_none(tmp_path):
    path = suite(tmp_path, """
        @case("torch.a", dtypes="f32 bf16 i64", core="bf16 i64")
        def some(t, dtype): ...

        @case("torch.a", core=False)
        def no_core(t): ...
    """)  # fmt: skip
    assert [item.core for item in loader.load([path])] == [False, True, True, False]
    assert [item.quick for item in loader.load([path])] == [False, True, False, False]


def test_a_name_lets_a_body_run_with_and_without_a_gradient(tmp_path):
    path = suite(tmp_path, """
        @case("torch.a", dtypes="f32", name="forward")
        @case("torch.a", dtypes="f32", grad=True)
        def body(t, dtype): ...
    """)  # fmt: skip
    cases = loader.load([path])
    assert {item.name: item.grad for item in cases} == {
        "torch.a/body[f32]": True,
        "torch.a/forward[f32]": False,
    }
    assert len({item.hash for item in cases}) == 2


def test_quick_cases_are_those_that_the_core_data_names_else_the_first_core_case(tmp_path):
    path = suite(tmp_path, """
        @case("torch.randperm", n=[1, 1000])
        def mine(t, n): ...
    """)  # fmt: skip
    assert [item.quick for item in loader.load([path])] == [True, False]
    both = [item for item in loader.load(["curated", path]) if item.function == "torch.randperm"]
    assert [item.name for item in both if item.quick] == ["torch.randperm/randperm[i64,n=1000]"]


def test_a_body_under_several_headers_knows_its_function(tmp_path):
    path = suite(tmp_path, """
        @case("torch.a", dtypes="f32")
        @case("torch.b", dtypes="f32")
        def body(t, dtype, function): ...
    """)  # fmt: skip
    cases = loader.load([path])
    assert {item.name: item.params["function"] for item in cases} == {
        "torch.a/body[f32]": "torch.a",
        "torch.b/body[f32]": "torch.b",
    }
    assert body_arguments(cases[0], None)["function"] == cases[0].function
    assert len({item.hash for item in cases}) == 2


def test_functions_are_found_wherever_they_stand(tmp_path):
    """A body inside an if has its own source in its hash."""
    text = """
        if True:
            @case("torch.a", dtypes="f32")
            def body(t, dtype):
                return {}
    """
    one, two = (loader.load([suite(tmp_path, text.format(n), "s%d.py" % n)])[0] for n in (1, 2))
    assert "return 1" in one.source and one.hash != two.hash


def test_integers_have_no_gradient(tmp_path):
    path = suite(
        tmp_path,
        """
        table("torch", "sum", dtypes="f32 i64 bool c64", shapes="3", grad=True)
    """,
    )
    assert [item.grad for item in loader.load([path])] == [True, False, False, True]


def test_the_hash_follows_source_and_parameters(tmp_path):
    text = """
        @case("torch.a", dtypes="f32", n=[1])
        def body(t, dtype, n):
            return {}
    """
    first = loader.load([suite(tmp_path, text.format("n"))])[0].hash
    assert loader.load([suite(tmp_path, text.format("n"), "again.py")])[0].hash == first
    assert loader.load([suite(tmp_path, text.format("n + 1"), "other.py")])[0].hash != first
    assert (
        loader.load([suite(tmp_path, text.format("n").replace("[1]", "[2]"), "third.py")])[0].hash
        != first
    )


def test_defects_are_told(tmp_path):
    with pytest.raises(loader.SuiteError, match=r"two cases have the name torch\.a/body"):
        loader.load([suite(tmp_path, """
            @case("torch.a")
            def body(t): ...

            @case("torch.a")
            def body(t): ...
        """)])  # fmt: skip
    with pytest.raises(loader.SuiteError, match="starts with torch"):
        loader.load([suite(tmp_path, 'table("numpy", "sum", shapes="3")', "b.py")])
    with pytest.raises(loader.SuiteError, match="not a shape: '3by4'"):
        loader.load([suite(tmp_path, 'table("torch", "sum", shapes="3by4")', "c.py")])
    with pytest.raises(loader.SuiteError, match="does not load: ZeroDivisionError"):
        loader.load([suite(tmp_path, "1 / 0", "d.py")])
    with pytest.raises(loader.SuiteError, match="no such suite file"):
        loader.load([str(tmp_path / "gone.py")])
    with pytest.raises(loader.SuiteError, match="unknown suite 'currated'"):
        loader.load(["currated"])


@pytest.mark.alone
def test_listing_needs_no_framework_and_is_quick(tmp_path):
    """In an interpreter where no framework can be imported; a case costs little."""
    path = suite(tmp_path, 'table("torch", "%s", dtypes="f32 bf16 f16 f64", shapes="64x33 100 0 scalar")' % " ".join(
        "function%d" % i for i in range(130)))  # fmt: skip
    code = textwrap.dedent("""
        import builtins, os, resource, runpy, sys
        os._exit = sys.exit
        real = builtins.__import__
        def guarded(name, *rest, **options):
            assert name.split(".")[0] not in ("torch", "tensorflow", "jax", "numpy"), name
            return real(name, *rest, **options)
        builtins.__import__ = guarded
        sys.argv = [sys.argv[1]] + sys.argv[2:]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as stop:
            assert not stop.code, stop.code
        use = resource.getrusage(resource.RUSAGE_SELF)
        print("cpu", use.ru_utime + use.ru_stime, file=sys.stderr)
    """)
    import subprocess

    from agent_client import BOOT

    used = []
    for _ in range(3):  # the least: others may want the processor's caches
        done = subprocess.run([sys.executable, "-c", code, str(BOOT), "list", "--suite", path, "--suite", "curated"],
                              capture_output=True, text=True)  # fmt: skip
        assert done.returncode == 0, done.stderr
        listed = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(listed) >= 2000
        used.append(float(done.stderr.split("cpu ")[1]))
    # A tenth of that on a good machine; 0.26 ms were seen on a slow one.
    assert min(used) < 1e-3 * len(listed)


def test_the_curated_suite_is_whole():
    cases = loader.load(["curated"])
    functions = {}
    for item in cases:
        functions.setdefault(item.framework, {}).setdefault(item.function, []).append(item)
    for framework in ("torch", "tensorflow", "jax"):
        assert len(functions[framework]) >= 25, framework
        for name, some in functions[framework].items():
            assert any(item.core for item in some), name
    for item in cases:
        body_arguments(item, None)  # the header gives what the body asks for


def test_list_command_reports_a_bad_suite(tmp_path):
    status, out, err = agent_command(sys.executable, "list", "--suite", str(tmp_path / "no.py"))
    assert status == 2 and not out and "no such suite file" in err
