"""Arrays put on devices and spread over them: jax.devices, jax.device_put, jax.sharding.Mesh.

A mesh has two devices where there are two, and one elsewhere: all cases have a meaning on one.
"""

from seamark_suites.case import case

from .reference import with_gradient

NEAR = {"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13}  # sums that may cancel


def some_devices(t):
    """Of the place where the body runs: two, or the only one."""
    return t.fw.devices(t.device.platform)[:2]


def mesh_of(t, names=("x",)):
    devices = some_devices(t)
    array = t.np.array(devices).reshape((len(devices),) + (1,) * (len(names) - 1))
    return t.get("jax.sharding.Mesh")(array, names)


# --- devices


@case("jax.devices", host_only=True, reference="none")
def devices_that_are_there(t):
    found = t.call("jax.devices")
    t.expect(type(found) is list and len(found) >= 1, "a list, got %r" % (found,))
    t.expect(len(found) == t.fw.device_count(), "as many as are counted")
    t.expect(len({one.id for one in found}) == len(found), "an id for each")
    t.expect({one.platform for one in found} == {t.fw.default_backend()}, "of the default backend")
    t.expect(all(a is b for a, b in zip(found, t.call("jax.devices"))), "the same ones again")


def doubled_on_each(x):
    import jax

    return [jax.device_put(x, device) * 2 for device in jax.devices()[:2]]


@case("jax.devices", dtypes="f32 bf16 i32", core="f32 i32", reference=lambda np, x: (2 * x, 2 * x))
def arrays_on_each_device(t, dtype):
    found = t.call(doubled_on_each, t.randn((3, 4), dtype))
    if not t.compiled:  # where a call is one program it is on one device
        places = [set(one.devices()) for one in found]
        t.expect(places == [{one} for one in t.fw.devices()[:2]], "a device each, got %s" % places)
    return found[0], found[-1]


@case("jax.devices", host_only=True, reference="none")
def what_a_device_says(t):
    for device in t.call("jax.devices"):
        t.expect(isinstance(device, t.fw.Device), "a jax.Device, got %r" % device)
        t.expect(type(device.id) is int and device.id >= 0, "an id, got %r" % device.id)
        t.expect(bool(device.platform) and device.platform.lower() == device.platform, "a platform")
        t.expect(bool(device.device_kind), "what kind it is, got %r" % device.device_kind)
        t.expect(device.process_index == t.fw.process_index(), "of this process")
        t.expect(str(device.id) in str(device), "a text with its id, got %s" % device)
        t.expect(device.client.platform == device.platform, "its client's platform")


@case("jax.devices", host_only=True, reference="none", core=False)
def devices_of_a_backend(t):
    default = t.call("jax.devices")
    t.expect(t.call("jax.devices", t.fw.default_backend()) == default, "the default's by its name")
    t.expect(t.call("jax.devices", backend=None) == default, "the default's of None")
    hosts = t.call("jax.devices", "cpu")
    t.expect({one.platform for one in hosts} == {"cpu"}, "the host's, which is always there")
    t.expect(t.fw.local_devices() == default, "one process has them all")


@case("jax.devices", dtypes="f32", core=False, reference=lambda np, x: [x + 1, x + 1])
def a_device_by_default(t, dtype):
    """Where a call with new arrays runs."""
    x, found = t.np.asarray(t.host(t.randn((5,), dtype)), "float32"), []
    for device in t.fw.devices(t.device.platform)[:2]:
        with t.fw.default_device(device):
            made = t.call(lambda: t.fw.numpy.asarray(x) + 1)
        t.expect(set(made.devices()) == {device}, "on %s, got %s" % (device, made.devices()))
        found.append(made)
    return found[0], found[-1]


@case("jax.devices", host_only=True, reference="none", core=False)
def backends_that_are_not_there(t):
    error = t.raises(RuntimeError, t.call, "jax.devices", "nonsense")
    t.expect("nonsense" in str(error), "its name in the message, got %s" % error)
    t.raises((AttributeError, TypeError), t.call, "jax.devices", 3.5)


# --- device_put


@case("jax.device_put", dtypes="f32 bf16 i32 bool f16 f64 c64 i8 u8 i64",
      core="f32 bf16 i32 bool", reference=lambda np, x: x)  # fmt: skip
def to_a_device(t, dtype):
    x = t.randn((5, 4), dtype)
    made = t.call("jax.device_put", x, t.device)
    t.expect(made.dtype == x.dtype, "the dtype as it was")
    return made


@case("jax.device_put", dtypes="f32 i32 bool", core="f32 i32",
      reference=lambda np, x: (x, x[::-2], x.T))  # fmt: skip
def from_numpy(t, dtype):
    """Of any strides: from the end, transposed."""
    kind = {"f32": "float32", "i32": "int32", "bool": "bool"}[dtype]
    x = t.host(t.randn((6, 4), dtype)).astype(kind)
    return tuple(t.call("jax.device_put", one, t.device) for one in (x, x[::-2], x.T))


def put_and_squared(x, device):
    import jax

    y = jax.device_put(x, device)
    return y * y


@case("jax.device_put", dtypes="f32 bf16", grad=True, core="f32 bf16",
      reference=with_gradient(lambda np, x: x * x, lambda np, w, x: 2 * w * x))  # fmt: skip
def put_gradient(t, dtype):
    return t.call(put_and_squared, t.randn((5, 4), dtype), device=t.device)


@case("jax.device_put", dtypes="f32 bf16", core="f32",
      reference=lambda np, x, y: {"x": x, "y": [y, None], "n": 3, "z": 2.5})  # fmt: skip
def a_tree_at_once(t, dtype):
    """Arrays, None and Python's numbers, which become arrays."""
    tree = {"x": t.randn((3,), dtype), "y": [t.randn((2, 2), dtype), None], "n": 3, "z": 2.5}
    made = t.call("jax.device_put", tree, t.device)
    kinds = [str(made[key].dtype) for key in "nz"]
    t.expect(kinds == ["int32", "float32"], "32 bits for numbers, got %s" % kinds)
    return made


@case("jax.device_put", dtypes="f32", core=False, reference=lambda np, x: (x, x, [x, x]))
def to_several_devices(t, dtype):
    """Another device, and a device for each leaf."""
    devices, x = some_devices(t), t.randn((4, 3), dtype)
    one = t.call("jax.device_put", x, devices[-1])
    both = t.call("jax.device_put", [x, x], [devices[0], devices[-1]])
    plain = t.call("jax.device_put", x)
    if not t.compiled:
        found = [set(made.devices()) for made in (one, *both)]
        want = [{devices[-1]}, {devices[0]}, {devices[-1]}]
        t.expect(found == want, "the devices asked for, got %s" % found)
        t.expect(set(plain.devices()) == set(x.devices()), "where it was")
    return one, plain, both


def spread(x, sharding):
    import jax

    return jax.device_put(x, sharding)


@case("jax.device_put", dtypes="f32 bf16 i32", core="f32", reference=lambda np, x: (x, x))
def spread_over_devices(t, dtype):
    jax, mesh, x = t.fw, mesh_of(t), t.randn((8, 3), dtype)
    rows, copies = (jax.sharding.NamedSharding(mesh, spec) for spec in (
        jax.sharding.PartitionSpec("x"), jax.sharding.PartitionSpec()))  # fmt: skip
    made = t.call(spread, x, sharding=rows)
    copied = t.call(spread, made, sharding=copies)
    if not t.compiled:
        shapes = {part.data.shape for part in made.addressable_shards}
        t.expect(shapes == {(8 // mesh.size, 3)}, "a part on each device, got %s" % shapes)
        t.expect(copied.sharding.is_fully_replicated, "then all of it on each")
    return made, copied


@case("jax.device_put", dtypes="f32", shapes="0 3x0 scalar 1", trivial=True, core=False,
      reference=lambda np, x: x)  # fmt: skip
def put_little(t, dtype, shape):
    return t.call("jax.device_put", t.randn(shape, dtype), t.device)


@case("jax.device_put", dtypes="f32 bf16", core=False, reference=lambda np, x: (x, np.signbit(x)))
def special_values_stay(t, dtype):
    inf = float("inf")
    x = t.const([inf, -inf, -0.0, 0.0, 1.5, float("nan")], dtype)

    def run(v, device):
        made = t.fw.device_put(v, device)
        return made, t.fw.numpy.signbit(made)

    return t.call(run, x, device=t.device)


@case("jax.device_put", kind=["float8_e4m3fn", "float8_e5m2", "int4"], core=False,
      reference=lambda np, x, kind: x)  # fmt: skip
def few_bits(t, kind):
    x = t.randint((6, 5), "f32", -7, 8)
    narrow = x.astype(getattr(t.fw.numpy, kind))
    made = t.call("jax.device_put", narrow, t.device)
    t.expect(str(made.dtype) == kind, "the dtype as it was, got %s" % made.dtype)
    return made.astype("float32")


def inside(x, device):
    import jax

    return jax.jit(jax.vmap(lambda v: jax.device_put(v, device).sum() * 2))(x)


@case("jax.device_put", dtypes="f32 i32", core=False, rtol=NEAR, atol=NEAR,
      reference=lambda np, x: 2 * x.sum(1))  # fmt: skip
def under_jit_and_vmap(t, dtype):
    return t.call(inside, t.randn((5, 4), dtype), device=t.device)


@case("jax.device_put", core=False, reference="none")
def wide_numbers_become_narrow(t):
    """Without 64 bits NumPy's arrays of 64 become those of 32."""
    for kind, want in (("float64", "float32"), ("int64", "int32"), ("complex128", "complex64")):
        made = t.call("jax.device_put", t.np.arange(5).astype(kind), t.device)
        t.expect(str(made.dtype) == want, "%s, got %s" % (want, made.dtype))
        t.expect(t.host(made).tolist() == list(range(5)), "0 to 4, got %s" % made)


@case("jax.device_put", dtypes="f32", core=False, reference=lambda np, x: x * 2)
def an_array_given_away(t, dtype):
    """Its memory may be the result's."""
    x = t.randn((50, 3), dtype)
    return t.call("jax.device_put", x * 2, t.device, donate=True)


@case("jax.device_put", dtypes="f32", core=False, reference=lambda np, *given: list(given))
def sizes_one_after_another(t, dtype):
    arrays = [t.randn(shape, dtype) for shape in ((3,), (5, 7), (2, 3, 4))]
    return [t.call("jax.device_put", x, t.device) for x in arrays]


@case("jax.device_put", dtypes="f32 bf16", shapes="2048x4099", large=True,
      reference=lambda np, x: x)  # fmt: skip
def large_put(t, dtype, shape):
    return t.call("jax.device_put", t.randn(shape, dtype), t.device)


@case("jax.device_put", core=False, reference="none")
def what_cannot_be_put(t):
    x = t.randn((3,), "f32")

    def refused(kinds, *given):
        t.raises(kinds, t.call, "jax.device_put", *given)

    refused(TypeError, "text")
    refused(TypeError, object())
    refused(TypeError, t.np.array(["text"]))
    refused(TypeError, t.np.array([object()]))
    refused(ValueError, x, 3)
    refused(ValueError, x, "nonsense")
    refused(ValueError, [x, x], [t.device])


# --- Mesh


@case("jax.sharding.Mesh", host_only=True, reference="none")
def what_a_mesh_says(t):
    devices = t.np.array(some_devices(t))
    n = len(devices)
    mesh = t.call("jax.sharding.Mesh", devices.reshape(n, 1), ("rows", "columns"))
    t.expect(dict(mesh.shape) == {"rows": n, "columns": 1}, "sizes by name, got %s" % mesh.shape)
    t.expect(mesh.axis_names == ("rows", "columns"), "names, got %s" % (mesh.axis_names,))
    t.expect(mesh.size == n and mesh.devices.shape == (n, 1), "%d devices" % n)
    t.expect(list(mesh.devices.flat) == list(devices), "the devices in their order")
    t.expect(not mesh.empty and not mesh.is_multi_process, "neither empty nor of many processes")
    t.expect(mesh.device_ids.ravel().tolist() == [one.id for one in devices], "their ids")
    t.expect(mesh.local_devices == list(devices), "all are of this process")


@case("jax.sharding.Mesh", host_only=True, reference="none")
def meshes_that_are_equal(t):
    def made(devices, names):
        return t.call("jax.sharding.Mesh", devices, names)

    devices = t.np.array(some_devices(t))
    first = made(devices, ("x",))
    t.expect(first == made(list(devices), ("x",)), "of an array and of a list")
    t.expect(first == made(devices, "x"), "a name alone")
    t.expect(len({first, made(devices, ("x",))}) == 1, "one key of a dictionary")
    t.expect(first != made(devices, ("y",)), "another name, another mesh")
    t.expect(first != made(devices[None], ("y", "x")), "another shape, another mesh")
    if len(devices) > 1:
        t.expect(first != made(devices[::-1], ("x",)), "another order, another mesh")


def centered(x, devices):
    """Each device has some rows; the mean is of all."""
    import jax

    mesh = jax.sharding.Mesh(devices, ("x",))
    rows = jax.sharding.PartitionSpec("x")

    def one(part):
        total = jax.lax.psum(part.sum(0), "x")
        return part * 8 - total

    return mapped(one, mesh, rows, rows)(x)


def mapped(function, mesh, ins, outs):
    import jax

    make = getattr(jax, "shard_map", None)
    if make is None:  # before 0.6
        from jax.experimental.shard_map import shard_map as make

    return make(function, mesh=mesh, in_specs=ins, out_specs=outs)


@case("jax.sharding.Mesh", dtypes="f32 bf16 i32", core="f32 bf16 i32", rtol=NEAR,
      atol={"f32": 1e-5, "bf16": 0.25},  # a difference of numbers of size 8, a sum of 8
      reference=lambda np, x: x * 8 - x.sum(0))  # fmt: skip
def sums_along_an_axis_of_a_mesh(t, dtype):
    return t.call(centered, t.randn((8, 3), dtype), devices=t.np.array(some_devices(t)))


@case("jax.sharding.Mesh", dtypes="f32", grad=True, core="f32", rtol=NEAR, atol={"f32": 1e-5},
      reference=with_gradient(
          lambda np, x: x * 8 - x.sum(0), lambda np, w, x: w * 8 - w.sum(0)
      ))  # fmt: skip
def gradient_over_a_mesh(t, dtype):
    return t.call(centered, t.randn((8, 3), dtype), devices=t.np.array(some_devices(t)))


def product(x, w, devices):
    """Rows of one matrix by columns of the other, over a mesh of two axes."""
    import jax

    P = jax.sharding.PartitionSpec
    mesh = jax.sharding.Mesh(devices, ("rows", "columns"))
    x = jax.device_put(x, jax.sharding.NamedSharding(mesh, P("rows", "columns")))
    w = jax.device_put(w, jax.sharding.NamedSharding(mesh, P("columns", "rows")))
    return jax.jit(lambda a, b: a @ b)(x, w)


@case("jax.sharding.Mesh", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, w: x @ w)  # fmt: skip
def a_product_over_two_axes(t, dtype):
    devices = t.np.array(some_devices(t)).reshape(1, -1)
    return t.call(product, t.randn((6, 8), dtype), t.randn((8, 4), dtype), devices=devices)


def constrained(x, mesh):
    import jax

    spec = jax.sharding.PartitionSpec("x")
    with mesh:
        return jax.jit(lambda v: jax.lax.with_sharding_constraint(v * 2, spec) + 1)(x)


@case("jax.sharding.Mesh", dtypes="f32 i32", core=False, reference=lambda np, x: 2 * x + 1)
def a_mesh_as_context(t, dtype):
    """Inside it a PartitionSpec alone says where."""
    x, mesh = t.randn((8, 2), dtype), t.get("jax.sharding.Mesh")(some_devices(t), ("x",))
    made = t.call(constrained, x, mesh=mesh)
    if not t.compiled:
        t.expect(set(made.devices()) == set(some_devices(t)), "on all devices of the mesh")
    return made


def named_axes(x, devices):
    import jax

    mesh = jax.sharding.Mesh(devices, ("x",))
    P = jax.sharding.PartitionSpec

    def one(part):
        whole = jax.lax.all_gather(part, "x", tiled=True)
        return part * 2 + whole.max()

    return mapped(one, mesh, P("x"), P("x"))(x)


@case("jax.sharding.Mesh", dtypes="f32 i32", core=False, reference=lambda np, x: 2 * x + x.max())
def gathered_along_an_axis(t, dtype):
    return t.call(named_axes, t.randn((8, 3), dtype), devices=t.np.array(some_devices(t)))


@case("jax.sharding.Mesh", dtypes="f32", shapes="2048x1027", large=True, rtol={"f32": 1e-5},
      atol={"f32": 1e-2},  # a sum of 2048 numbers beside eight times a number
      reference=lambda np, x: x * 8 - x.sum(0))  # fmt: skip
def large_sums(t, dtype, shape):
    return t.call(centered, t.randn(shape, dtype), devices=t.np.array(some_devices(t)))


@case("jax.sharding.Mesh", host_only=True, reference="none", core=False)
def meshes_that_cannot_be(t):
    devices = t.np.array(some_devices(t))

    def refused(*given):
        t.raises((TypeError, ValueError), t.call, "jax.sharding.Mesh", *given)

    refused(devices, ("x", "y"))
    refused(devices.reshape(-1, 1), ("x",))
    refused(devices, (None,))
    mesh = t.call("jax.sharding.Mesh", devices, ("x",))
    t.raises((AttributeError, RuntimeError, TypeError), setattr, mesh, "axis_names", ("y",))
