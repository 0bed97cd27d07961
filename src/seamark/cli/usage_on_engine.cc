#include "seamark/cli/usage_on_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "seamark/base/held_dir.h"
#include "seamark/base/text.h"
#include "seamark/cli/engine.h"
#include "seamark/model/slice.h"
#include "seamark/proc/signals.h"

namespace seamark::cli {
namespace {

constexpr std::uint64_t kSliceBytes = std::uint64_t{512} << 20;  // some seconds of counting
constexpr std::int64_t kLeastSlices = 16;                        // where there are as many shards

// What the nodes resolve names with, as a store that holds nothing else.
Status write_seed(store::Store& store, const EngineCount& count, const std::filesystem::path& file) {
  Result<store::Store> seed = store::Store::open(file, store::OpenMode::kWrite);
  if (!seed) return seed.error();
  for (const auto& [framework, version] : count.catalogues) {
    const Result<Catalogue> catalogue = store.catalogue(framework, version);
    if (!catalogue) return catalogue.error();
    if (Status saved = seed->save_catalogue(*catalogue); !saved) return saved;
  }
  return {};
}

EngineTask slice_task(const EngineCount& count, const Slice& slice) {
  EngineTask task;
  task.name = "slice " + slice.str();
  task.resources.set("CPU", 1.0);
  std::vector<std::string> argv = count.command;
  argv.insert(argv.end(), {"--slice", slice.str(), "--store", std::string(kPart), "--"});
  argv.insert(argv.end(), count.inputs.begin(), count.inputs.end());
  task.commands.push_back(std::move(argv));
  return task;
}

std::vector<EngineTask> tasks_of(const EngineCount& count) {
  std::uint64_t bytes = 0;
  for (const usage::Shard& shard : count.shards) bytes += shard.bytes;
  const auto most = static_cast<std::int64_t>(count.shards.size());
  const std::int64_t slices =
      std::clamp(static_cast<std::int64_t>(bytes / kSliceBytes), std::min(most, kLeastSlices), most);
  std::vector<EngineTask> tasks;
  for (std::int64_t i = 1; i <= slices; ++i) {
    const Slice slice{i, slices};
    if (std::ranges::any_of(count.open, [&](std::size_t position) { return slice.takes(position); }))
      tasks.push_back(slice_task(count, slice));
  }
  return tasks;
}

}  // namespace

Result<bool> count_on_engine(const Context& context, store::Store& store, LiveLine& line,
                             const EngineCount& count) {
  const std::vector<EngineTask> tasks = tasks_of(count);
  if (tasks.empty()) return false;
  const Result<HeldDir> folder = HeldDir::make("usage");
  if (!folder) return folder.error();
  EngineOptions options;
  options.address = count.address;
  if (!count.catalogues.empty()) {
    options.seed = folder->path() / "seed.db";
    if (Status written = write_seed(store, count, options.seed); !written) return written.error();
  }
  std::vector<std::string> identities;
  for (const usage::Shard& shard : count.shards) identities.push_back(shard.identity);
  const bool quiet = context.common.quiet;
  EngineEvents events;
  events.tell = [&](std::string_view text) {
    if (!quiet) line.print(plain_text(text));
  };
  events.progress = [&](std::size_t ended, std::size_t running) {
    if (!quiet) line.show(fmt::format("{} of {} slices, {} running", ended, tasks.size(), running));
  };
  events.take = [&](std::size_t task, const std::filesystem::path& file) -> Status {
    Result<store::Store> part = store::Store::open(file, store::OpenMode::kRead);
    if (!part) return part.error();
    const auto merged = store.merge_stores({&*part, 1}, false);
    if (!merged) return merged.error();
    for (const std::string& kept : merged->front().kept)
      line.print(fmt::format("{}: {} differs there", tasks[task].name, one_line(kept)));
    return store.identify_usage_shards(count.corpus, identities);
  };
  proc::Signals signals;
  return run_tasks(context, options, tasks, events, signals);
}

}  // namespace seamark::cli
