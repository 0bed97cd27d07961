#include "seamark/cli/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/cli/status_line.h"

namespace seamark::cli {
namespace {

std::string styled(const Terminal& terminal, std::string_view style, std::string_view text) {
  return terminal.color ? fmt::format("\x1b[{}m{}\x1b[0m", style, text) : std::string(text);
}

std::string counted(int number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

TargetTally tally_of(const analysis::CaseCounts& cases) {
  TargetTally tally;
  tally.pass = static_cast<std::size_t>(cases.pass);
  tally.fail = static_cast<std::size_t>(cases.fail);
  tally.timeout = static_cast<std::size_t>(cases.timeout);
  tally.crash = static_cast<std::size_t>(cases.crash);
  tally.flaky = static_cast<std::size_t>(cases.flaky);
  tally.skip = static_cast<std::size_t>(cases.skip);
  tally.error = static_cast<std::size_t>(cases.error);
  return tally;
}

std::string verdicts_of(const analysis::TargetRow& row) {
  const analysis::FunctionCounts& functions = row.all;
  if (functions.functions == 0 && functions.cases_only > 0)
    return counted(functions.cases_only, "function", "functions") + " by case only";
  std::string verdicts =
      fmt::format("{}: {} pass", counted(functions.functions, "function", "functions"), functions.pass);
  if (functions.partial > 0) verdicts += fmt::format(", {} partly", functions.partial);
  if (functions.fail > 0) verdicts += fmt::format(", {} fail", functions.fail);
  if (functions.fails_on_reference > 0) {
    verdicts += fmt::format(", {} fail on the reference {}", functions.fails_on_reference,
                            row.reference.empty() ? "itself" : "too");
  }
  if (functions.unanswered > 0) verdicts += fmt::format(", {} unanswered", functions.unanswered);
  if (functions.not_run > 0) verdicts += fmt::format(", {} not run", functions.not_run);
  if (functions.cases_only > 0) verdicts += fmt::format(", {} more by case only", functions.cases_only);
  return verdicts;
}

std::string target_line(const analysis::TargetRow& row, std::size_t width) {
  const std::string name = pad_right(row.target, width);
  if (!row.usable) return fmt::format("{}  not run: {}\n", name, one_line(row.reason));
  std::string verdicts = verdicts_of(row);
  if (row.compiled_only) verdicts += " (compiled only)";
  std::string cases = fmt::format("{}: {}", counted(static_cast<int>(row.cases.planned), "case", "cases"),
                                  tally_text(tally_of(row.cases)));
  if (row.cases.fails_on_reference > 0) {
    cases += fmt::format(" ({} on the reference {})", row.cases.fails_on_reference,
                         row.reference.empty() ? "itself" : "too");
  }
  if (row.cases.not_attempted > 0) cases += fmt::format(", {} not reached", row.cases.not_attempted);
  return fmt::format("{}  {}; {}\n", name, verdicts, cases);
}

}  // namespace

std::string run_summary(const analysis::Summary& summary, const RunEnd& end, const Terminal& terminal) {
  std::size_t width = 0;
  for (const analysis::TargetRow& row : summary.targets) width = std::max(width, row.target.size());
  std::string out;
  for (const analysis::TargetRow& row : summary.targets) out += target_line(row, width);
  const bool proof = summary.runs.empty() || summary.runs.front().info.proof;
  const bool reference = summary.runs.empty() || summary.runs.front().info.reference;
  out += fmt::format("\n{} of {} cases in {} (CPU {}); placement proof {}, reference checks {}\n",
                     end.counts.done, end.counts.cases, format_duration(end.wall_s),
                     format_duration(end.cpu_s), proof ? "on" : "off", reference ? "on" : "off");
  if (!end.errors.empty()) {
    out +=
        fmt::format("errors of harness or environment: {}x {}{}\n", end.errors.front().second,
                    one_line(end.errors.front().first),
                    end.errors.size() > 1 ? fmt::format(", and {} more reasons", end.errors.size() - 1) : "");
  }
  if (!end.subset_note.empty()) {
    out += fmt::format("a subset: {}\n  everything: {}\n", end.subset_note, end.full_command);
  }
  const std::string store = end.store == "seamark.db" ? "" : " --store " + end.store;
  if (end.interrupted) {
    out += fmt::format("{} nothing that ended is lost\nnext: seamark run --resume{}\n",
                       styled(terminal, "1;33", "interrupted:"), store);
  } else {
    out +=
        fmt::format("next: seamark report{0}\n      seamark report{0} --format html -o report.html\n", store);
  }
  return out;
}

}  // namespace seamark::cli
