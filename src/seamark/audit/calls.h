// What the calls of a function give it.
#pragma once

#include <string_view>

#include "seamark/audit/syntax.h"

namespace seamark::audit {

// Whether a parameter of a function that nobody else can call (`_f`) has a default that no call in the file
// leaves it.
[[nodiscard]] bool is_always_given(const Syntax& syntax, const Block& function, std::string_view parameter);

}  // namespace seamark::audit
