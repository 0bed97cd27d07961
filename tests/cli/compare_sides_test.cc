// `seamark compare A B` from outside, over stores with two runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
using testing::Not;

class CompareSides : public VerbTest {
 protected:
  CompareSides() : add_(make_case("torch.add", "1")), sub_(make_case("torch.sub", "1")) {
    store::Store store = open();
    write(store, "aaaaaaaa-0000-4000-8000-000000000001", 1000, "2.12.0+cpu", false);
    write(store, "bbbbbbbb-0000-4000-8000-000000000002", 2000, "2.13.0+cpu", true);
  }

  void write(store::Store& store, const std::string& id, std::int64_t at, const std::string& version,
             bool broken) {
    store::RunInfo info;
    info.uuid = id;
    info.started_unix_us = at;
    info.protocol = "full";
    store::RunWriter writer = must(store.begin_run(info));
    store::RunTarget target = make_target("torch/lazy");
    target.framework_version = version;
    EXPECT_OK(writer.add_target(target));
    EXPECT_OK(writer.plan("torch/lazy", std::vector<CaseInfo>{add_, sub_}));
    const Attempt add = broken
                            ? make_failure("torch/lazy", add_, "RuntimeError", "not implemented for 'Bool'")
                            : make_attempt("torch/lazy", add_);
    EXPECT_OK(writer.commit(std::vector<Attempt>{add, make_attempt("torch/lazy", sub_)}));
    EXPECT_OK(writer.finish(store::RunState::kFinished, "", 1, 1.0));
  }

  proc::CommandResult compare(const std::vector<std::string>& words) {
    std::vector<std::string> all{"compare"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--store", path().string()});
    return seamark(all);
  }
  // Of the earlier run, of the later one.
  [[nodiscard]] std::string one() const { return path().string() + "@aaaa"; }
  [[nodiscard]] std::string two() const { return path().string() + "@bbbb"; }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder() / name).string(); }

  static int code(ExitCode exit_code) { return static_cast<int>(exit_code); }

  CaseInfo add_;
  CaseInfo sub_;
};

TEST_F(CompareSides, ANewFailureExitsWithOne) {
  const proc::CommandResult result = compare({one(), two()});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kFindings)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("NEWLY FAILING"));
  EXPECT_THAT(result.out, HasSubstr("torch.add/1"));
  EXPECT_THAT(result.out, HasSubstr("not implemented for 'Bool'"));
  EXPECT_THAT(result.out, HasSubstr("2.12.0+cpu, now 2.13.0+cpu"));
  EXPECT_THAT(result.out, HasSubstr("1 finding (of new-failures, slower)"));
}

TEST_F(CompareSides, EverySyntaxMeansTheSame) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::string, std::string>>{{"aaaa", "bbbb"},
                                                        {"@aaaa", "@latest"},
                                                        {"torch==2.12.0", "torch==2.13.0"},
                                                        {one(), path().string()},
                                                        {"aaaa@torch/lazy", "torch/lazy"}}) {
    const proc::CommandResult result = compare({a, b, "--format", "json"});
    ASSERT_EQ(result.exit.code(), code(ExitCode::kFindings)) << a << " " << b << result.err;
    const Value document = must(parse_json(result.out));
    EXPECT_EQ(document.string_or("schema", ""), "seamark-compare/1");
    EXPECT_EQ(document.number_or("findings", 0), 1);
    const Value& run = document.find("before")->find("runs")->as_array().at(0);
    EXPECT_THAT(run.string_or("id", ""), HasSubstr("aaaaaaaa")) << a;
    const Value& change = document.find("pairs")->as_array().at(0).find("changes")->as_array().at(0);
    EXPECT_EQ(change.string_or("kind", ""), "new-failure");
    EXPECT_EQ(change.string_or("case", ""), "torch.add/1");
  }
}

TEST_F(CompareSides, TheSameSideHasNothingToTell) {
  const proc::CommandResult result = compare({"bbbb", "bbbb", "--fail-on", "any,drift"});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kDone)) << result.out;
  EXPECT_THAT(result.out, HasSubstr("no findings"));
}

TEST_F(CompareSides, TheGateDecides) {
  EXPECT_EQ(compare({"aaaa", "bbbb", "--fail-on", "none"}).exit.code(), code(ExitCode::kDone));
  EXPECT_EQ(compare({"aaaa", "bbbb", "--fail-on", "slower=2,dropped"}).exit.code(), code(ExitCode::kDone));
  EXPECT_EQ(compare({"aaaa", "bbbb", "--fail-on", "drift"}).exit.code(), code(ExitCode::kFindings));
  EXPECT_EQ(compare({"bbbb", "aaaa"}).exit.code(), code(ExitCode::kDone));
}

TEST_F(CompareSides, ExpectationsAreWrittenAndHonoured) {
  const std::string expected = file("known.toml");
  proc::CommandResult result = compare({"aaaa", "bbbb", "--expected", expected, "--update-expected"});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kDone)) << result.err;
  EXPECT_THAT(must(read_file(expected)), HasSubstr("function = \"torch.add\""));
  result = compare({"aaaa", "bbbb", "--expected", expected, "--fail-on", "any"});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kDone)) << result.out;
  EXPECT_THAT(result.out, HasSubstr("1 expected"));
  result = compare({"bbbb", "aaaa", "--expected", expected, "--fail-on", "unexpected-passes"});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kFindings));
  EXPECT_THAT(result.out, HasSubstr("UNEXPECTEDLY PASSING"));
  result = compare({"bbbb", "aaaa", "--expected", expected, "--update-expected"});
  EXPECT_EQ(result.exit.code(), code(ExitCode::kDone));
  EXPECT_THAT(must(read_file(expected)), Not(HasSubstr("torch.add")));
}

TEST_F(CompareSides, TheNameOfTheOutputDecidesOnTheFormat) {
  for (const auto& [name, start] :
       {std::pair{"o.xml", "<?xml"}, {"o.sarif", "{\n  \"$schema\""}, {"o.md", "**Seamark"}}) {
    EXPECT_EQ(compare({"aaaa", "bbbb", "-o", file(name)}).exit.code(), code(ExitCode::kFindings));
    EXPECT_THAT(must(read_file(file(name))), testing::StartsWith(start));
  }
}

TEST_F(CompareSides, WhatIsWrongIsUsage) {
  ASSERT_OK(write_file(file("bad.toml"), "[[expected]]\ntarget = 3\n"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"aaaa"},
           {"aaaa", "what"},
           {"aaaa", "cccc"},
           {"aaaa", "torch/cuda"},
           {"aaaa", "torch==1.0"},
           {"aaaa", "bbbb", "--fail-on", "everything"},
           {"aaaa", "bbbb", "--run", "latest"},
           {"aaaa", "bbbb", "--target", "jax/cpu"},
           {"aaaa", "torch/lazy", "--target", "torch/lazy"},
           {"aaaa", "bbbb", "--expected", file("none.toml")},
           {"aaaa", "bbbb", "--expected", file("bad.toml")},
           {"aaaa", "grand-illusion"},
           {"grand-illusion", "grand-illusion"},
           {"grand-illusion", "aaaa", "--target", "torch/lazy", "--fail-on", "slower"},
           {"grand-illusion", "torch/lazy", "--fail-on", "flakey"},
           {"aaaa", "bbbb", "--with", "grand-illusion"}}) {
    const proc::CommandResult result = compare(words);
    EXPECT_EQ(result.exit.code(), code(ExitCode::kUsage)) << testing::PrintToString(words) << result.err;
  }
}

TEST_F(CompareSides, AStudyComesFirst) {
  const proc::CommandResult result =
      compare({"grand-illusion", two(), "--target", "torch/lazy", "--format", "json"});
  ASSERT_EQ(result.exit.code(), code(ExitCode::kDone)) << result.err;
  EXPECT_EQ(must(parse_json(result.out)).string_or("schema", ""), "seamark-compare-study/1");
}

}  // namespace
}  // namespace seamark::cli
