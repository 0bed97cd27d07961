"""What a compiler said is kept from run to run: hits, and everything that must not be one."""

import json
import os
from types import SimpleNamespace

import pytest
from seamark_agent import result_cache
from seamark_agent.result_cache import ResultCache

CASE = SimpleNamespace(name="jax.numpy.sin/sin[f32]", hash="0123456789abcdef")


def answer(outcome="pass", evidence="compiled", message=None):
    failure = message and {"stage": "compile", "type": "XlaError", "message": message}
    return {"outcome": outcome, "evidence": evidence, "reason": None, "failure": failure, "attributes": [],
            "compiled": {"flops": 12.5, "hashes": ["ab"]}, "cpu_s": 1.5, "wall_s": 2.0}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "compiled")


def entries(folder):
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]


def test_an_answer_comes_back_as_it_was_and_is_marked(folder):
    ResultCache(folder, {"v": 1}).store(CASE, answer())
    found = ResultCache(folder, {"v": 1}).load(CASE)
    assert found["attributes"] == ["cache-hit"]
    assert found["compiled"] == answer()["compiled"]
    assert "cpu_s" not in found  # of the run that made it
    (path,) = entries(folder)
    assert path.endswith(".json")


def test_another_identity_or_another_source_of_the_case_is_no_hit(folder):
    cache = ResultCache(folder, {"v": 1})
    cache.store(CASE, answer())
    assert ResultCache(folder, {"v": 2}).load(CASE) is None
    assert cache.load(SimpleNamespace(name=CASE.name, hash="f" * 16)) is None
    assert cache.load(SimpleNamespace(name="jax.numpy.cos/cos[f32]", hash=CASE.hash)) is None


@pytest.mark.parametrize(
    "end",
    [
        answer("error"),
        answer(evidence="executed"),
        answer(evidence="verified"),
        {"outcome": "error", "reason": "x"},
        dict(answer(), compiled={"flops": float("inf")}),
    ],
)
def test_what_is_no_answer_of_a_compiler_is_not_kept(folder, end):
    cache = ResultCache(folder, {})
    cache.store(CASE, end)
    assert cache.load(CASE) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: b"\xff" + data,
        lambda data: b"[" * 100000,
        lambda data: data.replace(b"12.5", b"13.5"),
        lambda data: data.replace(b'"format": 1', b'"format": 2'),
        lambda data: data + b" " * result_cache.MAX_ENTRY,
        lambda data: json.dumps(dict(json.loads(data), key="0" * 64)).encode(),
        lambda data: json.dumps(dict(json.loads(data), confirmed="yes")).encode(),
        lambda data: json.dumps(dict(json.loads(data), end=[])).encode(),
    ],
)
def test_a_damaged_or_foreign_entry_counts_as_absent(folder, damage):
    cache = ResultCache(folder, {})
    cache.store(CASE, answer())
    (path,) = entries(folder)
    with open(path, "rb") as stream:
        data = stream.read()
    assert damage(data) != data
    with open(path, "wb") as stream:
        stream.write(damage(data))
    assert cache.load(CASE) is None
    cache.store(CASE, answer())
    assert cache.load(CASE) is not None


def test_a_link_is_not_followed(folder, tmp_path):
    cache = ResultCache(folder, {})
    cache.store(CASE, answer())
    (path,) = entries(folder)
    os.rename(path, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", path)
    assert cache.load(CASE) is None


def test_a_failure_is_confirmed_by_the_same_one_alone(folder):
    cache = ResultCache(folder, {})
    cache.store(CASE, answer("fail", message="no rule at 0x7f01 after 12 s"))
    assert cache.load(CASE)["attributes"] == ["cache-hit"]
    cache.confirm(CASE, answer("fail", message="no rule at 0x7f99 after 13 s"))
    assert cache.load(CASE)["attributes"] == ["cache-hit", "cache-confirmed"]


@pytest.mark.parametrize("alone", [answer("pass"), answer("fail", message="another")])
def test_another_answer_alone_makes_it_forgotten(folder, alone):
    cache = ResultCache(folder, {})
    cache.store(CASE, answer("fail", message="no rule"))
    cache.confirm(CASE, alone)
    assert cache.load(CASE) is None


def test_the_folder_is_bounded_and_what_was_used_last_stays(folder, monkeypatch):
    monkeypatch.setattr(result_cache, "STORES_BEFORE_PRUNING", 2)
    cache = ResultCache(folder, {}, max_bytes=8000)
    cases = [SimpleNamespace(name="f/c%d" % i, hash="0" * 16) for i in range(40)]
    for number, case in enumerate(cases):
        cache.store(case, answer())
        os.utime(cache._path(case), (number, number))
        if number:
            assert cache.load(cases[0]) is not None  # used all the time
    size = sum(os.path.getsize(path) for path in entries(folder))
    assert size <= 8000 + 2 * os.path.getsize(entries(folder)[0])
    assert cache.load(cases[0]) is not None
    assert cache.load(cases[1]) is None


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ResultCache(str(blocked), {})
    cache.store(CASE, answer())
    assert cache.load(CASE) is None


def test_the_identity_knows_sources_packages_variables_and_the_compiler(tmp_path, monkeypatch):
    suite = tmp_path / "suite.py"
    suite.write_text("one = 1\n")
    hello = {"target": {"name": "jax/tpu-v3+aot"}, "suites": ["curated", str(suite)]}

    def seen(hello=hello, version="1", facts="libtpu 1"):
        return json.dumps(result_cache.identity(hello, version, {"compiler": facts}, None))

    first = seen()
    assert first == seen()
    assert first != seen(version="2")
    assert first != seen(facts="libtpu 2")
    assert first != seen(dict(hello, seed=1))
    monkeypatch.setenv("XLA_FLAGS", "--xla_something")
    assert first != seen()
    monkeypatch.delenv("XLA_FLAGS")
    suite.write_text("one = 2\n")
    assert first != seen()
    site = tmp_path / "site"
    (site / "libtpu-9.dist-info").mkdir(parents=True)
    before = seen()
    monkeypatch.syspath_prepend(str(site))
    assert before != seen()
