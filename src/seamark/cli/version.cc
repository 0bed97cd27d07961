#include "seamark/cli/version.h"

#include <fmt/core.h>

namespace seamark::cli {

std::string_view version() { return SEAMARK_VERSION; }

Value build_facts() {
  Value facts;
  facts.set("seamark", version());
#ifdef __clang__
  facts.set("compiler", fmt::format("clang {}.{}", __clang_major__, __clang_minor__));
#elif defined(__GNUC__)
  facts.set("compiler", fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__));
#endif
#ifdef NDEBUG
  facts.set("build", "release");
#else
  facts.set("build", "debug");
#endif
  return facts;
}

}  // namespace seamark::cli
