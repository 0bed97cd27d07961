"""Lists and streams what a URL names, through fsspec, for `seamark usage` (docs/usage.md, "Inputs").

open_url.py list URL...: of each the file, the files that its glob matches, or a folder's shards; JSON lines, the `url`,
then of each file `path` (in the file system of URL), `name`, `bytes` (-1: unknown), `identity` (changes with the content;
empty: nothing tells), `head` (its first bytes in hex, where the name does not tell what it is) and `folder` (the URL is
one). It ends with the first URL that fails.
open_url.py read URL PATH BYTES: the bytes of one of them.
Exit codes: 0; 3 a package is missing; 4 there is no such thing; 5 it cannot be read, or broke off; with the reason as
the last line of standard error.
"""

import json
import os
import re
import sys

NO_PACKAGE = 3
NOT_FOUND = 4
BROKE_OFF = 5

# What is asked of a bucket at once.
BLOCK = 8 << 20
HEAD = 4096
PATIENCE = 60

# As kind_of_name() of src/seamark/usage/input/input_kind.cc has them.
SHARD = re.compile(r"\.(parquet|(jsonl|ndjson)(\.gz|\.zstd?)*|json(\.gz|\.zstd?)+)$", re.IGNORECASE)
CHECKSUMS = ("ETag", "etag", "md5Hash", "checksum", "Content-MD5", "Digest", "blob_id", "sha")
TIMES = ("mtime", "LastModified", "last_modified", "Last-Modified", "updated", "modified")


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def status(error):
    """Of HTTP, where it is an answer of a server: aiohttp's, a hub's, botocore's."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return getattr(response, "status_code", getattr(error, "status", None))


def failure(error):
    """Of any exception: what began it says most."""
    if isinstance(error, Failure):
        return error
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, FileNotFoundError) or status(error) in (404, 410):
        return Failure(NOT_FOUND, "there is no such file")
    return Failure(BROKE_OFF, "%s: %s" % (type(error).__name__, error))


def is_http(fs):
    protocols = (fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol
    return "http" in protocols


def connect(url):
    """The file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise Failure(NO_PACKAGE, "fsspec is missing") from None
    try:
        fs, path = url_to_fs(url)
    except ImportError as error:
        raise Failure(NO_PACKAGE, str(error)) from None
    except ValueError as error:
        raise Failure(NOT_FOUND, str(error)) from None
    if is_http(fs):
        import aiohttp

        # As stored, not packed for the way; what is slow is no failure, what stands still is.
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=PATIENCE, sock_read=PATIENCE)
        headers = {**fs.kwargs.get("headers", {}), "Accept-Encoding": "identity"}
        fs.kwargs = {"timeout": timeout, **fs.kwargs, "headers": headers}
    return fs, path


def stream(fs, path, block=BLOCK):
    """Its pieces from the beginning on; of HTTP in one request."""
    with fs.open(path, "rb", block_size=0 if is_http(fs) else block) as file:
        while piece := file.read(block):
            yield piece


def first_bytes(fs, path):
    first = b""
    for piece in stream(fs, path, HEAD):
        first += piece
        if len(first) >= HEAD:
            break
    return first[:HEAD]


class Ranges:
    """A file of a URL for who reads here and there; `broken` is what reading it failed with."""

    def __init__(self, url, path):
        self.broken = None
        fs, _ = connect(url)
        self._file = fs.open(path, "rb")
        self._size = getattr(self._file, "size", 0)
        if self._size is None:
            raise Failure(BROKE_OFF, "Parquet needs a server that tells sizes and sends ranges")

    def read(self, count=-1):
        try:
            end = min(self._file.tell() + count, self._size)
            piece = self._file.read(count)
            if count > 0 and self._file.tell() < end:
                raise Failure(
                    BROKE_OFF, "it ended at byte %d of %d" % (self._file.tell(), self._size)
                )
            return piece
        except Exception as error:
            self.broken = error
            raise

    def __getattr__(self, name):
        return getattr(self._file, name)


def find(fs, url, path):
    """The files by path, and whether the URL is a folder."""
    magic = "*[" if is_http(fs) else "*?["
    if any(letter in path for letter in magic):
        found = fs.glob(path, detail=True)
        files = {name: info for name, info in found.items() if info["type"] != "directory"}
        if not files:
            fs.ls(base(path, magic))  # raises the reason where there is one
            raise Failure(NOT_FOUND, "no file matches it")
        return files, False, magic
    info = {"type": "directory"} if is_http(fs) and path.endswith("/") else fs.info(path)
    if info["type"] != "directory":
        return {path: info}, False, magic
    files = {name: info for name, info in fs.find(path, detail=True).items() if SHARD.search(name)}
    if not files:
        fs.ls(path)
        raise Failure(NOT_FOUND, "there is no .jsonl, .json.gz, .json.zst or .parquet file in it")
    return files, True, magic


def base(text, magic):
    """The folder that a glob, or else the text itself, names."""
    at = min((i for i, letter in enumerate(text) if letter in magic), default=-1)
    return text.rstrip("/") + "/" if at < 0 else text[: text.rfind("/", 0, at) + 1]


def identity(name, info):
    for key in CHECKSUMS:
        if info.get(key):
            return "%s %s" % (key, info[key])
    if "?" not in name:  # what a query asks for is no file whose time would tell
        for key in TIMES:
            if info.get(key):
                return "%s %s" % (key, info[key])
    return ""


def list_files(url, out):
    out.write(json.dumps({"url": url}).encode() + b"\n")
    out.flush()  # whatever becomes of it
    fs, path = connect(url)
    files, folder, magic = find(fs, url, path)
    head, chain, rest = url.partition("::")
    for file, info in sorted(files.items()):
        name = url
        if file != path:
            root = base(path, magic)
            plain = "://" not in head or not file.startswith(root)
            name = fs.unstrip_protocol(file) if plain else base(head, magic) + file[len(root) :]
            name += chain + rest if "://" in head else ""
        if info.get("size") is None or not identity(name, info):
            info = {**info, **fs.info(file)}
        first = b""
        if not SHARD.search(file.partition("?")[0] if is_http(fs) else file):
            first = first_bytes(fs, file)
        size = info.get("size")
        line = {
            "path": file,
            "name": name,
            "bytes": -1 if size is None else size,
            "identity": identity(name, info),
            "head": first.hex(),
            "folder": folder,
        }
        out.write(json.dumps(line).encode() + b"\n")


def read_file(url, path, size, out):
    fs, _ = connect(url)
    sent = 0
    for piece in stream(fs, path):
        out.write(piece)
        sent += len(piece)
    if size not in (-1, sent):
        raise Failure(BROKE_OFF, "it ended at byte %d of %d" % (sent, size))


def main(arguments):
    # What a library prints is no part of the output.
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    task, *words = arguments
    try:
        if task == "list":
            for url in words:
                list_files(url, out)
        else:
            url, path, size = words
            read_file(url, path, int(size), out)
        out.flush()
    except Exception as error:
        told = failure(error)
        print(" ".join(str(told).split()), file=sys.stderr, flush=True)
        return told.code
    return 0


if __name__ == "__main__":
    # No clean-up of event loops: it may wait, and complains on standard error.
    os._exit(main(sys.argv[1:]))
