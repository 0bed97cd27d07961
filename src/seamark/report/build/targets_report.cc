#include "seamark/report/build/targets_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"

namespace seamark::report {
namespace {

Value standing_value(const target::TargetStatus& standing) {
  const target::TargetEntry& entry = *standing.target;
  Value item;
  item.set("target", entry.name).set("summary", entry.summary).set("usable", standing.usable);
  item.set("reason", text_or_null(standing.reason)).set("remedy", text_or_null(standing.remedy));
  item.set("device", text_or_null(standing.device)).set("framework", entry.parts.framework);
  item.set("framework_version", text_or_null(standing.framework_version));
  item.set("python", text_or_null(standing.python));
  item.set("interpreter", standing.interpreter ? Value(standing.interpreter->path) : Value());
  item.set("interpreter_from", standing.interpreter ? Value(standing.interpreter->origin) : Value());
  item.set("environments", text_list(entry.environments)).set("evidence", name_of(entry.evidence));
  item.set("worker", name_of(entry.worker)).set("quick", entry.quick).set("baseline", entry.baseline);
  return item.set("lock", standing.lock);
}

Document targets_document(const std::vector<target::TargetStatus>& standings) {
  TextTable table({{"target"},
                   {"here"},
                   {"version"},
                   {.head = "device", .elastic = 20},
                   {.head = "Python", .elastic = 12, .keep_end = true}});
  std::vector<std::string> environments;  // that would make more targets usable
  for (const target::TargetStatus& standing : standings) {
    if (standing.usable) {
      table.add_row({standing.target->name,
                     {"yes", Tone::kGood},
                     standing.framework_version,
                     standing.device,
                     {standing.interpreter->origin, Tone::kDim}});
      continue;
    }
    table.add_row({standing.target->name, {"no", Tone::kBad}});
    table.add_note(standing.reason + (standing.remedy.empty() ? "" : " -> " + standing.remedy));
    const std::string& missing = standing.to_install;
    if (!missing.empty() &&
        std::find(environments.begin(), environments.end(), missing) == environments.end())
      environments.push_back(missing);
  }
  const std::string usable =
      fmt::format("{} of {} targets usable here.",
                  std::count_if(standings.begin(), standings.end(),
                                [](const target::TargetStatus& standing) { return standing.usable; }),
                  standings.size());
  Section section{"targets", "Targets", usable, {std::move(table)}};
  if (!environments.empty()) section.say("next: seamark targets install " + join(environments, " "));
  return {{}, {std::move(section)}};
}

}  // namespace

std::string render_targets(Format format, const std::vector<target::TargetStatus>& standings,
                           const RenderOptions& options) {
  if (format == Format::kJson) {
    Value top = headed_value("seamark-targets/1", options);
    return dump_json_pretty(top.set("targets", list_value(standings, standing_value)));
  }
  return render(format, "targets", targets_document(standings), options);
}

}  // namespace seamark::report
