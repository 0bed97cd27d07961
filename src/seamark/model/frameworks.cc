#include "seamark/model/frameworks.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/value.h"

namespace seamark {
namespace {

constexpr std::size_t kMost = 32;

bool is_color(std::string_view text) {
  return text.size() == 7 && text.front() == '#' &&
         text.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

Framework read_framework(TableReader& table) {
  Framework one{table.need_string("name"),  table.need_string("module"), table.need_string("root"),
                table.need_string("label"), table.string("baseline"),    table.need_string("color"),
                table.string_map("same")};
  if (one.baseline.empty()) one.baseline = one.name + "/cpu";
  if (!TargetName::parse(one.name + "/cpu")) table.problem("name", "a name is made of a-z, 0-9 and '_'");
  if (!TargetName::parse(one.baseline)) table.problem("baseline", "expected a target, such as torch/cpu");
  if (one.module.find('.') != std::string::npos) table.problem("module", "a module without dots, please");
  if (!is_color(one.color)) table.problem("color", "expected a color, such as #d55e00");
  for (const auto& [name, other] : one.same) {
    // Each is looked up when a name is first met: one that led back to itself would never end.
    if (!name.starts_with(other + ".") || !(other + ".").starts_with(one.root + ".")) {
      table.problem("same",
                    fmt::format("'{}' must stand below '{}', and that at or below the root", name, other));
    }
  }
  return one;
}

}  // namespace

Result<Frameworks> Frameworks::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(ModelError::kBadFrameworks, text.error().message(),
                 "reinstall Seamark, or set SEAMARK_HOME");
  }
  return parse(*text, file.native());
}

Result<Frameworks> Frameworks::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(ModelError::kBadFrameworks, document.error().message());
  Problems problems(file);
  TableReader top(*document, problems);
  Frameworks known;
  for (TableReader& table : top.tables("framework")) {
    Framework one = read_framework(table);
    if (known.has(one.name)) table.problem("name", fmt::format("'{}' stands here twice", one.name));
    table.finish();
    known.all_.push_back(std::move(one));
  }
  if (known.all_.empty() || known.all_.size() > kMost) {
    problems.add(0, fmt::format("between 1 and {} [[framework]], please", kMost));
  }
  top.finish();
  if (Status status = problems.status(); !status) {
    return Error(ModelError::kBadFrameworks, status.error().message(), status.error().remedy());
  }
  return known;
}

const Framework* Frameworks::find(std::string_view name) const {
  const auto at =
      std::find_if(all_.begin(), all_.end(), [&](const Framework& one) { return one.name == name; });
  return at == all_.end() ? nullptr : &*at;
}

std::string Frameworks::listed() const {
  std::string text;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i > 0) text += i + 1 < all_.size() ? ", " : " or ";
    text += all_[i].name;
  }
  return text;
}

std::string Frameworks::label(std::string_view name) const {
  const Framework* const found = find(name);
  return found == nullptr ? std::string(name) : found->label;
}

std::string Frameworks::of(std::string_view function) const {
  const std::string_view root = function.substr(0, function.find('.'));
  for (const Framework& one : all_) {
    if (root == one.root || root == one.name) return one.name;
  }
  return {};
}

std::size_t Frameworks::place(std::string_view name) const {
  const Framework* const found = find(name);
  return found == nullptr ? all_.size() : static_cast<std::size_t>(found - all_.data());
}

}  // namespace seamark
