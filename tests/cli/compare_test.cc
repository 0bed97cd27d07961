// `seamark compare` from outside, over a store that the test makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    for (const char* target : {"jax/cpu", "jax/tpu-v3+aot"}) {
      EXPECT_OK(writer.add_target(make_target(target)));
      EXPECT_OK(writer.plan(target, std::vector<CaseInfo>{add, eig}));
    }
    Attempt compiles = make_attempt("jax/tpu-v3+aot", add);
    compiles.evidence = Evidence::kCompiled;
    compiles.compiled = Value(
        Value::Object{{"compiler", "libtpu"}, {"version", "0.0.42.1"}, {"bytes", 450e3}, {"flops", 1.0}});
    EXPECT_OK(writer.commit(std::vector<Attempt>{
        make_attempt("jax/cpu", add), make_attempt("jax/cpu", eig), compiles,
        make_failure("jax/tpu-v3+aot", eig, "NotImplementedError",
                     "MLIR translation rule for primitive 'eig' not found for platform tpu")}));
  }

  static int code(ExitCode exit_code) { return static_cast<int>(exit_code); }
};

TEST_F(CompareVerb, AnswersInJson) {
  const proc::CommandResult result =
      seamark({"compare", "--with", "grand-illusion", "--store", path().string(), "--format", "json"});
  ASSERT_TRUE(result.success()) << result.err;
  const Value document = must(parse_json(result.out));
  const Value& target = document.find("targets")->as_array().at(0);
  EXPECT_EQ(target.string_or("target", ""), "jax/tpu-v3+aot");
  EXPECT_EQ(target.find("compilers")->as_array().at(0).as_string(), "libtpu 0.0.42.1");
  const Value& published = *target.find("published");
  EXPECT_EQ(published.int_or("functions", 0), 61);
  EXPECT_EQ(published.int_or("pass", 0), 1);
  EXPECT_EQ(published.int_or("unchecked", 0), 60);
  EXPECT_EQ(target.find("all")->int_or("fails_now_failed_then", 0), 1);  // eig
  EXPECT_EQ(document.find("missing_frameworks")->as_array().size(), 2u);
}

TEST_F(CompareVerb, ReportAndShowEstimate) {
  const proc::CommandResult report = seamark({"report", "--store", path().string()});
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
