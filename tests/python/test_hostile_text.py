"""What a store's texts may be, in every format: they stay text (hostile_texts.py; tests/browser opens the pages)."""

import csv
import html.parser
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hostile_texts import DOCUMENTS, FIELDS, TEXTS, hostile_copy

DROPPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\U0001fffe]"
)
# A CI's log passes over white space in front of "::", and what is not shown: all but printable ASCII here.
COMMAND = re.compile(r"^[^!-~]*::|##(?:vso|teamcity)?\[", re.M)
LATEX = re.compile(
    r"\\(?:input|include|immediate|write|openin|read|def|catcode|href|verb|end\{document)|\^\^"
)
COMMANDS = """
export.csv      export --run all --store STORE -o - --format csv
export.jsonl    export --run all --store STORE -o - --format jsonl
terminal        report --run all --store STORE
terminal        report --run all --store STORE --full
markdown        report --run all --store STORE --format markdown
html            report --run all --store STORE --format html
json            report --run all --store STORE --format json
csv             report --run all --store STORE --format csv
badge.json      report --run all --store STORE --format badge --target torch/cpu
tables.terminal report --run all --store STORE --tables
tables.markdown report --run all --store STORE --tables --format markdown
tables.json     report --run all --store STORE --tables --format json
tables.csv      report --run all --store STORE --tables --format csv
tables.latex    report --run all --store STORE --tables --format latex
vega-lite.json  report --run all --store STORE --format vega-lite --only figure-1
terminal        compare clean.db@all STORE@all
markdown        compare clean.db@all STORE@all --format markdown
html            compare clean.db@all STORE@all --format html
json            compare clean.db@all STORE@all --format json
xml             compare clean.db@all STORE@all --format junit
sarif.json      compare clean.db@all STORE@all --format sarif
terminal        usage --store STORE
markdown        usage --store STORE --format markdown
html            usage --store STORE --format html
csv             usage --store STORE --format csv
json            usage --store STORE --format json
terminal        show --run all --store STORE -- FUNCTION
markdown        show --run all --store STORE --format markdown -- FUNCTION
html            show --run all --store STORE --format html -- FUNCTION
"""


class Tags(html.parser.HTMLParser):
    """The scripts of a page that are code (its data is inert), and what may not be in one."""

    def __init__(self, page):
        super().__init__()
        self.code = set()
        self.wrong = set()
        self.inside = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or re.match(
                r"\W*(javascript|data|vbscript):", value or "", re.I
            ):
                self.wrong.add((tag, name, value))
        if tag in ("img", "iframe", "object", "embed", "form", "base", "math", "video", "marquee"):
            self.wrong.add((tag, str(attributes)))
        self.inside = "" if tag == "script" else None

    def handle_data(self, data):
        if self.inside is not None:
            self.inside += data

    def handle_endtag(self, tag):
        if self.inside is not None and not self.inside.lstrip().startswith(("{", "[")):
            self.code.add(self.inside)
        self.inside = None


def formulas(text):
    """The fields of a table that a spreadsheet may take for a formula, also behind what it passes over."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        raise ValueError("a ragged table")
    for field in (field for row in rows for field in row):
        shown = field
        while shown and (shown[0] == " " or unicodedata.category(shown[0]) in ("Cc", "Cf", "Mn")):
            shown = shown[1:]
        if shown[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20") or field[:1] in ("\t", "\r"):
            try:
                float(field)
            except ValueError:
                yield field


def no_constant(text):
    raise ValueError(text)


def parse(form, text):
    kind = form.rpartition(".")[2]
    if kind == "json":
        json.loads(text, parse_constant=no_constant)
    elif kind == "jsonl":
        for line in text.rstrip("\n").split("\n"):
            json.loads(line, parse_constant=no_constant)
    elif kind == "xml":
        ElementTree.fromstring(text)
    elif kind == "csv":
        return list(formulas(text))
    elif kind == "html" and not text.rstrip().endswith("</html>"):
        raise ValueError("a page without its end")
    elif kind == "markdown" and len(re.findall("^ {0,3}(?:```|~~~)", text, re.M)) % 2:
        raise ValueError("an open fence")
    return []


def faults(form, output, clean):
    """{what went wrong: pieces of the output that show it}."""
    found = {"scripts left": [], "parse failures": [], "formulas left": [], "log commands left": []}
    found["control characters left"] = []
    found["LaTeX commands left"] = []
    kind = form.rpartition(".")[2]
    try:
        text = output.decode("utf-8")
        found["formulas left"] = parse(form, text)
    except (ValueError, csv.Error, ElementTree.ParseError) as error:
        found["parse failures"].append("%s: %s" % (type(error).__name__, error))
        text = output.decode("utf-8", "replace")
    if kind == "html":
        tags = Tags(text)
        found["scripts left"] = sorted((tags.wrong | tags.code) - clean)
    if kind != "html":
        found["log commands left"] = COMMAND.findall(text)
    if kind == "latex":
        found["LaTeX commands left"] = LATEX.findall(text)
    if kind not in ("json", "jsonl"):  # their texts are data, escaped as JSON has it
        found["control characters left"] = DROPPED.findall(text.replace("\r\n", "\n"))
    elif re.search("[\x00-\x09\x0b-\x1f]", text):
        found["control characters left"] = re.findall("[\x00-\x09\x0b-\x1f]", text)
    return found


@pytest.fixture(scope="module")
def seamark(executable):
    def run(folder, words):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")}
        done = subprocess.run(
            [executable, "--no-config", *words], cwd=folder, env=environment, capture_output=True, timeout=120
        )  # fmt: skip
        assert done.returncode in (0, 1, 4), done.stderr.decode(errors="replace")[:2000]
        return done.stdout

    return run


@pytest.fixture(scope="module")
def clean(seamark, made_store, real_store, tmp_path_factory):
    """A store with what imports and real runs have; and the scripts of its pages."""
    folder = tmp_path_factory.mktemp("clean")
    seamark(folder, ["merge", "--store", "clean.db", str(made_store), str(real_store)])
    scripts = set()
    for form, words in commands("clean.db", "torch.sum"):
        if form.endswith("html"):
            tags = Tags(seamark(folder, words).decode())
            scripts |= tags.code | {
                one for one in tags.wrong if one[0] == "link"
            }  # the page's own icon
    return folder, scripts


def commands(store, function):
    for line in COMMANDS.strip().splitlines():
        form, *words = line.split()
        words = [word.replace("STORE", store) for word in words]
        yield form, [function if word == "FUNCTION" else word for word in words]


def functions(path):
    """Their names, which no command line carries with a NUL."""
    with sqlite3.connect(path) as database:
        database.text_factory = bytes
        found = [name for (name,) in database.execute("SELECT name FROM functions")]
    database.close()
    return [name for name in found if b"\0" not in name]


@pytest.mark.soak(figure=9)
def test_no_text_of_a_store_means_anything(seamark, clean, soak, drawn_seed):
    folder, scripts = clean
    draw = random.Random(drawn_seed)
    starts = list(range(len(TEXTS)))
    draw.shuffle(starts)
    made = 0
    while soak.more(made, 6):
        store = hostile_copy(folder / "clean.db", folder / "h.db", starts[made % len(starts)])
        for form, words in commands("h.db", draw.choice(functions(store))):
            found = faults(form, seamark(folder, words), scripts)
            counts = {name.replace(" ", "_"): len(wrong) for name, wrong in found.items()}
            soak.count("outputs", 1, **counts)
            for name, wrong in found.items():
                if wrong:
                    soak.say(
                        "%s: %s, %s: %s"
                        % (starts[made % len(starts)], name, words, ascii(wrong[:2])[:200])
                    )
        made += 1
    soak.count("texts", len(TEXTS))
    soak.count("fields", sum(len(fields) for fields in [*FIELDS.values(), *DOCUMENTS.values()]))
