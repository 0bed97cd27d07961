#include "seamark/cli/store_writing.h"

#include <fmt/format.h>
#include <unistd.h>

#include "seamark/base/fd.h"

namespace seamark::cli {

Result<store::Store> open_for_writing(const Context& context, const std::filesystem::path& file) {
  store::OpenOptions options;
  if (!context.common.quiet) {
    options.before_migration = [&](int version) {
      (void)write_all(
          STDERR_FILENO,
          fmt::format("{}: brought forward from schema {} to {}; an older Seamark refuses it from now on\n",
                      file.string(), version, store::schema_version()));
    };
  }
  return store::Store::open(file, store::OpenMode::kWrite, options);
}

}  // namespace seamark::cli
