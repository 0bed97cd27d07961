"""The wire of docs/wire.md: one strict JSON object per line on two file descriptors of our own."""

import json
import os

MAX_LINE = 1 << 20
MAX_DEPTH = 32
NONCE_BYTES = 32
_STAMP_ROOM = 64  # left free in a line, for its nonce


class WireClosed(Exception):
    """A case closed or replaced a descriptor of the wire."""


class WireError(Exception):
    """A line that is no message: too long, no JSON, no object."""


def encode(message):
    """bytes of one line. Non-finite numbers become tagged strings; lone surrogates are escaped."""
    try:
        data = _dump(message)
    except (ValueError, TypeError, RecursionError):  # UnicodeEncodeError is a ValueError
        data = _dump(clean(message))
    if len(data) >= MAX_LINE - _STAMP_ROOM:
        data = json.dumps(_shorten(clean(message)), allow_nan=False).encode("ascii")
    return data + b"\n"


_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _dump(message):
    return _ENCODER.encode(message).encode("utf-8")


def clean(value, depth=0):
    """The same value with nothing in it that strict JSON cannot hold."""
    if depth > MAX_DEPTH - 2:
        return "(nested too deep)"
    if value is None or isinstance(value, (bool, int)):
        return value if value is None or isinstance(value, bool) else int(value)
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (float("inf"), float("-inf")):
            return "inf" if value > 0 else "-inf"
        return float(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {_text(str(key)): clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(item, depth + 1) for item in value]
    return _text(str(value))


def _text(value):
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _shorten(value, limit=2000):
    """For a line that would be too long: long texts and lists are cut."""
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, dict):
        return {key[:limit]: _shorten(item, limit) for key, item in list(value.items())[:200]}
    if isinstance(value, list):
        return [_shorten(item, limit) for item in value[:1000]]
    return value


def decode(line):
    """A dict; WireError otherwise."""
    try:
        message = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise WireError("not JSON: %s" % error) from None
    if not isinstance(message, dict):
        raise WireError("not an object")
    return message


def _no_constant(name):
    raise ValueError("%s is not JSON" % name)


class Wire:
    """Blocking lines over two file descriptors, which subprocesses do not inherit."""

    def __init__(self, in_fd, out_fd, key_fd):
        self._in, self._out, self._key = in_fd, out_fd, key_fd
        for fd in (in_fd, out_fd, key_fd):
            os.set_inheritable(fd, False)
        self._identity = self._identify()
        self._buffer = b""

    def _identify(self):
        facts = [os.fstat(fd) for fd in (self._in, self._out, self._key)]
        return [(fact.st_dev, fact.st_ino) for fact in facts]

    def check(self):
        """WireClosed where the descriptors are not what they were. They block again, whatever a case made of them."""
        try:
            same = self._identify() == self._identity
        except OSError:
            same = False
        if not same:
            raise WireClosed
        for fd in (self._in, self._out, self._key):
            os.set_blocking(fd, True)

    def close(self):
        """For a forked child: the wire is none of its."""
        for fd in (self._in, self._out, self._key):
            os.close(fd)
        self._buffer = b""

    def nonce(self):
        """Of the next request that has an answer. Read when its case cannot see it any more (docs/wire.md)."""
        return os.read(self._key, NONCE_BYTES).decode("ascii", "replace")

    def read(self):
        """The next message, or None at the end of input. WireError for a line that is none."""
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0:
                line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
                if line:
                    return decode(line)
                continue
            if len(self._buffer) > 64 * MAX_LINE:
                raise WireError("a line is longer than %d bytes" % (64 * MAX_LINE))
            chunk = os.read(self._in, 1 << 16)
            if not chunk:
                return None
            self._buffer += chunk

    def write(self, message):
        self.write_lines(encode(message))

    def write_lines(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]
