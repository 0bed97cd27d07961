"""The figures, really drawn by vl-convert: every specification is valid, and what is drawn stands where the numbers
of `--format csv` say. Needs vl-convert (tests/requirements.txt) and SEAMARK_TEST_EXECUTABLE."""

import csv
import io
import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

vl_convert = pytest.importorskip("vl_convert", reason="vl-convert is not installed")

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "report" / "charts"
FIGURES = ["figure-%d" % number for number in range(1, 11)]


def seamark(*words, code=0, **variables):
    done = subprocess.run(
        [EXECUTABLE, *map(str, words)],
        capture_output=True,
        timeout=120,
        env={**os.environ, "SEAMARK_PYTHON": sys.executable, **variables},
    )
    assert done.returncode == code, done.stderr.decode()
    return done


def baseline(*words, **options):
    return seamark("report", "--store", "grand-illusion", *words, **options)


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("specs")
    baseline("--format", "vega-lite", "-o", folder)
    return {name: json.loads((folder / (name + ".vl.json")).read_text()) for name in FIGURES}


@pytest.fixture(scope="module")
def rows():
    """{figure: [{column: value}]}, from the CSV."""
    text = baseline("--only", "figure-*", "--format", "csv").stdout.decode()
    out = {}
    for cell in csv.DictReader(io.StringIO(text)):
        row = out.setdefault(cell["exhibit"], {}).setdefault(int(cell["row"]), {})
        numeric = cell["unit"] != "text"
        row[cell["column"]] = (
            (float(cell["value"]) if cell["value"] else None) if numeric else cell["text"]
        )
        for end in ("low", "high"):
            if cell[end]:
                row["%s_%s" % (cell["column"], end)] = float(cell[end])
    return {figure: [by[at] for at in sorted(by)] for figure, by in out.items()}


def drawn(spec, kind):
    """The items of the marks of a type, in pixels of their cell; not those of axes and legends."""
    scene = vl_convert.vegalite_to_scenegraph(spec)["scenegraph"]

    def named(node):
        for item in node.get("items", []):
            if node["marktype"] == "group":
                for child in item.get("items", []):
                    if child["marktype"] == kind and child.get("role") == "mark":
                        yield from child["items"]
                    else:
                        yield from named(child)

    return list(named(scene))


def span(item, axis):
    """From and to, along x or y."""
    begin = item.get(axis, 0)
    size = {"x": "width", "y": "height"}[axis]
    end = item.get(axis + "2", begin + item.get(size, 0))
    return min(begin, end), max(begin, end)


def length(item, axis):
    begin, end = span(item, axis)
    return end - begin


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_of_the_study_is_drawn(tmp_path, theme):
    baseline("--format", "svg", "--theme", theme, "-o", tmp_path / "all")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == sorted(
        name + ".svg" for name in FIGURES
    )
    for name in FIGURES:
        text = (tmp_path / "all" / (name + ".svg")).read_text()
        assert "Figure %s ·" % name.removeprefix("figure-") in text
        assert "NaN" not in text
        assert "undefined" not in text
        assert (">no data: pass" in text) == (name == "figure-4")


def test_one_figure_is_one_file(tmp_path):
    baseline("--only", "figure-3", "-o", tmp_path / "share.png")
    assert (tmp_path / "share.png").read_bytes().startswith(b"\x89PNG")
    svg = baseline("--only", "figure-3", "--format", "svg").stdout
    assert svg.startswith(b"<svg")


def test_several_figures_need_a_folder(tmp_path):
    done = baseline("-o", tmp_path / "all.png", code=2)
    assert b"10 figures do not fit into one file" in done.stderr
    assert b"-o charts/" in done.stderr
    assert not (tmp_path / "all.png").exists()


def test_tables_are_not_drawn(tmp_path):
    done = baseline("--only", "table-1", "-o", tmp_path / "a.svg", code=2)
    assert b"draws figures alone" in done.stderr


def test_without_vl_convert_the_remedy_is_told(tmp_path):
    (tmp_path / "vl_convert.py").write_text("raise ImportError('none here')")
    done = baseline(
        "--only", "figure-3", "-o", tmp_path / "a.svg", code=3, PYTHONPATH=str(tmp_path)
    )
    assert b"needs vl-convert" in done.stderr
    assert b"seamark targets install charts" in done.stderr
    assert b"MiB" in done.stderr
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.vl.json")), ids=lambda path: path.stem)
def test_every_form_is_valid(path, tmp_path):
    text = vl_convert.vegalite_to_svg(path.read_text(), allowed_base_urls=[])
    assert "NaN" not in text
    assert "<script" not in text


def on_log_scale(value, domain, length):
    low, high = map(math.log, domain)
    return (math.log(value) - low) / (high - low) * length


def test_points_of_figure_1_stand_where_the_times_say(specs, rows):
    spec = specs["figure-1"]
    domain = spec["layer"][3]["encoding"]["x"]["scale"]["domain"]
    points = Counter((round(i["x"], 1), round(i["y"], 1)) for i in drawn(spec, "symbol"))
    expected = Counter(
        (
            round(on_log_scale(row["a_s"], domain, spec["width"]), 1),
            round(spec["height"] - on_log_scale(row["b_s"], domain, spec["height"]), 1),
        )
        for row in rows["figure-1"]
    )
    assert points == expected


def test_bars_of_figure_3_are_as_long_as_the_shares(specs, rows):
    spec = specs["figure-3"]
    bars = sorted((i["y"], length(i, "x")) for i in drawn(spec, "rect"))
    shares = [row["faster_percent"] / 100 * spec["width"] for row in rows["figure-3"]]
    assert [width for _, width in bars] == pytest.approx(shares)
    rules = sorted((i["y"], *span(i, "x")) for i in drawn(spec, "rule"))
    ends = [
        tuple(row["faster_percent_" + end] / 100 * spec["width"] for end in ("low", "high"))
        for row in rows["figure-3"]
    ]
    assert [pair for rule in rules for pair in rule[1:]] == pytest.approx(
        [value for pair in ends for value in pair]
    )


def test_bars_of_figure_6_are_as_long_as_the_shares(specs, rows):
    spec = specs["figure-6"]
    widths = sorted(length(i, "x") for i in drawn(spec, "rect"))
    shares = sorted(
        row["percent"] / 100 * spec["spec"]["width"] for row in rows["figure-6"] if row["percent"]
    )
    assert widths == pytest.approx(shares)


@pytest.mark.parametrize("figure", ["figure-8", "figure-9", "figure-10"])
def test_bars_of_a_histogram_stand_where_their_bins_are(specs, rows, figure):
    spec = specs[figure]["spec"]
    domain = spec["encoding"]["x"]["scale"]["domain"]
    bars = sorted((*span(i, "x"), length(i, "y")) for i in drawn(specs[figure], "rect"))
    unit = max(bar[2] for bar in bars) / max(row["functions"] for row in rows[figure])
    expected = sorted(
        (
            on_log_scale(row["from_s"], domain, spec["width"]),
            on_log_scale(row["to_s"], domain, spec["width"]),
            row["functions"] * unit,
        )
        for row in rows[figure]
    )
    for bar, wanted in zip(bars, expected, strict=True):
        assert bar == pytest.approx(wanted, abs=0.6)


def test_points_of_figure_7_are_as_high_as_the_shares(specs, rows):
    spec = specs["figure-7"]
    height = spec["spec"]["height"]
    points = sorted(i.get("y", 0) for i in drawn(spec, "symbol"))
    expected = sorted(height - row["faster_percent"] / 100 * height for row in rows["figure-7"])
    assert points == pytest.approx(expected)


def test_other_numbers_are_another_drawing(specs, rows):
    """The comparisons above can fail: one changed number moves its mark."""
    spec = json.loads(json.dumps(specs["figure-3"]))
    spec["data"]["values"][0]["faster_percent"] /= 2
    bars = sorted((i["y"], length(i, "x")) for i in drawn(spec, "rect"))
    shares = [row["faster_percent"] / 100 * spec["width"] for row in rows["figure-3"]]
    assert [width for _, width in bars] != pytest.approx(shares)
