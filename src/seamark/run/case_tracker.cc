#include "seamark/run/case_tracker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/model/attributes.h"
#include "seamark/model/signature.h"

namespace seamark::run {
namespace {

bool is_failure(Outcome outcome) {
  return outcome == Outcome::kFail || outcome == Outcome::kCrash || outcome == Outcome::kTimeout;
}

// Spreads FNV's bits (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::size_t* counter(TargetProgress& progress, Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return &progress.pass;
    case Outcome::kFail:
      return &progress.fail;
    case Outcome::kTimeout:
      return &progress.timeout;
    case Outcome::kCrash:
      return &progress.crash;
    case Outcome::kSkip:
      return &progress.skip;
    case Outcome::kError:
      return &progress.error;
    case Outcome::kFlaky:
      return &progress.flaky;
  }
  return &progress.error;
}

bool same_result(const AttemptDigest& one, const AttemptDigest& other) {
  return one.outcome == other.outcome && one.signature == other.signature;
}

// What a case's attempts alone are: its failure confirmed, or its pass checked again.
Phase phase_alone(const AttemptDigest& first) {
  return first.outcome == Outcome::kPass ? Phase::kRecheck : Phase::kConfirm;
}

// Of the one attempt more, where those alone agree on something else than the first.
Phase phase_of_doubt(const AttemptDigest& first) {
  return phase_alone(first) == Phase::kRecheck ? Phase::kConfirm : Phase::kRecheck;
}

Value flip_detail(const Attempt& attempt, const AttemptDigest& before) {
  Value detail{Value::Object{}};
  detail.set("target", attempt.target).set("case", attempt.case_name).set("phase", name_of(attempt.phase));
  detail.set("before", name_of(before.outcome)).set("alone", name_of(attempt.outcome));
  return detail;
}

}  // namespace

std::optional<std::size_t> FailureLedger::stands_for(const std::string& function,
                                                     const std::string& signature, std::size_t unit) {
  const auto [at, is_new] = entries_.try_emplace({function, signature}, Entry{unit, {}});
  if (is_new || at->second.representative == unit) return std::nullopt;
  return at->second.representative;
}

void FailureLedger::rely(const std::string& function, const std::string& signature,
                         std::size_t representative, std::size_t unit) {
  Entry& entry = entries_.try_emplace({function, signature}, Entry{representative, {}}).first->second;
  if (entry.representative != unit) entry.relying.push_back(unit);
}

std::vector<std::size_t> FailureLedger::refute(const std::string& function, const std::string& signature,
                                               std::size_t representative) {
  const auto at = entries_.find({function, signature});
  if (at == entries_.end() || at->second.representative != representative) return {};
  std::vector<std::size_t> relying = std::move(at->second.relying);
  entries_.erase(at);
  return relying;
}

double seeded_draw(std::uint64_t seed, std::string_view target, std::string_view case_hash) {
  const std::string seed_text = std::to_string(seed);
  const std::array<std::string_view, 3> fields = {seed_text, target, case_hash};
  return static_cast<double>(mix(fnv1a64_fields(fields)) >> 11) * 0x1.0p-53;
}

bool chosen_for_recheck(std::uint64_t seed, std::string_view target, std::string_view case_hash,
                        double share) {
  return seeded_draw(seed, target, case_hash) < share;
}

CaseTracker::CaseTracker(const Plan& plan, const PlannedTarget& target)
    : plan_(plan), target_(target), units_(target.cases.size()), workers_(target.cases.size()) {
  progress_.target = target.name;
  progress_.planned = units_.size();
  if (!target.prior.empty()) replay();
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].is_final()) count(i, false);
    wait_for(i);
  }
}

void CaseTracker::replay() {
  std::map<std::string_view, std::size_t> by_hash;
  for (std::size_t i = 0; i < units_.size(); ++i) by_hash.emplace(target_.cases[i].hash, i);
  std::vector<std::vector<const PriorAttempt*>> priors(units_.size());
  for (const PriorAttempt& prior : target_.prior) {
    if (const auto at = by_hash.find(prior.case_hash); at != by_hash.end())
      priors[at->second].push_back(&prior);
  }
  // Those that stand for others first, so that nobody takes their place.
  for (const bool relying : {false, true}) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool relies = std::any_of(priors[i].begin(), priors[i].end(),
                                      [](const PriorAttempt* p) { return !p->confirmed_by.empty(); });
      if (relies == relying && !priors[i].empty()) replay_case(i, priors[i]);
    }
  }
  for (std::size_t i = 0; i < units_.size(); ++i) {
    for (const PriorAttempt* prior : priors[i]) reopen_if_refuted(i, prior->confirmed_by);
  }
}

// A failure that relied on another's confirmation, which came out differently, and that was not yet run
// again.
void CaseTracker::reopen_if_refuted(std::size_t unit, const std::string& representative) {
  if (representative.empty() || !plan_.confirm || units_[unit].attempts().size() != 1) return;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (target_.cases[i].name != representative) continue;
    if (!units_[i].alone().empty() && units_[i].outcome() != Outcome::kFail)
      units_[unit].reopen(Phase::kConfirm);
  }
}

void CaseTracker::replay_case(std::size_t unit, std::vector<const PriorAttempt*> priors) {
  std::sort(priors.begin(), priors.end(),
            [](const PriorAttempt* a, const PriorAttempt* b) { return a->attempt < b->attempt; });
  bool ran = false;
  for (const PriorAttempt* prior : priors) {
    AttemptDigest digest{prior->phase, prior->outcome, prior->signature};
    ran = ran || (prior->outcome != Outcome::kError && prior->outcome != Outcome::kSkip);
    // An own attempt that relied on nobody stands for itself, whoever else had the same failure.
    std::optional<Phase> next;
    if (prior->phase != Phase::kTiming) next = follow_up(unit, digest, nullptr);
    const bool own_failure = prior->phase == Phase::kCorrectness && prior->outcome == Outcome::kFail;
    if (own_failure && plan_.confirm && prior->confirmed_by.empty()) next = Phase::kConfirm;
    if (!prior->confirmed_by.empty()) next = std::nullopt;
    units_[unit].replay(std::move(digest), prior->attempt, next);
  }
  if (plan_.rerun_errors && !ran) units_[unit].reopen(Phase::kCorrectness);
}

void CaseTracker::wait_for(std::size_t unit) {
  const std::optional<Phase> need = units_[unit].need();
  if (need) (*need == Phase::kCorrectness ? main_ : solo_).push_back(unit);
}

std::optional<Job> CaseTracker::take_main() {
  if (main_.empty()) return std::nullopt;
  const std::size_t unit = main_.front();
  main_.pop_front();
  units_[unit].start();
  ++progress_.running;
  return Job{unit, Phase::kCorrectness};
}

std::optional<Job> CaseTracker::take_solo() {
  if (solo_.empty()) return std::nullopt;
  const Job job{solo_.front(), units_[solo_.front()].need().value()};
  solo_.pop_front();
  units_[job.unit].start();
  ++progress_.running;
  return job;
}

void CaseTracker::give_back(Job job) {
  --progress_.running;
  units_[job.unit].give_back();
  (job.phase == Phase::kCorrectness ? main_ : solo_).push_front(job.unit);
}

void CaseTracker::count(std::size_t unit, bool before) {
  if (!units_[unit].is_final()) return;
  const std::optional<Outcome> outcome = units_[unit].outcome();
  if (!outcome) return;
  std::size_t* const counted = counter(progress_, *outcome);
  if (before) {
    --*counted;
    --progress_.done;
  } else {
    ++*counted;
    ++progress_.done;
  }
}

std::vector<std::pair<std::string, Value>> CaseTracker::record(std::size_t index, Attempt& attempt,
                                                               std::size_t worker) {
  CaseUnit& unit = units_[index];
  attempt.attempt = unit.next_number();
  if (is_failure(attempt.outcome) && attempt.failure) {
    attempt.signature = signature_of(target_.cases[index].function, attempt.failure->stage,
                                     attempt.failure->type, attempt.failure->message);
  }
  AttemptDigest digest{attempt.phase, attempt.outcome, attempt.signature};
  std::vector<std::pair<std::string, Value>> events;
  if (attempt.phase == Phase::kTiming) {
    count(index, true);
    unit.end(std::move(digest), std::nullopt);
    count(index, false);
    return events;
  }
  if (attempt.phase == Phase::kCorrectness) workers_[index] = worker;
  const AttemptDigest* const found = attempt.phase == Phase::kCorrectness ? nullptr : unit.first_run();
  const std::optional<AttemptDigest> first = found ? std::optional(*found) : std::nullopt;
  if (first && was_run(attempt.outcome) && attempt.outcome != first->outcome) {
    const std::vector<AttemptDigest> before = unit.alone();
    const bool told = std::any_of(before.begin(), before.end(),
                                  [&](const AttemptDigest& one) { return one.outcome != first->outcome; });
    if (!told) events.emplace_back("flip", flip_detail(attempt, *first));
  }
  --progress_.running;
  const std::optional<Phase> next = follow_up(index, digest, &attempt);
  unit.end(std::move(digest), next);
  count(index, false);
  wait_for(index);
  const bool doubted = first && attempt.phase == phase_of_doubt(*first) && was_run(attempt.outcome);
  if (doubted && unit.outcome() != Outcome::kFlaky && workers_[index] > 0) {
    Value detail{Value::Object{}};
    detail.set("target", attempt.target).set("case", attempt.case_name);
    detail.set("worker", static_cast<std::int64_t>(workers_[index]));
    detail.set("confirmed_again", static_cast<std::int64_t>(doubt_worker(workers_[index])));
    events.emplace_back("worker-suspected", std::move(detail));
  }
  return events;
}

std::optional<Phase> CaseTracker::follow_up(std::size_t unit, const AttemptDigest& digest, Attempt* attempt) {
  if (digest.phase == Phase::kCorrectness) return after_first(unit, digest, attempt);
  return after_alone(unit, digest);
}

std::optional<Phase> CaseTracker::after_first(std::size_t unit, const AttemptDigest& digest,
                                              Attempt* attempt) {
  const bool cached = attempt != nullptr && has_attribute(*attempt, attribute::kCacheHit);
  if (digest.outcome == Outcome::kPass) {
    const bool chosen = !cached && chosen_for_recheck(plan_.seed, target_.name, target_.cases[unit].hash,
                                                      plan_.recheck_share);
    return chosen || plan_.repeat > 1 ? std::optional(Phase::kRecheck) : std::nullopt;
  }
  if (plan_.repeat > 1 && is_failure(digest.outcome)) return Phase::kConfirm;
  if (!plan_.confirm || !is_failure(digest.outcome)) return std::nullopt;
  if (digest.outcome != Outcome::kFail) return Phase::kConfirm;
  const std::string& function = target_.cases[unit].function;
  const std::optional<std::size_t> other = ledger_.stands_for(function, digest.signature, unit);
  if (!other && cached && has_attribute(*attempt, attribute::kCacheConfirmed)) {
    attempt->confirmed_by = target_.cases[unit].name;  // by its own run alone, when it was kept
    return std::nullopt;
  }
  if (!other) return Phase::kConfirm;
  ledger_.rely(function, digest.signature, *other, unit);
  if (attempt != nullptr) attempt->confirmed_by = target_.cases[*other].name;
  return std::nullopt;
}

std::optional<Phase> CaseTracker::after_alone(std::size_t unit, const AttemptDigest& digest) {
  const AttemptDigest* const first = units_[unit].first_run();
  if (first == nullptr || !was_run(digest.outcome)) return std::nullopt;
  if (digest.phase == phase_of_doubt(*first)) return std::nullopt;
  const bool differs = !same_result(*first, digest);
  if (differs && digest.phase == Phase::kConfirm) {
    for (const std::size_t relying : ledger_.refute(target_.cases[unit].function, first->signature, unit))
      confirm_now(relying);
  }
  const std::vector<AttemptDigest> before = units_[unit].alone();
  if (std::cmp_less(before.size() + 2, plan_.repeat)) return digest.phase;
  const bool agree = std::all_of(before.begin(), before.end(),
                                 [&](const AttemptDigest& one) { return same_result(one, digest); });
  // The worker is suspected before the case: other cases ran in it before.
  const bool doubt = differs && agree && plan_.confirm && target_.mode == WorkerMode::kPersistent;
  return doubt ? std::optional(phase_of_doubt(*first)) : std::nullopt;
}

// A failure that relied on another case's is run again alone itself.
void CaseTracker::confirm_now(std::size_t unit) {
  if (!units_[unit].is_final() || units_[unit].attempts().size() != 1) return;
  count(unit, true);
  units_[unit].reopen(Phase::kConfirm);
  wait_for(unit);
}

// No failure of this worker stands by another case's. Returns how many did.
std::size_t CaseTracker::doubt_worker(std::size_t worker) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (workers_[i] != worker || !units_[i].is_final() || units_[i].attempts().size() != 1 ||
        units_[i].outcome() != Outcome::kFail)
      continue;
    confirm_now(i);
    ++found;
  }
  return found;
}

int CaseTracker::timings_missing(std::size_t unit, int wanted) const {
  if (!target_.cases[unit].timed || !units_[unit].is_final()) return 0;
  int made = 0;
  bool passed = false;
  for (const AttemptDigest& attempt : units_[unit].attempts()) {
    if (attempt.phase == Phase::kTiming) {
      made += 1;
    } else {
      passed = passed || attempt.outcome == Outcome::kPass;
    }
  }
  if (!passed || (made == 0 && units_[unit].outcome() != Outcome::kPass)) return 0;
  return std::max(0, wanted - made);
}

}  // namespace seamark::run
