"""docs/portability.ipynb: its cells run on any store, and what stands below them was really given."""

import json
import re
import shutil

import pytest
from conftest import ROOT

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

NOTEBOOK = ROOT / "docs" / "portability.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return json.loads(NOTEBOOK.read_text())


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", ["real_store", "made_store"])
def test_the_cells_run(notebook, name, request, executable, tmp_path, monkeypatch):
    shutil.copy(request.getfixturevalue(name), tmp_path / "seamark.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEAMARK_EXECUTABLE", executable)
    scope = {"__name__": "__main__"}
    for cell in code_cells(notebook):
        source = "".join(cell["source"])
        exec(compile(source, "portability.ipynb", "exec"), scope)
    assert len(scope["verdicts"]) == (6 if name == "real_store" else 18)
    assert len(scope["ratios"]) == 4
    assert scope["failing"].verdict.isin(["partial", "fail"]).all()


def test_each_cell_has_its_output(notebook):
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert [output["output_type"] for output in cell["outputs"]] == ["execute_result"]
    (chart,) = [
        output["data"]
        for cell in cells
        for output in cell["outputs"]
        if any("vegalite" in kind for kind in output["data"])
    ]
    assert "image/svg+xml" in chart
    assert NOTEBOOK.stat().st_size < 200_000


def test_it_tells_nothing_of_a_machine(notebook):
    text = NOTEBOOK.read_text()
    assert not re.search(r"/(root|home|tmp|usr|work|var)/|\\\\Users", text)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
