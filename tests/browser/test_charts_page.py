"""The charts of the HTML report, drawn by vl-convert's Vega in a real browser under the page's own policy.

The report is of a real run of two targets whose function names are then made hostile. Needs
SEAMARK_TEST_EXECUTABLE and vl-convert, besides what the other tests of this folder need.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browser_pages import GOLDEN, luminance, view

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

HOSTILE = "<img src=x onerror=\"document.title='owned'\"></script><script>alert(1)</script>"
SUITE = """
from seamark_suites.case import case


@case("selftest.math.cos", reference="none")
def cos(t):
    t.expect(t.call("selftest.math.cos", 0.0) == 1.0, "one")


@case("selftest.math.exp", reference="none")
def exp(t):
    t.expect(t.call("selftest.math.exp", 0.0) == 1.0, "one")
"""
TARGET = """
[[target]]
name = "selftest/%s"
adapter = "selftest"
device = "cpu"
worker = "fork"
memory_limit = "none"
"""


def seamark(*words: str, folder: Path, **variables: str) -> None:
    done = subprocess.run(
        [str(EXECUTABLE), *words],
        cwd=folder,
        env={
            **os.environ,
            "SEAMARK_CACHE": str(folder / "cache"),
            "SEAMARK_CONFIG": "seamark.toml",
            **variables,
        },
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    folder = tmp_path_factory.mktemp("charts")
    (folder / "suite.py").write_text(SUITE)
    (folder / "seamark.toml").write_text(
        'suites = ["suite.py"]\n' + TARGET % "cpu" + TARGET % "tpu"
    )
    words = ("run", "--store", "a.db", "--target", "selftest/*", "--python", sys.executable)
    seamark(*words, folder=folder)
    with sqlite3.connect(folder / "a.db") as database:
        database.execute(
            "UPDATE functions SET name = ? WHERE name = 'selftest.math.cos'", (HOSTILE,)
        )
    return folder / "a.db"


@pytest.fixture(scope="module")
def page(store: Path) -> Path:
    words = ("report", "--store", "a.db", "--format", "html", "-o", "a.html")
    seamark(*words, folder=store.parent, SEAMARK_PYTHON=sys.executable)
    return store.parent / "a.html"


DRAWN = """
const done = arguments[arguments.length - 1];
const frames = [...document.querySelectorAll('[data-chart]')];
let at = 0;
(function next() {
  if (at === frames.length) return done(frames.map(one => [one.dataset.chart, one.dataset.state]));
  frames[at].scrollIntoView();
  if (frames[at].dataset.state) at += 1;
  setTimeout(next, 20);
})();
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(quiet: Any, page: Path, scheme: str) -> None:
    view(quiet, page, scheme=scheme)
    states = dict(quiet.execute_async_script(DRAWN))
    assert {"figure-1", "figure-3"} <= set(states)
    assert set(states.values()) == {"drawn"}
    marks = quiet.execute_script(
        "return document.querySelectorAll('[data-chart=figure-1] .mark-symbol.role-mark path').length"
    )
    assert marks == 2
    assert "Figure 1 ·" in quiet.execute_script(
        "return document.querySelector('[data-chart=figure-1] svg.marks').textContent"
    )


@pytest.fixture(scope="module")
def every_form(page: Path) -> Path:
    """The same page with all figures of the published study and one of each form instead of its own. Data are no
    code: the policy stays as it is."""
    folder = page.parent / "specs"
    words = ("report", "--store", "grand-illusion", "--format", "vega-lite", "-o", str(folder))
    seamark(*words, folder=page.parent)
    files = [*folder.glob("*.vl.json"), *(GOLDEN / "charts").glob("figure-*.vl.json")]
    charts = {
        f"{path.parent.name}-{path.name.split('.')[0]}": json.loads(path.read_text())
        for path in files
    }
    text = page.read_text(encoding="utf-8")
    before, data = text.split('id="charts-data">')
    data, after = data.split("</script>", 1)
    config = json.loads(data)["config"]
    fresh = json.dumps({"charts": charts, "config": config}).replace("<", "\\u003c")
    frames = "".join(
        f'<figure class="chart" data-chart="{name}"><div class="drawing"></div></figure>'
        for name in charts
    )
    head, rest = before.split('<div class="charts">')
    text = head + '<div class="charts">' + frames + "</div>" + rest.split("</section>", 1)[1]
    copy = page.parent / "all.html"
    copy.write_text(text + 'id="charts-data">' + fresh + "</script>" + after, encoding="utf-8")
    return copy


def test_every_form_is_drawn_without_a_warning(quiet: Any, every_form: Path) -> None:
    view(quiet, every_form)
    states = dict(quiet.execute_async_script(DRAWN))
    assert len(states) >= 19
    assert set(states.values()) == {"drawn"}
    assert quiet.title == "Seamark: portability report"


def test_charts_are_saved_by_a_button(quiet: Any, page: Path) -> None:
    view(quiet, page)
    quiet.execute_async_script(DRAWN)
    saved = quiet.execute_async_script(
        "const done = arguments[arguments.length - 1]; const saved = [];"
        "HTMLAnchorElement.prototype.click = function () {"
        " saved.push([this.download, this.href.split(/[:,;]/)[0]]);"
        " if (saved.length === 2) done(saved); };"
        "document.querySelectorAll('[data-chart=figure-1] .save button').forEach(one => one.click())"
    )
    assert sorted(name for name, _ in saved) == ["figure-1.png", "figure-1.svg"]
    assert {scheme for _, scheme in saved} <= {"data", "blob"}


def test_the_policy_needs_no_eval(page: Path) -> None:
    head = page.read_text(encoding="utf-8").split("</head>")[0]
    policy = head.split('Content-Security-Policy" content="')[1].split('"')[0]
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy
    assert "default-src 'none'" in policy


def test_charts_wait_until_they_come_into_view(quiet: Any, page: Path) -> None:
    view(quiet, page, width=1000)
    quiet.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 1000, "height": 300, "deviceScaleFactor": 1, "mobile": False},
    )
    quiet.get(page.as_uri())
    assert quiet.execute_script("return typeof window.vegaEmbed") == "undefined"
    quiet.execute_async_script(DRAWN)
    assert quiet.execute_script("return typeof window.vegaEmbed") == "function"


def test_charts_follow_the_theme_of_the_page(quiet: Any, page: Path) -> None:
    view(quiet, page)
    quiet.execute_async_script(DRAWN)
    color = (
        "const text = document.querySelector('[data-chart=figure-1] .role-title-text text');"
        "return getComputedStyle(text).fill"
    )
    light = quiet.execute_script(color)
    quiet.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "Seamark.theme.set('dark'); setTimeout(done, 1000)"
    )
    dark = quiet.execute_script(color)
    quiet.execute_script("Seamark.theme.set('auto')")
    assert luminance(light) < 0.1
    assert luminance(dark) > 0.7


def test_a_hostile_name_is_text_in_tooltips(quiet: Any, page: Path) -> None:
    view(quiet, page)
    quiet.execute_async_script(DRAWN)
    texts = []
    for number in range(2):
        quiet.execute_script(
            "const marks = document.querySelectorAll('[data-chart=figure-1] .mark-symbol.role-mark path');"
            "const box = marks[arguments[0]].getBoundingClientRect();"
            "for (const kind of ['pointerover', 'pointermove', 'mouseover', 'mousemove'])"
            " marks[arguments[0]].dispatchEvent(new MouseEvent(kind,"
            " {bubbles: true, clientX: box.x + 2, clientY: box.y + 2}));",
            number,
        )
        texts.append(
            quiet.execute_script("return document.querySelector('#vg-tooltip-element').innerText")
        )
    assert any("<img src=x onerror=" in text for text in texts), texts
    assert all("function" in text and "ms" in text for text in texts), texts
    assert quiet.title == "Seamark: portability report"
    assert quiet.execute_script("return document.querySelectorAll('img, iframe').length") == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_charts_never_widen_the_page(quiet: Any, page: Path, width: int) -> None:
    view(quiet, page, width=width)
    quiet.execute_async_script(DRAWN)
    assert quiet.execute_script("return document.documentElement.scrollWidth") <= width


def test_without_vl_convert_the_page_says_how_to_get_the_charts(
    quiet: Any, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "vl_convert.py").write_text("raise ImportError('none here')")
    words = ("report", "--store", "a.db", "--format", "html", "-o", "none.html")
    seamark(
        *words,
        folder=store.parent,
        SEAMARK_PYTHON=sys.executable,
        SEAMARK_CACHE=str(tmp_path),
        PYTHONPATH=str(tmp_path),
    )
    view(quiet, store.parent / "none.html")
    text = quiet.execute_script("return document.querySelector('#charts').innerText")
    assert "seamark targets install charts" in text
    assert "figure-1" in text or "Figure 1" in text
    assert quiet.execute_script("return document.querySelectorAll('[data-chart]').length") == 0
    assert quiet.execute_script("return document.querySelectorAll('#charts table').length") > 0
