"""Rewrites what `seamark audit` found. A job as JSON on standard input:

    {"to": "mps", "unsafe": false, "write": true, "allow_dirty": false,
     "files": [{"path": "train.py", "places": [["DEV02", 12, 8]]}]}

On standard output a line of JSON, {"files": [{"path", "done": [numbers of places], "left": [[number, why, whether
an unsafe fix is known]]}]}, and behind it the changes as a unified diff. Comments, formatting, line ends and encodings stay; a file is written whole or not at all.
Exit codes: 0; 3 there is no LibCST; 5 the files are not all committed, with the reason as the last line of standard error.
"""

import ast
import difflib
import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import tokenize
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

NO_LIBCST = 3
NOT_COMMITTED = 5


class File:
    """A file that may change: `old` and `new` are its bytes, `why` says why it is left."""

    def __init__(self, path, places):
        self.path = path
        self.places = [tuple(one) for one in places]
        self.old = self.new = b""
        self.state = None
        self.done = []
        self.left = {}
        self.unsafe = set()

    def leave(self, why):
        self.new, self.done = self.old, []
        self.left = dict.fromkeys(range(len(self.places)), why)
        self.unsafe = set()

    @property
    def changes(self):
        return self.new != self.old

    def outcome(self):
        return {
            "path": self.path,
            "done": self.done,
            "left": [
                [number, why, number in self.unsafe] for number, why in sorted(self.left.items())
            ],
        }


def identity(state):
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def rewrite(file, job):
    try_to_rewrite(file, job)
    return file


def result_of(file, future, job):
    """Of one that was lost with its process, what comes of it alone: nesting that is deep enough ends LibCST's parser."""
    try:
        return future.result()
    except BrokenProcessPool:
        pass
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(rewrite, file, job).result()
        except BrokenProcessPool:
            file.leave("LibCST cannot read it")
            return file


def parses(content):
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def try_to_rewrite(file, job):
    from fix_code import Code, Left
    from fix_floors import floor
    from fix_rules import FIXERS
    from libcst import ParserSyntaxError, parse_module

    if file.path.endswith(".ipynb"):
        return file.leave("notebooks are left as they are")
    if not file.path.endswith((".py", ".pyi", ".pyw")):
        return file.leave("only files of Python are rewritten")
    if not any(rule in FIXERS for rule, _, _ in file.places):
        return file.leave("no fix is known")
    try:
        file.state = os.lstat(file.path)
        if not stat.S_ISREG(file.state.st_mode):
            return file.leave("it is a link, or no file")
        with open(file.path, "rb") as stream:
            file.old = file.new = stream.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(file.old).readline)
        text = file.old.decode(encoding)
        if text.encode(encoding) != file.old:
            return file.leave("its encoding is not kept")
        code = Code(
            text,
            to=job["to"],
            unsafe=job["unsafe"],
            floor=lambda name: floor(file.path, name),
            is_package=os.path.basename(file.path) == "__init__.py",
        )
        outcome = code.apply(file.places, FIXERS)
        new = outcome.text.encode(encoding)
        parse_module(outcome.text)
        # LibCST knows syntax that is newer than this interpreter.
        if parses(file.old) and not parses(new):
            return file.leave("what came of it does not parse")
    except OSError as error:
        return file.leave("it cannot be read: %s" % error.strerror)
    except Left as left:
        return file.leave(str(left))
    except (ParserSyntaxError, SyntaxError, UnicodeError) as error:
        return file.leave("it does not parse: %s" % " ".join(str(error).split())[:200])
    except Exception as error:  # of LibCST: one file is no reason to leave the others
        return file.leave("it cannot be rewritten: %s" % type(error).__name__)
    file.new, file.done = new, outcome.done
    file.left, file.unsafe = outcome.left, outcome.unsafe


def lines_of(content):
    """Only a line feed ends a line, as for patch."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]] + (
        [] if content.endswith(b"\n") or not content else [content.rsplit(b"\n", 1)[-1]]
    )


def diff_of(file):
    path = os.fsencode(os.path.relpath(file.path))
    if path.startswith(b".."):
        path = os.fsencode(os.path.abspath(file.path)).lstrip(b"/")
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        lines_of(file.old),
        lines_of(file.new),
        b"a/" + path,
        b"b/" + path,
        lineterm=b"\n",
    )
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in lines
    )


def git(folder, *words):
    """What git says; None: it is not there, or the folder is not its own."""
    try:
        done = subprocess.run(
            # What a repository's own settings could start is switched off.
            ["git", "-c", "core.fsmonitor=false", "-C", folder, *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def not_committed(files):
    """Why the files should not be written over; empty: git has them all, as they are."""
    tops = {}
    for file in files:
        folder = os.path.dirname(os.path.abspath(file.path))
        top = git(folder, "rev-parse", "--show-toplevel")
        name = "./" + os.path.basename(file.path)
        if top is None or git(folder, "ls-files", "--error-unmatch", "--", name) is None:
            return "%s is not in git" % file.path
        tops[os.fsdecode(top.rstrip(b"\n"))] = True
    for top in tops:
        changed = git(top, "status", "--porcelain", "--untracked-files=no", "-z")
        if changed is None:
            return "git does not tell the state of %s" % top
        if changed:
            first = os.fsdecode(changed.split(b"\0")[0][3:])
            return "%s has changes that are not committed (%s)" % (top, first)
    return ""


def write(file):
    """Into a new file beside it, which takes its place."""
    folder = os.path.dirname(os.path.abspath(file.path))
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=".seamark-", suffix=".tmp", dir=folder)
        with open(handle, "wb") as stream:
            stream.write(file.new)
            stream.flush()
            try:
                os.fchown(stream.fileno(), file.state.st_uid, file.state.st_gid)
            except OSError:
                pass  # the writer is the owner then
            os.fchmod(stream.fileno(), stat.S_IMODE(file.state.st_mode))
            os.fsync(stream.fileno())
        if identity(os.lstat(file.path)) != identity(file.state):
            raise OSError(0, "it changed meanwhile")
        os.replace(temporary, file.path)
        temporary = None
    except OSError as error:
        file.leave("it cannot be written: %s" % error.strerror)
    finally:
        if temporary is not None:
            os.unlink(temporary)


def main():
    try:
        import libcst  # noqa: F401
    except ImportError as error:
        print("no LibCST: %s" % error, file=sys.stderr)
        return NO_LIBCST
    job = json.loads(sys.stdin.buffer.read())
    files = [File(one["path"], one["places"]) for one in job["files"]]
    with ProcessPoolExecutor() as pool:
        futures = [pool.submit(rewrite, file, job) for file in files]
    files = [result_of(*one, job) for one in zip(files, futures, strict=True)]
    changed = [file for file in files if file.changes]
    if job["write"]:
        why = "" if job["allow_dirty"] else not_committed(changed)
        if why:
            print(why, file=sys.stderr)
            return NOT_COMMITTED
        for file in changed:
            write(file)
    out = sys.stdout.buffer
    out.write(json.dumps({"files": [file.outcome() for file in files]}).encode() + b"\n")
    for file in changed:
        if file.changes:
            out.write(diff_of(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
