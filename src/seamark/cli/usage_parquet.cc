#include "seamark/cli/usage_parquet.h"

#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/proc/run_command.h"
#include "seamark/target/python_search.h"
#include "seamark/usage/usage_error.h"

namespace seamark::cli {
namespace {

constexpr int kNoPyarrow = 3;  // of the helper
constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr const char* kRemedy =
    "pip install pyarrow into Seamark's own environment, or name an interpreter that has it in "
    "SEAMARK_PYTHON; "
    "--format csv needs none, and what was counted is in the store";

}  // namespace

Result<std::string> usage_parquet(const std::filesystem::path& home, std::string_view csv) {
  const std::string python = target::seamark_python();
  proc::CommandOptions options;
  options.spawn.argv = {python, (home / "python" / "seamark_helper" / "parquet_table.py").string()};
  options.input = csv;
  options.max_output_bytes = kLargest;
  Result<proc::CommandResult> done = proc::run_command(options);
  if (!done)
    return Error(usage::UsageError::kHelper, "cannot write Parquet: " + done.error().message(), kRemedy);
  if (done->success() && !done->out_truncated) return std::move(done->out);
  if (done->exit.shell_code() == kNoPyarrow) {
    return Error(usage::UsageError::kHelper,
                 fmt::format("writing Parquet needs pyarrow, which {} does not have", python), kRemedy);
  }
  return Error(usage::UsageError::kHelper,
               fmt::format("cannot write Parquet: the helper {}", one_line(done->text())), kRemedy);
}

}  // namespace seamark::cli
