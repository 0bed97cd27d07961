"""Several processes on one store, and stores where nothing can be written or nothing shared: right results, or a clear refusal."""

import json
import os
import random
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import namespaces
import pytest
from agent_client import config_of

SUITE = """
from seamark_suites.case import case


@case("selftest.time.sleep", n=list(range({count})), reference="none")
def {name}(t, n):
    t.call("selftest.time.sleep", 0.01)
    t.expect(n % 9 != 4, "four")
"""
COUNT = 24


class Shared:
    def __init__(self, executable, folder):
        self.executable, self.folder = executable, folder
        (folder / "own.toml").write_text(config_of("persistent", memory_limit="none"))
        for name in ("one", "two"):
            (folder / (name + ".py")).write_text(SUITE.format(name=name, count=COUNT))
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")},
            "SEAMARK_CACHE": str(folder / "cache"), "SEAMARK_LOCKS": str(folder / "locks"),
        }  # fmt: skip
        self.expected = {}
        for name in ("one", "two"):
            assert self.end(self.start(name, name + ".db"))[0] == 0
            self.expected[name] = self.rows(name + ".db")
            assert len(self.expected[name]) >= COUNT

    def emptied(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / name).mkdir()
        return self.folder / name

    def words(self, *words):
        return [self.executable, "--config", "own.toml", *map(str, words)]

    def running(self, name, store):
        return self.words(
            "run", "--target", "selftest/cpu", "--suite", "./%s.py" % name, "--store", store, "--no-timing", "-j", "1",
            "--no-sandbox", "--python", sys.executable,
        )  # fmt: skip

    def start(self, name, store):
        return subprocess.Popen(
            self.running(name, store), cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    @staticmethod
    def end(process):
        told = process.communicate(timeout=120)[1]
        return process.returncode, told

    def ask(self, *words):
        done = subprocess.run(
            self.words(*words),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    def rows(self, store):
        """(case, attempt, outcome) of each attempt, sorted; unreadable: None."""
        try:
            with sqlite3.connect(self.folder / store) as database:
                whole = database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
                if database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                    return [] if whole else None  # it was refused before it was one
                found = database.execute(
                    "SELECT case_name, attempt, outcome FROM results"
                ).fetchall()
            database.close()
        except sqlite3.Error:
            return None
        return sorted(found) if whole else None


def clear(store, code, told):
    """A refusal that says what could not be done, to what."""
    lines = [line for line in told.splitlines() if line.startswith("seamark: ")]
    plain = not any(word in told for word in ("internal error", "SQLite failed"))
    return code in (2, 3, 4) and bool(lines) and all(store in line for line in lines) and plain


@pytest.fixture(scope="module")
def shared(executable, tmp_path_factory):
    return Shared(executable, tmp_path_factory.mktemp("shared"))


def count(soak, what, detail, **wrong):
    counts = dict.fromkeys(("wrong_results", "unclear_refusals", "unreadable"), 0)
    counts.update({name: int(value) for name, value in wrong.items()})
    soak.count(what, 1, **counts)
    if any(counts.values()):
        soak.say("%s: %s: %s" % (what, counts, detail))


@pytest.mark.soak(figure=11)
def test_two_runs_on_one_store(shared, soak, drawn_seed):
    draw = random.Random(drawn_seed)
    made = 0
    while soak.more(made, 2):
        (shared.folder / "both.db").unlink(missing_ok=True)
        runs = [shared.start("one", "both.db")]
        time.sleep(draw.choice((0, 0, draw.random())))
        runs.append(shared.start("two", "both.db"))
        ends = [shared.end(run) for run in runs]
        rows = shared.rows("both.db")
        ended = {name: end for name, end in zip(("one", "two"), ends, strict=True) if end[0] == 0}
        expected = sorted(row for name in ended for row in shared.expected[name])
        count(
            soak, "two runs", ends,
            wrong_results=rows is not None and rows != expected,
            unclear_refusals=any(code != 0 and not clear("both.db", code, told) for code, told in ends),
            unreadable=rows is None,
        )  # fmt: skip
        made += 1


@pytest.mark.soak(figure=11)
def test_reads_while_a_run_writes(shared, soak, drawn_seed):
    draw = random.Random(drawn_seed)
    known = {(case, attempt): outcome for case, attempt, outcome in shared.expected["one"]}
    reads = [
        ["export", "--store", "live.db", "--format", "jsonl", "-o", "-"],
        ["report", "--store", "live.db", "--format", "json"],
        ["compare", "two.db", "live.db", "--format", "json"],
        ["show", "--store", "live.db", "selftest.time.sleep"],
        ["merge", "--store", "taken.db", "live.db"],
    ]
    made = 0
    while soak.more(made, 8):
        for store in ("live.db", "taken.db"):
            (shared.folder / store).unlink(missing_ok=True)
        run, seen = shared.start("one", "live.db"), 0
        while run.poll() is None:
            words = draw.choice(reads)
            code, out, told = shared.ask(*words)
            wrong = False
            if words[0] == "export" and code == 0:
                rows = [json.loads(line) for line in out.splitlines()]
                done = {
                    (row["case"], row["attempt"]): row["outcome"] for row in rows if row["outcome"]
                }
                wrong = not done.items() <= known.items() or len(done) < seen
                seen = len(done)
            # Before the run has its store, its plan or a result, there is nothing to read.
            count(
                soak, "reads while a run writes", [words, told[-300:]],
                wrong_results=wrong,
                unclear_refusals=code not in (0, 1) and not ((seen == 0 or code == 4) and clear("live.db", code, told)),
            )  # fmt: skip
            made += 1
        code, told = shared.end(run)
        rows = shared.rows("live.db")
        count(
            soak, "runs that were read", told[-300:],
            wrong_results=code != 0 or rows not in (None, shared.expected["one"]), unreadable=rows is None,
        )  # fmt: skip


@pytest.mark.soak(figure=11)
def test_merges_into_a_store_that_a_run_writes(shared, soak):
    made = 0
    both = sorted(shared.expected["one"] + shared.expected["two"])
    while soak.more(made, 2):
        (shared.folder / "live.db").unlink(missing_ok=True)
        run = shared.start("one", "live.db")
        while run.poll() is None and not (shared.folder / "live.db").exists():
            time.sleep(0.02)
        code, _, told = shared.ask("merge", "--store", "live.db", "two.db")
        ended, said = shared.end(run)
        rows = shared.rows("live.db")
        count(
            soak, "merge into it", told + said,
            wrong_results=(rows is not None and rows != (both if code == 0 else shared.expected["one"])) or ended != 0,
            unclear_refusals=code != 0 and not clear("live.db", code, told),
            unreadable=rows is None,
        )  # fmt: skip
        made += 1


# --- folders


KINDS = {"plain": "FUSE", "memory": "FUSE without shared memory", "locks": "FUSE without locks"}


READS = [
    ["export", "--store", "there/s.db", "--format", "jsonl", "-o", "-"],
    ["report", "--store", "there/s.db", "--format", "csv"],
    ["compare", "one.db", "there/s.db", "--format", "json"],
]
WRITES = [
    ["usage", "one.py", "--store", "there/s.db"],
    ["merge", "--store", "there/s.db", "two.db"],
    ["import", "one.jsonl", "--store", "there/s.db"],
]


def leave_open(store):
    """What was written last is in the log alone, as after `kill -9`."""
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = WAL'); c.execute('PRAGMA wal_autocheckpoint = 0');"
        "c.execute('UPDATE runs SET wall_s = 1'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(store)], check=True)


@pytest.mark.soak(figure=11)
@pytest.mark.parametrize("left", ["closed", "with its log"])
def test_a_store_where_nothing_can_be_written(shared, soak, left):
    if not namespaces.permitted(
        *namespaces.USER, "mount -t tmpfs x /mnt && mount -o remount,ro /mnt"
    ):
        pytest.skip("no folder can be mounted read-only here")
    shared.emptied("there")
    source = shared.emptied("source")
    shutil.copy(shared.folder / "one.db", source / "s.db")
    if left == "with its log":
        leave_open(source / "s.db")
    exported = shared.ask("export", "--store", "one.db", "--format", "jsonl", "-o", "-")[1]
    (shared.folder / "one.jsonl").write_text(exported)
    mount = "mount -t tmpfs -o size=8m seamark there && cp source/* there/ && mount -o remount,ro there && "
    expected = {}
    for words in READS:
        here = [word.replace("there/s.db", "one.db") for word in words]
        expected[words[0]] = shared.ask(*here)[1]
    made = 0
    while soak.more(made, 1):
        for words in [*READS, *WRITES, ["run"]]:
            command = (
                shared.running("one", "there/s.db") if words == ["run"] else shared.words(*words)
            )
            done = namespaces.run(
                namespaces.USER,
                mount + 'exec "$@"',
                *command,
                cwd=shared.folder,
                env=shared.environment,
            )
            same = done.stdout == expected.get(words[0]) or words[0] == "compare"
            count(
                soak, "read-only folder", [words[0], done.returncode, done.stderr[-400:]],
                wrong_results=words in READS and done.returncode == 0 and not same,
                unclear_refusals=(words in READS and done.returncode != 0)
                or (words not in READS and not clear("s.db", done.returncode, done.stderr)),
            )  # fmt: skip
        made += 1


@pytest.mark.soak(figure=11)
@pytest.mark.parametrize("kind", KINDS)
def test_a_store_on_a_network_folder(shared, soak, kind):
    """FUSE in the place of NFS: as a disk is, without shared memory, or without locks."""
    fuse = [*namespaces.USER, sys.executable, str(Path(__file__).with_name("fuse_folder.py")), kind]
    try_out = "'%s' '%s' plain /mnt /mnt true" % tuple(fuse[-3:-1])
    if not namespaces.permitted(*namespaces.USER, try_out):
        pytest.skip("no FUSE folder can be mounted here")
    backing = shared.emptied("backing")
    shared.emptied("there")
    made = 0
    while soak.more(made, 1):
        shared.emptied("backing")
        one, two = (shared.running(name, "there/s.db") for name in ("one", "two"))
        both = [
            "sh",
            "-c",
            " ".join(map(shlex.quote, one))
            + " & "
            + " ".join(map(shlex.quote, two))
            + "; a=$?; wait; exit $a",
        ]
        expected = []
        commands = {
            "run": one, "merge": shared.words("merge", "--store", "there/s.db", "two.db"),
            "report": shared.words(*READS[1]), "export": shared.words(*READS[0]), "two runs": both,
        }  # fmt: skip
        for name, command in commands.items():
            if kind == "locks" and name in ("merge", "export"):
                continue  # each refusal takes 5 s
            done = namespaces.run(
                [],
                'exec "$@"',
                *fuse,
                backing,
                "there",
                *command,
                cwd=shared.folder,
                env=shared.environment,
            )
            if done.returncode == 0:
                expected += {"run": shared.expected["one"], "merge": shared.expected["two"]}.get(
                    name, []
                )
            rows = shared.rows("backing/s.db") if (backing / "s.db").exists() else []
            right = rows == sorted(expected)
            if name == "two runs":  # at least those of the one that ended well
                right = rows is not None and len(rows) >= len(expected) + COUNT * (
                    done.returncode == 0
                )
            count(
                soak, KINDS[kind], [name, done.returncode, done.stderr[-500:]],
                wrong_results=rows is not None and not right,
                unclear_refusals=done.returncode != 0 and not clear("s.db", done.returncode, done.stderr),
                unreadable=rows is None,
            )  # fmt: skip
            if kind == "plain":
                assert done.returncode == 0, done.stderr[-2000:]
            else:
                word = {"memory": "no shared memory", "locks": "no locks"}[kind]
                assert "its file system has " + word in done.stderr, done.stderr[-2000:]
        made += 1
