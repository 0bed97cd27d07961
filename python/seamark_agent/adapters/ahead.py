"""Targets that compile for a device that is not here share this. Nothing runs on the device."""

import re

from ..harness import Skip

OPTIONS = ("import", "platform", "topology", "target_config")  # of a target
METHOD = "compiled program"  # proves nothing, until one calls the host
NOTHING_RUNS = "compiled only: nothing runs on the device"
_DEVICE_MEMORY = re.compile(r"^\s*device_memory_size:\s*(\d+)", re.M)


class DeviceMemoryError(RuntimeError):
    """A program that compiles and needs more memory than the device has. Its text begins as XLA's own does."""


def once(compile_and_run):
    """A unit that compiles, then runs on the CPU. Only timing calls it twice, and is skipped."""
    called = []

    def unit():
        if called:
            raise Skip(NOTHING_RUNS + ", so nothing is timed")
        called.append(True)
        return compile_and_run()

    return unit


def no_program(why):
    return Skip("no device program: %s" % why)


def finish_proof(proof, programs, host_ops=(), via=None):
    """`programs`: facts of the case's programs; `host_ops`: operations that ran on the host."""
    proof.fallback_ops = list(host_ops) + [
        name for facts in programs for name in facts["host_calls"]
    ]
    if not proof.fallback_ops:
        named = " (via %s)" % via if via else ""
        proof.note = "compiled only%s: nothing ran on the device" % named


def device_memory(description):
    """Bytes of the device that XLA's description names; None where it names none."""
    found = _DEVICE_MEMORY.search(description or "")
    return int(found.group(1)) if found else None


def need_memory(memory, available):
    """Raises DeviceMemoryError where a compiled program's memory_analysis is above what the device has.

    XLA's compiler for GPUs leaves this check to the allocator of the device that runs the program. `memory` or
    `available` is None where nobody knows: then nothing is raised.
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
