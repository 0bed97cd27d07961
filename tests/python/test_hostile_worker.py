"""A worker that is no agent of ours, against the real supervisor: it ends as documented, in little memory, and believes
nothing that was not asked for."""

import os
import random
import sqlite3
import subprocess
import sys

import pytest
from agent_client import config_of
from soak import RUNNER

MEMORY_MIB = 256  # of `seamark run`, and of each process that it waits for
DOCUMENTED = (0, 3, 4)  # docs/exit-codes.md
CASES = 3
SUITE = """
from seamark_suites.case import case


@case("selftest.os.getpid", n=[0, 1, 2], reference="none")
def one(t, n):
    t.call("selftest.os.getpid")
"""
# Its place in the command line is an interpreter's: what is asked but cases is answered by a true one.
WORKER = """#!{python}
import json, os, sys, time

if sys.argv[2] != "worker":
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
GIB = 1 << 30


def say(data, fd=4):
    rest = memoryview(data.encode() if isinstance(data, str) else data)
    while rest:
        rest = rest[os.write(fd, rest):]


def stream(piece, size, fd=4):
    for _ in range(size // len(piece)):
        say(piece, fd)


def event(ev, **facts):
    say(json.dumps(dict(ev=ev, **facts)) + "\\n")


def end(number, nonce, **facts):
    event("end", id=number, nonce=nonce, **dict(dict(outcome="pass", evidence="verified"), **facts))
    event("done", id=number, nonce=nonce)


def ready(**facts):
    event("ready", **dict(dict(wire=2, agent="a", framework_version="1", device="d", pid=os.getpid(), cpu_s=0), **facts))


def answer(number, nonce):
    '''As an agent in its mode does.'''
    if MODE == "fork":
        event("forked", id=number, nonce=nonce, pid=os.getpid())
        event("end", id=number, nonce=nonce, outcome="pass", evidence="verified")
        event("reaped", id=number, nonce=nonce, status=0)
    else:
        end(number, nonce)


requests = os.fdopen(3)
hello = json.loads(requests.readline())
MODE, FORGED, spent = hello["mode"], "0" * 32, []


def asked():
    for line in requests:
        request = json.loads(line)
        if request["op"] == "stop":
            sys.exit(0)
        if request["op"] == "run":
            return request["id"], os.read(5, 32).decode()
    sys.exit(0)


def more_asked():
    while True:
        yield asked()


"""
# Before it is ready.
START = {
    "garbage": "say('Hello!\\n')",
    "garbage_without_end": "stream(os.urandom(1 << 16), 10 * GIB)",
    "line_of_10_gb": "stream(b'x' * (1 << 20), 10 * GIB)",
    "object_of_10_gb": "say('{\"ev\":\"ready\",\"x\":\"'); stream(b'x' * (1 << 20), 10 * GIB)",
    "empty_lines": "stream(b'\\n' * (1 << 20), 32 << 20)",
    "spaces_of_1_gb": "stream(b' ' * (1 << 20), GIB)",
    "lines_of_1_gb": "stream(b'{}\\n' * (1 << 16), GIB)",
    "depth": "say(b'[' * 10**6 + b'\\n')",
    "depth_of_objects": "say(b'{\"a\":' * 10**5 + b'1' + b'}' * 10**5 + b'\\n')",
    "depth_in_ready": "say(b'{\"ev\":\"ready\",\"wire\":2,\"facts\":' + b'[' * 500000 + b']' * 500000 + b'}\\n')",
    "nul": "say(b'\\0' * 9999 + b'\\n')",
    "nul_in_ready": "ready(agent='\\0', device='\\0')",
    "no_utf8": "say(b'{\"ev\":\"\\xff\\xfe\"}\\n')",
    "byte_order_mark": "say(b'\\xef\\xbb\\xbf'); ready()",
    "utf16": "say('{\"ev\":\"ready\"}\\n'.encode('utf-16'))",
    "version_of_later": "ready(wire=3)",
    "version_of_before": "ready(wire=0)",
    "version_text": "ready(wire='2')",
    "version_huge": "say('{\"ev\":\"ready\",\"wire\":%s}\\n' % ('9' * 10000))",
    "version_float": "say('{\"ev\":\"ready\",\"wire\":2e400}\\n')",
    "pid_of_init": "ready(pid=1); event('forked', id=0, nonce=FORGED, pid=1)",
    "pid_negative": "ready(pid=-1)",
    "pid_huge": "ready(pid=2**70)",
    "time_no_number": "ready(cpu_s=float('nan'))",
    "time_huge": "say('{\"ev\":\"ready\",\"wire\":2,\"pid\":5,\"cpu_s\":1e999}\\n')",
    "same_key_twice": "say('{\"ev\":\"ready\",\"wire\":2,\"wire\":2,\"pid\":5}\\n')",
    "array": "say('[]\\n')",
    "unknown": "event('hello')",
    "ready_twice": "ready(); ready()",
    "ready_often": "stream(b'{\"ev\":\"ready\",\"wire\":2,\"pid\":5}\\n' * 999, GIB)",
    "unusable_huge": "event('unusable', reason='x' * 10**6, remedy='y')",
    "unusable_often": "stream(b'{\"ev\":\"unusable\",\"reason\":\"r\",\"remedy\":\"m\"}\\n' * 999, GIB)",
    "answers_first": "end(0, FORGED); ready(); end(0, FORGED)",
    "answers_all_first": "ready()\nfor number in range(3): end(number, FORGED)",
    "answers_without_nonce": "ready(); event('end', id=0, outcome='pass')",
    "errors_of_1_gb": "stream(b'e' * (1 << 20), GIB, 2)",
    "output_of_1_gb": "stream(b'\\n' * (1 << 20), GIB, 1)",
    "dribble": "for letter in '{\"ev\":\"re': say(letter); time.sleep(0.05)",
    "closes": "os.close(4); time.sleep(0.2)",
    "closes_all": "os.closerange(1, 6)",
    "closes_and_opens": "os.close(4); os.open('/dev/null', os.O_RDWR); ready()",
    "exits": "pass",
}  # fmt: skip
# When a case was asked: `number` and `nonce` are of the request.
ASKED = {
    "no_nonce": "event('end', id=number, outcome='pass'); event('done', id=number)",
    "forged": "end(number, FORGED)",
    "forged_number": "end(number, 0)",
    "forged_text": "end(number, nonce[:-1])",
    "forged_longer": "end(number, nonce + '0')",
    "forged_list": "end(number, [nonce])",
    "forged_often": "for _ in range(9999): end(number, os.urandom(16).hex())",
    "other_id": "end(number + 1, nonce)",
    "other_ids": "for other in range(9, 99): end(other, nonce)",
    "negative_id": "end(-1, nonce)",
    "huge_id": "end(2**64 + number, nonce)",
    "float_id": "end(float(number), nonce)",
    "text_id": "end(str(number), nonce)",
    "done_alone": "event('done', id=number, nonce=nonce)",
    "done_first": "event('done', id=number, nonce=nonce); event('end', id=number, nonce=nonce, outcome='pass')",
    "twice": "event('end', id=number, nonce=nonce, outcome='pass')\nevent('end', id=number, nonce=nonce, outcome='pass')",
    "end_and_exit": "event('end', id=number, nonce=nonce, outcome='pass', evidence='verified'); os._exit(5)",
    "end_and_garbage": "event('end', id=number, nonce=nonce, outcome='pass'); say('garbage\\n')",
    "end_and_10_gb": "event('end', id=number, nonce=nonce, outcome='pass'); stream(b'x' * (1 << 20), 10 * GIB)",
    "end_and_silence": "event('end', id=number, nonce=nonce, outcome='pass'); time.sleep(60)",
    "reaped_of_another": "event('reaped', id=number + 1, nonce=nonce, status=0)",
    "reaped_alone": "event('reaped', id=number, nonce=nonce, status=0)",
    "reaped_twice": "event('reaped', id=number, nonce=nonce, status=0)\nevent('reaped', id=number, nonce=nonce, status=0)",
    "forked_of_supervisor": "event('forked', id=number, nonce=nonce, pid=os.getppid()); time.sleep(60)",
    "forked_of_init": "event('forked', id=number, nonce=nonce, pid=1); time.sleep(60)",
    "forked_of_none": "event('forked', id=number, nonce=nonce, pid=0); time.sleep(60)",
    "line_of_10_gb": "stream(b'x' * (1 << 20), 10 * GIB)",
    "end_of_10_gb": "say('{\"ev\":\"end\",\"id\":%d,\"x\":\"' % number); stream(b'x' * (1 << 20), 10 * GIB)",
    "depth": "say(b'{\"ev\":\"end\",\"compiled\":' + b'[' * 10**6 + b'\\n')",
    "no_outcome": "event('end', id=number, nonce=nonce)",
    "wrong_outcome": "end(number, nonce, outcome='flaky')",
    "outcome_number": "end(number, nonce, outcome=1)",
    "wrong_evidence": "end(number, nonce, evidence='proven')",
    "negative_time": "end(number, nonce, cpu_s=-1)",
    "infinite_time": "say('{\"ev\":\"end\",\"id\":%d,\"nonce\":\"%s\",\"outcome\":\"pass\",\"cpu_s\":1e999}\\n' % (number, nonce))",
    "no_time": "end(number, nonce, cpu_s=float('nan'))",
    "status_huge": "event('reaped', id=number, nonce=nonce, status=2**80)",
    "many_operations": "end(number, nonce, operations=[5] * 99999)",
    "many_attributes": "end(number, nonce, attributes=['x'] * 99999)",
    "many_leaks": "event('end', id=number, nonce=nonce, outcome='pass')\nevent('done', id=number, nonce=nonce, leaked=['x'] * 99999)",
    "spent_nonce": "spent.append(nonce); end(number, spent[0] if len(spent) > 1 else FORGED)",
    "requests_echoed": "say(json.dumps(dict(op='run', id=number, nonce=nonce)) + '\\n')",
    "output_of_1_gb": "stream(b'x' * (1 << 20), GIB, 1)",
    "errors_without_end": "while True: say(b'e' * (1 << 16), 2)",
    "marks_without_end": "while True: say(b'\\x1dseamark end 0\\n' * 999, 1)",
    "dribble": "for letter in json.dumps(dict(ev='end', id=number)): say(letter); time.sleep(0.2)",
    "half_a_line": "say('{\"ev\":\"end\",\"id\":%d,' % number); os._exit(0)",
    "closes": "os.close(4); time.sleep(60)",
    "closes_and_opens": "os.close(4); os.open('/dev/null', os.O_RDWR); end(number, nonce)",
    "nul": "say(b'\\0\\n')",
    "no_utf8": "say(b'{\"ev\":\"end\",\"x\":\"\\xff\"}\\n')",
    "exits": "os._exit(0)",
}  # fmt: skip
KINDS = [("start", name) for name in START] + [("asked", name) for name in ASKED]


def source(mode, when, name):
    text = WORKER.replace("{python}", sys.executable)
    if when == "start":
        return text + START[name]
    body = ASKED[name] if when == "asked" else "answer(number, nonce)"
    return text + "ready()\nfor number, nonce in more_asked():\n    %s\n" % body.replace(
        "\n", "\n    "
    )


def run(executable, folder, mode, when, name):
    """(exit status as Popen has it, MiB at most, outcomes) of a run with this worker."""
    folder.mkdir()
    (folder / "own.toml").write_text(config_of(mode))
    (folder / "suite.py").write_text(SUITE)
    worker = folder / "worker"
    worker.write_text(source(mode, when, name))
    worker.chmod(0o755)
    arguments = [executable, "--config", "own.toml", "run", "--target", "selftest/cpu", "--suite"]
    arguments += [
        "./suite.py",
        "--store",
        "s.db",
        "--python",
        str(worker),
        "--no-timing",
        "-j",
        "1",
    ]
    arguments += ["--no-confirm", "--recheck", "0", "--timeout", "1"]
    measured = folder / "measured"
    variables = {**os.environ, "SEAMARK_CACHE": str(folder / "cache"), "MEASURED": str(measured)}
    with open(folder / "said", "wb") as said:
        subprocess.run(
            [sys.executable, "-SEc", RUNNER, *arguments],
            cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
    status, mebibytes = map(int, measured.read_text().split())
    outcomes = []
    if (folder / "s.db").exists():
        store = sqlite3.connect(folder / "s.db")
        outcomes = [row[0] for row in store.execute("SELECT outcome FROM results")]
        store.close()
    return status, mebibytes, outcomes


@pytest.mark.parametrize("mode", ["fork", "persistent", "process"])
def test_a_true_worker_of_this_file_is_believed(executable, tmp_path, mode):
    assert run(executable, tmp_path / "run", mode, "true", "")[::2] == (0, ["pass"] * CASES)


@pytest.mark.soak(figure=7)
def test_a_hostile_worker_is_not_believed(executable, soak, tmp_path, drawn_seed):
    draw, made, waiting = random.Random(drawn_seed), 0, []
    while soak.more(made, 8):
        if not waiting:
            waiting = draw.sample(KINDS, len(KINDS))
        when, name = waiting.pop()
        mode = draw.choice(["fork", "persistent", "process"])
        status, mebibytes, outcomes = run(executable, tmp_path / str(made), mode, when, name)
        wrong = {
            "crashes": status not in DOCUMENTED or len(outcomes) < CASES,
            "memory_over_cap": mebibytes > MEMORY_MIB,
            "believed_forged": "pass" in outcomes,
        }
        soak.count("workers", 1, **wrong)
        if any(wrong.values()):
            said = (tmp_path / str(made) / "said").read_text(errors="replace")[-800:]
            soak.say("%s when %s, %s: %s, %d MiB, %s\n%s" % (name, when, mode, status, mebibytes, outcomes, said))  # fmt: skip
        made += 1
