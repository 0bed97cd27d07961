"""The Python API: what its tables hold against what the executable and SQLite say of the same store."""

import csv
import io
import json
import math
import struct
import sys
import time
from datetime import UTC, datetime

import pytest
from made_stores import FAILURES, FUNCTIONS, attempt_rows, query, seamark

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

from seamark.columns import TABLES  # noqa: E402
from seamark.frames import from_json_lines  # noqa: E402

import seamark as api  # noqa: E402

pytestmark = pytest.mark.usefixtures("same_executable")


# --- attempts


def test_attempts_are_the_export(real, real_store):
    lines = seamark("export", "--store", real_store, "--format", "jsonl", "-o", "-").splitlines()
    expected = [json.loads(line) for line in lines]
    table = real.attempts(arrow=True)
    assert table.num_rows == len(expected) > 12
    for row, raw in zip(table.to_pylist(), expected, strict=True):
        for of_run in ("run_state", "run_started_us", "run_ended_us"):  # runs() has these
            raw.pop(of_run)
        moment = datetime.fromtimestamp(0, UTC) + pd.Timedelta(microseconds=raw.pop("started_us"))
        assert row.pop("started") == moment
        assert row == raw
    outcomes = set(table.column("outcome").to_pylist())
    assert {"pass", "fail", "crash"} <= outcomes


def test_types_of_pandas(real):
    frame = real.attempts()
    kinds = frame.dtypes.astype(str)
    assert kinds["attempt"] == kinds["warm_n"] == "int64"
    assert kinds["core"] == "bool"
    assert kinds["fallback"] == "boolean"
    assert kinds["cold_s"] == kinds["wall_s"] == "float64"
    assert kinds["started"] == "datetime64[us, UTC]"
    assert kinds["message"] == kinds["dtype"] == "string"
    assert frame["message"].isna().sum() == (frame["outcome"] == "pass").sum()
    # A count that may be null stays a count.
    sample = real.environments()
    assert str(sample["packages"].dtype) == "Int64"


def test_what_a_column_means_goes_with_it(real):
    table = real.attempts(arrow=True)
    meta = table.schema.field("cold_s").metadata
    assert meta[b"unit"] == b"s"
    assert b"cold_reason" in meta[b"null"]
    frame = real.attempts()
    assert frame.attrs["columns"]["cold_s"]["unit"] == "s"
    assert frame.attrs["table"] == "attempts"
    # It survives a step, is copied for nothing, and can be written.
    kept = frame[frame.outcome == "pass"].attrs["columns"]
    assert kept is frame.attrs["columns"]
    frame.to_parquet(io.BytesIO())


def test_choices_of_attempts(real, made, made_store):
    one = real.attempts(function="selftest.math.fsum", target="selftest/other")
    assert set(one.function) == {"selftest.math.fsum"}
    assert set(one.target) == {"selftest/other"}
    assert set(made.attempts(target="torch/cu*").target) == {"torch/cuda-t4"}
    narrow = api.open(made_store, targets=["torch/cpu", "torch/tpu-*"])
    assert set(narrow.attempts().target) == {"torch/cpu", "torch/tpu-v3+aot"}
    assert set(narrow.verdicts().target) == {"torch/cpu", "torch/tpu-v3+aot"}


def test_a_hundred_thousand_attempts_take_no_python_per_row():
    """The lines of an export go to Arrow as they are."""
    line = (json.dumps({**next(attempt_rows()), "message": "x" * 200}) + "\n").encode()
    began = time.process_time()
    table = from_json_lines("attempts", TABLES["attempts"].columns, line * 100_000)
    spent = time.process_time() - began
    assert table.num_rows == 100_000
    # json.loads alone would take 0.6 s and the rows as much again; threads of Arrow count too.
    assert spent < 5


# --- the report's tables


def test_verdicts_are_those_of_the_report(made, made_store):
    rows = list(
        csv.DictReader(
            io.StringIO(seamark("report", "--store", made_store, "--format", "csv"), newline="")
        )
    )
    frame = made.verdicts()
    assert len(frame) == len(rows) == 3 * len(FUNCTIONS)
    found = frame.set_index(["function", "target"])
    for row in rows:
        own = found.loc[(row["function"], row["target"])]
        for key in ("verdict", "evidence", "category", "warm_ratio_reason", "baseline"):
            assert (row[key] or None) == (None if pd.isna(own[key]) else own[key])
        for key in ("warm_s", "warm_ratio"):
            assert own[key] == pytest.approx(float(row[key]) if row[key] else math.nan, nan_ok=True)
        assert own["core_cases"] == int(row["core_cases"])
        assert bool(own["compiled_only"]) == (row["compiled_only"] == "1")
    failed = frame[frame.verdict == "fail"]
    assert set(zip(failed.function, failed.target, strict=True)) == set(FAILURES)
    assert dict(zip(failed.function, failed.category, strict=True))["torch.ormqr"] == "type"


def test_rates_and_counts(made):
    rates = made.rates().set_index(["target", "of", "rate"])
    one = rates.loc[("torch/cuda-t4", "functions", "runs")]
    assert (one["count"], one["total"]) == (4, 6)
    # Wilson's interval, from its formula.
    p, n, z = 4 / 6, 6, 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert (one["low"], one["high"]) == pytest.approx((middle - half, middle + half))
    without = rates.loc[("torch/cuda-t4", "functions-with-device-work", "runs")]
    assert without["total"] == 5
    compiled = rates.loc[("torch/tpu-v3+aot", "functions", "runs-on-device")]
    assert math.isnan(compiled["value"])
    assert compiled["value_reason"]
    counts = made.counts().set_index(["target", "of", "outcome"])["count"]
    assert counts[("torch/cuda-t4", "functions", "fail")] == 2
    assert counts[("torch/cuda-t4", "cases", "pass")] == 4
    targets = made.targets().set_index("target")
    assert targets.loc["torch/cuda-t4", "fail"] == 2
    assert targets.loc["torch/tpu-v3+aot", "evidence_compiled"] == 5
    assert targets.loc["torch/tpu-v3+aot", "evidence_verified"] == 0
    assert targets.loc["torch/cuda-t4", "device_name"] == "Tesla T4"


def test_ratios_are_target_over_baseline(made, real):
    frame = made.ratios()
    assert len(frame) == 4
    assert set(frame.target) == {"torch/cuda-t4"}
    assert frame.ratio.tolist() == pytest.approx([30.0] * 4)
    assert (frame.ratio == frame.target_s / frame.baseline_s).all()
    assert frame.slow.all()
    assert (frame.low.isna() == frame.interval_reason.notna()).all()
    own = real.ratios()
    assert set(own.kind) == {"warm", "cold-op"}
    assert own.ratio.to_list() == pytest.approx((own.target_s / own.baseline_s).to_list())


def test_other_factor_and_baseline(made_store):
    assert not api.open(made_store, slow_factor=100).ratios().slow.any()
    turned = api.open(made_store, baseline="torch/cuda-t4").ratios(target="torch/cpu")
    assert turned.ratio.tolist() == pytest.approx([1 / 30] * 4)


def test_estimates_declared_categories(made):
    estimates = made.estimates()
    assert len(estimates) == 5
    assert estimates.cycles_s.tolist() == pytest.approx([1880 / 940e6] * 5)
    assert set(estimates.device) == {"tpu-v3"}
    (declared,) = made.declared(arrow=True).to_pylist()
    assert declared["state"] == "partial"
    assert declared["operators"] == "aten::sort, aten::argsort"
    categories = made.categories()
    found = zip(categories.target, categories.category, strict=True)
    assert {("torch/cuda-t4", "type"), ("torch/cuda-t4", "memory")} <= set(found)


def test_cases_have_what_the_framework_said(made):
    frame = made.cases(function="torch.diag", target="torch/tpu-v3+aot")
    (message,) = frame.message
    assert message == FAILURES[("torch.diag", "torch/tpu-v3+aot")]


def test_changes_are_those_of_compare(made, made_store, real_store, copy):
    sides = ("torch/cpu", "torch/cuda-t4")
    text = seamark("compare", "--store", made_store, *sides, "--format", "json", check=1)
    document = json.loads(text)
    expected = [one for pair in document["pairs"] for one in pair["changes"]]
    rows = made.changes(*sides, arrow=True).to_pylist()
    assert len(rows) == len(expected) >= 6
    for row, one in zip(rows, expected, strict=True):
        ratio = one.pop("ratio")
        assert {key: row[key] for key in one} == one
        assert row["ratio"] == (ratio and ratio["value"])
    frame = made.changes(*sides)
    assert frame.finding.sum() == document["findings"]
    assert "Tesla T4" in frame.attrs["drift"]
    assert str(frame.before_n.dtype) == "Int64"
    # Another store against this one.
    worse = api.open(copy(("UPDATE attempts SET outcome = 3, failed = 1 WHERE id = 1",)))
    changed = worse.changes(made_store)
    assert "new-failure" in set(changed.kind)
    assert made.changes(made_store).empty
    assert not made.changes(*sides, fail_on="none").finding.any()
    with pytest.raises(api.Error, match="no target in common"):
        made.changes(real_store)
    with pytest.raises(api.Error, match=r"there is no file './--help'"):
        made.changes("--help")
    with pytest.raises(api.Error, match="published study"):
        made.changes("grand-illusion")


def test_a_store_that_changes_is_read_again(copy, tmp_path):
    path = copy()
    store = api.open(path)
    assert set(store.targets().target) == {"torch/cpu", "torch/cuda-t4", "torch/tpu-v3+aot"}
    more = tmp_path / "more.jsonl"
    later = {**next(attempt_rows()), "run": "later", "started_us": 1_795_999_000_000_000}
    more.write_text(json.dumps(later) + "\n")
    seamark("--no-config", "import", more, "--store", path)
    assert set(store.targets().target) == {"torch/cpu"}
    assert len(api.open(path, run="made").targets()) == 3
    assert len(api.open(path, run="all").targets()) == 3
    assert store.runs().run.tolist() == ["later", "made"]
    assert store.runs().attempted.tolist() == [1, 18]


# --- from the file itself


def test_samples_are_what_the_store_keeps(real, real_store):
    frame = real.samples()
    warm = frame[frame.kind == "warm"]
    blobs = query(real_store, "SELECT n, seconds FROM time_samples ORDER BY attempt_id, position")
    expected = [x for n, blob in blobs for x in struct.unpack("<%dd" % n, blob)]
    assert sorted(warm.seconds) == sorted(expected)
    assert len(expected) > 100
    # Of an attempt with one operation the median is the export's.
    key = ["run", "target", "case", "case_hash", "attempt"]
    timed = real.attempts().set_index(key)
    medians = warm.groupby(key, observed=True).seconds.median()
    assert len(medians) == len(blobs)
    for place, median in medians.items():
        assert timed.loc[place, "warm_median_s"] == pytest.approx(median)
        assert timed.loc[place, "warm_n"] == (warm.set_index(key).index == place).sum()
    first = warm[warm.attempt == warm.attempt.iloc[0]].iloc[0]
    assert first["sample"] == 0
    cold = frame[frame.kind == "cold"]
    assert len(cold) == len(real.operations().dropna(subset="cold_s"))
    only = real.samples(function="selftest.math.fsum", target="selftest/cpu")
    assert set(only.target) == {"selftest/cpu"}
    assert len(only) < len(frame)


def test_operations(real, real_store):
    frame = real.operations()
    (rows,) = query(real_store, "SELECT count(*), sum(inner_calls) FROM operations")
    assert (len(frame), frame.inner_calls.sum()) == rows
    assert frame.warm_n.sum() == query(real_store, "SELECT sum(n) FROM time_samples")[0][0]


def test_details_and_the_catalogue(real, real_store, made):
    crashed = real.details(function="selftest.os.abort")
    died = query(
        real_store,
        "SELECT count(*) FROM attempts a JOIN cases c ON c.id = a.case_id "
        "WHERE c.name LIKE 'selftest.os.abort/%' AND a.wait_status IS NOT NULL",
    )
    assert crashed.wait_status.notna().sum() == died[0][0] > 0
    assert str(crashed.wait_status.dtype) == "Int64"
    failed = real.details(function="selftest.math.sqrt")
    assert failed.traceback.str.contains("math domain error").any()
    compiled = made.details(target="torch/tpu-v3+aot")
    assert {json.loads(text)["flops"] for text in compiled.compiled} == {1e6}
    catalogue = made.catalogue().set_index("function")
    assert catalogue.loc["torch.range", "signature_reason"] == "built in"
    assert json.loads(catalogue.loc["torch.argsort", "aliases"]) == ["torch.Tensor.argsort"]
    with pytest.raises(api.Error, match="no catalogue"):
        real.catalogue()


def test_runs_events_and_environments(real, real_store):
    (run,) = real.runs(arrow=True).to_pylist()
    ((uuid, started, wall),) = query(real_store, "SELECT uuid, started_us, wall_s FROM runs")
    assert (run["run"], run["wall_s"]) == (uuid, wall)
    assert run["started"].timestamp() == pytest.approx(started / 1e6, abs=1e-6)
    assert (run["state"], run["planned"], run["attempted"]) == ("finished", 8, 8)
    events = real.events()
    assert len(events) == query(real_store, "SELECT count(*) FROM events")[0][0]
    assert "worker-started" in set(events.kind)
    assert set(events.target.dropna()) == {"selftest/cpu", "selftest/other"}
    environments = real.environments()
    lock = json.loads(environments.lock[0])
    assert environments.target.tolist() == ["selftest/cpu", "selftest/other"]
    assert environments.python.tolist() == [lock["python"]] * 2
    assert environments.packages.tolist() == [len(lock["packages"])] * 2


def test_usage_and_samples_of_functions(made):
    usage = made.usage().set_index("function")
    assert usage.loc["torch.sum", ["calls", "references"]].tolist() == [8, 1]
    assert made.usage("own").attrs["corpus"] == "own"
    sample = made.sample()
    assert sample["function"].tolist()[:2] == ["torch.argsort", "torch.sum"]
    assert sample.inclusion.between(0, 1).all()
    assert made.sample("mine").equals(sample)
    estimates = made.sample_estimates().set_index(["target", "share"])
    one = estimates.loc[("torch/cuda-t4", "functions-fail")]
    assert one["value"] == pytest.approx(1 / 3)
    assert (one["drawn"], one["failed"]) == (6, 2)


# --- tables, figures, a published study


def test_cells_are_the_csv():
    text = seamark("report", "--store", "grand-illusion", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    cells = api.open("grand-illusion").cells()
    assert len(cells) == len(rows) > 3000
    for own, row in zip(cells.itertuples(), rows, strict=True):
        assert (own.exhibit, own.row, own.column) == (
            row["exhibit"],
            int(row["row"]),
            row["column"],
        )
        assert own.unit == row["unit"]
        for key in ("value", "low", "high", "printed"):
            expected = float(row[key]) if row[key] else math.nan
            assert getattr(own, key) == pytest.approx(expected, rel=1e-8, nan_ok=True)


def test_one_table_wide():
    study = api.open("grand-illusion")
    one = study.exhibit("table-1").set_index("framework").loc["PyTorch"]
    assert one["tpu-v3-8_pass_percent"] == pytest.approx(56.25)
    assert one["tpu-v3-8_pass_percent_printed"] == 57
    assert 44 < one["tpu-v3-8_pass_percent_low"] < 44.1
    counts = study.exhibit("table-8")
    assert str(counts["t4_pass"].dtype) == "int64"
    ratios = study.exhibit("table-5")
    assert len(ratios) == 43
    assert ratios.attrs["title"].startswith("PyTorch: latency")
    assert "published means" in ratios.attrs["notes"]
    assert ratios.attrs["columns"]["t4_s"]["unit"] == "s"
    parts = study.exhibit("figure-5")
    null = parts.partial_percent.isna()
    assert null.any()
    assert parts.partial_percent_reason.notna().equals(null)
    assert study.exhibit("figure-4").empty
    with pytest.raises(api.Error, match="cells"):
        study.exhibit("table-*")


def test_contents_and_options(made):
    contents = made.exhibits().set_index("exhibit")
    assert contents.loc["table-1", "rows"] == 1
    assert contents.drawn.sum() == 10
    empty = contents[contents.rows == 0]
    assert empty.notes.notna().all()
    pair = made.exhibit("table-1", pair="cpu:tpu-v3+aot")
    assert "tpu-v3+aot_pass_percent" in pair
    old = made.exhibit("table-3", generations=["cpu:cuda-t4"])
    assert "cuda-t4_pass_percent" in old
    calls = made.exhibit("to-do", usage="own")
    assert set(calls.function) <= set(FUNCTIONS)
    assert {"torch.diag", "torch.ormqr"} <= set(calls.function)
    missing = made.exhibit("missing-operators")
    assert {"operator", "how", "alone", "function_names"} <= set(missing)


def test_a_chart_is_its_specification(tmp_path):
    study = api.open("grand-illusion")
    chart = study.chart("figure-3")
    text = seamark(
        "report", "--store", "grand-illusion", "--only", "figure-3", "--format", "vega-lite"
    )
    assert chart.spec == json.loads(text)
    bundle = chart._repr_mimebundle_()
    major = chart.spec["$schema"].rsplit("/v", 1)[1].removesuffix(".json").split(".")[0]
    assert bundle[f"application/vnd.vegalite.v{major}+json"] == chart.spec
    assert "Figure 3" in bundle["text/plain"]
    chart.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == chart.spec
    with pytest.raises(api.Error, match=r"svg, .png or .json"):
        chart.save(tmp_path / "a.gif")
    dark = study.chart("figure-3", theme="dark")
    assert dark.spec != chart.spec


def test_a_chart_is_drawn_where_vl_convert_is(tmp_path, monkeypatch):
    pytest.importorskip("vl_convert")
    monkeypatch.setenv("SEAMARK_PYTHON", sys.executable)
    chart = api.open("grand-illusion").chart("figure-3")
    assert chart.svg().startswith("<svg")
    assert "image/svg+xml" in chart._repr_mimebundle_()
    chart.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "vl_convert.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "image/svg+xml" not in chart._repr_mimebundle_()
    with pytest.raises(api.Error, match="vl-convert"):
        chart.svg()
