#include "seamark/interop/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "seamark/analysis/findings.h"
#include "seamark/analysis/summary.h"
#include "seamark/interop/export.h"
#include "seamark/interop/foreign_readers.h"

namespace seamark::interop {
namespace {

using store::must;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kReport = R"json({"created": 1700000000.5, "exitcode": 1, "tests": [
  {"nodeid": "tests/test_argsort.py::test_a", "outcome": "passed",
   "setup": {"duration": 0.25, "outcome": "passed"}, "call": {"duration": 0.5, "outcome": "passed"},
   "teardown": {"duration": 0.25, "outcome": "passed"}},
  {"nodeid": "tests/test_argsort.py::test_b[1]", "outcome": "failed",
   "call": {"duration": 1, "outcome": "failed", "crash": {"message": "RuntimeError: \"argsort\" not implemented for 'Half'"},
            "longrepr": "E   RuntimeError: other"}},
  {"nodeid": "tests/test_argsort.py::test_c", "outcome": "error",
   "setup": {"duration": 1, "outcome": "failed", "crash": {"message": "RuntimeError: no device"}}},
  {"nodeid": "tests/test_argsort.py::test_d", "outcome": "skipped",
   "setup": {"outcome": "skipped", "longrepr": "('/x/test_argsort.py', 13, 'Skipped: not here')"
}
},
  {"nodeid": "tests/test_argsort.py::test_e", "outcome": "xfailed", "longrepr": "E   NotImplementedError: no",
   "call": {"outcome": "skipped"}},
  {"nodeid": "tests/test_argsort.py::test_f", "outcome": "failed",
   "call": {"outcome": "failed", "longrepr": "[XPASS(strict)] why"}},
  {"nodeid": "tests/test_argsort.py::test_g", "outcome": "failed",
   "call": {"outcome": "failed", "longrepr": "E   AssertionError: Tensor-likes are not close!\nE   \nE   more"}},
  {"nodeid": "tests/test_argsort.py::test_h", "outcome": "failed",
   "call": {"outcome": "failed", "crash": {"message": "Failed: Timeout >1.0s"}}}]
})json";

class ImportTest : public store::StoreTest {
 protected:
  ImportTest() : known_("torch", rules()) {
    for (const char* name :
         {"torch.argsort", "torch.Tensor.argsort", "torch.add", "torch.nn.functional.relu", "torch.relu",
          "torch.linalg.det", "torch.nn.Conv3d", "torch.cuda.synchronize", "torch.nn.Module.cuda",
          "torch.nn.Linear", "torch.nn.functional.linear", "torch.Size", "torch.Tensor.size",
          "torch.nn.Module.to", "torch.Tensor.to", "torch.Tensor.item"}) {
      known_.add(name, name);
    }
  }

  static const ImportRules& rules() {
    static const ImportRules loaded =
        must(ImportRules::load(SEAMARK_SOURCE_DIR "/data/import/rules.toml", known_frameworks()));
    return loaded;
  }

  std::string function_of(const std::string& id) { return mapped(id).function; }
  Mapped mapped(const std::string& id) {
    ForeignTest test;
    test.id = id;
    test.name = TestName::of_node(id);
    return FunctionMap(known_, rules(), rows_).find(test, facts(id));
  }
  // What a report says of a test's name, or a file of times.
  static NameFacts facts(const std::string& id, const std::string& target = "torch/cuda",
                         bool timing = false) {
    ForeignTest test;
    test.id = id;
    test.name = TestName::of_node(id);
    test.timing = timing;
    return facts_of(test, rules(), devices(target));
  }
  static DeviceNames devices(const std::string& target) {
    return rules().device_names(must(TargetName::parse(target)));
  }
  static std::string device_of(const std::string& id, bool timing = false) {
    return facts(id, "torch/tpu-v3", timing).device;
  }

  Imported imported(const std::vector<ImportFile>& files, const std::string& target = "torch/cuda",
                    const std::string& run = {}, const std::optional<RunBefore>& before = {}) {
    const FunctionMap functions(known_, rules(), rows_);
    return must(import_tests(files, {target, run, "seamark import", 1'700'000'001'000'000}, functions,
                             rules(), before));
  }

  std::vector<MapRow> rows_;
  KnownFunctions known_;
};

TEST_F(ImportTest, EachOutcomeOfPytestIsWhatItIs) {
  const ForeignFile file = must(read_pytest_json(kReport, "r.json", rules()));
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
  const ForeignFile file = must(read_junit(
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
  const ForeignFile file = must(read_pytest_json(
      R"({"tests": [1, {"outcome": "passed"}, {"nodeid": "a.py::b"}, {"nodeid": "a.py::c", "outcome": "odd"},
          {"nodeid": "a.py::d", "outcome": "passed", "call": {"duration": -1}},
          {"nodeid": "a.py::e", "outcome": "passed", "call": 5}, {"nodeid": "a.py::f", "outcome": "passed"}]})",
      "r.json", rules()));
  ASSERT_EQ(file.losses.size(), 6u);
  EXPECT_EQ(file.losses[0].place, "r.json: tests[0]");
  EXPECT_EQ(file.losses[4].what, "the duration of its call is no time");
  EXPECT_EQ(file.tests.size(), 1u);
  const ForeignFile times = must(read_timings(
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
  EXPECT_EQ(must(detect_form("{\"tests\": [{\"nodeid\": 1}]}", "f")), ForeignForm::kPytestJson);
  EXPECT_EQ(must(detect_form("{\"a.py:b\": {\"operations\": []}}", "f")), ForeignForm::kTimings);
  EXPECT_EQ(must(detect_form("\xef\xbb\xbf <testsuite/>", "f")), ForeignForm::kJunit);
  EXPECT_THAT(detect_form("hello", "f").error().remedy(), HasSubstr("--format"));
}

TEST_F(ImportTest, TestsAreMappedByRule) {
  EXPECT_EQ(function_of("torch/test_argsort.py::test_x"), "torch.argsort");
  EXPECT_EQ(function_of("argsort_test.py:test_x"), "torch.argsort");
  EXPECT_EQ(function_of("t/test_conv3d.py::test_x"), "torch.nn.Conv3d");
  EXPECT_EQ(function_of("t/test_Linear.py::test_x"), "torch.nn.Linear");
  EXPECT_EQ(function_of("t/test_item.py::test_x"), "torch.Tensor.item");
  EXPECT_EQ(function_of("t/torch.nn.functional.relu_test.py::test_x"), "torch.nn.functional.relu");
  EXPECT_EQ(function_of("t/test_nn_functional_relu.py::test_x"), "torch.nn.functional.relu");
  EXPECT_EQ(function_of("t/test_all.py::test_foo[torch.add-cpu-float32]"), "torch.add");
  EXPECT_EQ(function_of("test_ops.py::TestCommonCPU::test_out_linalg_det_cpu_float32"), "torch.linalg.det");
  EXPECT_EQ(function_of("test_ops.py::T::test_variant_consistency_eager_nn_functional_relu_cuda_float32"),
            "torch.nn.functional.relu");
  EXPECT_EQ(function_of("test_any.py::test_x_torch_add_cpu_float32"), "torch.add");
  EXPECT_EQ(mapped("test_any.py::test_x_torch_add_cpu_float32").rule, "name");
}

TEST_F(ImportTest, NothingIsGuessed) {
  EXPECT_EQ(function_of("test_ops.py::T::test_strange_thing_add_cpu_float32"), "");
  EXPECT_EQ(function_of("test_ops.py::T::test_out_linalg_dot_cpu_float32"), "");
  EXPECT_EQ(function_of("test_cuda.py::test_stream"), "");
  EXPECT_EQ(function_of("test_utils.py::test_x"), "");
  EXPECT_EQ(function_of("test_add"), "");  // of no file
  EXPECT_EQ(mapped("test_linear.py::test_x").reason,
            "'linear' could be torch.nn.Linear, torch.nn.functional.linear");
  EXPECT_EQ(function_of("test_size.py::test_x"), "");
  EXPECT_EQ(function_of("test_to.py::test_x"), "");
  EXPECT_EQ(mapped("test_any.py::test_x[torch.add-torch.relu]").reason,
            "'torch.add-torch.relu' could be torch.add, torch.relu");
}

TEST_F(ImportTest, ATableOfTheUsersGoesFirst) {
  rows_ = must(parse_map(
      "nodeid,function,framework\n*test_cuda*,torch.cuda.synchronize\n*argsort*,-\n*,tf.add,tensorflow\n",
      "m.csv", known_frameworks()));
  EXPECT_EQ(function_of("test_cuda.py::test_stream"), "torch.cuda.synchronize");
  EXPECT_TRUE(mapped("test_argsort.py::x").left_out);
  EXPECT_EQ(function_of("test_add.py::x"), "torch.add");
  EXPECT_THAT(parse_map("a\n", "m.csv", known_frameworks()).error().message(), HasSubstr("m.csv: row 1"));
  EXPECT_FALSE(parse_map("a,b c\n", "m.csv", known_frameworks()).ok());
  EXPECT_FALSE(parse_map("a,b,pytorch\n", "m.csv", known_frameworks()).ok());
}

TEST_F(ImportTest, TestsOfTwoDevicesAreOneCase) {
  const NameFacts cpu = facts("t.py::TestCommonCPU::test_out_add_cpu_bfloat16", "torch/cpu");
  const NameFacts cuda = facts("t.py::TestCommonCUDA::test_out_add_cuda_bfloat16", "torch/cuda");
  const NameFacts tpu = facts("t.py::TestCommonXLA::test_out_add_xla_bfloat16", "torch/tpu-v3");
  EXPECT_EQ(cpu.joined.key(), "t.TestCommon.test_out_add_*_bfloat16");
  EXPECT_EQ(cpu.joined.key(), cuda.joined.key());
  EXPECT_EQ(cpu.joined.key(), tpu.joined.key());
  EXPECT_EQ(cpu.dtype, "bf16");
  EXPECT_EQ(facts("t.py::f[torch.add-cpu-float32]", "torch/cpu").joined.key(),
            facts("t.py::f[torch.add-cuda-float32]", "torch/cuda").joined.key());
}

TEST_F(ImportTest, ADeviceIsNamedWhereTestsOfDevicesNameIt) {
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add_cpu_float32"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsXLA::test_cpu_offload_xla_float32"), "xla");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_xla_to_cpu"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsMETA::test_add_meta_float8_e4m3fn"), "meta");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_cast_cpu_float32_int64"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add_cpu_qint8"), "cpu");  // no dtype that is known
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add"), "cpu");
  EXPECT_EQ(device_of("t.py::test_add_cpu_float32"), "cpu");
  EXPECT_EQ(device_of("t.py::test_x[torch.add-cpu-float32]"), "cpu");
  // The class tells of a device that others added to PyTorch, whatever they called it.
  EXPECT_EQ(device_of("t.py::TestOpsPRIVATEUSE1::test_add_npu_float32"), "privateuse1");

  for (const char* plain :
       {"t.py::TestOps::test_copy_to_cpu", "t.py::test_copy_to_cpu", "t.py::TestOps::test_cpu_add_float32",
        "t.py::TestOps::test_add_float32", "t.py::TestOps::testAdd_cpu", "t.py::TestOps::test_x[cpu]",
        "t.py::TestOps::test_x[cpu-cuda]", "t.py::TestOps::test_x[cpu_float32]", "t.py::TestCpu::test_add",
        "cpu/test_cpu.py::test_cpu", "t.py::TestOps::test_lazy (1, 2)"}) {
    EXPECT_EQ(device_of(plain), "") << plain;
  }
  // A file of times knows no class.
  EXPECT_EQ(device_of("t.py:test_add_cpu", true), "cpu");
  EXPECT_EQ(device_of("t.py:test_add_cpu_float32", true), "cpu");
  EXPECT_EQ(device_of("t.py:test_cpu_add", true), "");
  // Two tests, whatever they name, are two cases.
  EXPECT_NE(facts("t.py::TestOps::test_copy_to_cpu").joined.key(),
            facts("t.py::TestOps::test_copy_to_cuda").joined.key());
  EXPECT_NE(facts("t.py::test_x[cpu-cuda]").joined.key(), facts("t.py::test_x[cuda-cpu]").joined.key());
}

TEST_F(ImportTest, NamesOfDevicesAreThoseOfTheTargetsFamily) {
  EXPECT_THAT(devices("torch/tpu-v3").own, ElementsAre("xla", "tpu"));
  EXPECT_THAT(devices("torch/cuda-t4").own, testing::Contains("cuda"));
  EXPECT_THAT(devices("torch/rocm").own, testing::Contains("cuda"));
  EXPECT_THAT(devices("torch/npu-910b").own,
              testing::UnorderedElementsAre("privateuse1", "privateuseone", "npu"));
  EXPECT_THAT(devices("torch/npu-910b").all, testing::IsSupersetOf({"npu", "cpu", "xla", "meta"}));
  // A way to compile there, and no device.
  EXPECT_THAT(devices("tensorflow/cpu+xla").all, testing::Not(testing::Contains("xla")));
  EXPECT_THAT(devices("jax/cuda-h100").own, testing::Contains("gpu"));
}

TEST_F(ImportTest, ATestOfAnotherDeviceIsNotTheTargets) {
  const ImportFile file{"r.json",
                        R"({"tests": [
      {"nodeid": "test_argsort.py::TestSortCPU::test_x_cpu_float32", "outcome": "failed"},
      {"nodeid": "test_argsort.py::TestSortXLA::test_x_xla_float32", "outcome": "passed"},
      {"nodeid": "test_argsort.py::TestSort::test_y", "outcome": "passed"}]})",
                        ForeignForm::kPytestJson};
  const ImportFile times{"t.json",
                         R"({"test_argsort.py:test_x_cpu_float32": {"operations": [1]},
                             "test_argsort.py:test_x_xla_float32": {"operations": [9]}})",
                         ForeignForm::kTimings};
  const Imported all = imported({file, times}, "torch/tpu-v3");
  EXPECT_EQ(all.tests, 5);
  EXPECT_THAT(all.other_devices, ElementsAre(testing::Pair("cpu", 2)));
  EXPECT_EQ(all.other_device_test, "test_argsort.py::TestSortCPU::test_x_cpu_float32");
  ASSERT_EQ(all.runs.size(), 1u);
  const store::WholeRun& run = all.runs.front();
  EXPECT_EQ(run.plan.size(), 2u);
  ASSERT_EQ(run.attempts.size(), 3u);
  EXPECT_EQ(run.attempts[0].outcome, Outcome::kPass);
  EXPECT_EQ(run.attempts[2].case_name, run.attempts[0].case_name);
  EXPECT_DOUBLE_EQ(run.attempts[2].latency.warm_median_s.value(), 9);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].second.number_or("other_devices", 0), 1);
  EXPECT_EQ(run.events[1].second.number_or("other_devices", 0), 1);
}

TEST_F(ImportTest, EvidenceIsNoMoreThanThatItRan) {
  const Imported all = imported({{"r.json", kReport, ForeignForm::kPytestJson}});
  ASSERT_EQ(all.runs.size(), 1u);
  const store::WholeRun& run = all.runs.front();
  EXPECT_EQ(run.info.protocol, "imported");
  EXPECT_FALSE(run.info.proof || run.info.reference);
  EXPECT_TRUE(run.info.uuid.starts_with("import-"));
  for (const Attempt& attempt : run.attempts) {
    EXPECT_EQ(attempt.evidence, Evidence::kExecuted);
    EXPECT_FALSE(attempt.placement.proven);
    EXPECT_FALSE(attempt.latency.warm_median_s.has_value());
    EXPECT_EQ(attempt.attributes.back(), "imported");
  }
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].second.string_or("file", ""), "r.json");
  EXPECT_EQ(run.events[0].second.string_or("hash", ""), content_hash(kReport));
}

TEST_F(ImportTest, TheSameAgainAddsNothing) {
  const ImportFile file{"r.json", kReport, ForeignForm::kPytestJson};
  store::Store store = open();
  EXPECT_EQ(must(store.save_runs(imported({file}).runs))[0].added, 8);
  EXPECT_EQ(must(store.save_runs(imported({file}).runs))[0].added, 0);
  EXPECT_EQ(imported({file, file}).repeated, std::vector<std::string>{"r.json"});
  // By name a run grows, and knows its files.
  EXPECT_TRUE(must(store.save_runs(imported({file}, "torch/cuda", "study").runs))[0].is_new);
  const auto before = must(find_run(store, "study"));
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(imported({file}, "torch/cuda", "study", before).repeated.size(), 1u);
  const Imported other = imported({file}, "torch/cpu", "study", before);
  EXPECT_FALSE(must(store.save_runs(other.runs))[0].is_new);
  EXPECT_EQ(must(store.runs()).size(), 2u);
  EXPECT_EQ(must(store.targets(store::RunChoice::parse("study"))).size(), 2u);
}

TEST_F(ImportTest, ARunIsSavedWholeOrNotAtAll) {
  Imported all = imported({{"r.json", kReport, ForeignForm::kPytestJson}});
  store::WholeRun broken = all.runs.front();
  broken.info.uuid = "another";
  broken.attempts.back().case_name = "torch.argsort/not planned";
  store::Store store = open();
  EXPECT_FALSE(store.save_runs(std::vector{all.runs.front(), broken}).ok());
  EXPECT_TRUE(must(store.runs()).empty());
  EXPECT_EQ(must(store.save_runs(all.runs))[0].added, 8);
}

// The study's rule, by hand: what passed on both; per operation the mean of the runs; per file the mean over
// its operations.
TEST_F(ImportTest, TimesFlowIntoTheTablesAsTheStudysDid) {
  const auto report = [](const char* b, const char* c) {
    return ImportFile{
        "r.json",
        fmt::format(R"({{"tests": [{{"nodeid": "d/test_argsort.py::test_a", "outcome": "passed"}},
        {{"nodeid": "d/test_argsort.py::TestX::test_b", "outcome": "{}"}},
        {{"nodeid": "d/test_argsort.py::test_c", "outcome": "{}"}}]}})",
                    b, c),
        ForeignForm::kPytestJson};
  };
  const auto times = [](const char* a, const char* b, const char* c) {
    return ImportFile{"t.json",
                      fmt::format(R"({{"test_argsort.py:test_a": {{"operations": [{}], "test_time": 1}},
        "test_argsort.py:test_b": {{"operations": [{}], "test_time": 1}},
        "test_argsort.py:test_c": {{"operations": [{}], "test_time": 1}}}})",
                                  a, b, c),
                      ForeignForm::kTimings};
  };
  store::Store store = open();
  // test_a has three operations, test_b one; test_c failed on the second device.
  std::vector<store::WholeRun> runs;
  Imported first = imported({report("passed", "passed"), times("1, 2, 3", "10", "100"),
                             times("2, 4, 3", "20", "100"), times("3, 6, 3", "30", "100")},
                            "torch/cpu");
  EXPECT_TRUE(first.notes.empty());
  Imported second = imported({report("passed", "failed"), times("4, 4, 4", "40", "7"),
                              times("8, 8, 8", "80", "7"), times("6, 6, 6", "60", "7")},
                             "torch/cuda");
  runs.push_back(std::move(first.runs[0]));
  runs.push_back(std::move(second.runs[0]));
  ASSERT_TRUE(store.save_runs(runs).ok());
  analysis::SummaryOptions options;
  options.run = store::RunChoice::parse("all");
  const analysis::Summary summary = must(analysis::summarize(store, classify::RuleSet(), options));
  const analysis::Findings findings = analysis::findings_of(summary, known_frameworks());
  const auto cpu = findings.device("cpu");
  const auto cuda = findings.device("cuda");
  ASSERT_TRUE(cpu && cuda);
  const auto pairs = analysis::pair_times(findings.frameworks.at(0).functions, *cpu, *cuda);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].function, "torch.argsort");
  EXPECT_DOUBLE_EQ(pairs[0].a_s,
                   (2.0 + 4 + 3 + 20) / 4);  // operations of test_a and test_b, mean of three runs
  EXPECT_DOUBLE_EQ(pairs[0].b_s, (6.0 + 6 + 6 + 60) / 4);
  // And the ratio of a case: test_b, 60 against 20.
  ASSERT_EQ(summary.functions.size(), 1u);
  std::map<std::string, std::optional<double>> ratios;
  for (const analysis::CaseRow& row : summary.functions[0].cases) {
    const auto& warm = row.cells.at(1).warm;
    ratios[row.name] = warm ? std::optional(warm->ratio) : std::nullopt;
  }
  EXPECT_DOUBLE_EQ(ratios.at("torch.argsort/d.test_argsort.TestX.test_b").value(), 3);
  EXPECT_DOUBLE_EQ(ratios.at("torch.argsort/d.test_argsort.test_a").value(), 2);
  EXPECT_FALSE(ratios.at("torch.argsort/d.test_argsort.test_c").has_value());
}

TEST_F(ImportTest, TimesWithoutAnOutcomeAreToldOf) {
  const Imported all =
      imported({{"t.json", R"({"test_argsort.py:test_a": {"operations": [1]}})", ForeignForm::kTimings}});
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_THAT(all.notes[0], HasSubstr("1 timed tests have no outcome"));
}

class RoundTrip : public ImportTest {
 protected:
  std::string exported(store::Store& from, const char* name) {
    ExportOptions options;
    options.run = store::RunChoice::parse("all");
    options.format = ExportFormat::kJsonl;
    must(export_attempts(from, classify::RuleSet(), options, folder() / name));
    return must(read_file(folder() / name));
  }
};

TEST_F(RoundTrip, AnExportImportedIsTheSameExport) {
  store::Store first = open();
  store::RunInfo info;
  info.protocol = "full";
  store::RunWriter writer = must(first.begin_run(info));
  const CaseInfo sort = store::make_case("torch.sort", "sort[f32]");
  CaseInfo host = store::make_case("torch.is_tensor", "plain", false);
  host.host_only = true;
  EXPECT_OK(writer.add_target(store::make_target("torch/lazy")));
  EXPECT_OK(writer.plan("torch/lazy", std::vector{sort, host}));
  Attempt fallback = store::make_attempt("torch/lazy", sort);
  fallback.placement.proven = true;
  fallback.placement.on_device = false;
  fallback.attributes = {"host-fallback", "cache-hit"};
  Attempt failed = store::make_failure("torch/lazy", sort, "RuntimeError", "not implemented\n for 'Half'",
                                       "beef", 2, Phase::kConfirm);
  failed.evidence = Evidence::kCompiled;
  Attempt timing = store::make_timing("torch/lazy", sort, 0.25, {1e-6, 2.5e-6, 1.0 / 3}, 3);
  Attempt skip = store::make_attempt("torch/lazy", host, Outcome::kSkip);
  skip.reason = "no \"such\" thing";
  EXPECT_OK(writer.commit(std::vector{fallback, failed, timing, skip}));
  EXPECT_OK(writer.finish(store::RunState::kFinished, "", 1, 1.0));
  const std::string text = exported(first, "first.jsonl");

  store::Store second = must(store::Store::open(folder() / "second.db", store::OpenMode::kWrite));
  const ImportFile file{"first.jsonl", text, must(detect_form(text, "first.jsonl"))};
  ASSERT_EQ(file.form, ForeignForm::kSeamarkJsonl);
  const Imported read = must(import_export(file, {}));
  EXPECT_TRUE(read.losses.empty());
  EXPECT_EQ(must(second.save_runs(read.runs))[0].added, 4);
  EXPECT_EQ(exported(second, "second.jsonl"), text);
  EXPECT_EQ(must(second.save_runs(read.runs))[0].added, 0);
}

TEST_F(RoundTrip, BadLinesAreLostByThemselves) {
  store::Store first = open();
  ASSERT_TRUE(first.save_runs(imported({{"r.json", kReport, ForeignForm::kPytestJson}}).runs).ok());
  std::string text = exported(first, "first.jsonl");
  const std::string line = text.substr(0, text.find('\n') + 1);
  text += "{\"run\": 5}\nnot json\n" + line;  // the last is there twice
  const Imported read = must(import_export({"x.jsonl", text, ForeignForm::kSeamarkJsonl}, {}));
  ASSERT_EQ(read.losses.size(), 3u);
  EXPECT_EQ(read.losses[0].place, "x.jsonl:9");
  EXPECT_THAT(read.losses[2].what, HasSubstr("attempt 1 of this case is there already"));
  EXPECT_EQ(read.runs.at(0).attempts.size(), 8u);
  EXPECT_FALSE(import_export({"x.jsonl", "not json\n", ForeignForm::kSeamarkJsonl}, {}).ok());
}

}  // namespace
}  // namespace seamark::interop
