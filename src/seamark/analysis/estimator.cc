#include "seamark/analysis/estimator.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <stdexcept>

namespace seamark::analysis {
namespace {

enum class Unknown { kLeftOut, kPasses, kFails };  // what to make of nonresponse

// Of one stratum, in one measure: functions or calls.
struct Part {
  double total = 0;    // what it stands for
  double rate = 0;     // of failures, by the ratio of what was answered
  double squares = 0;  // sum over the units of (share of the total that one stands for)^2, less what is known
  double failed = 0;   // known to fail, in the measure
  double passed = 0;
  bool answered = false;
};

double size_of(const UnitOutcome& unit, bool by_size) { return by_size ? unit.size : 1; }

Part part_of(const StratumOutcome& stratum, bool by_size, Unknown unknown) {
  Part part;
  part.total = by_size ? stratum.size : static_cast<double>(stratum.functions);
  double n = 0;
  double all = 0;
  double failures = 0;
  double squares = 0;
  for (const UnitOutcome& unit : stratum.units) {
    if (unit.answer == Answer::kNone && unknown == Unknown::kLeftOut) continue;
    const bool fails =
        unit.answer == Answer::kFail || (unit.answer == Answer::kNone && unknown == Unknown::kFails);
    const double size = size_of(unit, by_size);
    n += 1;
    all += size;
    squares += size * size;
    failures += fails ? 1 : 0;
    (fails ? part.failed : part.passed) += size;
  }
  part.answered = n > 0;
  if (!part.answered) return part;
  // Units without a call say as much as others of functions, and nothing of calls.
  const bool weighs = all > 0;
  part.rate = weighs ? part.failed / all : failures / n;
  const auto functions = static_cast<double>(stratum.functions);
  const double left = functions > 1 ? (functions - n) / (functions - 1) : 0;
  part.squares = part.total * part.total * (weighs ? squares / (all * all) : 1 / n) * left;
  return part;
}

// Several strata as one: their weights decide how many units of a plain sample they are worth.
struct Pool {
  double total = 0;
  double expected = 0;  // failures
  double squares = 0;
};

struct Ends {
  double expected = 0;
  double low = 0;
  double high = 0;
};

Ends ends_of(const Pool& pool, double level) {
  Ends ends{pool.expected, pool.expected, pool.expected};
  if (pool.total <= 0 || pool.squares <= 0) return ends;  // all of it is known
  const double n = pool.total * pool.total / pool.squares;
  const Interval interval = exact_interval(std::clamp(n * pool.expected / pool.total, 0.0, n), n, level);
  ends.low = pool.total * interval.low;
  ends.high = pool.total * interval.high;
  return ends;
}

// Failures in the measure; strata of which nothing is known are `open`.
struct Sum {
  double total = 0;
  Ends ends;
  double open = 0;
  std::string silent;  // the first of the open strata
};

Sum sum_of(std::span<const StratumOutcome> strata, bool by_size, Unknown unknown, double level) {
  Sum sum;
  Pool drawn;
  double failed = 0;
  double passed = 0;
  for (const StratumOutcome& stratum : strata) {
    const Part part = part_of(stratum, by_size, unknown);
    sum.total += part.total;
    if (part.total <= 0) continue;
    if (!part.answered) {
      if (sum.silent.empty()) sum.silent = stratum.name;
      sum.open += part.total;
      continue;
    }
    failed += part.failed;
    passed += part.passed;
    if (stratum.certain) {
      // It is no sample: what of it did not answer can be anything.
      sum.ends.expected += part.total * part.rate;
      sum.ends.low += part.failed;
      sum.ends.high += part.total - part.passed;
    } else {
      drawn.total += part.total;
      drawn.expected += part.total * part.rate;
      drawn.squares += part.squares;
    }
  }
  const Ends ends = ends_of(drawn, level);
  sum.ends.expected += ends.expected;
  sum.ends.low = std::max(sum.ends.low + ends.low, failed);
  sum.ends.high = std::min(sum.ends.high + ends.high, sum.total - sum.open - passed);
  return sum;
}

ShareEstimate share_of(std::span<const StratumOutcome> strata, bool by_size, double level) {
  ShareEstimate out;
  const Sum known = sum_of(strata, by_size, Unknown::kLeftOut, level);
  if (known.total <= 0) {
    out.reason = by_size ? "none of its functions was called" : "the population is empty";
    out.worst = out.highest = 1;
    return out;
  }
  const double all = known.total;
  if (known.open > 0) {
    out.reason = "no function that was drawn from " + known.silent + " has a result";
  } else {
    out.value = known.ends.expected / all;
    out.low = std::clamp(known.ends.low / all, 0.0, *out.value);
    out.high = std::clamp(known.ends.high / all, *out.value, 1.0);
  }
  const Sum best = sum_of(strata, by_size, Unknown::kPasses, level);
  const Sum worst = sum_of(strata, by_size, Unknown::kFails, level);
  out.best = best.ends.expected / all;
  out.lowest = std::clamp(best.ends.low / all, 0.0, out.best);
  out.worst = (worst.ends.expected + worst.open) / all;
  out.highest = std::clamp((worst.ends.high + worst.open) / all, out.worst, 1.0);
  return out;
}

}  // namespace

Interval exact_interval(double failed, double n, double level) {
  if (!(level > 0 && level < 1)) throw std::invalid_argument("a confidence level lies between 0 and 1");
  if (!(n > 0 && failed >= 0 && failed <= n)) {
    throw std::invalid_argument("a count lies between 0 and its total");
  }
  // Rounding must not make 4e-16 failures of none.
  constexpr double kLeast = 1e-9;
  const double tail = (1 - level) / 2;
  Interval interval;
  using Beta = boost::math::beta_distribution<double>;
  interval.low = failed < kLeast ? 0 : boost::math::quantile(Beta(failed, n - failed + 1), tail);
  interval.high = n - failed < kLeast
                      ? 1
                      : boost::math::quantile(boost::math::complement(Beta(failed + 1, n - failed), tail));
  return interval;
}

DesignEstimate design_estimate(std::span<const StratumOutcome> strata, double level) {
  DesignEstimate out;
  for (const StratumOutcome& stratum : strata) {
    const auto units = static_cast<std::int64_t>(stratum.units.size());
    if (units > stratum.functions) throw std::invalid_argument("a stratum has more units than functions");
    out.functions += stratum.functions;
    out.size += stratum.size;
    out.drawn += units;
    for (const UnitOutcome& unit : stratum.units) {
      out.answered += unit.answer == Answer::kNone ? 0 : 1;
      out.failed += unit.answer == Answer::kFail ? 1 : 0;
    }
  }
  out.of_functions = share_of(strata, false, level);
  out.of_size = share_of(strata, true, level);
  return out;
}

}  // namespace seamark::analysis
