#include "seamark/report/build/targets_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

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

using Standings = std::vector<const target::TargetStatus*>;

TextTable usable_table(const Standings& standings) {
  TextTable table({{"target"},
                   {.head = "version", .elastic = 8},
                   {.head = "device", .elastic = 16},
                   {.head = "Python", .elastic = 12, .keep_end = true}});
  for (const target::TargetStatus* one : standings) {
    table.add_row({{one->target->name, Tone::kGood},
                   one->framework_version,
                   one->device,
                   {one->interpreter->origin, Tone::kDim}});
  }
  return table;
}

// Each with its reason and its remedy.
TextTable reason_table(const Standings& standings) {
  TextTable table({{"target"}});
  for (const target::TargetStatus* one : standings) {
    table.add_row({{one->target->name, Tone::kBad}});
    table.add_note(one->reason + (one->remedy.empty() ? "" : " -> " + one->remedy));
  }
  return table;
}

// What they have in common, in the order of the targets, with them.
std::vector<std::pair<std::string, Standings>> grouped(
    const Standings& standings, const std::function<std::string(const target::TargetStatus&)>& key) {
  std::vector<std::pair<std::string, Standings>> groups;
  for (const target::TargetStatus* one : standings) {
    const std::string wanted = key(*one);
    auto group = std::ranges::find(groups, wanted, &std::pair<std::string, Standings>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {wanted, {}});
    group->second.push_back(one);
  }
  return groups;
}

std::string names_of(const Standings& standings) {
  std::vector<std::string> names;
  names.reserve(standings.size());
  for (const target::TargetStatus* one : standings) names.push_back(one->target->name);
  return join(names, ", ");
}

// A line for each environment.
Section command_section(const Standings& standings, bool all) {
  Section section{"commands", "One command away", {}, {}};
  Items items;
  std::string environments;
  for (const auto& [name, group] :
       grouped(standings, [](const target::TargetStatus& one) { return one.to_install; })) {
    items.texts.push_back(fmt::format("seamark targets install {}: {}", name, names_of(group)));
    environments += " " + name;
  }
  if (items.texts.empty()) return section;
  section.blocks.emplace_back(all ? Block(reason_table(standings)) : Block(std::move(items)));
  section.say("next: seamark targets install" + environments);
  return section;
}

// A line for each family, with what the first of its targets lacks.
Section hardware_section(const Standings& standings, bool all) {
  Section section{"hardware", "Needs hardware, or a Python of yours", {}, {}};
  if (standings.empty()) return section;
  if (all) {
    section.blocks.emplace_back(reason_table(standings));
    return section;
  }
  TextTable table({{"family"}, {"targets", Column::Align::kRight}, {.head = "why not", .elastic = 20}});
  for (const auto& [family, group] :
       grouped(standings, [](const target::TargetStatus& one) { return one.target->parts.family; })) {
    table.add_row({{family, Tone::kBad}, std::to_string(group.size()), group.front()->reason});
  }
  section.blocks.emplace_back(std::move(table));
  section.say("each target with its reason and what to do: seamark targets --all");
  return section;
}

Document targets_document(const std::vector<target::TargetStatus>& standings, bool all) {
  Standings usable;
  Standings installable;
  Standings others;
  for (const target::TargetStatus& one : standings)
    (one.usable ? usable : one.to_install.empty() ? others : installable).push_back(&one);
  Document document;
  document.head.push_back(
      {{}, fmt::format("{} of {} targets usable here.", usable.size(), standings.size()), Tone::kPlain});
  if (!usable.empty()) document.add({"targets", "Usable now", {}, {usable_table(usable)}});
  document.add(command_section(installable, all));
  document.add(hardware_section(others, all));
  return document;
}

}  // namespace

std::string render_targets(Format format, const std::vector<target::TargetStatus>& standings, bool all,
                           const RenderOptions& options) {
  if (format == Format::kJson) {
    Value top = headed_value("seamark-targets/1", options);
    return dump_json_pretty(top.set("targets", list_value(standings, standing_value)));
  }
  return render(format, "targets", targets_document(standings, all), options);
}

}  // namespace seamark::report
