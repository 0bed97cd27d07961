"""Do two failures say the same? One comparison for all that ask whether the reference fails in the same way."""

import re

_FRAME = re.compile(r'File "[^"\n]*", line \d+, in [^\n]*')  # TensorFlow quotes its caller's stack
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_PLATFORM = re.compile(
    r"(?<![A-Za-z])(?:xla_)?(?:cpu|gpu|tpu|cuda|rocm|xla)(?:_jit)?(?![A-Za-z])", re.I
)


def message_key(message):
    """A message without what varies: numbers, addresses, frames of a stack, white space, and the
    platform's own name."""
    text = _NUMBER.sub("#", _FRAME.sub("", str(message)))
    return " ".join(_PLATFORM.sub("<platform>", text).split())


MOST_TEXT = 1 << 20


def text_of(error):
    """The text of an exception, its first MOST_TEXT characters; a case may have written it: reading it may raise."""
    try:
        return str(error)[:MOST_TEXT]
    except BaseException as second:
        return "(the exception's text cannot be read: %s)" % type(second).__name__


def same_failure(one, other):
    """Whether two exceptions have the same type and, but for what varies, the same text."""
    return type(one) is type(other) and message_key(text_of(one)) == message_key(text_of(other))
