// The frameworks that are known: data/frameworks.toml, in the order of tables.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/target_name.h"

namespace seamark {

struct Framework {
  std::string name;      // in targets: tensorflow
  std::string module;    // what is imported: tensorflow
  std::string root;      // what the names of its functions begin with: tf
  std::string label;     // as readers know it: TensorFlow
  std::string baseline;  // what its targets are compared with, unless they say otherwise
  std::string color;     // of charts: #009e73
  // Names that stand for others: tf.compat.v2, tf.
  std::vector<std::pair<std::string, std::string>> same;
};

class Frameworks {
 public:
  Frameworks() = default;
  // kBadFrameworks.
  static Result<Frameworks> load(const std::filesystem::path& file);
  static Result<Frameworks> parse(std::string_view toml, std::string_view file);

  [[nodiscard]] const std::vector<Framework>& all() const { return all_; }
  [[nodiscard]] const Framework* find(std::string_view name) const;  // nullptr: none
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // "torch, tensorflow or jax"
  [[nodiscard]] std::string listed() const;
  // "PyTorch" of torch; an unknown name stays what it is.
  [[nodiscard]] std::string label(std::string_view name) const;
  // "tensorflow" of tf.add and of tensorflow.add; empty: the name is no framework's.
  [[nodiscard]] std::string of(std::string_view function) const;
  // Where it stands in the order of tables; an unknown one last.
  [[nodiscard]] std::size_t place(std::string_view name) const;

 private:
  std::vector<Framework> all_;
};

}  // namespace seamark
