// Reads what a summary rests on from a store, once and in order. Internal to the room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

// The study takes the mean of its runs, and so do times that were imported; of others an outlier shall not
// count.
inline constexpr std::string_view kImportedProtocol = "imported";
inline bool takes_mean(std::string_view protocol) {
  return protocol == "paper" || protocol == kImportedProtocol;
}

// What one timing attempt measured.
struct Timing {
  Latency latency;
  bool executed = false;  // false: evidence below `executed`, its times say nothing of the device
};

// Of the first failing attempt that checked anything.
struct FailureFacts {
  std::optional<Category> category;
  InternedString signature;
  InternedString key;  // type and message without what varies by chance
  CopyOnWrite<CellError> error;
  bool in_bridge = false;       // the device's compiler has not seen the program
  bool says_reference = false;  // the agent saw it fail in the same way on plain CPU
};

// What few cases have on a target.
struct CellExtras {
  std::vector<Timing> timings;  // of the timing phase, in order
  HeapOptional<FailureFacts> failure;
  HeapOptional<Estimate> estimate;
  InternedString reason;  // of the last skip or error
  int timing_failures = 0;
  int rechecked = 0;
  int flipped = 0;
};

// The attempts of one case on one target, boiled down while they stream by. There is one for every case and
// target, so it is as small as can be.
struct CellFacts {
  std::int64_t case_id = 0;  // 0: not planned
  OutcomeFold outcome;
  CopyOnWrite<CellExtras> extras;
  int count = 0;                                 // attempts of any phase
  int last_attempt = 0;                          // the number of the last one
  Evidence pass_evidence = Evidence::kDeclared;  // the most that a pass reached
  Evidence any_evidence = Evidence::kDeclared;
  bool core : 1 = false;
  bool host_only : 1 = false;
  bool no_work : 1 = false;  // nothing of it computes with an input, as the agent saw
  bool ran : 1 = false;
  bool default_precision : 1 = false;  // a pass is right at the highest precision alone
  bool unchecked : 1 = false;          // a pass shows only that nothing was raised
  Where placement = Where::kUnknown;   // of its passes: one on the host decides, then one on the device
};
static_assert(sizeof(CellFacts) <= 64);  // of a report of a million attempts a good part of the memory

struct CaseSlot {
  CaseRow row;
  std::span<CellFacts> facts;  // one per target, of the function's
};

struct FunctionSlot {
  FunctionRow row;
  std::vector<CaseSlot> cases;
  std::vector<CellFacts> facts;  // case by case
};

struct Collected {
  std::vector<RunFacts> runs;
  std::vector<TargetRow> targets;
  std::vector<std::string> planned_baselines;  // one per target
  std::vector<FunctionSlot> functions;
  std::vector<std::vector<std::vector<std::vector<AttemptDetail>>>> attempts;  // Detail::kFull
  bool proof = true;                                                           // on in every run
};

Result<Collected> collect(store::Store& store, const classify::RuleSet& rules, const SummaryOptions& options);

// The message without digits, addresses and repeated white space: equal for what differs by chance.
std::string message_key(std::string_view message);

}  // namespace seamark::analysis
