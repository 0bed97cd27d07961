"""Size and load time of the HTML report, for stores of made-up results.

    bench_report_html.py [BUILD_FOLDER] [--repeat 5]

Builds seamark and seamark_report_store there (default: build/release). Prints, per store, the time of
`seamark report`, the page's size, the time until headless Chromium has painted first and loaded it
(PerformancePaintTiming, PerformanceNavigationTiming; medians of the loads), how long the main
thread itself worked till then, how long it works on the rows that follow in idle time and the longest
it does so without a pause, and how long search, filter and order take to be on the screen.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).resolve().parents[2]

# Functions, targets, cases per function: 6,400 and 100,000 attempts.
STORES = ((200, 8, 4), (5000, 20, 1))

TIMES = """
const page = performance.getEntriesByType('navigation')[0];
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return {interactive: page.domInteractive, loaded: page.loadEventEnd, paint: paint ? paint.startTime : NaN,
        elements: document.getElementsByTagName('*').length};
"""

# When all rows are there, and the longest task after the load.
COMPLETE = """
const done = arguments[arguments.length - 1];
const loaded = performance.getEntriesByType('navigation')[0].loadEventEnd;
let longest = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) if (task.startTime > loaded) longest = Math.max(longest, task.duration);
}).observe({type: 'longtask', buffered: true});
(function look() {
  const rows = document.querySelectorAll('#functions tbody tr').length;
  if (rows < Seamark.model.functions.length) return setTimeout(look, 50);
  const complete = performance.now();
  setTimeout(() => done({complete, longest}), 500);
})();
"""

# Two frames later what was changed is on the screen.
CHANGE = """
const done = arguments[arguments.length - 1];
const start = performance.now();
Seamark.change(arguments[0]);
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))));
"""


def browser() -> Any:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        raise SystemExit("chromium and chromedriver are needed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    session = webdriver.Chrome(options=options, service=Service(driver))
    session.set_window_size(1400, 900)
    session.set_script_timeout(60)
    return session


def busy_s(session: Any) -> float:
    """What the page's main thread worked, which other work on the machine does not change."""
    found = session.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def load(session: Any, page: Path) -> dict[str, float]:
    session.get("about:blank")
    session.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = busy_s(session)
    session.get(page.as_uri())
    while not (times := session.execute_script(TIMES))["loaded"]:
        time.sleep(0.05)
    loaded = busy_s(session)
    times["busy"] = 1000 * (loaded - before)
    times |= session.execute_async_script(COMPLETE)
    times["idle"] = 1000 * (busy_s(session) - loaded)
    session.execute_cdp_cmd("Performance.disable", {})
    return dict(times)


def change(session: Any, what: dict[str, str]) -> float:
    return float(session.execute_async_script(CHANGE, what))


def measure(session: Any, page: Path, repeat: int) -> None:
    loads = [load(session, page) for _ in range(repeat)]
    middle = {key: statistics.median(one[key] for one in loads) for key in loads[0]}
    print(
        f"  {page.stat().st_size / 1e6:.2f} MB, {middle['elements']:,.0f} elements; first paint "
        f"{middle['paint']:.0f} ms, interactive {middle['interactive']:.0f} ms, "
        f"loaded {middle['loaded']:.0f} ms; main thread busy {middle['busy']:.0f} ms"
    )
    print(
        f"  all rows there: {middle['complete']:.0f} ms; main thread busy for them {middle['idle']:.0f} ms, "
        f"longest task {middle['longest']:.0f} ms (0: none of 50 ms)"
    )
    changes = ({"q": "linalg"}, {"q": "", "verdict": "fail"}, {"verdict": "", "sort": "-failures"})
    took = ", ".join(f"{change(session, one):.0f} ms" for one in changes)
    print(f"  until seen: search, filter, order: {took}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, nargs="?", default=ROOT / "build" / "release")
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    build = ["cmake", "--build", given.build, "--target", "seamark", "seamark_report_store"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    session = browser()
    with tempfile.TemporaryDirectory() as folder:
        for functions, targets, cases in STORES:
            store, page = Path(folder) / "store.db", Path(folder) / "report.html"
            store.unlink(missing_ok=True)
            size = [str(number) for number in (functions, targets, cases)]
            subprocess.run(
                [given.build / "tests" / "seamark_report_store", store, *size], check=True
            )
            start = time.monotonic()
            command = [given.build / "bin" / "seamark", "report", "--store", store]
            subprocess.run([*command, "--format", "html", "-o", page], check=True)
            print(
                f"{functions:,} functions x {targets} targets x {cases} cases: "
                f"written in {time.monotonic() - start:.1f} s"
            )
            measure(session, page, given.repeat)
    session.quit()


if __name__ == "__main__":
    main()
