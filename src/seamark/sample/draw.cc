#include "seamark/sample/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/sample/prng.h"

namespace seamark::sample {
namespace {

using Places = std::vector<std::size_t>;  // of functions in a list of the ranking

class Drawer {
 public:
  Drawer(const Ranking& ranking, std::string_view framework, const DrawRequest& request)
      : ranking_(ranking), framework_(framework), request_(request) {}

  Result<FrameworkDraw> run() {
    for (const Remark& one : request_.replace) replace_[one.function] = one.reason;
    if (Status done = exclude(); !done) return done.error();
    take_top();
    for (int decile = 1; decile <= kDeciles; ++decile) take_decile(decile);
    take_never_seen();
    if (Status done = check_replacements(); !done) return done.error();
    return std::move(out_);
  }

 private:
  [[nodiscard]] int decile_at(std::size_t place) const {
    return decile_of(static_cast<std::int64_t>(place) + 1, static_cast<std::int64_t>(ranking_.seen.size()));
  }

  [[nodiscard]] SampledFunction row(const Counted& counted, SampleRole role, std::string stratum) const {
    SampledFunction out;
    out.framework = framework_;
    out.function = counted.function;
    out.role = role;
    out.stratum = std::move(stratum);
    out.calls = counted.calls;
    out.references = counted.references;
    out.files = counted.files;
    return out;
  }

  [[nodiscard]] SampledFunction seen_row(std::size_t place, SampleRole role, std::string stratum) const {
    SampledFunction out = row(ranking_.seen[place], role, std::move(stratum));
    out.rank = static_cast<std::int64_t>(place) + 1;
    out.decile = decile_at(place);
    return out;
  }

  Status exclude() {
    std::map<std::string_view, std::string> wanted;
    for (const Remark& one : request_.exclude) wanted[one.function] = one.reason;
    for (std::size_t place = 0; place < ranking_.seen.size(); ++place) {
      const auto found = wanted.find(ranking_.seen[place].function);
      if (found == wanted.end()) continue;
      add_excluded(seen_row(place, SampleRole::kExcluded, {}), found->second);
      wanted.erase(found);
    }
    for (const Counted& one : ranking_.never_seen) {
      const auto found = wanted.find(one.function);
      if (found == wanted.end()) continue;
      add_excluded(row(one, SampleRole::kExcluded, {}), found->second);
      wanted.erase(found);
    }
    if (wanted.empty()) return {};
    std::vector<std::string> known;
    for (const Counted& one : ranking_.seen) known.push_back(one.function);
    for (const Counted& one : ranking_.never_seen) known.push_back(one.function);
    const std::string name(wanted.begin()->first);
    const std::optional<std::string> near = nearest(name, known);
    return Error(
        SampleError::kBadRequest, fmt::format("--exclude {}: the population has no such function", name),
        near ? fmt::format("did you mean '{}'?", *near)
             : "names are whole, as in the usage table; with a catalogue, any of a function's names");
  }

  void add_excluded(SampledFunction function, const std::string& reason) {
    function.reason = reason;
    excluded_.insert(function.function);
    out_.functions.push_back(std::move(function));
  }

  void take_top() {
    SampleStratum stratum;
    stratum.framework = framework_;
    stratum.name = "top";
    const auto limit = static_cast<std::size_t>(request_.top);
    for (std::size_t place = 0; place < ranking_.seen.size() && top_.size() < limit; ++place) {
      const Counted& one = ranking_.seen[place];
      if (excluded_.contains(one.function)) continue;
      top_.insert(place);
      ++stratum.functions;
      ++stratum.drawn;
      stratum.calls += one.calls;
      SampledFunction taken = seen_row(place, SampleRole::kTop, stratum.name);
      taken.inclusion = 1;
      out_.functions.push_back(std::move(taken));
    }
    if (stratum.functions > 0) out_.strata.push_back(std::move(stratum));
  }

  void take_decile(int decile) {
    Places order;
    Places replaced_tops;  // of this decile, as places in out_.functions
    SampleStratum stratum;
    stratum.framework = framework_;
    stratum.name = fmt::format("decile-{}", decile);
    stratum.decile = decile;
    for (std::size_t place = 0; place < ranking_.seen.size(); ++place) {
      const Counted& one = ranking_.seen[place];
      if (decile_at(place) != decile || excluded_.contains(one.function)) continue;
      order.push_back(place);
      if (top_.contains(place)) continue;
      ++stratum.functions;
      stratum.calls += one.calls;
    }
    if (order.empty()) return;
    Pcg32 generator = generator_for(request_.seed, framework_, stratum.name);
    shuffle(std::span(order), generator);
    const auto wanted = std::min(order.size(), static_cast<std::size_t>(request_.per_decile));
    inclusion_ = static_cast<double>(wanted) / static_cast<double>(order.size());
    std::vector<std::size_t> waiting = tops_to_replace(decile);
    for (std::size_t i = 0; i < wanted; ++i) {
      const bool overlaps = top_.contains(order[i]);
      add(order[i], overlaps ? SampleRole::kOverlap : SampleRole::kDecile, stratum, waiting);
    }
    std::size_t next = wanted;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      while (next < order.size() && top_.contains(order[next])) ++next;
      if (next == order.size()) break;
      // add() may move the rows: names by value, places stay.
      const std::string replaced = out_.functions[waiting[i]].function;
      out_.functions[waiting[i]].replaced_by = ranking_.seen[order[next]].function;
      add(order[next], SampleRole::kReplacement, stratum, waiting);
      out_.functions.back().replaces = replaced;
      ++next;
    }
    if (stratum.functions > 0) out_.strata.push_back(std::move(stratum));
  }

  std::vector<std::size_t> tops_to_replace(int decile) {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < out_.functions.size(); ++i) {
      SampledFunction& one = out_.functions[i];
      if (one.role == SampleRole::kTop && one.decile == decile && take_reason(one)) waiting.push_back(i);
    }
    return waiting;
  }

  void add(std::size_t place, SampleRole role, SampleStratum& stratum, std::vector<std::size_t>& waiting) {
    const bool overlaps = role == SampleRole::kOverlap;
    SampledFunction taken = seen_row(place, role, overlaps ? "top" : stratum.name);
    taken.inclusion = overlaps ? 1 : inclusion_;
    if (!overlaps) ++stratum.drawn;
    out_.functions.push_back(std::move(taken));
    if (!overlaps && take_reason(out_.functions.back())) waiting.push_back(out_.functions.size() - 1);
  }

  // Whether the user wants it replaced; each remark serves once.
  bool take_reason(SampledFunction& function) {
    const auto found = replace_.find(function.function);
    if (found == replace_.end()) return false;
    function.reason = found->second;
    replace_.erase(found);
    return true;
  }

  void take_never_seen() {
    if (request_.never_seen == 0) return;
    SampleStratum stratum;
    stratum.framework = framework_;
    stratum.name = "never-seen";
    Places order;
    for (std::size_t place = 0; place < ranking_.never_seen.size(); ++place) {
      if (!excluded_.contains(ranking_.never_seen[place].function)) order.push_back(place);
    }
    if (order.empty()) return;
    stratum.functions = static_cast<std::int64_t>(order.size());
    Pcg32 generator = generator_for(request_.seed, framework_, stratum.name);
    shuffle(std::span(order), generator);
    const auto wanted = std::min(order.size(), static_cast<std::size_t>(request_.never_seen));
    const double inclusion = static_cast<double>(wanted) / static_cast<double>(order.size());
    std::size_t open = wanted;  // places still to fill, replacements included
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < order.size() && i < open; ++i) {
      const bool first = i < wanted;
      SampledFunction taken = row(ranking_.never_seen[order[i]],
                                  first ? SampleRole::kNeverSeen : SampleRole::kReplacement, stratum.name);
      taken.inclusion = inclusion;
      ++stratum.drawn;
      if (!first) {
        SampledFunction& replaced = out_.functions[waiting[i - wanted]];
        replaced.replaced_by = taken.function;
        taken.replaces = replaced.function;
      }
      const bool again = take_reason(taken);
      out_.functions.push_back(std::move(taken));
      if (!again) continue;
      waiting.push_back(out_.functions.size() - 1);
      ++open;
    }
    out_.strata.push_back(std::move(stratum));
  }

  Status check_replacements() {
    if (replace_.empty()) return {};
    const std::string& name = replace_.begin()->first;
    const bool is_excluded = excluded_.contains(name);
    return Error(SampleError::kBadRequest,
                 fmt::format("--replace {}: {}", name,
                             is_excluded ? "it is excluded, so it was not drawn" : "it is not in the sample"),
                 "replace what `seamark sample` with the same seed has drawn");
  }

  const Ranking& ranking_;
  std::string framework_;
  const DrawRequest& request_;
  std::map<std::string, std::string> replace_;  // function -> reason, those not met yet
  std::set<std::string> excluded_;
  std::set<std::size_t> top_;
  double inclusion_ = 0;  // of the decile at hand
  FrameworkDraw out_;
};

Status check_twice(const std::vector<Remark>& remarks, std::string_view flag) {
  std::set<std::string_view> seen;
  for (const Remark& one : remarks) {
    if (!seen.insert(one.function).second) {
      return Error(SampleError::kBadRequest, fmt::format("{} {} is given twice", flag, one.function),
                   "give one reason");
    }
  }
  return {};
}

}  // namespace

Result<Remark> parse_remark(std::string_view text) {
  const std::size_t colon = text.find(':');
  Remark remark;
  if (colon != std::string_view::npos) {
    remark.function = trim(text.substr(0, colon));
    remark.reason = trim(text.substr(colon + 1));
  }
  if (remark.function.empty() || remark.reason.empty()) {
    return Error(SampleError::kBadRequest, fmt::format("'{}' is no FUNCTION:REASON", text),
                 "say why, e.g. 'torch.cuda.nccl.init:needs two GPUs'");
  }
  return remark;
}

Result<FrameworkDraw> draw(const Ranking& ranking, std::string_view framework, const DrawRequest& request) {
  if (Status checked = check_twice(request.exclude, "--exclude"); !checked) return checked.error();
  if (Status checked = check_twice(request.replace, "--replace"); !checked) return checked.error();
  if (ranking.seen.empty() && (request.never_seen == 0 || ranking.never_seen.empty())) {
    return Error(SampleError::kBadRequest, fmt::format("no function of {} was ever seen", framework),
                 "count more source with `seamark usage`, or take --population all");
  }
  return Drawer(ranking, framework, request).run();
}

std::string procedure_text(const DrawRequest& request) {
  std::string text = fmt::format("the {} most frequent by {}, and {} at random of each tenth", request.top,
                                 name_of(request.by), request.per_decile);
  if (request.never_seen > 0) text += fmt::format(", and {} of those never seen", request.never_seen);
  return text + "; overlaps dropped";
}

}  // namespace seamark::sample
