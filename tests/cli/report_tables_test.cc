// `seamark report --tables` from outside: of what the study published, and of a store that the test makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "seamark/base/csv.h"
#include "seamark/base/fd.h"
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

class ReportTables : public VerbTest {
 protected:
  [[nodiscard]] static proc::CommandResult report(std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    return seamark(words);
  }

  void fill() {
    store::Store store = open();
    store::RunWriter writer = must(store.begin_run({}));
    const CaseInfo cat = make_case("torch.cat", "1");
    const CaseInfo rare = make_case("torch.not_called_by_anyone", "1");
    for (const char* target : {"torch/cpu", "torch/tpu-v3+aot"}) {
      EXPECT_OK(writer.add_target(make_target(target)));
      EXPECT_OK(writer.plan(target, std::vector<CaseInfo>{cat, rare}));
    }
    Attempt compiles = make_attempt("torch/tpu-v3+aot", rare);
    compiles.evidence = Evidence::kCompiled;
    Attempt refused = make_failure("torch/tpu-v3+aot", cat, "NotImplementedError",
                                   "MLIR translation rule for primitive 'eig' not found for platform tpu");
    refused.evidence = Evidence::kLowered;
    EXPECT_OK(writer.commit(std::vector<Attempt>{make_attempt("torch/cpu", cat),
                                                 make_attempt("torch/cpu", rare), compiles, refused}));
  }
};

TEST_F(ReportTables, OfTheStudy) {
  const proc::CommandResult result =
      report({"--store", "grand-illusion", "--only", "table-8", "--format", "csv"});
  ASSERT_TRUE(result.success()) << result.err;
  const auto rows = parse_csv(result.out, "out");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->size(), 1 + 3 * 7u);
  EXPECT_THAT(result.out, HasSubstr("table-8,1,tpu-v3-8_pass,,36,functions"));
}

// A store is reported without the folder of a study.
TEST_F(ReportTables, NeedNoStudy) {
  fill();
  const std::filesystem::path source = SEAMARK_SOURCE_DIR;
  const std::filesystem::path home = folder() / "home";
  std::filesystem::create_directories(home / "data");
  std::filesystem::create_directory_symlink(source / "python", home / "python");
  for (const auto& entry : std::filesystem::directory_iterator(source / "data")) {
    const std::string name = entry.path().filename().string();
    if (name != "baselines") std::filesystem::create_symlink(entry.path(), home / "data" / name);
  }
  proc::CommandOptions command;
  command.spawn.argv = {SEAMARK_BINARY, "--no-config", "report", "--store", path().string()};
  command.spawn.environment = {{"SEAMARK_HOME", home.string()}};
  command.timeout_s = 100;
  const proc::CommandResult result = must(proc::run_command(command));
  ASSERT_TRUE(result.success()) << result.err;
  EXPECT_THAT(result.out, HasSubstr("torch/cpu"));
}

TEST_F(ReportTables, ThePageOfTheStudy) {
  const std::string file = (folder() / "study.html").string();
  const proc::CommandResult result = report({"--store", "grand-illusion", "-o", file, "--pair", "t4:a100"});
  ASSERT_TRUE(result.success()) << result.err;
  const std::string page = must(read_file(file));
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<h2>Table 8</h2>\n<p class=\"note\">Functions that pass"));
  EXPECT_THAT(page, HasSubstr("{\"n\":\"torch.argsort\""));
}

TEST_F(ReportTables, OfAStoreWithTheUseOfFunctions) {
  fill();
  const proc::CommandResult result = report({"--store", path().string(), "--pair", "cpu:tpu-v3+aot"});
  ASSERT_TRUE(result.success()) << result.err;
  EXPECT_THAT(result.out, HasSubstr("compiled only: what passes compiles"));
  const proc::CommandResult use = report(
      {"--store", path().string(), "--pair", "cpu:tpu-v3+aot", "--only", "table-4", "--format", "csv"});
  // torch.cat is among the most called, the other is not called at all.
  EXPECT_THAT(use.out, HasSubstr("tpu-v3+aot_top_percent,,100,percent"));
  EXPECT_THAT(use.out, HasSubstr("tpu-v3+aot_all_percent,,50,percent"));
}

TEST_F(ReportTables, WhatToMendFirst) {
  fill();
  const std::string store = path().string();
  const proc::CommandResult list =
      report({"--store", store, "--only", "to-do", "--only", "calls-weighted", "--format", "csv"});
  ASSERT_TRUE(list.success()) << list.err;
  EXPECT_THAT(list.out, HasSubstr("to-do,1,function,torch.cat,"));
  EXPECT_THAT(list.out, HasSubstr("to-do,1,cumulative_percent,,100,percent"));
  EXPECT_THAT(list.out, HasSubstr("calls-weighted,2,calls_break_percent,,100,percent"));
  const proc::CommandResult page = report({"--store", store, "--only", "to-do"});
  EXPECT_THAT(page.out, HasSubstr("TO DO"));
  EXPECT_THAT(page.out, HasSubstr("compiled"));
  EXPECT_THAT(page.out, HasSubstr("MISSING OPERATORS"));
  const std::string row = "missing-operators,1,operator,eig,";
  EXPECT_THAT(list.out, HasSubstr(row));
  const proc::CommandResult alone =
      report({"--store", store, "--only", "missing-operators", "--format", "csv"});
  EXPECT_THAT(alone.out, HasSubstr(row));
  EXPECT_THAT(alone.out, HasSubstr("missing-operators,1,function_names,torch.cat,"));
  EXPECT_THAT(alone.out, testing::Not(HasSubstr("to-do,")));
  const std::string html = (folder() / "report.html").string();
  ASSERT_TRUE(report({"--store", store, "-o", html}).success());
  EXPECT_THAT(must(read_file(html)), HasSubstr("id=\"missing-operators\""));
  const proc::CommandResult slow =
      report({"--store", store, "--only", "slow", "--slow-factor", "3", "--format", "csv"});
  EXPECT_THAT(slow.out, HasSubstr("slow,1,factor,,3,ratio"));
  const proc::CommandResult usage = report({"--store", store, "--usage", "mine"});
  EXPECT_FALSE(usage.success());
  EXPECT_THAT(usage.err, HasSubstr("mine"));
}

TEST_F(ReportTables, WhatIsNotThereIsNamed) {
  const auto usage = static_cast<int>(ExitCode::kUsage);
  const proc::CommandResult device = report({"--store", "grand-illusion", "--pair", "t4:v3"});
  EXPECT_EQ(device.exit.code(), usage);
  EXPECT_THAT(device.err, HasSubstr("t4, a100, tpu-v2-8, tpu-v3-8"));
  const proc::CommandResult table = report({"--store", "grand-illusion", "--only", "tabel-1"});
  EXPECT_EQ(table.exit.code(), usage);
  EXPECT_THAT(table.err, HasSubstr("did you mean 'table-1'?"));
  const proc::CommandResult format = report({"--store", "grand-illusion", "--format", "badge"});
  EXPECT_EQ(format.exit.code(), usage);
  EXPECT_THAT(format.err, HasSubstr("terminal, markdown, json, csv or latex"));
  const proc::CommandResult latex = report({"--store", path().string(), "--format", "latex"});
  EXPECT_EQ(latex.exit.code(), usage);
  EXPECT_THAT(latex.err, HasSubstr("latex is for tables\n  add --tables\n"));
  const proc::CommandResult target = report({"--store", "grand-illusion", "--target", "torch/t4"});
  EXPECT_EQ(target.exit.code(), usage);
  EXPECT_THAT(target.err, HasSubstr("--pair A:B"));
  const proc::CommandResult chosen =
      report({"--store", "grand-illusion", "--format", "html", "--only", "table-1"});
  EXPECT_EQ(chosen.exit.code(), usage);
  EXPECT_THAT(chosen.err, HasSubstr("a page has all tables and figures"));
}

}  // namespace
}  // namespace seamark::cli
