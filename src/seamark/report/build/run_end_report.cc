#include "seamark/report/build/run_end_report.h"

#include <fmt/format.h>

#include <string_view>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

// "57 pass, 3 fail, 1 crash"; parts that are 0 are left out.
std::string tally_text(const analysis::CaseCounts& cases) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(cases.pass, "pass");
  add(cases.unchecked, "unchecked");
  add(cases.fail, "fail");
  add(cases.timeout, "timeout");
  add(cases.crash, "crash");
  add(cases.flaky, "flaky");
  add(cases.skip, "skip");
  add(cases.error, "error");
  return parts.empty() ? "nothing ran" : join(parts, ", ");
}

std::string verdicts_of(const analysis::TargetRow& row) {
  const analysis::FunctionCounts& functions = row.all;
  if (functions.functions == 0 && functions.cases_only > 0)
    return plural(functions.cases_only, "function") + " by case only";
  std::string verdicts = fmt::format("{}: {} pass", plural(functions.functions, "function"), functions.pass);
  if (functions.partial > 0) verdicts += fmt::format(", {} partly", functions.partial);
  if (functions.fail > 0) verdicts += fmt::format(", {} fail", functions.fail);
  if (functions.fails_on_reference > 0) {
    verdicts += fmt::format(", {} fail on the reference {}", functions.fails_on_reference,
                            row.reference.empty() ? "itself" : "too");
  }
  if (functions.unanswered > 0) verdicts += fmt::format(", {} unanswered", functions.unanswered);
  if (functions.unchecked > 0) verdicts += fmt::format(", {} unchecked", functions.unchecked);
  if (functions.not_run > 0) verdicts += fmt::format(", {} not run", functions.not_run);
  if (functions.cases_only > 0) verdicts += fmt::format(", {} more by case only", functions.cases_only);
  return verdicts;
}

std::string target_line(const analysis::TargetRow& row) {
  if (!row.usable) return fmt::format("{}: not run: {}", row.target, row.reason);
  std::string text = fmt::format("{}: {}{}; {}: {}", row.target, verdicts_of(row),
                                 row.compiled_only ? " (compiled only)" : "",
                                 plural(row.cases.planned, "case"), tally_text(row.cases));
  if (row.cases.fails_on_reference > 0) {
    text += fmt::format(" ({} on the reference {})", row.cases.fails_on_reference,
                        row.reference.empty() ? "itself" : "too");
  }
  if (row.cases.not_attempted > 0) text += fmt::format(", {} not reached", row.cases.not_attempted);
  return text;
}

}  // namespace

Document run_end_document(const analysis::Summary& summary, const RunEnd& end) {
  Section section;
  section.id = "run";
  Items targets;
  for (const analysis::TargetRow& row : summary.targets) targets.texts.push_back(target_line(row));
  section.blocks.emplace_back(std::move(targets));
  const bool proof = summary.runs.empty() || summary.runs.front().info.proof;
  const bool reference = summary.runs.empty() || summary.runs.front().info.reference;
  const std::string cpu = end.cpu_s ? fmt::format(" (CPU {})", format_duration(*end.cpu_s)) : "";
  section.say(fmt::format("{} of {} cases in {}{}; placement proof {}, reference checks {}", end.settled,
                          end.cases, format_duration(end.wall_s), cpu, proof ? "on" : "off",
                          reference ? "on" : "off"));
  if (!end.errors.empty()) {
    section.say(fmt::format(
        "errors of harness or environment: {}x {}{}", end.errors.front().second, end.errors.front().first,
        end.errors.size() > 1 ? fmt::format(", and {} more reasons", end.errors.size() - 1) : ""));
  }
  Verbatim lines;  // commands stay whole
  const auto add = [&](std::string text) { lines.lines.push_back({0, {{std::move(text)}}}); };
  if (!end.subset_note.empty()) {
    add("a subset: " + end.subset_note);
    add("  everything: " + end.full_command);
  }
  const std::string store = end.store == "seamark.db" ? "" : " --store " + end.store;
  if (end.interrupted) {
    lines.lines.push_back({0, {{"interrupted:", Tone::kPartial}, {" nothing that ended is lost"}}});
    add("next: seamark run --resume" + end.engine + store);
  } else {
    add("next: seamark report" + store);
    add(fmt::format("      seamark report{} --format html -o report.html", store));
  }
  section.blocks.emplace_back(std::move(lines));
  return {{}, {std::move(section)}};
}

}  // namespace seamark::report
