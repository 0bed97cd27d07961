#include "seamark/cli/audit_settings.h"

#include <algorithm>
#include <system_error>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> project_file(const fs::path& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  if (error) return std::nullopt;
  if (!fs::is_directory(folder, error)) folder = folder.parent_path();
  for (;; folder = folder.parent_path()) {
    fs::path file = folder / "pyproject.toml";
    if (fs::is_regular_file(file, error)) return file;
    if (folder == folder.parent_path() || fs::exists(folder / ".git", error)) return std::nullopt;
  }
}

void add(std::vector<std::string>& to, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

std::optional<audit::Level> AuditSettings::level() const {
  if (fail_on == "none") return std::nullopt;
  if (fail_on == "warning") return audit::Level::kWarning;
  return fail_on == "note" ? audit::Level::kNote : audit::Level::kError;
}

Result<AuditSettings> audit_settings(const Context& context, AuditSettings given, const fs::path& path) {
  const std::optional<fs::path> file = context.common.no_config ? std::nullopt : project_file(path);
  if (!file) return given;
  const Result<std::string> text = read_config(*file);
  if (!text) return text.error();
  const Result<Value> document = parse_toml(*text, file->native());
  if (!document)
    return Error(CliError::kUsage, document.error().message(), "mend it, or leave it out with --no-config");
  const Value* tool = document->find("tool");
  const Value* own = tool == nullptr ? nullptr : tool->find("seamark");
  if (own == nullptr) return given;
  Problems problems(file->native());
  TableReader table(*own, problems, "tool.seamark");
  const std::string to = table.string("to");
  const std::string from = table.string("from");
  add(given.ignore, table.strings("ignore"));
  add(given.exclude, table.strings("exclude"));
  const std::string fail_on = table.choice("fail-on", "error", {"error", "warning", "note", "none"});
  const std::string baseline = table.string("baseline");
  table.finish();
  if (Status status = problems.status(); !status) return status.error();
  if (given.to.empty()) given.to = to;
  if (given.from.empty()) given.from = from;
  if (given.fail_on.empty()) given.fail_on = fail_on;
  if (given.baseline.empty() && !baseline.empty()) given.baseline = (file->parent_path() / baseline).native();
  return given;
}

}  // namespace seamark::cli
