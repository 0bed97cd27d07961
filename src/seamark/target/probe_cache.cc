#include "seamark/target/probe_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/target/hardware.h"

namespace seamark::target {
namespace {

constexpr std::string_view kFormat = "2";
// What frameworks and adapters read of the environment when they look for devices and tools.
constexpr const char* kVariables[] = {"CUDA_VISIBLE_DEVICES",
                                      "HIP_VISIBLE_DEVICES",
                                      "ROCR_VISIBLE_DEVICES",
                                      "ZE_AFFINITY_MASK",
                                      "PJRT_DEVICE",
                                      "TPU_NAME",
                                      "TPU_LIBRARY_PATH",
                                      "JAX_PLATFORMS",
                                      "XLA_FLAGS",
                                      "LD_LIBRARY_PATH",
                                      "PYTHONPATH",
                                      "CXX",
                                      "CC"};

// Size and time of change; empty when there is no such file.
std::string stamp(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
#ifdef __APPLE__
  const timespec changed = status.st_mtimespec;
#else
  const timespec changed = status.st_mtim;
#endif
  return fmt::format("{}:{}.{}:{}", path.native(), changed.tv_sec, changed.tv_nsec, status.st_size);
}

std::string agent_fingerprint(const std::filesystem::path& folder) {
  std::vector<std::string> stamps;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".py") stamps.push_back(stamp(it->path()));
  }
  std::sort(stamps.begin(), stamps.end());
  return join(stamps, "\n");
}

// Folders change when packages come and go.
std::string packages_fingerprint(const std::string& interpreter) {
  const std::filesystem::path prefix = std::filesystem::path(interpreter).parent_path().parent_path();
  std::string seen;
  std::error_code error;
  for (std::filesystem::directory_iterator it(prefix / "lib", error), end; !error && it != end;
       it.increment(error)) {
    if (!it->path().filename().native().starts_with("python")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) seen += stamp(it->path() / name);
  }
  return seen;
}

}  // namespace

ProbeCache::ProbeCache(std::filesystem::path folder, const std::filesystem::path& home)
    : folder_(std::move(folder)) {
  if (!folder_.empty()) {
    fingerprint_ = agent_fingerprint(home / "python" / "seamark_agent") + hardware_fingerprint();
  }
}

std::optional<ProbeKey> ProbeCache::key(const TargetEntry& target, const std::string& interpreter,
                                        const Variables& variables) const {
  const std::string packages = packages_fingerprint(interpreter);
  if (folder_.empty() || packages.empty()) return std::nullopt;
  std::vector<std::string> fields = {std::string(kFormat),      fingerprint_,
                                     dump_json(target.hello()), packages,
                                     stamp(interpreter),        stamp(target.adapter)};
  for (const auto& [name, value] : variables) fields.push_back(fmt::format("{}={}", name, value));
  for (const char* name : kVariables) fields.push_back(environment_variable(name).value_or(""));
  const std::vector<std::string_view> views(fields.begin(), fields.end());
  const std::string_view place[] = {target.name, interpreter};
  return ProbeKey{to_hex(fnv1a64_fields(place)), to_hex(fnv1a64_fields(views))};
}

std::optional<ProbeAnswer> ProbeCache::find(const ProbeKey& key) const {
  const Result<std::string> text = read_file(folder_ / (key.place + ".json"), std::size_t{4} << 20);
  if (!text) return std::nullopt;
  const Result<Value> document = parse_json(*text);
  if (!document || document->string_or("key", "") != key.key) return std::nullopt;
  const Value* facts = document->find("facts");
  const Value* lock = document->find("lock");
  if (facts == nullptr || !facts->is_object() || lock == nullptr) return std::nullopt;
  return ProbeAnswer{*facts, *lock};
}

void ProbeCache::keep(const ProbeKey& key, const ProbeAnswer& answer) const {
  if (!make_directories(folder_)) return;
  Value document;
  document.set("key", key.key);
  document.set("facts", answer.facts);
  document.set("lock", answer.lock);
  (void)write_file(folder_ / (key.place + ".json"), dump_json_pretty(document));
}

}  // namespace seamark::target
