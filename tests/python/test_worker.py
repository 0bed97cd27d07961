"""Real workers over a real wire: modes, order, deaths, and what a case may do to them."""

import signal
import sys
import textwrap
import time

import pytest
from agent_client import SELFTEST, agent_command

SQRT = "selftest.math.sqrt/sqrt[10]"
FSUM = "selftest.math.fsum/fsum[n=1000]"


@pytest.fixture
def faults(tmp_path):
    path = tmp_path / "faults.py"
    path.write_text(
        textwrap.dedent("""
        import os, signal, sys, time
        from seamark_agent.harness import Skip
        from seamark_suites.case import case

        def declare(name, body):
            body.__name__ = name
            case("selftest.os.getpid", reference="none")(body)

        @case("selftest.os.getpid", reference="none")
        def fine(t):
            t.expect(t.call("selftest.os.getpid") > 0, "a process id")

        @case("selftest.os.getpid", reference="none")
        def segfault(t):
            os.kill(os.getpid(), signal.SIGSEGV)

        @case("selftest.os.getpid", reference="none")
        def leaves(t):
            os._exit(3)

        @case("selftest.os.getpid", reference="none")
        def exits(t):
            t.call(sys.exit, "by sys.exit")

        @case("selftest.os.getpid", reference="none")
        def raises_odd(t):
            class Odd(Exception):
                def __str__(self):
                    raise ValueError("no text")
            def odd():
                raise Odd()
            t.call(odd)

        @case("selftest.os.getpid", reference="none")
        def raises_odd_first(t):
            class Odd(Exception):
                def __str__(self):
                    raise ValueError("no text")
            raise Odd()

        @case("selftest.os.getpid", reference="none")
        def skips(t):
            raise Skip("no use here")

        @case("selftest.os.getpid", reference="none")
        def unblocks(t):
            t.call("selftest.os.getpid")
            for fd in (int(name) for name in os.listdir("/dev/fd")):
                try:
                    os.set_blocking(fd, False)
                except OSError:
                    pass

        @case("selftest.os.getpid", reference="none")
        def talks(t):
            t.call(print, "to stdout")
            os.write(2, b"to stderr\\n")

        @case("selftest.statistics.median", reference=lambda np, x: float(np.median(x)) + 1)
        def wrong(t):
            return t.call("selftest.statistics.median", t.distinct((5,), "f64"))

        @case("selftest.statistics.median", reference=lambda np, x: np.zeros(3))
        def trivial_reference(t):
            return t.call("selftest.statistics.median", t.distinct((5,), "f64"))

        @case("selftest.gone.function", reference="none")
        def gone(t):
            t.call("selftest.os.no_such_function")
    """)
    )
    return str(path)


def names_of(path):
    import json

    status, out, err = agent_command(sys.executable, "list", "--suite", path)
    assert status == 0, err
    return {line["name"].split("/")[1]: line["name"] for line in map(json.loads, out.splitlines())}


@pytest.mark.parametrize("mode", ["persistent", "fork", "process"])
def test_serves_cases(agent, mode):
    worker = agent(mode=mode)
    worker.plan([SQRT, FSUM])
    ready = worker.receive()
    assert ready["ev"] == "ready" and ready["wire"] == 2
    worker.send({"op": "run", "id": 0, "phase": "correctness"})
    worker.send({"op": "run", "id": 1, "phase": "timing"})
    worker.send({"op": "stop"})
    events = list(iter(worker.receive, None))
    ends = [event for event in events if event["ev"] == "end"]
    assert [end["id"] for end in ends] == [0, 1]
    assert all(end["outcome"] == "pass" for end in ends)
    assert ends[0]["evidence"] == "verified" and "operations" not in ends[0]
    operation = ends[1]["operations"][0]
    assert (
        operation["cold_s"] > 0 and len(operation["warm_s"]) >= 5 and min(operation["warm_s"]) > 0
    )
    if mode == "fork":
        assert [event["ev"] for event in events] == ["forked", "end", "reaped"] * 2
    else:
        assert [event["ev"] for event in events] == ["end", "done"] * 2
    # Each with the nonce of its request, as agent_client numbers them.
    assert [int(event["nonce"]) for event in events if event["ev"] == "end"] == [1, 2]
    worker.close()
    assert worker.process.returncode == 0


def test_protocol_paper_times_one_call(agent):
    worker = agent(timing={"protocol": "paper"})
    worker.plan([FSUM])
    worker.receive()
    end = worker.run(FSUM, "timing")
    assert end["cold_kind"] == "cold-process" and end["operations"][0]["warm_s"] == []
    assert end["operations"][0]["warm_reason"]


@pytest.mark.parametrize("body,status", [("segfault", signal.SIGSEGV), ("leaves", 3 << 8)])
def test_a_forked_child_that_dies_is_reaped_and_the_next_case_is_unharmed(
    agent, faults, body, status
):
    names = names_of(faults)
    worker = agent(mode="fork", suites=[faults])
    worker.plan([names[body], names["fine"]])
    worker.receive()
    reaped = worker.run(names[body])
    assert reaped["ev"] == "reaped" and reaped["status"] & ~0x80 == status
    assert worker.run(names["fine"])["outcome"] == "pass"


@pytest.mark.parametrize("mode", ["persistent", "fork"])
@pytest.mark.parametrize("body,outcome,kind", [
    ("exits", "fail", "SystemExit"), ("wrong", "fail", "seamark.Mismatch"), ("gone", "fail", "AttributeError"),
    ("trivial_reference", "error", "seamark.CaseDefect"), ("skips", "skip", None),
])  # fmt: skip
def test_what_a_case_may_end_as(agent, faults, mode, body, outcome, kind):
    names = names_of(faults)
    worker = agent(mode=mode, suites=[faults])
    worker.plan(list(names.values()))
    worker.receive()
    worker.send({"op": "run", "id": worker.names.index(names[body]), "phase": "correctness"})
    event = worker.receive()
    while event["ev"] != "end":
        event = worker.receive()
    assert event["outcome"] == outcome
    assert (event["failure"] or {}).get("type") == kind


@pytest.mark.parametrize("mode", ["persistent", "fork"])
@pytest.mark.parametrize("body", ["raises_odd", "raises_odd_first"])
def test_an_exception_without_text(agent, faults, mode, body):
    """Also where the worker has a memory limit, and asks whether the text speaks of memory."""
    names = names_of(faults)
    worker = agent(mode=mode, suites=[faults], limits={"memory_bytes": 1 << 30})
    worker.plan([names[body]])
    worker.receive()
    worker.send({"op": "run", "id": 0, "phase": "correctness"})
    end = worker.receive()
    if mode == "fork":
        end = worker.receive()
    assert end["outcome"] == ("fail" if body == "raises_odd" else "error"), end
    assert "cannot be read" in end["failure"]["message"]
    assert not (end["reason"] or "").startswith("harness")


def test_output_goes_to_the_capture_not_to_the_wire(agent, faults):
    names = names_of(faults)
    worker = agent(suites=[faults])
    worker.plan([names["talks"]])
    worker.receive()
    assert worker.run(names["talks"])["outcome"] == "pass"
    text = worker.close()
    assert "to stdout" in text and "to stderr" in text


def test_the_wire_blocks_whatever_a_case_makes_of_it(agent, faults):
    names = names_of(faults)
    worker = agent(suites=[faults])
    worker.plan([names["unblocks"], names["fine"]])
    assert worker.receive()["ev"] == "ready"
    assert worker.run(names["unblocks"])["outcome"] == "pass"
    time.sleep(0.2)  # the worker reads where nothing is
    assert worker.run(names["fine"])["outcome"] == "pass"
    worker.close()


@pytest.mark.parametrize("mode", ["persistent", "fork"])
def test_the_output_of_a_case_ends_with_a_mark(agent, faults, mode):
    names = names_of(faults)
    worker = agent(mode=mode, suites=[faults])
    worker.plan([names["fine"], names["talks"], names["segfault"]])
    worker.receive()
    for number in range(2):
        worker.send({"op": "run", "id": number, "phase": "correctness"})
    if mode == "fork":
        worker.send({"op": "run", "id": 2, "phase": "correctness"})
    worker.send({"op": "stop"})
    while worker.receive() is not None:
        pass
    parts = worker.close().split("\x1dseamark end ")
    assert [part.split("\n")[0] for part in parts[1:]] == ["0", "1", "2"][: len(parts) - 1]
    assert len(parts) == (4 if mode == "fork" else 3)
    assert "to stdout" in parts[1] and "to stderr" in parts[1]
    assert "to std" not in parts[0] and "to std" not in "".join(parts[2:])


def test_an_unknown_case_is_an_error_not_a_death(agent):
    worker = agent()
    worker.plan(["selftest.no/such"])
    worker.receive()
    end = worker.run("selftest.no/such")
    assert end["outcome"] == "error" and "knows no case" in end["reason"]


def test_a_framework_that_does_not_import_is_unusable(agent):
    worker = agent(target=dict(SELFTEST, options={"import": "no_such_module_at_all"}))
    event = worker.receive()
    assert (
        event["ev"] == "unusable" and "no_such_module_at_all" in event["reason"] and event["remedy"]
    )


def test_an_unknown_adapter_is_unusable(agent):
    event = agent(target=dict(SELFTEST, adapter="../evil")).receive()
    assert event["ev"] == "unusable"


def test_the_users_modules_are_not_shadowed(agent, tmp_path, monkeypatch):
    """A queue.py or a seamark_suites folder in the current directory changes nothing, and boot's own
    folder is not on sys.path."""
    (tmp_path / "wire.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "suite.py"
    path.write_text(
        textwrap.dedent("""
        from seamark_suites.case import case
        @case("selftest.os.getpid", reference="none")
        def paths(t):
            import sys
            t.call("selftest.os.getpid")
            t.expect(not any(p.endswith("seamark_agent") for p in sys.path), "a path without the agent")
    """)
    )
    names = names_of(str(path))
    worker = agent(suites=[str(path)])
    worker.plan(list(names.values()))
    worker.receive()
    assert worker.run(names["paths"])["outcome"] == "pass"


def test_our_memory_limit_is_an_error_of_ours(agent, tmp_path):
    path = tmp_path / "hog.py"
    path.write_text(
        textwrap.dedent("""
        from seamark_suites.case import case
        @case("selftest.os.getpid", reference="none")
        def hog(t):
            keep = bytearray(1 << 30)
    """)
    )
    names = names_of(str(path))
    worker = agent(mode="fork", suites=[str(path)], limits={"memory_bytes": 200 << 20})
    worker.plan(list(names.values()))
    worker.receive()
    end = worker.run(names["hog"])
    assert end["outcome"] == "error" and "memory limit" in end["reason"]
