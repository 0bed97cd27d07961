// One row of JSON lines that the agent prints. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/value.h"

namespace seamark::catalog {

inline constexpr DocumentLimits kRowLimits = {.max_bytes = std::size_t{1} << 20, .max_depth = 8};

// Reads the members of one row; the first problem is kept.
class Row {
 public:
  explicit Row(const Value& value) : value_(value) {}  // borrows it

  std::string text(std::string_view key, bool required = false);
  std::int64_t count(std::string_view key, bool required = true);
  bool flag(std::string_view key);
  std::vector<std::string> texts(std::string_view key);

  // "has a 'name' that is not a string"; empty: none.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void wrong(std::string_view key, std::string_view expected);

  const Value& value_;
  std::string problem_;
};

}  // namespace seamark::catalog
