#include "seamark/analysis/declared_counts.h"

#include <gtest/gtest.h>

namespace seamark::analysis {
namespace {

Declared table(const std::string& framework, const std::string& version, const std::string& device) {
  Declared declared;
  declared.head.framework = framework;
  declared.head.version = version;
  declared.head.device = device;
  return declared;
}

TEST(DeclaredCounts, HostOnlyFunctionsAreCountedByThemselves) {
  Declared declared = table("torch", "2", "CUDA");
  for (const DeclaredState state :
       {DeclaredState::kNamed, DeclaredState::kNamed, DeclaredState::kPartial, DeclaredState::kMissing,
        DeclaredState::kNoOperator, DeclaredState::kUnknown}) {
    DeclaredFunction function;
    function.state = state;
    declared.functions.push_back(function);
  }
  DeclaredFunction host;
  host.state = DeclaredState::kMissing;
  host.host_only = true;
  declared.functions.push_back(host);
  const DeclaredCounts counts = count_declared(declared);
  EXPECT_EQ(counts.functions, 7);
  EXPECT_EQ(counts.named, 2);
  EXPECT_EQ(counts.partial, 1);
  EXPECT_EQ(counts.missing, 1);
  EXPECT_EQ(counts.no_operator, 1);
  EXPECT_EQ(counts.unknown, 1);
  EXPECT_EQ(counts.host_only, 1);
}

TEST(DeclaredCounts, TheVersionThatWasRunIsChosenElseTheLastTaken) {
  const std::vector<Declared> all = {table("torch", "2.14", "CUDA"), table("torch", "2.14", "MPS"),
                                     table("tensorflow", "2.21", "GPU"), table("torch", "2.13", "CUDA")};
  const std::vector<Declared> run = choose_declared(all, {{"torch", {"2.13"}}});
  ASSERT_EQ(run.size(), 2U);  // not tensorflow: no target of the run is of it
  EXPECT_EQ(run[0].head.version, "2.13");
  EXPECT_EQ(run[1].head.device, "MPS");
  EXPECT_EQ(run[1].head.version, "2.14");
  const std::vector<Declared> none = choose_declared(all, {{"torch", {"1.0"}}, {"tensorflow", {}}});
  ASSERT_EQ(none.size(), 3U);
  EXPECT_EQ(none[0].head.framework, "tensorflow");
  EXPECT_EQ(none[1].head.version, "2.14");
}

}  // namespace
}  // namespace seamark::analysis
