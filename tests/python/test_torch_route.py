"""Which way PyTorch takes to a device that is not here: by data, and by what the interpreter has."""

import pytest
from seamark_agent.adapters import Unusable
from seamark_agent.adapters.torch_aot.choose import choose_route


@pytest.mark.parametrize(
    ("there", "route"),
    [
        ({"torch_xla", "torchax"}, "torch_xla"),
        ({"torch_xla"}, "torch_xla"),
        ({"torchax"}, "torchax"),
        (set(), "torchax"),  # which then says what to install
    ],
)
def test_the_first_route_that_is_there_is_taken(there, route):
    assert choose_route({}, there.__contains__) == route


@pytest.mark.parametrize("route", ["torch_xla", "torchax"])
def test_an_option_insists(route):
    assert choose_route({"route": route}, lambda name: name != route) == route


@pytest.mark.parametrize("route", ["torch-xla", "", 1, ["torchax"]])
def test_an_unknown_route_is_refused_with_those_there_are(route):
    with pytest.raises(Unusable) as refused:
        choose_route({"route": route})
    assert repr(route) in refused.value.reason
    assert "torch_xla, torchax" in refused.value.remedy


def test_what_is_there_is_found_without_an_import(monkeypatch, tmp_path):
    package = tmp_path / "torch_xla"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert choose_route({}) == "torch_xla"
