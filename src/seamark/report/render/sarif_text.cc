// Findings as SARIF 2.1.0 (declared in finding.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "seamark/base/text.h"
#include "seamark/report/document/finding.h"

namespace seamark::report {
namespace {

using Array = Value::Array;
using Object = Value::Object;

// One line in which nothing is a link ("[text](place)") or a placeholder ("{0}").
std::string plain_message(std::string_view raw) {
  const std::string text = replace_all(one_line(raw), "](", "] (");
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool placeholder =
        text[i] == '{' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (placeholder) out += ' ';
  }
  return out;
}

Value message(std::string_view raw) { return Value(Object{{"text", Value(plain_message(raw))}}); }

std::string pascal(std::string_view id) {
  std::string out;
  for (const std::string_view word : split(id, '-')) {
    if (word.empty()) continue;
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
    out += word.substr(1);
  }
  return out;
}

// A path as a URI: what is none of its letters as %XX.
std::string uri_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || std::string_view("/._-~").find(c) != std::string_view::npos;
    if (plain && byte < 0x80) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

Value file_location(const FilePlace& place) {
  const auto number = [](std::uint32_t value) { return Value(static_cast<std::int64_t>(value)); };
  Object region{{"startLine", number(place.line)}};
  if (place.inside.empty()) region.emplace_back("startColumn", number(place.column));
  region.emplace_back("endLine", number(place.end_line));
  if (place.inside.empty()) region.emplace_back("endColumn", number(place.end_column));
  Object artifact{{"uri", Value(uri_of(place.path))}};
  Object location{{"physicalLocation", Value(Object{{"artifactLocation", Value(std::move(artifact))},
                                                    {"region", Value(std::move(region))}})}};
  if (!place.inside.empty()) {
    Object logical{{"name", Value(place.inside)}, {"kind", Value("element")}};
    location.emplace_back("logicalLocations", Value(Array{Value(std::move(logical))}));
  }
  return Value(std::move(location));
}

Value location(const Finding& finding) {
  if (!finding.file.path.empty()) return file_location(finding.file);
  const std::string target = one_line(finding.target);
  const std::string function = one_line(finding.function);
  const std::string name = one_line(finding.case_name);
  Object logical;
  std::string full = target;
  std::string last = target;
  std::string kind = "module";
  if (!function.empty()) {
    full += "::" + function;
    last = function;
    kind = "function";
  }
  if (!name.empty()) {
    full = target + "::" + name;
    last = name;
    kind = "member";
  }
  logical.emplace_back("name", Value(last));
  logical.emplace_back("fullyQualifiedName", Value(full));
  logical.emplace_back("kind", Value(kind));
  return Value(Object{{"logicalLocations", Value(Array{Value(std::move(logical))})}});
}

// "new-failure" is also named NewFailure, as rules are.
Value rule_value(const FindingRule& rule) {
  return Value(Object{{"id", Value(rule.id)},
                      {"name", Value(pascal(rule.id))},
                      {"shortDescription", Value(Object{{"text", Value(rule.description)}})},
                      {"defaultConfiguration", Value(Object{{"level", Value(rule.level)}})}});
}

Value result(const Finding& finding, const std::vector<FindingRule>& rules) {
  const std::array<std::string_view, 5> fields{finding.rule, finding.target, finding.function,
                                               finding.case_name, finding.fingerprint_salt};
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const FindingRule& one) { return one.id == finding.rule; });
  Object object{
      {"ruleId", Value(finding.rule)},
      {"ruleIndex", Value(rule - rules.begin())},
      {"level", Value(finding.level)},
      {"message", message(finding.place.empty() ? finding.text : finding.place + ": " + finding.text)},
      {"locations", Value(Array{location(finding)})},
      {"partialFingerprints", Value(Object{{"seamark/v1", Value(to_hex(fnv1a64_fields(fields)))}})}};
  if (!finding.baseline_state.empty()) object.emplace_back("baselineState", Value(finding.baseline_state));
  if (!finding.suppressed_because.empty()) {
    object.emplace_back(
        "suppressions",
        Value(Array{Value(Object{{"kind", Value("external")},
                                 {"justification", Value(one_line(finding.suppressed_because))}})}));
  }
  return Value(std::move(object));
}

}  // namespace

std::string sarif_text(const Findings& findings, const RenderOptions& options) {
  Array rules;
  for (const FindingRule& rule : findings.rules) rules.push_back(rule_value(rule));
  Array results;
  for (const CheckSuite& suite : findings.suites) {
    for (const Finding& finding : suite.findings) {
      if (!finding.level.empty()) results.push_back(result(finding, findings.rules));
    }
  }
  Object driver{{"name", Value("seamark")}};
  if (!options.tool_version.empty()) driver.emplace_back("version", Value(options.tool_version));
  driver.emplace_back("rules", Value(std::move(rules)));
  Object run{{"tool", Value(Object{{"driver", Value(std::move(driver))}})},
             {"columnKind", Value("unicodeCodePoints")},
             {"results", Value(std::move(results))},
             {"properties", findings.properties}};
  return dump_json_pretty(Value(Object{{"$schema", Value("https://json.schemastore.org/sarif-2.1.0.json")},
                                       {"version", Value("2.1.0")},
                                       {"runs", Value(Array{Value(std::move(run))})}}));
}

}  // namespace seamark::report
