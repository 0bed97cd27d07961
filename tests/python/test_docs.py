"""The pages of docs/: they become a site whose links all lead somewhere, and their commands have the flags that they name."""

import functools
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from agent_client import ROOT
from seamark.columns import TABLES

PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])
GUIDES = sorted(ROOT.glob("docs/guide/*.md"))
SITE = ROOT / "build" / "site"


@pytest.fixture(scope="module")
def site(executable: str) -> Path:
    done = subprocess.run([ROOT / "scripts" / "docs"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return SITE


@pytest.mark.long
def test_every_page_is_in_the_site(site: Path) -> None:
    written = {page.relative_to(ROOT / "docs") for page in ROOT.glob("docs/**/*.md")}
    missing = [page for page in written if not (site / page).with_suffix(".html").is_file()]
    assert written and not missing


@pytest.mark.long
def test_each_verb_has_its_help(site: Path) -> None:
    text = (site / "reference" / "help.html").read_text()
    verbs = re.findall(r"VERB\((\w+)\)", (ROOT / "src/seamark/cli/verbs.h").read_text())
    assert len(verbs) > 10
    assert not [verb for verb in set(verbs) - {"install"} if f">seamark {verb}<" not in text]


@pytest.mark.long
def test_each_column_has_a_row(site: Path) -> None:
    text = (site / "reference" / "columns.html").read_text()
    for table in TABLES.values():
        rows = text.split(f'<h2 id="{table.name}">')[1].split("<h2")[0]
        assert re.findall(r"<td><code>(\w+)</code></td>\n<td>\w", rows) == table.names()


@pytest.mark.long
def test_each_function_that_was_measured_has_a_page_without_scripts(site: Path) -> None:
    assert len(list((site / "functions").glob("*.html"))) > 500
    text = (site / "functions" / "torch.matmul.html").read_text()
    assert "torch/tpu-v5e+aot" in text and "measured by Seamark on 20" in text
    assert 'href="torch.matmul.html"' in (site / "functions" / "index.html").read_text()


@pytest.mark.long
def test_a_bar_in_a_table_is_a_bar(site: Path) -> None:
    assert "all|core|quick" in (site / "run.html").read_text()


@pytest.mark.long
@pytest.mark.parametrize("link", ["method.md#no-such-anchor", "no-such-page.md", "/method.md"])
def test_a_link_that_leads_nowhere_is_refused(site: Path, tmp_path: Path, link: str) -> None:
    pages = tmp_path / "pages"
    without = shutil.ignore_patterns("torch.*", "tf.*", "jax.*")  # a page for each function
    shutil.copytree(ROOT / "build" / "docs-src", pages, ignore=without)
    (pages / "functions" / "index.md").write_text("# Functions\n")
    (pages / "trust.md").write_text(f"# seamark trust\n\n[there]({link})\n")
    done = subprocess.run(
        [ROOT / "build/docs-tools/bin/python", "-m", "mkdocs", "build", "--strict"]
        + ["--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "SEAMARK_DOCS_DIR": str(pages)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert f"'{link}'" in done.stderr


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_fits_two_screens(guide: Path) -> None:
    assert len(guide.read_text().splitlines()) <= 60


# --- commands


def commands(page: Path) -> list[list[str]]:
    """The words of each `seamark ...` in a block of code; of a pipe each part by itself."""
    text = page.read_text()
    blocks = re.findall(r"^```(?:sh|yaml)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks + re.findall(r"^    (.*)", text, re.MULTILINE))
    found = []
    for line in lines.replace("\\\n", " ").splitlines():
        for part in re.split(r"&& |\| ", line):
            if match := re.match(r"\s*(?:- )?(?:run: )?(seamark [a-z].*)", part):
                found.append(shlex.split(match[1], comments=True))
    return found


@pytest.fixture(scope="module")
def help_of(executable: str):
    @functools.cache
    def ask(*verb: str) -> str:
        done = subprocess.run([executable, *verb, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, f"no verb {verb}: {done.stderr}"
        return done.stdout

    return ask


def test_commands_have_the_flags_that_pages_name(help_of) -> None:
    wrong, seen = [], 0
    for page in PAGES:
        for words in commands(page):
            verb = ["targets", "install"] if words[1:3] == ["targets", "install"] else [words[1]]
            text = help_of(*verb)
            for flag in (word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)):
                seen += 1
                if not re.search(rf"(?<![\w-]){flag}(?![\w-])", text):
                    wrong.append(f"{page.relative_to(ROOT)}: {shlex.join(words)}: {flag}")
    assert seen > 100
    assert not wrong, "\n".join(wrong)
