// FRAMEWORK/FAMILY[-GENERATION][+MODE]: torch/cpu, torch/cpu+inductor, jax/tpu-v3+aot.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"

namespace seamark {

enum class ModelError { kBadTargetName = 1 };
constexpr std::string_view room_of(ModelError) { return "model"; }

struct Framework {
  std::string_view name;   // as targets and packages have it
  std::string_view root;   // what the names of its functions start with
  std::string_view label;  // as readers know it
};
inline constexpr std::array<Framework, 3> kFrameworks = {
    {{"torch", "torch", "PyTorch"}, {"tensorflow", "tf", "TensorFlow"}, {"jax", "jax", "JAX"}}};
[[nodiscard]] bool is_framework(std::string_view name);
[[nodiscard]] std::vector<std::string> framework_names();
// "PyTorch" of torch; an unknown name stays what it is.
[[nodiscard]] std::string framework_label(std::string_view name);
// "tensorflow" of tf.add and of tensorflow.add; empty: the name is no framework's.
[[nodiscard]] std::string_view framework_of(std::string_view function);

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

}  // namespace seamark
