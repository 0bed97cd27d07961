"""No room for the store: at every size of a small run the exit code and the account are true, and the store can be read."""

import os
import random
import re
import sqlite3
import subprocess
import sys

import namespaces
import pytest
from agent_client import config_of

SUITE = """
from seamark_suites.case import case


@case("selftest.time.sleep", n=list(range(30)), reference="none")
def sleeps(t, n):
    t.expect(n % 7 != 3, "three " + "x" * 40 * n)
"""
RUN = [
    "run",
    "--target",
    "selftest/cpu",
    "--suite",
    "./suite.py",
    "--no-timing",
    "--no-sandbox",
    "-j",
    "2",
]
PAGE = 4096
FULL = (
    "the disk is full",
    "No space left",
    "File too large",
    "cannot be written",
    "Read-only",
    "Input/output error",
)


class Runs:
    def __init__(self, executable, folder):
        self.folder, self.executable = folder, executable
        for name in ("small", "kept"):
            (folder / name).mkdir()
        (folder / "own.toml").write_text(config_of("persistent", memory_limit="none"))
        (folder / "suite.py").write_text(SUITE)
        self.command = [
            executable,
            "--config",
            str(folder / "own.toml"),
            *RUN,
            "--python",
            sys.executable,
        ]
        whole = self.inside([], '"$@"')
        assert whole.returncode == 0, whole.stderr
        self.whole = self.stored(folder / "small" / "s.db")
        assert len(self.whole) > 30
        # What the store takes while it is written, at most: itself and its log.
        size = (folder / "small" / "s.db").stat().st_size
        self.pages = size * 3 // PAGE
        (folder / "small" / "s.db").unlink()

    def inside(self, how, script):
        """The script with the run's command; what it made in `small` is kept in `kept`."""
        kept = self.folder / "kept"
        for old in kept.iterdir():
            old.unlink()
        environment = {
            "SEAMARK_CACHE": str(self.folder / "cache"), "SEAMARK_LOCKS": str(self.folder / "locks")
        }  # fmt: skip
        keep = "; code=$?; cp small/s.db* kept/ 2>/dev/null; exit $code"
        return namespaces.run(
            how,
            script + keep,
            *self.command,
            "--store",
            "small/s.db",
            cwd=self.folder,
            env=environment,
        )

    @staticmethod
    def stored(path):
        """(case, phase) of each attempt; SQLite finds the store whole."""
        with sqlite3.connect(path) as database:
            if database.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                raise sqlite3.DatabaseError("quick_check")
            found = []
            if database.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                found = database.execute("SELECT case_name, phase FROM results").fetchall()
        database.close()
        return sorted(found)

    def judge(self, done, what, soak, detail, sync_fails=False):
        """One try: what the run said, beside what its store has."""
        path = self.folder / "kept" / "s.db"
        unreadable, stored = 0, []
        if path.exists() and path.stat().st_size > 0:
            read = subprocess.run(
                [self.executable, "--no-config", "report", "--store", str(path)],
                capture_output=True,
                text=True,
            )
            try:
                stored = self.stored(path)
            except sqlite3.Error as error:
                read.stderr += str(error)
                unreadable = 1
            unreadable |= read.returncode not in (0, 4) and bool(stored)
        said = re.search(r"(\d+) results of this run are stored, (\d+) are lost", done.stderr)
        untrue = 0
        if done.returncode == 0:
            untrue = stored != self.whole
        elif said:
            # A commit whose sync failed is told as lost, and may be there.
            most = int(said[1]) + (int(said[2]) if sync_fails else 0)
            untrue = not int(said[1]) <= len(stored) <= most
        elif "its results are stored" in done.stderr:
            untrue = stored != self.whole
        else:  # it ended before it had a result
            untrue = bool(stored)
        untrue = untrue or (done.returncode == 3 and not any(word in done.stderr for word in FULL))
        wrong = {
            "untrue_accounts": int(untrue),
            "wrong_exit": int(done.returncode not in (0, 3)),
            "unreadable": int(unreadable),
        }
        soak.count(what, 1, **wrong)
        if any(wrong.values()):
            soak.say(
                "%s: %s, exit %d, %d stored: %s"
                % (detail, wrong, done.returncode, len(stored), done.stderr[-600:])
            )
        return done.returncode


@pytest.fixture(scope="module")
def runs(executable, tmp_path_factory):
    return Runs(executable, tmp_path_factory.mktemp("full"))


def sizes(runs, drawn_seed):
    """All numbers of pages, in any order; the first is too small."""
    numbers = list(range(1, runs.pages))
    random.Random(drawn_seed).shuffle(numbers)
    return [runs.pages // 6, *numbers]


@pytest.mark.soak(figure=10)
def test_the_file_system_is_full_at_every_size(runs, soak, drawn_seed):
    mount = "mount -t tmpfs -o size=%d seamark small"
    if not namespaces.permitted(*namespaces.USER, "mount -t tmpfs -o size=64k seamark /mnt"):
        pytest.skip("no file system can be mounted here (disk full)")
    made, ended, numbers = 0, set(), sizes(runs, drawn_seed)
    while soak.more(made, 5):
        pages = numbers[made % len(numbers)]
        done = runs.inside(namespaces.USER, mount % (pages * PAGE) + ' && "$@"')
        ended.add(runs.judge(done, "disk full", soak, "%d pages" % pages))
        made += 1
    assert 3 in ended


@pytest.mark.soak(figure=10)
def test_a_limit_of_file_sizes_at_every_size(runs, soak, drawn_seed):
    made, ended, numbers = 0, set(), sizes(runs, drawn_seed)
    while soak.more(made, 5):
        # `ulimit -f` of dash counts 512 bytes.
        pages = numbers[made % len(numbers)]
        done = runs.inside([], "rm -f small/*; ulimit -f %d; " % (pages * PAGE // 512) + '"$@"')
        ended.add(runs.judge(done, "file-size limit", soak, "%d pages" % pages))
        made += 1
    assert 3 in ended


# Once the log has so many bytes.
HALFWAY = """
rm -f small/*
"$@" & run=$!
while kill -0 $run 2>/dev/null && [ $(stat -c %%s small/s.db-wal 2>/dev/null || echo 0) -lt %d ]; do sleep 0.005; done
%s
wait $run"""


@pytest.mark.soak(figure=10)
def test_the_folder_becomes_read_only_halfway(runs, soak, drawn_seed):
    """For whoever has no power over permissions: root without its capabilities, or a plain user."""
    plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if plain and not namespaces.permitted(*plain, "true"):
        pytest.skip("root cannot be without its powers here (folder read-only)")
    made, numbers = 0, sizes(runs, drawn_seed)
    while soak.more(made, 2):
        size = numbers[made % len(numbers)] * PAGE
        done = runs.inside(plain, HALFWAY % (size, "chmod 555 small"))
        (runs.folder / "small").chmod(0o755)
        runs.judge(done, "folder read-only", soak, "at %d bytes" % size)
        made += 1


@pytest.mark.soak(figure=10)
def test_the_file_system_becomes_read_only_halfway(runs, soak, drawn_seed):
    """As ext4 does by itself when its device fails."""
    image = runs.folder / "image"
    with open(image, "wb") as stream:
        stream.truncate(8 << 20)
    mount = "mount -o loop,errors=remount-ro '%s' '%s'" % (image, runs.folder / "small")
    made_one = os.geteuid() == 0 and namespaces.permitted("env", "mkfs.ext4 -qF '%s'" % image)
    if not made_one or not namespaces.permitted(*namespaces.ROOT, mount):
        pytest.skip("no image of a file system can be mounted here (file system read-only)")
    fail = "device=$(basename $(grep ' %s ' /proc/mounts | cut -d' ' -f1)); case $device in loop*) echo 1 >/sys/fs/ext4/$device/trigger_fs_error;; esac"
    fail %= runs.folder / "small"
    made, ended, numbers = 0, set(), sizes(runs, drawn_seed)
    while soak.more(made, 2):
        assert namespaces.permitted.__wrapped__("env", "mkfs.ext4 -qF '%s'" % image)
        size = numbers[made % len(numbers)] * PAGE
        done = runs.inside(namespaces.ROOT, mount + " && { " + HALFWAY % (size, fail) + "; }")
        ended.add(runs.judge(done, "file system read-only", soak, "at %d bytes" % size, True))
        made += 1


@pytest.mark.soak(figure=10)
def test_a_quota(soak):
    pytest.skip("no quota can be made here (a user's quota ends a write as a full disk does)")
