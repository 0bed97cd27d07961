"""The pages that the tests open, and what they ask of a page.

The pages are golden files that the C++ tests compare with what the renderer makes today
(tests/report/report_golden_test.cc), in which names stand for the page's own styles and scripts.
"""

from __future__ import annotations

import atexit
import base64
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "report"
CODE = ROOT / "src" / "seamark" / "report" / "page"
FOLDER = Path(tempfile.mkdtemp(prefix="seamark-pages-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


FRAMES = """
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => done()));
"""


def whole(name: str) -> Path:
    """A golden page with its styles and scripts, and with their hashes in its policy."""
    text = (GOLDEN / name).read_text(encoding="utf-8")
    for file in CODE.iterdir():
        code = file.read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        text = text.replace(f">{file.name}</", f">{code}</")
        text = text.replace(f"'sha256-{file.name}'", f"'sha256-{digest}'")
    page = FOLDER / name
    page.write_text(text, encoding="utf-8")
    return page


REPORT = whole("report.html")
HOSTILE = whole("hostile.html")


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


def settle(browser: Any) -> None:
    """Waits until what the page was told is drawn."""
    browser.execute_async_script(FRAMES)


ROWS = """
return [...document.querySelectorAll('#functions tbody tr')].filter(row => !row.hidden)
  .map(row => row.querySelector('a').textContent);
"""


def rows(browser: Any) -> list[str]:
    settle(browser)
    return list(browser.execute_script(ROWS))


def text_of(browser: Any, selector: str) -> str:
    return str(
        browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)
    )


def hash_of(browser: Any) -> str:
    return str(browser.execute_script("return location.hash"))


def reopen(browser: Any, fragment: str, page: Path = REPORT) -> None:
    view(browser, page, width=1400, fragment=fragment)
    settle(browser)


def page_of_tests(folder: Path, cases: str, rows: str) -> Path:
    """The page of JUnit's test cases that were imported for torch/cuda; `rows`: the map of tests to functions."""
    (folder / "junit.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    (folder / "map.csv").write_text(rows)
    words = ("import", "junit.xml", "--target", "torch/cuda", "--map", "map.csv", "--store", "a.db")
    executable = os.environ["SEAMARK_TEST_EXECUTABLE"]
    for verb in (words, ("report", "--store", "a.db", "--format", "html", "-o", "a.html")):
        done = subprocess.run([executable, *verb], cwd=folder, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
    return folder / "a.html"


def style(browser: Any, selector: str, name: str, part: str | None = None) -> str:
    script = (
        "return getComputedStyle(document.querySelector(arguments[0]), arguments[2])[arguments[1]]"
    )
    return str(browser.execute_script(script, selector, name, part))


def linear(color: str) -> list[float]:
    """Linear red, green and blue (sRGB) of rgb(...)."""
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3]]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(color: str) -> float:
    """Relative luminance (WCAG) of rgb(...)."""
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)
