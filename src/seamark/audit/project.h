// A project's code: what it calls, where, and which rules hold in it. Nothing of it is imported or run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/audit/check.h"
#include "seamark/base/result.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/resolve/vocabulary.h"

namespace seamark::audit {

struct Site {
  std::uint32_t file = 0;  // of Project::files
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  bool call = false;     // else it is named without a call
  bool guarded = false;  // a call that is made only where it works (guards.h)
};

// One function of a framework.
struct FunctionUse {
  std::string framework;
  std::string name;
  bool known = true;  // false: below the framework, but its catalogue does not have it
  std::int64_t calls = 0;
  std::int64_t references = 0;
  std::vector<Site> sites;  // by file, line, column; at most kMostSites
};

// A rule that holds at a place.
struct Finding {
  std::size_t rule = 0;    // of the rules that were asked
  std::uint32_t file = 0;  // of Project::files
  Hit hit;
};

struct ProjectFile {
  std::string path;                        // as it was given, or below the folder that was given
  std::vector<std::string> frameworks;     // that it imports
  std::vector<usage::NotebookCell> cells;  // of a notebook
  bool guarded = false;  // other files import it, each where they asked whether what it needs is there
};

struct Project {
  std::vector<ProjectFile> files;  // those with uses or findings, in the order read
  std::int64_t read = 0;           // files of Python
  std::int64_t with_framework = 0;
  std::vector<std::string> frameworks;  // that are imported, by name
  std::vector<FunctionUse> functions;   // by framework, calls (most first), name
  std::vector<Finding> findings;        // by file, line
  std::vector<usage::Loss> losses;      // what could not be read, or in part: the first of them
  std::int64_t lost = 0;                // how many
};

struct ProjectOptions {
  std::vector<std::string> exclude;  // globs of paths
};

inline constexpr std::size_t kMostSites = 10'000;  // of one function

// Takes files one by one. Borrows the vocabulary and the rules.
class Auditor {
 public:
  Auditor(const usage::Vocabulary& vocabulary, std::span<const Rule> rules);
  ~Auditor();
  Auditor(const Auditor&) = delete;
  Auditor& operator=(const Auditor&) = delete;

  // `text`: Python; see usage::SourceFile.
  void take(std::string_view path, std::string_view text, bool framed = false,
            std::span<const usage::NotebookCell> cells = {});
  // A file that is no Python.
  void take_other(std::string_view path, std::string_view text);
  void lose(const usage::Loss& loss);
  // Files of Python that nothing was looked for in, since they have nothing that could be found.
  void pass_over(std::int64_t files);
  // What came of all of them, in order. To be asked once.
  Project finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Files and folders; .py and .ipynb, and what rules ask of others. kBadProject where one is not there; what
// cannot be read is among the losses.
Result<Project> audit_paths(std::span<const std::string> paths, const usage::Vocabulary& vocabulary,
                            std::span<const Rule> rules, const ProjectOptions& options);

// Of each file the device that it is for by its name or its folder's, where what lies beside it is for
// others: "cuda" of backends/cuda/ops.py beside backends/mps/ops.py. Else empty.
[[nodiscard]] std::vector<std::string_view> devices_by_name(std::span<const ProjectFile> files);

// Whether a path is one of tests, examples or benchmarks.
[[nodiscard]] bool is_test_path(std::string_view path);

}  // namespace seamark::audit
