// The Python of a Jupyter notebook.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/usage/input/source.h"

namespace seamark::usage {

struct NotebookText {
  std::string text;          // of all code cells, a line end behind each; valid UTF-8
  bool python = true;        // false: its kernel is of another language
  bool odd = false;          // its cells are no list
  bool repaired = false;     // something has become U+FFFD
  std::uint64_t broken = 0;  // the line where it is no notebook; 0: it is one
  std::vector<NotebookCell> cells;
};

// Formats 3 and 4. kSearchPadding bytes behind `json` are readable.
[[nodiscard]] NotebookText notebook_text(std::string_view json);

[[nodiscard]] NotebookPlace notebook_place(std::span<const NotebookCell> cells, std::uint32_t line);

// The lines of one cell with what only IPython understands (%, !, ?) made comments, so that their number
// stays. A cell that a magic hands to something else than Python (%%bash) is all comment.
void append_cell(std::string_view cell, std::string& out);

}  // namespace seamark::usage
