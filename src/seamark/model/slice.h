// One of N parts of a plan or a corpus, so that several machines share it: every Nth item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seamark {

struct Slice {
  static constexpr std::int64_t kMost = 1'000'000;

  std::int64_t index = 1;  // from 1
  std::int64_t count = 1;

  [[nodiscard]] bool takes(std::size_t position) const {
    return static_cast<std::int64_t>(position % static_cast<std::size_t>(count)) == index - 1;
  }
  [[nodiscard]] std::string str() const;  // "3/64"
  friend bool operator==(const Slice&, const Slice&) = default;
};

// "3/64", with 1 <= 3 <= 64 <= kMost.
[[nodiscard]] std::optional<Slice> parse_slice(std::string_view text);

}  // namespace seamark
