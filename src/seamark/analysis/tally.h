// From cells to the counts, categories, ratios and noise of each target. Internal to the room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "seamark/analysis/collect.h"

namespace seamark::analysis {

// Functions of one target by verdict, counted one by one.
class FunctionTally {
 public:
  void add(const FunctionCell& cell);
  [[nodiscard]] FunctionCounts finish(const TargetRow& row, bool proof) const;

 private:
  FunctionCounts counts_;
  std::int64_t on_device_ = 0;
  std::int64_t known_ = 0;      // pass, and where is known
  std::int64_t with_work_ = 0;  // pass, partial or fail, and do something there
};

// Cases of one target, all of them or some, counted one by one.
class CaseTally {
 public:
  void add(const CaseCell& cell);
  [[nodiscard]] CaseCounts finish(const TargetRow& row, bool proof) const;

 private:
  CaseCounts counts_;
  std::int64_t on_device_ = 0;
  std::int64_t known_ = 0;
  std::int64_t with_work_ = 0;  // of those in the denominator of `runs`
  std::int64_t passed_with_work_ = 0;
};

// What passing cases rest on, and whether anything was run or executed.
class EvidenceTally {
 public:
  void add(const CaseCell& cell, const CellFacts& facts);
  [[nodiscard]] bool ran() const { return ran_; }
  void finish(TargetRow& row) const;

 private:
  std::array<std::int64_t, static_cast<std::size_t>(Evidence::kVerified) + 1> counts_{};
  bool ran_ = false;
  bool executed_ = false;
};

// Per function its most extreme case: the slowest, or the fastest.
class Extremes {
 public:
  explicit Extremes(bool slowest) : slowest_(slowest) {}
  // The functions come one after the other; the case and its function stay where they are.
  void add(const FunctionSlot& function, const CaseSlot& one, const Ratio& ratio);
  // The most extreme function first, equal ones by name.
  [[nodiscard]] std::vector<RatioRow> rows(const TargetRow& row, std::size_t target, bool warm) const;

 private:
  struct Best {
    const FunctionSlot* function = nullptr;
    const CaseSlot* one = nullptr;
    const Ratio* ratio = nullptr;
  };
  [[nodiscard]] bool better(const Ratio& a, const Ratio& b) const {
    return slowest_ ? a.ratio > b.ratio : a.ratio < b.ratio;
  }
  bool slowest_;
  std::vector<Best> best_;
};

// Everything that is counted of one target, in one pass over all cells: of a large run they are what takes
// long to fetch.
class TargetTally {
 public:
  explicit TargetTally(std::size_t target) : target_(target) {}

  // Each function once, in order. They stay where they are while this is used.
  void add(const FunctionSlot& function);

  // Counts, rates and medians of the target's row.
  void fill(TargetRow& row, bool proof) const;
  // What follows is of a row that was filled.
  [[nodiscard]] TargetCategories categories(const TargetRow& row) const;
  [[nodiscard]] TargetRatios ratios(const TargetRow& row, bool has_baseline) const;
  [[nodiscard]] NoiseFloor noise(const TargetRow& row) const;
  [[nodiscard]] bool timed() const { return timed_; }  // there is any timing at all

 private:
  void add_case(const FunctionSlot& function, const CaseSlot& one);
  void add_ratios(const FunctionSlot& function, const CaseSlot& one);
  void add_timings(const std::vector<Timing>& timings);
  void add_category(const FunctionSlot& function);

  std::size_t target_;
  EvidenceTally evidence_;
  EvidenceTally core_evidence_;
  FunctionTally functions_;
  FunctionTally with_device_work_;
  CaseTally cases_;
  CaseTally core_cases_;
  KindCounts forward_;
  KindCounts gradient_;
  std::map<Category, CategoryCount> categories_;
  std::vector<double> warm_;
  std::vector<double> cold_;
  Extremes warm_slowest_{true};
  Extremes warm_fastest_{false};
  Extremes cold_slowest_{true};
  Extremes cold_fastest_{false};
  std::vector<double> spreads_;  // of what was timed more than once
  bool timed_ = false;
  std::int64_t rechecked_ = 0;
  std::int64_t flipped_ = 0;
  std::int64_t timing_failures_ = 0;
};

// One per target.
std::vector<TargetTally> tally(const Collected& collected);

}  // namespace seamark::analysis
