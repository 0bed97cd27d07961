"""torch.load: what torch.save wrote comes back, on the device that is asked for."""

from seamark_suites.case import case

INF, NAN = float("inf"), float("nan")


def _saved(t, thing, **options):
    """The path of a file that holds it."""
    path = t.tmpdir() + "/saved.pt"
    t.fw.save(thing, path, **options)
    return path


def _there(t, made):
    """Whether a tensor is on the device of the case."""
    return made.device.type == t.fw.device(t.device).type


@case("torch.load", dtypes="f32 bf16 i64 bool", shapes="6x5", reference=lambda np, x: x)
@case("torch.load", dtypes="f16 f64 c64 i32 i8 u8", shapes="6x5", core=False, reference=lambda np, x: x)  # fmt: skip
def onto_the_device(t, dtype, shape):
    """Saved on the host, loaded to the device."""
    x = t.randn(shape, dtype)
    made = t.call("torch.load", _saved(t, x.cpu()), map_location=t.device)
    t.expect(_there(t, made) and made.dtype is t.dtype(dtype), "device and dtype")
    t.expect(made is not x and not made.requires_grad and made.is_leaf, "a new tensor")
    return made


@case("torch.load", dtypes="f32 bf16", shapes="6x5", reference=lambda np, x: x)
@case("torch.load", dtypes="f64 i64", shapes="6x5", core=False, reference=lambda np, x: x)
def where_it_was(t, dtype, shape):
    """A tensor of the device comes back there, without being told."""
    made = t.call("torch.load", _saved(t, t.randn(shape, dtype)))
    t.expect(_there(t, made), "the device it was saved from, got %s" % made.device)
    return made


@case("torch.load", dtypes="f32", reference=lambda np, x: x)
def onto_the_host(t, dtype):
    """map_location="cpu" brings a tensor of the device to the host, where it is used."""
    path = _saved(t, {"x": t.randn((6, 5), dtype)})
    host = t.fw.load(path, map_location="cpu")["x"]
    t.expect(host.device.type == "cpu", "the host")
    made = t.call("torch.load", path, map_location=t.fw.device(t.device))["x"]
    t.expect(bool((t.host(made) == t.host(host)).all()), "the same numbers on both")
    return made


@case(
    "torch.load",
    dtypes="f32 bf16",
    core="f32",
    reference=lambda np, x, weight, bias, *other: x @ weight.T + bias,
    rtol={"f32": 1e-5, "bf16": 3e-2},  # a sum of four products and a bias that may cancel in part
    atol={"f32": 1e-5, "bf16": 3e-2},
)
def state_of_a_module(t, dtype):
    """A checkpoint of one module makes another one compute the same."""
    x = t.randn((5, 4), dtype)
    first, second = (t.construct("torch.nn.Linear", 4, 3, dtype=dtype) for _ in "ab")
    path = _saved(t, {name: one.cpu() for name, one in first.state_dict().items()})
    state = t.call("torch.load", path, map_location=t.device, weights_only=True)
    t.expect(list(state) == ["weight", "bias"], "its names in order")
    second.load_state_dict(state)
    return second(x).detach()


def _forms(t):
    device = t.device
    kind = t.fw.device(device)
    return {
        "text": device,
        "device": kind,
        "function": lambda storage, place: storage if device == "cpu" else None,
        "names": {"cpu": device},
    }


@case("torch.load", dtypes="f32", form=["text", "device", "function", "names"], core=False, reference=lambda
      np, x, form: [x, 2 * x])  # fmt: skip
def each_map_location(t, dtype, form):
    """A name, a device, a function of the storage, a dictionary of names."""
    x = t.randn((4, 3), dtype)
    host = x.cpu()
    if form == "function" and t.device != "cpu":
        host = x  # a function that gives None leaves a tensor where it was
    path = _saved(t, [host, 2 * host])
    made = t.call("torch.load", path, map_location=_forms(t)[form])
    t.expect(all(_there(t, one) for one in made), "on the device")
    return made


@case(
    "torch.load", dtypes="f32", core=False, reference=lambda np, x: [x.T, x[1:, ::2], 0 * x[0] + 7]
)
def shares_memory(t, dtype):
    """Views keep strides, and share what they shared."""
    x = t.randn((6, 8), dtype)
    host = x.cpu()
    made = t.call("torch.load", _saved(t, [host, host.mT, host[1:, ::2]]), map_location=t.device)
    whole, turned, part = made
    t.expect(turned.stride() == (1, 8) and part.stride() == (8, 2), "strides")
    found = [turned.clone(), part.clone()]
    whole[0].fill_(7)
    t.expect(bool((t.host(turned)[:, 0] == 7).all()), "one memory of both")
    return [*found, whole[0]]


@case("torch.load", dtypes="f32", core=False, reference=lambda np, x: [x, 2 * x])
def parameters(t, dtype):
    """A parameter stays one; a tensor keeps that it asks for its gradient."""
    x = t.randn((5, 3), dtype).cpu().requires_grad_()
    given = {"p": t.fw.nn.Parameter(x.detach().clone()), "x": x}
    made = t.call("torch.load", _saved(t, given), map_location=t.device)
    t.expect(type(made["p"]) is t.fw.nn.Parameter and made["p"].requires_grad, "a parameter")
    t.expect(made["x"].requires_grad and made["x"].is_leaf, "asks for a gradient")
    (made["x"] ** 2).sum().backward()
    return [made["p"].detach(), made["x"].grad]


@case("torch.load", dtypes="f32 f64 bf16", core=False, reference=lambda np, x: x)
def special_numbers(t, dtype):
    x = t.const([NAN, INF, -INF, -0.0, 1.5, 1e-40], dtype)
    made = t.call("torch.load", _saved(t, x.cpu()), map_location=t.device)
    t.expect(bool(t.np.signbit(t.host(made)[3])), "minus zero")
    return made


@case("torch.load", dtypes="f8e4m3 f8e5m2", core=False, reference="none")
def eight_bits(t, dtype):
    x = t.uniform((6, 5), "f32", 1, 9).cpu().to(t.dtype(dtype))
    made = t.call("torch.load", _saved(t, x), map_location=t.device)
    t.expect(made.dtype is t.dtype(dtype) and _there(t, made), "dtype and device")
    t.expect(bool((t.host(made.cpu().float()) == t.host(x.float())).all()), "the same numbers")


@case("torch.load", dtypes="f32 i64", shapes="scalar 0 3x0x2", core=False, trivial=True, reference=lambda
      np, x: x)  # fmt: skip
def of_one_or_nothing(t, dtype, shape):
    return t.call("torch.load", _saved(t, t.randn(shape, dtype).cpu()), map_location=t.device)


def _resumed(np, w):
    """Two steps of SGD with momentum 0.5 and rate 0.1 on the sum of squares."""
    first = 2 * w
    w = w - 0.1 * first
    second = 0.5 * first + 2 * w
    return w - 0.1 * second


@case("torch.load", dtypes="f32", core=False, reference=_resumed)
def training_goes_on(t, dtype):
    """Weights and the optimizer's momentum: the second step is as if there had been no stop."""
    w = t.randn((5, 4), dtype, grad=True)
    make = lambda w: t.fw.optim.SGD([w], lr=0.1, momentum=0.5)  # noqa: E731
    optimizer = make(w)
    (w**2).sum().backward()
    optimizer.step()
    path = _saved(t, {"w": w.detach(), "optimizer": optimizer.state_dict(), "step": 1})
    state = t.call("torch.load", path, map_location=t.device)
    t.expect(state["step"] == 1, "the number of the step")
    again = state["w"].requires_grad_()
    optimizer = make(again)
    optimizer.load_state_dict(state["optimizer"])
    (again**2).sum().backward()
    optimizer.step()
    return again.detach()


@case("torch.load", dtypes="f32", core=False, reference=lambda np, *xs: list(xs))
def loads_three_sizes(t, dtype):
    paths = [_saved(t, t.randn((n, 7), dtype).cpu()) for n in (5, 8, 13)]
    return [t.call("torch.load", path, map_location=t.device) for path in paths]


@case("torch.load", dtypes="f32", shapes="2048x2048", large=True, reference=lambda np, x: x)
def loads_many(t, dtype, shape):
    return t.call("torch.load", _saved(t, t.randn(shape, dtype).cpu()), map_location=t.device)


# --- files, on the host alone


@case("torch.load", host_only=True, reference=lambda np, x: [x, x * 2])
def structures(t):
    """Dictionaries, lists and what stands in them beside tensors."""
    import collections

    fw, x = t.fw, t.randn((3, 4), "f32")
    given = {
        "x": [x, (x * 2, None)],
        "numbers": [1, 2.5, True, "text", b"bytes", 2**70, 1j],
        "facts": (x.shape, x.dtype, fw.device("cpu")),
        "order": collections.OrderedDict([("b", 1), ("a", 2)]),
        3: {"in": {"in": []}},
    }
    made = t.call("torch.load", _saved(t, given))
    t.expect(list(made) == list(given), "the keys in order")
    for key in ("numbers", "facts", "order", 3):
        t.expect(made[key] == given[key], "%r, got %r" % (given[key], made[key]))
        t.expect(type(made[key]) is type(given[key]), "its type")
    first, (second, none) = made["x"]
    t.expect(none is None, "None")
    return [first, second]


@case("torch.load", host_only=True, core=False, reference=lambda np, x: [x] * 4)
def from_files_and_buffers(t):
    """A path, an open file, a buffer in memory, one read from where it stands."""
    import io
    import pathlib

    x = t.randn((3, 4), "f32")
    path = _saved(t, x)
    made = [t.call("torch.load", pathlib.Path(path))]
    with open(path, "rb") as stream:
        made.append(t.call("torch.load", stream))
    buffer = io.BytesIO()
    t.fw.save(x, buffer)
    buffer.seek(0)
    made.append(t.call("torch.load", buffer))
    buffer.seek(0)
    return [*made, t.call("torch.load", buffer)]


@case("torch.load", host_only=True, core=False, since=("2.1", "the argument mmap"), reference=lambda np, x: [x, x])  # fmt: skip
def mapped_from_the_file(t):
    """mmap=True: the same numbers, which may be changed and leave the file as it is."""
    x = t.randn((40, 50), "f32")
    path = _saved(t, {"x": x})
    changed = t.call("torch.load", path, mmap=True)["x"]
    first = changed.clone()
    changed.zero_()
    again = t.call("torch.load", path, mmap=True)["x"]
    return [first, again.clone()]


@case("torch.load", host_only=True, core=False, reference=lambda np, x: [x, x.T])
def of_the_old_format(t):
    """Files that are no archives, as before version 1.6."""
    x = t.randn((3, 4), "f32")
    path = _saved(t, [x, x.mT], _use_new_zipfile_serialization=False)
    made = t.call("torch.load", path)
    t.expect(made[0].data_ptr() == made[1].data_ptr(), "one memory of both")
    return made


@case("torch.load", host_only=True, core=False, since=("2.6", "weights_only by default"), reference=lambda np, x: [x, x])  # fmt: skip
def weights_alone(t):
    """By default no other class is loaded; weights_only=False does, and so do classes that are named."""
    import pickle
    from fractions import Fraction

    x = t.randn((3, 4), "f32")
    path = _saved(t, {"x": x, "half": Fraction(1, 2)})
    error = t.raises(pickle.UnpicklingError, t.call, "torch.load", path)
    t.expect("weights" in str(error).lower(), "a message that says so")
    t.raises(pickle.UnpicklingError, t.call, "torch.load", path, weights_only=True)
    every = t.call("torch.load", path, weights_only=False)
    with t.fw.serialization.safe_globals([Fraction]):
        named = t.call("torch.load", path)
    t.expect(every["half"] == named["half"] == Fraction(1, 2), "the object")
    return [every["x"], named["x"]]


@case("torch.load", host_only=True, core=False, reference=lambda np, w, x: x @ w.T)
def a_whole_module(t):
    """A module that was saved itself, with its mode."""
    layer = t.fw.nn.Linear(3, 4, bias=False)
    layer.weight = t.fw.nn.Parameter(t.uniform((4, 3), "f32", 1, 2))
    made = t.call("torch.load", _saved(t, layer.eval()), weights_only=False)
    t.expect(type(made) is type(layer) and not made.training, "a layer, not in training")
    return made(t.uniform((2, 3), "f32", 1, 2)).detach()


@case("torch.load", host_only=True, core=False, reference="none")
def sizes_without_numbers(t):
    """map_location="meta" gives sizes and dtypes alone."""
    made = t.call("torch.load", _saved(t, t.randn((3, 4), "bf16")), map_location="meta")
    t.expect(made.is_meta and made.shape == (3, 4), "a size on meta")
    t.expect(made.dtype is t.fw.bfloat16, "a dtype")


@case("torch.load", host_only=True, core=False, reference="none")
def load_refuses(t):
    """No file, an empty one, one that is cut, other contents, an unknown device."""
    path = _saved(t, t.randn((30, 40), "f32"))
    with open(path, "rb") as stream:
        whole = stream.read()
    t.raises(FileNotFoundError, t.call, "torch.load", path + ".not")
    for text in (b"", whole[: len(whole) // 2], b"hello world"):
        with open(path + ".bad", "wb") as stream:
            stream.write(text)
        t.raises(Exception, t.call, "torch.load", path + ".bad")
    t.raises(RuntimeError, t.call, "torch.load", path, map_location="nonsense")
    t.raises((AttributeError, TypeError), t.call, "torch.load", 3)
