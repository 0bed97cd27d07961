"""The page of the published study in a real browser: drawn, searched and ordered under its own policy, readable
without scripts. Needs SEAMARK_TEST_EXECUTABLE and vl-convert, besides what the other tests of this folder need.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browser_pages import contrast, settle, style, view
from test_charts_page import DRAWN

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    folder = tmp_path_factory.mktemp("study")
    words = ("report", "--store", "grand-illusion", "--format", "html", "-o", "study.html")
    done = subprocess.run(
        [str(EXECUTABLE), *words],
        cwd=folder,
        env={
            **os.environ,
            "SEAMARK_CACHE": str(folder / "cache"),
            "SEAMARK_PYTHON": sys.executable,
        },
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    return folder / "study.html"


def names(browser: Any, framework: int = 0) -> list[str]:
    script = """
return [...document.querySelectorAll('#functions .matrix')[arguments[0]].querySelectorAll('tbody tr')]
    .filter(one => !one.hidden).map(one => one.querySelector('a').textContent);
"""
    return list(browser.execute_script(script, framework))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_are_drawn_and_the_policy_holds(quiet: Any, page: Path, scheme: str) -> None:
    view(quiet, page, scheme=scheme)
    quiet.execute_script(
        "window.violations = []; document.addEventListener('securitypolicyviolation',"
        " (event) => window.violations.push(event.blockedURI))"
    )
    states = dict(quiet.execute_async_script(DRAWN))
    assert states == {f"figure-{n}": "drawn" for n in range(1, 11) if n != 4}
    marks = quiet.execute_script(
        "return document.querySelectorAll('[data-chart=figure-1] .mark-symbol.role-mark path').length"
    )
    assert marks == 155  # Tables 5 to 7
    assert quiet.execute_script("return window.violations") == []
    head = page.read_text(encoding="utf-8").split("</head>")[0]
    policy = head.split('Content-Security-Policy" content="')[1].split('"')[0]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_functions_are_searched_ordered_and_saved(quiet: Any, page: Path) -> None:
    view(quiet, page)
    assert len(names(quiet)) == 63
    quiet.execute_script("Seamark.change({q: 'argsort'})")
    settle(quiet)
    assert names(quiet) == ["torch.argsort"]
    cells = quiet.execute_script(
        "return [...Seamark.model.byAnchor('f-torch.argsort').row.cells].map(one => one.textContent)"
    )
    assert cells[1:] == [
        "157 \u00b5s\nverdict not published",
        "948 ms\nverdict not published · 6,040\u00d7",
    ]
    quiet.execute_script("Seamark.change({q: '', sort: '-latency:torch/tpu-v3-8'})")
    settle(quiet)
    assert names(quiet)[0] == "torch.nn.Transformer"  # 3,066 ms
    quiet.execute_script("Seamark.change({sort: '-ratio:torch/tpu-v3-8'})")
    settle(quiet)
    assert names(quiet)[:2] == ["torch.argsort", "torch.optim.Adamax"]
    lines = quiet.execute_script("return Seamark.toolbar.csv()").split("\r\n")
    assert len(lines) == 1 + 2 * 199 + 1
    assert {line.split(",")[6] for line in lines[1:-1]} == {"not published"}
    assert any(
        "torch.argsort,0,,,torch/tpu-v3-8,not published,,,0,0,0,0,0.9482,6040" in line
        for line in lines
    )


def test_no_cell_has_the_colour_of_a_verdict(quiet: Any, page: Path) -> None:
    view(quiet, page)
    classes = quiet.execute_script(
        "return [...new Set([...document.querySelectorAll('#functions td')].map(one => one.className))]"
    )
    assert classes == ["unsaid"]
    buttons = quiet.execute_script(
        "return [...document.querySelectorAll('.verdicts button')].filter(one => !one.hidden)"
        ".map(one => one.dataset.verdict)"
    )
    assert buttons == ["not-published"]
    orders = quiet.execute_script(
        "return [...document.querySelectorAll('.selects option')].map(one => one.value)"
    )
    assert "-latency:jax/t4" in orders
    assert not [one for one in orders if "verdict" in one or "failures" in one]
    labels = quiet.execute_script(
        "return [...document.querySelectorAll('.selects span')].map(one => one.textContent)"
    )
    assert "differs from" not in labels, "no verdict differs from another"


def test_the_details_say_what_was_published(quiet: Any, page: Path) -> None:
    view(quiet, page, fragment="#f-torch.argsort")
    text = quiet.execute_script("return document.querySelector('#detail').innerText")
    assert "not published" in text
    assert "948 ms" in text
    assert "for no single function" in text
    assert "0 cases" not in text
    assert quiet.execute_script("return document.querySelectorAll('#detail table').length") == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_it_never_widens_the_page(quiet: Any, page: Path, width: int) -> None:
    view(quiet, page, width=width)
    quiet.execute_async_script(DRAWN)
    assert quiet.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(quiet: Any, page: Path, scheme: str) -> None:
    view(quiet, page, scheme=scheme)
    ground = style(quiet, "#functions td.unsaid", "background-color")
    assert contrast(style(quiet, "#functions td.unsaid", "color", "::first-line"), ground) >= 4.5
    assert contrast(style(quiet, "#functions td.unsaid", "color"), ground) >= 4.5


def test_every_link_leads_somewhere_and_ids_are_unique(quiet: Any, page: Path) -> None:
    view(quiet, page)
    missing, double = quiet.execute_script(
        "const ids = [...document.querySelectorAll('[id]')].map(one => one.id);"
        "const links = [...document.querySelectorAll('a[href^=\"#\"]')].map(one => one.getAttribute('href').slice(1));"
        "return [links.filter(one => !ids.includes(one) && !Seamark.model.byAnchor(one)), ids.filter((one, i) => ids.indexOf(one) !== i)]"
    )
    assert missing == []
    assert double == []


def test_it_prints_every_function(quiet: Any, page: Path) -> None:
    view(quiet, page, media="print")
    assert len(names(quiet)) + len(names(quiet, 1)) + len(names(quiet, 2)) == 199
    assert style(quiet, ".toolbar", "display") == "none"
    assert style(quiet, "nav", "display") == "none"


def test_it_is_readable_without_scripts(browser: Any, page: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        view(browser, page)
        text = browser.find_element("tag name", "body").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "torch.argsort" in re.sub(r"\s", "", text)
    assert "948.210 ms" in text
    assert "Table 1\nPortability" in text
    assert "adds up to 101%" in text
