#include "seamark/cli/compare_findings.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "seamark/analysis/expected.h"
#include "seamark/base/fd.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

// What was named, else the usual name here or beside the config.
fs::path expected_file(const Context& context, const CompareCommand& command) {
  if (!command.expected.empty()) return command.expected;
  const fs::path here = analysis::kExpectedFile;
  const fs::path beside = context.settings.config_file.parent_path() / here;
  return !is_regular(here.string()) && is_regular(beside.string()) ? beside : here;
}

// What the file says; without one nothing, where it may be missing.
Result<analysis::Expectations> read_expected(const fs::path& file) {
  const Result<std::string> text = is_regular(file.string()) ? read_file(file) : std::string();
  if (!text) return text.error();
  return analysis::Expectations::parse(*text, file.native());
}

// Writes the file where it changes, and takes what it then says.
Result<analysis::Expectations> update_expected(const analysis::Comparison& comparison,
                                               const analysis::Expectations& old) {
  const Result<std::string> text = analysis::updated_expectations(comparison, old);
  if (!text) return text.error();
  if (*text != old.text() || !is_regular(old.file())) {
    if (Status status = write_output(*text, old.file()); !status) return status.error();
  }
  return analysis::Expectations::parse(*text, old.file());
}

}  // namespace

bool is_regular(const std::string& file) {
  std::error_code ec;
  return fs::is_regular_file(file, ec);
}

Result<analysis::Gate> gate_for(const CompareCommand& command) {
  return command.fail_on.empty() ? analysis::Gate::standard() : analysis::Gate::parse(command.fail_on);
}

Status mark_findings(analysis::Comparison& comparison, const Context& context, const CompareCommand& command,
                     const analysis::Gate& gate) {
  const fs::path file = expected_file(context, command);
  const bool there = is_regular(file.string());
  if (!there && !command.expected.empty() && !command.update_expected) {
    return Error(CliError::kUsage, fmt::format("there is no file of expectations {}", file.native()),
                 "write one with --update-expected");
  }
  if (there || command.update_expected) {
    Result<analysis::Expectations> expected = read_expected(file);
    if (expected && command.update_expected) expected = update_expected(comparison, *expected);
    if (!expected) return expected.error();
    analysis::apply_expectations(comparison, *expected);
  }
  analysis::apply_gate(comparison, gate);
  return {};
}

}  // namespace seamark::cli
