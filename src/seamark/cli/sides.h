// What `seamark compare` compares: the syntax of a side, and the store, run and targets that it means.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/base/result.h"
#include "seamark/model/frameworks.h"
#include "seamark/store/store.h"

namespace seamark::cli {

// [STORE][@RUN|@TARGET|@FRAMEWORK==VERSION]...; without a STORE the leading @ may be left out.
struct OperandSpec {
  std::string label;      // as written
  std::string store;      // a file; empty: the default store
  std::string baseline;   // a published study; nothing else is set then
  std::string run;        // latest, all, or the beginning of an id; empty: not said
  std::string target;     // empty: not said
  std::string framework;  // of a version; empty: not said
  std::string version;
};

// What is there. A file wins over every other reading of the same text.
struct OperandWorld {
  std::function<bool(const std::string&)> is_file;
  std::function<bool(const std::string&)> is_baseline;
  Frameworks frameworks;
};

// kUsage says what a side can be.
Result<OperandSpec> parse_side(std::string_view text, const OperandWorld& world);

struct OpenOperand {
  std::shared_ptr<store::Store> store;
  store::RunChoice run;
  std::vector<std::string> targets;        // exact names; empty: all
  std::vector<std::string> known_targets;  // of the chosen run
  std::string label;
  bool one_target = false;
  // Valid while this lives and is not moved.
  [[nodiscard]] analysis::Operand side();
};

// Opens the store, or shares that of the other side where both are in one file: what both mean is of one
// moment. A target or version without a run means the latest run that has it. kUnknownName names what the
// store has.
Result<OpenOperand> open_side(const OperandSpec& spec, const std::string& default_store,
                              const OpenOperand* other = nullptr);

// --target's names and globs, on both sides. kUnknownName where neither side has one; kUsage where a side
// names a target itself.
Status choose_targets(OpenOperand& before, OpenOperand& after, const std::vector<std::string>& patterns);

}  // namespace seamark::cli
