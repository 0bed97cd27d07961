"""A worker that speaks the wire and misbehaves for real: what a case does is written in its name.

FUNCTION/BEHAVIOUR or FUNCTION/BEHAVIOUR:ARGUMENT, with anything after a '#' ignored.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

IN_FD, OUT_FD, KEY_FD = 3, 4, 5
HELLO = {}
REQUEST = {}  # its nonce
SPENT = []


def write(text):
    data = text.encode() if isinstance(text, str) else text
    while data:
        data = data[os.write(OUT_FD, data) :]


def say(message, fresh=False):
    write(("\n" if fresh else "") + json.dumps(message) + "\n")


def end(number, **facts):
    try:  # as the agent does: whose output it was does not depend on when it is read
        os.write(1, b"\x1dseamark end %d\n" % number)
    except OSError:
        pass
    say(
        dict(
            {"ev": "end", "id": number, "outcome": "pass", "evidence": "executed", "cpu_s": 0.001},
            **REQUEST,
            **facts,
        )
    )


def failure(message, kind="ValueError"):
    return {"stage": "call", "type": kind, "message": message, "traceback": "Traceback ..."}


def marker(name):
    """True the first time that it is asked for this name in this run."""
    path = os.path.join(os.path.dirname(HELLO["work_dir"]), "marker-" + name.replace("/", "_"))
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def hold(mebibytes):
    held = bytearray(mebibytes << 20)
    held[::4096] = b"1" * len(held[::4096])
    return held


def run_case(number, name, phase):
    behaviour = name.split("/", 1)[1].split("#", 1)[0]
    behaviour, _, argument = behaviour.partition(":")
    if phase == "timing":
        times = [1e-3 + 1e-6 * i for i in range(20)]
        operations = [{"name": "call", "cold_s": 0.01, "warm_s": times, "inner": 1}]
        log = os.path.join(os.path.dirname(HELLO["work_dir"]), "timing.log")
        with open(log, "a") as stream:
            stream.write("%d %s %s\n" % (os.getpid(), HELLO["target"]["name"], name))
        return end(number, operations=operations, cold_kind="cold-op")
    if behaviour == "ok":
        return end(number)
    if behaviour == "fail":
        print("about to fail", flush=True)
        return end(number, outcome="fail", failure=failure(argument or "no such thing at 0x7f12ab"))
    if behaviour == "say":  # fails, with output that may be read late
        os.write(1, (argument + " begins\n").encode())
        os.write(1, (argument + " ends\n").encode())
        return end(number, outcome="fail", failure=failure(argument))
    if behaviour in ("cached", "cached_confirmed"):  # alone it is never a hit
        hit = [] if phase != "correctness" else ["cache-hit"]
        hit += ["cache-confirmed"] if hit and behaviour == "cached_confirmed" else []
        return end(number, outcome="fail", failure=failure("kept"), attributes=hit)
    if behaviour == "cached_pass":
        return end(number, attributes=["cache-hit"] if phase == "correctness" else [])
    if behaviour == "fail_random":
        return end(
            number,
            outcome="fail",
            failure=failure("kind " + os.urandom(4).hex().translate("ghijklmnop" * 26)),
        )
    if behaviour == "fail_shared":  # only when the worker serves many
        if HELLO["mode"] == "persistent":
            return end(number, outcome="fail", failure=failure("state left behind"))
        return end(number)
    if behaviour == "pass_shared":
        if HELLO["mode"] == "persistent":
            return end(number)
        return end(number, outcome="fail", failure=failure("only alone"))
    if behaviour in ("spent", "restored"):  # changed something for those after it
        end(number, changed=["torch.add"], spent=behaviour == "spent")
        return SPENT.append(number) if behaviour == "spent" else None
    if behaviour == "skip":
        compared = {"kind": "numpy", "max_abs_err": 0.5, "max_rel_err": "inf", "max_ulp_err": 2}
        return end(number, outcome="skip", reason="not for this device", reference=compared)
    if behaviour == "mode":
        return end(number, attributes=[HELLO["mode"], phase])
    if behaviour == "sleep":
        time.sleep(float(argument))
        return end(number)
    if behaviour == "segv":
        ctypes.string_at(0)
    if behaviour == "abort":
        print("bad things", file=sys.stderr, flush=True)
        os.abort()
    if behaviour == "abort_once":
        if marker(name):
            os.abort()
        return end(number)
    if behaviour == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "wait":  # until it is told to end
        print("waiting", flush=True)
        time.sleep(3600)
    if behaviour == "hang":  # ignores TERM, too
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("hanging", flush=True)
        while True:
            time.sleep(3600)
    if behaviour == "chatty_hang":  # keeps its output full while it is being ended
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            os.write(1, b"x" * 65536)
    if behaviour == "late":  # answers when it is told to end
        signal.signal(signal.SIGTERM, lambda *_: (end(number), os._exit(0)))
        while True:
            time.sleep(3600)
    if behaviour == "garbage":
        write("this is no JSON\n")
        time.sleep(0.05)
        return end(number)
    if behaviour == "nan":
        write('{"ev":"end","id":%d,"outcome":"pass","evidence":"executed","cpu_s":NaN}\n' % number)
        time.sleep(60)
    if behaviour == "forge":  # an answer of its own, by a nonce that it guesses
        REQUEST["nonce"] = argument or ""
        end(number)
        ctypes.string_at(0)
    if behaviour == "out_of_order":
        end(number + 1)
        time.sleep(60)
    if behaviour == "twice":
        end(number)
        return end(number)
    if behaviour == "unknown_id":
        end(10**6)
        time.sleep(60)
    if behaviour == "lying_pid":
        say(dict(REQUEST, ev="forked", id=number, pid=int(argument)))
        time.sleep(60)
    if behaviour == "huge":
        write(b'{"ev":"end","x":"' + b"y" * (3 << 20))
        time.sleep(60)
    if behaviour == "midline":
        write('{"ev":"end","id":%d,"outco' % number)
        os._exit(9)
    if behaviour == "exit":
        os._exit(int(argument))
    if behaviour == "leak":
        subprocess.Popen(["sleep", "300"], pass_fds=[OUT_FD])
        return end(number)
    if behaviour == "leak_and_die":
        subprocess.Popen(["sleep", "300"], pass_fds=[OUT_FD])
        os._exit(5)
    if behaviour == "leak_session":
        subprocess.Popen(
            ["sleep", "300"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return end(number)
    if behaviour == "flood":
        for _ in range(200):
            os.write(1, b"z" * 65536)
        return end(number)
    if behaviour == "hog":
        held = hold(int(argument))
        print("holding", flush=True)
        time.sleep(60)
    if behaviour == "hog_segv":  # as where an allocation was refused and nobody asked
        held = hold(int(argument))
        time.sleep(0.5)
        ctypes.string_at(0)
    if behaviour == "hog_children":  # each is below the limit
        for _ in range(4):
            if os.fork() == 0:
                held = hold(int(argument))
                time.sleep(60)
        time.sleep(60)
    if behaviour in ("hog_child", "hog_session", "hog_orphan"):
        if os.fork() == 0:
            if behaviour == "hog_session":
                os.setsid()
            if behaviour != "hog_orphan" or os.fork() == 0:
                held = hold(int(argument))
                time.sleep(60)
            os._exit(0)
        time.sleep(60)
    if behaviour == "share":  # children that hold nothing of their own
        held = hold(int(argument))
        children = [os.fork() for _ in range(3)]
        if 0 in children:
            time.sleep(1)
            os._exit(len(held) == 0)
        for child in children:
            os.waitpid(child, 0)
        return end(number)
    if behaviour == "bad_alloc":
        print(
            "terminate called after throwing an instance of 'std::bad_alloc'",
            file=sys.stderr,
            flush=True,
        )
        os.abort()
    if behaviour == "exit_hang":  # answers, and does not end
        end(number)
        time.sleep(60)
    if behaviour == "die_after":
        end(number)
        os._exit(7)
    raise SystemExit("unknown behaviour %s" % behaviour)


def run_forked(number, name, phase):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setpgid(0, 0)
            say(dict(REQUEST, ev="forked", id=number, pid=os.getpid()))
            run_case(number, name, phase)
            status = 0
        finally:
            os._exit(status)
    try:
        os.setpgid(child, child)
    except OSError:
        pass
    _, status = os.waitpid(child, 0)
    say(dict(REQUEST, ev="reaped", id=number, status=status), fresh=True)


def main():
    stream = os.fdopen(IN_FD, "r", encoding="utf-8")
    HELLO.update(json.loads(stream.readline()))
    start = HELLO["target"].get("start", "")
    with open(os.path.join(os.path.dirname(HELLO["work_dir"]), "starts.log"), "a") as log:
        log.write("%d\n" % os.getpid())
    if start == "exit":
        print("cannot import the framework", file=sys.stderr, flush=True)
        sys.exit(1)
    if start == "unusable":
        say({"ev": "unusable", "reason": "no g++", "remedy": "install g++"})
        return
    if start == "garbage":
        write("Hello!\n")
        time.sleep(60)
    if start == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("hanging", flush=True)
        time.sleep(3600)
    if start == "once" and not marker("start"):
        sys.exit(1)
    say(
        {
            "ev": "ready",
            "wire": 2,
            "agent": "fake",
            "framework_version": "1",
            "device": "fake",
            "pid": os.getpid(),
            "cpu_s": 0,
        }
    )
    names = []
    for line in stream:
        message = json.loads(line)
        if message["op"] == "plan":
            names.extend(message["names"])
            continue
        if message["op"] == "stop":
            break
        REQUEST["nonce"] = os.read(KEY_FD, 32).decode()
        if HELLO["mode"] == "fork":
            run_forked(message["id"], names[message["id"]], message["phase"])
        else:
            run_case(message["id"], names[message["id"]], message["phase"])
            say(dict(REQUEST, ev="done", id=message["id"]))
            if SPENT:
                os._exit(0)


main()
