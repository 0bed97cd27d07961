#include "seamark/base/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark {
namespace {

constexpr std::size_t kMostProblemsShown = 20;

std::string_view article(std::string_view noun) {
  return !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos ? "an" : "a";
}

std::string with_article(std::string_view noun) { return fmt::format("{} {}", article(noun), noun); }

}  // namespace

void Problems::add(int line, std::string_view message) {
  if (line > 0) {
    lines_.push_back(fmt::format("{}:{}: {}", file_, line, one_line(message)));
  } else {
    lines_.push_back(fmt::format("{}: {}", file_, one_line(message)));
  }
}

Status Problems::status() const {
  if (lines_.empty()) return {};
  const std::size_t shown = std::min(lines_.size(), kMostProblemsShown);
  std::string message = join(std::span<const std::string>(lines_).first(shown), "\n");
  if (lines_.size() > shown) message += fmt::format("\n{}: {} more problems", file_, lines_.size() - shown);
  return Error(ConfigError::kBadField, std::move(message), fmt::format("correct {}", file_));
}

TableReader::TableReader(const Value& table, Problems& problems, std::string where)
    : table_(table), problems_(problems), where_(std::move(where)) {
  if (!table.is_object()) {
    problems_.add(table.line(), fmt::format("expected a table{}{}, got {}", where_.empty() ? "" : " for ",
                                            where_.empty() ? "" : "'" + where_ + "'", table.type_name()));
  }
}

std::string TableReader::label(std::string_view key) const {
  return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
}

const Value* TableReader::take(std::string_view key) {
  known_.emplace_back(key);
  const Value* found = table_.find(key);
  return found != nullptr && found->is_null() ? nullptr : found;
}

bool TableReader::has(std::string_view key) const {
  const Value* found = table_.find(key);
  return found != nullptr && !found->is_null();
}

void TableReader::problem(std::string_view key, std::string_view message) {
  const Value* found = table_.find(key);
  problems_.add(found != nullptr ? found->line() : table_.line(),
                fmt::format("'{}': {}", label(key), message));
}

void TableReader::mismatch(std::string_view key, const Value& got, std::string_view expected) {
  problems_.add(got.line(), fmt::format("expected {} for '{}', got {}", with_article(expected), label(key),
                                        with_article(got.type_name())));
}

std::optional<std::string> TableReader::maybe_string(std::string_view key) {
  const Value* found = take(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_string()) return found->as_string();
  mismatch(key, *found, "string");
  return std::nullopt;
}

std::optional<std::int64_t> TableReader::maybe_integer(std::string_view key, IntegerRange range) {
  const Value* found = take(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_int()) {
    mismatch(key, *found, "integer");
    return std::nullopt;
  }
  if (found->as_int() >= range.min && found->as_int() <= range.max) return found->as_int();
  constexpr IntegerRange kAny;
  std::string expected;
  if (range.min != kAny.min && range.max != kAny.max) {
    expected = fmt::format("between {} and {}", range.min, range.max);
  } else if (range.min != kAny.min) {
    expected = fmt::format("at least {}", range.min);
  } else {
    expected = fmt::format("at most {}", range.max);
  }
  problems_.add(found->line(),
                fmt::format("expected {} for '{}', got {}", expected, label(key), found->as_int()));
  return std::nullopt;
}

std::optional<double> TableReader::maybe_number(std::string_view key) {
  const Value* found = take(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_number()) return found->as_number();
  mismatch(key, *found, "number");
  return std::nullopt;
}

std::optional<bool> TableReader::maybe_boolean(std::string_view key) {
  const Value* found = take(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_bool()) return found->as_bool();
  mismatch(key, *found, "boolean");
  return std::nullopt;
}

std::string TableReader::need_string(std::string_view key) {
  const bool absent = !has(key);
  const std::size_t problems_before = problems_.lines().size();
  std::string text = maybe_string(key).value_or("");
  if (absent) {
    problems_.add(table_.line(), fmt::format("expected a string for '{}', which is missing", label(key)));
  } else if (text.empty() && problems_.lines().size() == problems_before) {
    problem(key, "must not be empty");
  }
  return text;
}

std::string TableReader::string(std::string_view key, std::string_view fallback) {
  return maybe_string(key).value_or(std::string(fallback));
}

std::int64_t TableReader::integer(std::string_view key, std::int64_t fallback, IntegerRange range) {
  return maybe_integer(key, range).value_or(fallback);
}

double TableReader::number(std::string_view key, double fallback) {
  return maybe_number(key).value_or(fallback);
}

bool TableReader::boolean(std::string_view key, bool fallback) {
  return maybe_boolean(key).value_or(fallback);
}

std::string TableReader::choice(std::string_view key, std::string_view fallback,
                                std::initializer_list<std::string_view> allowed) {
  const std::optional<std::string> got = maybe_string(key);
  if (!got) return std::string(fallback);
  if (std::find(allowed.begin(), allowed.end(), *got) != allowed.end()) return *got;
  const std::vector<std::string_view> names(allowed);
  problem(key, fmt::format("expected one of {}, got '{}'",
                           join(std::span<const std::string_view>(names), ", "), *got));
  return std::string(fallback);
}

std::vector<std::string> TableReader::strings(std::string_view key) {
  std::vector<std::string> out;
  const Value* found = take(key);
  if (found == nullptr) return out;
  if (!found->is_array()) {
    problems_.add(found->line(), fmt::format("expected an array of strings for '{}', got {}", label(key),
                                             with_article(found->type_name())));
    return out;
  }
  for (std::size_t i = 0; i < found->as_array().size(); ++i) {
    const Value& item = found->as_array()[i];
    if (item.is_string()) {
      out.push_back(item.as_string());
    } else {
      mismatch(fmt::format("{}[{}]", key, i), item, "string");
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> TableReader::string_map(std::string_view key) {
  std::vector<std::pair<std::string, std::string>> out;
  const Value* found = take(key);
  if (found == nullptr) return out;
  if (!found->is_object()) {
    mismatch(key, *found, "table");
    return out;
  }
  for (const auto& [name, item] : found->as_object()) {
    if (item.is_string()) {
      out.emplace_back(name, item.as_string());
    } else {
      mismatch(fmt::format("{}.{}", key, name), item, "string");
    }
  }
  return out;
}

const Value* TableReader::any(std::string_view key) { return take(key); }

std::optional<TableReader> TableReader::table(std::string_view key) {
  const Value* found = take(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_object()) {
    mismatch(key, *found, "table");
    return std::nullopt;
  }
  return TableReader(*found, problems_, label(key));
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  std::vector<TableReader> out;
  const Value* found = take(key);
  if (found == nullptr) return out;
  if (!found->is_array()) {
    problems_.add(found->line(), fmt::format("expected an array of tables for '{}', got {}", label(key),
                                             with_article(found->type_name())));
    return out;
  }
  for (std::size_t i = 0; i < found->as_array().size(); ++i) {
    const Value& item = found->as_array()[i];
    const std::string name = fmt::format("{}[{}]", key, i);
    if (item.is_object()) {
      out.emplace_back(item, problems_, label(name));
    } else {
      mismatch(name, item, "table");
    }
  }
  return out;
}

void TableReader::finish() {
  if (!table_.is_object()) return;
  std::sort(known_.begin(), known_.end());
  known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
  for (const auto& [name, item] : table_.as_object()) {
    if (std::binary_search(known_.begin(), known_.end(), name)) continue;
    std::string message = fmt::format("unknown key '{}'", label(name));
    if (const auto known = nearest(name, known_)) {
      message += fmt::format("; did you mean '{}'?", *known);
    } else if (!known_.empty()) {
      message += fmt::format("; known are {}", join(std::span<const std::string>(known_), ", "));
    }
    problems_.add(item.line(), message);
  }
}

}  // namespace seamark
