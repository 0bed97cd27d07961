"""What the scripts of the HTML report tell of one function, and of what ran on the host."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from browser_pages import (
    GOLDEN,
    REPORT,
    hash_of,
    linear,
    reopen,
    rows,
    settle,
    style,
    text_of,
    view,
)

# --- what ran on the host


def on_host() -> set[tuple[str, str]]:
    """Functions and targets, as the JSON of the same runs has them."""
    document = json.loads((GOLDEN / "report.json").read_text())
    return {
        (one["name"], each["target"])
        for one in document["functions"]
        for each in one["targets"]
        if each["on_device"] is False
    }


def test_a_pass_on_the_host_is_a_verdict_of_its_own_for_the_eye(page: Any) -> None:
    cells = page.execute_script(
        "return Seamark.model.functions.flatMap(one => [...one.row.cells].slice(1).map((cell, i) =>"
        " [one.name, one.targets[i].name, cell.classList.contains('host'), cell.textContent[0],"
        " cell.textContent.includes('on host')]))"
    )
    looks = {(name, target): tuple(look) for name, target, *look in cells}
    host = {place for place, look in looks.items() if look == (True, "\u2302", True)}
    assert host == on_host()
    assert len(host) == 3
    assert all(look[0::2] == (False, False) for at, look in looks.items() if at not in host)


def test_what_ran_on_the_host_is_counted_and_found(page: Any) -> None:
    chip = page.find_element("css selector", "button.verdict[data-verdict=host]")
    assert chip.text == "\u2302on host 3"
    chip.click()
    functions = {name for name, _ in on_host()}
    assert set(rows(page)) == functions
    assert hash_of(page) == "#?verdict=host"
    reopen(page, "#?verdict=host")
    assert set(rows(page)) == functions
    page.execute_script("Seamark.change({verdict: 'pass', target: 'torch/lazy'})")
    assert not set(rows(page)) & functions, "a pass on the host is none on the device"
    page.execute_script("Seamark.change({verdict: '', target: '', sort: 'verdict:torch/lazy'})")
    settle(page)
    order = page.execute_script(
        "const at = Seamark.model.targetsOf[0].findIndex(one => one.name === 'torch/lazy');"
        "return Seamark.matrix.visible().filter(one => one.framework === 0)"
        ".map(one => Seamark.model.STANDINGS[one.cells[at][0]].word)"
    )
    assert order == ["fail", "partial", "on host", "on host", "on host", "pass"]


def test_files_for_programs_still_say_pass(page: Any) -> None:
    table = list(
        csv.DictReader(io.StringIO(page.execute_script("return Seamark.toolbar.csv()"), newline=""))
    )
    host = {(row["function"], row["target"]) for row in table if row["on_host"] == "1"}
    assert host == on_host()
    assert {row["verdict"] for row in table if row["on_host"] == "1"} == {"pass"}


def test_the_details_begin_with_where_it_ran(page: Any) -> None:
    page.execute_script("Seamark.change({fn: 'torch.argsort'})")
    lines = page.find_elements("css selector", "#detail .verdicts li")
    assert lines[0].text.split("\n")[0].startswith("\u2713pass")
    assert "on the device 2 of 2 cases" in lines[0].text
    assert "\u2302on host" in lines[1].text
    assert "on the device 0 of 2 cases, 2 on the host" in lines[1].text
    page.execute_script("Seamark.change({fn: 'torch.ormqr'})")
    lines = page.find_elements("css selector", "#detail .verdicts li")
    assert "on the device 0 of 2 cases, 1 on the host" in lines[1].text
    page.execute_script("Seamark.change({fn: 'tf.dtypes.as_dtype'})")
    assert "on the device" not in text_of(page, "#detail .verdicts"), "it does no device work"
    page.execute_script("Seamark.change({fn: 'jax.numpy.add'})")
    compiled = page.find_elements("css selector", "#detail .verdicts li")[1]
    assert "compiles" in compiled.text and "the device" not in compiled.text


def test_unproven_places_are_no_places_on_the_device(page: Any) -> None:
    page.execute_script(
        "const one = Seamark.model.functions.find(each => each.name === 'torch.argsort');"
        "const cases = Seamark.model.casesOf(one);"
        "cases.forEach((row, i) => row.cells.forEach(cell => { if (cell) cell.flags &= i ? ~16 : ~24; }));"
        "cases.forEach(row => row.cells.forEach(cell => { if (cell?.css === 'host') cell.css = 'pass'; }));"
        "Seamark.model.casesOf = () => cases;"
        "Seamark.change({fn: 'torch.argsort'})"
    )
    assert "where it ran is unknown" in text_of(page, "#detail .verdicts li")


def test_a_cell_says_where_nothing_proves_the_place(page: Any, tmp_path: Path) -> None:
    index = '<script type="application/json" id="seamark-index">'
    head, data = REPORT.read_text(encoding="utf-8").split(index)
    known = json.loads(data.split("</script>")[0])
    argsort = next(one for one in known["functions"] if one["n"] == "torch.argsort")
    argsort["c"][0][3] = 0  # neither on the device nor on the host
    text = (
        head + index + json.dumps(known).replace("<", "\\u003c") + data[data.index("</script>") :]
    )
    changed = tmp_path / "unknown.html"
    changed.write_text(text, encoding="utf-8")
    reopen(page, "", changed)
    said = page.execute_script(
        "return [...document.querySelectorAll('#functions td')].map(one => one.textContent)"
        ".filter(text => text.includes('placement unknown'))"
    )
    assert said == ["\u2713 13.4 \u00b5s\nverified \u00b7 placement unknown"]


# Machado, Oliveira, Fernandes 2009, severity 1, of linear RGB.
SEEN_BY = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def lab(color: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of rgb(...) as somebody sees it."""
    red, green, blue = (
        sum(a * b for a, b in zip(line, linear(color), strict=True)) for line in matrix
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (
        max(part, 0) ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colour_of_the_host_is_its_own_for_all_eyes(page: Any, scheme: str) -> None:
    view(page, REPORT, width=1400, scheme=scheme)
    settle(page)
    ground = {
        css: style(page, f".matrix td.{css}:not(.aot)", "backgroundColor")
        for css in ("pass", "host", "partial", "fail")
    }
    for eyes, matrix in SEEN_BY.items():
        for css in ("pass", "partial", "fail"):
            distance = math.dist(lab(ground["host"], matrix), lab(ground[css], matrix))
            assert distance > 8, (eyes, css, distance)


# --- details


def test_details_say_what_failed_and_how_to_see_it_again(page: Any) -> None:
    page.execute_script("Seamark.change({fn: 'torch.ormqr'})")
    text = text_of(page, "#detail")
    assert "Could not run 'aten::ormqr'" in text
    assert "seamark show 'torch.ormqr/" in text
    assert "--script --target 'torch/" in text
    lines = page.execute_script(
        "return document.querySelectorAll('#detail .cases tbody tr:not(.case)').length"
    )
    cells = page.execute_script(
        "const one = Seamark.model.functions.find(each => each.name === 'torch.ormqr');"
        "return Seamark.model.casesOf(one).flatMap(row => row.cells).filter(Boolean).length"
    )
    assert lines == cells > 0


WORDS = {"falls-back": "host", "not-implemented": "missing"}
DTYPES = """
return Seamark.model.functions.map(one => {
  Seamark.change({fn: one.name});
  const table = document.querySelector('#detail .dtypes');
  const rows = table ? [...table.querySelectorAll('tr')].slice(1) : [];
  const names = table ? [...table.querySelectorAll('thead th')].slice(1).map(each => each.textContent) : [];
  return [one.name, Object.fromEntries(rows.map(row => [
    row.querySelector('th').textContent,
    Object.fromEntries([...row.querySelectorAll('td')].map((cell, i) => [names[i], cell.textContent.slice(1)])
        .filter(([, word]) => word)),
  ]))];
});
"""


def test_the_verdicts_by_data_type_are_those_of_json(page: Any) -> None:
    document = json.loads((GOLDEN / "report.json").read_text())

    def words(target: Any, compiled: bool) -> dict[str, str]:
        found = {}
        for dtype, cell in target["dtypes"].items():
            verdict, passed, cases = cell["verdict"], cell["passed"], cell["cases"]
            word = "compiles" if compiled and verdict == "pass" else WORDS.get(verdict, verdict)
            part = passed < cases and verdict not in ("refused", "unknown")
            found[dtype] = f"{word} {passed}/{cases}" if part else word
        return found

    compiled = {one["target"]: one["compiled_only"] for one in document["targets"]}
    wanted = {
        one["name"]: {
            each["target"]: words(each, compiled[each["target"]]) for each in one["targets"]
        }
        for one in document["functions"]
        if any(each["dtypes"] for each in one["targets"])
    }
    shown = {name: rows for name, rows in page.execute_script(DTYPES) if rows}
    assert shown == wanted
    assert {"pass", "host", "missing 0/1"} <= {
        word for rows in shown.values() for row in rows.values() for word in row.values()
    }


def test_the_table_by_data_type_is_of_the_functions_that_are_shown(page: Any) -> None:
    document = json.loads((GOLDEN / "report.json").read_text())
    kinds = {
        (one["name"], case["dtype"]): "gradient" if case["grad"] else "forward"
        for one in document["functions"]
        for case in one["cases"]
        if case["dtype"]
    }
    wanted = {
        (one["name"], dtype, kinds[one["name"], dtype], *map(str, cell.values()))
        for one in document["functions"]
        for each in one["targets"]
        for dtype, cell in each["dtypes"].items()
        if each["target"] == "torch/lazy"
    }
    section = page.find_element("css selector", "#dtypes")
    assert not section.find_elements("css selector", "table")
    page.execute_script(
        "const box = document.querySelector('#dtypes select'); box.value = 'torch/lazy';"
        "box.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    settle(page)
    assert hash_of(page) == "#?dtypes=torch/lazy"

    def saved() -> set[tuple[str, ...]]:
        text = page.execute_script("return Seamark.dtypes.csv()")
        keys = ("function", "dtype", "kind", "verdict", "passed", "cases")
        return {
            tuple(row[key] for key in keys) for row in csv.DictReader(io.StringIO(text, newline=""))
        }

    assert saved() == wanted
    assert {"gradient", "forward"} == {row[2] for row in wanted}
    table = section.find_element("css selector", "table")
    shown = {
        (row.find_element("css selector", "th").text, cell.text)
        for row in table.find_elements("css selector", "tbody tr")
        for cell in row.find_elements("css selector", "td")
        if cell.text
    }
    assert ("torch.argsort", "\u2302host") in shown
    assert ("torch.ormqr", "\u2715missing 0/1") in shown
    heads = [one.text for one in table.find_elements("css selector", "thead th")]
    assert heads[0] == "function" and "f32\ngradient" in heads
    reopen(page, "#?q=ormqr&dtypes=torch/lazy")
    links = page.find_elements("css selector", "#dtypes tbody a")
    assert [one.text for one in links] == ["torch.ormqr"]
    links[0].click()
    settle(page)
    assert text_of(page, "#detail h2") == "torch.ormqr"
    assert "dtypes=torch/lazy" in hash_of(page)


def test_declared_data_types_stand_below_the_measured_ones(page: Any) -> None:
    rows = page.execute_script(
        "const one = Seamark.model.functions.find(each => each.name === 'torch.ormqr');"
        "one.declared = [['CUDA', 'f32 ', 'f64 '], ['<b>', 'f64 ', '']];"
        "Seamark.change({fn: one.name});"
        "const lines = [...document.querySelectorAll('#detail .dtypes tr')];"
        "return lines.map(line => [...line.children].map(cell => cell.textContent));"
    )
    names, declared = rows[0][1:], {row[0]: row[1:] for row in rows if "declared" in row[0]}
    assert "f32" in names
    said = {"f32": "yes", "f64": "no"}
    assert declared["declared: CUDA"] == [said.get(name, "") for name in names]
    assert declared["declared: <b>"] == ["yes" if name == "f64" else "" for name in names]


def test_a_click_on_a_row_opens_and_the_cross_closes(page: Any) -> None:
    page.find_element("css selector", "#functions tbody td").click()
    settle(page)
    name = rows(page)[0]
    assert text_of(page, "#detail h2") == name
    assert (
        page.execute_script("return document.querySelector('tr[aria-current] a').textContent")
        == name
    )
    page.find_element("css selector", "#detail .close").click()
    assert page.execute_script("return document.querySelector('#detail').hidden")
    assert hash_of(page) == ""
