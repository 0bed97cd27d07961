#!/usr/bin/env python3
"""Writes data/declared/tensorflow-DEVICE-VERSION.csv: for which operators a TensorFlow wheel registers kernels.

Run it with the Python of an environment that has nothing but that wheel; no device is needed:

    python -m venv gpu && gpu/bin/pip install tensorflow==2.21.0        (about 2 GB)
    gpu/bin/python scripts/gather_declared.py gpu
    python -m venv tpu && tpu/bin/pip install tensorflow-tpu==2.20.0    (about 2 GB)
    tpu/bin/python scripts/gather_declared.py tpu

Then name the file, its package and version in data/declared/tensorflow.toml.
"""

import argparse
import collections
import contextlib
import csv
import importlib.metadata
import io
import os
import pathlib
import sys

# Package, device types in the registry: the first is what it is about. A kernel for DEFAULT serves every device
# that has none of its own (variables, shapes of gradients); on a TPU such operators run beside what XLA compiles.
WHEELS = {
    "gpu": ("tensorflow", ("GPU", "DEFAULT")),
    "tpu": ("tensorflow-tpu", ("XLA_TPU_JIT", "TPU", "DEFAULT")),
}


def registered(device_type: str) -> dict[str, list]:
    """{operator: its kernels for this device type}."""
    from tensorflow.python.framework import kernels

    found = collections.defaultdict(list)
    for kernel in kernels.get_all_registered_kernels().kernel:
        if kernel.device_type == device_type:
            found[kernel.op].append(kernel)
    return found


def compile_once() -> None:
    """The kernels of XLA's devices register only when something is compiled, whether or not that succeeds:
    the TPU wheel cannot, without a TPU."""
    import tensorflow as tf

    double = tf.function(lambda x: x + x, jit_compile=True)
    with contextlib.suppress(ValueError):
        double.experimental_get_compiler_ir(tf.constant(1.0))(stage="hlo")


def dtypes(kernels: list) -> str:
    """Per attribute the data types of any kernel, as `T=float|half Tidx=int32`; an attribute that a kernel
    leaves open is left out."""
    from tensorflow.python.framework import dtypes as names

    allowed = collections.defaultdict(set)
    seen = collections.Counter()
    for kernel in kernels:
        for one in kernel.constraint:
            seen[one.name] += 1
            allowed[one.name].update(
                names.as_dtype(t).name for t in one.allowed_values.list.type if 0 < t < 100
            )
    constrained = (name for name in sorted(allowed) if seen[name] >= len(kernels) and allowed[name])
    return " ".join("%s=%s" % (name, "|".join(sorted(allowed[name]))) for name in constrained)


def table(device_types: tuple[str, ...]) -> str:
    """CSV, one row per operator and device type."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["op", "device", "dtypes"])
    for device_type in device_types:
        found = registered(device_type)
        if not found and device_type == device_types[0]:
            raise SystemExit(f"this wheel registers no kernel for {device_type}")
        for op in sorted(found):
            writer.writerow([op, device_type, dtypes(found[op])])
        print(f"{len(found)} operators with a kernel for {device_type}")
    return out.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", choices=sorted(WHEELS))
    parser.add_argument("-o", "--output", help="file to write (default: in data/declared)")
    options = parser.parse_args()
    package, device_types = WHEELS[options.wheel]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        print(f"{sys.executable} has no {package}: pip install {package}", file=sys.stderr)
        return 3
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.wheel == "tpu":
        os.environ.setdefault("TPU_LIBRARY_PATH", os.devnull)  # it looks for a TPU otherwise
        compile_once()
    name = f"tensorflow-{options.wheel}-{version}.csv"
    folder = pathlib.Path(__file__).resolve().parent.parent / "data" / "declared"
    path = pathlib.Path(options.output) if options.output else folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(table(device_types), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
