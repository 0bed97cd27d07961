// The targets that are known: data/targets.toml, changed and extended by a user's seamark.toml. The form
// of an entry is in docs/targets.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/config.h"
#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/model/frameworks.h"
#include "seamark/model/outcome.h"
#include "seamark/model/target_name.h"
#include "seamark/target/hardware.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

enum class MemoryRule : std::uint8_t { kNone, kRlimit, kWatch };  // none, rlimit, watch

struct TargetEntry {
  TargetName parts;
  std::string name;  // parts.str()
  std::string summary;
  std::string adapter;                    // a module of python/seamark_agent/adapters, or a user's file.py
  std::string device;                     // as the framework takes it
  std::vector<std::string> environments;  // recipes that serve it, the one to install first; empty: the
                                          // user's own interpreter
  WorkerMode worker = WorkerMode::kPersistent;
  WorkerMode confirm = WorkerMode::kProcess;  // how a persistent target runs cases again alone: process, fork
  bool quick = false;   // a case takes seconds: `--cases quick` runs the quick cases alone
  bool dynamo = false;  // torch.compile makes its graphs
  Evidence evidence = Evidence::kVerified;  // the most that it can reach
  std::string baseline;                     // ratios refer to it; the framework's unless said
  std::string reference;                    // failures are compared with its
  MemoryRule memory_rule = MemoryRule::kWatch;
  std::int64_t memory_mib = 0;  // above the size after import
  bool network = false;         // its workers may use the network: a device that is reached by it
  int threads = 1;
  int slots = 0;  // workers at once; 0: as many as the run has jobs for it
  double timeout_s = 900;
  Value options;                                               // object, for the adapter
  std::vector<std::pair<std::string, std::string>> variables;  // of the worker's environment
  std::vector<std::string> requires_programs;  // "$CXX|g++|clang++": one of each must be on PATH
  std::vector<std::string> packages;           // importable ones that no framework brings by itself
  std::string hardware;                        // name of a HardwareCheck; empty: none is needed
  Value resources;                             // of a node of Ray; null: its hardware's
  std::string remedy;                          // what makes it usable where a requirement is missing
  bool from_user = false;

  // The entry as the agent gets it: name, framework, adapter, device, mode, options and the rest.
  [[nodiscard]] Value hello() const;
};

class Registry {
 public:
  // kUnreadable, kBadEntry.
  static Result<Registry> load(const std::filesystem::path& file, Frameworks frameworks = {});
  static Result<Registry> parse(std::string_view toml, std::string_view file, Frameworks frameworks = {});

  // The [[target]] and [[hardware]] tables of a user's document: a known name changes the keys that are
  // given, a new one is added (`like = "torch/cuda"` takes the rest from another entry). What is wrong is
  // added to the problems. `folder`: the document's, of which relative paths are; empty: Seamark's own.
  void extend(TableReader& document, Problems& problems, const std::filesystem::path& folder = {});

  [[nodiscard]] const std::vector<TargetEntry>& targets() const { return targets_; }  // in order of the files
  [[nodiscard]] const TargetEntry* find(std::string_view name) const;
  [[nodiscard]] const HardwareCheck* hardware(std::string_view name) const;
  [[nodiscard]] const Frameworks& frameworks() const { return frameworks_; }
  // What targets of a framework are compared with, unless they say otherwise.
  [[nodiscard]] std::string baseline_of(const std::string& framework) const;

  // Of the targets of a framework that stand for what --to names: the first, "" where none does.
  [[nodiscard]] std::string first_for(const std::string& framework, const std::string& to) const;

  // What these names and globs mean, in the registry's order, each once; everything for none. A name or
  // a glob without a match is kUnknownTarget with the nearest name.
  [[nodiscard]] Result<std::vector<const TargetEntry*>> select(std::span<const std::string> patterns) const;

 private:
  [[nodiscard]] TargetEntry fresh_entry(TargetName parts) const;
  [[nodiscard]] TargetEntry like_entry(TargetName parts, const TargetEntry& model) const;

  Frameworks frameworks_;
  std::vector<TargetEntry> targets_;
  std::vector<HardwareCheck> hardware_;
};

}  // namespace seamark::target
