#include "seamark/target/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "seamark/target/installation.h"

namespace seamark::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kRecipe = R"(name = "x-cpu"
framework = "x"
summary = "X"
pythons = ["3.11"]
verify = "import x"
packages = ["x==1.0"]
)";

TEST(Recipes, ShipsWhatPinsEverything) {
  const Result<Recipes> recipes =
      Recipes::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "environments");
  ASSERT_TRUE(recipes) << recipes.error().message();
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes->all()) names.push_back(recipe.name);
  EXPECT_THAT(names,
              ElementsAre("charts", "fixes", "jax-cpu", "jax-cuda-aot", "jax-tpu-aot", "paper-2023", "ray",
                          "tensorflow-cpu", "tensorflow-cuda-aot", "tensorflow-tpu-aot", "torch-cpu",
                          "torch-cuda-aot", "torch-openvino", "torch-tpu-aot", "torch-xla"));
  const Recipe& torch = *recipes->find("torch-cpu");
  EXPECT_THAT(torch.packages, ::testing::Contains("torch==2.13.0"));
  EXPECT_FALSE(torch.refuse.empty());
  EXPECT_FALSE(torch.cpu_index.empty());
}

TEST(Recipes, TheHashFollowsTheContent) {
  const Recipe recipe = *Recipes::parse(kRecipe, "x.toml");
  Recipe other = recipe;
  EXPECT_EQ(recipe.hash(), other.hash());
  EXPECT_EQ(recipe.hash().size(), 12U);
  other.packages = {"x==1.1"};
  EXPECT_NE(recipe.hash(), other.hash());
  other = recipe;
  other.summary = "said better";
  EXPECT_EQ(recipe.hash(), other.hash());
}

TEST(Recipes, AsksForWheelsButForWhatIsPublishedAsSourceAlone) {
  const Recipe wheels = *Recipes::parse(kRecipe, "x.toml");
  EXPECT_THAT(wheels.pip_arguments(), ElementsAre("--only-binary", ":all:", "x==1.0"));
  const Result<Recipe> source = Recipes::parse(std::string(kRecipe) + "sources = [\"x\"]\n", "x.toml");
  ASSERT_TRUE(source) << source.error().message();
  EXPECT_THAT(source->pip_arguments(), ElementsAre("--only-binary", ":all:", "--no-binary", "x", "x==1.0"));
  EXPECT_NE(source->hash(), wheels.hash());
  const Result<Recipe> other = Recipes::parse(std::string(kRecipe) + "sources = [\"y\"]\n", "x.toml");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("'y' is none of the packages"));
}

TEST(Recipes, RefusesWhatIsNotPinned) {
  for (const char* package : {"x", "x>=1", "x==1.*", "--index-url=http://h", "==1"}) {
    std::string text(kRecipe);
    text.replace(text.find("x==1.0"), 6, package);
    const Result<Recipe> recipe = Recipes::parse(text, "x.toml");
    ASSERT_FALSE(recipe) << package;
    EXPECT_THAT(recipe.error().message(), HasSubstr("x.toml:6: "));
    EXPECT_THAT(recipe.error().message(), HasSubstr("expected NAME==VERSION"));
  }
}

TEST(Recipes, NamesAreNoPaths) {
  std::string text(kRecipe);
  text.replace(text.find("x-cpu"), 5, "../x");
  EXPECT_FALSE(Recipes::parse(text, "x.toml"));
}

TEST(Recipes, SuggestsTheNearestName) {
  const Result<Recipes> recipes =
      Recipes::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "environments");
  const Result<const Recipe*> found = recipes->need("torch-cpi");
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().is(TargetError::kUnknownEnvironment));
  EXPECT_THAT(found.error().remedy(), HasSubstr("did you mean 'torch-cpu'?"));
}

TEST(RefusedPackages, ComparesNamesAsPipDoes) {
  const Result<Value> report = parse_json(R"({"version":"1","install":[
    {"metadata":{"name":"torch","version":"2.13.0"}},
    {"metadata":{"name":"nvidia_cublas_cu12","version":"12.8"}},
    {"metadata":{"name":"Triton","version":"3.7"}},
    {"metadata":{"name":"tritonclient","version":"1"}}]})");
  const auto refused = refused_packages(*report, {"nvidia-*", "triton"});
  ASSERT_TRUE(refused);
  EXPECT_THAT(*refused, ElementsAre("nvidia_cublas_cu12==12.8", "Triton==3.7"));
}

TEST(RefusedPackages, AReportWithoutAListIsAnError) {
  EXPECT_FALSE(refused_packages(*parse_json("{}"), {"nvidia-*"}));
}

}  // namespace
}  // namespace seamark::target
