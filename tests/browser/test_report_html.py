"""Opens the HTML report from disk in a headless Chromium: its policy, its tables, its look."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from browser_pages import HOSTILE, REPORT, contrast, luminance, style, view


def sources(text: str, tag: str) -> list[str]:
    """What the policy has to say of the page's inline styles or scripts."""
    codes = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
    digests = [hashlib.sha256(code.encode()).digest() for code in codes]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


@pytest.mark.parametrize("page", [REPORT, HOSTILE])
def test_the_policy_names_each_style_and_script_and_nothing_else(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.group(1).split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("style-src").split() == sources(text, "style")
    assert rules.pop("script-src").split() == sources(text, "script")
    assert rules == {"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    assert set(re.findall(r"<script( [^>]*)>", text)) == {
        f' type="application/json" id="{name}"' for name in ("seamark-index", "seamark-cases-0")
    }
    assert not re.search(r"<[a-z]+ [^>]*\b(style|on[a-z]+)=", text.split("<script")[0])


@pytest.mark.parametrize("page", [REPORT, HOSTILE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opens_without_a_word_on_the_console(browser: Any, page: Path, scheme: str) -> None:
    view(browser, page, scheme=scheme)
    assert browser.get_log("browser") == []
    requests = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    assert [name for name in requests if not name.startswith("data:")] == []


def test_the_tables_stand_in_the_page(browser: Any) -> None:
    view(browser, REPORT)
    rows = browser.execute_script(
        "return [...document.querySelectorAll('#overview tbody tr')].map(row => row.innerText)"
    )
    # Nine targets, the line above the compiled ones, and the one above what did not run.
    assert len(rows) == 11
    assert any("torch/lazy" in row and "17%" in row for row in rows)
    heads = browser.execute_script(
        "return [...document.querySelectorAll('#overview thead th')].map(cell => cell.textContent)"
    )
    lazy = browser.execute_script(
        "const row = document.querySelector('#overview [href=\"#t-torch/lazy\"]').closest('tr');"
        "return [...row.cells].map(cell => [cell.textContent, cell.className])"
    )
    assert lazy[heads.index("on host")] == ["3", "num t-host"]
    bar = style(browser, "#overview .bar .t-host", "color")
    assert bar == style(browser, ".chip.host", "color") != style(browser, ".bar .t-pass", "color")
    matrices = browser.execute_script("return document.querySelectorAll('.matrix').length")
    assert matrices == 3
    assert "Could not run 'aten::ormqr'" in browser.execute_script(
        "return document.querySelector('#failures').textContent"
    )


def test_what_was_only_compiled_says_so_in_every_table(browser: Any) -> None:
    view(browser, REPORT)
    texts = browser.execute_script(
        "return [...document.querySelectorAll('#functions th')]"
        ".filter(cell => cell.innerText.startsWith('jax/tpu')).map(cell => cell.innerText)"
    )
    assert len(texts) == 2
    assert all("compiled" in text for text in texts)
    for section in ("overview", "categories"):
        rows = browser.execute_script(
            "return [...document.querySelector(`#${arguments[0]} table`).querySelectorAll('tbody tr')]"
            ".map(row => row.innerText).filter(text => text.startsWith('jax/tpu'))",
            section,
        )
        assert len(rows) == 2, section
        assert all("compiled" in row for row in rows), section
    passes = browser.execute_script(
        "return [...document.querySelectorAll('.matrix td.pass.aot')].map(cell => cell.textContent)"
    )
    assert passes
    assert all("compiles" in text for text in passes)


def test_light_and_dark_differ_and_are_readable(browser: Any) -> None:
    pages = []
    for scheme in ("light", "dark"):
        view(browser, REPORT, scheme=scheme)
        page = style(browser, "body", "backgroundColor")
        pages.append(page)
        assert contrast(style(browser, "body", "color"), page) > 10
        assert contrast(style(browser, ".note", "color"), page) > 4.5
        for chip in (
            ".chip.pass",
            ".chip.host",
            ".chip.partial",
            ".chip.fail",
            ".chip.notrun",
        ):
            ink, ground = style(browser, chip, "color"), style(browser, chip, "backgroundColor")
            assert contrast(ink, ground) > 4.5, (scheme, chip)
        for cell in (
            "pass:not(.aot)",
            "host",
            "pass.aot",
            "partial",
            "fail:not(.aot)",
            "notrun",
            "onref",
            "unanswered",
            "nowork",
        ):
            ground = style(browser, f".matrix td.{cell}", "backgroundColor")
            assert not ground.startswith("rgba"), (scheme, cell)  # a colour of its own
            for part in (None, "::first-line"):
                ink = style(browser, f".matrix td.{cell}", "color", part)
                assert contrast(ink, ground) > 4.5, (scheme, cell, part)
    assert luminance(pages[0]) > 0.8
    assert luminance(pages[1]) < 0.05


@pytest.mark.parametrize("page", [REPORT, HOSTILE])
@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_the_page_never_scrolls_sideways(browser: Any, page: Path, width: int) -> None:
    view(browser, page, width=width)
    for fold in (False, True):
        browser.execute_script(
            "document.querySelectorAll('details').forEach(one => { one.open = arguments[0]; })",
            fold,
        )
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width


def test_heads_and_names_stay_in_sight(browser: Any) -> None:
    view(browser, REPORT, width=400)
    assert style(browser, ".matrix thead", "position") == "sticky"
    assert style(browser, "nav", "position") == "sticky"
    left = browser.execute_script(
        "const box = document.querySelector('.matrix'); box.scrollLeft = 200;"
        "const cell = box.querySelector('tbody th').getBoundingClientRect();"
        "return [box.scrollLeft, cell.left - box.getBoundingClientRect().left];"
    )
    assert left[0] > 100
    assert abs(left[1]) < 3


def test_prints_everything_without_the_navigation(browser: Any) -> None:
    view(browser, REPORT, media="print")
    assert style(browser, "nav", "display") == "none"
    assert style(browser, ".scroll", "overflow") == "visible"
    assert browser.execute_cdp_cmd("Page.printToPDF", {})["data"]


def test_hostile_text_stays_text(browser: Any) -> None:
    view(browser, HOSTILE)
    assert browser.title == "Seamark: portability report"
    counts = browser.execute_script(
        "return ['img', 'iframe', '[onerror]', 'a[href^=javascript]', 'script[src]']"
        ".map(selector => document.querySelectorAll(selector).length)"
    )
    assert counts == [0, 0, 0, 0, 0]
    text = browser.execute_script("return document.querySelector('#failures').textContent")
    assert "<script>document.title='owned'</script>" in text
    assert "</details>" in text
    assert browser.execute_script(
        "return document.querySelector('footer').parentElement === document.body"
    )


def test_a_filter_by_verdict_lets_exactly_its_cells_stand_out(browser: Any) -> None:
    for verdict, css in {
        "host": "host",
        "unanswered": "unanswered",
        "no-device-work": "nowork",
        "fail": "fail",
    }.items():
        view(browser, REPORT, fragment=f"#?verdict={verdict}")
        bright = browser.execute_script(
            "const plain = getComputedStyle(document.querySelector('.matrix tbody th')).backgroundColor;"
            "return [...document.querySelectorAll('.matrix tbody td:not(.none)')]"
            ".filter(cell => getComputedStyle(cell).backgroundColor !== plain).map(cell => cell.className)"
        )
        assert bright
        assert all(css in name.split() for name in bright), verdict
