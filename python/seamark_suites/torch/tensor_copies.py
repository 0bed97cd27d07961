"""Copies, pickles and files of tensors and parameters, classes of one's own, and what they keep; how long a tensor lives."""

import copy
import gc
import io
import pickle
import weakref

from seamark_suites.case import case

KINDS = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"


def _class(t, name, base=None, **parts):
    """A subclass of this module's, as pickles look it up."""
    own = type(name, (base or t.fw.Tensor,), {"__module__": __name__, **parts})
    globals()[name] = own
    return own


def _loaded(t, x, **options):
    file = io.BytesIO()
    t.fw.save(x, file)
    file.seek(0)
    return t.fw.load(file, **options)


@case("torch.Tensor", dtypes="f32 i64 c64", core=False, reference=lambda np, x: [x] * 5)
@case("torch.nn.Parameter", dtypes="f32 c64", core=False, reference=lambda np, x: [x] * 5)
def keeps_what_was_told(t, dtype, function):
    """Attributes go into a copy, a pickle and a file, which is read without code, too; the wish for a gradient and the class, too."""
    learns = function == "torch.nn.Parameter"
    x = t.randn((3, 4), dtype)
    made = t.call(function, x) if learns else t.call(lambda x: x.clone(), x)
    made.told, made.pi = "told", 3.14
    found = [copy.copy(made), pickle.loads(pickle.dumps(made)), _loaded(t, made, weights_only=True), _loaded(t, made, weights_only=False)]  # fmt: skip
    found.append(pickle.loads(pickle.dumps(made, protocol=2)) if learns else copy.deepcopy(made))
    for one in found:
        t.expect(one.told == "told" and one.pi == 3.14, "its attributes")
        t.expect(type(one) is type(made) and one.requires_grad == learns, "its class, its wish")
    return [one.detach() for one in found]


@case("torch.nn.Parameter", core=False, reference="none")
def pickled_without_a_gradient(t):
    """What does not learn does not where it comes back; parameters in a dictionary of a state stay parameters."""
    x = t.randn((5, 5), "f32")
    for wish in (True, False):
        made = t.call("torch.nn.Parameter", x, requires_grad=wish)
        for one in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), _loaded(t, made)):
            t.expect(type(one) is type(made) and one.requires_grad is wish and one.is_leaf, "a parameter")  # fmt: skip
            t.expect(bool((t.host(one.detach()) == t.host(x)).all()), "its numbers")
    layer = t.fw.nn.Linear(3, 2, device=t.device)
    state = copy.deepcopy(layer.state_dict(keep_vars=True))
    t.expect(all(type(one) is t.fw.nn.Parameter for one in state.values()), "parameters")


@case("torch.Tensor", core=False, reference="none")
def shallow_copies(t):
    """copy.copy is another tensor on the same memory, of each dtype."""
    for name in KINDS.split():
        x = t.fw.tensor([1, 0, 3, 4], dtype=getattr(t.fw, name), device=t.device)
        made = t.call(copy.copy, x)
        t.call(lambda made: made.fill_(1), made)
        t.expect(made is not x and t.host(x.to(t.fw.float32)).tolist() == [1] * 4, "one memory, " + name)  # fmt: skip


@case("torch.Tensor", dtypes="f32 c64", core=False, reference=lambda np, a, b, one: [
      a + 1, (a + 1).reshape(-1), b - 1, one, a, b])  # fmt: skip
def copies_keep_what_is_shared(t, dtype):
    """Tensors, views and memories in one list: the copies share with each other as they did, and nothing with what was copied."""
    a, b, one = t.randn((5, 5), dtype), t.randn((5, 5), dtype), t.randn((), dtype)

    def run(a, b, one):
        given = [a, [a.untyped_storage(), b.untyped_storage()], b, a.view(25), one]
        made = copy.deepcopy(given)
        for tensor, memory in zip((made[0], made[2]), made[1]):
            t.expect(tensor.untyped_storage().data_ptr() == memory.data_ptr(), "one memory")
        t.expect(made[1][0].data_ptr() != given[1][0].data_ptr(), "another than before")
        made[0].add_(1)
        made[2].sub_(1)
        return [made[0], made[3], made[2], made[4]]

    made = t.call(run, a, b, one)
    empty = copy.deepcopy(t.fw.rand(2, requires_grad=True, device="meta"))
    t.expect(empty.requires_grad and empty.shape == (2,) and empty.device.type == "meta", "of meta")
    return [*made, a, b]


@case("torch.Tensor", dtypes="f32 f64", core=False, reference=lambda np, x, g: [x, g, g, g])
def copies_beside_their_gradient(t, dtype):
    """A tensor in a list with its gradient: the copy's gradient is the copy of it; sparse gradients, too."""
    x, g = t.randn((4,), dtype), t.randn((4,), dtype)
    given, thin = x.clone(), x.to_sparse()
    given.grad, thin.grad = g, g.to_sparse()
    made = t.call(copy.deepcopy, [given, given.grad])
    t.expect(made[0].grad is made[1] and made[1] is not g, "the same in the copy")
    other = copy.deepcopy(thin)
    t.expect(other.grad.is_sparse and other.is_sparse, "sparse")
    return [made[0], made[1], other.grad.to_dense(), copy.deepcopy(given).grad]


# --- classes


@case("torch.Tensor", dtypes="f32", core=False, reference=lambda np, x, w: [
      x, x, w, w, np.exp(x), np.exp(x) * w, x, x, x, x, x])  # fmt: skip
def classes_by_their_own_call(t, dtype):
    """Of nothing, of a tensor, of a list; as a gradient; a tensor as a subclass shares its memory and its graph; copied, pickled and saved it stays."""
    fw = t.fw
    own = _class(t, "Own", kind=object(), five=lambda self: 5)
    x, w = t.randn((4,), dtype), t.randn((4,), dtype)
    for made in (own(), own([]), own(fw.empty(2)), own([1.0, 2.0])):
        t.expect(type(made) is own and made.five() == 5 and made.kind is own.kind, "of the class")
    t.expect(own().shape == (0,) and own([1.0, 2.0]).tolist() == [1, 2], "of nothing, of a list")
    wide = x.clone()
    wide.grad = t.call(lambda w: w.as_subclass(own), w)
    wide.grad.told = 7
    gc.collect()
    t.expect(type(wide.grad) is own and wide.grad.told == 7, "its class, as a gradient")
    same, first = x.as_subclass(own), x.clone()
    x[0] = 3
    kept = [same.as_subclass(fw.Tensor).clone(), x.clone()]
    x[0] = first[0]
    leaf = x.clone().requires_grad_()
    grown = leaf.exp().as_subclass(own)
    (grown * w).sum().backward()
    for made in (fw.tensor(0), fw.ones(2)):
        t.raises((RuntimeError, TypeError), made.as_subclass, int)
    t.raises(TypeError, lambda: type("Old", (fw.FloatTensor,), {}))
    again = [copy.copy(same), same.clone(), pickle.loads(pickle.dumps(same)), _loaded(t, same, weights_only=False)]  # fmt: skip
    for empty in (own(), own([1.0])):
        again += [copy.copy(empty), _loaded(t, empty, weights_only=False)]
    t.expect(all(type(one) is own for one in again), "the class of each copy")
    t.expect(bool((t.host(kept[0]) == t.host(kept[1])).all()), "one memory")
    plain = [one.as_subclass(fw.Tensor) for one in (same, wide.grad, wide.grad, grown.detach(), *again[:4])]  # fmt: skip
    return [first, plain[0], *plain[1:3], plain[3], leaf.grad, *plain[4:], first]


@case("torch.Tensor", core=False, reference="none")
def states_of_classes(t):
    """Slots and attributes come back; a class that tells its own state gets that; the last class of a line of classes is that of the result."""
    fw = t.fw

    def told(self):
        return ("told", getattr(self, "inner", None), self.__dict__)

    def tell(self, state):
        t.expect(state[0] == "told", "its own state")
        self.inner, self.__dict__ = state[1:]
        self.again = True

    slotted = _class(t, "Slotted", __slots__=["inner", "other"])
    stateful = _class(t, "Stateful", __slots__=["inner"], __getstate__=told, __setstate__=tell)
    for own in (slotted, stateful):
        made = t.call(t.fw.Tensor.as_subclass, t.const([1.0, 2.0], "f32"), own)
        made.inner, made.foo = fw.ones(3, device=t.device), "bar"
        for one in (_loaded(t, made, weights_only=False), pickle.loads(pickle.dumps(made))):
            t.expect(type(one) is own and one.foo == "bar", "its class, what was told")
            t.expect(one.inner.tolist() == [1, 1, 1], "what its slot has")
            t.expect(one.as_subclass(fw.Tensor).tolist() == [1, 2], "its numbers")
            t.expect(own is slotted or one.again, "restored by its own function")


@case("torch.Tensor", core=False, reference="none")
def classes_of_results(t):
    """Of a subclass and a tensor the subclass, of two in line the last; of two apart TypeError; of a part, of each row, of a named tuple, too."""
    fw = t.fw
    one = _class(t, "One")
    last, other = _class(t, "Last", one), _class(t, "Other")
    x = t.const([5.0, 6.0], "f32")
    a, b, c = (x.as_subclass(own) for own in (one, last, other))
    for run, want in (
        (lambda: a + x, one), (lambda: x + a, one), (lambda: a + a, one), (lambda: a[0], one), (lambda: b + b, last), (lambda: b + a, last), (lambda: a + b, last),
        (lambda: b + x, last), (lambda: x + b, last), (lambda: b[0], last), (lambda: list(a)[1], one), (lambda: fw.max(a, dim=0).values, one), (lambda: fw.max(b, dim=0)[1], last),
        (lambda: fw.stack([x, a, b]), last), (lambda: fw.where(x > 5, a, x), one), (lambda: a.new_zeros(2), one), (lambda: fw.split(b, 1)[0], last), (lambda: fw.einsum("i,i->i", x, b), last),
    ):  # fmt: skip
        made = t.call(run)
        t.expect(type(made) is want, "%s, got %s" % (want.__name__, type(made).__name__))
    t.expect(type(fw.max(a, dim=0)) is type(fw.max(x, dim=0)), "the same named tuple")
    for run in (lambda: a + c, lambda: c + a, lambda: fw.add(b, c), lambda: fw.stack([a, c])):
        t.raises(TypeError, t.call, run)
    t.raises(TypeError, lambda: t.fw.add(a, object()))


@case("torch.Tensor", core=False, reference="none")
def what_is_asked_for_a_tensor(t):
    """An object with __torch_function__ as an operand, an index, a value that is written; one that knows nothing of it raises, an error comes through; beside a parameter, too."""
    fw, asked = t.fw, []

    def see(cls, func, types, args=(), kwargs=None):
        asked.append(func.__name__)
        if func is fw.sub:
            raise KeyError("mine")
        return NotImplemented if func in (fw.mul, fw.Tensor.mul) else "called"

    own = type("Asked", (), {"__torch_function__": classmethod(see)})
    wider = type("Wider", (own,), {"__torch_function__": classmethod(lambda *args, **kwargs: "wider")})  # fmt: skip
    x, some, more = t.randn((3, 3), "f32"), own(), wider()
    weight = fw.nn.Parameter(x.clone())
    for run in (
        lambda: fw.add(x, some), lambda: fw.add(some, x), lambda: x[some], lambda: fw.mean(some), lambda: fw.add(weight, some), lambda: fw.nn.functional.linear(x, some, weight),
        lambda: fw.nn.functional.linear(x, weight, some), lambda: fw.stack([x, some]), lambda: fw.where(x > 0, some, x), lambda: x + some,
    ):  # fmt: skip
        t.expect(t.call(run) == "called", "asked for a result, %s" % asked)
    for run in (lambda: fw.add(some, more), lambda: fw.add(more, some)):
        t.expect(t.call(run) == "wider", "a subclass is asked before its class")
    before = t.host(x).copy()
    for index, value in ((some, 3), (0, some), (slice(None), some)):
        x[index] = value
    t.expect(
        asked[-3:] == ["__setitem__"] * 3 and (t.host(x) == before).all(), "asked, not written"
    )
    t.raises(TypeError, t.call, fw.mul, x, some)
    t.raises(KeyError, t.call, fw.sub, x, some)


@case("torch.Tensor", host_only=True, core=False, reference="none")
def lives_as_long_as_it_is_held(t):
    """What is told to a tensor is let go with it, in a circle, too; a weak reference says so; held as a gradient alone it is kept."""
    fw, gone = t.fw, []
    held = type("Held", (), {"__del__": lambda self: gone.append(self.name)})

    def tell(x, name):
        x.thing = held()
        x.thing.name = name
        return x

    x = tell(t.call(lambda: fw.empty(2)), "one")
    told = weakref.ref(x, lambda ref: gone.append("told"))
    t.expect(told() is x and not gone, "alive")
    del x
    t.expect(sorted(gone) == ["one", "told"] and told() is None, "gone, got %s" % gone)
    del gone[:]
    x, y, z = tell(fw.empty(2), "x"), tell(fw.empty(2), "y"), fw.empty(2)
    x.loop, y.loop, z.grad = y, x, x
    del x, y
    gc.collect()
    t.expect(not gone and z.grad.thing.name == "x", "held as a gradient")
    del z
    gc.collect()
    t.expect(sorted(gone) == ["x", "y"], "a circle that is let go, got %s" % gone)
