// The helper processes that need packages of Python: which interpreter runs them, and what to do where there
// is none.
#pragma once

#include <string>
#include <string_view>

#include "seamark/cli/context.h"

namespace seamark::cli {

// SEAMARK_PYTHON, the environment of the recipe, Seamark's own Python.
[[nodiscard]] std::string helper_python(const Context& context, std::string_view recipe);
// "run `seamark targets install RECIPE` ..., or name an interpreter that has PACKAGE in SEAMARK_PYTHON".
[[nodiscard]] std::string helper_remedy(const Context& context, std::string_view recipe,
                                        std::string_view package);
[[nodiscard]] std::string helper_file(const Context& context, std::string_view name);

}  // namespace seamark::cli
