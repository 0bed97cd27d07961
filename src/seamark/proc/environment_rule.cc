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
  const auto fits = [](const std::vector<std::string>& globs, std::string_view text) {
    return std::any_of(globs.begin(), globs.end(),
                       [text](const std::string& glob) { return glob_match(glob, text); });
  };
  return fits(pass, name) && !fits(never, capitals);
}

}  // namespace seamark::proc
