// Adds up what the files of one shard use. Exact, and bounded in memory by what is different, not by how much
// there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "seamark/model/usage_shard.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

class ShardCounter {
 public:
  static constexpr std::size_t kMostNames = std::size_t{1} << 18;  // (name, tier); new ones are then left out
  // Repositories of a shard, and all that its names were met in, taken together: those beyond are left out.
  static constexpr std::size_t kMostRepositories = std::size_t{1} << 20;
  static constexpr std::size_t kMostMeetings = std::size_t{1} << 24;
  static constexpr std::size_t kMostKept = 1000;  // losses
  static constexpr std::size_t kMostRepairsKept = 100;

  // `shard` makes the files without a repository of their own differ from those of other shards.
  struct Limits {
    std::size_t names = kMostNames;
    std::size_t repositories = kMostRepositories;
    std::size_t meetings = kMostMeetings;
  };
  ShardCounter(std::string shard, std::span<const Framework> frameworks);
  ShardCounter(std::string shard, std::span<const Framework> frameworks, const Limits& limits);

  // What `finder` said of `file`. Numbers of names are the finder's: see forget_numbers().
  void add(const SourceFile& file, const FileUsage& usage, const NameFinder& finder);
  // The same of any other finder.
  void add_by_name(const SourceFile& file, const FileUsage& usage, const NameFinder& finder);
  void lose(const Loss& loss);          // the rest of the shard counts
  void repair(const SourceFile& file);  // it counts, but for some bytes
  // The finder was replaced by another, which numbers names anew. One finder numbers a name once.
  void forget_numbers();

  // Everything but the name, identity, bytes, files and CPU time of the shard. The counter is then used up.
  UsageShard finish();

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kFull = 0xfffffffe;
  struct Slot {
    std::uint32_t framework;
    UsageTier tier;
    std::uint32_t last = kNone;  // the repository met last
    std::int64_t calls = 0;
    std::int64_t references = 0;
    std::int64_t files = 0;
    std::vector<std::uint32_t> repositories;  // in the order met, some more than once
    std::size_t compact_at = 16;              // repositories.size() at which doubles are taken out
  };

  template <typename SlotOf>
  void add_uses(const SourceFile& file, const FileUsage& usage, SlotOf slot_of);
  void index_names();
  std::uint32_t slot_of(const NameCount& count, const NameFinder& finder);
  std::uint32_t find_slot(const NameCount& count, const NameFinder& finder);
  std::uint32_t repository_of(const SourceFile& file);  // kNone: one beyond the limit
  void add_repository(Slot& slot, std::uint32_t repository);
  UsageCount take_count(std::size_t at, std::span<const std::uint32_t> ranks);

  std::string shard_;
  std::span<const Framework> frameworks_;
  Limits limits_;
  std::vector<std::uint32_t> slots_;  // by the finder's number and tier
  std::deque<std::string> keys_;      // by slot: framework, tier, then the name
  std::vector<Slot> counts_;
  bool indexed_ = false;                                        // more than one finder numbers the names
  std::unordered_map<std::string_view, std::uint32_t> by_key_;  // views of keys_; only if indexed_
  std::unordered_map<std::uint64_t, std::uint32_t> repositories_;
  std::vector<std::int64_t> imports_;
  std::int64_t candidates_ = 0;
  std::int64_t unresolved_stars_ = 0;
  std::size_t meetings_ = 0;                // in all slots
  std::int64_t left_out_ = 0;               // uses of names beyond the limit
  std::int64_t repositories_left_out_ = 0;  // once for each name of a file
  std::int64_t losses_ = 0;
  std::int64_t repaired_ = 0;
  std::vector<UsageLoss> kept_;
};

}  // namespace seamark::usage
