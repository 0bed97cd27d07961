"""What the body of a case sees: inputs, the call under test, checks."""

import functools
import shutil
import tempfile

from .adapters.base import widen
from .attempt import of_target
from .compare import CaseDefect, CheckFailed, Mismatch, NoGradient, NoSuchHelper, Skip
from .inputs import Draws, Inputs, kind_of
from .sizes import Sizes


class Handle(Draws):
    """`t`: what a body sees. One per run of the body at one place."""

    def __init__(self, case, adapter, np, place, seed, timing=None, mutation=None):
        self._case, self._adapter, self._timing = case, adapter, timing
        self._mutation, self._seed = mutation, seed
        self.np, self.place = np, place
        # What touches no device is neither moved there nor compiled.
        self._at = "native" if case.host_only and place == "target" else place
        self._inputs = Inputs(np, case.name, seed)
        self._drawn = []  # (array, dtype) of every input, for a callable reference
        self._filled = []  # and of every parameter of what was constructed
        counts = place == "target" and timing is None and mutation is None and not case.grad
        self.sizes = Sizes(adapter) if counts else None
        self.operations = []  # timed operations
        self.result_dtypes = []  # per call, of each array of its result
        self.called = 0
        self.drew = False  # whether a call on the CPU took numbers from the framework's generator
        self.widened = False  # whether a dtype is a wider one at this place
        self.error = None  # what this run of the body raised, where it is a reference
        self.stage = "setup"
        self._folders = []

    def __getattr__(self, name):
        raise NoSuchHelper("there is no t.%s" % name)

    # -- what the framework offers ----------------------------------------------------------------

    @property
    def fw(self):
        return self._adapter.lookup(self._adapter.root)

    @property
    def device(self):
        return self._adapter.device_of(self._at)

    @property
    def compiled(self):
        """True where t.call compiles: what Python does inside the call is then no part of the program."""
        return self._at == "target" and bool(getattr(self._adapter, "compiles", False))

    def dtype_name(self, name):
        """What a dtype is at this place: f64 for f32 at "wide"."""
        wider = widen(name) if self.place == "wide" else name
        self.widened = self.widened or wider != name
        return wider

    def dtype(self, name):
        self.dtype_name(name)
        return self._adapter.dtype(name, self.place)

    def get(self, name):
        return self._adapter.lookup(name)

    # -- inputs -----------------------------------------------------------------------------------

    def _give(self, array, dtype, grad, noncontiguous):
        self.dtype_name(dtype)
        differentiable = kind_of(dtype) in ("float", "complex")
        grad = self._case.grad and differentiable if grad is None else bool(grad)
        with of_target():
            made = self._adapter.from_numpy(
                array, dtype, self._at, grad=grad, noncontiguous=noncontiguous
            )
        self._drawn.append((array, dtype))
        return made

    def construct(self, name, *args, **kwargs):
        """A Module, layer or optimizer whose parameters are the same at every place."""
        dtype = kwargs.pop("dtype", "f32")
        self.dtype_name(dtype)
        factory = self._adapter.lookup(name) if isinstance(name, str) else name

        def draw(shape):
            values = self._inputs.randn(shape, "f32") * 0.3
            self._filled.append((values, dtype))
            return values

        with of_target():
            thing = self._adapter.construct(factory, args, kwargs, dtype, self.place)
            self._adapter.fill_parameters(thing, draw, dtype, self.place)
        return thing

    def recorded(self):
        """What was drawn, inputs first, then parameters, as it was before the call: widened NumPy arrays."""
        adapter = self._adapter
        with adapter.at("native"):
            made = [adapter.from_numpy(*drawn, "native") for drawn in self._drawn + self._filled]
            return [adapter.to_numpy(array) for array in made]

    # -- the call ---------------------------------------------------------------------------------

    def call(self, function, *args, **kwargs):
        """The call under test. With a gradient the result is (result, [gradients])."""
        self.called += 1
        name = (
            function
            if isinstance(function, str)
            else getattr(function, "__name__", self._case.function)
        )
        if isinstance(function, str):
            function = self._adapter.lookup(function)
        if self._mutation is not None:
            args = self._mutation.arguments(self._adapter, args)
        unit = self._adapter.unit(function, args, kwargs, self._case.grad, self._at)
        if self._mutation is not None:
            unit = functools.partial(self._mutation.call, self, unit)
        self.stage = "call"
        if self._timing is not None and self.place == "target":
            result = self._timing(self, name, unit)
        else:
            watched = self._case.random == "detect" and self._on_cpu()
            before = self._adapter.generator_state() if watched else None
            result = self._run(function, args, kwargs, unit)
            if watched and before != self._adapter.generator_state():
                self.drew = True
        self.stage = "check"
        if self._case.grad:
            self._need_gradients(result[1])
        if self._timing is None:
            self.result_dtypes.append(self._dtypes_of(result))
        return result

    def _run(self, function, args, kwargs, unit):
        def run():
            result = unit()
            self._adapter.synchronize(result)
            return result

        return run() if self.sizes is None else self.sizes.call(function, args, kwargs, run)

    @staticmethod
    def _need_gradients(gradients):
        missing = [str(number) for number, one in enumerate(gradients, 1) if one is None]
        if missing:
            raise NoGradient("no gradient came back of input " + ", ".join(missing))
        if not gradients:
            raise NoGradient("no gradient came back: the call has no input that could have one")

    def _dtypes_of(self, result):
        leaves = [leaf for _, leaf in self._adapter.flatten(result) if self._adapter.is_array(leaf)]
        return [self._adapter.dtype_name(leaf) for leaf in leaves]

    def same_computation(self, plain):
        """Whether this run, at "wide", made the calls of a native run again: nothing in it is wider."""
        return not self.widened and self.result_dtypes == plain.result_dtypes

    def _on_cpu(self):
        return self.place != "target" or self._adapter.cpu_is_reference

    def on_cpu(self, body):
        """What a body gives on the plain CPU with the same draws; it takes the handle there. Before the call under test."""
        beside = Handle(self._case, self._adapter, self.np, "native", self._seed)
        try:
            with self._adapter.at("native"):
                return body(beside)
        finally:
            beside.close()

    # -- checks -----------------------------------------------------------------------------------

    def host(self, array):
        """NumPy values (f64, c128, i64, bool), detached, wherever the array lives."""
        if self._adapter.is_array(array):
            return self._adapter.to_numpy(array)
        return self.np.asarray(array)

    def expect(self, condition, message):
        if not condition:
            raise CheckFailed("expected " + message)

    def raises(self, kinds, function, *args, **kwargs):
        """The function must raise one of these; returns the exception. What is no refusal goes on as it is:
        an operation that is missing, memory that is out, a compiler that fails (Adapter.is_refusal)."""
        try:
            function(*args, **kwargs)
        except kinds as error:
            named = kinds if isinstance(kinds, tuple) else (kinds,)
            ours = isinstance(error, (CaseDefect, CheckFailed, Mismatch, Skip))
            if ours or not self._adapter.is_refusal(error, named):
                raise
            return error
        raise CheckFailed("expected %s, nothing was raised" % (kinds,))

    def refuses(self, function, *args, **kwargs):
        """The call under test must refuse its arguments, in any of the classes that the framework has for that."""
        return self.raises(self._adapter.refusals, self.call, function, *args, **kwargs)

    def statistics(self, sample, mean=None, std=None, low=None, high=None):
        """A random result: mean and deviation within five standard errors, values within bounds."""
        values = self.host(sample).astype("float64").reshape(-1)
        n = values.size
        self.expect(n >= 100, "at least 100 draws, got %d" % n)
        self.expect(bool(self.np.all(self.np.isfinite(values))), "finite draws")
        spread = float(values.std()) if std is None else float(std)
        if mean is not None:
            error = 5 * spread / n**0.5
            self.expect(
                abs(values.mean() - mean) <= error,
                "mean %g +- %g, got %g" % (mean, error, values.mean()),
            )
        if std is not None:
            centered = values - values.mean()
            error = 5 * float(
                self.np.sqrt(max((centered**4).mean() - (centered**2).mean() ** 2, 1e-30) / n)
            )
            variance = float((centered**2).mean())
            self.expect(
                abs(variance - std**2) <= error,
                "variance %g +- %g, got %g" % (std**2, error, variance),
            )
        if low is not None:
            self.expect(
                bool((values >= low).all()), "draws of at least %g, got %g" % (low, values.min())
            )
        if high is not None:
            self.expect(
                bool((values <= high).all()), "draws of at most %g, got %g" % (high, values.max())
            )

    def tmpdir(self):
        folder = tempfile.mkdtemp(prefix="seamark-case-")
        self._folders.append(folder)
        return folder

    def close(self):
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)
