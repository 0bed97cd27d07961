// Findings as JUnit XML (declared in finding.h).
#include <fmt/format.h>

#include "seamark/base/log_commands.h"
#include "seamark/report/document/finding.h"
#include "seamark/report/render/xml_text.h"

namespace seamark::report {
namespace {

struct Tally {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", tests, failures, skipped);
  }
};

std::string check_text(const Check& check, const CheckSuite& suite, Tally& tally) {
  const Finding* first = nullptr;  // that fails
  std::string said;
  std::string out;
  for (const std::size_t at : check.findings) {
    const Finding& finding = suite.findings[at];
    // What stands for itself is no line of a list.
    std::string& into = finding.fails ? said : out;
    if (!finding.file.path.empty()) into += finding.place + ": ";
    into += finding.text + (finding.place.empty() ? "" : "\n");
    if (finding.fails && first == nullptr) first = &finding;
  }
  const auto reason = [](const std::string& message, const std::string& type) {
    return xml::attribute("message", message) + xml::attribute("type", type);
  };
  std::string inner;
  ++tally.tests;
  if (first != nullptr) {
    ++tally.failures;
    inner = "      <failure" + reason(first->text, first->rule) + ">" + xml::text(said + check.error) +
            "</failure>\n";
  } else if (const auto& [type, why] = check.no_answer; !type.empty()) {
    ++tally.skipped;
    inner = "      <skipped" + reason(why, type) + "/>\n";
  }
  if (!out.empty()) inner += "      <system-out>" + xml::text(out) + "</system-out>\n";
  const std::string head =
      "    <testcase" + xml::attribute("classname", check.group) + xml::attribute("name", check.name);
  return inner.empty() ? head + "/>\n" : head + ">\n" + inner + "    </testcase>\n";
}

std::string suite_text(const CheckSuite& suite, Tally& all) {
  Tally tally;
  std::string tests;
  for (const Check& check : suite.checks) tests += check_text(check, suite, tally);
  all = {all.tests + tally.tests, all.failures + tally.failures, all.skipped + tally.skipped};
  std::string out = "  <testsuite" + xml::attribute("name", suite.name) + tally.text();
  if (!suite.timestamp.empty()) out += xml::attribute("timestamp", suite.timestamp);
  out += ">\n";
  if (!suite.properties.empty()) {
    out += "    <properties>\n";
    for (const auto& [name, value] : suite.properties) {
      out += "      <property" + xml::attribute("name", name) + xml::attribute("value", value) + "/>\n";
    }
    out += "    </properties>\n";
  }
  return out + tests + "  </testsuite>\n";
}

}  // namespace

std::string junit_text(const Findings& findings) {
  Tally all;
  std::string body;
  for (const CheckSuite& suite : findings.suites) {
    if (!suite.checks.empty() || !suite.properties.empty()) body += suite_text(suite, all);
  }
  return without_log_commands(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}>\n{}</testsuites>\n",
                  xml::attribute("name", findings.name), all.text(), body));
}

}  // namespace seamark::report
