// Any texts, between NUL bytes, as what a store says: no format carries them as markup, commands or formulas.
// "<smx" is a text of theirs alone. The first byte chooses the format.
#include <algorithm>
#include <array>
#include <vector>

#include "fuzz_check.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/csv_report.h"

namespace {

using namespace seamark;
using report::Cell;
using report::Tone;

// Text after text, from the first again where they end. None is long: each stands in many places.
class Texts {
 public:
  explicit Texts(std::string_view bytes) {
    while (true) {
      const auto [text, rest] = fuzz::two_texts(bytes);
      for (std::size_t at = 0; at == 0 || at < text.size(); at += kMost)
        texts_.emplace_back(text.substr(at, kMost));
      if (rest.empty()) break;
      bytes = rest;
    }
  }
  std::string next() { return texts_[next_++ % texts_.size()]; }
  std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::size_t kMost = 80;
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

report::TextTable table_of(Texts& texts) {
  report::TextTable table({{.head = "target", .elastic = 12},
                           {.head = "not\nrun", .align = report::Column::Align::kRight, .optional = 2},
                           {.head = "func-\ntions", .elastic = 8, .keep_end = true},
                           {.head = "note", .optional = 1}});
  for (std::size_t row = 0; row < 2 + texts.size() % 4; ++row) {
    table.add_row({Cell::target(texts.next()), Cell(texts.next(), Tone::kBad),
                   Cell::functions({texts.next(), texts.next()}), Cell(texts.next())});
    if (row == 1) table.add_section(texts.next());
    table.add_note(texts.next());
  }
  return table;
}

report::Document document_of(Texts& texts) {
  report::Document document;
  document.head.push_back({texts.next(), texts.next(), Tone::kGood});
  report::Section section{
      .id = "one", .heading = texts.next(), .note = texts.next(), .blocks = {}, .folded = false};
  section.say(texts.next());
  section.blocks.emplace_back(report::Items{{texts.next(), texts.next()}});
  section.blocks.emplace_back(report::Remarks{{{texts.next(), texts.next()}, {texts.next(), texts.next()}}});
  section.blocks.emplace_back(report::Verbatim{{{2, {{texts.next(), Tone::kDim}}}, {0, {{texts.next()}}}}});
  section.blocks.emplace_back(table_of(texts));
  document.add(std::move(section));
  return document;
}

analysis::Summary summary_of(Texts& texts) {
  analysis::Summary summary;
  analysis::TargetRow& target = summary.targets.emplace_back();
  target.target = texts.next();
  target.framework = "torch";
  target.framework_versions = {texts.next()};
  target.device_name = texts.next();
  target.environment_hash = texts.next();
  target.ran = true;
  for (int function = 0; function < 2; ++function) {
    analysis::FunctionRow& row = summary.functions.emplace_back();
    row.framework = "torch";
    row.name = texts.next();
    row.cells.resize(1);
    analysis::CaseRow& one = row.cases.emplace_back();
    for (std::string* text : {&one.name, &one.hash, &one.suite, &one.dtype, &one.shape}) *text = texts.next();
    analysis::CaseCell& cell = one.cells.emplace_back();
    cell.planned = true;
    cell.outcome = Outcome::kFail;
    cell.reason = texts.next();
    cell.error.edit().type = texts.next();
    cell.error.edit().message = texts.next();
  }
  return summary;
}

// Nothing that a terminal or a reader of text would act upon.
void check_text(std::string_view text) {
  fuzz::require(!text.empty() && text.back() == '\n', "a report without an end");
  fuzz::require(is_utf8(text), "a report that is not UTF-8");
  const auto acts = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
  };
  fuzz::require(std::none_of(text.begin(), text.end(), acts), "a control character");
  fuzz::require(text.find("\xe2\x80\xae") == std::string_view::npos, "a bidirectional override");
}

void check_terminal(std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    fuzz::require(!trim(line).starts_with("::"), "a command to a CI");
    for (const char* command : {"##[", "##vso[", "##teamcity["})
      fuzz::require(line.find(command) == std::string_view::npos, "a command to a CI's log");
  }
}

// Markup of theirs in code alone; bars that nothing escapes alike in each line of a table.
void check_markdown(std::string_view text) {
  std::size_t columns = 0;
  for (const std::string_view line : split_lines(text)) {
    fuzz::require(line.starts_with("    ") || line.find('`') != std::string_view::npos ||
                      line.find("<smx") == std::string_view::npos,
                  "markup of theirs");
    std::size_t bars = 0;
    if (line.starts_with('|'))
      for (std::size_t i = 0; i < line.size(); ++i)
        bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
    fuzz::require(columns == 0 || bars == 0 || bars == columns, "a row with other columns");
    columns = bars;
  }
}

void check_csv(std::string_view text) {
  std::size_t expected = 0;
  std::size_t fields = 1;
  bool quoted = false;
  bool at_start = true;
  for (const char c : text) {
    fuzz::require(!at_start || quoted || (c != '=' && c != '+' && c != '@'), "a formula");
    at_start = false;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++fields, at_start = true;
    if (c != '\n') continue;
    if (expected == 0) expected = fields;
    fuzz::require(fields == expected, "a line with other fields");
    fields = 1;
    at_start = true;
  }
  fuzz::require(!quoted, "a field without an end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 512) return -1;
  Texts texts(fuzz::text_of(data + 1, size - 1));
  report::RenderOptions options;
  options.width = 60 + data[0] / 4;
  std::string text;
  if (data[0] % 4 == 0) {
    text = report::terminal_text(document_of(texts), options);
    check_terminal(text);
  } else if (data[0] % 4 == 1) {
    text = report::markdown_text(document_of(texts));
    check_markdown(text);
  } else if (data[0] % 4 == 2) {
    const report::Document document = document_of(texts);
    for (const report::Section& section : document.sections) text += report::html_text(section);
    fuzz::require(text.find("<smx") == std::string::npos, "markup of theirs");
  } else {
    text = report::render_csv(summary_of(texts), options);
    check_csv(text);
  }
  check_text(text);
  return 0;
}
