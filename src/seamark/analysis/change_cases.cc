#include "seamark/analysis/change_cases.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "seamark/analysis/cells.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

constexpr double kSingleMeasurementMargin = 3;

bool is_compiled(const CaseCell& cell, bool compiled_target) {
  if (cell.outcome == Outcome::kPass) return cell.evidence < Evidence::kExecuted;
  return compiled_target;
}

class Judge {
 public:
  Judge(const CaseDelta& one, const CasePlaces& places) : one_(one), places_(places) {}

  CaseVerdict run(bool tell_presence) {
    switch (one_.presence) {
      case Presence::kAdded:
        out_.not_compared = "it is new";
        if (tell_presence) add(ChangeKind::kAdded);
        judge_unmatched("there is no such case on the earlier side");
        break;
      case Presence::kDropped:
        out_.not_compared = "it is gone";
        if (tell_presence) add(ChangeKind::kDropped);
        break;
      case Presence::kRedefined:
        out_.not_compared = "the case itself was changed";
        judge_unmatched("the case itself was changed since");
        break;
      case Presence::kBoth:
        judge_both();
        break;
    }
    return std::move(out_);
  }

 private:
  void add(ChangeKind kind, std::string detail = {}) {
    Change change;
    change.kind = kind;
    change.detail = std::move(detail);
    out_.changes.push_back(std::move(change));
  }

  // What fails with nothing to hold it against.
  void judge_unmatched(const std::string& why) {
    if (one_.after->outcome == Outcome::kFlaky) {
      add(ChangeKind::kFlaky, why);
    } else if (failed(one_.after->outcome)) {
      add(ChangeKind::kAddedFailure, why);
    }
  }

  void judge_both() {
    const CaseCell& before = *one_.before;
    const CaseCell& after = *one_.after;
    const bool ran = was_run(before.outcome);
    const bool runs = was_run(after.outcome);
    if (!ran && !runs) {
      out_.not_compared = "it ran on neither side";
    } else if (!runs) {
      add(ChangeKind::kNotRun);
    } else if (!ran) {
      judge_unmatched("it did not run before");
      if (after.outcome == Outcome::kPass) add(ChangeKind::kNewlyRun);
    } else if (is_compiled(before, places_.compiled_before) != is_compiled(after, places_.compiled_after)) {
      judge_unlike(before, after);
    } else {
      judge_alike(before, after);
    }
  }

  // One side was executed, the other merely compiled. What does not compile does not run either; of what
  // compiles nothing is known.
  void judge_unlike(const CaseCell& before, const CaseCell& after) {
    const bool compiled_now = is_compiled(after, places_.compiled_after);
    const bool steady = before.outcome != Outcome::kFlaky && after.outcome != Outcome::kFlaky;
    if (compiled_now && steady && before.outcome == Outcome::kPass && failed(after.outcome)) {
      add(ChangeKind::kNewFailure, "it ran before and does not compile now");
    } else if (!compiled_now && steady && failed(before.outcome) && after.outcome == Outcome::kPass) {
      add(ChangeKind::kNewPass, "it did not compile before and runs now");
    } else {
      out_.not_compared = compiled_now ? "it ran before and is only compiled now"
                                       : "it was only compiled before and runs now";
    }
  }

  void judge_alike(const CaseCell& before, const CaseCell& after) {
    const bool flaky_before = before.outcome == Outcome::kFlaky;
    const bool flaky_now = after.outcome == Outcome::kFlaky;
    if (flaky_now || flaky_before) {
      if (!flaky_before) add(ChangeKind::kFlaky);
      if (!flaky_now) {
        add(ChangeKind::kNoLongerFlaky, failed(after.outcome) ? "it fails each time" : "it passes each time");
      }
    } else if (failed(before.outcome) && failed(after.outcome)) {
      if (before.category != after.category) add(ChangeKind::kCategoryChanged);
    } else if (failed(after.outcome)) {
      add(ChangeKind::kNewFailure);
    } else if (failed(before.outcome)) {
      add(ChangeKind::kNewPass);
    } else {
      if (after.evidence < before.evidence) add(ChangeKind::kWeakerEvidence);
      judge_times();
    }
  }

  void judge_times() {
    const SummaryOptions options;
    out_.warm = warm_ratio(*places_.after, *places_.before, options);
    out_.cold = cold_ratio(*places_.after, *places_.before, options);
    judge_time(out_.warm, Clock::kWarm);
    judge_time(out_.cold, Clock::kCold);
  }

  void judge_time(const std::optional<Ratio>& ratio, Clock clock) {
    if (!ratio) return;
    const bool slower = ratio->ratio > 1;
    if (!beyond(*ratio, clock, slower ? places_.floor : 1 / places_.floor)) return;
    if (ratio->noisy && clock == Clock::kWarm) {
      ++out_.unstable;
      return;
    }
    Change change;
    change.kind = slower ? ChangeKind::kSlower : ChangeKind::kFaster;
    change.clock = clock;
    change.ratio = ratio;
    out_.changes.push_back(std::move(change));
  }

  const CaseDelta& one_;
  const CasePlaces& places_;
  CaseVerdict out_;
};

}  // namespace

CaseVerdict judge_case(const CaseDelta& one, const CasePlaces& places, bool tell_presence) {
  return Judge(one, places).run(tell_presence);
}

bool beyond(const Ratio& ratio, Clock clock, double factor) {
  const bool slower = factor >= 1 && ratio.ratio >= 1;
  if (ratio.interval) {
    return slower ? ratio.interval->low > 1 && ratio.ratio > factor
                  : ratio.interval->high < 1 && ratio.ratio < factor;
  }
  if (clock == Clock::kWarm) return false;
  return slower ? ratio.ratio / kSingleMeasurementMargin > factor
                : ratio.ratio * kSingleMeasurementMargin < factor;
}

void sort_changes(std::vector<Change>& changes) {
  const auto extremity = [](const Change& change) {
    if (!change.ratio) return 0.0;
    return change.kind == ChangeKind::kSlower ? -change.ratio->ratio : change.ratio->ratio;
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    const double a_extremity = extremity(a);
    const double b_extremity = extremity(b);
    return std::tie(a.kind, a_extremity, a.function, a.case_name, a.clock) <
           std::tie(b.kind, b_extremity, b.function, b.case_name, b.clock);
  });
}

}  // namespace seamark::analysis
