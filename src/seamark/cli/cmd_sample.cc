// `seamark sample`: functions drawn by how often code calls them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/cli/case_choice.h"
#include "seamark/cli/catalogue_files.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/shipped_usage.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/build/sample_listing.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/sample/make_sample.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

Formats sample_formats() { return report::documents_and({Format::kJson, Format::kCsv}); }

// Those of the files, else of the store.
Result<std::vector<Catalogue>> catalogues_for(store::Store& store, const std::vector<std::string>& files) {
  Result<std::vector<Catalogue>> all = read_catalogues(files);
  if (!all || !all->empty()) return all;
  const Result<std::vector<CatalogueHead>> heads = store.catalogues();
  if (!heads) return heads.error();
  for (const CatalogueHead& head : *heads) {  // the one that was taken last first
    const bool known = std::any_of(
        all->begin(), all->end(), [&](const Catalogue& one) { return one.head.framework == head.framework; });
    if (known) continue;
    Result<Catalogue> stored = store.catalogue(head.framework, head.version);
    if (!stored) return stored.error();
    all->push_back(std::move(*stored));
  }
  return all;
}

class SampleCommand final : public Command {
 public:
  explicit SampleCommand(Options& options) {
    constexpr std::int64_t kMost = 1'000'000;
    options.value("--top", request.draw.top, "N", "How many of the most frequent are taken (default: 20)")
        .within(0, kMost);
    options
        .value("--per-decile", request.draw.per_decile, "N", "How many of each tenth are drawn (default: 5)")
        .within(0, kMost);
    options
        .value("--population", population, "WHICH",
               "seen: functions that the usage table has; all: the catalogue's, those never seen as a "
               "stratum of their own (default: seen)")
        .one_of({"seen", "all"});
    options
        .value("--never-seen", never_seen, "N",
               "With --population all: how many of those are drawn (default: as --per-decile)")
        .within(0, kMost);
    options.value("--seed", seed, "N", "Of every draw and of ties (default: 0)")
        .within(0, std::int64_t{1} << 53);
    options
        .value("--by", by, "COUNT",
               "calls, uses (calls and references) or files: what frequency is (default: calls)")
        .one_of({"calls", "uses", "files"});
    options.value("--exclude", exclude, "TEXT", "Leave a function out of the population: FUNCTION:REASON");
    options.value("--replace", replace, "TEXT",
                  "Draw another for one that cannot be tested, of its tenth: FUNCTION:REASON");
    options.value("--framework", request.frameworks, "FRAMEWORK",
                  "Only this framework (default: all that the usage has)");
    options.value(
        "--usage", usage, "FILE|LABEL",
        "A CSV of `seamark usage`, a corpus of the store, or shipped: data/usage/calls.csv (default)");
    options
        .value("--tier", tiers, "TIER",
               "Which counts: resolved, inferred, unknown, bare; several add up (default: resolved)")
        .one_of({"resolved", "inferred", "unknown", "bare"});
    options.value("--catalogue", catalogues, "FILE",
                  "A file of `seamark catalog --format jsonl` (default: the store's catalogues)");
    options.store(selection);
    options.value("--name", name, "NAME", "What to call the sample in the store");
    options.output(format, output, sample_formats());
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;            // the store
  sample::SampleRequest request;  // the numbers of the draw, and frameworks
  std::int64_t seed = 0;
  std::optional<std::int64_t> never_seen;  // with --population all; nullopt: per_decile
  std::string by = "calls";                // calls, uses, files
  std::string population = "seen";         // seen, all
  std::vector<std::string> tiers;          // empty: resolved
  std::vector<std::string> exclude;        // FUNCTION:REASON
  std::vector<std::string> replace;
  std::string usage;                    // a CSV, a corpus of the store, or "shipped"; empty: shipped
  std::vector<std::string> catalogues;  // files
  std::string name;
  std::string format;
  std::string output;
};

Result<sample::SampleRequest> request_of(const Context& context, const SampleCommand& command,
                                         std::string usage) {
  sample::SampleRequest request = command.request;
  request.known = context.registry.frameworks();
  request.usage = std::move(usage);
  request.all = command.population == "all";
  request.draw.seed = static_cast<std::uint64_t>(command.seed);
  request.draw.by = sample::frequency_from(command.by).value_or(sample::Frequency::kCalls);
  if (command.never_seen && !request.all) {
    return Error(CliError::kUsage, "--never-seen goes with --population all",
                 "add it, or leave --never-seen out");
  }
  if (request.all) request.draw.never_seen = command.never_seen.value_or(request.draw.per_decile);
  if (!command.tiers.empty()) request.tiers.clear();
  for (int number = 1; number <= kLastUsageTier; ++number) {
    const auto tier = static_cast<UsageTier>(number);
    const std::string name(name_of(tier));
    if (std::find(command.tiers.begin(), command.tiers.end(), name) != command.tiers.end()) {
      request.tiers.push_back(tier);
    }
  }
  for (auto [texts, remarks] : {std::pair{&command.exclude, &request.draw.exclude},
                                std::pair{&command.replace, &request.draw.replace}}) {
    for (const std::string& text : *texts) {
      Result<sample::Remark> remark = sample::parse_remark(text);
      if (!remark) return remark.error();
      remarks->push_back(std::move(*remark));
    }
  }
  return request;
}

Result<ExitCode> SampleCommand::run(Context& context) const {
  const Result<Format> chosen = format_for(context, format, output, sample_formats());
  if (!chosen) return chosen.error();
  if (is_shipped_sample(name)) {
    return Error(CliError::kUsage, fmt::format("'{}' is a sample that comes with Seamark", name),
                 "give --name another one");
  }
  const Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  Result<store::Store> store = open_for_writing(context, settings->store);
  if (!store) return store.error();
  Result<UsageSource> source = usage_for(context, *store, usage.empty() ? std::string(kShippedUsage) : usage);
  if (!source) return source.error();
  const Result<std::vector<Catalogue>> known = catalogues_for(*store, catalogues);
  if (!known) return known.error();
  const Result<sample::SampleRequest> asked = request_of(context, *this, source->name);
  if (!asked) return asked.error();
  Result<Sample> sample = sample::make_sample(source->table, *known, *asked);
  if (!sample) return sample.error();
  sample->info.name = name;
  sample->info.created_unix_us = SystemClock().unix_us();
  Result<std::string> id = store->save_sample(*sample);
  if (!id) return id.error();
  sample->info.id = std::move(*id);
  return end_with(report::render_sample(*chosen, *sample, render_options(context, output)), output);
}

}  // namespace

Verb sample_verb() {
  return {"sample", "Draw functions by how often code calls them, as the study did",
          "Examples:\n"
          "  seamark sample\n"
          "  seamark sample --seed 7 --name autumn --framework torch\n"
          "  seamark sample --population all --per-decile 10 -o sample.csv\n"
          "  seamark sample --replace 'torch.cuda.nccl.init:needs two GPUs'\n"
          "  seamark run --sample",
          make_command<SampleCommand>};
}

}  // namespace seamark::cli
