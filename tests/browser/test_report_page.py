"""What the scripts of the HTML report do: filters, order, links, details, keys, CSV, colours; and without them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import GOLDEN, HOSTILE, REPORT, luminance, style, view

ROWS = """
return [...document.querySelectorAll('#functions tbody tr')].filter(row => !row.hidden)
  .map(row => row.querySelector('a').textContent);
"""
FRAMES = """
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => done()));
"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """The report, opened afresh; at the end nothing was said on the console."""
    view(browser, REPORT, width=1400)
    browser.execute_script("Seamark.theme.set('auto')")
    yield browser
    assert browser.get_log("browser") == []


def settle(browser: Any) -> None:
    browser.execute_async_script(FRAMES)


def rows(browser: Any) -> list[str]:
    settle(browser)
    return list(browser.execute_script(ROWS))


def choose(browser: Any, label: str, value: str) -> None:
    found = browser.execute_script(
        "const label = [...document.querySelectorAll('.toolbar label')]"
        ".find(one => one.querySelector('span').textContent === arguments[0]);"
        "const box = label.querySelector('select'); box.value = arguments[1];"
        "box.dispatchEvent(new Event('change', {bubbles: true})); return box.value;",
        label,
        value,
    )
    assert found == value, f"{label} has no {value}"


def text_of(browser: Any, selector: str) -> str:
    return str(
        browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)
    )


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()
    settle(browser)


def hash_of(browser: Any) -> str:
    return str(browser.execute_script("return location.hash"))


def reopen(browser: Any, fragment: str, page: Path = REPORT) -> None:
    view(browser, page, width=1400, fragment=fragment)
    settle(browser)


# --- search and filters


def test_search_finds_names_by_all_words(page: Any) -> None:
    everything = rows(page)
    box = page.find_element("css selector", ".toolbar input")
    box.send_keys("TORCH sort")
    found = rows(page)
    assert found == [name for name in everything if "torch" in name and "sort" in name]
    assert 0 < len(found) < len(everything)
    assert text_of(page, ".status") == f"{len(found)} of {len(everything)} functions"
    assert hash_of(page) == "#?q=TORCH+sort"
    box.clear()
    box.send_keys("nothing is called so")
    assert rows(page) == []


def test_filters_are_those_of_the_cells(page: Any) -> None:
    everything = rows(page)
    cells = page.execute_script(
        "return Seamark.model.functions.map(one => [one.name, Seamark.model.frameworks[one.framework],"
        "one.cells.map((cell, i) => cell && [one.targets[i].name, cell[0], Seamark.model.levels[cell[1]],"
        "Seamark.model.categories[cell[2]]]).filter(Boolean)])"
    )

    def having(condition: Any) -> list[str]:
        return [name for name, framework, row in cells if condition(framework, row)]

    for framework in {one[1] for one in cells}:
        choose(page, "framework", framework)
        assert sorted(rows(page)) == sorted(having(lambda of, _, wanted=framework: of == wanted))
    choose(page, "framework", "")
    choose(page, "target", "torch/lazy")
    choose(page, "evidence", "verified")
    expected = having(
        lambda _, row: any(cell[0] == "torch/lazy" and cell[2] == "verified" for cell in row)
    )
    assert sorted(rows(page)) == sorted(expected)
    assert 0 < len(expected) < len(everything)
    choose(page, "evidence", "")
    choose(page, "target", "")
    choose(page, "category", "not-implemented")
    expected = having(lambda _, row: any(cell[3] == "not-implemented" for cell in row))
    assert sorted(rows(page)) == sorted(expected)
    assert expected
    page.find_element("css selector", ".toolbar button:not([hidden]).button").click()
    assert rows(page) == everything
    assert hash_of(page) == ""


def test_verdicts_are_counted_and_combine(page: Any) -> None:
    buttons = page.find_elements("css selector", "button.verdict:not([hidden])")
    counts = {}
    for button in buttons:
        name = button.get_attribute("data-verdict")
        button.click()
        counts[name] = len(rows(page))
        assert button.get_attribute("aria-pressed") == "true"
        assert button.find_element("css selector", "b").text == str(counts[name])
        button.click()
    assert {"pass", "fail"} <= set(counts)
    for name in ("fail", "partial"):
        page.find_element("css selector", f"button.verdict[data-verdict={name}]").click()
    both = len(rows(page))
    assert max(counts["fail"], counts["partial"]) <= both <= counts["fail"] + counts["partial"]
    assert hash_of(page) == "#?verdict=partial,fail"
    faint = page.execute_script(
        "const row = [...document.querySelectorAll('#functions tbody tr')].find(row => !row.hidden &&"
        " row.querySelector('td.pass') && row.querySelector('td.fail'));"
        "return ['td.pass', 'td.fail'].map(cell => getComputedStyle(row.querySelector(cell)).opacity)"
    )
    assert float(faint[0]) < 0.5
    assert float(faint[1]) == 1


def test_dtype_means_a_failure_of_that_dtype(page: Any) -> None:
    for dtype in page.execute_script("return Seamark.model.dtypes"):
        page.execute_script(
            "Seamark.change({...Seamark.view.EMPTY, verdict: 'fail,partial', dtype: arguments[0]})",
            dtype,
        )
        found = rows(page)
        expected = page.execute_script(
            "return Seamark.model.functions.filter(one => Seamark.model.casesOf(one).some(row =>"
            " row.dtype === arguments[0] && row.cells.some((cell, i) => cell && one.cells[i]"
            " && [1, 2].includes(one.cells[i][0]) && ['fail', 'partial'].includes(cell.css))))"
            ".map(one => one.name)",
            dtype,
        )
        assert set(found) >= set(expected), dtype


# --- order


def test_orders_by_a_click_on_a_head(page: Any) -> None:
    listed = rows(page)
    name = page.find_element("css selector", "#functions thead button.sort")
    name.click()
    assert sorted(rows(page)) == sorted(listed)
    assert hash_of(page) == "#?sort=name"
    name.click()
    rows(page)
    names = page.execute_script(
        "return [...document.querySelectorAll('#functions .matrix')].map(box =>"
        " [...box.querySelectorAll('tbody a')].map(link => link.textContent.toLowerCase()))"
    )
    assert all(one == sorted(one, reverse=True) for one in names)
    head = page.execute_script(
        "return document.querySelector('#functions thead th[aria-sort]').ariaSort"
    )
    assert head == "descending"


def test_orders_by_latency_and_leaves_what_has_none_last(page: Any) -> None:
    page.execute_script("Seamark.change({sort: '-latency:torch/lazy', framework: 'torch'})")
    rows(page)
    times = page.execute_script(
        "const {model} = Seamark; const at = model.targetsOf[0].findIndex(one => one.name === 'torch/lazy');"
        "return Seamark.matrix.visible().map(one => one.cells[at] ? one.cells[at][model.CELL.warm] : null)"
    )
    known = [time for time in times if time is not None]
    assert known
    assert known == sorted(known, reverse=True)
    assert all(time is None for time in times[len(known) :])
    shown = rows(page)
    assert shown == page.execute_script("return Seamark.matrix.visible().map(one => one.name)")
    page.execute_script("Seamark.change({sort: ''})")
    assert rows(page) == page.execute_script(
        "return Seamark.model.functions.filter(one => one.framework === 0).map(one => one.name)"
    )


# --- links


def test_a_link_restores_the_view(page: Any) -> None:
    page.execute_script(
        "Seamark.change({q: 'torch', verdict: 'fail', target: 'torch/lazy', sort: '-ratio:torch/lazy', fn: 'torch.ormqr'})"
    )
    before, fragment = rows(page), hash_of(page)
    assert (
        fragment == "#?q=torch&target=torch/lazy&verdict=fail&sort=-ratio:torch/lazy&fn=torch.ormqr"
    )
    reopen(page, fragment)
    assert rows(page) == before
    assert text_of(page, "#detail h2") == "torch.ormqr"
    values = page.execute_script(
        "return ['input', 'select'].map(tag => [...document.querySelectorAll('.toolbar ' + tag)]"
        ".map(one => one.value).filter(Boolean))"
    )
    assert values == [["torch"], ["torch/lazy", "-ratio:torch/lazy"]]


def test_a_link_to_a_function_opens_its_details(page: Any) -> None:
    reopen(page, "#f-torch.ormqr")
    assert text_of(page, "#detail h2") == "torch.ormqr"
    assert hash_of(page) == "#f-torch.ormqr"
    page.execute_script("location.hash = '#t-torch/lazy'")
    settle(page)
    place = page.execute_script("return document.querySelector(':target').id")
    assert place == "t-torch/lazy"


def test_a_link_that_nobody_wrote_shows_nothing_wrong(page: Any) -> None:
    reopen(page, "#?q=%3Cscript%3E&category=none&sort=what:ever&fn=nobody&verdict=x")
    assert rows(page) == []
    assert page.execute_script("return document.querySelector('#detail')?.hidden ?? true")


# --- details


def test_details_say_what_failed_and_how_to_see_it_again(page: Any) -> None:
    page.execute_script("Seamark.change({fn: 'torch.ormqr'})")
    text = text_of(page, "#detail")
    assert "Could not run 'aten::ormqr'" in text
    assert "seamark show 'torch.ormqr/" in text
    assert "--script --target 'torch/" in text
    lines = page.execute_script(
        "return document.querySelectorAll('#detail tbody tr:not(.case)').length"
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


# --- keys


def test_everything_works_from_the_keyboard(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    names = rows(page)
    press(page, "/")
    assert page.switch_to.active_element.get_attribute("type") == "search"
    press(page, Keys.ESCAPE)
    focused = "return document.activeElement.closest('tr')?.querySelector('a').textContent"
    press(page, "j")
    assert page.execute_script(focused) == names[0]
    press(page, "j", "j")
    assert page.execute_script(focused) == names[2]
    press(page, "k")
    assert page.execute_script(focused) == names[1]
    outline = page.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    press(page, Keys.ENTER)
    assert text_of(page, "#detail h2") == names[1]
    press(page, "j")
    assert text_of(page, "#detail h2") == names[2]
    press(page, Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "detail"
    press(page, Keys.ESCAPE)
    assert page.execute_script("return document.querySelector('#detail').hidden")
    assert page.execute_script(focused) == names[2]
    press(page, "?")
    assert page.execute_script("return document.querySelector('#keys').open")
    press(page, Keys.ESCAPE)
    assert not page.execute_script("return document.querySelector('#keys').open")


def test_what_can_be_used_has_a_name(page: Any) -> None:
    page.execute_script("Seamark.change({fn: 'torch.ormqr'})")
    nameless = page.execute_script(
        "return [...document.querySelectorAll('button, select, input, [role=dialog], [role=region]')]"
        ".filter(one => !(one.innerText || one.ariaLabel || one.labels?.length ||"
        " document.getElementById(one.getAttribute('aria-labelledby'))))"
        ".filter(one => !one.hidden).map(one => one.outerHTML)"
    )
    assert nameless == []


# --- CSV


def test_csv_is_of_the_rows_that_are_shown(page: Any, tmp_path: Path) -> None:
    page.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    page.execute_script("Seamark.change({target: 'torch/lazy', verdict: 'fail'})")
    names = rows(page)
    save = page.execute_script(
        "return [...document.querySelectorAll('.toolbar button')].find(one => one.textContent === 'CSV')"
    )
    save.click()
    file = tmp_path / "seamark-view.csv"
    for _ in range(100):
        if file.exists():
            break
        settle(page)
    table = list(csv.DictReader(io.StringIO(file.read_bytes().decode(), newline="")))
    assert [row["function"] for row in table] == names
    assert {(row["target"], row["verdict"]) for row in table} == {("torch/lazy", "fail")}


def test_csv_of_hostile_text_is_no_formula(browser: Any) -> None:
    view(browser, HOSTILE)
    text = browser.execute_script("return Seamark.toolbar.csv()")
    table = list(csv.reader(io.StringIO(text, newline="")))
    assert len({len(row) for row in table}) == 1
    assert not [field for row in table for field in row if field[:1] in ("=", "+", "@", "\t")]


# --- colours, print


def test_the_reader_chooses_light_or_dark(page: Any) -> None:
    heard = "window.heard = []; document.addEventListener('seamark:theme', e => heard.push(e.detail.dark))"
    page.execute_script(heard)
    button = page.find_element("css selector", ".theme")
    grounds = []
    for _ in range(3):
        button.click()
        grounds.append(luminance(style(page, "body", "backgroundColor")))
    assert grounds[0] > 0.8
    assert grounds[1] < 0.05
    assert grounds[2] > 0.8
    assert page.execute_script("return heard") == [False, True, False]
    button.click()
    button.click()
    for _ in range(20):  # the browser's storage takes in a choice when it has time
        reopen(page, "")
        theme = page.execute_script("return document.documentElement.dataset.theme")
        if theme == "dark":
            break
    assert theme == "dark"
    view(page, REPORT, media="print")
    assert luminance(style(page, "body", "backgroundColor")) > 0.8
    assert style(page, ".toolbar", "display") == "none"


# --- hostile results


def test_hostile_results_stay_text_in_everything_that_scripts_make(browser: Any) -> None:
    view(browser, HOSTILE, width=1400)
    elements = "return document.querySelectorAll('script, img, iframe, svg, a, b').length"
    count = len(browser.execute_script("return Seamark.model.functions.map(one => one.name)"))
    assert count > 0
    seen = ""
    for at in range(count):
        browser.execute_script(
            "Seamark.change({fn: Seamark.model.functions[arguments[0]].name})", at
        )
        seen += browser.execute_script("return document.querySelector('#detail').textContent")
        odd = browser.execute_script(
            "return document.querySelectorAll('#detail :is(script, img, iframe, svg, style, form)').length"
        )
        assert odd == 0
    assert "<script>document.title='owned'</script>" in seen
    assert "\u202e" not in seen
    assert browser.title == "Seamark: portability report"
    before = browser.execute_script(elements)
    browser.execute_script("Seamark.change({fn: '', q: '<img src=x onerror=alert(1)>'})")
    settle(browser)
    assert browser.execute_script(elements) <= before
    assert browser.get_log("browser") == []


# --- without scripts


def test_without_scripts_the_summary_and_the_failures_are_there_to_read(browser: Any) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        view(browser, REPORT, fragment="#f-torch.ormqr")
        assert len(browser.find_elements("css selector", "#overview tbody tr")) == 11
        failures = browser.find_element("css selector", "#failures").text
        assert "torch.ormqr" in failures
        assert "Could not run 'aten::ormqr'" in failures
        said = browser.find_element("css selector", "#functions noscript").text
        assert "seamark report --format markdown" in said
        assert browser.find_elements("css selector", ".toolbar, .theme") == []
        assert browser.get_log("browser") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
