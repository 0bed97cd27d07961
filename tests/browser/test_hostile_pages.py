"""Pages of stores whose every text is hostile (tests/python/hostile_texts.py): no script of theirs runs, with the page's
policy and, as an older browser has it, without.

Needs SEAMARK_TEST_EXECUTABLE, besides what the other tests of this folder need.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import view
from hostile_texts import TEXTS, hostile_copy
from made_stores import made_store

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

PAGES = {
    "report": ["report", "--run", "all", "--store", "h.db"],
    "compare": ["compare", "clean.db@all", "h.db@all"],
    "usage": ["usage", "--store", "h.db"],
    "show": ["show", "--run", "all", "--store", "h.db", "--", "torch.cat"],
}
WATCH = """
window.ran = 0;
for (const name of ['owned', 'alert', 'confirm', 'prompt', 'print'])
  Object.defineProperty(window, name, {value: () => { ++window.ran; }});
"""
# Everything is opened, pointed at and pressed, but for what leaves the page.
USE = """
const done = arguments[arguments.length - 1];
document.querySelectorAll('details').forEach(one => { one.open = true; });
const begun = document.querySelectorAll('#functions tbody th a, #functions tbody td, button:not([hidden])');
[...begun].filter((one, at) => at % Math.ceil(begun.length / 60) === 0).forEach(one => {
  for (const kind of ['mouseover', 'focus', 'click'])
    one.dispatchEvent(new MouseEvent(kind, {bubbles: true}));
});
document.querySelectorAll('input[type=search]').forEach(one => {
  one.value = 'a'; one.dispatchEvent(new Event('input', {bubbles: true}));
});
setTimeout(() => done(), 150);
"""
FOUND = """
const all = [...document.querySelectorAll('*')];
const bad = 'img iframe object embed form base math video audio marquee template use animate source frame'.split(' ');
return {
  ran: window.ran,
  foreign: all.filter(one => (bad.includes(one.localName) && !one.matches('form.vega-bindings:empty'))
      || [...one.attributes].some(at => at.name.startsWith('on')
          || at.name !== 'value' && /^\\W*(javascript|vbscript):/i.test(at.value))).map(one => one.outerHTML.slice(0, 200)),
  scripts: document.scripts.length,
  asked: performance.getEntriesByType('resource').map(one => one.name).filter(name => !name.startsWith('data:')),
  title: document.title.slice(0, 8),
  whole: document.body.lastElementChild !== null && document.querySelectorAll('body').length === 1,
};
"""


@pytest.fixture
def watched(browser: Any) -> Iterator[Any]:
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    yield browser
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    made_store(made).rename(made / "clean.db")
    return made


def render(folder: Path, name: str, store: Path) -> Path:
    words = [word.replace("h.db", store.name) for word in PAGES[name]]
    page = folder / f"{name}.html"
    if name == "show":
        words[-1] = function_of(store)
    words[1:1] = ["--format", "html", "-o", str(page)]
    done = subprocess.run(
        [str(EXECUTABLE), "--no-config", *words], cwd=folder, capture_output=True, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")[:2000]
    return page


def function_of(store: Path) -> Any:
    import sqlite3

    with sqlite3.connect(store) as database:
        database.text_factory = bytes
        names = [name for (name,) in database.execute("SELECT name FROM functions")]
    database.close()
    return next(name for name in names if b"\0" not in name)


def look(browser: Any, page: Path) -> dict[str, Any]:
    from selenium.common.exceptions import UnexpectedAlertPresentException

    try:
        view(browser, page)
        browser.execute_async_script(USE)
        found = dict(browser.execute_script(FOUND))
    except UnexpectedAlertPresentException as error:
        return {
            "ran": 1,
            "foreign": [],
            "scripts": -1,
            "asked": [],
            "whole": False,
            "said": [str(error)],
        }
    found["said"] = [one["message"] for one in browser.get_log("browser")]
    return found


@pytest.mark.soak(figure=9)
def test_no_script_of_a_store_runs(watched: Any, folder: Path, soak: Any) -> None:
    clean = {name: look(watched, render(folder, name, folder / "clean.db")) for name in PAGES}
    assert not any(one["ran"] or one["foreign"] or one["said"] for one in clean.values()), clean
    # The watch sees what runs.
    (folder / "planted.html").write_text("<!doctype html><p>x<img src=x onerror=owned()>")
    assert look(watched, folder / "planted.html")["ran"] == 1
    made = 0
    while soak.more(made, 3):
        start = made * 37 % len(TEXTS)  # in time every text comes to every field
        store = hostile_copy(folder / "clean.db", folder / "h.db", start)
        for name in PAGES:
            page = render(folder, name, store)
            for bypass in (False, True):
                watched.execute_cdp_cmd("Page.setBypassCSP", {"enabled": bypass})
                found = look(watched, page)
                foreign = len(found["foreign"]) + abs(found["scripts"] - clean[name]["scripts"])
                broken = len(found["said"]) + (not found["whole"])
                soak.count(
                    "pages opened" if not bypass else "without their policy",
                    1,
                    scripts_executed=found["ran"],
                    foreign_elements=foreign + len(found["asked"]),
                    parse_failures=broken,
                )
                if found["ran"] or foreign or broken or found["asked"]:
                    soak.say(f"{start}, {name}, {bypass}: {found!a}"[:600])
        made += 1
