"""What the page opens on: a sentence for each target, what failed, the matrix; the most called first.

Needs SEAMARK_TEST_EXECUTABLE, besides what the other tests of this folder need.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from browser_pages import REPORT, page_of_tests, settle, view

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
needs_executable = pytest.mark.skipif(
    not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark"
)

# All fail but torch.add; calls as data/usage/calls.csv counts them fall in this order.
CALLED = ["torch.cat", "torch.zeros", "torch.add"]
NEVER_CALLED = "torch.a_function_that_nobody_calls"
NAMES = "return [...document.querySelectorAll('#functions tbody th a')].map(one => one.textContent)"


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = sorted([NEVER_CALLED, *CALLED])
    failure = '<failure message="{}">RuntimeError</failure>'
    cases = "".join(
        f'<testcase classname="t" name="test_{at}" time="0.1">'
        f"{'' if name == 'torch.add' else failure.format(f'no kernel for {name}')}</testcase>"
        for at, name in enumerate(names)
    )
    rows = "".join(f"t.test_{at},{name},torch\n" for at, name in enumerate(names))
    return page_of_tests(tmp_path_factory.mktemp("called"), cases, rows)


def names(browser: Any) -> list[str]:
    settle(browser)
    return list(browser.execute_script(NAMES))


def test_it_opens_on_sentences_then_failures_then_the_matrix(quiet: Any) -> None:
    view(quiet, REPORT)
    sections = quiet.execute_script(
        "return [...document.querySelectorAll('main > section')].map(one => one.id)"
    )
    assert sections[:3] == ["summary", "failures", "functions"]
    said = [one.text for one in quiet.find_elements("css selector", "#summary li")]
    targets = quiet.execute_script("return Seamark.model.targets.map(one => one.name)")
    assert [text.split()[0] for text in said] == targets
    lazy = said[targets.index("torch/lazy")]
    assert lazy.startswith("torch/lazy runs 4 of 6 functions, 3 of them on the host, ")
    assert said[targets.index("jax/tpu-v3+aot")].startswith(
        "jax/tpu-v3+aot compiles 3 of 4 functions; nothing was executed"
    )


@needs_executable
def test_the_most_called_come_first_and_what_nobody_calls_last(quiet: Any, called: Path) -> None:
    view(quiet, called)
    expected = [*CALLED, NEVER_CALLED]
    assert names(quiet) == expected
    failed = quiet.execute_script(
        "return [...document.querySelectorAll('#failures tbody th[scope=row]')].map(one => one.textContent)"
    )
    assert failed == [name for name in expected if name != "torch.add"]
    assert quiet.execute_script("return location.hash") == ""


@needs_executable
def test_the_order_stays_in_the_address(quiet: Any, called: Path) -> None:
    view(quiet, called)
    quiet.execute_script("Seamark.change({sort: 'name'})")
    assert names(quiet) == sorted([NEVER_CALLED, *CALLED])
    assert quiet.execute_script("return location.hash") == "#?sort=name"
    view(quiet, called, fragment="#?sort=calls")
    assert names(quiet) == [*reversed(CALLED), NEVER_CALLED], "never on top"
    quiet.execute_script("document.querySelector('.toolbar .button:not([hidden])').click()")
    assert names(quiet) == [*CALLED, NEVER_CALLED]
    assert quiet.execute_script("return location.hash") == ""


# --- on a narrow window


def box(browser: Any, selector: str) -> list[dict[str, float]]:
    return list(
        browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.getBoundingClientRect().toJSON())",
            selector,
        )
    )


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
    high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return wide > 1 and high > 1


@pytest.mark.parametrize("width", [400, 800, 1280])
def test_what_leads_through_the_page_neither_overlaps_nor_is_cut(quiet: Any, width: int) -> None:
    view(quiet, REPORT, width=width)
    quiet.find_element("css selector", ".columns summary").click()
    assert all(one["height"] < 30 for one in box(quiet, ".columns label"))
    for selector in (
        "nav a, nav button",
        ".toolbar :is(input, select, button), .columns label:not(:has(:checked))",
    ):
        boxes = [one for one in box(quiet, selector) if one["width"] > 0]
        assert len(boxes) > 5
        assert all(one["left"] >= 0 and one["right"] <= width for one in boxes), selector
        pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]]
        assert not [pair for pair in pairs if overlap(*pair)], selector
    quiet.execute_script("Seamark.change({fn: 'torch.ormqr'})")
    inside = box(quiet, "#detail :is(h2, p, li, .chip, pre, .cases td, .cases th, .close)")
    assert all(one["right"] <= width + 1 for one in inside)


CUT = """
const seen = (node) => node.checkVisibility() && node.getClientRects().length > 0;
return [...document.querySelectorAll('main *, header *')].filter(node => seen(node)
    && [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())
    && node.getBoundingClientRect().right > innerWidth + 1
    && !node.closest('.scroll')).map(node => node.outerHTML.slice(0, 80));
"""


def test_a_narrow_window_cuts_no_text(quiet: Any) -> None:
    view(quiet, REPORT, width=400)
    assert quiet.execute_script(CUT) == []
    failures = quiet.execute_script(
        "const box = document.querySelector('#failures .scroll'); return [box.scrollWidth, box.clientWidth]"
    )
    assert failures[0] <= failures[1], "what failed is read without moving it sideways"
    levels = quiet.execute_script(
        "return [...document.querySelectorAll('.matrix thead .level')].map(one =>"
        " one.getBoundingClientRect().right <= one.closest('th').getBoundingClientRect().right)"
    )
    assert levels and all(levels)


def test_the_notice_of_the_subset_is_one_line_that_unfolds(quiet: Any) -> None:
    view(quiet, REPORT, width=400)
    closed = box(quiet, "details.banner")[0]
    assert closed["height"] < 45
    assert "seamark run" not in quiet.find_element("css selector", "details.banner").text
    quiet.find_element("css selector", "details.banner summary").click()
    text = quiet.find_element("css selector", "details.banner").text
    assert "one core case per function on targets that compile (inductor, xla, aot)." in text
    assert "Everything: seamark run --suite curated" in text
    assert box(quiet, "details.banner")[0]["height"] > 2 * closed["height"]
