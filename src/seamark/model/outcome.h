// Outcomes, evidence, categories and verdicts: the persisted enums. Numbers are stored in every
// store file: append, never renumber, never reuse. Names are what users see and what exports hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace seamark {

// Of one attempt; kFlaky only of a case over its attempts.
enum class Outcome : std::uint8_t {
  kPass = 1,
  kFail = 2,
  kTimeout = 3,
  kCrash = 4,
  kSkip = 5,
  kError = 6,  // the harness, its limits or the environment is at fault, never the function
  kFlaky = 7,
};

// What a result rests on, weakest first.
enum class Evidence : std::uint8_t {
  kDeclared = 1,
  kLowered = 2,
  kCompiled = 3,
  kExecuted = 4,
  kVerified = 5,
};

// Why it failed. The first five are the study's.
enum class Category : std::uint8_t {
  kType = 1,
  kNotImplemented = 2,
  kTimeout = 3,
  kMemory = 4,
  kFloatPrecision = 5,
  kCrash = 6,
  kWrongResult = 7,
  kDynamicShape = 8,
  kRemoved = 9,
  kMissingDependency = 10,
  kCompilerCrash = 11,
  kBridge = 12,
  kUnclassified = 13,
};
inline constexpr std::size_t kCategories = 13;  // numbered 1 to this

// One T for each category.
template <typename T>
class PerCategory {
 public:
  T& operator[](Category category) { return values_.at(static_cast<std::size_t>(category) - 1); }
  const T& operator[](Category category) const { return values_.at(static_cast<std::size_t>(category) - 1); }

 private:
  std::array<T, kCategories> values_{};
};
// In the order of their numbers.
[[nodiscard]] std::span<const Category> all_categories();

// Of a function on a target, over its core cases.
enum class Verdict : std::uint8_t { kPass = 1, kPartial = 2, kFail = 3, kNotRun = 4 };

// Why an attempt was made.
enum class Phase : std::uint8_t {
  kCorrectness = 1,
  kConfirm = 2,  // a failure, crash or timeout run again alone
  kRecheck = 3,  // a pass run again alone: a seeded share of them, or all
  kTiming = 4,
};

enum class WorkerMode : std::uint8_t { kFork = 1, kPersistent = 2, kProcess = 3 };

// Where an attempt ran. Only kDevice is on the device.
enum class Where : std::uint8_t {
  kDevice = 1,
  kHost = 2,     // something that computes ran on the host
  kUnknown = 3,  // nothing proves either
  kNone = 4,     // nothing to place: no device work, or refused before any
};

// "pass", "not-implemented", "not-run", ...
std::string_view name_of(Outcome);
std::string_view name_of(Evidence);
std::string_view name_of(Category);
std::string_view name_of(Verdict);
std::string_view name_of(Phase);
std::string_view name_of(WorkerMode);
std::string_view name_of(Where);

// nullopt for an unknown name.
std::optional<Outcome> outcome_from(std::string_view name);
std::optional<Evidence> evidence_from(std::string_view name);
std::optional<Category> category_from(std::string_view name);
std::optional<Phase> phase_from(std::string_view name);
std::optional<WorkerMode> worker_mode_from(std::string_view name);
std::optional<Where> where_from(std::string_view name);

// Whether something ran on the host instead of the device; nullopt: unknown, or nothing to place.
std::optional<bool> fell_back(Where);

// The study's five categories, or "other".
std::string_view study_name_of(Category);

}  // namespace seamark
