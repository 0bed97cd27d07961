"""Asks the executable, and says why where it has no answer."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seamark.executable import executable_path

_CHUNK = 1 << 20
_MOST_BYTES = 4 << 30  # of one answer
_MOST_COMPLAINT = 64 << 10
OTHER_VERSION = (
    "this package and the executable may be of different versions: install seamark again"
)


class Error(Exception):
    """What happened, to what, and what to do about it."""

    __module__ = "seamark"
    message: str
    remedy: str
    exit_code: int | None  # of the executable; None: it was not asked

    def __init__(self, message: str, remedy: str = "", exit_code: int | None = None) -> None:
        super().__init__(f"{message}\n  {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy
        self.exit_code = exit_code


class Executable:
    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        named = path or os.environ.get("SEAMARK_EXECUTABLE")
        self.path = Path(named).expanduser() if named else executable_path()

    def ask(self, *words: str, most: int = _MOST_BYTES, fine: Sequence[int] = (0,)) -> bytes:
        """Standard output. The configuration of a folder changes no answer.

        fine: the exit codes of an answer.
        """
        command = [str(self.path), "--no-config", "--color=never", *words]
        if any("\0" in word for word in command):
            raise Error("a name has a NUL character in it", "correct the name")
        with tempfile.TemporaryFile() as complaint:
            try:
                child = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaint
                )
            except OSError as error:
                raise Error(
                    f"{self.path} cannot be run: {error.strerror}",
                    "name the seamark executable in SEAMARK_EXECUTABLE, or install seamark again",
                ) from error
            with child:
                try:
                    out = _read(child, most)
                except BaseException:
                    child.kill()
                    raise
            if child.returncode not in fine:
                complaint.seek(0)
                raise _error(complaint.read(_MOST_COMPLAINT), child.returncode)
        return out

    def ask_json(self, *words: str, fine: Sequence[int] = (0,)) -> Any:
        text = self.ask(*words, fine=fine)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Error(
                f"{self.path} gave an answer that is no JSON: {error}",
                OTHER_VERSION,
            ) from error


def _read(child: subprocess.Popen[bytes], most: int) -> bytes:
    assert child.stdout is not None
    parts: list[bytes] = []
    size = 0
    while part := child.stdout.read(_CHUNK):
        size += len(part)
        if size > most:
            raise Error(
                f"the answer has more than {most:,} bytes",
                "ask for less: fewer targets, one function",
            )
        parts.append(part)
    return b"".join(parts)


def _error(complaint: bytes, code: int) -> Error:
    """`seamark: what happened`, and what to do, indented, below."""
    lines = complaint.decode(errors="replace").strip().splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith("seamark: ")), 0)
    if not lines:
        return Error(f"seamark ended with {code} and said nothing", "", code)
    message = [lines[start].removeprefix("seamark: ")]
    remedy: list[str] = []
    for line in lines[start + 1 :]:
        (remedy if line.startswith("  ") else message).append(line.strip())
    return Error("\n".join(message), "\n".join(remedy), code)


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Around what takes an answer apart."""
    try:
        yield
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Error(
            f"{what} cannot be read: {type(error).__name__}: {error}",
            OTHER_VERSION,
        ) from error


def needs(name: str) -> Any:
    """Imports pandas or a part of pyarrow."""
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != name.split(".")[0]:
            raise
        package = name.split(".")[0]
        hint = "; arrow=True needs pyarrow alone" if package == "pandas" else ""
        raise ImportError(
            f"tables of results need {package}: pip install 'seamark[data]'{hint}", name=package
        ) from error
