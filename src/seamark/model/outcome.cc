#include "seamark/model/outcome.h"

#include <iterator>
#include <stdexcept>
#include <utility>

namespace seamark {
namespace {

template <typename E>
struct Named {
  E value;
  std::string_view name;
};

constexpr Named<Outcome> kOutcomes[] = {
    {Outcome::kPass, "pass"},   {Outcome::kFail, "fail"}, {Outcome::kTimeout, "timeout"},
    {Outcome::kCrash, "crash"}, {Outcome::kSkip, "skip"}, {Outcome::kError, "error"},
    {Outcome::kFlaky, "flaky"},
};
constexpr Named<Evidence> kEvidences[] = {
    {Evidence::kDeclared, "declared"}, {Evidence::kLowered, "lowered"},   {Evidence::kCompiled, "compiled"},
    {Evidence::kExecuted, "executed"}, {Evidence::kVerified, "verified"},
};
constexpr Named<Category> kCategoryNames[] = {
    {Category::kType, "type"},
    {Category::kNotImplemented, "not-implemented"},
    {Category::kTimeout, "timeout"},
    {Category::kMemory, "memory"},
    {Category::kFloatPrecision, "float-precision"},
    {Category::kCrash, "crash"},
    {Category::kWrongResult, "wrong-result"},
    {Category::kDynamicShape, "dynamic-shape"},
    {Category::kRemoved, "removed"},
    {Category::kMissingDependency, "missing-dependency"},
    {Category::kCompilerCrash, "compiler-crash"},
    {Category::kBridge, "bridge"},
    {Category::kUnclassified, "unclassified"},
};
constexpr Named<Verdict> kVerdicts[] = {
    {Verdict::kPass, "pass"},
    {Verdict::kPartial, "partial"},
    {Verdict::kFail, "fail"},
    {Verdict::kNotRun, "not-run"},
};
constexpr Named<Phase> kPhases[] = {
    {Phase::kCorrectness, "correctness"},
    {Phase::kConfirm, "confirm"},
    {Phase::kRecheck, "recheck"},
    {Phase::kTiming, "timing"},
};
constexpr Named<WorkerMode> kModes[] = {
    {WorkerMode::kFork, "fork"},
    {WorkerMode::kPersistent, "persistent"},
    {WorkerMode::kProcess, "process"},
};
constexpr Named<Where> kPlaces[] = {
    {Where::kDevice, "device"},
    {Where::kHost, "host"},
    {Where::kUnknown, "unknown"},
    {Where::kNone, "none"},
};

constexpr auto kEveryCategory = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{kCategoryNames[I].value...};
}(std::make_index_sequence<std::size(kCategoryNames)>{});
// PerCategory counts on it.
static_assert([] {
  for (std::size_t i = 0; i < kEveryCategory.size(); ++i) {
    if (static_cast<std::size_t>(kEveryCategory[i]) != i + 1) return false;
  }
  return kEveryCategory.size() == kCategories;
}());

template <typename E, std::size_t N>
std::string_view find_name(const Named<E> (&table)[N], E value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.name;
  }
  throw std::invalid_argument("an enum value without a name");
}

template <typename E, std::size_t N>
std::optional<E> find_value(const Named<E> (&table)[N], std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Outcome value) { return find_name(kOutcomes, value); }
std::string_view name_of(Evidence value) { return find_name(kEvidences, value); }
std::string_view name_of(Category value) { return find_name(kCategoryNames, value); }
std::string_view name_of(Verdict value) { return find_name(kVerdicts, value); }
std::string_view name_of(Phase value) { return find_name(kPhases, value); }
std::string_view name_of(WorkerMode value) { return find_name(kModes, value); }
std::string_view name_of(Where value) { return find_name(kPlaces, value); }

std::optional<Outcome> outcome_from(std::string_view name) { return find_value(kOutcomes, name); }
std::optional<Evidence> evidence_from(std::string_view name) { return find_value(kEvidences, name); }
std::optional<Category> category_from(std::string_view name) { return find_value(kCategoryNames, name); }
std::optional<Phase> phase_from(std::string_view name) { return find_value(kPhases, name); }
std::optional<WorkerMode> worker_mode_from(std::string_view name) { return find_value(kModes, name); }
std::optional<Where> where_from(std::string_view name) { return find_value(kPlaces, name); }

std::optional<bool> fell_back(Where where) {
  if (where == Where::kHost) return true;
  if (where == Where::kDevice) return false;
  return std::nullopt;
}

std::span<const Category> all_categories() { return kEveryCategory; }

std::string_view study_name_of(Category category) {
  switch (category) {
    case Category::kType:
    case Category::kNotImplemented:
    case Category::kTimeout:
    case Category::kMemory:
    case Category::kFloatPrecision:
      return name_of(category);
    default:
      return "other";
  }
}

}  // namespace seamark
