"""What gives the right to use Seamark and says whose else it is: LICENSE, THIRD_PARTY_NOTICES.md, CITATION.cff."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTICES = ROOT / "THIRD_PARTY_NOTICES.md"
FILES = ("LICENSE", "THIRD_PARTY_NOTICES.md")
# Of the system or of CMake itself, and no part of Seamark.
NO_LIBRARY = {"Threads", "PkgConfig"}
SYSTEM = re.compile(r"linux-vdso|ld-linux|/lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so")


def rows(heading: str) -> list[list[str]]:
    """The table below a heading of the notices, without its head."""
    section = NOTICES.read_text().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def libraries_of_the_build() -> set[str]:
    found = set()
    for file in [
        ROOT / "CMakeLists.txt",
        *ROOT.glob("cmake/*.cmake"),
        *ROOT.glob("src/**/CMakeLists.txt"),
    ]:
        text = re.sub(r"#.*", "", file.read_text())
        found.update(re.findall(r"\b(?:find_package|pkg_check_modules)\(\s*(\w+)", text))
    return found - NO_LIBRARY


def test_every_library_of_the_build_is_named() -> None:
    named = {row[1].strip("`") for row in rows("Libraries")}
    assert libraries_of_the_build() == named
    for row in rows("Libraries"):
        assert all(row), row


def test_every_library_that_is_loaded_is_named() -> None:
    seamark = Path(
        os.environ.get("SEAMARK_TEST_EXECUTABLE", ROOT / "build" / "release" / "bin" / "seamark")
    )
    if not seamark.is_file() or sys.platform != "linux":
        pytest.skip("there is no executable for ldd")
    loaded = subprocess.run(["ldd", seamark], check=True, capture_output=True, text=True).stdout
    carried = " ".join(row[2] for row in rows("Libraries"))
    for line in loaded.splitlines():
        if not SYSTEM.search(line):
            name = line.split()[0].split(".so")[0]
            assert f"`{name}`" in carried, line


def test_every_part_of_data_is_named() -> None:
    named = {row[0].strip("`") for row in rows("Facts and tables")}
    assert {f"data/{part.name}" for part in (ROOT / "data").iterdir()} <= named
    for path in named:
        assert (ROOT / path).exists(), path


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Copyright 2026 The Seamark authors" in text
    shipped = Path("/usr/share/common-licenses/Apache-2.0")
    if shipped.is_file():
        ours, theirs = text.splitlines(), shipped.read_text().splitlines()
        differ = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        assert differ == [
            (
                "   Copyright 2026 The Seamark authors",
                "   Copyright [yyyy] [name of copyright owner]",
            )
        ]
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()


def test_the_citation_is_of_this_version_and_of_the_study() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    agent = (ROOT / "python" / "seamark_agent" / "__init__.py").read_text()
    version = re.search(r'__version__ = "(.*)"', agent)
    assert version is not None
    assert re.findall(r"^version: (.*)$", text, re.M) == [version[1]]
    assert re.findall(r"^cff-version: (.*)$", text, re.M) == ["1.2.0"]
    assert re.findall(r"^license: (.*)$", text, re.M) == ["Apache-2.0"]
    names = re.findall(r"^      - family-names: (.*)\n        given-names: (.*)$", text, re.M)
    assert [family for family, given in names] == ["Mince", "Dinh", "Kgomo", "Thompson", "Hooker"]
    assert "2309.07181" in text


@pytest.mark.packaging
def test_a_wheel_has_them(tmp_path: Path) -> None:
    """Without its executable, which test_layouts.py builds."""
    words = ["wheel", "--quiet", "--no-deps", "-C", "wheel.cmake=false", "-w", tmp_path, ROOT]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, timeout=600)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in FILES:
            (path,) = (
                one for one in archive.namelist() if one.endswith(f".dist-info/licenses/{name}")
            )
            assert archive.read(path) == (ROOT / name).read_bytes()
        (path,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        assert "\nLicense-Expression: Apache-2.0\n" in archive.read(path).decode()
