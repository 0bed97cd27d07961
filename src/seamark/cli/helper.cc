#include "seamark/cli/helper.h"

#include <fmt/format.h>

#include "seamark/base/home.h"
#include "seamark/target/python_search.h"

namespace seamark::cli {

std::string helper_python(const Context& context, std::string_view recipe) {
  if (const auto named = environment_variable("SEAMARK_PYTHON")) return *named;
  const target::Recipe* found = context.recipes.find(recipe);
  if (found != nullptr) {
    if (const auto there = context.environments.installed(*found)) return there->interpreter;
  }
  return target::seamark_python();
}

std::string helper_remedy(const Context& context, std::string_view recipe, std::string_view package) {
  std::string size;
  if (const target::Recipe* found = context.recipes.find(recipe))
    size = fmt::format(" (downloads about {} MiB, {} MiB on disk)", found->download_mib, found->disk_mib);
  return fmt::format(
      "run `seamark targets install {}`{}, or name an interpreter that has {} in SEAMARK_PYTHON", recipe,
      size, package);
}

std::string helper_file(const Context& context, std::string_view name) {
  return (context.home / "python" / "seamark_helper" / name).string();
}

}  // namespace seamark::cli
