"""Truths, arrays and integers of NumPy given to what makes tensors; draws from the middle of a stream."""

import pickle

from seamark_suites.case import case


@case("torch.arange", core=False, reference="none")
@case("torch.linspace", core=False, reference="none")
def truths_as_ends(t, function):
    """True is one and False none: whole numbers in order, fractions by a step of one, in the default dtype."""
    fw = t.fw
    if function == "torch.arange":
        ends = (((True,), [0]), ((False,), []), ((False, True), [0]), ((False, False), []), ((False, True, 0.5), [0, 0.5]), ((True, 3), [1, 2]))  # fmt: skip
    else:
        ends = (
            ((False, True, 3), [0, 0.5, 1]),
            ((True, False, 2), [1, 0]),
            ((True, True, 2), [1, 1]),
        )
    for default in (fw.float32, fw.float64):
        fw.set_default_dtype(default)
        try:
            for args, want in ends:
                made = t.call(function, *args, device=t.device)
                whole = function == "torch.arange" and 0.5 not in args
                t.expect(
                    made.dtype is (fw.int64 if whole else default), "the dtype, of %s" % (args,)
                )
                t.expect(t.host(made).tolist() == want, "%s, got %s" % (want, made))
        finally:
            fw.set_default_dtype(fw.float32)


@case("torch.from_numpy", host_only=True, core=False, reference="none")
@case("torch.as_tensor", host_only=True, core=False, reference="none")
def arrays_between_numbers(t, function):
    """Strides that are no multiple of a number's bytes raise; integers by each of their names; a part behind a start, with gaps, turned."""
    np = t.np
    loose = np.ndarray((3,), "f8", np.zeros(30, "u1"), strides=(3,))
    t.raises(ValueError, t.call, function, loose)
    for name in ("longlong", "intc", "int_", "short", "byte", "ubyte", "double", "single", "half"):
        array = np.array([1, 2, 3], getattr(np, name))
        made = t.call(function, array)
        t.expect(made.numpy().dtype == array.dtype and made.tolist() == [1, 2, 3], "of " + name)
    cube = np.arange(125.0).reshape(5, 5, 5)
    for part in (cube[1], cube[:, 1], cube.T, cube[::2, 3:, ::-1][:, :, ::-1], cube[3, 4, 2:3], np.zeros((0, 2)), np.zeros((2, 0))):  # fmt: skip
        made = t.call(function, part)
        t.expect(made.shape == part.shape and made.tolist() == part.tolist(), "a part")
        odd = part % 2
        t.expect(t.call(function, odd).tolist() == odd.tolist(), "what NumPy computed of it")


@case("torch.ones", core=False, reference="none")
@case("torch.empty", core=False, reference="none")
def sizes_of_other_integers(t, function):
    """Tensors and arrays without axes and NumPy's integers are sizes, in a tuple and one by one; fractions and several numbers are none."""
    np, fw = t.np, t.fw
    three, four = fw.tensor(3), fw.tensor(4)
    for size in ((three, four), (np.array(3), np.int64(4)), (np.int64(3), np.array(4)), (3, four), (np.int8(3), np.uint8(4))):  # fmt: skip
        for args in (size, (size,), (list(size),)):
            made = t.call(function, *args, device=t.device)
            t.expect(type(made.shape) is fw.Size and made.shape == (3, 4), "3x4")
            t.expect(function == "torch.empty" or bool((t.host(made) == 1).all()), "ones")
    for wrong in ((fw.tensor(3.0), four), (3.0, four), (np.array(3.0), four), (fw.tensor([3, 3]),), (np.array([3, 3]), 2)):  # fmt: skip
        t.raises(TypeError, t.call, function, wrong, device=t.device)


@case("torch.rand", core=False, reference="none")
@case("torch.randn", core=False, reference="none")
@case("torch.Tensor.normal_", core=False, reference="none")
def from_the_middle_of_a_stream(t, function):
    """Behind an odd count of numbers a kept state gives what came; the seed all of it; a pickle between takes none; other rows of a tensor stay."""
    fw = t.fw
    generator = fw.Generator()
    own = function == "torch.Tensor.normal_"

    def draw(count):
        if own:
            return t.call(function, fw.zeros(count), generator=generator).clone()
        return t.call(function, count, generator=generator)

    for count in (101, 1000, 17, 1):
        generator.manual_seed(123)
        first, state = draw(count), generator.get_state()
        middle = draw(count)
        generator.set_state(state)
        pickle.dumps(fw.ones(3))
        t.expect(bool((draw(count) == middle).all()), "from a kept state")
        other = fw.Generator()
        other.set_state(state)
        generator = other
        t.expect(bool((draw(count) == middle).all()), "by another that has it")
        generator.manual_seed(123)
        t.expect(bool((draw(count) == first).all()), "from the seed")
        t.expect(count == 1 or not bool((first == middle).all()), "other numbers each time")
    if own:
        x = fw.zeros(100, 100)
        t.call(function, x[99:], generator=generator)
        t.expect(not bool(x[:99].any()) and bool(x[99:].all()), "the last row alone")
