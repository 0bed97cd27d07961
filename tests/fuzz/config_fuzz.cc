// A user's seamark.toml over the targets that are shipped: what is taken stays within its bounds, what is
// not is told.
#include <algorithm>
#include <filesystem>

#include "fuzz_check.h"
#include "seamark/cli/settings.h"

namespace {

using namespace seamark;

const target::Registry& shipped() {
  static const target::Registry registry = [] {
    Result<target::Registry> loaded =
        target::Registry::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data/targets.toml");
    fuzz::require(loaded.ok(), "data/targets.toml cannot be read");
    return *loaded;
  }();
  return registry;
}

void check_targets(const target::Registry& registry) {
  for (const target::TargetEntry& entry : registry.targets()) {
    fuzz::require(registry.find(entry.name) == &entry, "two targets of one name");
    fuzz::require(entry.name == entry.parts.str(), "a target whose name is not its parts");
    fuzz::require(entry.timeout_s > 0 && entry.timeout_s <= 1e6, "a deadline out of bounds");
    fuzz::require(registry.find(entry.baseline) != nullptr, "a baseline that is no target");
    fuzz::require(registry.find(entry.reference) != nullptr, "a reference that is no target");
    fuzz::require(is_utf8(dump_json(entry.hello())), "an entry that the agent cannot get");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cli::Settings settings;
  target::Registry registry = shipped();
  const Status status =
      cli::apply_config(settings, registry, fuzz::text_of(data, size), "/somewhere/seamark.toml");
  if (!status) {
    fuzz::require_presentable(status.error());
    fuzz::require(status.error().message().find("seamark.toml") != std::string::npos,
                  "an error without the file");
    return 0;
  }
  fuzz::require(settings.jobs >= 0 && settings.jobs <= 256 && settings.seed >= 0, "a number out of bounds");
  fuzz::require(!settings.timeout_s || (*settings.timeout_s > 0 && *settings.timeout_s <= 1e6),
                "a deadline out of bounds");
  check_targets(registry);
  if (const auto selected = registry.select(settings.targets); !selected)
    fuzz::require_presentable(selected.error());
  return 0;
}
