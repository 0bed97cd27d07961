#include "seamark/interop/export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../store/store_fixture.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/interop/import.h"

namespace seamark::interop {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::make_timing;
using store::must;
using testing::HasSubstr;

constexpr std::string_view kGolden = SEAMARK_SOURCE_DIR "/tests/interop/golden/";

class ExportTest : public store::StoreTest {
 protected:
  // One of each: a pass with fallback, a nasty failure, a timing, a skip.
  store::Store fill() {
    store::Store opened = open();
    store::RunInfo run;
    run.uuid = "11111111-2222-4333-8444-555555555555";
    run.started_unix_us = 1'700'000'000'000'000;
    store::RunWriter writer = must(opened.begin_run(run));
    const CaseInfo sort = make_case("torch.sort", "sort[f32]");
    CaseInfo host = make_case("torch.is_tensor", "plain", false);
    host.host_only = true;
    host.dtype.clear();
    host.shape.clear();
    EXPECT_OK(writer.add_target(make_target("torch/lazy")));
    EXPECT_OK(writer.plan("torch/lazy", std::vector{sort, host}));
    Attempt fallback = make_attempt("torch/lazy", sort);
    fallback.placement.where = Where::kHost;
    Attempt nasty =
        make_failure("torch/lazy", sort, "RuntimeError",
                     std::string("=HYPERLINK(\"http://x\",\"y\")\nline, \x1b[31mred\x1b[0m \0 end \xff", 53),
                     "beef", 2, Phase::kConfirm);
    Attempt timing = make_timing("torch/lazy", sort, 0.25, {1e-6, 2.5e-6, 1.0 / 3}, 3);
    timing.placement.where = Where::kDevice;
    Attempt skip = make_attempt("torch/lazy", host, Outcome::kSkip);
    skip.reason = "no \"such\" thing";
    EXPECT_OK(writer.commit(std::vector{fallback, nasty, timing, skip}));
    return opened;
  }

  std::string exported(Format format, std::int64_t rows) {
    store::Store opened = fill();
    ExportOptions options;
    options.format = format;
    const std::filesystem::path file = folder() / "out";
    const Result<std::int64_t> count = export_attempts(opened, classify::RuleSet(), options, file);
    EXPECT_TRUE(count.ok());
    EXPECT_EQ(*count, rows);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().filename().string().starts_with("out")) ++files;
    }
    EXPECT_EQ(files, 1);  // nothing temporary stays
    return must(read_file(file));
  }
};

TEST_F(ExportTest, CsvIsAsItWas) {
  EXPECT_EQ(exported(Format::kCsv, 4), must(read_file(std::string(kGolden) + "attempts.csv")));
}

TEST_F(ExportTest, JsonLinesAreAsTheyWere) {
  const std::string text = exported(Format::kJsonl, 4);
  EXPECT_EQ(text, must(read_file(std::string(kGolden) + "attempts.jsonl")));
  for (const std::string_view line : split_lines(text)) EXPECT_TRUE(parse_json(line).ok()) << line;
}

TEST_F(ExportTest, AQuickCaseComesBackAlsoFromAnOlderExport) {
  const std::string row = R"({"run":"r","target":"torch/cpu","framework":"torch","function":"torch.sum",)"
                          R"("case":"torch.sum/a","attempt":1,"phase":"correctness","outcome":"pass",)"
                          R"("evidence":"verified","wall_s":1,"started_us":1,)";
  for (const char* name : {"quick", "first_core"}) {
    const std::string text = row + fmt::format("\"{}\":true}}\n", name);
    const Imported read = must(import_export({"x.jsonl", text, ExternalForm::kSeamarkJsonl}, {}));
    EXPECT_TRUE(read.losses.empty());
    EXPECT_TRUE(read.runs.at(0).plan.at(0).second.quick) << name;
  }
}

TEST_F(ExportTest, FiltersByTargetAndFunction) {
  store::Store opened = fill();
  ExportOptions options;
  options.function = "torch.is_tensor";
  EXPECT_EQ(must(export_attempts(opened, classify::RuleSet(), options, folder() / "a")), 1);
  options.targets = {"torch/cpu"};
  EXPECT_EQ(must(export_attempts(opened, classify::RuleSet(), options, folder() / "a")), 0);
  EXPECT_EQ(split_lines(must(read_file(folder() / "a"))).size(), 1);  // the header alone
}

TEST_F(ExportTest, AnUnwritableOutputIsNamedAndLeftAlone) {
  store::Store opened = fill();
  const ExportOptions options;
  const auto no_folder = export_attempts(opened, classify::RuleSet(), options, folder() / "none" / "out.csv");
  ASSERT_FALSE(no_folder.ok());
  EXPECT_TRUE(no_folder.error().is(InteropError::kUnwritable));
  EXPECT_THAT(no_folder.error().message(), HasSubstr("out.csv"));
  EXPECT_THAT(no_folder.error().message(), HasSubstr("No such file or directory"));
  EXPECT_FALSE(no_folder.error().remedy().empty());
  EXPECT_TRUE(
      export_attempts(opened, classify::RuleSet(), options, folder()).error().is(InteropError::kUnwritable));
  if (std::filesystem::exists("/dev/full")) {
    const auto full = export_attempts(opened, classify::RuleSet(), options, "/dev/full");
    ASSERT_FALSE(full.ok());
    EXPECT_TRUE(full.error().is(InteropError::kUnwritable));
    EXPECT_THAT(full.error().remedy(), HasSubstr("free some space"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  }
}

TEST_F(ExportTest, AFailedExportKeepsTheOldFile) {
  store::Store opened = fill();
  const std::filesystem::path file = folder() / "out.csv";
  ASSERT_OK(write_file(file, "the old one"));
  ExportOptions options;
  options.run = store::RunChoice::parse("nosuchrun");
  EXPECT_FALSE(export_attempts(opened, classify::RuleSet(), options, file).ok());
  EXPECT_EQ(must(read_file(file)), "the old one");
}

TEST_F(ExportTest, ASymbolicLinkIsFollowed) {
  store::Store opened = fill();
  ASSERT_OK(write_file(folder() / "real.csv", ""));
  std::filesystem::create_symlink("real.csv", folder() / "link.csv");
  ASSERT_TRUE(export_attempts(opened, classify::RuleSet(), {}, folder() / "link.csv").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder() / "link.csv"));
  EXPECT_THAT(must(read_file(folder() / "real.csv")), HasSubstr("torch.sort"));
}

TEST_F(ExportTest, ALinkUnderAGuessedNameIsNotWrittenThrough) {
  store::Store opened = fill();
  ASSERT_OK(write_file(folder() / "victim", "mine"));
  std::filesystem::create_symlink("victim", folder() / fmt::format("out.csv.{}.tmp", ::getpid()));
  ASSERT_TRUE(export_attempts(opened, classify::RuleSet(), {}, folder() / "out.csv").ok());
  EXPECT_EQ(must(read_file(folder() / "victim")), "mine");
  EXPECT_THAT(must(read_file(folder() / "out.csv")), HasSubstr("torch.sort"));
}

}  // namespace
}  // namespace seamark::interop
