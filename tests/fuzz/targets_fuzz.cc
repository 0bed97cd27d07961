// A registry of targets and an environment recipe, as files that somebody else may have written.
#include <algorithm>

#include "fuzz_check.h"
#include "seamark/target/recipe.h"
#include "seamark/target/registry.h"

namespace {

using namespace seamark;

void check_registry(std::string_view toml) {
  const Result<target::Registry> registry = target::Registry::parse(toml, "targets.toml");
  if (!registry) return fuzz::require_presentable(registry.error());
  for (const target::TargetEntry& entry : registry->targets()) {
    fuzz::require(registry->find(entry.name) == &entry, "two targets of one name");
    fuzz::require(!entry.adapter.empty() && !entry.device.empty(), "a target without adapter or device");
    fuzz::require(entry.hardware.empty() || registry->hardware(entry.hardware) != nullptr,
                  "unknown hardware");
    fuzz::require(is_utf8(dump_json(entry.hello())), "an entry that the agent cannot get");
  }
}

void check_recipe(std::string_view toml) {
  const Result<target::Recipe> recipe = target::Recipes::parse(toml, "environment.toml");
  if (!recipe) return fuzz::require_presentable(recipe.error());
  fuzz::require(recipe->name.find('/') == std::string::npos, "a name that leaves its folder");
  fuzz::require(recipe->hash().size() == 12, "a hash of the wrong length");
  for (const std::string& package : recipe->packages)
    fuzz::require(!package.starts_with('-'), "a package that pip takes for an option");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view toml = fuzz::text_of(data, size);
  check_registry(toml);
  check_recipe(toml);
  return 0;
}
