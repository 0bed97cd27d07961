#include "seamark/usage/scan/paper_scanner.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/usage/scan/chars.h"

namespace seamark::usage {
namespace {

// What stands behind the first `from` or `import` of a line, wherever in it; empty: neither is there.
std::string_view behind_import(std::string_view line) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view word : {std::string_view("import"), std::string_view("from")}) {
    const std::size_t at = line.find(word);
    if (at != std::string_view::npos) first = std::min(first, at + word.size());
  }
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

// Leaves out strings and comments, and hands over identifiers.
class Identifiers {
 public:
  explicit Identifiers(std::string_view text) : text_(text) {}

  // False at the end.
  bool next(std::string_view& identifier) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        skip_string();
      } else if (is_a(c, kDigit)) {
        take_word();  // 0x1f, 1e5, 10L
      } else if (is_a(c, kStartsName)) {
        identifier = take_word();
        const bool quote = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
        if (!quote || !is_prefix(identifier)) return true;
        skip_string();
      } else {
        ++at_;
      }
    }
    return false;
  }

 private:
  static bool is_prefix(std::string_view word) {
    return word.size() <= 2 && word.find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
  }

  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_a(text_[at_], kInName)) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_comment() {
    const std::size_t end = text_.find_first_of("\r\n", at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
  }

  // A backslash keeps the quote behind it from ending the string, in raw ones too. What is not closed ends
  // with its line, or, of three quotes, with the file.
  void skip_string() {
    const char quote = text_[at_];
    const char three[] = {quote, quote, quote};
    const bool triple = at_ + 2 < text_.size() && text_[at_ + 1] == quote && text_[at_ + 2] == quote;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        at_ += 2;
      } else if (c == quote && !triple) {
        ++at_;
        return;
      } else if (c == quote && text_.substr(at_, 3) == std::string_view(three, 3)) {
        at_ += 3;
        return;
      } else if ((c == '\n' || c == '\r') && !triple) {
        return;
      } else {
        ++at_;
      }
    }
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

BareNames::BareNames(std::vector<Framework> frameworks, std::span<const Catalogue> catalogues)
    : frameworks_(std::move(frameworks)) {
  if (frameworks_.size() > 32) throw std::invalid_argument("more than 32 frameworks");
  for (std::uint32_t i = 0; i < frameworks_.size(); ++i) {
    for (const Catalogue& catalogue : catalogues) {
      if (catalogue.head.framework != frameworks_[i].name) continue;
      for (const CatalogueFunction& function : catalogue.functions) {
        names_.push_back({std::string(last_part(function.name)), i});
        for (const std::string& alias : function.aliases)
          names_.push_back({std::string(last_part(alias)), i});
      }
    }
  }
  const auto key = [](const Name& name) { return std::tie(name.name, name.framework); };
  std::sort(names_.begin(), names_.end(), [&key](const Name& a, const Name& b) { return key(a) < key(b); });
  names_.erase(std::unique(names_.begin(), names_.end(),
                           [&key](const Name& a, const Name& b) { return key(a) == key(b); }),
               names_.end());
  std::vector<std::string_view> fields;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    numbers_.push_back(i);
    Range& range = by_name_.try_emplace(names_[i].name, Range{i, i}).first->second;
    range.end = i + 1;
    fields.push_back(frameworks_[names_[i].framework].name);
    fields.push_back(names_[i].name);
  }
  hash_ = to_hex(fnv1a64_fields(fields));
}

std::span<const std::uint32_t> BareNames::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return std::span(numbers_).subspan(found->second.begin, found->second.end - found->second.begin);
}

PaperScanner::PaperScanner(const BareNames& names) : names_(names), counted_(names.size(), 0) {}

void PaperScanner::count(std::string_view identifier) {
  for (const std::uint32_t number : names_.find(identifier)) {
    if ((usage_.frameworks >> names_.at(number).framework & 1) == 0) continue;
    if (counted_[number]++ == 0) {
      usage_.names.push_back({.name = number, .tier = UsageTier::kBare, .calls = 0, .references = 0});
    }
  }
}

const FileUsage& PaperScanner::scan(std::string_view text, bool /*framed*/) {
  usage_.names.clear();
  usage_.frameworks = imports_by_line(text, names_.frameworks());
  if (usage_.frameworks == 0) return usage_;
  Identifiers identifiers(text);
  for (std::string_view identifier; identifiers.next(identifier);) count(identifier);
  for (NameCount& one : usage_.names) one.calls = std::exchange(counted_[one.name], 0);
  return usage_;
}

MakeFinder bare_finder(const BareNames& names) {
  return [&names] { return std::make_unique<PaperScanner>(names); };
}

std::uint32_t imports_by_line(std::string_view text, std::span<const Framework> frameworks) {
  std::uint32_t found = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view rest = behind_import(text.substr(begin, end - begin));
    for (std::size_t i = 0; !rest.empty() && i < frameworks.size(); ++i) {
      if (rest.find(frameworks[i].module) != std::string_view::npos) found |= std::uint32_t{1} << i;
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace seamark::usage
