// `seamark compare`: what changed between two sides, and whether that is a finding.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "seamark/analysis/change.h"
#include "seamark/base/fd.h"
#include "seamark/classify/rules.h"
#include "seamark/cli/compare_findings.h"
#include "seamark/cli/compare_study.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exhibits.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/sides.h"
#include "seamark/report/change_report.h"

namespace seamark::cli {
namespace {

bool is_regular(const std::string& file) {
  std::error_code ec;
  return std::filesystem::is_regular_file(file, ec);
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
  StudyRequest request{before.baseline, after.store, after.run, after.target, {}, after.label};
  if (after.target.empty() && after.version.empty()) return compare_with_study(context, command, request);
  if (!command.selection.targets.empty() && !after.target.empty()) {
    return Error(CliError::kUsage, "--target and a side that names its target exclude each other",
                 "leave out one of them");
  }
  const Result<OpenSide> open = open_side(after, command.selection.store.value_or(context.settings.store));
  if (!open) return open.error();
  request.run = open->run.str();
  if (open->run.kind ==
      store::RunChoice::Kind::kLatest) {  // another may begin before the store is read again
    const Result<std::vector<store::RunInfo>> runs = open->store->select(open->run);
    if (!runs) return runs.error();
    request.run = runs->front().uuid;
  }
  request.within = open->targets;
  return compare_with_study(context, command, request);
}

Result<analysis::Comparison> compare_stores(const Context& context, const CompareCommand& command,
                                            const SideSpec& a, const SideSpec& b) {
  const std::string store = command.selection.store.value_or(context.settings.store);
  Result<OpenSide> before = open_side(a, store);
  if (!before) return before.error();
  Result<OpenSide> after = open_side(b, store, &*before);
  if (!after) return after.error();
  if (Status status = choose_targets(*before, *after, command.selection.targets); !status)
    return status.error();
  const Result<classify::RuleSet> rules = classify::RuleSet::load(context.home / "data" / "classification");
  if (!rules) return rules.error();
  analysis::CompareOptions options;
  options.floor = command.noise_floor;
  return analysis::compare_sides(before->side(), after->side(), *rules, options);
}

}  // namespace

Result<ExitCode> run_compare(Context& context, const CompareCommand& command) {
  if (!command.with.empty()) {
    if (command.sides.empty())
      return compare_with_study(context, command, {command.with, {}, command.run, {}, {}, {}});
    return Error(CliError::kUsage, "--with and two sides exclude each other",
                 fmt::format("seamark compare {} {}", command.with, command.sides.back()));
  }
  const SideWorld world{is_regular, [&](const std::string& name) { return is_baseline(context, name); },
                        context.registry.frameworks()};
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
  const Result<Format> format = choose_format(command.format, command.output, kCompareFormats);
  if (!format) return format.error();
  const Result<analysis::Gate> gate = gate_for(command);
  if (!gate) return gate.error();
  Result<analysis::Comparison> comparison = compare_stores(context, command, *before, *after);
  if (!comparison) return comparison.error();
  if (Status status = mark_findings(*comparison, context, command, *gate); !status) return status.error();
  const report::RenderOptions render = render_options(context, command.output);
  const std::string text = report::render_changes(*format, *comparison, render);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return comparison->findings == 0 ? ExitCode::kDone : ExitCode::kFindings;
}

}  // namespace seamark::cli
