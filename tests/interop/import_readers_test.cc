// What the readers make of the files of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_fixture.h"

namespace seamark::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ImportTest, EachOutcomeOfPytestIsWhatItIs) {
  const ExternalFile file = must(read_pytest_json(kReport, "r.json", rules()));
  ASSERT_EQ(file.tests.size(), 8u);
  EXPECT_TRUE(file.losses.empty());
  EXPECT_EQ(file.started_unix_us, 1'700'000'000'500'000);
  EXPECT_EQ(file.tests[0].outcome, Outcome::kPass);
  EXPECT_DOUBLE_EQ(file.tests[0].wall_s, 1);
  EXPECT_EQ(file.tests[1].outcome, Outcome::kFail);
  EXPECT_EQ(file.tests[1].failure->type, "RuntimeError");
  EXPECT_EQ(file.tests[1].failure->message, "\"argsort\" not implemented for 'Half'");
  EXPECT_EQ(file.tests[1].failure->stage, "call");
  EXPECT_EQ(file.tests[2].outcome, Outcome::kError);
  EXPECT_EQ(file.tests[2].reason, "the test's setup failed: RuntimeError: no device");
  EXPECT_EQ(file.tests[3].outcome, Outcome::kSkip);
  EXPECT_EQ(file.tests[3].reason, "not here");
  EXPECT_EQ(file.tests[4].outcome, Outcome::kFail);
  EXPECT_EQ(file.tests[4].failure->type, "NotImplementedError");
  EXPECT_THAT(file.tests[4].attributes, ElementsAre("expected-failure"));
  EXPECT_EQ(file.tests[5].outcome, Outcome::kPass);
  EXPECT_THAT(file.tests[5].attributes, ElementsAre("unexpected-pass"));
  EXPECT_EQ(file.tests[6].failure->stage, "compare");
  EXPECT_EQ(file.tests[6].failure->type, "AssertionError");
  EXPECT_EQ(file.tests[7].outcome, Outcome::kTimeout);
}

TEST_F(ImportTest, JunitSaysTheSame) {
  const ExternalFile file = must(read_junit(
      R"(<?xml version="1.0"?><testsuites><testsuite name="x">
<testcase classname="tests.test_argsort.TestC" name="test_a[1-2]" time="0.5"/>
<testcase classname="test_argsort" name="test_b"><failure message="RuntimeError: &quot;x&quot;">text</failure></testcase>
<testcase classname="test_argsort" name="test_c"><error message="failed on setup"/></testcase>
<testcase classname="test_argsort" name="test_d"><skipped type="pytest.skip" message="no"/></testcase>
<testcase classname="test_argsort" name="test_e"><skipped type="pytest.xfail" message="known"/></testcase>
<testcase classname="test_argsort" name="test_f"><skipped type="pytest.xfail" message="[NOTRUN] kills"/></testcase>
<testcase classname="test_argsort" name="test_g"><failure type="ValueError" message="bare"/></testcase>
<testcase classname="test_argsort" name="test_h" time="-1"/>
</testsuite></testsuites>)",
      "j.xml", rules()));
  ASSERT_EQ(file.tests.size(), 7u);
  EXPECT_EQ(file.tests[0].name.key(), TestName::of_node("tests/test_argsort.py::TestC::test_a[1-2]").key());
  EXPECT_EQ(file.tests[0].name.short_key(), "test_argsort.test_a[1-2]");
  EXPECT_DOUBLE_EQ(file.tests[0].wall_s, 0.5);
  EXPECT_EQ(file.tests[1].failure->message, "\"x\"");
  EXPECT_EQ(file.tests[1].failure->traceback, "text");
  EXPECT_EQ(file.tests[2].outcome, Outcome::kError);
  EXPECT_EQ(file.tests[3].outcome, Outcome::kSkip);
  EXPECT_EQ(file.tests[4].outcome, Outcome::kFail);
  EXPECT_EQ(file.tests[5].outcome, Outcome::kSkip);
  EXPECT_EQ(file.tests[6].failure->type, "ValueError");
  ASSERT_EQ(file.losses.size(), 1u);
  EXPECT_EQ(file.losses[0].place, "j.xml:9");
  EXPECT_EQ(file.losses[0].what, "'-1' is no time");
}

TEST_F(ImportTest, NoDocumentTypeAndNoDepth) {
  const auto bomb =
      read_junit("<!DOCTYPE lolz [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<testsuites>&b;</testsuites>",
                 "j.xml", rules());
  ASSERT_FALSE(bomb.ok());
  EXPECT_THAT(bomb.error().message(), HasSubstr("j.xml:1: a document type is refused"));
  std::string deep = "<testsuites>";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(read_junit(deep, "j.xml", rules()).error().message(), HasSubstr("more than 64 elements"));
  EXPECT_THAT(read_junit("<html></html>", "j.xml", rules()).error().message(),
              HasSubstr("its root is 'html'"));
  EXPECT_THAT(read_junit("<testsuites><testsuite></testsuites>", "j.xml", rules()).error().message(),
              HasSubstr("j.xml:1: mismatched tag"));
}

TEST_F(ImportTest, WhatCannotBeReadIsLostByItself) {
  const ExternalFile file = must(read_pytest_json(
      R"({"tests": [1, {"outcome": "passed"}, {"nodeid": "a.py::b"}, {"nodeid": "a.py::c", "outcome": "odd"},
          {"nodeid": "a.py::d", "outcome": "passed", "call": {"duration": -1}},
          {"nodeid": "a.py::e", "outcome": "passed", "call": 5}, {"nodeid": "a.py::f", "outcome": "passed"}]})",
      "r.json", rules()));
  ASSERT_EQ(file.losses.size(), 6u);
  EXPECT_EQ(file.losses[0].place, "r.json: tests[0]");
  EXPECT_EQ(file.losses[4].what, "the duration of its call is no time");
  EXPECT_EQ(file.tests.size(), 1u);
  const ExternalFile times = must(read_timings(
      R"({"a.py:x": {"operations": [1, -1]}, "a.py:y": {"operations": []}, "a.py:z": {"operations": [1e-3], "test_time": 2}})",
      "t.json"));
  ASSERT_EQ(times.losses.size(), 2u);
  EXPECT_EQ(times.losses[0].what, "operations[1] is no time");
  ASSERT_EQ(times.tests.size(), 1u);
  EXPECT_DOUBLE_EQ(times.tests[0].wall_s, 2);
}

TEST_F(ImportTest, EveryTruncationIsAnErrorOrLess) {
  const std::string report = kReport;
  for (std::size_t n = 0; n + 1 < report.size(); n += 7)
    EXPECT_FALSE(read_pytest_json(report.substr(0, n), "r.json", rules()).ok()) << n;
  const std::string xml = "<testsuite><testcase name=\"a\"><failure>x</failure></testcase></testsuite>";
  for (std::size_t n = 0; n < xml.size(); ++n)
    EXPECT_FALSE(read_junit(xml.substr(0, n), "j", rules()).ok()) << n;
  for (const char* bad :
       {"", "[]", "{}", "NaN", "{\"tests\": 5}", "\xff\xfe\xfd", "{\"tests\":[{\"nodeid\":\"\xff\"}]}"})
    EXPECT_FALSE(read_pytest_json(bad, "r.json", rules()).ok()) << bad;
  EXPECT_THAT(read_timings("{\"a.py:b\": {\"operations\": [NaN]}}", "t.json").error().message(),
              HasSubstr("t.json"));
}

TEST_F(ImportTest, NamesAreOfOneLineAndBounded) {
  EXPECT_EQ(bounded_name("a\n\x1b[31mb\xff"), "a b\xef\xbf\xbd");
  const std::string huge(std::size_t{10} << 20, 'x');
  EXPECT_LE(bounded_name(huge).size(), kMostNameBytes);
  EXPECT_NE(bounded_name(huge), bounded_name(huge + "y"));
  EXPECT_EQ(must(detect_form("{\"tests\": [{\"nodeid\": 1}]}", "f")), ExternalForm::kPytestJson);
  EXPECT_EQ(must(detect_form("{\"a.py:b\": {\"operations\": []}}", "f")), ExternalForm::kTimings);
  EXPECT_EQ(must(detect_form("\xef\xbb\xbf <testsuite/>", "f")), ExternalForm::kJunit);
  EXPECT_THAT(detect_form("hello", "f").error().remedy(), HasSubstr("--format"));
}

}  // namespace
}  // namespace seamark::interop
