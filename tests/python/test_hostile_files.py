"""Files from strangers, for every verb that reads some: nothing is written elsewhere, memory has a cap, each command ends.

Each try is a command in a folder of its own. What lies beside its output folder is the same afterwards; the command takes
at most CAP_MIB of memory (its helpers too), ends within 20 s, by itself, and with an exit code of docs/exit-codes.md.
"""

import functools
import gzip
import json
import os
import random
import resource
import signal
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
import time

import pytest
from soak import RUNNER

CAP_MIB = 512  # resident
LIMIT_S = 20
DRAWN = 100  # damaged files of a kind
CODES = (0, 1, 2, 3, 4)
LINE = json.dumps(
    {"content": "import torch\ntorch.add(1)\n", "repo_name": "r", "path": "../../a.py"}
)
NAMES = [
    "new\nline.py",
    "\u202eyp.a\u202c.py",
    "\x1b[31mred\x1b[0m.py",
    "::error::x.py",
    "=cmd|x.py",
    "-o.py",
    "--store.py",
    "<img src=x onerror=owned()>.py",
    "a" * 250 + ".py",
    "%s%n.py",
    " .py",
    "\\..\\..\\a.py",
]


class Tries:
    def __init__(self, executable, folder):
        self.executable, self.folder = executable, folder
        for name in ("in", "out", "outside", "home", "tmp", "cache"):
            (folder / name).mkdir()
        (folder / "outside" / "a.py").write_text("import torch\ntorch.add(1)\n")
        (folder / "in" / "a.jsonl").write_text(LINE + "\n")
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")},
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "SEAMARK_CACHE": str(folder / "cache"),
            "SEAMARK_LOCKS": str(folder / "cache"),
            "SEAMARK_PYTHON": sys.executable,
            "SEAMARK_STORE": "../out/default.db",
            "SEAMARK_JOBS": "2",  # threads, each with memory of its own
        }

    def tree(self):
        """What lies beside the output folder."""
        found = {}
        for name in ("in", "outside", "home", "tmp"):
            for path, folders, files in os.walk(os.fsencode(self.folder / name)):
                for one in [b".", *folders, *files]:
                    full = os.path.join(path, one)
                    if len(full) > 4000:
                        continue
                    seen = os.lstat(full)
                    content = None
                    if stat.S_ISREG(seen.st_mode) and seen.st_size < 1 << 16:
                        with open(full, "rb") as stream:
                            content = stream.read()
                    times = seen.st_mtime_ns if not stat.S_ISDIR(seen.st_mode) else 0
                    found[full] = (seen.st_mode, seen.st_size, times, content)
        return found

    def run(self, words, soak):
        """One try, from within the folder `in`."""
        verb, words = words[0], ["--no-config", *words] if "--config" not in words else words
        (self.folder / "outside" / "precious").write_text("keep me")
        before, began = self.tree(), time.monotonic()
        measured, said = self.folder / "cache" / "measured", self.folder / "cache" / "said"
        measured.write_text("-9 0")
        with open(said, "wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-SEc", RUNNER, self.executable, *words],
                cwd=self.folder / "in", env={**self.environment, "MEASURED": str(measured)},
                stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True,
                # Well above the cap: a fault is counted, and hurts nobody.
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
            )  # fmt: skip
            try:
                process.wait(LIMIT_S * 2)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        code, memory_mib = map(int, measured.read_text().split())
        output = said.read_bytes()
        after = self.tree()
        took = time.monotonic() - began
        changed = sorted(k for k in {*before, *after} if before.get(k) != after.get(k))
        crashed = code not in CODES or b"internal error" in output
        wrong = {
            "writes_outside": len(changed),
            "memory_over_cap": int(memory_mib > CAP_MIB),
            "hangs": int(took > LIMIT_S),
            "crashes": int(crashed),
        }
        soak.count(verb, 1, **wrong)
        if any(wrong.values()):
            soak.say(
                "%a: %s, %d MiB, %.1f s, exit %d, %s, %a"
                % (words[-6:], wrong, memory_mib, took, code, changed[:3], output[-300:])
            )  # fmt: skip


# --- corpora


def gz_of(path, pieces):
    """Each (bytes, how often) is one member, written again and again: quick to make, slow to read."""
    with open(path, "wb") as stream:
        for piece, often in pieces:
            packed = gzip.compress(piece, 9)
            for _ in range(often):
                stream.write(packed)


def zst_of(path, pieces):
    pyarrow = pytest.importorskip("pyarrow")
    with open(path, "wb") as stream:
        for piece, often in pieces:
            packed = pyarrow.compress(piece, codec="zstd", asbytes=True)
            for _ in range(often):
                stream.write(packed)


def bombs(folder):
    mib = 1 << 20
    line = (LINE + "\n").encode()
    kinds = {
        "lines": [(line * (mib // len(line)), 300)],
        "zeros": [(b"\0" * mib, 400)],
        "newlines": [(b"\n" * mib, 300)],
        "endless": [(b'{"content": "', 1), (b"a" * mib, 300)],
        "brackets": [(b"[" * mib, 300)],
        "escapes": [(b'{"content": "', 1), (b"\\u0041" * (mib // 6), 100), (b'"}\n', 1)],
        "objects": [(b'{"a":' * (mib // 5), 100)],
        "empty": [(b"", 100_000)],
    }
    for name, pieces in kinds.items():
        gz_of(folder / (name + ".jsonl.gz"), pieces)
        yield ["usage", name + ".jsonl.gz"]
        if name != "empty":
            zst_of(folder / (name + ".jsonl.zst"), pieces)
            yield ["usage", name + ".jsonl.zst"]
    packed = gzip.compress(line)
    inner = gzip.compress(gzip.compress(b"\0" * (64 * mib), 9), 9)
    header = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03"
    body = packed[10:]
    for name, content in {
        "nested.jsonl.gz": inner,
        "short.jsonl.gz": packed[:-9],
        "after.jsonl.gz": packed + b"garbage" * 1000,
        "named.jsonl.gz": header + b"../../outside/precious\0" + body,
        "absolute.jsonl.gz": header
        + str(folder.parent / "outside" / "new").encode()
        + b"\0"
        + body,
        "unnamed.jsonl.gz": header + b"x" * (4 * mib),
        "sum.jsonl.gz": packed[:-8] + b"\0" * 8,
        # A window of 3.75 TiB, and contents of 2^60 bytes.
        "window.jsonl.zst": b"\x28\xb5\x2f\xfd\x00\xff" + b"\x01\0\0",
        "size.jsonl.zst": b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 60) + b"\x01\0\0",
        "skippable.jsonl.zst": b"\x50\x2a\x4d\x18" + struct.pack("<I", 0xFFFFFFFF) + b"x",
        "dictionary.jsonl.zst": b"\x28\xb5\x2f\xfd\x23\xff\xff\xff\xff\0" + b"\x01\0\0",
    }.items():
        (folder / name).write_bytes(content)
        yield ["usage", name]


def lines(folder):
    deep = 1_000_000
    for name, text in {
        "deep": '{"content": %s' % ("[" * deep),
        "objects": '{"a":' * deep,
        "types": "\n".join('{"content": %s}' % one for one in ("5", "null", "[1]", "{}", "1e999", "NaN")),
        "surrogates": '{"content": "\\ud800 import torch \\udfff"}',
        "keys": '{"content": "import torch", ' * 2 + '"content": 1}}',
        "paths": "\n".join(
            json.dumps({"content": "import torch\ntorch.add(1)\n", "repo_name": one, "path": one})
            for one in ["../../../etc/passwd", "/etc/passwd", "a\0b", "x" * 1_000_000, "\u202e", "\x1b[2J"]
        ),
        "nul": '{"content": "import torch"}\0\n' * 3,
    }.items():  # fmt: skip
        (folder / (name + ".jsonl")).write_text(text)
        yield [
            "usage",
            "%s.jsonl" % name,
            "--store",
            "../out/usage.db",
            "--label",
            "../../%s" % name,
        ]
    for name, text in {
        "parentheses": "import torch\n" + "(" * deep,
        "indents": "import torch\n" + "".join(" " * n + "if torch.add(1):\n" for n in range(3000)),
        "strings": "import torch\n" + 'f"{' * 20_000 + "torch.add(1)" + '}"' * 20_000,
        "names": "import torch as t\n" + "t" + ".a" * deep,
        "aliases": "import torch\n" + "".join("a%d = a%d\n" % (n + 1, n) for n in range(100_000)),
        "lambdas": "import torch\n" + "lambda x: " * 100_000 + "torch.add(1)",
        "quotes": "import torch\n" + '"""' * 99_999,
        "backslashes": "import torch\n" + "\\\n" * deep,
        "nothing": "\0" * deep,
    }.items():
        (folder / (name + ".py")).write_text(text)
        yield ["usage", name + ".py"]


def notebooks(folder, draw):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1}
    whole = {
        "cells": [{**cell, "source": ["import torch\n", "torch.add(1)\n"]}] * 3, "metadata": {}, "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip
    text = json.dumps(whole)
    for name, content in {
        "deep": '{"cells": ' + "[" * 1_000_000,
        "source": '{"cells": [{"cell_type": "code", "source": '
        + "[" * 100_000
        + "]" * 100_000
        + "}]}",
        "types": '{"cells": [5, null, {"cell_type": 5}, {"cell_type": "code", "source": {"a": [1]}}]}',
        "outputs": text.replace('"outputs": []', '"outputs": ["%s"]' % ("A" * (40 << 20)), 1),
        "many": '{"cells": [' + ",".join(["{}"] * 1_000_000) + "]}",
        "nul": text + "\0",
    }.items():
        (folder / (name + ".ipynb")).write_text(content)
        yield ["usage", name + ".ipynb"]
    for _ in range(DRAWN):
        yield (
            ["usage", "damaged.ipynb"],
            lambda: damage(folder / "damaged.ipynb", text.encode(), draw),
        )


def damage(path, content, draw):
    """Writes it with some bytes changed, now and then without its end."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 3, 20))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.2:
        del data[draw.randrange(len(data)) :]
    path.write_bytes(data)


def parquet(folder, draw):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files

    rows = {
        "content": ["import torch\ntorch.add(1)\n"] * 500,
        "repo_name": ["r"] * 500,
        "path": ["../a"] * 500,
    }
    path = folder / "whole.parquet"
    files.write_table(pyarrow.table(rows), path)
    whole = path.read_bytes()
    # One value, told a million times: 1 GB of text in a few kilobytes.
    bomb = pyarrow.table(
        {
            "content": pyarrow.array(["import torch\n" + "#" * 100_000]).take(
                pyarrow.array([0] * 3000)
            )
        }
    )
    files.write_table(bomb, folder / "bomb.parquet", row_group_size=1 << 20)
    wrong = pyarrow.table({"content": [[1]], "repo_name": [{"a": 1}], "path": [b"\xff"]})
    files.write_table(wrong, folder / "types.parquet")
    (folder / "empty.parquet").write_bytes(b"PAR1PAR1")
    (folder / "length.parquet").write_bytes(b"PAR1" + b"\xff\xff\xff\x7fPAR1")
    for name in ("bomb", "types", "empty", "length"):
        yield ["usage", name + ".parquet"]
    for _ in range(DRAWN):
        yield ["usage", "damaged.parquet"], lambda: damage(folder / "damaged.parquet", whole, draw)


def folders(folder):
    """Links, and what is no file, within a folder and named itself."""
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "a.py").write_text("import torch\ntorch.add(1)\n")
    for name in NAMES:
        (corpus / name).write_text("import torch\ntorch.add(1)\n")
    (corpus / "empty").mkdir()
    with open(os.fsencode(corpus) + b"/\xff\xfe.py", "w") as stream:
        stream.write("import torch\n")
    links = {
        "out.py": "../../outside/a.py", "outside": "../../outside", "root": "/", "self": "self", "here": ".", "up": "..",
        "dangling.py": "nowhere", "mem.py": "/proc/self/mem", "zero.py": "/dev/zero", "fifo.py": "fifo",
        "home": str(folder.parent / "home"), "a": "b", "b": "a",
    }  # fmt: skip
    for name, target in links.items():
        (corpus / name).symlink_to(target)
    os.mkfifo(corpus / "fifo")
    os.mkfifo(corpus / "waits.py")
    deep = os.open(corpus, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as holder:
        holder.bind("/proc/self/fd/%d/socket.py" % deep)  # its name has to be short
    for _ in range(40):
        os.mkdir("d" * 200, dir_fd=deep)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=deep))
    os.close(deep)
    yield ["usage", "corpus", "--store", "../out/usage.db"]
    yield ["usage", "corpus", "--format", "html", "-o", "../out/usage.html"]
    for name in (*links, "fifo", "waits.py", "socket.py"):
        if name in ("root", "up", "outside", "home"):
            continue  # named by the user, they are what they point at
        yield ["usage", "corpus/" + name]
        yield ["import", "corpus/" + name, "--target", "torch/cuda", "--store", "../out/import.db"]
    for name in NAMES:
        yield ["usage", "--", "corpus/" + name]


# --- results of others


def imports(folder):
    many = 200_000
    entities = "".join('<!ENTITY a%d "%s">' % (n + 1, ("&a%d;" % n) * 10) for n in range(12))
    junit = "<testsuites><testsuite>%s</testsuite></testsuites>"
    case = '<testcase classname="t" name="test_add_cpu_float32" time="%s">%s</testcase>'
    report = '{"created": 1.0, "tests": [%s]}'
    test = '{"nodeid": "t.py::test_torch_add", "outcome": "%s", "call": {"duration": %s, "longrepr": "%s"}}'
    row = {
        "run": "../../outside/x", "target": "torch/cuda-t4", "framework": "torch", "version": "1", "function": "torch.add",
        "case": "torch.add/a[1]", "case_hash": "0" * 16, "attempt": 1, "phase": "correctness", "mode": "process",
        "outcome": "pass", "evidence": "executed", "suite": "s", "core": True, "quick": True, "host_only": False,
        "wall_s": 0.5, "started_us": 1, "run_protocol": "full", "baseline": "torch/cpu",
    }  # fmt: skip
    texts = {
        "laughs.xml": '<!DOCTYPE x [<!ENTITY a0 "ha">%s]><x>&a12;</x>' % entities,
        "outside.xml": '<!DOCTYPE x [<!ENTITY y SYSTEM "../outside/precious">]><x>&y;</x>',
        "deep.xml": "<testsuite>" * many,
        "attributes.xml": "<testsuites " + " ".join('a%d="x"' % n for n in range(many)) + "/>",
        "one.xml": "<testsuites a='" + "x" * (20 << 20) + "'/>",
        "open.xml": "<" * many,
        "comments.xml": "<!--" * many,
        "characters.xml": junit % "&#0;&#xD800;&#x110000;&bogus;",
        "numbers.xml": junit % "".join(case % (one, "") for one in ("1e999", "-1", "NaN", "x", "9" * 9999)),
        "names.xml": junit % ('<testcase classname="../../x" name="%s"/>' % ("../" * 9999 + "torch.add")),
        "many.xml": junit % (case % ("0.1", "<failure message='x'>y</failure>") * 20_000),
        "long.xml": junit % (case % ("0.1", "<failure message='%s'>y</failure>" % ("x" * (8 << 20)))),
        "deep.json": '{"tests": ' + "[" * 1_000_000,
        "objects.json": '{"a":' * 1_000_000,
        "keys.json": '{"tests": [' + ",".join('{"tests": 1}' for _ in range(many)) + "]}",
        "numbers.json": report % ",".join(test % ("failed", n, "x") for n in ("1e999", "-1", "1e400", "9" * 4000)),
        "strings.json": report % (test % ("failed", "1", "\\ud800\\u0000" * 10_000)),
        "types.json": report % '5, null, [], {"nodeid": 5}, {"nodeid": "a", "call": 5, "outcome": []}',
        "many.json": report % ",".join([test % ("passed", "1", "x")] * 20_000),
        "times.json": json.dumps({"torch_add.py:test": {"operations": [1e308] * many, "test_time": -1}}),
        "row.jsonl": json.dumps(row),
        "lies.jsonl": "\n".join(
            json.dumps({**row, name: value})
            for name, value in [
                ("attempt", 2**62), ("attempt", -1), ("started_us", -(2**62)), ("wall_s", 1e308), ("core", "x"),
                ("run", "x" * 1_000_000), ("target", "../../x"), ("function", "a\0b"), ("case", "/"), ("outcome", "won"),
                ("warm_n", 2**31), ("attributes", "imported " * 9999), ("case_hash", "'; DROP TABLE attempts; --"),
            ]
        ),
        "deep.jsonl": json.dumps(row)[:-1] + ', "x": ' + "[" * 100_000,
        "bytes.jsonl": "\0" * 10_000,
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
        yield [
            "import",
            name,
            "--target",
            "torch/cuda",
            "--run",
            "../../x",
            "--store",
            "../out/import.db",
        ]
    with open(folder / "huge.xml", "wb") as stream:
        stream.truncate(300 << 20)
    yield ["import", "huge.xml", "--target", "torch/cuda", "--store", "../out/import.db"]
    (folder / "good.xml").write_text(junit % (case % ("0.1", "")))
    for name, text in {
        "quote.csv": '"' + "x" * (20 << 20),
        "globs.csv": "".join("%s,torch.add\n" % ("*a" * 200) for _ in range(500)),
        "columns.csv": ",".join("x" * many) + "\n",
    }.items():
        (folder / name).write_text(text)
        yield [
            "import",
            "good.xml",
            "--map",
            name,
            "--target",
            "torch/cuda",
            "--store",
            "../out/import.db",
        ]
        yield ["sample", "--usage", name]
        yield ["sample", "--catalogue", name]


# --- configs


def configs(folder):
    many = 15_000
    texts = {
        "dotted": ".".join("a" * many) + " = 1",
        "header": "[%s]" % ".".join("a" * many),
        "tables": "[[%s]]" % ".".join("a" * many),
        "arrays": "a = " + "[" * 200_000,
        "inline": "a = " + "{a = " * 100_000,
        "many": "".join("[a%d]\n" % n for n in range(200_000)),
        "keys": "".join("a%d = 1\n" % n for n in range(200_000)),
        "string": 'store = "%s"' % ("x" * (20 << 20)),
        "open": 'store = """' + "x" * (1 << 20),
        "number": "jobs = " + "9" * 100_000,
        "targets": '[[target]]\nname = "x/y"\nlike = "x/y"\n' * 5000,
        "outside": 'store = "../outside/precious"\n',
        "nul": 'store = "a\0b"',
    }
    for name, text in texts.items():
        (folder / (name + ".toml")).write_text(text)
        yield ["report", "--config", name + ".toml"]
        yield ["targets", "--config", name + ".toml"]
    with open(folder / "sparse.toml", "wb") as stream:
        stream.truncate(2 << 30)
    (folder / "circle.toml").symlink_to("circle.toml")
    os.mkfifo(folder / "fifo.toml")
    for name in ("sparse.toml", "circle.toml", "fifo.toml", "/dev/zero", "/proc/self/mem", "."):
        for verb in ("report", "targets", "run"):
            yield [verb, "--config", name]
    for name in ("sparse.toml", "fifo.toml", "arrays.toml", "dotted.toml"):
        yield [
            "compare",
            "--expected",
            name,
            "grand-illusion",
            "grand-illusion",
            "-o",
            "../out/c.txt",
        ]
    for name in ("sparse.toml", "fifo.toml", "/dev/zero"):
        yield ["catalog", "--diff", name, name]
        yield ["sample", "--usage", name]
        yield ["explain", name, "--format", "markdown", "-o", "../out/e.md"]


# --- stores


READERS = [
    ["report", "--run", "all", "--format", "html", "-o", "../out/report.html"],
    ["export", "--run", "all", "--format", "csv", "-o", "../out/export.csv"],
    ["show", "--run", "all", "torch.sum"],
    ["usage"],
    ["sample"],
]


def reading(name):
    store = "../out/" + name
    for words in READERS:
        yield [*words, "--store", store]
    yield ["compare", store, store, "-o", "../out/compare.txt"]
    yield ["merge", "--store", "../out/merged.db", store]


def commands_on(name):
    """What reads it, and what writes to it."""
    yield from reading(name)
    store = "../out/" + name
    yield ["usage", "a.jsonl", "--store", store]
    yield ["import", "good.xml", "--target", "torch/cuda", "--store", store]
    yield ["merge", "--store", store, "../out/other.db"]
    yield ["run", "--resume", "--store", store]


FOREIGN = [
    "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT); INSERT INTO moz_places VALUES (1, 'x')",
    "CREATE TRIGGER t AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END",
    "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c",
    "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
    "SELECT x AS id, x AS run_id, x AS kind, x AS detail, x AS at_us FROM c",
    "CREATE INDEX i ON attempts(abs(-9223372036854775808))",
    "ALTER TABLE runs ADD COLUMN g TEXT AS (hex(zeroblob(500000000))) VIRTUAL",
    "ALTER TABLE runs ADD COLUMN c TEXT CHECK(length(zeroblob(500000000)) > 0)",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "UPDATE runs SET options = CAST(zeroblob(900000000) AS TEXT)",
    "UPDATE runs SET options = printf('%.*c', 1000000, '[')",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300000) "
    "INSERT INTO events SELECT NULL, 1, 0, 'x', '{}' FROM c",
    "PRAGMA user_version = 2147483647",
    "PRAGMA user_version = -1",
    "PRAGMA application_id = 1",
    "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM",
    "UPDATE attempts SET outcome = 9223372036854775807, phase = -1, wall_s = 9e999",
    "UPDATE attempts SET fail_message = x'00ff', wall_s = 'x', attempt = x'00'",
    "UPDATE attempts SET confirmed_by = id, case_id = 999999999",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE attempts(x)' WHERE name = 'attempts'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ';ATTACH ''../outside/new'' AS n' "
    "WHERE name = 'runs'",
]  # fmt: skip


def journal(super_name):
    """A journal left over from a transaction over several files, of which SQLite deletes `super_name` once it is rolled back."""
    name = os.fsencode(super_name)
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 0, 0, 1, 512, 4096)
    total = sum(name) & 0xFFFFFFFF
    tail = struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">II", len(name), total)
    return head.ljust(512, b"\0") + tail + bytes.fromhex("d9d505f920a163d7")


def stores(folder, made, draw):
    out = folder.parent / "out"
    whole = made.read_bytes()
    (out / "other.db").write_bytes(whole)

    def renew(name, suffix="", content=b""):
        for old in out.glob(name + "*"):
            old.unlink()
        (out / name).write_bytes(whole)
        if suffix:
            (out / (name + suffix)).write_bytes(content)

    def foreign(change):
        renew("foreign.db")
        with sqlite3.connect(out / "foreign.db", isolation_level=None) as database:
            try:
                database.executescript(change)
            except sqlite3.Error:
                pass  # this SQLite does not make such a one
        database.close()

    for change in FOREIGN:
        for words in commands_on("foreign.db"):
            yield words, functools.partial(foreign, change)
    precious = folder.parent / "outside" / "precious"
    for suffix, content in {
        "-journal": journal(precious),
        "-wal": b"\x37\x7f\x06\x82" + b"\0" * 60 + b"x" * 9000,
        "-shm": b"\xff" * 32768,
    }.items():
        for words in commands_on("beside.db"):
            yield words, functools.partial(renew, "beside.db", suffix, content)
    (out / "text.db").write_text("no store")
    (out / "empty.db").write_bytes(b"")
    with open(out / "sparse.db", "wb") as stream:
        stream.write(whole)
        stream.truncate(2 << 30)
    (out / "circle.db").symlink_to("circle.db")
    os.mkfifo(out / "fifo.db")
    for name in ("text.db", "empty.db", "sparse.db", "circle.db", "fifo.db", ".", "none.db"):
        for words in reading(name):
            yield words
    for _ in range(DRAWN // 10):
        for words in commands_on("damaged.db"):
            yield words, lambda: damage(out / "damaged.db", whole, draw)


@pytest.mark.soak(figure=8)
def test_files_of_strangers(executable, made_store, tmp_path, soak, drawn_seed):
    tries = Tries(executable, tmp_path)
    folder, draw = tmp_path / "in", random.Random(drawn_seed)
    kinds = [lines(folder), folders(folder), imports(folder), configs(folder), bombs(folder)]
    kinds += [notebooks(folder, draw), parquet(folder, draw), stores(folder, made_store, draw)]
    # In the time that there is, some of each kind.
    lists = [list(kind) for kind in kinds]
    for one in lists:
        draw.shuffle(one)
    made = 0
    while soak.more(made, 48):
        for turn in lists:
            words, prepare = turn[made % len(turn)], None
            if isinstance(words, tuple):
                words, prepare = words
                prepare()
            tries.run(words, soak)
            made += 1
