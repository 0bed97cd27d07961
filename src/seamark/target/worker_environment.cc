#include "seamark/target/worker_environment.h"

#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/value.h"

namespace seamark::target {

Result<WorkerEnvironment> WorkerEnvironment::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(TargetError::kUnreadable, text.error().message(), "reinstall Seamark, or set SEAMARK_HOME");
  }
  return parse(*text, file.native());
}

Result<WorkerEnvironment> WorkerEnvironment::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(TargetError::kBadEntry, document.error().message());
  Problems problems(file);
  TableReader reader(*document, problems);
  WorkerEnvironment environment;
  environment.rule.pass = reader.strings("pass");
  environment.rule.never = reader.strings("never");
  environment.caches = reader.string_map("caches");
  reader.finish();
  if (Status status = problems.status(); !status) {
    return Error(TargetError::kBadEntry, status.error().message(), status.error().remedy());
  }
  return environment;
}

}  // namespace seamark::target
