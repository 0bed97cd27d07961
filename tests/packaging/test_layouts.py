"""Seamark finds its own files in each layout: build tree, cmake --install, pip install, repaired wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_TREE = ROOT / "build" / "release"
EXTRA_TARGET = """
[[target]]
name = "selftest/cpu"
summary = "only in this copy"
adapter = "selftest"
device = "cpu"
worker = "persistent"
"""


# Wheels are built in a folder of their own and not optimized: what they carry is the same, its speed is no matter.
QUICKLY = {
    **os.environ,
    "CMAKE_ARGS": "-DCMAKE_UNITY_BUILD=ON",
    "SKBUILD_BUILD_DIR": "build/wheel-quickly",
    "SKBUILD_CMAKE_BUILD_TYPE": "None",
}


def built_executable() -> Path:
    path = Path(os.environ.get("SEAMARK_TEST_EXECUTABLE", BUILD_TREE / "bin" / "seamark"))
    if not path.is_file():
        pytest.skip(f"{path} is not built")
    return path


def run(*command: str | Path, home: Path, timeout: float = 1200) -> str:
    """Standard output of a command that gets nothing of this process's environment but PATH."""
    done = subprocess.run(
        command,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def pip(python: Path, *arguments: str | Path) -> None:
    """pip with this process's environment: the index may be configured there."""
    subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        check=True,
        timeout=1200,
        stdin=subprocess.DEVNULL,
        env=QUICKLY,
    )


def fresh_venv(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    return folder / "bin" / "python"


def package_home(python: Path, home: Path) -> Path:
    code = "import pathlib, seamark; print(pathlib.Path(seamark.__file__).parent / '_home')"
    return Path(run(python, "-c", code, home=home).strip())


def target_names(seamark: Path, home: Path) -> list[str]:
    listed = json.loads(run(seamark, "targets", "--json", home=home))
    return [target["target"] for target in listed["targets"]]


def check(seamark: Path, files: Path, home: Path, *, change: bool) -> None:
    """`files` is the folder with data/ and python/ that this copy must use."""
    version = re.search(
        r'__version__ = "(.*)"', (files / "python/seamark_agent/__init__.py").read_text()
    )
    assert version is not None
    assert (files / "python/seamark_helper/parquet_lines.py").is_file()
    assert version[1] in run(seamark, "--version", home=home)
    assert {"torch/cpu", "tensorflow/cpu+xla", "jax/tpu-v5e+aot"} <= set(
        target_names(seamark, home)
    )
    # The cases come from python/, by an interpreter that knows nothing of Seamark.
    listed = run(seamark, "run", "--list", "--target", "torch/cpu", home=home)
    assert "torch.argsort/" in listed
    if change:
        with (files / "data" / "targets.toml").open("a") as targets:
            targets.write(EXTRA_TARGET)
        assert "selftest/cpu" in target_names(seamark, home)


def check_tables(python: Path, home: Path) -> None:
    """The package asks its own executable; what is missing for tables is told."""
    code = (
        "import seamark; study = seamark.open('grand-illusion'); print(study.chart('figure-3').title)\n"
        "try:\n    study.exhibits()\nexcept ImportError as error:\n    print(error)"
    )
    title, missing = run(python, "-c", code, home=home).splitlines()
    assert title
    assert "pip install 'seamark[data]'" in missing


def test_build_tree(tmp_path: Path) -> None:
    check(built_executable(), ROOT, tmp_path, change=False)


def test_cmake_install(tmp_path: Path) -> None:
    cache = built_executable().parents[1] / "CMakeCache.txt"
    found = re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$", cache.read_text(), re.MULTILINE)
    assert found is not None
    prefix = tmp_path / "prefix"
    subprocess.run(
        [found[1], "--install", cache.parent, "--prefix", prefix],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    check(prefix / "bin" / "seamark", prefix / "share" / "seamark", tmp_path, change=True)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        assert (prefix / "share" / "doc" / "seamark" / name).is_file()


@pytest.mark.packaging
def test_pip_install(tmp_path: Path) -> None:
    python = fresh_venv(tmp_path / "venv")
    pip(python, "install", ROOT)
    files = package_home(python, tmp_path)
    check(python.with_name("seamark"), files, tmp_path, change=True)
    # The package alone, too.
    assert "seamark" in run(python, "-m", "seamark", "--version", home=tmp_path)
    code = "import seamark; print(seamark.__version__, seamark.executable_path())"
    version, path = run(python, "-c", code, home=tmp_path).split()
    assert version in run(path, "--version", home=tmp_path)
    check_tables(python, tmp_path)
    Path(path).unlink()
    lost = subprocess.run([python, "-m", "seamark"], capture_output=True, text=True, cwd="/")
    assert lost.returncode == 3
    assert "has no executable" in lost.stderr
    assert "Traceback" not in lost.stderr


@pytest.mark.packaging
@pytest.mark.skipif(sys.platform != "linux", reason="auditwheel knows Linux only")
def test_repaired_wheel(tmp_path: Path) -> None:
    built = subprocess.run(
        [ROOT / "scripts" / "wheel", tmp_path / "wheels"],
        check=True, stdout=subprocess.PIPE, text=True, timeout=1200, env=QUICKLY,
    )  # fmt: skip
    wheel = ROOT / built.stdout.strip()
    assert re.fullmatch(r"seamark-[0-9.]+-py3-none-manylinux_.*\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    # What auditwheel put into it is named in what it carries of notices.
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    assert any(name.endswith(".dist-info/licenses/THIRD_PARTY_NOTICES.md") for name in names)
    for library in (Path(name).name for name in names if "seamark.libs/lib" in name):
        assert f"`{library.split('-')[0].split('.so')[0]}`" in notices, library
    python = fresh_venv(tmp_path / "venv")
    pip(python, "install", "--no-index", "--no-deps", wheel)
    files = package_home(python, tmp_path)
    check(python.with_name("seamark"), files, tmp_path, change=True)
    check_tables(python, tmp_path)
