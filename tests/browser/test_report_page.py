"""What the scripts of the HTML report do: filters, order, links, details, keys, CSV, colours; and without them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from browser_pages import (
    HOSTILE,
    REPORT,
    hash_of,
    luminance,
    reopen,
    rows,
    settle,
    style,
    text_of,
    view,
)


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


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()
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
    grounds = page.execute_script(
        "const row = [...document.querySelectorAll('#functions tbody tr')].find(row => !row.hidden &&"
        " row.querySelector('td.pass') && row.querySelector('td.fail'));"
        "return ['th', 'td.pass', 'td.fail']"
        ".map(cell => getComputedStyle(row.querySelector(cell)).backgroundColor)"
    )
    assert grounds[0] == grounds[1] != grounds[2]


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


# --- two targets, and columns


def test_differences_of_two_targets_alone(page: Any) -> None:
    cells = page.execute_script(
        "return Seamark.model.functions.filter(one => one.framework === 0)"
        ".map(one => [one.name, Object.fromEntries(one.cells.map((cell, i) =>"
        " [one.targets[i].name, cell && [cell[0], cell[2]]]))])"
    )

    def differing(one: str, *others: str) -> set[str]:
        return {name for name, row in cells if any(row[other] != row[one] for other in others)}

    choose(page, "target", "torch/lazy")
    choose(page, "differs from", "torch/cpu")
    found = set(rows(page))
    assert found == differing("torch/cpu", "torch/lazy")
    assert "torch.argsort" in found, "on the host is a difference"
    assert "torch.nn.functional.relu" not in found
    assert hash_of(page) == "#?target=torch/lazy&differs=torch/cpu"
    reopen(page, "#?differs=torch/cpu")
    assert set(rows(page)) == differing(
        "torch/cpu", "torch/lazy", "torch/cpu+inductor", "torch/cuda"
    )
    reopen(page, "#?differs=nobody/cpu")
    assert rows(page) == []


SHOWN = """
return [...document.querySelectorAll('#functions .matrix')].filter(box => !box.hidden).flatMap(box =>
    ['thead', 'tbody'].map(part => [...box.querySelector(`${part} tr`).cells].filter(cell =>
        cell.checkVisibility()).length - 1));
"""


def test_columns_are_chosen_and_stay_in_the_address(page: Any) -> None:
    rows(page)
    assert page.execute_script(SHOWN) == [4, 4, 2, 2, 3, 3]
    page.find_element("css selector", ".columns summary").click()
    for name in ("torch/cuda", "tensorflow/cpu", "tensorflow/cpu+xla"):
        page.find_element("css selector", f".columns input[value='{name}']").click()
    shown = rows(page)
    assert page.execute_script(SHOWN) == [3, 3, 3, 3]
    assert not [name for name in shown if name.startswith("tf.")]
    fragment = hash_of(page)
    assert fragment.startswith("#?columns=torch/cpu,torch/lazy,torch/cpu%2Binductor,jax/cpu,")
    table = csv.DictReader(
        io.StringIO(page.execute_script("return Seamark.toolbar.csv()"), newline="")
    )
    assert not {row["target"] for row in table} & {"torch/cuda", "tensorflow/cpu"}
    reopen(page, fragment)
    assert rows(page) == shown
    assert page.execute_script(SHOWN) == [3, 3, 3, 3]
    page.find_element("css selector", ".columns summary").click()
    for name in ("torch/cuda", "tensorflow/cpu", "tensorflow/cpu+xla"):
        page.find_element("css selector", f".columns input[value='{name}']").click()
    assert hash_of(page) == ""


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
        "return ['input[type=search]', 'select'].map(tag => [...document.querySelectorAll('.toolbar ' + tag)]"
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
