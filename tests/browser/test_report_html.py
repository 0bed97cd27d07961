"""Opens the HTML report from disk in a headless Chromium.

The two pages are golden files that the C++ tests compare with what the renderer makes today
(tests/report/report_golden_test.cc). Needs selenium, chromium and chromedriver; skipped without.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report"
REPORT = GOLDEN / "report.html"
HOSTILE = GOLDEN / "hostile.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=Service(driver))
    yield session
    session.quit()


def view(
    browser: Any,
    page: Path,
    *,
    width: int = 1280,
    scheme: str = "light",
    media: str = "screen",
    fragment: str = "",
) -> None:
    browser.get("about:blank")
    browser.get_log("browser")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    browser.get(page.as_uri() + fragment)


def style(browser: Any, selector: str, name: str) -> str:
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    return str(browser.execute_script(script, selector, name))


def luminance(color: str) -> float:
    """Relative luminance (WCAG) of rgb(...)."""
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("page", [REPORT, HOSTILE])
def test_the_policy_names_the_style_sheet(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    sheet = re.search(r"<style>(.*?)</style>", text, re.S)
    assert sheet is not None
    digest = base64.b64encode(hashlib.sha256(sheet.group(1).encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text
    assert "script" not in text.split("</head>")[0]


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
    assert len(rows) == 10  # nine targets and the line above the compiled ones
    assert any("torch/lazy" in row and "17%" in row for row in rows)
    matrices = browser.execute_script("return document.querySelectorAll('.matrix').length")
    assert matrices == 3
    assert "Could not run 'aten::ormqr'" in browser.execute_script(
        "return document.querySelector('#failures').innerText"
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
            "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)]"
            ".map(row => row.innerText).filter(text => text.startsWith('jax/tpu'))",
            section,
        )
        assert len(rows) == 2, section
        assert all("compiled" in row for row in rows), section
    passes = browser.execute_script(
        "return [...document.querySelectorAll('.chip.pass.aot')].map(chip => chip.textContent)"
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
            ".chip.pass:not(.aot)",
            ".chip.partial",
            ".chip.fail:not(.aot)",
            ".chip.notrun",
        ):
            ink, ground = style(browser, chip, "color"), style(browser, chip, "backgroundColor")
            assert contrast(ink, ground) > 4.5, (scheme, chip)
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
    assert style(browser, ".matrix thead th", "position") == "sticky"
    assert style(browser, "nav", "position") == "sticky"
    left = browser.execute_script(
        "const box = document.querySelector('.matrix'); box.scrollLeft = 200;"
        "const cell = box.querySelector('tbody th').getBoundingClientRect();"
        "return [box.scrollLeft, cell.left - box.getBoundingClientRect().left];"
    )
    assert left[0] > 100
    assert abs(left[1]) < 3


def test_a_link_to_a_function_unfolds_it(browser: Any) -> None:
    view(browser, REPORT, fragment="#f-torch.ormqr")
    opened = browser.execute_script(
        "return [...document.querySelectorAll('details[open] .name')].map(name => name.innerText)"
    )
    assert opened == ["torch.ormqr"]


def test_prints_everything_without_the_navigation(browser: Any) -> None:
    view(browser, REPORT, media="print")
    assert style(browser, "nav", "display") == "none"
    assert style(browser, ".scroll", "overflow") == "visible"
    assert browser.execute_cdp_cmd("Page.printToPDF", {})["data"]


def test_hostile_text_stays_text(browser: Any) -> None:
    view(browser, HOSTILE)
    assert browser.title == "Seamark: portability report"
    counts = browser.execute_script(
        "return ['script', 'img', 'iframe', '[onerror]', 'a[href^=javascript]']"
        ".map(selector => document.querySelectorAll(selector).length)"
    )
    assert counts == [0, 0, 0, 0, 0]
    text = browser.execute_script("return document.querySelector('#failures').textContent")
    assert "<script>document.title='owned'</script>" in text
    assert "</details>" in text
    assert browser.execute_script("return document.body.lastElementChild.tagName") == "FOOTER"
