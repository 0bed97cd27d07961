#include "seamark/cli/errors.h"

#include <fmt/format.h>

#include "seamark/agent/agent_error.h"
#include "seamark/analysis/analysis_error.h"
#include "seamark/audit/pattern.h"
#include "seamark/base/config.h"
#include "seamark/base/log_commands.h"
#include "seamark/base/text.h"
#include "seamark/catalog/catalog_error.h"
#include "seamark/interop/export.h"
#include "seamark/model/target_name.h"
#include "seamark/sample/sample_error.h"
#include "seamark/store/store.h"
#include "seamark/target/target_error.h"
#include "seamark/usage/usage_error.h"

namespace seamark::cli {

ExitCode exit_code_of(const Error& error) {
  using agent::AgentError;
  using analysis::AnalysisError;
  using interop::InteropError;
  using store::StoreError;
  using target::TargetError;
  if (error.is(CliError::kNothing) || error.is(analysis::AnalysisError::kNothing))
    return ExitCode::kNothingRan;
  if (error.is(TargetError::kInterrupted) || error.is(AgentError::kInterrupted) ||
      error.is(StoreError::kInterrupted))
    return ExitCode::kInterrupted;
  const bool usage = error.is(CliError::kUsage) || error.is(CliError::kUnknownName) ||
                     error.is(ConfigError::kBadField) || error.is(DocumentError::kSyntax) ||
                     error.is(DocumentError::kNotUtf8) || error.is(DocumentError::kTooLarge) ||
                     error.is(ModelError::kBadTargetName) || error.is(TargetError::kUnknownTarget) ||
                     error.is(TargetError::kUnknownEnvironment) || error.is(TargetError::kBadEntry) ||
                     error.is(StoreError::kNoSuchRun) || error.is(StoreError::kAmbiguousRun) ||
                     error.is(StoreError::kNoSuchUsage) || error.is(usage::UsageError::kNotFound) ||
                     error.is(usage::UsageError::kUnknownKind) || error.is(InteropError::kBadInput) ||
                     error.is(InteropError::kUnreadable) || error.is(catalog::CatalogError::kNoRules) ||
                     error.is(AnalysisError::kNoSuchStudy) || error.is(AnalysisError::kBadGate) ||
                     error.is(StoreError::kNoSuchSample) || error.is(StoreError::kSampleNameTaken) ||
                     error.is(sample::SampleError::kBadRequest) || error.is(sample::SampleError::kBadTable) ||
                     error.is(audit::AuditError::kBadBaseline) || error.is(audit::AuditError::kBadProject);
  return usage ? ExitCode::kUsage : ExitCode::kEnvironment;
}

std::string error_text(const Error& error, bool color) {
  const std::string label = color ? "\x1b[1;31mseamark:\x1b[0m " : "seamark: ";
  std::string text = label + std::string(trim(plain_text(error.message()))) + "\n";
  const std::string remedy = plain_text(error.remedy());
  if (!remedy.empty()) {
    for (const std::string_view line : split(trim(remedy), '\n')) text += fmt::format("  {}\n", line);
  }
  return without_log_commands(text);
}

}  // namespace seamark::cli
