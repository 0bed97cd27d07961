#include "seamark/cli/store_writing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/secrets.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/store_reading.h"

namespace seamark::cli {

Result<store::Store> open_for_writing(const Context& context, const std::filesystem::path& file) {
  if (is_measured(file.native())) {
    return Error(CliError::kUsage,
                 fmt::format("'{}' is the name of the results that ship with Seamark", kMeasured),
                 fmt::format("give another file with --store, or ./{}", kMeasured));
  }
  store::OpenOptions options;
  Result<SecretShapes> secrets = SecretShapes::load(context.home / "data" / "secrets.toml");
  if (!secrets) return secrets.error();
  options.secrets = std::make_shared<SecretShapes>(std::move(*secrets));
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
