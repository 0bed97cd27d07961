// `seamark merge`: what other stores hold, into one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/kept.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/render/number_text.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

void say(std::string_view text) { (void)write_all(STDERR_FILENO, plain_text(text) + "\n"); }

Result<std::vector<store::Store>> open_all(const std::vector<std::string>& names, const std::string& into) {
  std::vector<store::Store> stores;
  for (const std::string& name : names) {
    std::error_code none;
    if (fs::equivalent(name, into, none)) {
      return Error(CliError::kUsage, fmt::format("{} is the store that is merged into", name),
                   "name the other stores, and with --store the one that takes them in");
    }
    Result<store::Store> store = store::Store::open(name, store::OpenMode::kRead);
    if (!store) return store.error();
    stores.push_back(std::move(*store));
  }
  return stores;
}

void remove_store(const fs::path& file) {
  std::error_code none;
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(file.string() + end, none);
}

void add_count(std::vector<std::string>& parts, std::int64_t count, const std::string& one,
               const std::string& many = {}) {
  if (count > 0) parts.push_back(report::plural(count, one, many));
}

bool holds_nothing(const store::MergedStore& merged) {
  return merged.runs + merged.slices + merged.known + merged.catalogues + merged.declared + merged.corpora +
                 merged.samples + merged.other_known ==
             0 &&
         merged.refused.empty() && merged.live.empty() && merged.unfinished.empty() && merged.kept.empty();
}

std::string summary_of(const store::MergedStore& merged) {
  std::vector<std::string> parts;
  if (merged.runs > 0) {
    parts.push_back(fmt::format("{} with {}", report::plural(merged.runs, "run"),
                                report::plural(merged.attempts, "attempt")));
  }
  if (merged.runs == 0 && merged.slices > 0)
    parts.push_back(fmt::format("{} with {}", report::plural(merged.slices, "slice"),
                                report::plural(merged.attempts, "attempt")));
  add_count(parts, merged.catalogues, "catalogue");
  add_count(parts, merged.declared, "declared table");
  add_count(parts, merged.corpora, "corpus of usage", "corpora of usage");
  add_count(parts, merged.shards, "shard of usage", "shards of usage");
  add_count(parts, merged.samples, "sample");
  std::string text = parts.empty() ? "nothing is added" : join(parts, ", ") + " added";
  if (merged.known > 0) text += fmt::format("; {} there already", report::plural(merged.known, "run"));
  return text;
}

void say_merged(const store::MergedStore& merged, const std::string& name, const std::string& into,
                bool quiet) {
  for (const store::MergedStore::Refused& one : merged.refused)
    say(fmt::format("{}: run {} is refused, {} has another of that id: {}", name, one.run, into,
                    one.difference));
  for (const std::string& run : merged.live)
    say(fmt::format("{}: run {} is still going on, and left out: merge again when it has ended", name, run));
  for (const std::string& slice : merged.unfinished)
    say(fmt::format(
        "{}: slice {} has not ended, and is left out: go on with it (seamark run --resume), then merge again",
        name, slice));
  for (const auto& [run, difference] : merged.apart)
    say(fmt::format("{}: its environment differs, so it is kept apart, as the run {}: {}", name, run,
                    difference));
  say_kept(merged.kept, into);
  if (!quiet) say(fmt::format("{}: {}", name, summary_of(merged)));
}

class MergeCommand final : public Command {
 public:
  explicit MergeCommand(Options& options) {
    options.argument("STORE", stores_, "Stores to take from; nothing in them is changed").required();
    options.flag("--strict", strict_, "Merge nothing when a run is refused");
    options.store(selection_, "The store to merge into (default: seamark.db)");
  }

  Result<ExitCode> run(Context& context) const override {
    const Result<Settings> settings = settings_for(context, selection_);
    if (!settings) return settings.error();
    const std::string& name = settings->store;
    // Before the store is made: what cannot be read changes nothing.
    Result<std::vector<store::Store>> stores = open_all(stores_, name);
    if (!stores) return stores.error();
    std::error_code none;
    const bool is_new = !fs::exists(name, none);
    Result<std::vector<store::MergedStore>> merged = [&]() -> Result<std::vector<store::MergedStore>> {
      Result<store::Store> into = open_for_writing(context, name);
      if (!into) return into.error();
      return into->merge_stores(*stores, strict_);
    }();
    const bool is_nothing = merged && std::all_of(merged->begin(), merged->end(), holds_nothing);
    if (is_new && (!merged || is_nothing)) remove_store(name);
    if (!merged) return merged.error();
    if (is_nothing) {
      return Error(CliError::kNothing, fmt::format("there is nothing in {}", join(stores_, ", ")),
                   "name stores that `seamark run`, `catalog`, `usage` or `sample` wrote");
    }
    bool refused = false;
    for (std::size_t i = 0; i < merged->size(); ++i) {
      say_merged((*merged)[i], stores_[i], name, context.common.quiet);
      refused = refused || !(*merged)[i].refused.empty();
    }
    return refused ? ExitCode::kEnvironment : ExitCode::kDone;
  }

 private:
  Selection selection_;              // the store that is merged into
  std::vector<std::string> stores_;  // files
  bool strict_ = false;
};

}  // namespace

Verb merge_verb() {
  return {"merge", "Take in what other stores hold, e.g. those of several machines",
          "Examples:\n"
          "  seamark merge --store all.db gpu.db tpu.db\n"
          "  seamark merge other.db",
          make_command<MergeCommand>};
}

}  // namespace seamark::cli
