"""The pages that the tests open, and what they ask of a page.

The pages are golden files that the C++ tests compare with what the renderer makes today
(tests/report/report_golden_test.cc).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report"
REPORT = GOLDEN / "report.html"
HOSTILE = GOLDEN / "hostile.html"


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


def style(browser: Any, selector: str, name: str, part: str | None = None) -> str:
    script = (
        "return getComputedStyle(document.querySelector(arguments[0]), arguments[2])[arguments[1]]"
    )
    return str(browser.execute_script(script, selector, name, part))


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
