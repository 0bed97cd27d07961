// `declared` evidence: the operators that a function's cases call, held against the kernels that a
// framework's own tables name for a device (docs/declared.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/agent/commands.h"
#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/catalog/catalog_error.h"
#include "seamark/model/declared.h"

namespace seamark::catalog {

// Attribute of an operator -> the data types that a kernel takes for it. What is left out is open.
using KernelTypes = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;
// operator -> dispatch keys, or device types, with a kernel of it, and of which types.
using Kernels = std::map<std::string, std::map<std::string, KernelTypes, std::less<>>, std::less<>>;

struct DeclaredDevice {
  std::string name;               // as users read it: CUDA, SparseCUDA, GPU, TPU
  std::string family;             // of targets: cuda, mps, tpu
  std::string key;                // that an operator must have a kernel for
  std::vector<std::string> also;  // or for one of these
  std::string backend;  // behind the layout, of operators on special layouts: aten::add@Sparse asks for
                        // SparseCUDA
  std::string package;  // that names the kernels
  std::string version;  // of the package; empty: what traced the cases
  std::string file;     // in the folder of the rules; empty: the agent reads the user's own
  std::string note;
  Kernels kernels;  // of `file`
};

// What the CPU alone picks, and what others call in its place, by the name of the device.
struct Alternative {
  std::string reason;
  std::map<std::string, std::vector<std::string>> instead;
};

struct DeclaredRules {
  std::string framework;
  std::vector<DeclaredDevice> devices;
  std::vector<std::string> ignored;  // globs of operators that compute nothing
  std::map<std::string, Alternative> alternatives;

  // data/declared/FRAMEWORK.toml and the tables that it names. kNoRules where there are none, kBadRules.
  static Result<DeclaredRules> load(const std::filesystem::path& folder, std::string_view framework);
};

// A table as scripts/gather_declared.py writes it: op,device,dtypes. kBadRules names the line.
Result<Kernels> parse_kernels(std::string_view csv, std::string_view file);

struct TracedCase {
  std::string name;
  std::string function;
  bool host_only = false;
  std::vector<std::string> operators;  // aten::add.Tensor, aten::add.Tensor@Sparse, AddV2
  std::string error;                   // why these are not all of them; empty: they are
  std::string dtype;                   // f32; empty: none
  std::vector<std::string> typed;      // the operators once more, each with its types: AddV2 T=float32
};

// The data types in which a framework's own lists have a function on a device, and those that they could name
// and do not.
struct ListedDtypes {
  std::vector<std::string> named;
  std::vector<std::string> missing;
};

// What the agent's `declared` printed.
struct Trace {
  std::string framework;
  std::string version;
  std::string source;  // of `kernels`; empty: this environment names none
  Kernels kernels;
  std::vector<TracedCase> cases;
  std::map<std::string, std::map<std::string, ListedDtypes>> listed;  // function -> device -> its data types
};

// kBadRow names the line. A trace without its `end` row, or with other counts than it says, is not whole.
Result<Trace> decode_trace(std::string_view lines);

// One per device of the rules. Functions in the order of their names.
std::vector<Declared> declare(const DeclaredRules& rules, const Trace& trace, std::int64_t now_unix_us);

// Runs the core cases of these suites on the CPU and joins. Errors of the agent, and kBadRow.
Result<std::vector<Declared>> gather_declared(const agent::AgentProgram& program, const DeclaredRules& rules,
                                              std::span<const std::string> suites, const Value& target,
                                              std::int64_t now_unix_us);

}  // namespace seamark::catalog
