#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/model/outcome.h"
#include "seamark/model/target_name.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;

// Every number that a store may hold, written out: a changed one breaks old stores.
template <typename E>
void expect_persisted(int number, std::string_view name, std::optional<E> (*from)(std::string_view)) {
  const auto value = static_cast<E>(number);
  EXPECT_EQ(name_of(value), name);
  EXPECT_EQ(from(name), value);
}

TEST(Outcome, NumbersAndNamesArePersisted) {
  const char* names[] = {"pass", "fail", "timeout", "crash", "skip", "error", "flaky"};
  for (int i = 0; i < 7; ++i) expect_persisted<Outcome>(i + 1, names[i], outcome_from);
  EXPECT_THROW(name_of(static_cast<Outcome>(8)), std::invalid_argument);
}

TEST(Evidence, NumbersAndNamesArePersistedInOrderOfStrength) {
  const char* names[] = {"declared", "lowered", "compiled", "executed", "verified"};
  for (int i = 0; i < 5; ++i) expect_persisted<Evidence>(i + 1, names[i], evidence_from);
  EXPECT_LT(Evidence::kCompiled, Evidence::kExecuted);
}

TEST(Category, NumbersAndNamesArePersisted) {
  const char* names[] = {
      "type",           "not-implemented", "timeout",       "memory",  "float-precision",
      "crash",          "wrong-result",    "dynamic-shape", "removed", "missing-dependency",
      "compiler-crash", "bridge",          "unclassified"};
  for (int i = 0; i < 13; ++i) {
    expect_persisted<Category>(i + 1, names[i], category_from);
    EXPECT_EQ(study_name_of(static_cast<Category>(i + 1)), i < 5 ? names[i] : "other");
  }
}

TEST(OtherEnums, NumbersAndNamesArePersisted) {
  const char* verdicts[] = {"pass", "partial", "fail", "not-run"};
  const char* phases[] = {"correctness", "confirm", "recheck", "timing"};
  const char* modes[] = {"fork", "persistent", "process"};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(name_of(static_cast<Verdict>(i + 1)), verdicts[i]);
  for (int i = 0; i < 4; ++i) expect_persisted<Phase>(i + 1, phases[i], phase_from);
  for (int i = 0; i < 3; ++i) expect_persisted<WorkerMode>(i + 1, modes[i], worker_mode_from);
}

TEST(OtherEnums, UnknownNamesAreNothing) {
  EXPECT_EQ(outcome_from("Pass"), std::nullopt);
  EXPECT_EQ(evidence_from(""), std::nullopt);
  EXPECT_EQ(category_from("notimplemented"), std::nullopt);
  EXPECT_EQ(phase_from("pass"), std::nullopt);
}

TEST(TargetName, RoundTrips) {
  for (const char* text :
       {"torch/cpu", "torch/cpu+inductor", "jax/tpu-v3+aot", "jax/cuda-h100+aot", "tensorflow/cpu+xla",
        "jax/tpu7x", "torch/xla-v5e.2+a+b", "torch/privateuse1", "torch/cpu+fast-math"}) {
    const auto name = TargetName::parse(text);
    ASSERT_TRUE(name.ok()) << text;
    EXPECT_EQ(name->str(), text);
  }
}

TEST(TargetName, Parts) {
  const auto name = TargetName::parse("jax/tpu-v5e-pod+aot+x64");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name->framework, "jax");
  EXPECT_EQ(name->family, "tpu");
  EXPECT_EQ(name->generation, "v5e-pod");
  EXPECT_EQ(name->mode, "aot+x64");
  EXPECT_EQ(name->device(), "tpu-v5e-pod+aot+x64");
  EXPECT_EQ(*TargetName::parse("jax/cpu"), (TargetName{"jax", "cpu", "", ""}));
  EXPECT_LT(*TargetName::parse("jax/cpu"), *TargetName::parse("torch/cpu"));
}

TEST(TargetName, RefusesEverythingElse) {
  for (const char* text : {"", "torch", "/cpu", "torch/", "Torch/cpu", "torch/CPU", "torch/cpu+",
                           "torch/cpu-", "torch/-v3", "torch/+aot", "torch/cpu+a++b", "torch/cpu+a+",
                           "torch/cpu/x", "torch/cpu v3", "torch/cpu-v3/x", "torch.x/cpu", "torch/cpu\n"}) {
    const auto name = TargetName::parse(text);
    ASSERT_FALSE(name.ok()) << text;
    EXPECT_TRUE(name.error().is(ModelError::kBadTargetName));
    EXPECT_THAT(name.error().remedy(), HasSubstr("torch/cpu"));
  }
}

TEST(TargetName, ErrorsStayPrintable) {
  const auto name = TargetName::parse("x\x1b[31m" + std::string(10'000, 'y'));
  ASSERT_FALSE(name.ok());
  EXPECT_EQ(name.error().message().find('\x1b'), std::string::npos);
  EXPECT_LT(name.error().message().size(), 300u);
}

}  // namespace
}  // namespace seamark
