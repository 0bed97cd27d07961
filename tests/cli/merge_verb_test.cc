// `seamark merge` from outside: what it says, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verb_fixture.h"

namespace seamark::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class MergeVerb : public VerbTest {
 protected:
  std::string make(const char* name, const std::string& uuid, Outcome outcome = Outcome::kPass) {
    const std::filesystem::path file = folder() / name;
    store::Store store = store::must(store::Store::open(file, store::OpenMode::kWrite));
    if (uuid.empty()) return file.string();
    store::RunInfo info;
    info.uuid = uuid;
    info.started_unix_us = 1'700'000'000'000'000;
    store::RunWriter writer = store::must(store.begin_run(info));
    const CaseInfo sort = store::make_case("torch.sort", "sort[f32]");
    EXPECT_OK(writer.add_target(store::make_target("torch/cpu")));
    EXPECT_OK(writer.plan("torch/cpu", std::vector{sort}));
    EXPECT_OK(writer.commit(std::vector{store::make_attempt("torch/cpu", sort, outcome)}));
    return file.string();
  }
  [[nodiscard]] proc::CommandResult merge(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"merge", "--store", path().string()};
    all.insert(all.end(), words.begin(), words.end());
    return seamark(all);
  }
};

// The writer of these runs is this very process: until it ends they are going on.
TEST_F(MergeVerb, ARunThatGoesOnIsLeftOutAndTold) {
  const proc::CommandResult done = merge({make("a.db", "run-a")});
  EXPECT_EQ(done.exit.code(), 0);
  EXPECT_THAT(done.err, HasSubstr("run run-a is still going on, and left out"));
}

TEST_F(MergeVerb, NothingIsCodeFourAndMakesNoStore) {
  const proc::CommandResult done = merge({make("a.db", "")});
  EXPECT_EQ(done.exit.code(), 4);
  EXPECT_THAT(done.err, ContainsRegex("there is nothing in .*a\\.db"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MergeVerb, AStoreThatIsNotThereIsNamed) {
  const proc::CommandResult done = merge({(folder() / "none.db").string()});
  EXPECT_EQ(done.exit.code(), 3);
  EXPECT_THAT(done.err, HasSubstr("none.db: there is no such store"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace seamark::cli
