"""What targets have in common that compile for a device that is not here: nothing runs there."""

import re

from ..harness import Skip
from .base import Proof

NOTHING_RUNS = "compiled only: nothing runs on the device"
_DEVICE_MEMORY = re.compile(r"^\s*device_memory_size:\s*(\d+)", re.M)


class DeviceMemoryError(RuntimeError):
    """A program that compiles and needs more memory than the device has. Its text begins as XLA's own does."""


def once(compile_and_run):
    """A unit that compiles, then runs on the CPU; a second call would be a timed one."""
    called = []

    def unit():
        if called:
            raise Skip(NOTHING_RUNS + ", so nothing is timed")
        called.append(True)
        return compile_and_run()

    return unit


def no_program(why):
    return Skip("no device program: %s" % why)


def unproven():
    """A proof that stands until a program is seen to call the host."""
    proof = Proof("compiled program")
    proof.proven = False
    return proof


def finish_proof(proof, programs, stayed=(), via=None):
    """`programs`: facts of the case's programs; `stayed`: operations that never left the host."""
    proof.fallback_ops = list(stayed) + [name for facts in programs for name in facts["host_calls"]]
    if proof.fallback_ops:
        proof.proven = True
    else:
        named = " (via %s)" % via if via else ""
        proof.note = "compiled only%s: nothing ran on the device" % named


def device_memory(description):
    """Bytes of the device that XLA's description names; None where it names none."""
    found = _DEVICE_MEMORY.search(description or "")
    return int(found.group(1)) if found else None


def need_memory(memory, available):
    """Raises DeviceMemoryError where a compiled program's memory_analysis is above what the device has.

    XLA's compiler for GPUs leaves that to the allocator of a device that runs the program. None: nobody
    knows, and nothing is raised.
    """
    if memory is None or available is None:
        return
    parts = [
        ("arguments", memory.argument_size_in_bytes),
        ("results", memory.output_size_in_bytes - memory.alias_size_in_bytes),
        ("temporaries", memory.temp_size_in_bytes),
    ]
    needed = sum(size for _, size in parts)
    if needed <= available:
        return
    raise DeviceMemoryError(
        "RESOURCE_EXHAUSTED: the compiled program needs %s of device memory (%s); the device has %s"
        % (_gib(needed), ", ".join("%s %s" % (name, _gib(size)) for name, size in parts), _gib(available))
    )  # fmt: skip


def _gib(size):
    return "%.2fG" % (size / 2.0**30)
