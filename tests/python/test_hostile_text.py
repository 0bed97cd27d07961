"""What a store's texts may be, in every format: markup, formulas, log commands, escapes, direction marks."""

import csv
import html.parser
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree

import pytest

PAYLOADS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3+cmd",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    '"=1+1",\n=2',
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><x/>",
    "\"'><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "[a](javascript:alert(1)) ![b](http://e.example/c) <http://e.example>",
    "| a | b |\n|---|---|\n# head\n```\n",
    "&lt;b&gt; &#0; &bogus;",
    "${{ github.token }} {{7*7}} {0} %s %n",
    "::error file=a,line=1::owned",
    "x\n::set-output name=a::b\n \t::add-mask::c",
    "##[error]x\n##vso[task.complete] ##teamcity[message]",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://e.example\x1b\\link",
    "\u202eevil\u202c \u2066a\u2069 \u200f",
    "\ufffe \uffff \ufeff \U0001fffe",
    "\x01\x08\x7f\x9b31m \u2028\u2029",
    "a" * 5000,
    "\u0301" * 200,
]
# The texts that say something, and decide nothing.
FIELDS = {
    "functions": ["name"],
    "cases": ["name", "dtype", "shape"],
    "runs": ["command", "state_reason", "subset_note", "full_command"],
    "run_targets": ["device_name", "framework_version", "reason", "remedy"],
    "attempts": ["fail_type", "fail_message", "fail_traceback", "capture", "reason", "cold_reason", "warm_reason"],
    "operations": ["cold_reason", "warm_reason"],
}  # fmt: skip
NAMES = ("functions.name", "cases.name")


@pytest.fixture
def seamark(executable):
    def run(*words):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")}
        command = [executable, "--no-config", *map(str, words)]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
        assert done.returncode in (0, 1, 4), done.stderr.decode()
        return done.stdout.decode("utf-8")

    return run


def hostile_copy(store, path, payload):
    shutil.copy(store, path)
    with sqlite3.connect(path) as database:
        for table, fields in FIELDS.items():
            # `show` takes a name with a slash for that of a case.
            text = payload.replace("/", "|") if table == "functions" else payload
            for field in fields:
                row = "|| ' ' || rowid" if table + "." + field in NAMES else ""
                change = "UPDATE {0} SET {1} = ? {2} WHERE {1} IS NOT NULL"
                database.execute(change.format(table, field, row), (text,))
    database.close()
    return path


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts = []
        self.inside = False

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            assert not (value or "").strip().lower().startswith("javascript:"), (tag, value)
        assert tag not in ("img", "iframe", "object", "form", "base"), tag
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data

    def handle_endtag(self, tag):
        self.inside = False


def code_of(page):
    """The scripts of a page that are code: its data is inert."""
    tags = Tags()
    tags.feed(page)
    tags.close()
    return [one for one in tags.scripts if not one.lstrip().startswith(("{", "["))]


def expect_plain(text):
    found = re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", text
    )
    assert not found, repr(found)
    assert not re.search("[\ufffe\uffff\U0001fffe]", text)


def expect_no_commands(text):
    assert not re.search(r"^\s*::", text, re.M)
    assert not re.search(r"##(vso|teamcity)?\[", text)


def expect_table(text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) > 1 and len({len(row) for row in rows}) == 1
    for field in (field for row in rows for field in row):
        if field[:1] in ("=", "+", "-", "@", "\t", "\r"):
            float(field)  # raises where it is no number


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_no_text_of_a_store_means_anything(seamark, made_store, tmp_path, payload):
    store = hostile_copy(made_store, tmp_path / "h.db", payload)
    stored = ("--store", store, "--run", "all")
    clean = code_of(seamark("report", "--store", made_store, "--run", "all", "--format", "html"))
    sides = ("compare", "%s@all" % made_store, "%s@all" % store)
    for words in [("report", *stored), sides]:
        for form in ("terminal", "markdown"):
            text = seamark(*words, "--format", form)
            expect_plain(text)
            if form == "terminal":
                expect_no_commands(text)
        json.loads(seamark(*words, "--format", "json"))
        page = seamark(*words, "--format", "html")
        expect_plain(page)
        assert set(code_of(page)) <= set(clean)
    with sqlite3.connect(store) as database:
        (function,) = database.execute("SELECT name FROM functions ORDER BY rowid").fetchone()
    database.close()
    text = seamark("show", "--run", "all", "--store", store, "--", function)
    expect_plain(text)
    expect_no_commands(text)
    table = seamark("report", *stored, "--format", "csv")
    expect_plain(table.replace("\r\n", "\n"))
    expect_table(table)
    expect_table(seamark("export", *stored, "--format", "csv", "-o", "-"))
    for line in seamark("export", *stored, "--format", "jsonl", "-o", "-").rstrip("\n").split("\n"):
        json.loads(line)
    junit = seamark(*sides, "--format", "junit")
    xml.etree.ElementTree.fromstring(junit)
    expect_plain(junit)
    expect_no_commands(junit)
    sarif = seamark(*sides, "--format", "sarif")
    json.loads(sarif)
    assert not re.search("[\ufffe\uffff]", sarif)
