// `seamark compare`: what changed between two sides, and whether that is a finding.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "seamark/analysis/change.h"
#include "seamark/analysis/expected.h"
#include "seamark/analysis/gate.h"
#include "seamark/base/fd.h"
#include "seamark/classify/rules.h"
#include "seamark/cli/compare_study.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exhibits.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/sides.h"
#include "seamark/report/change_report.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

Result<report::ChangeFormat> format_for(const CompareCommand& command) {
  const std::string name = command.format.empty() ? ending_of(command.output) : command.format;
  return report::change_format_from(name).value_or(report::ChangeFormat::kTerminal);
}

bool is_regular(const std::string& file) {
  std::error_code ec;
  return fs::is_regular_file(file, ec);
}

// What was named, else the usual name here or beside the config.
fs::path expected_file(const Context& context, const CompareCommand& command) {
  if (!command.expected.empty()) return command.expected;
  const fs::path here = analysis::kExpectedFile;
  const fs::path beside = context.settings.config_file.parent_path() / here;
  return !is_regular(here.string()) && is_regular(beside.string()) ? beside : here;
}

// Nullopt where there is no such file and none was asked for.
Result<std::optional<analysis::Expectations>> read_expected(const fs::path& file,
                                                            const CompareCommand& command) {
  using Maybe = std::optional<analysis::Expectations>;
  if (!is_regular(file.string())) {
    if (!command.expected.empty() && !command.update_expected) {
      return Error(CliError::kUsage, fmt::format("there is no file of expectations {}", file.native()),
                   "write one with --update-expected");
    }
    if (!command.update_expected) return Maybe();
    Result<analysis::Expectations> none = analysis::Expectations::parse("", file.native());
    if (!none) return none.error();
    return Maybe(std::move(*none));
  }
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Result<analysis::Expectations> parsed = analysis::Expectations::parse(*text, file.native());
  if (!parsed) return parsed.error();
  return Maybe(std::move(*parsed));
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

Result<ExitCode> with_baseline(const Context& context, const CompareCommand& command, const SideSpec& before,
                               const SideSpec& after) {
  if (before.baseline.empty()) {
    return Error(CliError::kUsage,
                 fmt::format("'{}' is a published study: it can only be the earlier side", after.label),
                 fmt::format("seamark compare {} {}", after.label, before.label));
  }
  if (!after.baseline.empty()) {
    return Error(CliError::kUsage, "both sides are published studies", "name a store as the later side");
  }
  if (!after.version.empty()) {
    return Error(CliError::kUsage,
                 fmt::format("'{}': a study is compared with a run, not with a version", after.label),
                 "name the run: STORE@RUN");
  }
  CompareCommand with = command;
  if (!after.target.empty()) with.selection.targets = {after.target};
  return compare_with_study(context, with, before.baseline, after.store, after.run);
}

Result<analysis::Comparison> compare_stores(const Context& context, const CompareCommand& command,
                                            const SideSpec& a, const SideSpec& b) {
  const std::string store = command.selection.store.value_or(context.settings.store);
  Result<OpenSide> before = open_side(a, store);
  if (!before) return before.error();
  Result<OpenSide> after = open_side(b, store);
  if (!after) return after.error();
  if (Status status = choose_targets(*before, *after, command.selection.targets); !status)
    return status.error();
  const Result<classify::RuleSet> rules = classify::RuleSet::load(context.home / "data" / "classification");
  if (!rules) return rules.error();
  analysis::CompareOptions options;
  options.floor = command.noise_floor;
  return analysis::compare_sides(before->side(), after->side(), *rules, options);
}

Status mark(analysis::Comparison& comparison, const Context& context, const CompareCommand& command,
            const analysis::Gate& gate) {
  const fs::path file = expected_file(context, command);
  Result<std::optional<analysis::Expectations>> expected = read_expected(file, command);
  if (!expected) return expected.error();
  if (*expected && command.update_expected) {
    Result<analysis::Expectations> updated = update_expected(comparison, **expected);
    if (!updated) return updated.error();
    *expected = std::move(*updated);
  }
  if (*expected) analysis::apply_expectations(comparison, **expected);
  analysis::apply_gate(comparison, gate);
  return {};
}

}  // namespace

Result<ExitCode> run_compare(Context& context, const CompareCommand& command) {
  if (!command.with.empty()) {
    if (command.sides.empty()) return compare_with_study(context, command, command.with, {}, command.run);
    return Error(CliError::kUsage, "--with and two sides exclude each other",
                 fmt::format("seamark compare {} {}", command.with, command.sides.back()));
  }
  const SideWorld world{is_regular, [&](const std::string& name) { return is_baseline(context, name); }};
  const Result<SideSpec> before = parse_side(command.sides.at(0), world);
  if (!before) return before.error();
  const Result<SideSpec> after = parse_side(command.sides.at(1), world);
  if (!after) return after.error();
  if (!command.run.empty()) {
    return Error(CliError::kUsage, "--run does not say of which side",
                 "name the run with its side: STORE@RUN");
  }
  if (!before->baseline.empty() || !after->baseline.empty()) {
    return with_baseline(context, command, *before, *after);
  }
  const Result<report::ChangeFormat> format = format_for(command);
  if (!format) return format.error();
  const Result<analysis::Gate> gate =
      command.fail_on.empty() ? analysis::Gate::standard() : analysis::Gate::parse(command.fail_on);
  if (!gate) return gate.error();
  Result<analysis::Comparison> comparison = compare_stores(context, command, *before, *after);
  if (!comparison) return comparison.error();
  if (Status status = mark(*comparison, context, command, *gate); !status) return status.error();
  const report::RenderOptions render = render_options(context, command.output);
  const std::string text = report::render_changes(*format, *comparison, render);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return comparison->findings == 0 ? ExitCode::kDone : ExitCode::kFindings;
}

}  // namespace seamark::cli
