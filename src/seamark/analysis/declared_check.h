// How far what a target did bears out what was declared for its kind of device, by data type.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/model/declared.h"

namespace seamark::analysis {

struct DeclaredCheck {
  std::size_t target = 0;  // in Summary::targets
  int compared = 0;  // pairs of a function and a data type that are declared, named or not, and measured
  std::vector<std::string> named_fails;   // "torch.x f64": named, and no case of it runs there
  std::vector<std::string> missing_runs;  // not named, and a case of it does
};

// One per target of the family, without a mode or `+aot`, with anything to compare. Functions that touch no
// device are left out.
[[nodiscard]] std::vector<DeclaredCheck> check_declared(const Declared& declared, const Summary& summary);

}  // namespace seamark::analysis
