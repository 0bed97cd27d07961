#include "seamark/report/render/junit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/report/render/xml_text.h"

namespace seamark::report::junit {

namespace {

std::ptrdiff_t count(const Suite& suite, Test::End end) {
  return std::count_if(suite.tests.begin(), suite.tests.end(),
                       [end](const Test& test) { return test.end == end; });
}

std::string test_text(const Test& test) {
  using xml::attribute;
  std::string inner;
  const std::string type = test.type.empty() ? std::string() : attribute("type", test.type);
  if (test.end == Test::End::kFailure) {
    inner += "      <failure" + attribute("message", test.message) + type + ">" + xml::text(test.body) +
             "</failure>\n";
  } else if (test.end == Test::End::kSkipped) {
    inner += "      <skipped" + attribute("message", test.message) + type + "/>\n";
  }
  if (!test.out.empty()) inner += "      <system-out>" + xml::text(test.out) + "</system-out>\n";
  const std::string head =
      "    <testcase" + attribute("classname", test.class_name) + attribute("name", test.name);
  return inner.empty() ? head + "/>\n" : head + ">\n" + inner + "    </testcase>\n";
}

std::string suite_text(const Suite& suite) {
  std::string out = fmt::format("  <testsuite{} tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                                xml::attribute("name", suite.name), suite.tests.size(),
                                count(suite, Test::End::kFailure), count(suite, Test::End::kSkipped));
  if (!suite.timestamp.empty()) out += xml::attribute("timestamp", suite.timestamp);
  out += ">\n";
  if (!suite.properties.empty()) {
    out += "    <properties>\n";
    for (const auto& [name, value] : suite.properties) {
      out += "      <property" + xml::attribute("name", name) + xml::attribute("value", value) + "/>\n";
    }
    out += "    </properties>\n";
  }
  for (const Test& test : suite.tests) out += test_text(test);
  return out + "  </testsuite>\n";
}

}  // namespace

std::string document(const std::string& name, const std::vector<Suite>& suites) {
  std::size_t tests = 0;
  std::ptrdiff_t failures = 0;
  std::ptrdiff_t skipped = 0;
  std::string body;
  for (const Suite& suite : suites) {
    tests += suite.tests.size();
    failures += count(suite, Test::End::kFailure);
    skipped += count(suite, Test::End::kSkipped);
    body += suite_text(suite);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{} tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"{}\">\n{}</testsuites>\n",
      xml::attribute("name", name), tests, failures, skipped, body);
}

}  // namespace seamark::report::junit
