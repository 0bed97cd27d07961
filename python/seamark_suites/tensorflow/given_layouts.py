"""Tensors made with a layout: of a mesh of one device, whole on it."""

from seamark_suites.case import each

LIKES = {"tf.ones_like": 1.0, "tf.zeros_like": 0.0}
MADE = {"tf.ones": 1.0, "tf.zeros": 0.0, "tf.fill": 2.5}


@each([*LIKES, *MADE], host_only=True, core=False)
def of_a_layout(t, function):
    """layout=: the numbers and the layout, in one axis and two, whether the mesh cuts an axis or not; the next without one has none."""
    tf, np, dtensor = t.fw, t.np, t.fw.experimental.dtensor
    mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    value = {**LIKES, **MADE}[function]
    for shape, specs in (
        ([3], [dtensor.UNSHARDED]),
        ([2, 3], [dtensor.UNSHARDED] * 2),
        ([2, 3], ["x", dtensor.UNSHARDED]),
    ):
        layout = dtensor.Layout(specs, mesh)
        if function in LIKES:
            given = dtensor.copy_to_mesh(tf.fill(shape, 7.0), dtensor.Layout.replicated(mesh, rank=len(shape)))  # fmt: skip
        else:
            given = shape
        more = (value,) if function == "tf.fill" else ()
        made = t.call(function, given, *more, layout=layout)
        t.expect(dtensor.fetch_layout(made) == layout, "%s, got %s" % (layout, dtensor.fetch_layout(made)))  # fmt: skip
        parts = [part.numpy() for part in dtensor.unpack(made)]
        t.expect(len(parts) == 1 and parts[0].dtype == np.float32, "one part, got %s" % parts)
        t.expect(np.array_equal(parts[0], np.full(shape, value)), "%s, got %s" % (value, parts))
    plain = t.call(function, tf.zeros([2]) if function in LIKES else [2], *more)
    t.expect(not dtensor.is_dtensor(plain), "no layout, got %s" % plain)
    t.expect(plain.numpy().tolist() == [value] * 2, "%s, got %s" % (value, plain))
