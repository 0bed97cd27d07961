"""`seamark audit` from outside: what it finds in a project, in each format, and what it refuses."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

TRAIN = """\
import torch
import torch.nn.functional as F
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


def main(x):
    model = nn.Linear(8, 4).to(device)
    y = F.softmax(model(x.cuda()), dim=-1)
    print(torch.sort(y))
    return torch.geqrf(y)
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "train.py").write_text(TRAIN)
    return folder


@pytest.fixture
def audit(project, tmp_path):
    """seamark audit in the project's folder, without anything of this user's."""

    def call(*arguments, code=None):
        done = subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "audit", *arguments],
            capture_output=True,
            text=True,
            cwd=project,
            env={"HOME": str(tmp_path), "PATH": "/nowhere", "COLUMNS": "80"},
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    return call


def items(done):
    return [(one["id"], one["line"]) for one in json.loads(done.stdout)["items"]]


def test_the_first_screen_says_what_fails_where_and_what_to_do(audit):
    done = audit("src", "--to", "torch/lazy", code=1)
    lines = done.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 100
    assert lines[0].startswith("to torch/lazy") and "1 file of Python" in lines[0]
    text = " ".join(lines[:6])
    assert "1 wrong in silence, 1 failing" in text and "effort" in text
    assert "src/train.py:5" in done.stdout and "src/train.py:10" in done.stdout
    assert "seamark explain DEV03" in done.stdout
    # What to do stands there in full, where there is room.
    assert 'for torch_xla `torch.device("xla")`' in " ".join(done.stdout.split())


def test_the_first_screen_names_the_pages_that_say_why(audit, project):
    said = " ".join(audit("src", "--to", "torch/lazy").stdout.split())
    assert (
        "why seamark explain DEV03; seamark show torch.nn." in said and " --to torch/lazy" in said
    )
    assert "measured " not in said
    (project / "src" / "train.py").write_text("import torch\ntorch.isnan(torch.zeros(2))\n")
    said = audit("src", "--to", "torch/lazy").stdout
    assert "why         seamark show torch.isnan --to torch/lazy" in said


def test_where_nothing_is_measured_the_devices_are_named_of_which_something_is(audit):
    lines = audit("src", "--to", "torch/xla").stdout.splitlines()
    assert len(lines) <= 24
    (measured,) = [line for line in lines if line.strip().startswith("measured")]
    assert {"lazy", "tpu-v5e"} <= set(measured.split("--to ")[1].split(", "))


def test_the_first_screen_fits_whatever_there_is_to_say(audit, project):
    """Three frameworks that nothing is known of, every kind of finding: what to do gives way, its last line first."""
    lines = [
        "import jax, tensorflow as tf",
        "x = torch.zeros(2, dtype=torch.float64).cuda()",
        "y = torch.complex(x, x).to('cuda:1')",
        "torch.backends.cudnn.benchmark = True",
        "tf.config.list_physical_devices('GPU')",
        "jax.devices('gpu')",
        "torch.cuda.synchronize()",
        "dist = torch.distributed.init_process_group('nccl')",
        "sess = tf.compat.v1.Session()",
        "model = torch.load('a.pt')",
    ]
    (project / "src" / "train.py").write_text(TRAIN + "\n" + "\n".join(lines) + "\n")
    lines = audit("src", "--to", "mps", "--from", "cuda").stdout.splitlines()
    assert len(lines) == 24 and max(map(len, lines)) <= 80
    assert "nothing of jax, tensorflow, torch was run on mps" in " ".join(lines[:4])
    assert sum("DEV" in line or "DTY" in line for line in lines) >= 4
    assert any("`torch.accelerator" in line for line in lines), "the first advice stays"


GUARDED = """\
import torch


def f(device):
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    try:
        torch.cuda.synchronize()
    except Exception:
        pass
    torch.cuda.synchronize() if device.type == "cuda" else None
    if device.type != "cuda":
        return
    torch.cuda.synchronize(device)
"""


def test_a_guarded_call_of_what_fails_is_no_finding(audit, project):
    (project / "src" / "train.py").write_text(GUARDED)
    done = audit("src", "--to", "torch/lazy", "--format", "json", code=0)
    answers = {one["function"]: one["answer"] for one in json.loads(done.stdout)["functions"]}
    assert answers["torch.cuda.synchronize"] == "fails" and items(done) == []
    (project / "src" / "train.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    done = audit("src", "--to", "torch/lazy", "--format", "json", code=1)
    assert items(done) == [("DEV05", 2)], "not told again as a function that fails"


def test_what_does_not_parse_is_named(audit, project):
    (project / "src" / "cut.py").write_text("import torch\nx = torch.zeros(3).cuda(\n")
    (project / "src" / "half.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "x"}')
    (project / "src" / "odd.ipynb").write_text('{"cells": 3}')
    screen = audit("src", "--to", "torch/lazy").stdout
    assert "not read 3 files, or in part: src/" in screen and len(screen.splitlines()) <= 24
    full = audit("src", "--to", "torch/lazy", "--full").stdout.split("NOT READ")[1]
    for name in ("src/cut.py:2: it does not parse", "src/half.ipynb:1: it is no", "src/odd.ipynb:"):
        assert name in full
    document = json.loads(audit("src", "--to", "torch/lazy", "--format", "json").stdout)
    assert len(document["losses"]) == 3
    assert "not read" not in audit("src/train.py", "--to", "torch/lazy").stdout


def test_functions_are_counted_alike(audit, project):
    (project / "src" / "train.py").write_text("import torch\nf = torch.sort\ntorch.zeros(2)\n")
    said = audit("src", "--to", "torch/lazy", "--full").stdout
    assert "1 call of 1 function" in said.splitlines()[0]
    table = said.split("WHAT THE FUNCTIONS DO THERE")[1].split("Results:")[0]
    rows = [
        line.split()[-2:]
        for line in table.splitlines()
        if line.split()[-1:] and line.split()[-1].isdigit()
    ]
    assert sum(int(functions) for functions, _ in rows) == 1


def test_every_place_has_its_rule_or_its_function(audit):
    done = audit("src", "--to", "torch/lazy", "--format", "json", code=1)
    document = json.loads(done.stdout)
    assert document["schema"] == "seamark-audit/1" and document["targets"] == {
        "torch": "torch/lazy"
    }
    found = items(done)
    assert ("DEV03", 5) in found and ("DEV02", 10) in found
    answers = {one["function"]: one for one in document["functions"]}
    assert answers["torch.nn.functional.softmax"]["answer"] == "passes"
    assert answers["torch.nn.functional.softmax"]["calls"] == 1
    geqrf = answers["torch.geqrf"]
    assert geqrf["answer"] in ("fails", "partly", "on-host", "unknown")
    assert "measured itself" in answers["torch.nn.functional.softmax"]["results"]
    for one in document["items"]:
        assert one["path"] == "src/train.py" and one["level"] in ("error", "warning", "note")


def test_a_report_has_a_line_once(audit, project):
    (project / "src" / "train.py").write_text("import torch\nf(x.cuda(), y.cuda())\nz.cuda()\n")
    document = json.loads(audit("src", "--to", "torch/lazy", "--format", "json").stdout)
    assert [(one["id"], one["line"]) for one in document["items"]] == [("DEV02", 2)] * 2 + [("DEV02", 3)]  # fmt: skip
    said = audit("src", "--to", "torch/lazy", "--full").stdout
    assert said.count("f(x.cuda(), y.cuda())") == 1
    assert "2 failing" in said and "(2 places)" in said


def test_unknown_is_never_no(audit, project):
    (project / "src" / "train.py").write_text("import torch\ntorch.some_new_function(1)\n")
    done = audit("src", "--to", "torch/lazy", "--format", "json", code=0)
    (function,) = json.loads(done.stdout)["functions"]
    assert function["answer"] == "unknown" and "catalogue" in function["says"]
    assert items(done) == []


def test_what_fails_where_it_comes_from_is_no_finding(audit):
    there = items(audit("src", "--to", "torch/lazy", "--format", "json"))
    moved = items(audit("src", "--from", "torch/lazy", "--to", "torch/lazy", "--format", "json"))
    assert there and moved == []


def test_other_frameworks_than_the_targets_are_left_out(audit, project):
    (project / "src" / "other.py").write_text("import jax\njax.numpy.sort(1)\n")
    document = json.loads(audit("src", "--to", "torch/lazy", "--format", "json").stdout)
    assert {one["framework"] for one in document["functions"]} == {"torch"}
    document = json.loads(audit("src", "--to", "tpu-v5e", "--format", "json").stdout)
    assert document["targets"] == {"jax": "jax/tpu-v5e+aot", "torch": "torch/tpu-v5e+aot"}


def test_sarif_has_places_that_code_scanning_takes(audit):
    document = json.loads(audit("src", "--to", "torch/lazy", "--format", "sarif").stdout)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "src/train.py"
        region = place["region"]
        start, end = (
            (region["startLine"], region["startColumn"]),
            (
                region["endLine"],
                region["endColumn"],
            ),
        )
        assert start < end
    (silent,) = [one for one in run["results"] if one["ruleId"] == "DEV03"]
    region = silent["locations"][0]["physicalLocation"]["region"]
    line = TRAIN.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1].startswith('"cuda" if torch')


@pytest.mark.parametrize("form", ["jsonl", "junit", "markdown", "html", "terminal"])
def test_each_format_parses(audit, form):
    text = audit("src", "--to", "torch/lazy", "--format", form, "-o", "-", code=1).stdout
    if form == "jsonl":
        assert {json.loads(line)["id"] for line in text.splitlines()} >= {"DEV02", "DEV03"}
    elif form == "junit":
        suites = xml.etree.ElementTree.fromstring(text)
        assert suites.get("failures") == "1"  # files
    else:
        assert "DEV03" in text and "train.py" in text


@pytest.mark.parametrize(
    ("level", "code"), [("none", 0), ("note", 1), ("warning", 1), ("error", 1)]
)
def test_the_level_that_fails(audit, level, code):
    audit("src", "--to", "torch/lazy", "--fail-on", level, code=code)


def test_tests_weigh_less(audit, project):
    (project / "src" / "train.py").rename(project / "src" / "test_train.py")
    done = audit("src", "--to", "torch/lazy", "--format", "json", code=0)
    assert {one["level"] for one in json.loads(done.stdout)["items"]} <= {"warning", "note"}
    audit("src", "--to", "torch/lazy", "--fail-on", "warning", code=1)


def test_comments_and_settings_suppress(audit, project):
    source = TRAIN.replace('"cpu"\n', '"cpu"  # seamark: ignore[DEV03] asked of the user\n')
    (project / "src" / "train.py").write_text(source)
    (project / "pyproject.toml").write_text(
        '[tool.seamark]\nto = "torch/lazy"\nignore = ["DEV02"]\nfail-on = "error"\nexclude = ["old/*"]\n'
    )
    (project / "old").mkdir()
    (project / "old" / "more.py").write_text(TRAIN)
    document = json.loads(audit("--format", "json").stdout)
    suppressed = {one["id"]: one["suppressed"] for one in document["items"] if not one["function"]}
    assert suppressed == {
        "DEV03": "asked of the user",
        "DEV02": "the project's settings ignore it",
    }
    assert {one["path"] for one in document["items"]} == {"src/train.py"}
    assert audit("--no-config").returncode == 2


def test_a_baseline_takes_back_what_was_there(audit, project):
    place = ("--to", "torch/lazy", "--baseline", "known.json")
    audit("src", *place, "--update-baseline", code=0)
    audit("src", *place, code=0)
    (project / "src" / "train.py").write_text("# moved down\n" + TRAIN + "y = x.cuda()\n")
    done = audit("src", *place, "--format", "json", code=1)
    fresh = [one["line"] for one in json.loads(done.stdout)["items"] if not one["suppressed"]]
    assert fresh == [14]
    (project / "known.json").write_text("{}")
    assert "is no baseline" in audit("src", *place, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("src",), "--to says where"),
        (("src", "--to", "torch/lasy"), "did you mean 'torch/lazy'?"),
        (("src", "--to", "mps", "--ignore", "DEV99"), "there is no rule 'DEV99'"),
        (("nothing", "--to", "mps"), "nothing"),
        (("src", "--to", "mps", "--baseline", "none.json"), "none.json"),
        (("src", "--to", "mps", "--update-baseline"), "--baseline FILE"),
    ],
)
def test_bad_input_is_named(audit, arguments, says):
    done = audit(*arguments)
    assert done.returncode == 2 and says in done.stderr and done.stdout == ""


def test_a_bad_key_is_told_with_its_line(audit, project):
    (project / "pyproject.toml").write_text('[tool.seamark]\nfail_on = "error"\n')
    done = audit("src", "--to", "mps", code=2)
    assert "pyproject.toml:2" in done.stderr and "fail-on" in done.stderr


def test_nothing_of_the_project_is_run_or_waited_for(audit, project):
    (project / "src" / "train.py").write_text(
        "import torch, pathlib\npathlib.Path('ran').touch()\ntorch.sort(1)\n"
    )
    os.mkfifo(project / "src" / "pipe.py")
    (project / "src" / "link.py").symlink_to("/etc/passwd")
    (project / "src" / "bad\nname\x1b[31m.py").write_text("import torch\nx.cuda()\n")
    (project / "src" / "latin.py").write_bytes(b"import torch\nx.cuda()  # \xe9\n")
    done = audit("src", "--to", "torch/lazy", "--full")
    assert not (project / "ran").exists()
    assert "\x1b[31m" not in done.stdout and "latin.py:2" in done.stdout


def test_the_name_of_a_file_begins_no_line(audit, project):
    """A repository may be a stranger's, and its audit a comment in Markdown."""
    (project / "src" / "a\n<img src=x>\n::error::b.py").write_text(
        "import torch\nx = torch.ones(2).cuda()\n"
    )
    for form in ("terminal", "markdown"):
        said = audit("src", "--to", "torch/xla", "--full", "--format", form, "-o", "-").stdout
        assert "src=x" in said
        assert not re.search(r"^ {0,3}(<img|::error)", said, re.M), said


def test_notebooks_are_read(audit, project):
    cells = [
        {"cell_type": "code", "source": ["import torch\n", "%time x\n", "x.cuda()\n"]},
        {"cell_type": "markdown", "source": ["y.cuda()\n"]},
    ]
    (project / "src" / "a.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    done = audit("src/a.ipynb", "--to", "torch/lazy", "--format", "json", code=1)
    assert items(done) == [("DEV02", 3)]


def test_places_of_a_notebook_are_its_cells(audit, project):
    cells = [
        {"cell_type": "markdown", "source": ["# A title"]},
        {"cell_type": "code", "source": ["import torch\n", "x = torch.ones(2)"]},
        {"cell_type": "code", "source": ["# one\n", "x.cuda()"]},
        {"cell_type": "code", "source": ["x.cuda()  # seamark: ignore[DEV02] known"]},
        {"cell_type": "code", "source": ["torch.isnan(x)"]},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(notebook, indent=1)
    (project / "a.ipynb").write_text(text)
    (project / "b.py").write_text("import torch\nx.cuda()\n")
    place = ("--to", "torch/lazy", "--baseline", "known.json")
    document = json.loads(audit(".", "--to", "torch/lazy", "--format", "json").stdout)
    found = {
        (one["path"], one["id"], one["line"], one["cell"], one["cell_line"], one["suppressed"])
        for one in document["items"]
        if one["path"].endswith((".ipynb", "b.py")) and (one["function"] or one["id"] == "DEV02")
    }
    assert found == {
        ("a.ipynb", "DEV02", 4, 3, 2, None),
        ("a.ipynb", "DEV02", 5, 4, 1, "known"),
        ("a.ipynb", "on-host", 6, 5, 1, None),
        ("b.py", "DEV02", 2, None, None, None),
    }
    for form in ("terminal", "markdown", "html", "junit"):
        said = audit(".", "--to", "torch/lazy", "--full", "--format", form, "-o", "-").stdout
        assert "a.ipynb:cell 3:2" in said and "a.ipynb:4" not in said, form
    sarif = json.loads(audit("a.ipynb", "--to", "torch/lazy", "--format", "sarif").stdout)
    places = [one["locations"][0] for one in sarif["runs"][0]["results"] if one["ruleId"] == "DEV02"]  # fmt: skip
    assert [one["logicalLocations"][0]["name"] for one in places] == ["cell 3, line 2", "cell 4, line 1"]  # fmt: skip
    for one in places:  # the line of the file
        region = one["physicalLocation"]["region"]
        assert "x.cuda()" in text.splitlines()[region["startLine"] - 1] and "startColumn" not in region  # fmt: skip
    audit("a.ipynb", *place, "--update-baseline", code=0)
    cells.insert(0, {"cell_type": "code", "source": ["import os\n", "y = 2"]})
    (project / "a.ipynb").write_text(json.dumps(notebook))
    audit("a.ipynb", *place, code=0)


def test_other_files_than_python(audit, project):
    (project / "requirements.txt").write_text("torch==2.3.0+cu121\n")
    done = audit(".", "--to", "mps", "--format", "json")
    assert "requirements.txt" in {one["path"] for one in json.loads(done.stdout)["items"]}


def test_rules_are_explained(audit, tmp_path):
    def explain(what):
        return subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "explain", what],
            capture_output=True,
            text=True,
            env={"HOME": str(tmp_path), "PATH": "/nowhere"},
        )

    page = explain("DEV03").stdout
    assert "wrong in silence" in page and "seamark: ignore[DEV03]" in page and "NOT FOUND" in page
    assert "DEV01" in explain("rules").stdout
    assert "there is no rule 'DEV98'" in explain("DEV98").stderr


@pytest.mark.parametrize("said", ["fails", "on-host", "breaks", "recompiles", "reads"])
def test_what_a_trace_says_is_explained(tmp_path, said):
    def explain(what):
        return subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "explain", what],
            capture_output=True,
            text=True,
            env={"HOME": str(tmp_path), "PATH": "/nowhere"},
        )

    page = explain("trace-" + said).stdout
    assert "the program's own calls, traced" in page and "what to do" in page
    assert "--ignore trace-" + said in page and "seamark: ignore" not in page
    assert "trace-" + said in explain("rules").stdout
    assert "there is no rule 'trace-of'" in explain("trace-of").stderr
