#include "seamark/usage/scan/imports.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "seamark/usage/scan/chars.h"
#include "seamark/usage/scan/skim.h"

namespace seamark::usage {

namespace {

constexpr std::size_t kImportSize = 6;
constexpr std::size_t kMaxBack = 1000;  // from `import` back to `from`

class Look {
 public:
  Look(std::string_view text, const Vocabulary::Tables& tables, std::vector<std::string_view>& names)
      : text_(text), tables_(tables), names_(names) {}

  bool all() {
    bool found = false;
    for (std::size_t at = 0; (at = next(at)) != std::string_view::npos; at += kImportSize) {
      if (at > 0 && is_a(text_[at - 1], kInName)) continue;
      const std::size_t behind = at + kImportSize;
      if (behind >= text_.size() || is_a(text_[behind], kInName)) continue;
      found = one(at, behind) || found;
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t next(std::size_t at) const {
    const char* end = text_.data() + text_.size();
    const char* found = find_import(text_.data() + at, end);
    return found == end ? std::string_view::npos : static_cast<std::size_t>(found - text_.data());
  }
  [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\n'; }

  // Blanks, continued lines; in brackets also line ends and comments.
  [[nodiscard]] std::size_t skip(std::size_t i, bool brackets) const {
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (is_a(c, kBlank)) continue;
      if (c == '\\' && (at(i + 1) == '\n' || at(i + 1) == '\r')) {
        ++i;
        if (at(i) == '\r' && at(i + 1) == '\n') ++i;
      } else if (brackets && c == '#') {
        i = std::min(text_.find_first_of("\r\n", i), text_.size()) - 1;
      } else if (!brackets || (c != '\n' && c != '\r')) {
        break;
      }
    }
    return i;
  }
  [[nodiscard]] std::size_t back_over_blanks(std::size_t i, std::size_t limit) const {
    while (i > limit) {
      const char c = text_[i - 1];
      if (c == '\n' || c == '\r') {  // a continued line
        const bool pair = c == '\n' && i - 1 > limit && text_[i - 2] == '\r';
        const std::size_t slash = pair ? i - 2 : i - 1;
        if (slash <= limit || text_[slash - 1] != '\\') break;
        i = slash;
        continue;
      }
      if (!is_a(c, kBlank) && c != '\\') break;
      --i;
    }
    return i;
  }
  [[nodiscard]] std::size_t name_end(std::size_t i) const {
    while (i < text_.size() && is_a(text_[i], kInName)) ++i;
    return i;
  }
  [[nodiscard]] bool is_framework(std::string_view name) const {
    return std::any_of(tables_.frameworks().begin(), tables_.frameworks().end(),
                       [&](const Framework& one) { return one.module == name; });
  }

  bool one(std::size_t at, std::size_t behind) {
    // The dotted name in front, if there is one with `from` before it.
    const std::size_t limit = at > kMaxBack ? at - kMaxBack : 0;
    std::size_t i = back_over_blanks(at, limit);
    const std::size_t module_end = i;
    std::size_t module = i;
    for (;;) {
      std::size_t begin = i;
      while (begin > limit && is_a(text_[begin - 1], kInName)) --begin;
      if (begin == i) break;
      if (text_.substr(begin, i - begin) == "from" && module != module_end) {
        return names_from(module, module_end, behind);
      }
      module = begin;
      i = back_over_blanks(begin, limit);
      if (i > limit && text_[i - 1] == '.') i = back_over_blanks(i - 1, limit);
    }
    return names_of(behind);
  }

  // import a.b, c as d
  bool names_of(std::size_t i) {
    bool found = false;
    for (;;) {
      i = skip(i, false);
      const std::size_t first = i;
      i = name_end(i);
      if (i == first) return found;
      const bool framework = is_framework(text_.substr(first, i - first));
      for (i = skip(i, false); at(i) == '.'; i = skip(name_end(skip(i + 1, false)), false)) {
      }
      i = alias(i, framework, false);
      found = found || framework;
      if (at(i) != ',') return found;
      ++i;
    }
  }

  // Behind "as NAME", or i.
  std::size_t alias(std::size_t i, bool wanted, bool brackets) {
    if (at(i) != 'a' || at(i + 1) != 's' || is_a(at(i + 2), kInName)) return i;
    const std::size_t begin = skip(i + 2, brackets);
    const std::size_t end = name_end(begin);
    if (wanted && end > begin) names_.push_back(text_.substr(begin, end - begin));
    return skip(end, brackets);
  }

  // from MODULE import a, b as c
  bool names_from(std::size_t module, std::size_t module_end, std::size_t i) {
    const std::size_t root_end = name_end(module);
    if (!is_framework(text_.substr(module, root_end - module))) return false;
    i = skip(i, false);
    const bool brackets = at(i) == '(';
    if (brackets) i = skip(i + 1, true);
    if (at(i) == '*')
      star(text_.substr(module, root_end - module), text_.substr(root_end, module_end - root_end));
    for (;;) {
      const std::size_t first = i;
      i = name_end(i);
      if (i == first) return true;
      const std::string_view name = text_.substr(first, i - first);
      i = skip(i, brackets);
      const std::size_t behind = alias(i, true, brackets);
      if (behind == i) names_.push_back(name);
      i = behind;
      if (at(i) != ',') return true;
      i = skip(i + 1, brackets);
    }
  }

  void star(std::string_view root, std::string_view below) {
    for (const Framework& one : tables_.frameworks()) {
      if (one.module != root) continue;
      const std::vector<std::string_view>* names = tables_.names_below(one.root + std::string(below));
      if (names != nullptr) names_.insert(names_.end(), names->begin(), names->end());
    }
  }

  std::string_view text_;
  const Vocabulary::Tables& tables_;
  std::vector<std::string_view>& names_;
};

}  // namespace

bool find_imports(std::string_view text, const Vocabulary::Tables& tables,
                  std::vector<std::string_view>& names) {
  return Look(text, tables, names).all();
}

}  // namespace seamark::usage
