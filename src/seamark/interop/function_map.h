// Which function an external test tests: by the user's table, else by rules on the test's name. An uncertain
// test belongs to no function; nothing is guessed.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/interop/external.h"
#include "seamark/interop/import_rules.h"

namespace seamark::interop {

// The functions of one framework by the names that tests can call them.
class KnownFunctions {
 public:
  KnownFunctions(std::string framework, const ImportRules& rules);  // borrows the rules

  // `name` is the function's own or an alias.
  void add(std::string_view name, std::string_view function);

  [[nodiscard]] std::size_t size() const { return functions_.size(); }
  [[nodiscard]] const std::string& framework() const { return framework_; }
  // A whole name: torch.nn.functional.relu.
  [[nodiscard]] std::vector<std::string> exact(std::string_view name) const;
  // With '_' for '.': torch_nn_functional_relu, and without the framework (nn_functional_relu).
  [[nodiscard]] std::vector<std::string> flat(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> flat_with_root(std::string_view name) const;
  // The last part, without regard to case unless `name` has capitals: linear could be torch.nn.Linear too.
  // Methods of arrays stand back behind functions of modules that are written alike.
  [[nodiscard]] std::vector<std::string> last(std::string_view name) const;
  // Part of names before their last: a file test_cuda.py tests torch.cuda, and no method cuda() of a class.
  [[nodiscard]] bool is_module(std::string_view name) const { return modules_.contains(name); }

 private:
  using Index = std::map<std::string, std::set<std::string>, std::less<>>;

  std::string framework_;
  const ImportRules& rules_;
  std::set<std::string> functions_;
  std::set<std::string> array_methods_;
  Index exact_;
  Index flat_;
  Index rooted_;
  Index last_;
  std::set<std::string, std::less<>> modules_;
  Index folded_;  // the last part in lower case
};

struct MapRow {
  std::string glob;
  std::string function;   // empty or "-": of no function
  std::string framework;  // empty: any
};

// Columns nodeid-glob, function and perhaps framework; a head of column names is passed over. kBadInput.
Result<std::vector<MapRow>> parse_map(std::string_view csv, std::string_view file,
                                      const Frameworks& frameworks);

struct Mapped {
  std::string function;   // empty: none
  bool left_out = false;  // as the table says
  std::string rule;       // map, parameter, operator, name, file
  std::string reason;     // why none
};

class FunctionMap {
 public:
  // Borrows all.
  FunctionMap(const KnownFunctions& known, const ImportRules& rules, const std::vector<MapRow>& rows)
      : known_(known), rules_(rules), rows_(rows) {}

  [[nodiscard]] Mapped find(const ExternalTest& test, const NameFacts& facts) const;

 private:
  [[nodiscard]] Mapped by_parameters(const TestName& name) const;
  [[nodiscard]] Mapped by_operator(const NameFacts& facts) const;
  [[nodiscard]] Mapped by_test(const TestName& name, const NameFacts& facts) const;
  [[nodiscard]] Mapped by_file(const TestName& name) const;

  const KnownFunctions& known_;
  const ImportRules& rules_;
  const std::vector<MapRow>& rows_;
};

}  // namespace seamark::interop
