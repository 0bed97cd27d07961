"""A JAX call and its arrays, as reproducers carry them."""

import jax
import numpy

# A collective runs on this many devices; a CPU is asked to be two.
MESH_DEVICES = 2
_DEVICE = getattr(jax, "Device", None) or jax.lib.xla_client.Device  # the latter before 0.4.31


class TooFewDevices(Exception):
    """A call names devices that the target lacks."""


class Call:
    """One call under test, as users make it (`run`) and as a function of its arrays (`program`)."""

    def __init__(self, function, args, kwargs, differentiable=None, devices=()):
        """`differentiable`: the arrays whose gradient is asked for; None: no gradient. `devices`: of the target, for a
        collective and in place of those that the arguments name. Raises TooFewDevices."""
        leaves, self._tree = jax.tree_util.tree_flatten((args, kwargs))
        self._leaves, self.spread = at_devices(leaves, devices)
        if self._leaves is not leaves:
            args, kwargs = jax.tree_util.tree_unflatten(self._tree, self._leaves)
        self._where = [i for i, leaf in enumerate(self._leaves) if isinstance(leaf, jax.Array)]
        self.arrays = [self._leaves[i] for i in self._where]
        self.mesh, self.axis = None, getattr(function, "seamark_mesh_axis", None)
        if self.axis is not None:
            self.mesh = jax.sharding.Mesh(numpy.array(devices[:MESH_DEVICES]), (self.axis,))
            function = shard_map(function, self.mesh, jax.sharding.PartitionSpec(self.axis))
        self._function, self._args, self._kwargs = function, args, kwargs
        self._marked = None
        if differentiable is not None:
            wanted = {id(array) for array in differentiable}
            self._marked = [i for i in self._where if id(self._leaves[i]) in wanted]
        self._weights = {}
        self.run = self._run_plain if self._marked is None else self._run_with_gradient

    def _run_plain(self):
        return self._function(*self._args, **self._kwargs)

    def _run_with_gradient(self):
        return self._forward_and_backward(self._leaves)

    def program(self, *arrays):
        """The same result from other arrays in the arguments: tracing sees this one."""
        leaves = list(self._leaves)
        for position, array in zip(self._where, arrays):
            leaves[position] = array
        if self._marked is not None:
            return self._forward_and_backward(leaves)
        args, kwargs = jax.tree_util.tree_unflatten(self._tree, leaves)
        return self._function(*args, **kwargs)

    def jitted(self):
        """A callable that makes the call as one compiled program; what is no array in the result is of its tracing."""
        kept = {}

        def traced(*arrays):
            leaves, kept["tree"] = jax.tree_util.tree_flatten(self.program(*arrays))
            kept["plain"] = [
                (_is_array(leaf), None if _is_array(leaf) else leaf) for leaf in leaves
            ]
            return [leaf for leaf in leaves if _is_array(leaf)]

        compiled = jax.jit(traced)

        def run():
            made = iter(compiled(*self.arrays))
            leaves = [next(made) if array else leaf for array, leaf in kept["plain"]]
            return jax.tree_util.tree_unflatten(kept["tree"], leaves)

        return run

    def _forward_and_backward(self, leaves):
        """(result, gradients of the marked leaves): one reverse pass over all floating outputs. Without any
        there is no gradient: None."""
        kept = {}

        def forward(*inputs):
            changed = list(leaves)
            for position, value in zip(self._marked, inputs):
                changed[position] = value
            args, kwargs = jax.tree_util.tree_unflatten(self._tree, changed)
            found, kept["tree"] = jax.tree_util.tree_flatten(self._function(*args, **kwargs))
            kept["floating"] = [_is_inexact(leaf) for leaf in found]
            arrays = [_is_array(leaf) for leaf in found]
            kept["plain"] = [leaf for leaf, array in zip(found, arrays) if not array]
            kept["arrays"] = arrays
            exact = [x for x, array, f in zip(found, arrays, kept["floating"]) if array and not f]
            return [x for x, f in zip(found, kept["floating"]) if f], exact

        values, pull_back, exact = jax.vjp(
            forward, *[leaves[i] for i in self._marked], has_aux=True
        )
        gradients = [None] * len(self._marked)
        if values:
            found = pull_back([self._weight(value) for value in values])
            gradients = [one if _is_array(one) else jax.numpy.asarray(one) for one in found]
        sources = (iter(values), iter(exact), iter(kept["plain"]))
        result = [
            next(sources[0] if floating else sources[1] if array else sources[2])
            for floating, array in zip(kept["floating"], kept["arrays"])
        ]
        return jax.tree_util.tree_unflatten(kept["tree"], result), gradients

    def _weight(self, leaf):
        """Weights from 0.5 to 1.5: with equal ones the gradient of softmax would be zero."""
        if isinstance(leaf, jax.core.Tracer):
            return numpy.linspace(0.5, 1.5, leaf.size).reshape(leaf.shape).astype(leaf.dtype)
        key = (leaf.shape, str(leaf.dtype))
        if key not in self._weights:  # made once, so that a timed call copies nothing to the device
            ramp = numpy.linspace(0.5, 1.5, leaf.size).reshape(leaf.shape)
            self._weights[key] = jax.device_put(ramp.astype(leaf.dtype), leaf.sharding)
        return self._weights[key]


def at_devices(leaves, devices):
    """(leaves, mesh): devices, meshes and shardings among the leaves, moved to those of `devices` with the same numbers
    where these are of another platform; the same list where it names none. `mesh` has those that are then named, where
    they are several; else None."""
    named = {}

    def at(device):
        found = device
        if devices and device.platform != devices[0].platform:
            if device.id >= len(devices):
                raise TooFewDevices(
                    "the call needs %d devices, there is %d" % (device.id + 1, len(devices))
                )
            found = devices[device.id]
        named[found.id] = found
        return found

    def of(leaf):
        if isinstance(leaf, _DEVICE):
            return at(leaf)
        if isinstance(leaf, numpy.ndarray) and leaf.dtype == object:
            there = numpy.empty(leaf.shape, object)
            there.flat = [of(one) for one in leaf.flat]
            return there
        if isinstance(leaf, jax.sharding.Mesh):
            there, types = of(leaf.devices), getattr(leaf, "axis_types", None)  # 0.4.36
            options = {"axis_types": types} if types else {}
            return jax.sharding.Mesh(there, leaf.axis_names, **options)
        if isinstance(leaf, jax.sharding.NamedSharding) and isinstance(
            leaf.mesh, jax.sharding.Mesh
        ):
            return jax.sharding.NamedSharding(of(leaf.mesh), leaf.spec, **_memory(leaf))
        if isinstance(leaf, jax.sharding.SingleDeviceSharding):
            return jax.sharding.SingleDeviceSharding(*map(at, leaf.device_set), **_memory(leaf))
        return leaf

    moved = [of(leaf) for leaf in leaves]
    if not named:
        return leaves, None
    several = numpy.array([named[number] for number in sorted(named)])
    mesh = jax.sharding.Mesh(several, ("device",)) if several.size > 1 else None
    return moved, mesh


def _memory(sharding):
    """The kind of memory that a sharding names; none, where it is the usual one of its devices."""
    kind = getattr(sharding, "memory_kind", None)  # 0.4.15
    usual = kind and next(iter(sharding.device_set)).default_memory().kind
    return {} if kind == usual else {"memory_kind": kind}


def abstract(call, device):
    """A call's arrays as shapes on a device, and the sharding of the results: a collective's are on all of its devices,
    those of a call that names several are copied to them, and its results are where it puts them (None)."""
    results = sharding = jax.sharding.SingleDeviceSharding(device)
    if call.mesh is not None:
        spec = jax.sharding.PartitionSpec(call.axis)
        results = sharding = jax.sharding.NamedSharding(call.mesh, spec)
    elif call.spread is not None:
        sharding = jax.sharding.NamedSharding(call.spread, jax.sharding.PartitionSpec())
        results = None
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=sharding) for a in call.arrays]
    return shapes, results


def arrays_only(program):
    """The program without the leaves that live on the host (strings, shapes, NumPy arrays)."""

    def traced(*arrays):
        leaves = jax.tree_util.tree_leaves(program(*arrays))
        return [leaf for leaf in leaves if isinstance(leaf, jax.Array)]

    return traced


def _is_array(leaf):
    return isinstance(leaf, jax.Array)


def _is_inexact(leaf):
    return isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.numpy.inexact)


def x64(enabled):
    """The context in which 64-bit types exist (or do not)."""
    state = getattr(jax, "enable_x64", None)
    if state is None:
        from jax.experimental import enable_x64 as state
    return state(enabled)


def shard_map(function, mesh, spec):
    """`function` on every device of the mesh, arrays split and joined along their first axis."""
    make = getattr(jax, "shard_map", None)
    if make is None:
        from jax.experimental.shard_map import shard_map as make

        # Its check of what is replicated lacks rules for collectives; it changes no value.
        return make(function, mesh=mesh, in_specs=spec, out_specs=spec, check_rep=False)
    return make(function, mesh=mesh, in_specs=spec, out_specs=spec)


def is_key(array):
    """Whether it is an array of typed random keys."""
    kind = getattr(jax.dtypes, "prng_key", None)
    if kind is None:  # before 0.4.14
        return str(array.dtype).startswith("key<")
    return jax.numpy.issubdtype(array.dtype, kind)


def to_numpy(array):
    """f64, c128, i64 or bool values; a key array gives its key data."""
    if is_key(array):
        array = jax.random.key_data(array)
    host = numpy.asarray(array)
    if host.dtype == bool:
        return host
    if jax.numpy.issubdtype(array.dtype, jax.numpy.complexfloating):
        return host.astype(numpy.complex128)
    floating = jax.numpy.issubdtype(array.dtype, jax.numpy.floating)
    return host.astype(numpy.float64 if floating else numpy.int64)
