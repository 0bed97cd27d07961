"""The Python end of the wire: strict lines, whatever a framework says."""

import json
import math
import os

import pytest
from agent_client import ROOT
from hypothesis import given
from hypothesis import strategies as st
from seamark_agent import wire

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), ANYTHING, max_size=5))
def test_whatever_is_said_is_one_strict_line(message):
    data = wire.encode(message)
    assert data.endswith(b"\n") and data.count(b"\n") == 1
    assert isinstance(
        json.loads(data.decode("utf-8"), parse_constant=lambda name: pytest.fail(name)), dict
    )


def test_non_finite_numbers_are_tagged():
    assert json.loads(wire.encode({"a": [math.inf, -math.inf, math.nan, 1.5]})) == {
        "a": ["inf", "-inf", "nan", 1.5]
    }


def test_a_long_line_is_cut_and_stays_json():
    data = wire.encode(
        {"ev": "end", "id": 3, "failure": {"message": "x" * (3 << 20)}, "warm": list(range(500000))}
    )
    assert len(data) <= wire.MAX_LINE
    assert json.loads(data)["id"] == 3


def test_lone_surrogates_survive_as_text():
    assert json.loads(wire.encode({"m": "a\ud800b"}))["m"] == "a\\ud800b"


@pytest.mark.parametrize(
    "line", [b"", b"nonsense", b"[1]", b'{"a": NaN}', b'{"a": 1} x', b"[" * 100000]
)
def test_lines_that_are_no_message(line):
    with pytest.raises(wire.WireError):
        wire.decode(line)


def test_messages_split_and_joined_by_the_pipe():
    read, write = os.pipe()
    answer = os.open(os.devnull, os.O_WRONLY)
    line = wire.Wire(read, answer, read)
    os.write(write, b'\n{"op":"pl')
    os.write(write, b'an"}\n{"op":"stop"}\n')
    os.close(write)
    assert line.read() == {"op": "plan"}
    assert line.read() == {"op": "stop"}
    assert line.read() is None
    os.close(read)
    os.close(answer)


def golden_files():
    return sorted((ROOT / "tests" / "golden" / "wire").glob("*.jsonl"))


def test_there_are_golden_transcripts():
    assert golden_files()


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_golden_transcripts_are_what_this_end_reads_and_writes(path):
    for line in path.read_bytes().splitlines():
        if line.strip():
            message = wire.decode(line)
            assert wire.decode(wire.encode(message)) == message
