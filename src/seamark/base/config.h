// Reads typed fields from a table (TOML or JSON) and collects every problem instead of the first.
//
//   Problems problems("seamark.toml");
//   TableReader top(document, problems);
//   const std::string name = top.need_string("name");
//   const std::int64_t jobs = top.integer("jobs", 1, {.min = 1, .max = 256});
//   top.finish();                       // unknown keys, with the nearest known one
//   if (Status s = problems.status(); !s) return s.error();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"

namespace seamark {

enum class ConfigError { kBadField = 1 };
constexpr std::string_view room_of(ConfigError) { return "config"; }

// The problems of one file, in the order found.
class Problems {
 public:
  explicit Problems(std::string_view file) : file_(file) {}
  // "file:line: message"; without the line when it is 0.
  void add(int line, std::string_view message);
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  // kBadField with one problem a line (the first 20), or success.
  [[nodiscard]] Status status() const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

// Borrows the value and the problems: both outlive it. A field with a problem reads as its fallback
// (or empty), so that reading goes on. A null member counts as absent.
class TableReader {
 public:
  // `where` is put before keys in messages: "targets[2]" gives 'targets[2].name'.
  TableReader(const Value& table, Problems& problems, std::string where = {});

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] int line() const { return table_.line(); }
  // Adds a problem at the line of `key` (of the table when it is absent).
  void problem(std::string_view key, std::string_view message);

  std::string need_string(std::string_view key);  // absent or empty: a problem
  std::string string(std::string_view key, std::string_view fallback = {});
  std::int64_t integer(std::string_view key, std::int64_t fallback, IntegerRange range = {});
  double number(std::string_view key, double fallback);
  bool boolean(std::string_view key, bool fallback);
  std::optional<std::string> maybe_string(std::string_view key);
  std::optional<std::int64_t> maybe_integer(std::string_view key, IntegerRange range = {});
  std::optional<double> maybe_number(std::string_view key);
  std::optional<bool> maybe_boolean(std::string_view key);
  // One of `allowed`; anything else is a problem that lists them.
  std::string choice(std::string_view key, std::string_view fallback,
                     std::initializer_list<std::string_view> allowed);
  // An array of strings; absent: empty.
  std::vector<std::string> strings(std::string_view key);
  // A table whose values are all strings, in order.
  std::vector<std::pair<std::string, std::string>> string_map(std::string_view key);
  // Any value, marked as known; null when absent.
  const Value* any(std::string_view key);
  // A sub-table; nullopt when absent or no table. Call finish() on it too.
  std::optional<TableReader> table(std::string_view key);
  // An array of tables ([[key]]).
  std::vector<TableReader> tables(std::string_view key);

  // Every key that nobody asked for is a problem.
  void finish();

 private:
  const Value* take(std::string_view key);
  [[nodiscard]] std::string label(std::string_view key) const;
  void mismatch(std::string_view key, const Value& got, std::string_view expected);

  const Value& table_;
  Problems& problems_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace seamark
