"""A page whose tables are longer than what is made of elements at once: the rest becomes rows when it is to be
seen, in idle time, or before printing.

Needs SEAMARK_TEST_EXECUTABLE, besides what the other tests of this folder need.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from browser_pages import page_of_tests, settle, view

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

FUNCTIONS = 260
FAILING = 3  # each third
HOSTILE = (
    "line one\n<tr><td></td></tbody></table></noscript><script>document.title='owned'</script>"
)

NAMES = "return [...document.querySelectorAll('#functions tbody tr')].map(row => row.querySelector('a').textContent)"
FAILURES = "return document.querySelectorAll('#failures tbody tr:not(.divider)').length"
FILLED = """
const done = arguments[arguments.length - 1];
const began = performance.now();
(function look() {
  const count = document.querySelectorAll('#functions tbody tr').length;
  if (count === arguments[0] || performance.now() - began > 20000) return done(count);
  setTimeout(() => look(arguments[0]), 20);
})(arguments[0]);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [f"torch.part{at % 7}.function_{at:03}" for at in range(FUNCTIONS)]
    inside = f"<failure message={quoteattr(HOSTILE)}>RuntimeError</failure>"
    cases = "".join(
        f'<testcase classname="t" name="test_{at}" time="0.1">{"" if at % FAILING else inside}</testcase>'
        for at in range(FUNCTIONS)
    )
    rows = "".join(f"t.test_{at},{name},torch\n" for at, name in enumerate(names))
    return page_of_tests(tmp_path_factory.mktemp("long"), cases, rows)


@pytest.fixture
def busy(quiet: Any) -> Iterator[Any]:
    """A browser that never has idle time."""
    script = {"source": "window.requestIdleCallback = () => 0;"}
    made = quiet.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    yield quiet
    quiet.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)


def all_names(browser: Any) -> list[str]:
    return list(browser.execute_script("return Seamark.model.functions.map(one => one.name)"))


def test_only_the_first_rows_are_elements_at_once(busy: Any, page: Path) -> None:
    view(busy, page)
    names = all_names(busy)
    assert len(names) == FUNCTIONS
    assert busy.execute_script(NAMES) == names[:100]
    assert busy.execute_script(FAILURES) == 1  # all say the same


def test_all_rows_come_when_there_is_time(quiet: Any, page: Path) -> None:
    view(quiet, page)
    assert quiet.execute_async_script(FILLED, FUNCTIONS) == FUNCTIONS
    assert quiet.execute_script(NAMES) == all_names(quiet)
    texts = quiet.execute_script(
        "return [...document.querySelectorAll('#failures tbody tr:not(.divider)')]"
        ".map(row => row.textContent)"
    )
    assert [text for text in texts if HOSTILE.replace("\n", " ") not in text] == []
    assert f"and {-(-FUNCTIONS // FAILING) - 12} more" in texts[0]
    assert quiet.title == "Seamark: portability report"
    shown = quiet.execute_script(
        "return [...document.querySelectorAll('#functions tbody tr')].map(row => [row.children.length,"
        " row.cells[1].className, Seamark.model.functions[row.dataset.at].cells[0][0]])"
    )
    assert {tuple(one) for one in shown} == {(2, "pass", 0), (2, "fail", 2)}


def test_search_and_order_do_not_wait_for_them(busy: Any, page: Path) -> None:
    view(busy, page)
    names = all_names(busy)
    last = names[-1]
    busy.execute_script("Seamark.change({q: arguments[0]})", last)
    settle(busy)
    assert busy.execute_script(NAMES) == [name for name in names if last.lower() in name.lower()]
    busy.execute_script("Seamark.change({q: '', sort: '-name'})")
    settle(busy)
    expected = sorted((name.lower() for name in names), reverse=True)
    assert [name.lower() for name in busy.execute_script(NAMES)] == expected[:100]
    busy.execute_script("Seamark.change({sort: '', verdict: 'fail'})")
    settle(busy)
    failing = [name for name in names if int(name[-3:]) % FAILING == 0]
    assert busy.execute_script(NAMES) == failing
    busy.execute_script("Seamark.change({verdict: ''})")
    settle(busy)
    assert busy.execute_script(NAMES) == names[:100]


def test_a_link_to_a_late_function_finds_its_row(busy: Any, page: Path) -> None:
    view(busy, page)
    name = all_names(busy)[-1]
    view(busy, page, width=1281, fragment=f"#f-{name}")
    settle(busy)
    settle(busy)
    row = "document.querySelector('#functions tr[aria-current]')"
    assert busy.execute_script(f"return {row}.querySelector('a').textContent") == name
    row_top, row_bottom, box_top, box_bottom = busy.execute_script(
        f"const row = {row}.getBoundingClientRect(), box = {row}.closest('.scroll').getBoundingClientRect();"
        "return [row.top, row.bottom, box.top, box.bottom]"
    )
    assert max(box_top, 0) < row_top < row_bottom < min(box_bottom, 900)
    assert busy.execute_script("return document.querySelector('#detail h2').textContent") == name


def test_walking_goes_beyond_the_first_rows(busy: Any, page: Path) -> None:
    view(busy, page)
    names = all_names(busy)
    focused = busy.execute_script(
        "for (let i = 0; i < 120; i++) Seamark.matrix.move(1);"
        "return document.activeElement.textContent"
    )
    assert focused == names[119]
    busy.execute_script("Seamark.change({fn: arguments[0]})", names[119])
    busy.execute_script("Seamark.change({q: arguments[0]})", names[0])
    settle(busy)
    busy.execute_script("Seamark.change({fn: ''})")
    busy.execute_script("Seamark.change({q: ''})")
    settle(busy)
    assert busy.execute_script("return document.querySelectorAll('tr[aria-current]').length") == 0


def test_a_printed_page_is_whole(busy: Any, page: Path) -> None:
    view(busy, page)
    assert busy.execute_script("window.dispatchEvent(new Event('beforeprint'));" + NAMES) == (
        all_names(busy)
    )
