// An export into another store.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_fixture.h"
#include "seamark/base/fd.h"
#include "seamark/interop/export.h"

namespace seamark::interop {
namespace {

using testing::HasSubstr;

class RoundTrip : public ImportTest {
 protected:
  std::string exported(store::Store& from, const char* name) {
    ExportOptions options;
    options.run = store::RunChoice::parse("all");
    options.format = Format::kJsonl;
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
  fallback.placement.where = Where::kHost;
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
  ASSERT_EQ(file.form, ExternalForm::kSeamarkJsonl);
  const Imported read = must(import_export(file, {}));
  EXPECT_TRUE(read.losses.empty());
  EXPECT_EQ(must(second.save_runs(read.runs))[0].added, 4);
  EXPECT_EQ(exported(second, "second.jsonl"), text);
  EXPECT_EQ(must(second.save_runs(read.runs))[0].added, 0);
}

// Exports from before the column `placement` have `on_device`, older ones `fallback` alone.
TEST_F(RoundTrip, AnOldExportSaysInFlagsWhereItRan) {
  const std::vector<std::pair<const char*, Where>> flags = {
      {R"("on_device":true,"fallback":false)", Where::kDevice},
      {R"("on_device":false,"fallback":true,"attributes":"host-fallback")", Where::kHost},
      {R"("on_device":null,"fallback":true,"attributes":"host-fallback")", Where::kHost},
      {R"("fallback":false)", Where::kDevice},
      {R"("fallback":true)", Where::kHost},
      {R"("on_device":null,"fallback":null)", Where::kUnknown},
      {R"("on_device":null,"fallback":null,"attributes":"no-device-work")", Where::kNone},
      {R"("on_device":null,"host_only":true,"attributes":"host-only")", Where::kNone},
      {R"("placement":"none","fallback":null)", Where::kNone},
      {R"("placement":"unknown","fallback":true)", Where::kUnknown}};
  std::string text;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    text += fmt::format(
        R"({{"run":"r","target":"torch/lazy","framework":"torch","function":"torch.add","case":"torch.add/{}",)"
        R"("attempt":1,"phase":"correctness","outcome":"pass","evidence":"verified",{}}})"
        "\n",
        i, flags[i].first);
  }
  const Imported read = must(import_export({"x.jsonl", text, ExternalForm::kSeamarkJsonl}, {}));
  ASSERT_TRUE(read.losses.empty());
  const std::vector<Attempt>& attempts = read.runs.at(0).attempts;
  ASSERT_EQ(attempts.size(), flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i)
    EXPECT_EQ(attempts[i].placement.where, flags[i].second) << flags[i].first;
}

TEST_F(RoundTrip, BadLinesAreLostByThemselves) {
  store::Store first = open();
  ASSERT_TRUE(first.save_runs(imported({{"r.json", kReport, ExternalForm::kPytestJson}}).runs).ok());
  std::string text = exported(first, "first.jsonl");
  const std::string line = text.substr(0, text.find('\n') + 1);
  text += "{\"run\": 5}\nnot json\n" + line;  // the last is there twice
  const Imported read = must(import_export({"x.jsonl", text, ExternalForm::kSeamarkJsonl}, {}));
  ASSERT_EQ(read.losses.size(), 3u);
  EXPECT_EQ(read.losses[0].place, "x.jsonl:9");
  EXPECT_THAT(read.losses[2].what, HasSubstr("attempt 1 of this case is there already"));
  EXPECT_EQ(read.runs.at(0).attempts.size(), 8u);
  EXPECT_FALSE(import_export({"x.jsonl", "not json\n", ExternalForm::kSeamarkJsonl}, {}).ok());
}

// A hostile file says of a case of ours that it is another function's, and is done at once.
TEST_F(RoundTrip, AnImportRewritesNoCase) {
  store::Store store = open();
  CaseInfo own = store::make_case("torch.sort", "sort[f32]");
  own.timeout_s = 900;
  own.quick = true;
  store::RunWriter writer = must(store.begin_run({}));
  ASSERT_OK(writer.add_target(store::make_target("torch/cpu")));
  ASSERT_OK(writer.plan("torch/cpu", std::vector{own}));
  ASSERT_OK(writer.commit(std::vector{store::make_attempt("torch/cpu", own)}));
  ASSERT_OK(writer.finish(store::RunState::kFinished, "", 1, {}));
  const store::RunChoice choice{store::RunChoice::Kind::kOne, writer.uuid()};

  const std::string row =
      R"({"run":"hostile","target":"torch/cpu","framework":"torch","function":"torch.add","case":")" +
      own.name + R"(","case_hash":")" + own.hash +
      R"(","suite":"mine","attempt":1,"phase":"correctness","outcome":"fail","evidence":"verified"})";
  const Imported read = must(import_export({"x.jsonl", row + "\n", ExternalForm::kSeamarkJsonl}, {}));
  ASSERT_TRUE(read.losses.empty());
  const std::vector<store::SavedRun> saved = must(store.save_runs(read.runs));
  EXPECT_EQ(saved[0].added, 1);
  const std::vector<store::StoredCase> cases = must(store.cases(choice));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].info.function, "torch.sort");
  EXPECT_EQ(cases[0].info.suite, "curated");
  EXPECT_EQ(cases[0].info.timeout_s, 900);
  EXPECT_TRUE(cases[0].info.quick);
}

TEST_F(RoundTrip, AnInterruptedRunStaysOneWithWhatWasPlanned) {
  store::Store first = open();
  store::RunInfo info;
  info.protocol = "full";
  info.started_unix_us = 1'700'000'000'000'000;
  store::RunWriter writer = must(first.begin_run(info));
  const CaseInfo done = store::make_case("torch.sort", "sort[f32]");
  const CaseInfo open_case = store::make_case("torch.add", "add[f32]", false);
  ASSERT_OK(writer.add_target(store::make_target("torch/lazy")));
  ASSERT_OK(writer.plan("torch/lazy", std::vector{done, open_case}));
  ASSERT_OK(writer.commit(std::vector{store::make_attempt("torch/lazy", done)}));
  ASSERT_OK(writer.finish(store::RunState::kInterrupted, "stopped", 1, {}));
  const store::RunInfo before = must(first.runs()).at(0);
  const std::string text = exported(first, "first.jsonl");

  store::Store second = must(store::Store::open(folder() / "second.db", store::OpenMode::kWrite));
  const Imported read = must(import_export({"first.jsonl", text, ExternalForm::kSeamarkJsonl}, {}));
  EXPECT_TRUE(read.losses.empty());
  EXPECT_EQ(read.tests, 1);
  EXPECT_EQ(must(second.save_runs(read.runs))[0].added, 1);
  const store::RunInfo after = must(second.runs()).at(0);
  EXPECT_EQ(after.state, store::RunState::kInterrupted);
  EXPECT_EQ(after.started_unix_us, before.started_unix_us);
  EXPECT_EQ(after.ended_unix_us, before.ended_unix_us);
  EXPECT_EQ(must(second.planned({})).size(), 2u);
  EXPECT_FALSE(must(second.cases({})).at(0).info.core);
  EXPECT_EQ(exported(second, "second.jsonl"), text);
}

}  // namespace
}  // namespace seamark::interop
