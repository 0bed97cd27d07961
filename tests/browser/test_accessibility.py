"""The page as axe-core sees it: no violation that is serious or critical."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from browser_pages import REPORT, view

AXE = find_spec("axe_core_python")
pytestmark = pytest.mark.skipif(AXE is None, reason="axe-core-python is not installed")

VIOLATIONS = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(
    (found) => done(found.violations.map((one) => [one.impact, one.id,
        one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`)])),
    (fault) => done([['critical', String(fault), []]]));
"""


def violations(browser: Any) -> list[tuple[str, str, list[str]]]:
    assert AXE is not None and AXE.origin is not None
    code = (Path(AXE.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": code})  # as the policy forbids more
    found = browser.execute_async_script(VIOLATIONS)
    return [tuple(one) for one in found if one[0] in ("serious", "critical")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("fragment", ["", "#?verdict=host,fail", "#f-torch.ormqr"])
def test_nothing_keeps_readers_out(browser: Any, scheme: str, width: int, fragment: str) -> None:
    view(browser, REPORT, width=width, scheme=scheme, fragment=fragment)
    browser.execute_script(
        "document.querySelectorAll('details').forEach(one => { one.open = true; })"
    )
    assert violations(browser) == []


def test_a_fault_of_the_page_is_found(browser: Any) -> None:
    view(browser, REPORT)
    browser.execute_script(
        "document.querySelectorAll('.toolbar label > span').forEach(one => one.remove())"
    )
    assert "select-name" in [name for _, name, _ in violations(browser)]
