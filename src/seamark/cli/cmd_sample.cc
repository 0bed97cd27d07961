// `seamark sample`: functions drawn by how often code calls them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/rows.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/sample_text.h"
#include "seamark/cli/store_writing.h"
#include "seamark/sample/make_sample.h"
#include "seamark/sample/usage_file.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

constexpr std::string_view kShipped = "shipped";

struct UsageSource {
  UsageTable table;
  std::string name;  // as the sample records it: no path of this machine
};

Result<UsageSource> read_csv(const Context& context, const std::filesystem::path& file, std::string name) {
  const Result<std::string> text = read_file(file);
  if (!text) return Error(CliError::kUsage, text.error().message(), "name a CSV that `seamark usage` wrote");
  Result<UsageTable> table = sample::parse_usage_csv(*text, file.native(), context.registry.frameworks());
  if (!table) return table.error();
  // What it holds decides, not where it lies.
  return UsageSource{std::move(*table), fmt::format("{} ({})", name, to_hex(fnv1a64(*text)))};
}

Result<UsageSource> shipped(const Context& context) {
  return read_csv(context, context.home / "data" / "usage" / "calls.csv", std::string(kShipped));
}

Result<UsageSource> corpus(store::Store& store, const std::optional<std::string>& label) {
  Result<UsageTable> table = store.usage(label);
  if (!table) return table.error();
  std::string name = fmt::format("corpus {}", table->corpus);
  return UsageSource{std::move(*table), std::move(name)};
}

Result<UsageSource> usage_for(const Context& context, store::Store& store, const SampleCommand& command) {
  const std::string& wanted = command.usage;
  if (wanted == kShipped) return shipped(context);
  std::error_code error;
  if (!wanted.empty() && std::filesystem::is_regular_file(wanted, error)) {
    return read_csv(context, wanted, std::filesystem::path(wanted).filename().native());
  }
  const Result<std::vector<store::UsageCorpus>> corpora = store.usage_corpora();
  if (!corpora) return corpora.error();
  if (wanted.empty()) return corpora->empty() ? shipped(context) : corpus(store, std::nullopt);
  std::vector<std::string> labels;
  for (const store::UsageCorpus& one : *corpora) labels.push_back(one.label);
  if (std::find(labels.begin(), labels.end(), wanted) != labels.end()) return corpus(store, wanted);
  return Error(
      CliError::kUnknownName,
      fmt::format("'{}' is no file, and {} holds no corpus of that name", wanted, store.file().native()),
      labels.empty() ? "leave --usage out, or count one with `seamark usage`"
                     : "it holds: " + join(labels, ", "));
}

// Those of the files, else of the store.
Result<std::vector<Catalogue>> catalogues_for(store::Store& store, const SampleCommand& command) {
  std::vector<Catalogue> all;
  for (const std::string& file : command.catalogues) {
    const Result<std::string> text = read_file(file);
    if (!text)
      return Error(CliError::kUsage, text.error().message(), "`seamark catalog -o FILE.jsonl` writes one");
    Result<Catalogue> catalogue = catalog::decode_rows(*text);
    if (!catalogue) {
      return Error(CliError::kUsage, fmt::format("{}: {}", file, catalogue.error().message()),
                   catalogue.error().remedy());
    }
    for (const Catalogue& other : all) {
      if (other.head.framework != catalogue->head.framework) continue;
      return Error(CliError::kUsage, fmt::format("two catalogues of {} are given", other.head.framework),
                   "give one per framework");
    }
    all.push_back(std::move(*catalogue));
  }
  if (!all.empty()) return all;
  const Result<std::vector<CatalogueHead>> heads = store.catalogues();
  if (!heads) return heads.error();
  for (const CatalogueHead& head : *heads) {  // the one that was taken last first
    const bool known = std::any_of(
        all.begin(), all.end(), [&](const Catalogue& one) { return one.head.framework == head.framework; });
    if (known) continue;
    Result<Catalogue> stored = store.catalogue(head.framework, head.version);
    if (!stored) return stored.error();
    all.push_back(std::move(*stored));
  }
  return all;
}

Result<sample::SampleRequest> request_of(const Context& context, const SampleCommand& command,
                                         std::string usage) {
  sample::SampleRequest request;
  request.known = context.registry.frameworks();
  request.usage = std::move(usage);
  request.all = command.population == "all";
  request.frameworks = command.frameworks;
  request.draw.seed = static_cast<std::uint64_t>(command.seed);
  request.draw.top = command.top;
  request.draw.per_decile = command.per_decile;
  request.draw.by = sample::frequency_from(command.by).value_or(sample::Frequency::kCalls);
  if (command.never_seen && !request.all) {
    return Error(CliError::kUsage, "--never-seen goes with --population all",
                 "add it, or leave --never-seen out");
  }
  if (request.all) request.draw.never_seen = command.never_seen.value_or(command.per_decile);
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

std::string rendered(const Context& context, const std::string& output, Format format, const Sample& sample) {
  if (format == Format::kJson) return sample_json(sample);
  if (format == Format::kCsv) return sample_csv(sample);
  return sample_text(sample, render_options(context, output));
}

}  // namespace

Result<ExitCode> run_sample(Context& context, const SampleCommand& command) {
  const Result<Format> format =
      choose_format(command.format, command.output, {Format::kTerminal, Format::kJson, Format::kCsv});
  if (!format) return format.error();
  Settings settings = context.settings;
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  Result<store::Store> store = open_for_writing(context, settings.store);
  if (!store) return store.error();
  Result<UsageSource> usage = usage_for(context, *store, command);
  if (!usage) return usage.error();
  const Result<std::vector<Catalogue>> catalogues = catalogues_for(*store, command);
  if (!catalogues) return catalogues.error();
  const Result<sample::SampleRequest> request = request_of(context, command, usage->name);
  if (!request) return request.error();
  Result<Sample> sample = sample::make_sample(usage->table, *catalogues, *request);
  if (!sample) return sample.error();
  sample->info.name = command.name;
  sample->info.created_unix_us = SystemClock().unix_us();
  Result<std::string> id = store->save_sample(*sample);
  if (!id) return id.error();
  sample->info.id = std::move(*id);
  if (Status status = write_output(rendered(context, command.output, *format, *sample), command.output);
      !status) {
    return status.error();
  }
  return ExitCode::kDone;
}

}  // namespace seamark::cli
