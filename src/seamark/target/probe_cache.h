// Answers of probes, kept as files below the cache folder. The key is made of everything that the answer
// depends on and that can be looked at quickly, so that a changed environment asks again. Internal to the
// room.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "seamark/base/value.h"
#include "seamark/target/lock.h"
#include "seamark/target/registry.h"

namespace seamark::target {

// One answer is kept per place (target and interpreter), valid as long as the key stays the same.
struct ProbeKey {
  std::string place;
  std::string key;
};

struct ProbeAnswer {
  Value facts;
  Value lock;
};

class ProbeCache {
 public:
  // Empty folder: nothing is found and nothing is kept.
  ProbeCache(std::filesystem::path folder, const std::filesystem::path& home);

  // nullopt where the interpreter's packages cannot be seen from outside: then nothing may be kept.
  [[nodiscard]] std::optional<ProbeKey> key(const TargetEntry& target, const std::string& interpreter,
                                            const Variables& variables) const;
  [[nodiscard]] std::optional<ProbeAnswer> find(const ProbeKey& key) const;
  // A cache that cannot be written is no cache: errors are ignored.
  void keep(const ProbeKey& key, const ProbeAnswer& answer) const;

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;  // of the agent and the hardware
};

}  // namespace seamark::target
