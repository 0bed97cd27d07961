"""The lower bounds that a project sets for its dependencies: of pyproject.toml, setup.cfg and requirements files."""

import configparser
import functools
import os
import re
import tomllib

NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#)]*)")
BOUND = re.compile(r"(===|==|>=|~=|>)\s*v?(\d+(?:\.\d+)*)")
POETRY = re.compile(r"\s*[\^~]?\s*v?(\d+(?:\.\d+)*)\s*$")


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def version(text):
    return tuple(int(part) for part in text.split("."))


def bound_of(specifier):
    """The lowest version that a specifier admits; None: it sets no lower bound."""
    found = [version(text) for _, text in BOUND.findall(specifier)]
    return max(found, default=None)


def requirements_in(folder):
    """(name, lower bound or None) of every requirement in the files of a folder."""
    for line in pyproject_lines(os.path.join(folder, "pyproject.toml")):
        yield from [line] if isinstance(line, tuple) else parsed(line)
    for line in setup_cfg_lines(os.path.join(folder, "setup.cfg")):
        yield from parsed(line)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.startswith("requirements") and name.endswith((".txt", ".in")):
            for line in text_of(os.path.join(folder, name)).splitlines():
                yield from parsed(line)


def parsed(line):
    match = NAME.match(line)
    if match:
        yield canonical(match.group(1)), bound_of(match.group(2))


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 20)
    except OSError:
        return ""


def pyproject_lines(path):
    try:
        data = tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError:
        return
    project = table(data, "project")
    for one in [project.get("dependencies"), *table(project, "optional-dependencies").values()]:
        yield from (line for line in one or [] if isinstance(line, str))
    for group in table(data, "dependency-groups").values():
        yield from (line for line in group if isinstance(line, str))
    poetry = table(table(data, "tool"), "poetry")
    groups = [poetry, *(one for one in table(poetry, "group").values() if isinstance(one, dict))]
    for group in groups:
        for name, value in table(group, "dependencies").items():
            text = value.get("version", "") if isinstance(value, dict) else value
            if isinstance(text, str):
                match = POETRY.match(text)
                yield canonical(name), version(match.group(1)) if match else bound_of(text)


def table(data, key):
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def setup_cfg_lines(path):
    config = configparser.ConfigParser(interpolation=None)
    try:
        config.read_string(text_of(path))
    except configparser.Error:
        return
    if config.has_option("options", "install_requires"):
        yield from config.get("options", "install_requires").splitlines()
    if config.has_section("options.extras_require"):
        for _, lines in config.items("options.extras_require"):
            yield from lines.splitlines()


@functools.cache
def bounds_of(folder):
    found = {}
    for name, bound in requirements_in(folder):
        found.setdefault(name, []).append(bound)
    return found


def floor(path, name):
    """The lowest version that the project of a file admits, as (2, 6); None: it is not known. The project is the nearest
    folder at or above the file that names the dependency, not above the folder of the repository."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        bounds = bounds_of(folder).get(canonical(name))
        if bounds:
            return None if None in bounds else min(bounds)
        above = os.path.dirname(folder)
        if os.path.exists(os.path.join(folder, ".git")) or above == folder:
            return None
        folder = above
