#include "seamark/cli/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/sha256.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/settings.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPathBytes = std::size_t{64} << 10;

// Paths in a config are relative to its folder: that, and not the target of a link, is what is trusted.
fs::path identity(const fs::path& config) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(config, ignored);
  fs::path folder = fs::weakly_canonical(whole.parent_path(), ignored);
  return folder / whole.filename();
}

struct Entry {
  fs::path place;
  fs::path config;
};

Result<std::vector<Entry>> entries_in(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  if (!fs::exists(folder, error)) return entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (const Result<std::string> path = read_file(at->path(), kMostPathBytes); path && !path->empty())
      entries.push_back({at->path(), *path});
  }
  if (error) return io_error(error.value(), fmt::format("cannot read {}", folder.native()));
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.config < b.config; });
  return entries;
}

}  // namespace

TrustList TrustList::of_user() {
  const fs::path state = user_state_dir();
  return TrustList(state.empty() ? fs::path() : state / "trusted");
}

fs::path TrustList::entry(const fs::path& config, std::string_view text) const {
  std::string facts = identity(config).native();
  facts += '\0';
  facts += text;
  return folder_ / to_hex(sha256(facts));
}

bool TrustList::holds(const fs::path& config, std::string_view text) const {
  std::error_code ignored;
  return !folder_.empty() && fs::is_regular_file(entry(config, text), ignored);
}

Status TrustList::add(const fs::path& config, std::string_view text) const {
  if (folder_.empty()) {
    return Error(CliError::kEnvironment, "there is no home folder to remember it in",
                 "set HOME or XDG_STATE_HOME, or name the config with --config each time");
  }
  if (Status made = make_directories(folder_); !made) return made;
  if (const Result<bool> removed = remove(config); !removed) return removed.error();
  return write_file(entry(config, text), identity(config).native());
}

Result<bool> TrustList::remove(const fs::path& config) const {
  const Result<std::vector<Entry>> entries = entries_in(folder_);
  if (!entries) return entries.error();
  bool any = false;
  for (const Entry& one : *entries) {
    if (one.config != identity(config)) continue;
    std::error_code error;
    fs::remove(one.place, error);
    if (error) return io_error(error.value(), fmt::format("cannot remove {}", one.place.native()));
    any = true;
  }
  return any;
}

Result<std::vector<TrustedFile>> TrustList::all() const {
  const Result<std::vector<Entry>> entries = entries_in(folder_);
  if (!entries) return entries.error();
  std::vector<TrustedFile> files;
  for (const Entry& one : *entries) {
    const Result<std::string> text = read_config(one.config);
    files.push_back({one.config, !text || entry(one.config, *text) != one.place});
  }
  return files;
}

}  // namespace seamark::cli
