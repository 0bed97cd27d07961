"""What a JAX call does elsewhere and its lowered program does not say: values that it moves to another platform, another
default device, values that Python reads while the call is traced."""

import contextlib

import jax


def note_moves(jaxpr, proof, platform, platform_of):
    """Fills Proof from `device_put`, of which nothing is left in a lowered program."""
    away = set()  # variables whose values are on another platform
    for step in jaxpr.eqns:
        from_away = any(v in away for v in step.invars if not hasattr(v, "val"))
        if step.primitive.name == "device_put":
            put = _platforms(step.params, platform_of)
            if put - {platform} or (from_away and not put):
                away.update(step.outvars)
            elif from_away:
                proof.doubt("a value came back from another platform")
        elif from_away:
            proof.fallback_ops.append("%s on another platform" % step.primitive.name)
            away.update(step.outvars)
        for part in _parts(step.params):
            note_moves(part, proof, platform, platform_of)


def _platforms(params, platform_of):
    """The platforms that a `device_put` names; none where it leaves a value where it is."""
    found = set()
    for entry in params.get("devices") or (params.get("device"),):
        devices = getattr(entry, "device_set", None) or [entry]
        found.update(platform_of(one) for one in devices if hasattr(one, "platform"))
    return found


def _parts(params):
    for value in params.values():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            one = getattr(one, "jaxpr", one)
            if hasattr(one, "eqns"):
                yield one


@contextlib.contextmanager
def default_devices(proof, platform, platform_of):
    """Doubts a call that computes by default on another platform (jax.default_device)."""
    manager = type(jax.default_device(None))
    enter = manager.__enter__

    def noted(self):
        if getattr(self, "state", None) is jax.default_device:
            wanted = self.new_val
            found = platform_of(wanted) if hasattr(wanted, "platform") else wanted
            if found not in (None, platform):
                proof.doubt("the call computes by default on %s" % found)
        return enter(self)

    manager.__enter__ = noted
    try:
        yield
    finally:
        manager.__enter__ = enter


@contextlib.contextmanager
def reads(proof, arrays):
    """Doubts a call of which Python reads arrays while it is traced: what it makes of them is a constant of the
    program. Its own `arrays` are none then."""
    owners = [type(one) for one in arrays if isinstance(vars(type(one)).get("_value"), property)]
    if not owners:
        yield
        return
    owner = owners[0]
    value = owner._value

    def noted(self):
        proof.doubt("Python read an array while the call was traced")
        return value.fget(self)

    owner._value = property(noted)
    try:
        yield
    finally:
        owner._value = value
