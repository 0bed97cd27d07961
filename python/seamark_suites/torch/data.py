"""Datasets: they touch no device."""

from seamark_suites.case import case


class _Squares:
    """What torch.utils.data asks of a map-style dataset."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        if not 0 <= index < self.n:
            raise IndexError(index)
        return index * index


@case("torch.utils.data.Dataset", reference="none", host_only=True)
def dataset(t):
    base = t.get("torch.utils.data.Dataset")
    kind = type("Squares", (_Squares, base), {})
    made = t.call(kind, 5)
    t.expect(len(made) == 5 and [made[i] for i in range(5)] == [0, 1, 4, 9, 16], "the items")
    joined = made + made
    t.expect(len(joined) == 10 and joined[7] == 4, "addition joins datasets")


@case("torch.utils.data.Dataset", reference="none", host_only=True)
def through_a_loader(t):
    kind = type("Squares", (_Squares, t.get("torch.utils.data.Dataset")), {})
    loader = t.fw.utils.data.DataLoader(t.call(kind, 5), batch_size=2)
    t.expect([batch.tolist() for batch in loader] == [[0, 1], [4, 9], [16]], "batches in order")


@case("torch.utils.data.Subset", reference="none", host_only=True)
def subset(t):
    made = t.call("torch.utils.data.Subset", _Squares(10), [7, 1, 3])
    t.expect(
        len(made) == 3 and [made[i] for i in range(3)] == [49, 1, 9],
        "the chosen items in their order",
    )


@case("torch.utils.data.ConcatDataset", reference="none", host_only=True)
def concat(t):
    made = t.call("torch.utils.data.ConcatDataset", [_Squares(3), _Squares(4)])
    t.expect(len(made) == 7 and [made[i] for i in range(7)] == [0, 1, 4, 0, 1, 4, 9], "all items")
    t.expect(made[-1] == 9, "negative indices")
    t.raises(ValueError, lambda: made[-8])


@case("torch.utils.data.Dataset", reference="none", host_only=True, core=False)
def without_items_raises(t):
    base = t.get("torch.utils.data.Dataset")
    made = t.call(base)
    t.raises(NotImplementedError, lambda: made[0])
    t.raises(TypeError, lambda: len(made))


@case("torch.utils.data.Dataset", reference="none", host_only=True, core=False)
def shuffled_by_seed(t):
    made = t.call(type("Squares", (_Squares, t.get("torch.utils.data.Dataset")), {}), 20)
    orders = []
    for seed in (1, 1, 2):
        generator = t.fw.Generator().manual_seed(seed)
        loader = t.fw.utils.data.DataLoader(made, batch_size=7, shuffle=True, generator=generator)
        orders.append([int(x) for batch in loader for x in batch])
    t.expect(sorted(orders[0]) == [i * i for i in range(20)], "each item once")
    t.expect(orders[0] == orders[1] != orders[2], "the order of the seed")


@case("torch.utils.data.Dataset", reference="none", host_only=True, core=False)
def whole_batches(t):
    """__getitems__, where a dataset has one, is asked once a batch; drop_last leaves out the rest."""
    asked = []

    def getitems(self, indices):
        asked.append(list(indices))
        return [i * i for i in indices]

    base = t.get("torch.utils.data.Dataset")
    made = t.call(type("Squares", (_Squares, base), {"__getitems__": getitems}), 5)
    loader = t.fw.utils.data.DataLoader(made, batch_size=2, drop_last=True)
    t.expect([batch.tolist() for batch in loader] == [[0, 1], [4, 9]], "two whole batches")
    t.expect(asked == [[0, 1], [2, 3]], "one question a batch")


@case("torch.utils.data.Dataset", reference="none", host_only=True, core=False)
def collates_structures(t):
    """Tuples, dictionaries, tensors and strings become batches of the same structure."""

    def getitem(self, i):
        return {"x": t.fw.full((2,), float(i)), "y": (i, "item%d" % i)}

    base = t.get("torch.utils.data.Dataset")
    made = t.call(type("Rich", (_Squares, base), {"__getitem__": getitem}), 4)
    batch = next(iter(t.fw.utils.data.DataLoader(made, batch_size=3)))
    t.expect(batch["x"].tolist() == [[0, 0], [1, 1], [2, 2]], "tensors are stacked")
    t.expect(
        batch["y"][0].tolist() == [0, 1, 2] and batch["y"][1][2] == "item2", "the rest by place"
    )


@case("torch.utils.data.Dataset", reference="none", host_only=True, core=False, timeout_s=60)
def through_workers(t):
    """Two worker processes give the same batches in the same order."""
    made = t.call(type("Squares", (_Squares, t.get("torch.utils.data.Dataset")), {}), 7)
    loader = t.fw.utils.data.DataLoader(
        made, batch_size=2, num_workers=2, multiprocessing_context="fork"
    )
    t.expect([x.tolist() for x in loader] == [[0, 1], [4, 9], [16, 25], [36]], "batches in order")


def _tensors(t):
    return t.fw.utils.data.TensorDataset(t.fw.arange(12.0).reshape(6, 2), t.fw.arange(6))


@case("torch.utils.data.Subset", reference="none", host_only=True, core=False)
def of_a_subset(t):
    inner = t.call("torch.utils.data.Subset", _Squares(10), [9, 5, 2])
    outer = t.call("torch.utils.data.Subset", inner, [2, 0])
    t.expect([outer[0], outer[1]] == [4, 81] and outer.indices == [2, 0], "indices of indices")


@case("torch.utils.data.Subset", reference="none", host_only=True, core=False)
def of_tensors_in_batches(t):
    made = t.call("torch.utils.data.Subset", _tensors(t), [4, 1, 5])
    batches = [y.tolist() for _, y in t.fw.utils.data.DataLoader(made, batch_size=2)]
    t.expect(batches == [[4, 1], [5]], "the chosen items in batches")
    t.expect([int(y) for _, y in made.__getitems__([2, 0])] == [5, 4], "several at once")
    t.expect(int(made[[0, 2]][1].sum()) == 9, "a list of positions, where the dataset takes one")


@case("torch.utils.data.Subset", reference="none", host_only=True, core=False)
def beyond_the_subset(t):
    made = t.call("torch.utils.data.Subset", _Squares(3), [0, 7])
    t.raises(IndexError, lambda: made[2])
    t.raises(IndexError, lambda: made[1])
    t.expect(len(t.call("torch.utils.data.Subset", _Squares(3), [])) == 0, "an empty subset")


@case("torch.utils.data.Subset", reference="none", host_only=True, core=False)
def from_a_random_split(t):
    """random_split gives Subsets that share nothing and leave nothing out."""
    generator = t.fw.Generator().manual_seed(5)
    parts = t.call(t.fw.utils.data.random_split, _Squares(10), [0.7, 0.3], generator=generator)
    t.expect(all(type(part) is t.get("torch.utils.data.Subset") for part in parts), "Subsets")
    t.expect([len(part) for part in parts] == [7, 3], "seven and three")
    t.expect(sorted(x for part in parts for x in part) == [i * i for i in range(10)], "all, once")


@case("torch.utils.data.Subset", reference="none", host_only=True, core=False)
@case("torch.utils.data.ConcatDataset", reference="none", host_only=True, core=False)
def survives_pickling(t, function):
    import pickle

    tensors = _tensors(t)
    chosen = (tensors, [3, 1]) if function.endswith("Subset") else ([tensors, tensors],)
    made = t.call(function, *chosen)
    again = pickle.loads(pickle.dumps(made))
    t.expect(
        len(again) == len(made) and all(int(a[1]) == int(b[1]) for a, b in zip(again, made)),
        "the same items",
    )


@case("torch.utils.data.ConcatDataset", reference="none", host_only=True, core=False)
def concat_refuses(t):
    make = "torch.utils.data.ConcatDataset"
    t.raises(AssertionError, t.call, make, [])
    base = t.get("torch.utils.data.IterableDataset")
    stream = type("Stream", (base,), {"__iter__": lambda self: iter(range(3))})()
    t.raises(AssertionError, t.call, make, [_Squares(2), stream])
    t.raises(TypeError, t.call, make, [range(3), iter(range(3))])  # it has no length


@case("torch.utils.data.ConcatDataset", reference="none", host_only=True, core=False)
def knows_its_borders(t):
    """Empty parts count, too."""
    made = t.call("torch.utils.data.ConcatDataset", [_Squares(3), _Squares(0), _Squares(2)])
    t.expect(
        made.cumulative_sizes == [3, 3, 5] and len(made) == 5, "the running sums of the lengths"
    )
    t.expect([made[2], made[3], made[-5]] == [4, 0, 0], "items beside the borders")
    t.raises(IndexError, lambda: made[5])


@case("torch.utils.data.ConcatDataset", reference="none", host_only=True, core=False)
def concat_through_a_loader(t):
    make = "torch.utils.data.ConcatDataset"
    made = t.call(make, [_tensors(t), t.call(make, [_tensors(t)])])
    loader = t.fw.utils.data.DataLoader(made, batch_size=5)
    t.expect(
        [y.tolist() for _, y in loader] == [[0, 1, 2, 3, 4], [5, 0, 1, 2, 3], [4, 5]], "in order"
    )
