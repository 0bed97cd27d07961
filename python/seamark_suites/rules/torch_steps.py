"""PyTorch, devices that record a step and compile it: what cuts a step, and what makes another program of it."""

from seamark_suites.rules import called
from seamark_suites.rules.torch import kind, rule

STEPS = 4


def end_of_step(t):
    if kind(t) == "lazy":
        import torch._lazy

        torch._lazy.mark_step(wait=True)
    elif kind(t) == "xla":
        import torch_xla

        torch_xla.sync(wait=True)


def counted(t):
    """(programs that were compiled, programs that ran) until now."""
    if kind(t) == "lazy":
        from torch._lazy import metrics

        names = metrics.counter_names()
        new, old = (
            metrics.counter_value(name) if name in names else 0
            for name in ("UncachedCompile", "CachedCompile")
        )
        return new, new + old
    if kind(t) == "xla":
        from torch_xla.debug import metrics

        compiled, ran = (
            (metrics.metric_data(name) or (0,))[0] for name in ("CompileTime", "ExecuteTime")
        )
        return compiled, ran
    return 0, 0


def stepping(t, step, inputs):
    """A program of one step for each input. It gives (programs compiled, programs run)."""

    def run():
        end_of_step(t)
        before = counted(t)
        for each in inputs:
            step(each)
            end_of_step(t)
        return [after - was for after, was in zip(counted(t), before)]

    return run


def one_run_a_step(t, way, habit, fix):
    """Steps that are one program each, run once; the first step is not counted: it may set up."""
    x = t.randn((3, 3), "f32")
    for step in (habit, fix):
        step(x)
        end_of_step(t)
    runs = called(t, way, stepping(t, habit, [x] * STEPS), stepping(t, fix, [x] * STEPS))[1]
    t.expect(runs <= STEPS, "%d programs run in %d steps, got %d" % (STEPS, STEPS, runs))


def one_program(t, way, habit, fix, inputs):
    """Steps on several inputs that are one program."""
    made = called(t, way, stepping(t, habit, inputs), stepping(t, fix, inputs))[0]
    t.expect(made <= 1, "one program for %d steps, got %d" % (len(inputs), made))


def numbers(truth):
    """1 and 0 for true and false."""
    import torch

    return truth.to(torch.float32)


def model():
    """A Module that keeps what its steps gave, so that none of it is left out."""
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.kept, self.total = [], 0.0

        def keep(self, made):
            self.kept.append(made)

    return Model


@rule("DYN01")
def reads_the_loss(t, way):
    """The running sum of losses is a number of Python's, or stays on the device."""

    class Habit(model()):
        def forward(self, x):
            loss = (x @ x).sum()
            self.total += loss.item()
            self.keep(x * loss)

    class Fix(model()):
        def forward(self, x):
            loss = (x @ x).sum()
            self.total = self.total + loss
            self.keep(x * loss)

    one_run_a_step(t, way, Habit(), Fix())


@rule("DYN02")
def branches_on_a_value(t, way):
    import torch

    class Habit(model()):
        def forward(self, x):
            y = x @ x
            if torch.any(y > 0):
                y = y * 2
            self.keep(y)

    class Fix(model()):
        def forward(self, x):
            y = x @ x
            some = numbers(numbers(y > 0).sum() > 0)
            self.keep(y * (1 + some))

    one_run_a_step(t, way, Habit(), Fix())


@rule("DYN06")
def brings_a_tensor_to_the_host(t, way):
    class Habit(model()):
        def forward(self, x):
            y = x @ x
            self.keep(y.sum(0).cpu())
            self.keep(y * 2)

    class Fix(model()):
        def forward(self, x):
            y = x @ x
            self.keep(y.sum(0))
            self.keep(y * 2)

    one_run_a_step(t, way, Habit(), Fix())


def some_positive(t):
    """Vectors of 6, of which 2, 3 and 4 are positive."""
    rows = [[1.0, 2.0, -1.0, -1.0, -1.0, -1.0], [1.0, 2.0, 3.0, -1.0, -1.0, -1.0]]
    return [t.const(row, "f32") for row in [*rows, [1.0, 2.0, 3.0, 4.0, -1.0, -1.0]]]


@rule("DYN03")
def shape_comes_from_values(t, way):
    import torch

    class Habit(model()):
        def forward(self, x):
            self.keep((torch.nonzero(x > 0) * 2).sum())

    class Fix(model()):
        def forward(self, x):
            self.keep((numbers(x > 0) * 2).sum())

    one_program(t, way, Habit(), Fix(), some_positive(t))


@rule("DYN04")
def chosen_by_a_mask(t, way):
    class Habit(model()):
        def forward(self, x):
            self.keep((x[x > 0] * 2).sum())

    class Fix(model()):
        def forward(self, x):
            self.keep((x * numbers(x > 0) * 2).sum())

    one_program(t, way, Habit(), Fix(), some_positive(t))


@rule("DYN05")
def length_of_a_count(t, way):
    import torch

    class Habit(model()):
        def forward(self, labels):
            self.keep((torch.bincount(labels) * 2).sum())

    class Fix(model()):
        def forward(self, labels):
            self.keep((torch.bincount(labels, minlength=5) * 2).sum())

    labels = [t.const(one, "i64") for one in ([0, 1, 2], [0, 1, 3], [0, 1, 4])]
    one_program(t, way, Habit(), Fix(), labels)


@rule("DYN07")
def size_is_read(t, way):
    import torch

    places = t.const(range(6), "i64")

    class Habit(model()):
        def forward(self, count):
            self.keep(torch.ones(count.item(), device=count.device).sum() * 2)

    class Fix(model()):
        def forward(self, count):
            self.keep(numbers(places < count).sum() * 2)

    one_program(t, way, Habit(), Fix(), [t.const(count, "i64") for count in (2, 3, 4)])


@rule("DYN08")
def last_batch_is_smaller(t, way):
    from torch.utils.data import DataLoader

    data, weight, kept = (
        t.host(t.randn((10, 3), "f32")).astype("float32"),
        t.randn((3, 2), "f32"),
        [],
    )

    def step(x):
        kept.append(x.to(weight.device) @ weight)

    made = called(
        t,
        way,
        stepping(t, step, DataLoader(data, batch_size=4)),
        stepping(t, step, DataLoader(data, batch_size=4, drop_last=True)),
    )[0]
    t.expect(made <= 1, "one program for all batches, got %d" % made)


def tokenizer(texts, padding, max_length=None):
    """Characters by number, padded to the longest text or to max_length."""
    import torch

    length = max_length if padding == "max_length" else max(map(len, texts))
    return torch.tensor([[*map(ord, text), *[0] * (length - len(text))] for text in texts])


@rule("DYN09")
def padded_to_the_longest(t, way):
    table = t.randn((128, 2), "f32")

    class Habit(model()):
        def forward(self, texts):
            self.keep(table[tokenizer(texts, padding=True).to(table.device)].sum() * 2)

    class Fix(model()):
        def forward(self, texts):
            tokens = tokenizer(texts, padding="max_length", max_length=6)
            self.keep(table[tokens.to(table.device)].sum() * 2)

    texts = [["a", "bc"], ["abc", "d"], ["abcd", "efgh"]]
    one_program(t, way, Habit(), Fix(), texts)


@rule("DYN10")
def count_of_turns_is_read(t, way):
    import torch

    x = t.randn((3, 3), "f32")

    class Habit(model()):
        def forward(self, count):
            y = x
            for _ in range(count.item()):
                y = torch.tanh(y @ x)
            self.keep(y)

    class Fix(model()):
        def forward(self, count):
            y = x
            for turn in range(4):
                goes_on = numbers(count > turn)
                y = goes_on * torch.tanh(y @ x) + (1 - goes_on) * y
            self.keep(y)

    one_program(t, way, Habit(), Fix(), [t.const(count, "i64") for count in (2, 3, 4)])


@rule("DYN11")
def tensor_grows(t, way):
    import torch

    row, places = t.randn((1, 3), "f32"), t.const([[0], [1], [2], [3]], "i64")
    zeros, kept = t.const([[0.0] * 3] * STEPS, "f32"), []
    turns = [t.const(turn, "i64") for turn in range(STEPS)]

    def generate():
        rows = row
        for _ in turns:
            rows = torch.cat([rows, row])
            kept.append(rows.sum() * 2)
            end_of_step(t)

    def fix():
        rows = zeros
        for turn in turns:
            here = numbers(places == turn)
            rows = rows * (1 - here) + row * here
            kept.append(rows.sum() * 2)
            end_of_step(t)

    def counting(run):
        return stepping(t, lambda _: run(), [None])

    made = called(t, way, counting(generate), counting(fix))[0]
    t.expect(made <= 1, "one program for %d steps, got %d" % (STEPS, made))
