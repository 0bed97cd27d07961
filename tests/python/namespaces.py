"""Commands with file systems of their own: mounted in a namespace of mounts, gone with it."""

import functools
import os
import subprocess

USER = ["unshare", "-rm"]  # the caller becomes root in there
ROOT = ["unshare", "-m"]  # what only root mounts: images of file systems


@functools.cache
def permitted(*how):
    """Whether this system lets its caller do that; `how` is USER or ROOT, and a shell's command."""
    try:
        done = subprocess.run([*how[:-1], "sh", "-ec", how[-1]], capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def run(how, script, *words, **options):
    """The shell's script within, with its "$@"."""
    return subprocess.run(
        [*how, "sh", "-c", script, "sh", *map(str, words)], capture_output=True, text=True, errors="replace", timeout=120,
        env={k: v for k, v in os.environ.items() if not k.startswith("SEAMARK_")} | options.pop("env", {}), **options,
    )  # fmt: skip
