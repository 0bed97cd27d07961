// What reports say of `declared` evidence. It is kept apart from attempts: no device was asked.
#pragma once

#include <string>
#include <vector>

#include "seamark/model/declared.h"

namespace seamark::analysis {

// Functions of one version and device. host-only functions are counted there alone.
struct DeclaredCounts {
  int functions = 0;
  int named = 0;
  int partial = 0;
  int missing = 0;
  int no_operator = 0;
  int unknown = 0;
  int host_only = 0;
};
DeclaredCounts count_declared(const Declared& declared);

struct FrameworkVersions {
  std::string framework;
  std::vector<std::string> versions;
};

// Per framework and device one table of all that a store holds (last taken first): that of a version which
// was run, else the last taken. Frameworks that are not named are left out.
std::vector<Declared> choose_declared(std::vector<Declared> all, const std::vector<FrameworkVersions>& run);

}  // namespace seamark::analysis
