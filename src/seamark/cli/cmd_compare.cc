// `seamark compare`: what changed between two sides, and whether that is a finding.
#include <fmt/format.h>

#include "seamark/analysis/change.h"
#include "seamark/analysis/study.h"
#include "seamark/base/fd.h"
#include "seamark/classify/rules.h"
#include "seamark/cli/compare_command.h"
#include "seamark/cli/compare_findings.h"
#include "seamark/cli/compare_study.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exhibits.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/sides.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/build/change_report.h"

namespace seamark::cli {
namespace {

Result<ExitCode> with_baseline(const Context& context, const CompareCommand& command,
                               const OperandSpec& before, const OperandSpec& after) {
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
  const Result<OpenOperand> open = open_side(after, command.selection.store.value_or(context.settings.store));
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
                                            const OperandSpec& a, const OperandSpec& b) {
  const std::string store = command.selection.store.value_or(context.settings.store);
  Result<OpenOperand> before = open_side(a, store);
  if (!before) return before.error();
  Result<OpenOperand> after = open_side(b, store, &*before);
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

CompareCommand::CompareCommand(Options& options) {
  options.argument("A B", sides, "The two sides, before and after").takes(0, 2);
  options.value(
      "--fail-on", fail_on, "LIST",
      "What exits with 1: new-failures, added-failures, unexpected-passes, category-changed, flaky, "
      "not-run, slower[=FACTOR], dropped, weaker-evidence, stale, drift; any, none (default: "
      "new-failures,slower)");
  options.value("--expected", expected, "FILE",
                "Known failures (default: seamark.expected.toml where there is one)");
  options.flag("--update-expected", update_expected,
               "Write the failures of B into that file; comments and reasons stay");
  options
      .value("--noise-floor", noise_floor, "FACTOR", "The least ratio that says anything (default: measured)")
      .between(1.0, 1e6);
  options.value("--with", with, "BASELINE",
                fmt::format("A study before the default store: {}", analysis::kDefaultStudy));
  options.store(selection);
  options.value("--run", run_choice, "ID",
                "With a study: latest (default), all, or the beginning of a run's id");
  options.targets(selection, "Only these targets (with a study by default: those of its TPU and GPU)");
  options.output(format, output, compare_formats());
}

Result<ExitCode> CompareCommand::run(Context& context) const {
  if (!with.empty()) {
    if (sides.empty()) return compare_with_study(context, *this, {with, {}, run_choice, {}, {}, {}});
    return Error(CliError::kUsage, "--with and two sides exclude each other",
                 fmt::format("seamark compare {} {}", with, sides.back()));
  }
  if (sides.size() != 2) {
    return Error(CliError::kUsage, "compare needs two sides, the earlier one first: main.db seamark.db",
                 "`seamark compare --help` tells what there is");
  }
  const OperandWorld world{is_regular, [&](const std::string& name) { return is_baseline(context, name); },
                           context.registry.frameworks()};
  const Result<OperandSpec> before = parse_side(sides[0], world);
  if (!before) return before.error();
  const Result<OperandSpec> after = parse_side(sides[1], world);
  if (!after) return after.error();
  if (!run_choice.empty()) {
    return Error(CliError::kUsage, "--run does not say of which side",
                 "name the run with its side: STORE@RUN");
  }
  if (!before->baseline.empty() || !after->baseline.empty())
    return with_baseline(context, *this, *before, *after);
  const Result<Format> chosen = format_for(context, format, output, compare_formats());
  if (!chosen) return chosen.error();
  const Result<analysis::Gate> gate = gate_for(*this);
  if (!gate) return gate.error();
  Result<analysis::Comparison> comparison = compare_stores(context, *this, *before, *after);
  if (!comparison) return comparison.error();
  if (Status status = mark_findings(*comparison, context, *this, *gate); !status) return status.error();
  const std::string text = report::render_changes(*chosen, *comparison, render_options(context, output));
  if (Status status = write_output(text, output); !status) return status.error();
  return comparison->findings == 0 ? ExitCode::kDone : ExitCode::kFindings;
}

Verb compare_verb() {
  return {
      "compare", "Tell what changed between two stores, runs, targets or versions",
      fmt::format("A side is STORE, STORE@RUN, STORE@TARGET or STORE@FRAMEWORK==VERSION (without STORE: of "
                  "the default\n"
                  "store), or the published study {0}. The earlier side comes first.\n\n"
                  "Examples:\n"
                  "  seamark compare main.db seamark.db --fail-on new-failures,slower=1.5\n"
                  "  seamark compare torch/cpu torch/lazy\n"
                  "  seamark compare torch==2.12.0 torch==2.13.0 --format markdown -o pull.md\n"
                  "  seamark compare {0} seamark.db\n"
                  "  seamark compare {0} seamark.db@torch/cuda --fail-on slower=2",
                  analysis::kDefaultStudy),
      make_command<CompareCommand>};
}

}  // namespace seamark::cli
