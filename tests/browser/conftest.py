"""A headless Chromium for all tests of this folder; skipped without selenium, chromium and chromedriver."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import REPORT, view

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent / "python"))

from soak import soak  # noqa: E402, F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # They give the page a time in which it has to draw.
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="session")
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


@pytest.fixture
def quiet(browser: Any) -> Iterator[Any]:
    """At the end nothing was said on the console."""
    yield browser
    assert browser.get_log("browser") == []


@pytest.fixture(autouse=True)
def as_new(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing that a test chose on a page is there for the next one: all pages on disk share one storage."""
    yield
    if "browser" not in request.fixturenames:
        return
    browser = request.getfixturevalue("browser")
    if browser.current_url.startswith("file:"):
        browser.execute_script("try { localStorage.clear() } catch {}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """The report, opened afresh; at the end nothing was said on the console."""
    view(browser, REPORT, width=1400)
    browser.execute_script("Seamark.theme.set('auto')")
    yield browser
    assert browser.get_log("browser") == []
