// Items of an audit, and what is there already (declared in audit_report.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "seamark/audit/audit_report.h"
#include "seamark/base/config.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/notebook.h"

namespace seamark::audit {
namespace {

Item item_of(const Finding& finding, const Rule& rule, const Project& project) {
  Item item;
  item.id = rule.id;
  item.title = rule.title;
  item.why = rule.why;
  item.fix = rule.fix;
  item.rests_on = rule.rests_on();
  const ProjectFile& file = project.files[finding.file];
  put_in(item, file.path, level_of(rule.effect));
  item.line = finding.hit.line;
  item.notebook = usage::notebook_place(file.cells, item.line);
  item.column = finding.hit.column;
  item.end_line = finding.hit.end_line;
  item.end_column = finding.hit.end_column;
  item.code = finding.hit.code;
  item.rank = static_cast<std::size_t>(rule.effect) - 1;
  item.effort = rule.effort;
  item.suppressed_because = finding.hit.ignored_because;
  return item;
}

// Of what fails as silent effects do not, behind the rules whose code is at fault.
std::size_t rank_of(Answer answer) {
  switch (answer) {
    case Answer::kFails:
      return 1;
    case Answer::kPartly:
      return 2;
    default:
      return 3;
  }
}

Level level_of(Answer answer) { return answer == Answer::kFails ? Level::kError : Level::kWarning; }

Item item_of(const Site& site, const FunctionUse& use, const FunctionAnswer& answer,
             const std::string& target, const Project& project) {
  Item item;
  item.id = name_of(answer.answer);
  item.function = use.name;
  const ProjectFile& file = project.files[site.file];
  put_in(item, file.path, level_of(answer.answer));
  item.title = fmt::format("{} {} ({})", use.name, meaning_of(answer.answer), target);
  item.why = answer.says.empty() ? answer.category : answer.says;
  item.line = site.line;
  item.notebook = usage::notebook_place(file.cells, item.line);
  item.column = site.column;
  item.end_line = site.line;
  item.end_column = site.column + 1;
  item.rank = rank_of(answer.answer);
  return item;
}

// Whether a device or a target is of that kind: of "xla" torch/xla and tpu-v5e.
bool is_of(std::string_view kind, std::string_view to) {
  const std::string_view device = to.substr(to.find('/') + 1);
  if (is_one_of(kind, "xla", "tpu")) return device.starts_with("xla") || device.starts_with("tpu");
  if (is_one_of(kind, "cuda", "gpu")) return device.starts_with("cuda") || device.starts_with("gpu");
  return device.starts_with(kind);
}

}  // namespace

Level level_of(Effect effect) {
  switch (effect) {
    case Effect::kSilent:
    case Effect::kFails:
      return Level::kError;
    case Effect::kDrift:
    case Effect::kSlow:
      return Level::kWarning;
    case Effect::kFades:
      break;
  }
  return Level::kNote;
}

std::string place_of(const Item& item) {
  if (item.notebook.cell == 0) return fmt::format("{}:{}", item.path, item.line);
  return fmt::format("{}:cell {}:{}", item.path, item.notebook.cell, item.notebook.line);
}

void put_in(Item& item, std::string path, Level level) {
  item.path = std::move(path);
  item.in_tests = is_test_path(item.path);
  const Level lower = level == Level::kError ? Level::kWarning : Level::kNote;
  item.level = item.in_tests ? lower : level;
}

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 3> kNames = {"error", "warning", "note"};
  return kNames.at(static_cast<std::size_t>(level) - 1);
}

std::vector<Item> items_of(const Project& project, const Answers& answers, std::span<const Rule> rules,
                           const Move& move, const std::set<std::string>& ignore,
                           const classify::Explanations& explanations) {
  std::vector<Item> items;
  const std::vector<std::string_view> devices = devices_by_name(project.files);
  const auto elsewhere = [&](std::uint32_t file) {
    return project.files[file].guarded || (!devices[file].empty() && !is_of(devices[file], move.to));
  };
  std::vector<std::set<std::string>> concerned;  // by rule
  for (const Rule& rule : rules) concerned.push_back(concerned_frameworks(rule, move, answers));
  for (const Finding& finding : project.findings) {
    const std::set<std::string>& frameworks = concerned[finding.rule];
    const std::vector<std::string>& imported = project.files[finding.file].frameworks;
    const bool of_another =
        !imported.empty() && std::none_of(imported.begin(), imported.end(),
                                          [&](const std::string& one) { return frameworks.contains(one); });
    if (!frameworks.empty() && !of_another && !elsewhere(finding.file))
      items.push_back(item_of(finding, rules[finding.rule], project));
  }
  // A rule says more of a call than the result of its function.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Level> told;
  for (const Finding& finding : project.findings) {
    if (concerned[finding.rule].empty()) continue;
    const Level level = level_of(rules[finding.rule].effect);
    const auto [at, fresh] = told.try_emplace({finding.file, finding.hit.line, finding.hit.column}, level);
    at->second = std::min(at->second, level);
  }
  const auto is_told = [&](const Site& site, Answer answer) {
    const auto found = told.find({site.file, site.line, site.column});
    return found != told.end() && found->second <= level_of(answer);
  };
  for (std::size_t i = 0; i < project.functions.size(); ++i) {
    const FunctionUse& use = project.functions[i];
    const FunctionAnswer& answer = answers.functions[i];
    if (!is_finding(answer.answer) || answer.fails_before) continue;
    const auto target = answers.targets.find(use.framework);
    std::string advice;
    if (const std::optional<Category> category = category_from(answer.category)) {
      const std::vector<std::string>& known = explanations.of(*category).advice;
      if (!known.empty()) advice = known.front();
    }
    for (const Site& site : use.sites) {
      if (!site.call || site.guarded || elsewhere(site.file) || is_told(site, answer.answer)) continue;
      items.push_back(item_of(site, use, answer, target->second, project));
      items.back().fix = advice;
    }
  }
  settle_items(items, ignore);
  return items;
}

void settle_items(std::vector<Item>& items, const std::set<std::string>& ignore) {
  for (Item& item : items) {
    if (item.suppressed_because.empty() && (ignore.contains(item.id) || ignore.contains(item.function)))
      item.suppressed_because = "the project's settings ignore it";
  }
  const auto key = [](const Item& item) {
    return std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string_view, std::string_view>(
        item.path, item.line, item.column, item.id, item.function);
  };
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
}

std::string fingerprint(const Item& item) {
  // Not the line's number: what stands above it changes.
  const std::array<std::string_view, 4> fields{item.id, item.function, item.path, item.code};
  return to_hex(fnv1a64_fields(fields));
}

std::string baseline_text(std::span<const Item> items) {
  std::map<std::string, std::pair<const Item*, std::int64_t>> counts;
  for (const Item& item : items) {
    auto& [one, count] = counts[fingerprint(item)];
    one = &item;
    ++count;
  }
  Value list{Value::Array{}};
  for (const auto& [print, counted] : counts) {
    Value entry;
    entry.set("fingerprint", print).set("id", counted.first->id).set("path", counted.first->path);
    entry.set("count", counted.second);
    list.push(std::move(entry));
  }
  Value top;
  top.set("schema", "seamark-audit-baseline/1").set("items", std::move(list));
  return dump_json_pretty(top);
}

Status apply_baseline(std::vector<Item>& items, std::string_view text, std::string_view file) {
  const Result<Value> parsed = parse_json(text);
  const auto bad = [&](std::string_view why) {
    return Error(AuditError::kBadBaseline, fmt::format("{} is no baseline of an audit: {}", file, why),
                 "write one anew with --update-baseline");
  };
  if (!parsed) return bad(parsed.error().message());
  if (parsed->string_or("schema", "") != "seamark-audit-baseline/1") return bad("its schema is another");
  const Value* list = parsed->find("items");
  if (list == nullptr || !list->is_array()) return bad("it has no items");
  std::map<std::string, std::int64_t> counts;
  for (const Value& entry : list->as_array()) {
    const std::string print = entry.string_or("fingerprint", "");
    const double count = entry.number_or("count", 0);
    if (print.empty() || count < 1 || count > 1e9) return bad("an item lacks its fingerprint or its count");
    counts[print] += static_cast<std::int64_t>(count);
  }
  for (Item& item : items) {
    const auto known = counts.find(fingerprint(item));
    if (known == counts.end() || known->second == 0) continue;
    --known->second;
    if (item.suppressed_because.empty()) item.suppressed_because = "it is in the baseline";
  }
  return {};
}

}  // namespace seamark::audit
