#include "seamark/usage/count/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "seamark/base/text.h"

namespace seamark::usage {
namespace {

constexpr std::size_t kTiers = kLastUsageTier;

void sort_unique(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

ShardCounter::ShardCounter(std::string shard, std::span<const Framework> frameworks)
    : ShardCounter(std::move(shard), frameworks, Limits()) {}

ShardCounter::ShardCounter(std::string shard, std::span<const Framework> frameworks, const Limits& limits)
    : shard_(std::move(shard)), frameworks_(frameworks), limits_(limits), imports_(frameworks.size(), 0) {}

template <typename SlotOf>
void ShardCounter::add_uses(const SourceFile& file, const FileUsage& usage, SlotOf slot_of) {
  ++candidates_;
  unresolved_stars_ += usage.unresolved_stars;
  for (std::size_t i = 0; i < imports_.size(); ++i) imports_[i] += (usage.frameworks >> i) & 1;
  if (usage.names.empty()) return;
  const std::uint32_t repository = repository_of(file);
  for (const NameCount& count : usage.names) {
    const std::uint32_t at = slot_of(count);
    if (at == kFull) {
      left_out_ += std::int64_t{count.calls} + count.references;
      continue;
    }
    Slot& slot = counts_[at];
    slot.calls += count.calls;
    slot.references += count.references;
    ++slot.files;
    add_repository(slot, repository);
  }
}

void ShardCounter::add(const SourceFile& file, const FileUsage& usage, const NameFinder& finder) {
  add_uses(file, usage, [&](const NameCount& count) { return slot_of(count, finder); });
}

void ShardCounter::add_by_name(const SourceFile& file, const FileUsage& usage, const NameFinder& finder) {
  index_names();
  add_uses(file, usage, [&](const NameCount& count) { return find_slot(count, finder); });
}

void ShardCounter::lose(const Loss& loss) {
  ++losses_;
  if (std::cmp_less_equal(losses_, kMostKept))
    kept_.push_back({loss.file, static_cast<std::int64_t>(loss.line), loss.what, false});
}

void ShardCounter::repair(const SourceFile& file) {
  ++repaired_;
  if (std::cmp_greater(repaired_, kMostRepairsKept)) return;
  kept_.push_back({.file = file.line > 0 ? shard_ : std::string(file.path),
                   .line = static_cast<std::int64_t>(file.line),
                   .what = "bytes that are not UTF-8 were read as U+FFFD",
                   .repaired = true});
}

std::uint32_t ShardCounter::slot_of(const NameCount& count, const NameFinder& finder) {
  const std::size_t index = count.name * kTiers + static_cast<std::size_t>(count.tier) - 1;
  if (index >= slots_.size()) slots_.resize(std::max(index + 1, slots_.size() * 2), kNone);
  std::uint32_t& slot = slots_[index];
  if (slot == kNone) slot = find_slot(count, finder);
  return slot;
}

std::uint32_t ShardCounter::find_slot(const NameCount& count, const NameFinder& finder) {
  const std::uint32_t framework = finder.framework_of(count.name);
  std::string key = {static_cast<char>(framework), static_cast<char>(count.tier)};
  key += finder.name(count.name);
  if (indexed_) {
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
  }
  if (counts_.size() >= limits_.names) return kFull;
  const auto slot = static_cast<std::uint32_t>(counts_.size());
  counts_.push_back({.framework = framework, .tier = count.tier, .repositories = {}});
  keys_.push_back(std::move(key));
  if (indexed_) by_key_.emplace(keys_.back(), slot);
  return slot;
}

void ShardCounter::forget_numbers() {
  slots_.clear();
  index_names();
}

void ShardCounter::index_names() {
  if (indexed_) return;
  indexed_ = true;
  for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) by_key_.emplace(keys_[slot], slot);
}

// A file of no known repository is one by itself. Nothing else of its shard has both its line and its path.
std::uint32_t ShardCounter::repository_of(const SourceFile& file) {
  const std::string line = std::to_string(file.line);
  const std::array<std::string_view, 4> own = {"", shard_, file.path, line};
  const std::uint64_t hash = file.repository.empty() ? fnv1a64_fields(own) : fnv1a64(file.repository);
  if (repositories_.size() >= limits_.repositories) {
    const auto known = repositories_.find(hash);
    return known == repositories_.end() ? kNone : known->second;
  }
  return repositories_.emplace(hash, static_cast<std::uint32_t>(repositories_.size())).first->second;
}

void ShardCounter::add_repository(Slot& slot, std::uint32_t repository) {
  if (repository == kNone || (slot.last != repository && meetings_ >= limits_.meetings)) {
    ++repositories_left_out_;
    return;
  }
  if (slot.last == repository) return;
  std::vector<std::uint32_t>& met = slot.repositories;
  slot.last = repository;
  ++meetings_;
  if (met.size() >= slot.compact_at) {
    meetings_ -= met.size();
    sort_unique(met);
    meetings_ += met.size();
    slot.compact_at = std::max(slot.compact_at, 2 * met.size());
  }
  met.push_back(repository);
}

UsageCount ShardCounter::take_count(std::size_t at, std::span<const std::uint32_t> ranks) {
  Slot& slot = counts_[at];
  for (std::uint32_t& repository : slot.repositories) repository = ranks[repository];
  sort_unique(slot.repositories);
  slot.repositories.shrink_to_fit();
  return {.framework = frameworks_[slot.framework].name,
          .name = keys_[at].substr(2),
          .tier = slot.tier,
          .calls = slot.calls,
          .references = slot.references,
          .files = slot.files,
          .repositories = std::move(slot.repositories)};
}

UsageShard ShardCounter::finish() {
  if (left_out_ > 0) {
    lose({.file = shard_,
          .line = 0,
          .what = fmt::format("{} uses of names beyond the first {} different ones were not counted",
                              left_out_, limits_.names)});
  }
  if (repositories_left_out_ > 0) {
    lose({.file = shard_,
          .line = 0,
          .what = fmt::format(
              "names whose repository was not counted: {}. A shard counts {} repositories, and {} "
              "of all its names together",
              repositories_left_out_, limits_.repositories, limits_.meetings)});
  }
  UsageShard shard;
  shard.name = shard_;
  shard.candidates = candidates_;
  shard.losses = losses_;
  shard.repaired = repaired_;
  shard.kept = std::move(kept_);
  shard.unresolved_stars = unresolved_stars_;
  for (std::size_t i = 0; i < imports_.size(); ++i)
    shard.imports.push_back({frameworks_[i].name, imports_[i]});

  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(repositories_.begin(), repositories_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> ranks(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ranks[sorted[i].second] = static_cast<std::uint32_t>(i);
    shard.repositories.push_back(sorted[i].first);
  }
  shard.counts.reserve(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) shard.counts.push_back(take_count(i, ranks));
  return shard;
}

}  // namespace seamark::usage
