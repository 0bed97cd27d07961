#include "seamark/usage/input/notebook.h"

#include <algorithm>
#include <array>

#include "seamark/base/text.h"
#include "seamark/usage/input/json_text.h"

namespace seamark::usage {
namespace {

// Cells that these begin are Python all the same.
constexpr std::array<std::string_view, 9> kPythonMagics = {
    "time", "timeit", "capture", "prun", "python", "python3", "memit", "mprun", "snakeviz"};

bool is_python_magic(std::string_view line) {
  line.remove_prefix(2);
  const std::string_view name = line.substr(0, line.find_first_of(" \t\r"));
  return std::find(kPythonMagics.begin(), kPythonMagics.end(), name) != kPythonMagics.end();
}

// Where a line stands: whether it goes on what was begun before it.
class Continuation {
 public:
  [[nodiscard]] bool open() const { return quote_ != 0 || depth_ > 0 || joined_; }

  void pass(std::string_view line) {
    joined_ = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\') {
        joined_ = i + 1 == line.size() || line.substr(i + 1) == "\r";
        ++i;
      } else if (quote_ != 0) {
        i = inside_string(line, i);
      } else if (c == '#') {
        return;
      } else if (c == '"' || c == '\'') {
        quote_ = c;
        triple_ = line.substr(i).starts_with(std::string(3, c));
        if (triple_) i += 2;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth_;
      } else if ((c == ')' || c == ']' || c == '}') && depth_ > 0) {
        --depth_;
      }
    }
    if (!triple_ && !joined_) quote_ = 0;  // a string that is not closed ends with its line
  }

 private:
  std::size_t inside_string(std::string_view line, std::size_t i) {
    if (line[i] != quote_) return i;
    if (!triple_) {
      quote_ = 0;
    } else if (line.substr(i).starts_with(std::string(3, quote_))) {
      quote_ = 0;
      triple_ = false;
      return i + 2;
    }
    return i;
  }

  char quote_ = 0;
  bool triple_ = false;
  int depth_ = 0;
  bool joined_ = false;
};

bool is_magic(std::string_view line) {
  if (line.empty() || line.front() == '#') return false;
  if (line.front() == '%' || line.front() == '!' || line.front() == '?') return true;
  return line.back() == '?' && line.find_first_of("#'\"") == std::string_view::npos;
}

void append_line(std::string_view line, bool continued, std::string& out) {
  const std::string_view bare = trim(line);
  if (continued || !is_magic(bare)) {
    out += line;
    return;
  }
  const std::size_t indent = line.find(bare.front());
  out += line.substr(0, indent);
  // A block must not be left empty.
  out += indent > 0 ? "pass  # " : "# ";
  out += line.substr(indent);
}

// The line that a place stands in; places are asked in their order.
class LineCount {
 public:
  explicit LineCount(std::string_view text) : at_(text.data()) {}
  std::uint32_t line_of(const char* place) {
    line_ += static_cast<std::uint32_t>(std::count(at_, place, '\n'));
    at_ = place;
    return line_;
  }

 private:
  const char* at_;
  std::uint32_t line_ = 1;
};

struct Notebook {
  explicit Notebook(std::string_view json) : file(json) {}

  NotebookText result;
  LineCount file;
  NotebookCell place{.number = 0};  // of the cell that is read
  std::uint32_t lines = 0;          // of the text so far
  JsonString string;
  std::string cell;
  std::string type;
  std::string language;

  // A text, or a list of its lines; anything else is passed over.
  bool source(JsonReader& json) {
    cell.clear();
    const bool list = json.peek() == '[';
    place.file_line = file.line_of(json.at());
    if (!list) return part(json);
    std::uint32_t parts = 0;
    place.listed = true;
    return each_element(json, [&] {
      json.peek();
      const std::uint32_t line = file.line_of(json.at());
      if (parts == 0) place.file_line = line;
      const bool next = line == place.file_line + parts && (parts == 0 || cell.ends_with('\n'));
      ++parts;
      const bool read = part(json);
      place.listed = place.listed && next && string.text.find('\n') >= string.text.size() - 1;
      return read;
    });
  }

  bool part(JsonReader& json) {
    if (json.peek() != '"') return json.skip();
    if (!json.string(string)) return false;
    result.repaired = result.repaired || string.repaired;
    cell += string.text;
    return true;
  }

  bool text(JsonReader& json, std::string& into) {
    if (json.peek() != '"') return json.skip();
    if (!json.string(string)) return false;
    into = string.text;
    return true;
  }

  bool one_cell(JsonReader& json) {
    type.clear();
    language = "python";
    cell.clear();
    place = {.number = place.number + 1, .first_line = lines + 1, .file_line = 1, .listed = false};
    if (json.peek() != '{') return json.skip();
    const bool good = each_member(json, [&](std::string_view name) {
      if (name == "cell_type") return text(json, type);
      if (name == "language") return text(json, language);
      if (name == "source" || name == "input") return source(json);
      return json.skip();
    });
    if (good && type == "code" && language == "python") {
      result.cells.push_back(place);
      append_cell(cell, result.text);
      lines += 1 + static_cast<std::uint32_t>(std::count(cell.begin(), cell.end(), '\n'));
    }
    return good;
  }

  bool cells(JsonReader& json) {
    result.odd = json.peek() != '[';
    if (result.odd) return json.skip();
    return each_element(json, [&] { return one_cell(json); });
  }

  // metadata.kernelspec.language, metadata.language_info.name
  bool metadata(JsonReader& json) {
    if (json.peek() != '{') return json.skip();
    return each_member(json, [&](std::string_view name) {
      const bool spec = name == "kernelspec";
      if ((!spec && name != "language_info") || json.peek() != '{') return json.skip();
      return each_member(json, [&](std::string_view key) {
        if (key != (spec ? "language" : "name")) return json.skip();
        std::string said;
        if (!text(json, said)) return false;
        said = lower_ascii(said);
        if (!said.empty()) result.python = said.starts_with("python") || said == "ipython";
        return true;
      });
    });
  }

  bool sheets(JsonReader& json) {  // of format 3
    if (json.peek() != '[') return json.skip();
    return each_element(json, [&] {
      if (json.peek() != '{') return json.skip();
      return each_member(json,
                         [&](std::string_view name) { return name == "cells" ? cells(json) : json.skip(); });
    });
  }

  bool document(JsonReader& json) {
    return each_member(json, [&](std::string_view name) {
      if (name == "cells") return cells(json);
      if (name == "worksheets") return sheets(json);
      if (name == "metadata") return metadata(json);
      return json.skip();
    });
  }
};

}  // namespace

void append_cell(std::string_view cell, std::string& out) {
  Continuation continuation;
  bool foreign = false;
  bool first = true;
  for (const std::string_view line : split(cell, '\n')) {
    const std::string_view bare = trim(line);
    if (first && !bare.empty()) {
      first = false;
      foreign = bare.starts_with("%%") && !is_python_magic(bare);
    }
    if (foreign) {
      if (!bare.empty()) out += "# ";
      out += line;
    } else {
      const bool continued = continuation.open();
      if (continued || !is_magic(bare)) continuation.pass(line);
      append_line(line, continued, out);
    }
    out += '\n';
  }
}

NotebookPlace notebook_place(std::span<const NotebookCell> cells, std::uint32_t line) {
  const auto behind = std::upper_bound(
      cells.begin(), cells.end(), line,
      [](std::uint32_t wanted, const NotebookCell& cell) { return wanted < cell.first_line; });
  if (behind == cells.begin()) return {};
  const NotebookCell& cell = *(behind - 1);
  const std::uint32_t below = line - cell.first_line;
  return {.cell = cell.number, .line = below + 1, .file_line = cell.file_line + (cell.listed ? below : 0)};
}

NotebookText notebook_text(std::string_view json) {
  Notebook notebook(json);
  JsonReader reader(json);
  if (!notebook.document(reader) || reader.peek() != '\0') {
    const char* begin = json.data();
    notebook.result.broken = 1 + static_cast<std::uint64_t>(std::count(begin, reader.at(), '\n'));
  }
  return std::move(notebook.result);
}

}  // namespace seamark::usage
