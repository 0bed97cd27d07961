// What a store keeps as it is although what comes from elsewhere says otherwise.
#pragma once

#include <string>
#include <vector>

namespace seamark::cli {

// Tells how many and which, on standard error.
void say_kept(const std::vector<std::string>& kept, const std::string& store);

}  // namespace seamark::cli
