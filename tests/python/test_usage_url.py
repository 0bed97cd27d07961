"""`seamark usage` of URLs: a real server of HTTP, and file:// through fsspec."""

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from test_usage_verb import EXECUTABLE, ONE, TWO, line, table

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

LINES = [line(ONE), line(ONE, path="b.py"), line(TWO)]
FOUR = (4, 0, 2, 1)


def plain(lines):
    return "".join(lines).encode()


def gz(lines):
    return gzip.compress(plain(lines))


def zst(lines):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.compress(plain(lines), codec="zstd", asbytes=True)


def parquet(lines):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files

    out = pyarrow.BufferOutputStream()
    rows = [json.loads(text) for text in lines]
    files.write_table(pyarrow.Table.from_pylist(rows), out, row_group_size=100)
    return out.getvalue().to_pybytes()


PACKED = {"a.jsonl": plain, "a.json.gz": gz, "a.jsonl.zst": zst, "a.parquet": parquet}


class Site:
    """Serves `files` by path, with ranges; how it misbehaves is set by the tests."""

    def __init__(self):
        self.files = {}
        self.etags = {}
        self.cut = {}  # path: it breaks off after so many bytes
        self.sized = True  # GET says how long its answer is
        self.stall = set()  # paths that stand still when half is sent
        self.authorization = None
        self.asked = []
        self.over = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                site.answer(self, body=False)

            def do_GET(self):
                site.answer(self, body=True)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = "127.0.0.1:%d" % self.server.server_port
        self.url = "http://" + self.host
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request, body):
        path = request.path.partition("?")[0]
        self.asked.append((request.command, request.path))
        if self.authorization not in (None, request.headers.get("Authorization")):
            request.send_error(403)
            return
        if path.endswith("/"):
            names = [name[len(path) :] for name in self.files if name.startswith(path)]
            content = "".join('<a href="%s">x</a>' % name for name in ["../", *names]).encode()
            self.send(request, path, content, body, "text/html")
        elif path in self.files:
            self.send(request, path, self.files[path], body)
        else:
            request.send_error(404)

    def send(self, request, path, content, body, kind="application/octet-stream"):
        limits = request.headers.get("Range", "").removeprefix("bytes=").split("-")
        part = content
        if len(limits) == 2:
            part = content[int(limits[0]) : int(limits[1]) + 1]
            request.send_response(206)
            start = int(limits[0])
            request.send_header(
                "Content-Range", "bytes %d-%d/%d" % (start, start + len(part) - 1, len(content))
            )
        else:
            request.send_response(200)
        request.send_header("Content-Type", kind)
        if self.sized or not body:
            request.send_header("Content-Length", str(len(part)))
        if path in self.etags:
            request.send_header("ETag", self.etags[path])
        request.end_headers()
        if not body:
            return
        try:
            if path in self.stall:
                request.wfile.write(part[: len(part) // 2])
                request.wfile.flush()
                self.over.wait(60)
                part = part[len(part) // 2 :]
            request.wfile.write(part[: self.cut.get(path, len(part))])
        except OSError:
            pass  # nobody reads on


@pytest.fixture
def site():
    made = Site()
    yield made
    made.close()


def command(tmp_path, *arguments):
    return [EXECUTABLE, "usage", "--no-config", "--store", str(tmp_path / "u.db"), *arguments]


@pytest.fixture
def seamark(tmp_path):
    def run(*arguments, format="csv", **variables):
        return subprocess.run(
            command(tmp_path, "--format", format, *arguments),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", "SEAMARK_PYTHON": sys.executable, **variables},
        )

    return run


def counted(result):
    assert result.returncode == 0, result.stderr
    return table(result)["torch.zeros", "resolved"]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_streamed(site, seamark, tmp_path, name, scheme):
    content = PACKED[name](LINES)
    site.files["/in/" + name] = content
    (tmp_path / name).write_bytes(content)
    here = {"http": site.url + "/in/", "file": "file://%s/" % tmp_path}[scheme]
    assert counted(seamark(here + name)) == FOUR


def test_what_it_is_is_seen_by_its_first_bytes(site, seamark):
    site.files = {"/x": gz(LINES), "/y": parquet(LINES), "/z.tar": b"x", "/a.py": b"import torch"}
    assert counted(seamark(site.url + "/x", site.url + "/y", "-j", "2")) == (8, 0, 4, 1)
    for name, said in (("/z.tar", "is an archive"), ("/a.py", "JSON lines and Parquet")):
        result = seamark(site.url + name)
        assert result.returncode == 2
        assert said in result.stderr
    site.files["/z"] = plain(LINES).replace(b"content", b"code")
    assert counted(seamark(site.url + "/z", "--kind", "jsonl", "--content-key", "code")) == FOUR
    assert seamark(site.url + "/x", "--kind", "files").returncode == 2


def test_globs_and_folders(site, seamark, tmp_path):
    folder = tmp_path / "in"
    for name in (*PACKED, "README.md", "x.json", "deep/B.NDJSON", "deep/c.json.zstd", "d.tar.gz"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        pack = PACKED.get(name, zst if name.endswith("zstd") else plain)
        file.write_bytes(pack(LINES))
        site.files["/in/" + name] = file.read_bytes()
    whole = counted(seamark(str(folder)))
    assert whole == (24, 0, 12, 1)
    assert counted(seamark("file://%s" % folder)) == whole
    assert counted(seamark("file://%s/*.json*" % folder)) == (16, 0, 8, 1)
    assert counted(seamark("file://%s/**/*.[nN]*" % folder)) == FOUR
    assert counted(seamark("file://%s" % folder, "--kind", "parquet")) == FOUR
    assert counted(seamark(site.url + "/in/*.json*")) == (16, 0, 8, 1)
    assert counted(seamark(site.url + "/in/")) == whole


def test_what_is_not_there(site, seamark, tmp_path):
    (tmp_path / "empty").mkdir()
    for url, code, said in (
        (site.url + "/none.jsonl", 2, "no such file"),
        (site.url + "/none/*.jsonl", 2, "no such file"),
        (site.url + "/*.jsonl", 2, "no file matches"),
        ("file://%s/*.jsonl" % tmp_path, 2, "no file matches"),
        ("file://%s/empty" % tmp_path, 2, "there is no .jsonl"),
        ("file://%s/none" % tmp_path, 2, "no such file"),
        ("nosuch://x", 2, "nosuch"),
        ("http://127.0.0.1:1/x.jsonl", 3, "Connect"),
        ("http://127.0.0.1:1/*.jsonl", 3, "Connect"),
    ):
        result = seamark(url)
        assert result.returncode == code, result.stderr
        assert "%s: " % url in result.stderr
        assert said in result.stderr


def test_a_package_that_is_missing_is_named(site, seamark, tmp_path):
    site.files["/a.jsonl"] = plain(LINES)
    for package, said in (("fsspec", "pip install 'seamark[url]'"), ("aiohttp", "aiohttp")):
        (tmp_path / package).mkdir()
        (tmp_path / package / (package + ".py")).write_text("raise ImportError('none here')")
        result = seamark(site.url + "/a.jsonl", PYTHONPATH=str(tmp_path / package))
        assert result.returncode == 3
        assert said in result.stderr
    result = seamark(site.url + "/a.jsonl", SEAMARK_PYTHON="/no/such/python")
    assert result.returncode == 3
    assert "SEAMARK_PYTHON" in result.stderr


@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("name", PACKED)
def test_what_breaks_off_counts_as_a_whole_or_not_at_all(site, seamark, name, sized):
    many = [line(ONE, path="%d.py" % i) for i in range(500)]
    site.files = {"/" + name: PACKED[name](many), "/whole.jsonl": plain(LINES)}
    site.sized = sized
    site.cut["/" + name] = len(site.files["/" + name]) // 2
    both = [site.url + "/" + name, site.url + "/whole.jsonl"]
    result = seamark(*both)
    assert result.returncode == 3, result.stderr
    assert table(result)["torch.zeros", "resolved"] == FOUR
    assert result.stderr.count("lost: ") == 1
    assert "lost: %s: it broke off" % both[0] in result.stderr
    assert seamark(*both, "--strict").returncode == 3
    site.cut.clear()
    site.sized = True
    assert counted(seamark(*both)) == (1004, 0, 502, 1)


def test_a_damaged_file_is_a_loss_and_no_hang(site, seamark):
    # More than what the pipe and the reader's window hold.
    site.files = {"/a.json.gz": gz(LINES) + b"no gz" * 1_000_000}
    site.etags = {"/a.json.gz": '"1"'}
    result = seamark(site.url + "/a.json.gz")
    assert result.returncode == 3
    assert "is no gz" in result.stderr
    assert table(result)["torch.zeros", "resolved"] == FOUR
    # It was counted as far as it goes: it is not read again.
    assert "counted before" in seamark(site.url + "/a.json.gz").stderr


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_resume_by_etag(site, seamark, name):
    pack = PACKED[name]
    site.files["/" + name] = pack(LINES)
    site.etags["/" + name] = '"one"'
    url = site.url + "/" + name
    assert "counted before" not in seamark(url).stderr
    assert "1 of 1 shard counted before" in seamark(url + "?signature=other").stderr
    site.files["/" + name] = pack(LINES[:1] + LINES[2:])
    site.etags["/" + name] = '"two"'
    assert counted(seamark(url)) == (2, 0, 1, 1)
    site.etags.clear()  # nothing tells: it is read each time
    for _ in range(2):
        assert "counted before" not in seamark(url).stderr


def test_resume_by_time_of_change(seamark, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(plain(LINES))
    url = "file://%s/*.jsonl" % tmp_path
    assert counted(seamark(url)) == FOUR
    assert "1 of 1 shard counted before" in seamark(url).stderr
    (tmp_path / "a.jsonl").write_bytes(plain(LINES[:1]))
    assert counted(seamark(url)) == (2, 0, 1, 1)


def test_one_start_of_the_helper_lists_all_urls(site, seamark, tmp_path):
    (tmp_path / "b.jsonl").write_bytes(plain(LINES[:1]))
    starts = tmp_path / "starts"
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$2" >> %s\nexec %s "$@"\n' % (starts, sys.executable))
    python.chmod(0o755)
    inputs = []
    for i in range(5):
        site.files["/%d.jsonl" % i] = site.files["/in/%d.jsonl" % i] = plain(LINES[: 1 + i % 2])
        inputs.append("%s/%d.jsonl" % (site.url, i))
    inputs += ["b.jsonl", inputs[0], site.url + "/in/*.jsonl"]

    def counted(*words):
        starts.write_text("")
        result = seamark(*inputs, *words, format="json", SEAMARK_PYTHON=str(python))
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    whole = counted("--label", "whole")
    assert sorted(starts.read_text().split()) == ["list"] + ["read"] * 11
    assert (whole["corpus"]["shards"], whole["files"]) == (12, 7 + 1 + 1 + 7)
    # Every fourth shard, in the order of the inputs, from the second on.
    assert counted("--label", "part", "--slice", "2/4")["files"] == 2 + 1 + 1
    assert sorted(starts.read_text().split()) == ["list"] + ["read"] * 2
    site.files.pop("/3.jsonl")
    missing = seamark(*inputs)
    assert missing.returncode == 2 and "cannot open %s: " % inputs[3] in missing.stderr


def test_secrets_of_a_url_are_neither_stored_nor_shown(site, seamark, tmp_path):
    site.authorization = "Basic " + b64encode(b"someone:hunter2").decode()
    site.files["/a.jsonl"] = plain(LINES) + b"no json\n"
    url = "http://someone:hunter2@%s/a.jsonl?token=t0psecret" % site.host
    result = seamark(url, format="json")
    assert result.returncode == 3, result.stderr  # a loss, named
    assert "lost: %s/a.jsonl:4" % site.url in result.stderr
    assert any("t0psecret" in path for _, path in site.asked)
    site.authorization = "Basic no"
    refused = seamark(url)
    assert refused.returncode == 3
    assert "403" in refused.stderr
    told = result.stdout + result.stderr + refused.stdout + refused.stderr
    told += "".join(path.read_bytes().decode("latin-1") for path in tmp_path.glob("u.db*"))
    assert json.loads(result.stdout)["corpus"]["inputs"] == [site.url + "/a.jsonl"]
    for secret in ("someone", "hunter2", "t0psecret"):
        assert secret not in told


def children_of(pid):
    found = [path.read_text() for path in Path("/proc/%d/task" % pid).glob("*/children")]
    return [int(text) for text in " ".join(found).split()]


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_an_interrupt_ends_the_helper(site, tmp_path, name):
    site.files = {"/" + name: PACKED[name](LINES * 300)}
    site.stall = set(site.files)
    process = subprocess.Popen(
        command(tmp_path, site.url + "/" + name),
        stderr=subprocess.PIPE,
        env={**os.environ, "SEAMARK_PYTHON": sys.executable},
        cwd=tmp_path,
    )
    end = time.monotonic() + 60
    while ("GET", "/" + name) not in site.asked and time.monotonic() < end:
        time.sleep(0.02)
    [helper] = children_of(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    while Path("/proc/%d" % helper).exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path("/proc/%d" % helper).exists()
