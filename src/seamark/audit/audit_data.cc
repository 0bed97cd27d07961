// An audit for programs: findings, JSON, JSON lines (declared in audit_report.h).
#include <fmt/format.h>

#include <algorithm>

#include "seamark/audit/audit_report.h"
#include "seamark/base/text.h"
#include "seamark/report/render/data_parts.h"

namespace seamark::audit {
namespace {

Value item_value(const Item& item) {
  Value value;
  value.set("level", name_of(item.level)).set("id", item.id).set("title", item.title);
  value.set("why", text_or_null(item.why)).set("fix", text_or_null(item.fix));
  value.set("rests_on", text_or_null(item.rests_on));
  value.set("function", text_or_null(item.function)).set("path", item.path);
  value.set("line", static_cast<std::int64_t>(item.line))
      .set("column", static_cast<std::int64_t>(item.column));
  value.set("end_line", static_cast<std::int64_t>(item.end_line));
  value.set("end_column", static_cast<std::int64_t>(item.end_column));
  const bool in_cell = item.notebook.cell != 0;
  value.set("cell", in_cell ? Value(static_cast<std::int64_t>(item.notebook.cell)) : Value());
  value.set("cell_line", in_cell ? Value(static_cast<std::int64_t>(item.notebook.line)) : Value());
  value.set("code", text_or_null(item.code))
      .set("effort", name_of(item.effort))
      .set("in_tests", item.in_tests);
  value.set("suppressed", text_or_null(item.suppressed_because)).set("fingerprint", fingerprint(item));
  return value;
}

Value function_value(const FunctionUse& use, const FunctionAnswer& answer, const Audit& audit) {
  Value value;
  const auto target = audit.answers.targets.find(use.framework);
  value.set("framework", use.framework).set("function", use.name).set("calls", use.calls);
  value.set("references", use.references);
  value.set("target", text_or_null(target == audit.answers.targets.end() ? std::string() : target->second));
  value.set("answer", name_of(answer.answer)).set("says", text_or_null(answer.says));
  value.set("category", text_or_null(answer.category)).set("case", text_or_null(answer.case_name));
  value.set("evidence", text_or_null(answer.evidence)).set("results", text_or_null(answer.origin));
  value.set("fails_before", answer.fails_before);
  return value;
}

}  // namespace

Value audit_value(const Audit& audit, const report::RenderOptions& options) {
  Value top = report::headed_value("seamark-audit/1", options);
  top.set("to", audit.move.to).set("from", text_or_null(audit.move.from));
  Value targets{Value::Object{}};
  for (const auto& [framework, target] : audit.answers.targets) targets.set(framework, text_or_null(target));
  top.set("targets", std::move(targets)).set("results", text_list(audit.origins));
  top.set("files", audit.project.read).set("files_with_framework", audit.project.with_framework);
  top.set("run", text_or_null(audit.run_command));
  top.set("trace", audit.trace);
  top.set("items", report::list_value(audit.items, item_value));
  Value functions{Value::Array{}};
  for (std::size_t i = 0; i < audit.project.functions.size(); ++i)
    functions.push(function_value(audit.project.functions[i], audit.answers.functions[i], audit));
  top.set("functions", std::move(functions));
  top.set(
      "losses", report::list_value(audit.project.losses, [](const usage::Loss& loss) {
        Value value;
        value.set("path", loss.file).set("line", static_cast<std::int64_t>(loss.line)).set("what", loss.what);
        return value;
      }));
  return top;
}

std::string audit_lines(const Audit& audit) {
  std::string out;
  for (const Item& item : audit.items) out += dump_json(item_value(item)) + "\n";
  return out;
}

report::Findings audit_findings(const Audit& audit, Level fail_on) {
  report::Findings findings;
  findings.name = "seamark audit";
  findings.properties = Value(Value::Object{{"to", Value(audit.move.to)}});
  for (const Rule& rule : audit.rules) {
    const bool asked = rule.proof == Proof::kTrace
                           ? !audit.traced.empty()
                           : !concerned_frameworks(rule, audit.move, audit.answers).empty();
    if (!asked) continue;
    findings.rules.push_back({rule.id, rule.title, std::string(name_of(level_of(rule.effect)))});
  }
  for (const Answer answer :
       {Answer::kFails, Answer::kPartly, Answer::kHost, Answer::kPrecision, Answer::kSlow}) {
    findings.rules.push_back({std::string(name_of(answer)),
                              "a function that " + std::string(meaning_of(answer)) + " on the target",
                              answer == Answer::kFails ? "error" : "warning"});
  }
  report::CheckSuite suite;
  suite.name = "seamark audit to " + audit.move.to;
  std::map<std::string_view, std::size_t> by_path;
  const auto add_check = [&](const std::string& path) {
    if (!by_path.emplace(path, suite.checks.size()).second) return;
    suite.checks.push_back(
        {.group = "seamark.audit", .name = path, .findings = {}, .no_answer = {}, .error = {}});
  };
  for (const ProjectFile& file : audit.project.files) add_check(file.path);
  for (const Item& item : audit.items) add_check(item.path);
  for (const Item& item : audit.items) {
    report::Finding finding;
    finding.rule = item.id;
    finding.level = name_of(item.level);
    finding.fails = item.suppressed_because.empty() && item.level <= fail_on;
    finding.place = place_of(item);
    finding.text = item.function.empty() ? item.title + ". " + item.why : item.title + ": " + item.why;
    finding.function = item.function;
    finding.file = {item.path, item.line, item.column, item.end_line, item.end_column, {}};
    if (item.notebook.cell != 0) {
      finding.file.line = finding.file.end_line = item.notebook.file_line;
      finding.file.inside = fmt::format("cell {}, line {}", item.notebook.cell, item.notebook.line);
    }
    finding.fingerprint_salt = item.path + "\n" + item.code;
    finding.suppressed_because = item.suppressed_because;
    suite.checks[by_path[item.path]].findings.push_back(suite.findings.size());
    suite.findings.push_back(std::move(finding));
  }
  findings.suites.push_back(std::move(suite));
  return findings;
}

}  // namespace seamark::audit
