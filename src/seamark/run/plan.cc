#include "seamark/run/plan.h"

#include <fmt/format.h>

#include <set>

namespace seamark::run {
namespace {

Error bad(std::string message) { return Error(RunError::kBadPlan, std::move(message)); }

bool is_absolute(std::string_view path) { return !path.empty() && path.front() == '/'; }

Status check_target(const PlannedTarget& target) {
  const auto says = [&](std::string_view what) {
    return bad(fmt::format("target {}: {}", target.name, what));
  };
  if (target.name.empty()) return bad("a target without a name");
  if (target.interpreter.empty()) return says("no interpreter");
  if (target.slots < 1 || target.slots > 1024) return says("slots must lie between 1 and 1024");
  if (!(target.timeout_s > 0)) return says("the deadline of a case must be above 0");
  if (target.memory.method != MemoryMethod::kNone && target.memory.bytes <= 0)
    return says("a memory limit of nothing");
  std::set<std::string_view> names;
  std::set<std::string_view> hashes;
  for (const PlannedCase& planned : target.cases) {
    if (!names.insert(planned.name).second) return says("two cases are named " + planned.name);
    if (!hashes.insert(planned.hash).second) return says("two cases have the hash " + planned.hash);
  }
  return {};
}

}  // namespace

std::string_view name_of(MemoryMethod method) {
  switch (method) {
    case MemoryMethod::kNone:
      return "none";
    case MemoryMethod::kAddressSpace:
      return "address-space";
    case MemoryMethod::kResident:
      return "resident";
  }
  return "none";
}

Status check(const Plan& plan) {
  if (!is_absolute(plan.boot)) return bad("the agent's boot file must be an absolute path");
  if (!is_absolute(plan.work_dir)) return bad("the work folder must be an absolute path");
  if (plan.jobs < 1 || plan.jobs > 1024) return bad("jobs must lie between 1 and 1024");
  if (!(plan.repeat_share >= 0 && plan.repeat_share <= 1))
    return bad("the share of repeated timings must lie between 0 and 1");
  if (!(plan.recheck_share >= 0 && plan.recheck_share <= 1))
    return bad("the recheck share must lie between 0 and 1");
  if (plan.repeat < 1 || plan.repeat > kMostRepeats)
    return bad(fmt::format("a case is checked between 1 and {} times", kMostRepeats));
  std::set<std::string_view> names;
  for (const PlannedTarget& target : plan.targets) {
    if (!names.insert(target.name).second) return bad(fmt::format("target {} is planned twice", target.name));
    if (Status good = check_target(target); !good) return good;
  }
  return {};
}

}  // namespace seamark::run
