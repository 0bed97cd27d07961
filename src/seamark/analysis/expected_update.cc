// Writing the expectations file anew: entries are moved, kept and dropped as blocks of lines, so that what
// people wrote into it stays as they wrote it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/expected.h"
#include "seamark/analysis/expected_match.h"
#include "seamark/base/text.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

constexpr std::string_view kPreamble =
    "# Failures that are known: no findings of `seamark compare`, which keeps this file up to date with\n"
    "# --update-expected. Comments and reasons stay; entries that no longer fail go.\n"
    "version = 1\n";
constexpr std::string_view kDefaultSuite = "curated";

// An entry as lines.
struct Block {
  Expectation entry;
  std::vector<std::string> loose;  // comments above it that stand by themselves
  std::vector<std::string> lines;  // comments directly above, [[expected]], keys
};

struct Pieces {
  std::vector<std::string> preamble;
  std::vector<Block> blocks;
  std::vector<std::string> trailer;
};

bool is_blank(const std::string& line) { return trim(line).empty(); }
bool is_comment(const std::string& line) { return trim(line).starts_with('#'); }

void drop_blank_ends(std::vector<std::string>& lines) {
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  while (!lines.empty() && is_blank(lines.front())) lines.erase(lines.begin());
}

using Lines = std::vector<std::string>;

Lines part(const Lines& lines, std::size_t from, std::size_t to) {
  return {lines.begin() + static_cast<std::ptrdiff_t>(from), lines.begin() + static_cast<std::ptrdiff_t>(to)};
}

// One past the last line of an entry that begins at `header`: its keys, and comments right below them.
std::size_t end_of_entry(const Lines& lines, std::size_t header, std::size_t limit) {
  std::size_t last = header;
  for (std::size_t i = header; i < limit; ++i) {
    if (!is_blank(lines[i]) && !is_comment(lines[i])) last = i;
  }
  std::size_t end = last + 1;
  while (end < limit && is_comment(lines[end])) ++end;
  // What is right above the next entry is that one's.
  if (end == limit && limit < lines.size()) end = last + 1;
  return end;
}

Result<Pieces> cut(const Expectations& expectations) {
  Lines lines;
  for (const std::string_view line : split_lines(expectations.text())) lines.emplace_back(line);
  std::vector<Expectation> entries = expectations.entries();
  std::sort(entries.begin(), entries.end(),
            [](const Expectation& a, const Expectation& b) { return a.line < b.line; });
  Pieces pieces;
  std::size_t at = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto header = static_cast<std::size_t>(std::max(entries[e].line, 1)) - 1;
    if (header < at || header >= lines.size() || !trim(lines[header]).starts_with("[[")) {
      return Error(AnalysisError::kBadData,
                   fmt::format("{}:{}: cannot be updated: this entry is not written as a table of its own",
                               expectations.file(), entries[e].line),
                   "write each entry below a line [[expected]]");
    }
    const std::size_t limit =
        e + 1 < entries.size() ? static_cast<std::size_t>(entries[e + 1].line) - 1 : lines.size();
    std::size_t top = header;
    while (top > at && is_comment(lines[top - 1])) --top;
    Lines above = part(lines, at, top);
    at = end_of_entry(lines, header, std::max(limit, header + 1));
    Block block;
    block.entry = entries[e];
    block.lines = part(lines, top, at);
    drop_blank_ends(above);
    (e == 0 ? pieces.preamble : block.loose) = std::move(above);
    pieces.blocks.push_back(std::move(block));
  }
  (entries.empty() ? pieces.preamble : pieces.trailer) = part(lines, at, lines.size());
  drop_blank_ends(pieces.trailer);
  drop_blank_ends(pieces.preamble);
  return pieces;
}

// TOML's basic string.
std::string toml_text(std::string_view raw) {
  std::string out = "\"";
  for (const char c : repair_utf8(raw)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

Block block_of(Expectation entry) {
  Block block;
  Lines& lines = block.lines;
  lines.emplace_back("[[expected]]");
  lines.push_back("target = " + toml_text(entry.target));
  if (!entry.function.empty()) lines.push_back("function = " + toml_text(entry.function));
  if (!entry.case_name.empty()) lines.push_back("case = " + toml_text(entry.case_name));
  if (entry.category) lines.push_back("category = " + toml_text(name_of(*entry.category)));
  if (entry.flaky) lines.emplace_back("flaky = true");
  if (!entry.suite.empty()) lines.push_back("suite = " + toml_text(entry.suite));
  block.entry = std::move(entry);
  return block;
}

// Replaces the value of the line `category = ...`; false where there is none of that form.
bool replace_category(Block& block, Category category) {
  for (std::string& line : block.lines) {
    const std::string_view text = trim(line);
    if (!text.starts_with("category")) continue;
    const std::size_t equals = line.find('=');
    const std::size_t open = equals == std::string::npos ? equals : line.find_first_of("\"'", equals);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open], open + 1);
    if (close == std::string::npos) continue;
    line.replace(open, close - open + 1, toml_text(name_of(category)));
    block.entry.category = category;
    return true;
  }
  return false;
}

std::optional<Category> most_frequent(const std::vector<FailingCase>& failing) {
  std::map<Category, int> counts;
  for (const FailingCase& one : failing) {
    if (one.delta->after->category) ++counts[*one.delta->after->category];
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

// Does the entry stay? Puts its category right.
bool stays(Block& block, const Comparison& comparison) {
  const ExpectationStatus standing = standing_of(comparison, block.entry);
  if (standing.fate == Fate::kHolds || standing.fate == Fate::kNotJudged) return true;
  if (standing.fate != Fate::kOtherCategory) return false;
  const std::optional<Category> category = most_frequent(standing.failing);
  return category && replace_category(block, *category);
}

bool covers(const std::vector<Block>& blocks, const std::string& target, const std::string& function,
            const CaseDelta& one) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
    const Expectation& entry = block.entry;
    return entry.speaks_of(target, function, one.name) &&
           (!entry.category || entry.category == one.after->category);
  });
}

// All cases of a function that ran fail, for one reason and each time: one entry says it.
bool fails_as_a_whole(const std::vector<const CaseDelta*>& ran, const std::vector<const CaseDelta*>& news) {
  return ran.size() == news.size() && std::all_of(news.begin(), news.end(), [&](const CaseDelta* one) {
           return one->after->category == news.front()->after->category &&
                  one->suite == news.front()->suite && one->after->outcome != Outcome::kFlaky;
         });
}

Expectation entry_of(const std::string& target, const CaseDelta& one) {
  Expectation entry;
  entry.target = target;
  entry.category = one.after->category;
  if (one.suite != kDefaultSuite) entry.suite = one.suite;
  return entry;
}

void add_new(std::vector<Block>& blocks, const PairDelta& pair) {
  const std::vector<Block> kept = blocks;
  std::size_t i = 0;
  while (i < pair.cases.size()) {
    const std::size_t function = pair.cases[i].function;
    const std::string& name = pair.functions[function].name;
    std::vector<const CaseDelta*> ran;
    std::vector<const CaseDelta*> news;
    for (; i < pair.cases.size() && pair.cases[i].function == function; ++i) {
      const CaseDelta& one = pair.cases[i];
      if (!one.after || !was_run(one.after->outcome)) continue;
      ran.push_back(&one);
      if (failed(one.after->outcome) && !covers(kept, pair.target(), name, one)) news.push_back(&one);
    }
    if (news.empty()) continue;
    if (fails_as_a_whole(ran, news)) {
      Expectation entry = entry_of(pair.target(), *news.front());
      entry.function = name;
      blocks.push_back(block_of(std::move(entry)));
      continue;
    }
    for (const CaseDelta* one : news) {
      Expectation entry = entry_of(pair.target(), *one);
      entry.case_name = one->name;
      entry.flaky = one->after->outcome == Outcome::kFlaky;
      blocks.push_back(block_of(std::move(entry)));
    }
  }
}

auto order_of(const Block& block) {
  const Expectation& entry = block.entry;
  const std::string function =
      entry.function.empty() ? entry.case_name.substr(0, entry.case_name.find('/')) : entry.function;
  return std::tuple(entry.target, function, entry.case_name);
}

void write(std::string& out, const Lines& lines) {
  if (lines.empty()) return;
  if (!out.empty()) out += '\n';
  for (const std::string& line : lines) out += line + '\n';
}

}  // namespace

Result<std::string> updated_expectations(const Comparison& comparison, const Expectations& expectations) {
  Result<Pieces> pieces = cut(expectations);
  if (!pieces) return pieces.error();
  std::vector<Block> blocks;
  Lines orphans;
  for (Block& block : pieces->blocks) {
    if (!orphans.empty()) {
      if (!block.loose.empty()) orphans.emplace_back();
      block.loose.insert(block.loose.begin(), orphans.begin(), orphans.end());
      orphans.clear();
    }
    if (stays(block, comparison)) {
      blocks.push_back(std::move(block));
    } else {
      orphans = std::move(block.loose);
    }
  }
  for (const PairDelta& pair : comparison.pairs) add_new(blocks, pair);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return order_of(a) < order_of(b); });
  std::string out;
  if (pieces->preamble.empty()) {
    if (trim(expectations.text()).empty()) out = kPreamble;
  } else {
    write(out, pieces->preamble);
  }
  for (const Block& block : blocks) {
    write(out, block.loose);
    write(out, block.lines);
  }
  write(out, orphans);
  write(out, pieces->trailer);
  return out;
}

}  // namespace seamark::analysis
