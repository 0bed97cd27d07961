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
