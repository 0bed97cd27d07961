#include "seamark/store/run_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "seamark/base/text.h"

namespace seamark::store {

namespace {

constexpr std::string_view kKey = "slices";
constexpr std::size_t kNamed = 8;

std::optional<RunSlice> slice_from(const Value& value) {
  RunSlice out{value.string_or("target", ""), {}, value.string_or("plan", ""), value.string_or("part", "")};
  const std::optional<Slice> slice = parse_slice(value.string_or("slice", ""));
  if (!slice || out.target.empty() || out.part.empty()) return std::nullopt;
  out.slice = *slice;
  return out;
}

Value value_of(const RunSlice& one) {
  return Value::Object{
      {"target", one.target}, {"slice", one.slice.str()}, {"plan", one.plan}, {"part", one.part}};
}

}  // namespace

std::map<std::string, std::int64_t> SlicedRun::counts() const {
  std::map<std::string, std::int64_t> out = asked;
  for (const RunSlice& one : slices) out[one.target] = one.slice.count;
  return out;
}

std::map<std::string, std::vector<std::int64_t>> SlicedRun::missing() const {
  std::map<std::string, std::set<std::int64_t>> there;
  for (const RunSlice& one : slices) there[one.target].insert(one.slice.index);
  std::map<std::string, std::vector<std::int64_t>> out;
  for (const auto& [target, count] : counts()) {
    const std::set<std::int64_t>& have = there[target];
    for (std::int64_t index = 1; index <= count; ++index) {
      if (!have.contains(index)) out[target].push_back(index);
    }
  }
  return out;
}

std::string SlicedRun::missing_text() const {
  std::vector<std::string> parts;
  const std::map<std::string, std::int64_t> of = counts();
  for (const auto& [target, indices] : missing()) {
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(kNamed, indices.size()); ++i)
      named.push_back(std::to_string(indices[i]));
    if (indices.size() > kNamed) named.emplace_back("...");
    parts.push_back(fmt::format("{} of {} slices of {} {} missing ({})", indices.size(), of.at(target),
                                target, indices.size() == 1 ? "is" : "are", join(named, ", ")));
  }
  return join(parts, "; ");
}

SlicedRun sliced_run(const RunInfo& run) {
  SlicedRun out;
  const Value* said = run.options.find(kKey);
  if (said == nullptr || !said->is_object()) return out;
  if (const Value* list = said->find("parts"); list != nullptr && list->is_array()) {
    for (const Value& one : list->as_array()) {
      std::optional<RunSlice> slice = slice_from(one);
      if (!slice) return {};
      out.slices.push_back(std::move(*slice));
    }
  }
  if (const Value* asked = said->find("asked"); asked != nullptr && asked->is_object()) {
    for (const auto& [target, count] : asked->as_object()) {
      if (count.is_int() && count.as_int() > 0 && count.as_int() <= Slice::kMost)
        out.asked[target] = count.as_int();
    }
  }
  out.joined = said->bool_or("joined", false);
  out.command = said->string_or("command", "");
  out.subset_note = said->string_or("subset_note", "");
  out.full_command = said->string_or("full_command", "");
  out.engine = said->bool_or("engine", false);
  return out;
}

void set_slices(Value& options, const SlicedRun& run) {
  std::vector<RunSlice> sorted = run.slices;
  std::sort(sorted.begin(), sorted.end(), [](const RunSlice& a, const RunSlice& b) {
    return std::tie(a.target, a.slice.index) < std::tie(b.target, b.slice.index);
  });
  Value said;
  Value parts{Value::Array{}};
  for (const RunSlice& one : sorted) parts.push(value_of(one));
  said.set("parts", std::move(parts));
  if (!run.asked.empty()) {
    Value asked;
    for (const auto& [target, count] : run.asked) asked.set(target, count);
    said.set("asked", std::move(asked));
  }
  if (run.joined) said.set("joined", true);
  if (run.engine) said.set("engine", true);
  said.set("command", run.command);
  said.set("subset_note", run.subset_note);
  said.set("full_command", run.full_command);
  options.set(kKey, std::move(said));
}

}  // namespace seamark::store
