// Makes a store like those of a large run, for tests/bench/bench_report.py and bench_report_html.py.
//   seamark_report_store FILE [FUNCTIONS [TARGETS [CASES]]]
// Every function has CASES cases (half of them core) in four dtypes on TARGETS targets, a third of which only
// compile; a tenth of the attempts fail, with messages and tracebacks as long as real ones; every tenth
// passing case of what executes is timed. The same everywhere: nothing is drawn from outside.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "seamark/store/store.h"

namespace seamark {
namespace {

constexpr std::array<const char*, 4> kDtypes = {"f32", "bf16", "i64", "c64"};
constexpr int kFailPerMille = 100;
constexpr int kTimedPerMille = 100;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(result.value());
}

void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

// splitmix64: a number of each place, not of the order in which places are visited.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

struct Shape {
  int functions = 5000;
  int targets = 20;
  int cases = 10;
};

bool compiles_only(int target) { return target % 3 == 2; }

std::string target_name(int target) {
  if (target == 0) return "torch/cpu";
  return fmt::format("torch/device{:02}{}", target, compiles_only(target) ? "+aot" : "");
}

std::vector<CaseInfo> cases_of(int function, const Shape& shape) {
  std::vector<CaseInfo> out;
  for (int i = 0; i < shape.cases; ++i) {
    CaseInfo info;
    info.function = fmt::format("torch.package{:02}.function{:05}", function % 40, function);
    info.dtype = kDtypes[static_cast<std::size_t>(i) % kDtypes.size()];
    info.shape = "64x33";
    info.name = fmt::format("{}/usual[{},64x33,dim={}]", info.function, info.dtype, i);
    info.framework = "torch";
    info.suite = "curated";
    info.hash = fmt::format("{:016x}", mix(static_cast<std::uint64_t>(function) * 1000 + 17) + i);
    info.core = i < (shape.cases + 1) / 2;
    info.params = Value(Value::Object{{"dim", i}});
    out.push_back(std::move(info));
  }
  return out;
}

Attempt attempt_of(const std::string& target, const CaseInfo& info, bool compiled, std::uint64_t draw) {
  Attempt attempt;
  attempt.target = target;
  attempt.case_name = info.name;
  attempt.case_hash = info.hash;
  attempt.mode = compiled ? WorkerMode::kPersistent : WorkerMode::kFork;
  attempt.outcome = Outcome::kPass;
  attempt.evidence = compiled ? Evidence::kCompiled : Evidence::kVerified;
  attempt.wall_s = 0.01;
  attempt.cpu_s = 0.008;
  attempt.started_unix_us = 1'700'000'000'000'000;
  attempt.latency.cold_reason = attempt.latency.warm_reason = "not timed in this phase";
  if (!compiled) attempt.placement.where = draw % 97 != 0 ? Where::kDevice : Where::kHost;
  if (attempt.placement.where == Where::kHost) attempt.attributes.emplace_back("host-fallback");
  attempt.reference = Value(Value::Object{{"kind", "cpu"}, {"max_abs_err", 1e-7}, {"tolerance", 1e-5}});
  return attempt;
}

void make_fail(Attempt& attempt, const CaseInfo& info, std::uint64_t draw) {
  attempt.outcome = Outcome::kFail;
  attempt.evidence = attempt.evidence == Evidence::kCompiled ? Evidence::kLowered : Evidence::kExecuted;
  attempt.signature = fmt::format("{:016x}", draw % 4096);
  attempt.confirmed_by = info.name;
  Failure& failure = attempt.failure.emplace();
  failure.stage = "call";
  failure.type = draw % 2 == 0 ? "NotImplementedError" : "RuntimeError";
  failure.message = fmt::format("Could not run '{}' with arguments from the '{}' backend. ", info.function,
                                draw % 2 == 0 ? "XLA" : "Lazy");
  while (failure.message.size() < 400) failure.message += "This operator is not registered for it. ";
  while (failure.traceback.size() < 1500) failure.traceback += "  File \"model.py\", line 12, in forward\n";
}

Attempt timing_of(Attempt attempt, std::uint64_t draw) {
  const double center = 1e-6 * static_cast<double>(1 + draw % 5000);
  attempt.attempt = 2;
  attempt.phase = Phase::kTiming;
  attempt.evidence = Evidence::kExecuted;
  attempt.latency = Latency{};
  attempt.latency.protocol = "full";
  attempt.latency.cold_kind = "cold-op";
  attempt.latency.cold_s = center * 40;
  attempt.latency.warm_median_s = center;
  attempt.latency.warm_low_s = center * 0.98;
  attempt.latency.warm_high_s = center * 1.03;
  attempt.latency.warm_min_s = center * 0.95;
  attempt.latency.warm_iqr_s = center * 0.04;
  attempt.latency.warm_n = 20;
  TimedOperation& operation = attempt.operations.emplace_back();
  operation.name = "forward";
  operation.cold_s = attempt.latency.cold_s;
  for (int i = 0; i < 20; ++i) operation.warm_s.push_back(center * (0.95 + 0.005 * i));
  return attempt;
}

std::vector<Attempt> attempts_of(int function, int target, const std::vector<CaseInfo>& cases) {
  std::vector<Attempt> out;
  const std::string name = target_name(target);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::uint64_t draw =
        mix((static_cast<std::uint64_t>(function) * 64 + static_cast<std::uint64_t>(target)) * 64 + i);
    Attempt attempt = attempt_of(name, cases[i], compiles_only(target), draw);
    if (target > 0 && draw % 1000 < kFailPerMille) {
      make_fail(attempt, cases[i], mix(draw));
      out.push_back(std::move(attempt));
      continue;
    }
    const bool timed = !compiles_only(target) && mix(static_cast<std::uint64_t>(function)) % 1000 <
                                                     static_cast<std::uint64_t>(kTimedPerMille);
    std::optional<Attempt> timing;
    if (timed) timing = timing_of(attempt, mix(draw));
    out.push_back(std::move(attempt));
    if (timing) out.push_back(std::move(*timing));
  }
  return out;
}

std::size_t fill(const std::string& file, const Shape& shape) {
  store::Store store = must(store::Store::open(file, store::OpenMode::kWrite));
  store::RunWriter writer = must(store.begin_run({}));
  std::vector<std::vector<CaseInfo>> cases;
  std::vector<CaseInfo> all;
  for (int f = 0; f < shape.functions; ++f) {
    cases.push_back(cases_of(f, shape));
    all.insert(all.end(), cases.back().begin(), cases.back().end());
  }
  for (int t = 0; t < shape.targets; ++t) {
    store::RunTarget target;
    target.target = target_name(t);
    target.framework = "torch";
    target.framework_version = "2.13.0";
    target.device_name = "a device";
    must(writer.add_target(target));
    must(writer.plan(target.target, all));
  }
  std::size_t written = 0;
  // Targets take turns, as lanes of a run do.
  for (int f = 0; f < shape.functions; f += 20) {
    for (int t = 0; t < shape.targets; ++t) {
      std::vector<Attempt> batch;
      for (int one = f; one < std::min(f + 20, shape.functions); ++one) {
        for (Attempt& attempt : attempts_of(one, t, cases[static_cast<std::size_t>(one)])) {
          batch.push_back(std::move(attempt));
        }
      }
      written += batch.size();
      must(writer.commit(batch));
    }
  }
  must(writer.finish(store::RunState::kFinished, {}, 1, 1));
  return written;
}

}  // namespace
}  // namespace seamark

int main(int argc, char** argv) {
  seamark::Shape shape;
  if (argc < 2) return 2;
  if (argc > 2) shape.functions = std::atoi(argv[2]);
  if (argc > 3) shape.targets = std::atoi(argv[3]);
  if (argc > 4) shape.cases = std::atoi(argv[4]);
  fmt::print("{}\n", seamark::fill(argv[1], shape));
  return 0;
}
