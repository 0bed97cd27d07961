// Known shapes of secrets (data/secrets.toml), masked in what is stored.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"

namespace seamark {

class SecretShapes {
 public:
  static Result<SecretShapes> load(const std::filesystem::path& file);
  static Result<SecretShapes> parse(std::string_view toml, std::string_view file);

  // Puts kMask in place of each secret, and says whether there was one. Masking again changes nothing.
  bool mask(std::string& text) const;
  // Every string of a document; not its keys.
  bool mask(Value& document) const;

  static constexpr std::string_view kMask = "[masked]";

 private:
  using Bytes = std::array<bool, 256>;
  struct Shape {
    std::string start;  // stays
    Bytes skip{};       // any number of these stay too,
    std::string then;   // and this;
    Bytes bytes{};      // then the secret, of these,
    std::size_t least = 0;
    std::string end;    // before this;
    std::string until;  // or all up to this, or to the end of the text
  };
  struct Found {
    std::size_t from = 0;  // of the secret
    std::size_t to = 0;
  };
  // Of the shape that begins at `at`; nothing found: `to` is 0.
  [[nodiscard]] static Found find(const Shape& shape, std::string_view text, std::size_t at);
  [[nodiscard]] Found find_at(std::string_view text, std::size_t at) const;

  std::array<std::vector<Shape>, 256> by_first_byte_;
};

}  // namespace seamark
