#include "seamark/proc/environment_rule.h"

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::proc {

bool EnvironmentRule::passes(std::string_view name) const {
  if (std::find(named.begin(), named.end(), name) != named.end()) return true;
  std::string capitals(name);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return any_glob(pass, name) && !any_glob(never, capitals);
}

}  // namespace seamark::proc
