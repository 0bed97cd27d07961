#include "seamark/usage/input/notebook.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "seamark/base/value.h"
#include "seamark/usage/input/prefilter.h"

namespace seamark::usage {
namespace {

NotebookText read(std::string json) {
  const std::size_t size = json.size();
  json.append(kSearchPadding, '\0');
  return notebook_text(std::string_view(json).substr(0, size));
}

std::string cell(std::string_view text) {
  std::string out;
  append_cell(text, out);
  return out;
}

constexpr std::string_view kDocument = R"x({
  "cells": [
    {"cell_type": "markdown", "source": ["import jax"]},
    {"cell_type": "code", "metadata": {"source": "no"}, "outputs": [{"data": {"image/png": "iVBOR"}}],
     "source": ["import torch\n", "torch.zeros(3)"]},
    {"cell_type": "code", "source": "x = 1\ny = '\u00e9'"},
    {"cell_type": "raw", "source": "import os"},
    {"source": "late", "cell_type": "code"}],
  "metadata": {"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"name": "python"}},
  "nbformat": 4})x";

TEST(Notebook, CodeCellsInTheirOrder) {
  const NotebookText notebook = read(std::string(kDocument));
  EXPECT_EQ(notebook.broken, 0u);
  EXPECT_TRUE(notebook.python);
  EXPECT_EQ(notebook.text, "import torch\ntorch.zeros(3)\nx = 1\ny = 'é'\nlate\n");
}

// "cell:line file line" of each line of the text.
std::vector<std::string> places_in(const NotebookText& notebook) {
  std::vector<std::string> out;
  const auto lines = static_cast<std::uint32_t>(std::count(notebook.text.begin(), notebook.text.end(), '\n'));
  for (std::uint32_t line = 1; line <= lines; ++line) {
    const NotebookPlace place = notebook_place(notebook.cells, line);
    out.push_back(fmt::format("{}:{} {}", place.cell, place.line, place.file_line));
  }
  return out;
}

TEST(Notebook, PlacesOfItsLines) {
  EXPECT_THAT(places_in(read(std::string(kDocument))),
              testing::ElementsAre("2:1 5", "2:2 5", "3:1 6", "3:2 6", "5:1 8"));
  // As Jupyter writes it, a line of the cell on each line of the file; else the cell's first line.
  EXPECT_THAT(
      places_in(read(R"({"cells": [
    7,
    {"cell_type": "code",
     "source": [
      "import torch\n",
      "\n",
      "x = 1"
     ]},
    {"cell_type": "code", "source": []},
    {"cell_type": "code",
     "source": [
      "a\n",
      "b\nc\n",
      "d"
     ]}]})")),
      testing::ElementsAre("2:1 5", "2:2 6", "2:3 7", "3:1 9", "4:1 12", "4:2 12", "4:3 12", "4:4 12"));
  EXPECT_EQ(notebook_place({}, 3).cell, 0u) << "a file of Python has no cells";
}

TEST(Notebook, FormatThree) {
  const NotebookText notebook = read(R"({"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": [
      {"cell_type": "code", "input": ["import torch"], "language": "python", "outputs": []},
      {"cell_type": "code", "input": "x <- 1", "language": "R"}]}]})");
  EXPECT_EQ(notebook.broken, 0u);
  EXPECT_EQ(notebook.text, "import torch\n");
}

TEST(Notebook, OtherLanguages) {
  EXPECT_FALSE(read(R"({"cells": [], "metadata": {"kernelspec": {"language": "julia"}}})").python);
  EXPECT_FALSE(read(R"({"cells": [], "metadata": {"language_info": {"name": "R"}}})").python);
  EXPECT_TRUE(read(R"({"cells": [], "metadata": {"language_info": {"name": "ipython"}}})").python);
  EXPECT_TRUE(read(R"({"cells": [], "metadata": {}})").python);
}

TEST(Notebook, WhatIsNone) {
  EXPECT_EQ(read("").broken, 1u);
  EXPECT_EQ(read("import torch").broken, 1u);
  EXPECT_EQ(read("{\"cells\":\n [\n {\"source\": [\"x\"").broken, 3u);
  EXPECT_EQ(read("{\"cells\": []} x").broken, 1u);
  EXPECT_EQ(read(R"({"cells": [{"cell_type": "code", "source": ["a", 3, null, "b"]}, 7]})").text, "ab\n")
      << "what is odd is passed over";
  EXPECT_EQ(read(R"({"cells": "x", "worksheets": 3, "metadata": []})").broken, 0u);
}

TEST(Notebook, LoneSurrogates) {
  const NotebookText notebook = read(R"({"cells": [{"cell_type": "code", "source": "x = '\ud800'"}]})");
  EXPECT_EQ(notebook.text, "x = '\ufffd'\n");
  EXPECT_TRUE(notebook.repaired);
}

TEST(Cells, MagicsBecomeComments) {
  EXPECT_EQ(
      cell("%matplotlib inline\nimport torch\n!pip install x\n?torch\ntorch.nn?\n  torch??"),
      "# %matplotlib inline\nimport torch\n# !pip install x\n# ?torch\n# torch.nn?\n  pass  # torch??\n");
  EXPECT_EQ(cell("if x:\n    !ls\n    %cd y\nelse:\n    z"),
            "if x:\n    pass  # !ls\n    pass  # %cd y\nelse:\n    z\n");
  EXPECT_EQ(cell("x = 1  # why?\n'what?'\n# and?"), "x = 1  # why?\n'what?'\n# and?\n");
}

TEST(Cells, OnlyAtTheBeginningOfAStatement) {
  for (const char* text : {
           "print('%s'\n      % x)\n",
           "y = [a,\n  !b]\n",
           "s = \"\"\"\n%matplotlib\n! no\n\"\"\"\n",
           "s = '''it's\n%x\n''' % y\n",
           "a = b \\\n  % c\n",
           "f(  # (\n %x\n)\n",
           "s = 'a\\\n%b'\n",
       }) {
    EXPECT_EQ(cell(std::string_view(text).substr(0, std::string_view(text).size() - 1)), text);
  }
  EXPECT_EQ(cell("s = 'it''s (' + \"[\"\n%magic"), "s = 'it''s (' + \"[\"\n# %magic\n");
  EXPECT_EQ(cell("s = 'not closed\n%magic"), "s = 'not closed\n# %magic\n");
  EXPECT_EQ(cell("x = r\"\"\"a\\\\\"\"\"\n%magic"), "x = r\"\"\"a\\\\\"\"\"\n# %magic\n");
  EXPECT_EQ(cell("!echo (\nimport torch\n!ls"), "# !echo (\nimport torch\n# !ls\n")
      << "a magic opens nothing";
}

TEST(Cells, OfOtherLanguagesAreAllComment) {
  EXPECT_EQ(cell("%%bash\nimport torch\n\nls"), "# %%bash\n# import torch\n\n# ls\n");
  EXPECT_EQ(cell("\n%%javascript\nx"), "\n# %%javascript\n# x\n");
  EXPECT_EQ(cell("%%time\nimport torch\n%who"), "# %%time\nimport torch\n# %who\n");
  EXPECT_EQ(cell("%%capture out --no-stderr\nimport torch"), "# %%capture out --no-stderr\nimport torch\n");
}

}  // namespace
}  // namespace seamark::usage
