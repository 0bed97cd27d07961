// FRAMEWORK/FAMILY[-GENERATION][+MODE]: torch/cpu, torch/cpu+inductor, jax/tpu-v3+aot.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "seamark/base/result.h"

namespace seamark {

enum class ModelError { kBadTargetName = 1, kBadFrameworks = 2 };
constexpr std::string_view room_of(ModelError) { return "model"; }

struct TargetName {
  std::string framework;
  std::string family;
  std::string generation;  // may be empty
  std::string mode;        // may be empty; several modes are joined by '+'

  [[nodiscard]] std::string str() const;
  // Family, generation and mode without the framework: what joins results across frameworks.
  [[nodiscard]] std::string device() const;
  // Each part is [a-z0-9_]+ (generation and mode also '.' and '-'); anything else is kBadTargetName.
  static Result<TargetName> parse(std::string_view text);
  friend auto operator<=>(const TargetName&, const TargetName&) = default;
};

// Whether a target is what a user names with --to: itself, a glob of it, or its device: tpu, tpu-v5e, cuda.
[[nodiscard]] bool stands_for(const std::string& target, std::string_view to);
// "tpu" of "tpu-v5e", "torch/tpu" and "tpu+aot".
[[nodiscard]] std::string_view family_of(std::string_view to);

}  // namespace seamark
