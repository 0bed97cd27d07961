// `seamark compare` from outside, over a store that the test makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/base/fd.h"
#include "seamark/base/value.h"
#include "seamark/cli/exit_codes.h"
#include "verb_fixture.h"

namespace seamark::cli {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::must;
using testing::HasSubstr;

class CompareVerb : public VerbTest {
 protected:
  CompareVerb() {
    store::Store store = open();
    store::RunWriter writer = must(store.begin_run({}));
    const CaseInfo add = make_case("jax.numpy.add", "1", true, "jax");
    const CaseInfo eig = make_case("jax.numpy.linalg.eig", "1", true, "jax");
    const CaseInfo zeros = make_case("jax.numpy.zeros", "1", true, "jax");
    for (const char* target : {"jax/cpu", "jax/tpu-v3+aot"}) {
      EXPECT_OK(writer.add_target(make_target(target)));
      EXPECT_OK(writer.plan(target, std::vector<CaseInfo>{add, eig, zeros}));
    }
    Attempt compiles = make_attempt("jax/tpu-v3+aot", add);
    compiles.evidence = Evidence::kCompiled;
    compiles.compiled = Value(
        Value::Object{{"compiler", "libtpu"}, {"version", "0.0.42.1"}, {"bytes", 450e3}, {"flops", 1.0}});
    EXPECT_OK(writer.commit(std::vector<Attempt>{
        make_attempt("jax/cpu", add), make_attempt("jax/cpu", eig), make_attempt("jax/cpu", zeros), compiles,
        make_failure("jax/tpu-v3+aot", zeros, "RuntimeError", "<b>no</b> zeros"),
        make_failure("jax/tpu-v3+aot", eig, "NotImplementedError",
                     "MLIR translation rule for primitive 'eig' not found for platform tpu")}));
  }

  [[nodiscard]] proc::CommandResult compare(std::vector<std::string> words) const {
    words.insert(words.begin(), {"compare", "grand-illusion", path().string()});
    return seamark(words);
  }

  static int code(ExitCode exit_code) { return static_cast<int>(exit_code); }
};

TEST_F(CompareVerb, AnswersInJson) {
  const proc::CommandResult result =
      seamark({"compare", "--with", "grand-illusion", "--store", path().string(), "--format", "json"});
  ASSERT_EQ(result.exit.code(), code(ExitCode::kFindings)) << result.err;
  const Value document = must(parse_json(result.out));
  EXPECT_EQ(document.string_or("schema", ""), "seamark-compare-study/1");
  EXPECT_EQ(document.number_or("findings", 0), 1);
  EXPECT_EQ(document.string_or("fail_on", ""), "new-failures");
  const Value& target = document.find("targets")->as_array().at(0);
  EXPECT_EQ(target.string_or("target", ""), "jax/tpu-v3+aot");
  EXPECT_EQ(target.find("compilers")->as_array().at(0).as_string(), "libtpu 0.0.42.1");
  const Value& published = *target.find("published");
  EXPECT_EQ(published.number_or("functions", 0), 61);
  EXPECT_EQ(published.number_or("pass", 0), 1);
  EXPECT_EQ(published.number_or("fail", 0), 1);
  EXPECT_EQ(published.number_or("unchecked", 0), 59);
  EXPECT_EQ(target.find("all")->number_or("fails_now_failed_then", 0), 1);  // eig
  EXPECT_EQ(document.find("missing_frameworks")->as_array().size(), 2u);
}

TEST_F(CompareVerb, AStudyIsAGate) {
  const proc::CommandResult page = compare({});
  EXPECT_EQ(page.exit.code(), code(ExitCode::kFindings)) << page.err;
  EXPECT_THAT(page.out, HasSubstr("OF WHAT RAN THEN"));
  EXPECT_THAT(page.out, HasSubstr("NEWLY FAILING"));
  EXPECT_THAT(page.out, HasSubstr("at least one of its tests ran on the"));
  EXPECT_THAT(page.out, HasSubstr("NOT ANSWERED"));
  EXPECT_THAT(page.out, HasSubstr("1 finding (of new-failures)"));
  EXPECT_THAT(page.out, HasSubstr("device: TPU v3-8, now a device"));
  EXPECT_EQ(compare({"--fail-on", "none"}).exit.code(), code(ExitCode::kDone));
  EXPECT_EQ(compare({"--fail-on", "stale"}).exit.code(), code(ExitCode::kDone));
  EXPECT_EQ(compare({"--fail-on", "added-failures"}).exit.code(), code(ExitCode::kFindings));
  EXPECT_EQ(compare({"--fail-on", "drift"}).exit.code(), code(ExitCode::kFindings));
  for (const char* never : {"category-changed", "weaker-evidence", "slower", "slower=2"}) {
    const proc::CommandResult result = compare({"--fail-on", never});
    EXPECT_EQ(result.exit.code(), code(ExitCode::kUsage)) << never;
    EXPECT_THAT(result.err, HasSubstr("can never be found here"));
    EXPECT_THAT(result.err, HasSubstr("can answer: new-failures"));
  }
}

TEST_F(CompareVerb, AStudyInJunitAndSarif) {
  const proc::CommandResult junit = compare({"--format", "junit"});
  EXPECT_EQ(junit.exit.code(), code(ExitCode::kFindings)) << junit.err;
  EXPECT_THAT(junit.out, HasSubstr("<testsuite name=\"jax/tpu-v3-8 against jax/tpu-v3+aot\""));
  EXPECT_THAT(junit.out, HasSubstr("type=\"new-failure\""));
  EXPECT_THAT(junit.out, HasSubstr("&lt;b&gt;no&lt;/b&gt; zeros"));
  EXPECT_THAT(junit.out, HasSubstr("not published"));
  const proc::CommandResult sarif = compare({"--format", "sarif"});
  const Value document = must(parse_json(sarif.out));
  const Value& run = document.find("runs")->as_array().at(0);
  int errors = 0;
  for (const Value& result : run.find("results")->as_array()) {
    errors += result.string_or("level", "") == "error";
  }
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(run.find("properties")->number_or("findings", 0), 1);
  EXPECT_FALSE(run.find("properties")->find("notAnswered")->as_array().empty());
  const std::string file = (folder() / "study.md").string();
  EXPECT_EQ(compare({"-o", file}).exit.code(), code(ExitCode::kFindings));
  EXPECT_THAT(must(read_file(file)), testing::StartsWith("**Seamark:** 1 finding"));
}

TEST_F(CompareVerb, KnownFailuresAgainstAStudy) {
  const std::string known = (folder() / "known.toml").string();
  const proc::CommandResult first = compare({"--expected", known, "--update-expected"});
  EXPECT_EQ(first.exit.code(), code(ExitCode::kDone)) << first.err;
  EXPECT_THAT(must(read_file(known)), HasSubstr("function = \"jax.numpy.zeros\""));
  const proc::CommandResult second =
      compare({"--expected", known, "--fail-on", "new-failures,added-failures"});
  EXPECT_EQ(second.exit.code(), code(ExitCode::kDone)) << second.out;
  EXPECT_THAT(second.out, HasSubstr("1 expected"));
}

TEST_F(CompareVerb, TheSideOfAStudyIsAnySide) {
  const auto with = [](const std::string& side, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"compare", "grand-illusion", side, "--format", "json"});
    return seamark(words);
  };
  const std::string store = path().string();
  for (const char* part : {"@jax/tpu-v3+aot", "@jax==2.13.0", "@latest"}) {
    const proc::CommandResult result = with(store + part);
    ASSERT_EQ(result.exit.code(), code(ExitCode::kFindings)) << part << result.err;
    const Value document = must(parse_json(result.out));
    EXPECT_EQ(document.find("targets")->as_array().size(), 1u) << part;
    EXPECT_EQ(document.find("after")->string_or("side", ""), store + part);
  }
  EXPECT_EQ(with(store + "@jax/tpu-v3+aot", {"--target", "jax/cpu"}).exit.code(), code(ExitCode::kUsage));
  EXPECT_EQ(with(store + "@jax==9.9").exit.code(), code(ExitCode::kUsage));
  // What never ran on the study's device is not compared, and no gate is green for it.
  const proc::CommandResult host = with(store + "@jax/cpu", {"--fail-on", "slower"});
  EXPECT_EQ(host.exit.code(), code(ExitCode::kUsage));
  EXPECT_THAT(host.err, HasSubstr("no function that the study timed was timed warm, with an interval, now"));
}

TEST_F(CompareVerb, ReportAndShowEstimate) {
  const proc::CommandResult report = seamark({"report", "--full", "--store", path().string()});
  ASSERT_TRUE(report.success()) << report.err;
  EXPECT_THAT(report.out, HasSubstr("ESTIMATED LATENCY"));
  const proc::CommandResult show = seamark({"show", "jax.numpy.add", "--store", path().string()});
  ASSERT_TRUE(show.success()) << show.err;
  EXPECT_THAT(show.out, HasSubstr("ESTIMATED"));
}

TEST_F(CompareVerb, ExitCodes) {
  const proc::CommandResult unknown = seamark({"compare", "--with", "nothing", "--store", path().string()});
  EXPECT_EQ(unknown.exit.code(), code(ExitCode::kUsage));
  EXPECT_THAT(unknown.err, HasSubstr("there is: grand-illusion"));
  const proc::CommandResult target =
      seamark({"compare", "--with", "grand-illusion", "--store", path().string(), "--target", "jax/tpu-v9"});
  EXPECT_EQ(target.exit.code(), code(ExitCode::kUsage));
  const proc::CommandResult missing =
      seamark({"compare", "--with", "grand-illusion", "--store", (folder() / "none.db").string()});
  EXPECT_EQ(missing.exit.code(), code(ExitCode::kEnvironment));
}

}  // namespace
}  // namespace seamark::cli
