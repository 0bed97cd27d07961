"""jax.transfer_guard: what a function moves from the host and between devices where that is told of or forbidden."""

from seamark_suites.case import case

from .placing import mesh_of, some_devices

GUARDS = ("transfer_guard_host_to_device", "transfer_guard_device_to_device", "transfer_guard")
LEVELS = ("allow", "log", "disallow", "log_explicit", "disallow_explicit")


def _watched(t, rows):
    """Of each call: which guard sees it, and whether it is asked for. What is forbidden raises; all else gives the numbers."""
    jax = t.fw
    for guard in GUARDS:
        for level in LEVELS:
            for seen, asked, call, want in rows:
                told = "%s of %s, %s" % (level, guard, want)
                forbidden = level == "disallow_explicit" or (level == "disallow" and not asked)
                run = lambda call=call: t.host(jax.block_until_ready(call())).tolist()  # noqa: E731
                with getattr(jax, guard)(level):
                    if forbidden and (guard == seen or (guard == GUARDS[2] and seen)):
                        t.raises(Exception, run)
                        with jax.transfer_guard("allow"):
                            t.expect(run() == want, told + " within what allows it")
                    else:
                        t.expect(run() == want, told)


@case("jax.device_put", core=False, reference="none")
def put_where_transfers_are_watched(t):
    """It is asked for: from the host, and to another device; never where it lies already, or on a mesh with an axis of one more."""
    jax, np, put = t.fw, t.np, t.get("jax.device_put")
    own, mesh = np.arange(4, dtype="float32"), mesh_of(t, ("x", "y"))
    first, last = some_devices(t)[0], some_devices(t)[-1]
    wider = t.get("jax.sharding.Mesh")(mesh.devices[None], ("z", "x", "y"))
    rows, again = (t.get("jax.NamedSharding")(one, jax.P("x", None)) for one in (mesh, wider))
    here, matrix = put(own, first), put(own.reshape(4, 1), rows)
    calls = [
        (GUARDS[0], True, lambda: put(own, first), [0, 1, 2, 3]), (GUARDS[0], True, lambda: put(2.5, first), 2.5),
        (None, True, lambda: put(here, first), [0, 1, 2, 3]), (None, True, lambda: put(matrix, again, may_alias=True), [[0], [1], [2], [3]]),
    ]  # fmt: skip
    if first != last:
        calls.append((GUARDS[1], True, lambda: put(here, last), [0, 1, 2, 3]))
    _watched(t, calls)
    t.expect(put(matrix, again, may_alias=True).sharding == again, "on the wider mesh")
    made = t.call("jax.device_put", own, t.device)
    t.expect(t.host(made).tolist() == [0, 1, 2, 3], "without a guard, got %s" % made)


@case("jax.jit", core=False, reference="none")
def arguments_where_transfers_are_watched(t):
    """Nobody asks for those of the host: numbers and NumPy's arrays are refused; what is there runs, constants of the program, too."""
    jax, np, jit = t.fw, t.np, t.get("jax.jit")
    own = np.arange(4, dtype="float32")
    here, program = jax.device_put(own, t.device), jit(lambda x, y: x * y + 1)
    plain = jit(lambda x: x + np.full(4, 2, "float32"))
    want = [[1, 2, 5, 10], [1, 3, 5, 7], [2, 3, 4, 5]]
    for made in (program(own, here), program(here, 2.0), plain(here)):
        jax.block_until_ready(made)
    calls = [
        (GUARDS[0], False, lambda: program(own, here), want[0]), (GUARDS[0], False, lambda: program(here, 2.0), want[1]),
        (None, False, lambda: program(here, here), want[0]), (None, False, lambda: plain(here), want[2]),
    ]  # fmt: skip
    _watched(t, calls)
    t.expect(t.host(t.call(program, here, here)).tolist() == want[0], "without a guard")
