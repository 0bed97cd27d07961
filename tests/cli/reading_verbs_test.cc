// The verbs that read: of one moment of a store, and of stores of older versions, which stay as they are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "../store/older_store.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/sides.h"
#include "seamark/cli/store_reading.h"
#include "seamark/interop/export.h"
#include "verb_fixture.h"

namespace seamark::cli {
namespace {

using store::make_case;
using store::make_failure;
using store::make_target;
using store::make_timing;
using store::must;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ReadingVerbs : public VerbTest {
 protected:
  void SetUp() override {
    store::Store store = open();
    add_run(store, "aaaaaaaa-0000-4000-8000-000000000001", 1000, "torch/lazy");
    add_run(store, "bbbbbbbb-0000-4000-8000-000000000002", 2000, "torch/lazy");
  }

  static void add_run(store::Store& store, const std::string& id, std::int64_t at,
                      const std::string& target) {
    store::RunInfo info;
    info.uuid = id;
    info.started_unix_us = at;
    info.protocol = "full";
    store::RunWriter writer = must(store.begin_run(info));
    const std::vector<CaseInfo> cases{make_case("torch.add", "1"), make_case("torch.sub", "1")};
    EXPECT_OK(writer.add_target(make_target(target)));
    EXPECT_OK(writer.plan(target, cases));
    EXPECT_OK(writer.commit(std::vector<Attempt>{make_timing(target, cases[0], 1, {1, 2, 3}, 1),
                                                 make_failure(target, cases[1], "RuntimeError", "no")}));
    EXPECT_OK(writer.finish(store::RunState::kFinished, "", 1, 1.0));
  }

  // A run of another target, with cases that no other has.
  void begin_another() {
    store::Store store = open();
    store::RunInfo info;
    info.uuid = "cccccccc-0000-4000-8000-000000000003";
    info.started_unix_us = 3000;
    store::RunWriter writer = must(store.begin_run(info));
    const std::vector<CaseInfo> cases{make_case("torch.mul", "1")};
    EXPECT_OK(writer.add_target(make_target("torch/cpu")));
    EXPECT_OK(writer.plan("torch/cpu", cases));
    EXPECT_OK(writer.commit(std::vector<Attempt>{store::make_attempt("torch/cpu", cases[0])}));
  }

  StoreReading reading() {
    const Context context{
        SEAMARK_SOURCE_DIR, {}, {}, {}, {}, {}, {}, target::Environments(folder()), {}, {}, {}};
    Settings settings;
    settings.store = path().string();
    return must(read_store(context, settings, "latest"));
  }
};

TEST_F(ReadingVerbs, AReportIsOfOneRunAlthoughAnotherBegins) {
  StoreReading read = reading();
  begin_another();
  analysis::SummaryOptions options;
  options.run = read.choice;
  const analysis::Summary summary = must(analysis::summarize(read.store, read.rules, options));
  ASSERT_EQ(summary.runs.size(), 1U);
  EXPECT_THAT(summary.runs.front().info.uuid, testing::StartsWith("bbbb"));
  ASSERT_EQ(summary.targets.size(), 1U);
  EXPECT_EQ(summary.targets.front().target, read.known_targets.front());
}

TEST_F(ReadingVerbs, AReportIsOneScreenUnlessAllIsAskedFor) {
  const std::string store = path().string();
  const std::string screen = seamark({"report", "--store", store}).out;
  EXPECT_THAT(screen, HasSubstr("torch/lazy"));
  EXPECT_THAT(screen, HasSubstr("torch.sub"));  // it fails; data/usage/calls.csv has its calls
  EXPECT_THAT(screen, Not(HasSubstr("torch.sub      –")));
  EXPECT_THAT(screen, HasSubstr(fmt::format("seamark report --store {} --full\n", store)));
  EXPECT_THAT(screen, Not(HasSubstr("FUNCTIONS BY VERDICT")));
  EXPECT_THAT(seamark({"report", "--full", "--store", store}).out, HasSubstr("FUNCTIONS BY VERDICT"));
  EXPECT_THAT(seamark({"report", "--format", "markdown", "--store", store}).out,
              HasSubstr("Functions by verdict"));
}

TEST_F(ReadingVerbs, AReportNamesThePageOfItsRunAlone) {
  const std::string store = path().string();
  const std::string page = std::filesystem::path(path()).replace_extension(".html").string();
  ASSERT_EQ(seamark({"report", "--store", store, "-o", page}).exit.code(), 0);
  const std::string named = fmt::format("page        {}\n", page);
  EXPECT_THAT(seamark({"report", "--store", store}).out, HasSubstr(named));
  EXPECT_THAT(seamark({"report", "--store", store, "--run", "aaaa"}).out, Not(HasSubstr(named)));
  EXPECT_THAT(seamark({"report", "--store", store, "--target", "torch/lazy"}).out, Not(HasSubstr(named)));
  {
    store::Store later = open();
    add_run(later, "dddddddd-0000-4000-8000-000000000004", 4000, "torch/lazy");
  }
  const std::string newer = seamark({"report", "--store", store}).out;
  EXPECT_THAT(newer, Not(HasSubstr(named)));
  EXPECT_THAT(newer, HasSubstr(" -o report.html\n"));
}

TEST_F(ReadingVerbs, AnExportIsOfOneRunAlthoughAnotherBegins) {
  StoreReading read = reading();
  begin_another();
  const interop::ExportOptions options{read.choice, {}, {}, Format::kCsv};
  const std::filesystem::path file = folder() / "rows.csv";
  EXPECT_EQ(must(interop::export_attempts(read.store, read.rules, options, file.string())), 2);
  EXPECT_THAT(must(read_file(file)), Not(HasSubstr("cccccccc")));
}

TEST_F(ReadingVerbs, BothSidesInAStoreAreOfOneMoment) {
  OperandSpec latest;
  latest.label = "@latest";
  latest.run = "latest";
  OpenOperand before = must(open_side(latest, path().string()));
  begin_another();
  OpenOperand after = must(open_side(latest, path().string(), &before));
  EXPECT_EQ(after.known_targets, before.known_targets);
  for (OpenOperand* side : {&before, &after}) {
    EXPECT_THAT(must(side->store->select(side->run)).front().uuid, testing::StartsWith("bbbb"));
  }
  OpenOperand later = must(open_side(latest, path().string()));
  EXPECT_THAT(must(later.store->select(later.run)).front().uuid, testing::StartsWith("cccc"));
}

TEST_F(ReadingVerbs, AnOlderStoreIsReadAndLeftAsItIs) {
  const auto outputs = [](const std::filesystem::path& file) {
    const std::string name = file.string();
    std::vector<std::string> out;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"report", "--store", name},
          {"report", "--format", "json", "--store", name},
          {"export", "--format", "csv", "-o", "-", "--run", "all", "--store", name},
          {"show", "torch.sub", "--store", name},
          {"compare", "aaaa", name + "@bbbb", "--store", name}}) {
      const proc::CommandResult result = seamark(words);
      EXPECT_EQ(result.exit.code(), 0) << words.front() << ": " << result.err;
      EXPECT_THAT(result.err, IsEmpty());
      out.push_back(replace_all(result.out, name, "STORE"));
    }
    return out;
  };
  const std::vector<std::string> wanted = outputs(path());  // names of one length: lines break alike
  for (int version = 1; version < store::schema_version(); ++version) {
    SCOPED_TRACE(version);
    const std::filesystem::path older = folder() / fmt::format("storev{}.db", version);
    store::make_older(path(), older, version);
    const std::string bytes = must(read_file(older));
    EXPECT_EQ(outputs(older), wanted);
    EXPECT_EQ(must(read_file(older)), bytes);
  }
}

TEST_F(ReadingVerbs, AVerbThatWritesSaysThatItBringsAStoreForward) {
  const std::filesystem::path older = folder() / "older.db";
  store::make_older(path(), older, 6);
  std::ofstream(folder() / "code.py") << "import torch\ntorch.add(1, 2)\n";
  const std::vector<std::string> words{"usage", (folder() / "code.py").string(), "--store", older.string()};
  const proc::CommandResult first = seamark(words);
  EXPECT_EQ(first.exit.code(), 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr(fmt::format("{}: brought forward from schema 6 to {}", older.string(),
                                               store::schema_version())));
  EXPECT_THAT(seamark(words).err, Not(HasSubstr("brought forward")));
}

}  // namespace
}  // namespace seamark::cli
