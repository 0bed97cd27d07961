#include "seamark/cli/sample_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/base/fd.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CaseInfo make(const std::string& function, const std::string& framework = "torch") {
  CaseInfo info;
  info.function = function;
  info.name = function + "/a";
  info.framework = framework;
  return info;
}

Sample some() {
  Sample sample;
  sample.info.id = "0123";
  for (const char* name : {"torch.relu", "torch.rare", "torch.gone", "torch.print", "torch.old"}) {
    SampledFunction one;
    one.framework = "torch";
    one.function = name;
    sample.functions.push_back(one);
  }
  sample.functions[3].role = SampleRole::kExcluded;
  sample.functions[4].reason = "cannot be tested";
  return sample;
}

Catalogue catalogue() {
  Catalogue out;
  out.head.framework = "torch";
  for (const char* name : {"torch.rare", "torch.relu"}) {
    CatalogueFunction function;
    function.name = name;
    out.functions.push_back(function);
  }
  out.functions[1].aliases = {"torch.nn.functional.relu"};
  return out;
}

TEST(SampleChoice, TakesTheCasesOfItsFunctionsUnderAnyName) {
  const std::vector<CaseInfo> cases = {make("torch.nn.functional.relu"), make("torch.rare"),
                                       make("torch.print"), make("torch.other"), make("torch.rare", "jax")};
  const SampleChoice with(some(), {catalogue()});
  const std::vector<CaseInfo> chosen = with.choose(cases);
  ASSERT_THAT(chosen, SizeIs(2));
  EXPECT_EQ(chosen[0].function, "torch.nn.functional.relu");
  EXPECT_EQ(with.sampled_name("torch", "torch.nn.functional.relu"), "torch.relu");
  EXPECT_THAT(with.without_case("torch", chosen), ElementsAre("torch.gone"));
  EXPECT_EQ(dump_json(*with.to_value(cases).find("names")), R"({"torch.nn.functional.relu":"torch.relu"})");
  const SampleChoice without(some(), {});
  EXPECT_THAT(without.choose(cases), SizeIs(1));
  EXPECT_THAT(without.without_case("torch", without.choose(cases)), ElementsAre("torch.relu", "torch.gone"));
  EXPECT_THAT(without.without_case("jax", cases), IsEmpty());
}

TEST(SampleChoice, ChoosesTheSameFromTheStoreThatItIsSavedTo) {
  const Result<TempDir> folder = TempDir::make("sample-choice");
  ASSERT_TRUE(folder);
  Result<store::Store> store = store::Store::open(folder->path() / "s.db", store::OpenMode::kWrite);
  ASSERT_TRUE(store);
  Sample sample = some();
  sample.frames.push_back({.framework = "torch", .version = "2"});
  Catalogue names = catalogue();
  names.head.version = "2";
  ASSERT_TRUE(SampleChoice(sample, {names}).save(*store));
  const Result<SampleChoice> loaded = SampleChoice::load(*store, "");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->sampled_name("torch", "torch.nn.functional.relu"), "torch.relu");
}

TEST(SampleChoice, SaysWhichItIs) {
  Sample sample = some();
  EXPECT_EQ(SampleChoice(sample, {}).title(), "0123");
  sample.info.name = "autumn";
  EXPECT_EQ(SampleChoice(sample, {}).title(), "autumn (0123)");
}

}  // namespace
}  // namespace seamark::cli
