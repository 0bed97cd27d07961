// `seamark usage`: how often the Python code of a corpus calls each function.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>  // defines __GLIBC__
#include <optional>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/run_slicing.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/usage_catalogues.h"
#include "seamark/cli/usage_counting.h"
#include "seamark/cli/usage_on_engine.h"
#include "seamark/cli/usage_parquet.h"
#include "seamark/cli/verbs.h"
#include "seamark/model/slice.h"
#include "seamark/model/target_name.h"
#include "seamark/proc/memory.h"
#include "seamark/report/build/usage_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/number_text.h"
#include "seamark/store/store.h"
#include "seamark/target/python_search.h"
#include "seamark/usage/input/corpus.h"
#include "seamark/usage/input/url_name.h"
#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/paper_scanner.h"
#include "seamark/usage/scan/scanner.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kLossesShown = 10;
constexpr std::size_t kLossesInJson = 5000;

Formats usage_formats() { return report::documents_and({Format::kCsv, Format::kJson, Format::kParquet}); }

class UsageCommand final : public Command {
 public:
  explicit UsageCommand(Options& options) {
    options.argument(
        "INPUT", inputs,
        "JSON lines (plain, gz, zstd), Parquet, .py and .ipynb files, folders of them, URLs of shards, - for "
        "standard input");
    options.value("--framework", frameworks, "FRAMEWORK",
                  "Print only this framework (default: all; all are counted)");
    options.value(
        "--catalogue", catalogues, "FILE",
        "A catalogue of `seamark catalog --format jsonl` (default: the store's newest of each framework)");
    options
        .value("--protocol", protocol, "NAME",
               "names, or paper: any identifier of a function's bare name, as the study counted (default: "
               "names)")
        .one_of({"names", "paper"});
    options
        .value("--kind", kind, "KIND", "What the inputs are: jsonl, parquet or files (default: as they look)")
        .one_of({"jsonl", "parquet", "files"});
    options.value("--content-key", corpus.content_key, "KEY",
                  "Key or column of the source text (default: content)");
    options.value("--repository-key", corpus.repository_key, "KEY",
                  "Key or column of the repository (default: repo_name)");
    options.value("--path-key", corpus.path_key, "KEY", "Key or column of the path (default: path)");
    options.value("-j,--threads", threads, "N", "Threads that count (default: the usable cores)")
        .within(1, 256);
    options.flag("--possible", possible,
                 "Also count methods called on objects of unknown type: at least and at most");
    options.flag("--strict", corpus.strict, "Stop at the first thing that cannot be counted");
    options.flag("--refresh", refresh, "Count again what the store has");
    options.value("--label", label, "NAME",
                  "What the corpus is called in the store (default: after the inputs)");
    options.value("--slice", slice, "I/N",
                  "Count only the Ith of N parts of the shards; `seamark merge` joins them (docs/scale.md)");
    options
        .value("--engine", engine, "ENGINE",
               "ray: count on the machines of a Ray cluster, which see the inputs under the same names")
        .one_of({"ray"})
        .excludes({"--slice"});
    options.value("--address", address, "ADDRESS",
                  "Of --engine: the cluster's, or auto (default: one on this machine)");
    options.store(selection);
    options.value("--top", top, "N", "Functions listed of each framework (default: 20)").within(0, 1'000'000);
    options.output(format, output, usage_formats());
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  std::vector<std::string> inputs;      // none: report what the store holds
  std::vector<std::string> frameworks;  // empty: all
  std::vector<std::string> catalogues;  // files
  std::string kind;                     // jsonl, parquet, files; empty: detect
  std::string protocol = "names";       // names, paper
  usage::CorpusOptions corpus;          // its keys, and whether it is strict
  std::string label;                    // empty: from the inputs
  std::optional<std::int64_t> threads;
  std::string slice;    // I/N; empty: everything
  std::string engine;   // ray; empty: this machine
  std::string address;  // of a cluster; empty: this machine's own
  std::int64_t top = 20;
  bool refresh = false;
  bool possible = false;
  std::string format;  // empty: by the output's name
  std::string output;
};

usage::InputKind kind_from(const std::string& name) {
  if (name == "jsonl") return usage::InputKind::kJsonl;
  if (name == "parquet") return usage::InputKind::kParquet;
  if (name == "files") return usage::InputKind::kFiles;
  return usage::InputKind::kDetect;
}

// Bare names do not say whose they are.
Status check_columns(Format format, std::string_view protocol, std::size_t frameworks) {
  if (protocol != "paper" || frameworks == 1) return {};
  if (format != Format::kCsv && format != Format::kParquet) return {};
  return Error(CliError::kUsage,
               "bare names of several frameworks cannot share a table without a framework column",
               "choose one with --framework, or say --format json");
}

// Threads allocate elsewhere than where the catalogues were read: what that has left would lie idle.
void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// What finds names, and what it was made from.
struct Finding {
  std::optional<usage::Vocabulary> vocabulary;
  std::optional<usage::BareNames> bare;
  usage::MakeFinder make;
  std::vector<Framework> frameworks;
  std::string hash;
  std::map<std::string, std::string, std::less<>> versions;
};

class UsageSession {
 public:
  UsageSession(Context& context, const UsageCommand& command, Settings settings)
      : context_(context),
        command_(command),
        settings_(std::move(settings)),
        line_(STDERR_FILENO, context.err, clock_) {}

  Result<ExitCode> run() {
    const Result<Format> format = format_for(context_, command_.format, command_.output, usage_formats());
    if (!format) return format.error();
    if (*format == Format::kParquet && !is_file(command_.output))
      return Error(CliError::kUsage, "Parquet is not written to standard output", "name a file with -o");
    for (const std::string& name : command_.frameworks) {
      if (Status known = check_framework(context_, name); !known) return known.error();
    }
    if (Status good = check_slice(); !good) return good.error();
    if (command_.inputs.empty()) return report_stored(*format);
    if (Status fits = check_columns(*format, command_.protocol, command_.frameworks.size()); !fits)
      return fits.error();
    Result<store::Store> store = open_for_writing(context_, settings_.store);
    if (!store) return store.error();
    Result<ExitCode> counted = count(*store);
    line_.clear();
    if (!counted || *counted == ExitCode::kInterrupted) return counted;
    if (Status written = write(*store, *format, label_); !written) return written.error();
    return *counted;
  }

 private:
  [[nodiscard]] std::filesystem::path rules() const { return context_.home / "data" / "usage"; }

  void note(std::string_view text) {
    if (!context_.common.quiet) line_.print(text);
  }

  Result<ExitCode> report_stored(Format format) {
    Result<store::Store> store = store::Store::open(settings_.store, store::OpenMode::kRead);
    if (!store) {
      if (!store.error().is(store::StoreError::kMissing)) return store.error();
      return Error(CliError::kUsage, "no input, and no store to report from: " + store.error().message(),
                   "name files, folders or - for standard input, or a store with --store");
    }
    const std::optional<std::string> label =
        command_.label.empty() ? std::nullopt : std::optional(command_.label);
    if (Status written = write(*store, format, label); !written) return written.error();
    return ExitCode::kDone;
  }

  // --- counting

  Result<ExitCode> count(store::Store& store) {
    if (Status ready = prepare(store); !ready) return ready.error();
    give_back_memory();
    usage::CountOptions options;
    options.corpus = corpus_options();
    options.frameworks = finding_.frameworks;
    options.threads = threads();
    Result<std::vector<usage::Shard>> shards = usage::find_shards(inputs_, options.corpus);
    if (!shards) return shards.error();
    if (shards->empty()) {
      return Error(CliError::kNothing, fmt::format("there is no Python in {}", join(shown_inputs(), ", ")),
                   "see docs/usage.md for what is read, or say what it is with --kind");
    }
    const Result<store::UsageBegin> begun = begin(store, *shards);
    if (!begun) return begun.error();
    std::vector<std::size_t> open = open_shards(*begun);
    if (slice_) std::erase_if(open, [this](std::size_t position) { return !slice_->takes(position); });
    if (Status whole = check_strict(store); !whole) return whole.error();
    if (!command_.engine.empty()) return count_with_engine(store, begun->corpus, *shards, std::move(open));
    return count_open(store, begun->corpus, *shards, std::move(open), options);
  }

  Status check_slice() {
    if (!command_.address.empty() && command_.engine.empty())
      return Error(CliError::kUsage, "--address is of --engine");
    inputs_ = command_.inputs;
    if (!command_.engine.empty()) {
      for (std::string& input : inputs_) {
        if (input == "-")
          return Error(CliError::kUsage, "other machines do not see this standard input",
                       "name files or URLs");
        if (!usage::is_url(input)) input = std::filesystem::absolute(input).native();
      }
    }
    if (command_.slice.empty()) return {};
    const Result<Slice> slice = slice_named(command_.slice);
    if (!slice) return slice.error();
    slice_ = *slice;
    return {};
  }

  Status prepare(store::Store& store) {
    Result<usage::Vocabulary> vocabulary = usage::Vocabulary::load(rules());
    if (!vocabulary) return vocabulary.error();
    std::vector<std::string> names;
    for (const Framework& framework : vocabulary->frameworks()) {
      finding_.frameworks.push_back(framework);
      names.push_back(framework.name);
    }
    Result<UsageCatalogues> found = find_usage_catalogues(store, command_.catalogues, names);
    if (!found) return found.error();
    finding_.versions = std::move(found->versions);
    if (command_.protocol == "paper") return prepare_paper(*found);
    if (!found->missing.empty()) {
      note(fmt::format(
          "no catalogue of {}: names are counted as they were imported; `seamark catalog` makes one",
          join(found->missing, ", ")));
    }
    vocabulary->add(std::move(found->catalogues));
    finding_.hash = vocabulary->hash();
    finding_.vocabulary = std::move(*vocabulary);
    finding_.make = usage::resolving_finder(*finding_.vocabulary, command_.possible);
    return {};
  }

  Status prepare_paper(const UsageCatalogues& found) {
    if (found.catalogues.empty()) {
      return Error(CliError::kEnvironment, "without a catalogue there are no names to count as the study did",
                   "`seamark catalog` makes one; or name one with --catalogue");
    }
    finding_.bare.emplace(finding_.frameworks, found.catalogues);
    finding_.hash = finding_.bare->hash();
    finding_.make = usage::bare_finder(*finding_.bare);
    return {};
  }

  [[nodiscard]] usage::CorpusOptions corpus_options() const {
    usage::CorpusOptions options = command_.corpus;
    options.kind = kind_from(command_.kind);
    options.python = target::seamark_python();
    options.imports_only = !finding_.bare;  // the study's filter also lets through what imports nothing
    for (const Framework& framework : finding_.frameworks) options.needles.push_back(framework.module);
    return options;
  }

  [[nodiscard]] std::vector<std::string> shown_inputs() const {
    std::vector<std::string> shown = inputs_;
    for (std::string& input : shown) {
      if (usage::is_url(input)) input = usage::without_secrets(input);
    }
    return shown;
  }

  [[nodiscard]] int threads() const {
    if (command_.threads) return static_cast<int>(*command_.threads);
    if (settings_.jobs > 0) return settings_.jobs;
    return proc::usable_cpus();
  }

  // What decides, besides the names, what is counted of a shard.
  [[nodiscard]] std::string options_text() const {
    const usage::CorpusOptions options = corpus_options();
    Value value;
    value.set("kind", command_.kind.empty() ? "detect" : command_.kind);
    value.set("content", options.content_key);
    value.set("repository", options.repository_key);
    value.set("path", options.path_key);
    value.set("max_line_bytes", static_cast<std::int64_t>(options.max_line_bytes));
    value.set("max_bytes", static_cast<std::int64_t>(options.max_bytes));
    if (command_.possible) value.set("possible", true);
    return dump_json(value);
  }

  Result<store::UsageBegin> begin(store::Store& store, const std::vector<usage::Shard>& shards) {
    label_ = command_.label;
    if (label_.empty()) {
      label_ = label_of_inputs(shown_inputs());
      if (command_.protocol == "paper") label_ += ", as the study counted";
    }
    store::UsageCorpus corpus;
    corpus.label = label_;
    corpus.protocol = command_.protocol;
    corpus.vocabulary = finding_.hash;
    corpus.options = options_text();
    corpus.catalogues = finding_.versions;
    corpus.inputs = shown_inputs();
    corpus.planned = static_cast<std::int64_t>(shards.size());
    corpus.started_unix_us = clock_.unix_us();
    std::vector<std::string> identities;
    for (const usage::Shard& shard : shards) {
      identities.push_back(command_.refresh ? std::string() : shard.identity);
    }
    return store.begin_usage(corpus, identities);
  }

  // The shards that are to be counted; the others are in the store already.
  std::vector<std::size_t> open_shards(const store::UsageBegin& begun) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < begun.counted.size(); ++i) {
      if (!begun.counted[i]) open.push_back(i);
    }
    if (open.size() < begun.counted.size()) {
      note(fmt::format("{} of {} counted before", begun.counted.size() - open.size(),
                       report::plural(static_cast<std::int64_t>(begun.counted.size()), "shard")));
    }
    return open;
  }

  // What was lost when it was counted before is lost now.
  Status check_strict(store::Store& store) {
    if (!command_.corpus.strict) return {};
    const Result<std::vector<UsageLoss>> losses = store.usage_losses(label_, 1);
    if (!losses) return losses.error();
    if (losses->empty()) return {};
    return Error(usage::UsageError::kLost, report::loss_line(losses->front()),
                 "mend it, or leave out --strict: what is whole is counted then");
  }

  Result<ExitCode> count_open(store::Store& store, std::int64_t corpus,
                              const std::vector<usage::Shard>& shards, std::vector<std::size_t> open,
                              const usage::CountOptions& options) {
    std::vector<usage::Shard> wanted;
    for (const std::size_t index : open) wanted.push_back(shards[index]);
    proc::Signals signals;
    UsageCounting counting(store, corpus, std::move(open), line_, signals, clock_, context_.common.quiet);
    const Result<usage::CountEnd> end = usage::count_shards(wanted, options, finding_.make, counting);
    line_.clear();
    if (!end) return end.error();
    if (*end == usage::CountEnd::kStopped) {
      line_.print(fmt::format("stopped: {} of {} are counted; the same command goes on",
                              shards.size() - wanted.size() + counting.saved(),
                              report::plural(static_cast<std::int64_t>(shards.size()), "shard")));
      return ExitCode::kInterrupted;
    }
    // Of a slice, the merge says when all are there.
    if (counting.failed() == 0 && !slice_) {
      if (Status finished = store.finish_usage(corpus); !finished) return finished.error();
    }
    return say_what_was_counted(store, counting);
  }

  // --- on more machines than this one

  // What each of them does, but for its slice and its store.
  [[nodiscard]] std::vector<std::string> command_of_nodes() const {
    std::vector<std::string> argv = {"usage", "--quiet", "--no-config", "--threads", "1", "--top", "0"};
    for (const auto& [flag, value] : {std::pair<const char*, std::string>("--label", label_),
                                      {"--protocol", command_.protocol},
                                      {"--content-key", command_.corpus.content_key},
                                      {"--path-key", command_.corpus.path_key},
                                      {"--repository-key", command_.corpus.repository_key},
                                      {"--kind", command_.kind}}) {
      if (!value.empty()) argv.insert(argv.end(), {flag, value});
    }
    for (const std::string& file : command_.catalogues)
      argv.insert(argv.end(), {"--catalogue", std::filesystem::absolute(file).native()});
    if (command_.possible) argv.emplace_back("--possible");
    return argv;
  }

  Result<ExitCode> count_with_engine(store::Store& store, std::int64_t corpus,
                                     const std::vector<usage::Shard>& shards, std::vector<std::size_t> open) {
    EngineCount count;
    count.corpus = corpus;
    count.shards = shards;
    count.open = std::move(open);
    count.command = command_of_nodes();
    count.inputs = inputs_;
    count.address = command_.address;
    if (command_.catalogues.empty()) count.catalogues = finding_.versions;
    const Result<bool> interrupted = count_on_engine(context_, store, line_, count);
    line_.clear();
    if (!interrupted) return interrupted.error();
    const Result<store::UsageCorpus> counted = store.usage_corpus(label_);
    if (!counted) return counted.error();
    const std::int64_t missing = counted->planned - counted->shards;
    if (missing == 0) {
      if (Status finished = store.finish_usage(corpus); !finished) return finished.error();
    } else {
      line_.print(fmt::format("{} of {} are not counted; the same command goes on", missing,
                              report::plural(static_cast<std::int64_t>(shards.size()), "shard")));
    }
    if (*interrupted) return ExitCode::kInterrupted;
    const Result<ExitCode> said = say_losses(store);
    return !said || missing == 0 ? said : ExitCode::kEnvironment;
  }

  Result<ExitCode> say_what_was_counted(store::Store& store, const UsageCounting& counting) {
    const double seconds = std::max(counting.wall_s(), 1e-9);
    if (counting.saved() > 0) {
      note(fmt::format("{} counted in {}: {}, {:.2f} s CPU",
                       format_bytes(static_cast<std::uint64_t>(counting.bytes())), format_duration(seconds),
                       byte_rate(static_cast<double>(counting.bytes()), seconds), counting.cpu_s()));
    }
    const Result<ExitCode> said = say_losses(store);
    return !said || counting.failed() == 0 ? said : ExitCode::kEnvironment;
  }

  Result<ExitCode> say_losses(store::Store& store) {
    const Result<store::UsageCorpus> corpus = store.usage_corpus(label_);
    if (!corpus) return corpus.error();
    if (Status said = say_troubles(store, "repaired", corpus->repaired); !said) return said.error();
    if (Status said = say_troubles(store, "lost", corpus->losses); !said) return said.error();
    return corpus->losses == 0 ? ExitCode::kDone : ExitCode::kEnvironment;
  }

  Status say_troubles(store::Store& store, std::string_view what, std::int64_t count) {
    if (count == 0) return {};
    const Result<std::vector<UsageLoss>> first = store.usage_losses(label_, kLossesShown, what == "repaired");
    if (!first) return first.error();
    for (const UsageLoss& one : *first) line_.print(fmt::format("{}: {}", what, report::loss_line(one)));
    const auto listed = static_cast<std::int64_t>(first->size());
    if (count > listed) line_.print(fmt::format("{}: {} more", what, report::count_text(count - listed)));
    return {};
  }

  // --- results

  Status write(store::Store& store, Format format, const std::optional<std::string>& label) {
    report::UsageView view;
    Result<store::UsageCorpus> corpus = store.usage_corpus(label);
    if (!corpus) return corpus.error();
    view.corpus = std::move(*corpus);
    Result<UsageTable> table = store.usage(view.corpus.label);
    if (!table) return table.error();
    view.table = std::move(*table);
    keep_frameworks(view.table);
    if (Status fits = check_columns(format, view.table.protocol, view.table.imports.size()); !fits)
      return fits;
    for (const bool repaired : {false, true}) {
      Result<std::vector<UsageLoss>> first = store.usage_losses(
          view.corpus.label, format == Format::kJson ? kLossesInJson : kLossesShown, repaired);
      if (!first) return first.error();
      (repaired ? view.repairs : view.losses) = std::move(*first);
    }
    const bool parquet = format == Format::kParquet;
    Result<std::string> text =
        report::render_usage(parquet ? Format::kCsv : format, view, static_cast<std::size_t>(command_.top),
                             render_options(context_, command_.output));
    if (parquet) text = usage_parquet(context_.home, *text);
    if (!text) return text.error();
    if (Status written = write_output(*text, command_.output); !written) return written;
    if (is_file(command_.output)) {
      note(fmt::format("{} written to {}",
                       report::plural(static_cast<std::int64_t>(view.table.rows.size()), "row"),
                       command_.output));
    }
    return {};
  }

  void keep_frameworks(UsageTable& table) const {
    if (command_.frameworks.empty()) return;
    const auto unwanted = [this](const auto& row) {
      return std::find(command_.frameworks.begin(), command_.frameworks.end(), row.framework) ==
             command_.frameworks.end();
    };
    std::erase_if(table.imports, unwanted);
    std::erase_if(table.rows, unwanted);
  }

  Context& context_;
  const UsageCommand& command_;
  Settings settings_;
  SystemClock clock_;
  LiveLine line_;
  Finding finding_;
  std::optional<Slice> slice_;
  std::vector<std::string> inputs_;  // as given; absolute where other machines read them
  std::string label_;
};

Result<ExitCode> UsageCommand::run(Context& context) const {
  Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  return UsageSession(context, *this, std::move(*settings)).run();
}

}  // namespace

Verb usage_verb() {
  return {"usage", "Count how often the Python code of a corpus calls each function",
          "Without an input: what the store holds, the corpus that was counted last or --label.\n\n"
          "Examples:\n"
          "  seamark usage corpus/*.json.gz -o usage.csv\n"
          "  seamark usage ~/src --framework torch --top 50\n"
          "  seamark usage 'hf://datasets/NAME/data/*.parquet'\n"
          "  zcat more.gz | seamark usage - --label more\n"
          "  seamark usage --format json -o usage.json",
          make_command<UsageCommand>};
}

}  // namespace seamark::cli
