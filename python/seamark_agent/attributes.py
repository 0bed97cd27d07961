"""The attributes of an attempt: every name once."""

HOST_FALLBACK = "host-fallback"  # something ran on the host instead of the device
HOST_ONLY = "host-only"  # the suite says that the case touches no device
NO_DEVICE_WORK = "no-device-work"  # no operation depends on an input: adapters/device_work.py
LEFT_TO_ATEN = "left-to-aten"  # a compiler called PyTorch's own kernels for a part
FAILS_ON_REFERENCE = (
    "fails-on-reference"  # the same failure on the CPU: no finding about the device
)
CACHE_HIT = "cache-hit"  # the answer is of an earlier run
CACHE_CONFIRMED = "cache-confirmed"  # and a failure came again when it ran alone
KNOWN_LIMITATION = "known-limitation"  # the framework's own list has it
# Right at the target's highest precision alone: TF32, bf16 passes.
DEFAULT_PRECISION = "default-precision"
UNCHECKED = "unchecked"  # it shows that nothing was raised, and no more
# Of one call with arrays of several sizes: the programs that each compiled, "compiled-by-size-1,1,0".
COMPILED_BY_SIZE = "compiled-by-size-"
RISK = "risk-"  # what a compiled program shows of lost range or precision begins so

ALL = (
    HOST_FALLBACK,
    HOST_ONLY,
    NO_DEVICE_WORK,
    LEFT_TO_ATEN,
    FAILS_ON_REFERENCE,
    CACHE_HIT,
    CACHE_CONFIRMED,
    KNOWN_LIMITATION,
    DEFAULT_PRECISION,
    UNCHECKED,
)
