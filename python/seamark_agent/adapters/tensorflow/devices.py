"""Finding, loading and naming TensorFlow's devices."""

import importlib.util
import os

from ..base import Unusable
from ..torch_eager import cpu_name


def no_device(tf, kind):
    """Why there is no such device, and what to do."""
    known = sorted({item.device_type for item in tf.config.list_physical_devices()})
    reason = "TensorFlow %s finds no %s here (it finds %s)" % (
        tf.__version__,
        kind,
        ", ".join(known),
    )
    if kind == "GPU" and not (tf.test.is_built_with_cuda() or tf.test.is_built_with_rocm()):
        return (
            reason,
            "this build has no GPU support: pip install 'tensorflow[and-cuda]' where there is one",
        )
    if kind == "GPU":
        return (
            reason,
            "check nvidia-smi and the CUDA libraries: pip install 'tensorflow[and-cuda]'",
        )
    return (
        reason,
        "install the plug-in of that device, or set options.import or options.library to it",
    )


def connect_tpu(tf, name):
    """Initializes the TPU system. Raises Unusable."""
    name = name or os.environ.get("TPU_NAME") or "local"
    remedy = "run on a TPU VM with tensorflow-tpu, or set TPU_NAME"
    if name == "local" and not tf.config.list_physical_devices("TPU") and not _has_tpu_library():
        raise Unusable("TensorFlow %s finds no TPU and no libtpu here" % tf.__version__, remedy)
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=name)
        if name != "local":
            tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except Exception as error:
        raise Unusable(
            "no TPU %r: %s: %s" % (name, type(error).__name__, str(error)[:500]), remedy
        ) from error


def device_name(tf, short):
    """The model of a device, or what TensorFlow calls it."""
    kind = short.split(":")[0]
    if kind == "CPU":
        return cpu_name()
    for device in tf.config.list_physical_devices(kind)[:1]:
        try:
            return (
                tf.config.experimental.get_device_details(device).get("device_name") or device.name
            )
        except (ValueError, RuntimeError):
            return device.name
    return short


def load_device_library(path):
    from tensorflow.python.framework import load_library

    load_library.load_pluggable_device_library(path)


def _has_tpu_library():
    if os.environ.get("TPU_LIBRARY_PATH"):
        return os.path.exists(os.environ["TPU_LIBRARY_PATH"])
    return importlib.util.find_spec("libtpu") is not None
