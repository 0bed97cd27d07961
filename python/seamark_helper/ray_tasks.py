"""Starts commands of Seamark as tasks of a Ray cluster, for `seamark run --engine ray` and `usage` (docs/scale.md).

ray_tasks.py ADDRESS PROGRAM VERSION FOLDER SEED: the cluster (`local`: one of this machine's own), the executable and
its version, where files go, and the file that every `{part}` begins as ('': none).

Standard input is JSON lines: a `number`, with `commands` (without the program; `{part}` is the file that comes back)
and `resources` (Ray's), is started; a `number` alone is ended, and with `forget` not told of. When the input ends, all is.

Standard output is JSON lines: twice a second `connecting`, then `nodes`, the resources of each, the `free` ones of all, and the `dashboard`; of a `number` the
`node` and `host` that it runs on, what it `said`, every few seconds that it is there, and its end: a `file`, or `why` there is none and whether it `crashed`.
Exit codes: 0; 3 there is no Ray; 1 there is no cluster, with the reason on standard error.
"""

import codecs
import ctypes
import fcntl
import json
import os
import queue
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

if sys.argv[1:2] == ["local"] and "RAY_AUTH_MODE" not in os.environ:
    # Else Ray leaves a token in the home, and then `auto` takes clusters for ones that ask for it.
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))

try:
    import ray
except ImportError:
    sys.exit(3)

CRASHES = (
    ray.exceptions.RayTaskError,  # on_node raised
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
)


SILENT_S = 5  # at most, while a command runs
CONNECT_S = 10  # where nothing listens, Ray itself tries for a quarter of an hour


def end_with_worker():
    """In a child: where the worker is killed, it is too."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def run(program, arguments):
    """Yields what it prints, as it comes; returns the exit code and the last line."""
    child = subprocess.Popen(
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"SEAMARK_PYTHON": sys.executable, **os.environ},
        preexec_fn=end_with_worker,
    )
    decoder, tail = codecs.getincrementaldecoder("utf-8")("replace"), ""
    spoke = time.monotonic()
    try:
        # What ends a task from outside reaches Python code alone: nothing here waits for long.
        while child.poll() is None or select.select([child.stdout], [], [], 0)[0]:
            if select.select([child.stdout], [], [], 0.2)[0]:
                piece = os.read(child.stdout.fileno(), 1 << 16)
                if not piece:
                    break
                said = decoder.decode(piece)
                tail = (tail + said)[-1000:]
                spoke = time.monotonic()
                yield {"said": said}
            elif time.monotonic() - spoke > SILENT_S:
                spoke = time.monotonic()
                yield {}
        return child.wait(), tail.strip().rpartition("\n")[2]
    finally:
        for _ in range(25):  # the first signal lets a case come to its end, the second does not
            if child.poll() is None:
                child.terminate()
                time.sleep(0.2)
        child.kill()


def on_node(program, version, seed, commands):
    """A task, where it runs: yields what the driver tells, of a file its content."""
    # Cancelling is an interrupt, which a node that was started in the background ignores.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    host = socket.gethostname()
    yield {"node": ray.get_runtime_context().get_node_id(), "host": host}
    program = shutil.which(program) or shutil.which("seamark")
    if program is None:
        raise RuntimeError("there is no seamark on %s: pip install it there" % host)
    there = subprocess.check_output([program, "--version"], text=True).strip()
    if version not in there.split():
        raise RuntimeError("%s has %s, not %s" % (host, there, version))
    # As HeldDir of src/seamark/base: where this worker is killed, a later run there removes it.
    made = tempfile.mkdtemp(prefix="seamark-slice-")
    folder = made.replace("seamark-slice-", "seamark-held-slice-")
    with open(os.path.join(made, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(made, folder)
        part = os.path.join(folder, "part.db")
        try:
            if seed is not None:
                with open(part, "wb") as file:
                    file.write(seed)
            for command in commands:
                words = [word.replace("{part}", part) for word in command]
                code, last = yield from run(program, words)
            if not os.path.exists(part) or code == 2 or code < 0:
                raise RuntimeError(last or "exit code %d" % code)
            with open(part, "rb") as file:
                content = file.read()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    yield {"file": content}


def private_output():
    """Standard output for the driver alone: threads of Ray print there too, and would between two lines. They get
    standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)
    return own


def read(orders, connected):
    for line in sys.stdin:
        orders.put(json.loads(line))
    if not connected.is_set():
        os._exit(0)
    orders.put(None)


def connect(address):
    """Raises OSError where nothing listens."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
        except OSError as error:
            raise OSError("nothing listens at %s: %s" % (address, error)) from None
    return ray.init(address=address, logging_level="ERROR", log_to_driver=False)


def main():
    address, program, version, folder, seed = sys.argv[1:]
    output = private_output()

    def tell(**event):
        print(json.dumps(event, ensure_ascii=False), file=output, flush=True)

    def tell_of_connecting():
        while not connected.wait(0.5):
            tell(connecting=True)

    orders, connected = queue.SimpleQueue(), threading.Event()
    telling = threading.Thread(target=tell_of_connecting, daemon=True)
    telling.start()
    threading.Thread(target=read, args=[orders, connected], daemon=True).start()
    try:
        context = connect(address)
    except Exception as error:
        return " ".join(str(error).split()) or type(error).__name__
    finally:
        connected.set()
        telling.join()
    # Ray took it for itself. The orders say what ends.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    content = None
    if seed:
        with open(seed, "rb") as file:
            content = ray.put(file.read())
    running = {}  # of each of Ray's generators the number
    told = 0.0
    while True:
        if time.monotonic() - told > 0.5:
            told = time.monotonic()
            nodes = {one["NodeID"]: one["Resources"] for one in ray.nodes() if one["Alive"]}
            tell(nodes=nodes, free=ray.available_resources(), dashboard=context.dashboard_url or "")
        while not orders.empty():
            order = orders.get()
            if order is None:
                ray.shutdown()  # at exit it would sleep first
                return None
            number, own = order["number"], order.get("resources")
            if own is None:
                for generator in [one for one in running if running[one] == number]:
                    # Ray waits for a worker that does not answer.
                    threading.Thread(target=ray.cancel, args=[generator], daemon=True).start()
                    if order.get("forget"):
                        del running[generator]
                continue
            try:
                task = ray.remote(on_node).options(
                    num_cpus=own.pop("CPU", 0),
                    num_gpus=own.pop("GPU", 0),
                    resources=own,
                    max_retries=0,
                )
                running[task.remote(program, version, content, order["commands"])] = number
            except ValueError as error:  # resources that Ray does not take
                tell(number=number, why=str(error), crashed=False)
        if not running:
            time.sleep(0.1)
            continue
        for generator in ray.wait(list(running), timeout=0.5)[0]:
            number = running.pop(generator)
            running[generator] = number  # the others first, next time
            try:
                # As next(), which waits for a worker that does not answer.
                reference = generator._next_sync(0.1)
                if reference.is_nil():
                    continue
                event = ray.get(reference)
                if "file" in event:
                    path = os.path.join(folder, "%d.db" % number)
                    with open(path, "wb") as file:
                        file.write(event["file"])
                    event["file"] = path
                tell(number=number, **event)
            except StopIteration:  # behind a file this is no news
                del running[generator]
                tell(number=number, why="it left nothing", crashed=False)
            except ray.exceptions.RayError as error:
                del running[generator]
                why = str(getattr(error, "cause", None) or error) or type(error).__name__
                tell(number=number, why=why, crashed=isinstance(error, CRASHES))


if __name__ == "__main__":
    sys.exit(main())
