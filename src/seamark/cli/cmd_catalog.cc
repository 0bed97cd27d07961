// `seamark catalog`: every function of a framework, what a version changed, what the suites cover.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "seamark/agent/agent_error.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/gather.h"
#include "seamark/catalog/names.h"
#include "seamark/catalog/rows.h"
#include "seamark/cli/case_listing.h"
#include "seamark/cli/catalogue_files.h"
#include "seamark/cli/context.h"
#include "seamark/cli/declared.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/shipped_usage.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/build/catalog_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

Formats catalogue_formats() { return report::documents_and({Format::kJson, Format::kCsv, Format::kJsonl}); }
Formats other_formats() { return report::documents_and({Format::kJson, Format::kCsv}); }

class CatalogCommand final : public Command {
 public:
  explicit CatalogCommand(Options& options) {
    options.targets(selection, "Whose frameworks to walk (default: the baseline of each, such as torch/cpu)");
    options.python(selection);
    options.store(selection);
    options.flag("--coverage", coverage, "Say of every function whether suites cover it, or why they cannot");
    options
        .value("--diff", diff, "OLD NEW",
               "What NEW adds, removes, renames and deprecates; each is a stored FRAMEWORK==VERSION or a "
               "file of JSON lines")
        .takes(2, 2)
        .excludes({"--coverage"});
    options
        .flag("--declared", declared,
              "Say for which devices the frameworks name kernels for what the curated cases call")
        .excludes({"--coverage", "--diff"});
    options.suites(selection, "With --declared: whose core cases (default: curated)");
    options.value("--usage", usage, "FILE|LABEL",
                  "With --coverage: whose calls weigh: a CSV of `seamark usage`, a corpus of the store, or "
                  "shipped (default: the store's latest corpus, else shipped)");
    options.flag("--refresh", refresh, "With --coverage: walk again, whatever the store holds");
    options.output(format, output, catalogue_formats(), "; jsonl of one catalogue");
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  bool coverage = false;
  bool refresh = false;
  bool declared = false;
  std::string usage;
  std::vector<std::string> diff;  // none or two: OLD, NEW
  std::string format;             // empty: by the output's name
  std::string output;
};

// One target per framework and interpreter.
struct Walkable {
  const TargetEntry* entry = nullptr;
  target::Interpreter interpreter;
};

class CatalogSession {
 public:
  CatalogSession(Context& context, const CatalogCommand& command, Settings settings, Format format)
      : context_(context),
        format_(format),
        command_(command),
        settings_(std::move(settings)),
        doctor_(doctor_of(context_, settings_)),
        line_(STDERR_FILENO, context.err, clock_) {}

  Result<ExitCode> run() {
    if (Status status = choose(); !status) return status.error();
    Result<store::Store> store = open_for_writing(context_, settings_.store);
    if (!store) return store.error();
    if (Status status = collect(*store); !status) return status.error();
    return command_.coverage ? print_coverage(*store) : print_catalogues();
  }

 private:
  [[nodiscard]] std::filesystem::path data() const { return context_.home / "data" / "catalog"; }

  // Without --target: the baseline of each framework that has rules.
  Status choose() {
    std::vector<std::string> wanted = settings_.targets;
    const bool asked = !wanted.empty();
    if (!asked) wanted = baselines_with(context_, "catalog");
    const auto entries = context_.registry.select(wanted);
    if (!entries) return entries.error();
    std::set<std::pair<std::string, std::string>> seen;
    for (const TargetEntry* entry : *entries) {
      const auto found = usable_python(doctor_, *entry);
      if (!found) {
        missing_.push_back(fmt::format("{}: there is no Python for it here", entry->name));
        continue;
      }
      if (seen.emplace(entry->parts.framework, found->path).second) walkable_.push_back({entry, *found});
    }
    if (!walkable_.empty()) return {};
    return Error(CliError::kEnvironment, join(missing_, "\n  "),
                 fmt::format("`{}`, or name one with --python",
                             install_command(context_, baselines_with(context_, "catalog"))));
  }

  Status collect(store::Store& store) {
    std::optional<Error> first;
    for (const Walkable& one : walkable_) {
      Result<catalog::Rules> rules = catalog::Rules::load(data(), one.entry->parts.framework);
      if (!rules) return rules.error();
      Result<Catalogue> catalogue = obtain(store, one, *rules);
      if (catalogue) {
        listed_by_.push_back(one);
        walked_.push_back({std::move(*catalogue), std::move(*rules)});
        continue;
      }
      const bool elsewhere = catalogue.error().is(agent::AgentError::kFailed);  // not this framework's Python
      if (!elsewhere) return catalogue.error();
      missing_.push_back(fmt::format("{}: {}", one.entry->name, catalogue.error().message()));
      if (!first) first = catalogue.error();
    }
    if (walked_.empty() && first)
      return Error(CliError::kEnvironment, first->message(), "see `seamark targets`");
    if (!context_.common.quiet) {
      for (const std::string& note : missing_) line_.print(note);
    }
    return {};
  }

  // A coverage takes the stored catalogue, when there is one; everything else walks.
  Result<Catalogue> obtain(store::Store& store, const Walkable& one, const catalog::Rules& rules) {
    if (command_.coverage && !command_.refresh && settings_.python.empty()) {
      Result<Catalogue> stored = store.catalogue(rules.framework);
      if (stored && stored->head.rule_version == rules.rule_version) return stored;
      if (!stored && !stored.error().is(store::StoreError::kNoSuchCatalogue)) return stored.error();
    }
    if (!context_.common.quiet) line_.show(fmt::format("walking the modules of {} ...", rules.framework));
    Result<Catalogue> catalogue =
        catalog::gather(agent_program(context_, *one.entry, one.interpreter), rules, clock_.unix_us());
    line_.clear();
    if (!catalogue) return catalogue.error();
    if (Status saved = store.save_catalogue(*catalogue); !saved) return saved.error();
    return catalogue;
  }

  Result<ExitCode> print_catalogues() {
    if (format_ != Format::kJsonl) {
      const report::RenderOptions options = render_options(context_, command_.output);
      return end_with(report::render_catalogues(format_, walked_, options), command_.output);
    }
    if (walked_.size() != 1)
      return Error(CliError::kUsage, "JSON lines hold one catalogue", "choose one with --target");
    return end_with(catalog::encode_rows(walked_.front().catalogue), command_.output);
  }

  Result<ExitCode> print_coverage(store::Store& store) {
    const Result<std::vector<store::FunctionEvidence>> evidence = store.function_evidence();
    if (!evidence) return evidence.error();
    const Result<UsageSource> usage = usage_for(context_, store, command_.usage);
    if (!usage) return usage.error();
    std::vector<report::CoveredCatalogue> covered;
    for (std::size_t i = 0; i < walked_.size(); ++i) {
      const report::WalkedCatalogue& one = walked_[i];
      report::CoveredCatalogue result;
      const std::vector<CaseInfo> cases = list(one.rules, listed_by_[i], result.not_listed);
      result.coverage = catalog::cover(one.catalogue, one.rules, cases, *evidence, usage->table.rows);
      result.usage = usage->name;
      result.frozen = report::frozen_note(one.catalogue, one.rules);
      covered.push_back(std::move(result));
    }
    const report::RenderOptions options = render_options(context_, command_.output);
    return end_with(report::render_coverage(format_, covered, options), command_.output);
  }

  // Each suite by itself: one that cannot be listed here hides no other.
  std::vector<CaseInfo> list(const catalog::Rules& rules, const Walkable& one,
                             std::vector<std::string>& notes) {
    std::vector<CaseInfo> cases;
    for (const std::string& suite : rules.suites) {
      if (!context_.common.quiet) line_.show(fmt::format("listing {} of {} ...", suite, rules.framework));
      const std::vector<std::string> suites = {suite};
      CaseListing listing(context_, suites);
      const auto listed = listing.of(*one.entry, one.interpreter);
      line_.clear();
      if (!listed) {
        notes.push_back(fmt::format("suite {} cannot be listed: {}", suite, listed.error().message()));
        continue;
      }
      cases.insert(cases.end(), listed->begin(), listed->end());
    }
    return cases;
  }

  Context& context_;
  Format format_;
  const CatalogCommand& command_;
  Settings settings_;
  target::Doctor doctor_;
  SystemClock clock_;
  LiveLine line_;
  std::vector<Walkable> walkable_;
  std::vector<Walkable> listed_by_;  // parallel to walked_
  std::vector<report::WalkedCatalogue> walked_;
  std::vector<std::string> missing_;
};

// A file of JSON lines; or FRAMEWORK==VERSION or VERSION of a catalogue in the store; +cpu may be left out.
Result<Catalogue> find_catalogue(const Settings& settings, const std::string& what) {
  std::error_code error;
  if (std::filesystem::is_regular_file(what, error)) return read_catalogue(what);
  Result<store::Store> store = store::Store::open(settings.store, store::OpenMode::kRead);
  if (!store) {
    return Error(CliError::kUsage,
                 fmt::format("'{}' is no file, and there is no store to look for it: {}", what,
                             store.error().message()),
                 "give files that `seamark catalog --format jsonl -o FILE` wrote, or a store with --store");
  }
  const Result<std::vector<CatalogueHead>> heads = store->catalogues();
  if (!heads) return heads.error();
  std::vector<std::string> names;
  for (const CatalogueHead& head : *heads) names.push_back(head.framework + "==" + head.version);
  std::vector<const CatalogueHead*> found;
  const auto find = [&](auto text_of) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (what == text_of(names[i]) || what == text_of((*heads)[i].version)) found.push_back(&(*heads)[i]);
    }
  };
  find([](std::string_view text) { return text; });
  if (found.empty()) find(catalog::public_version);
  if (found.size() == 1) return store->catalogue(found.front()->framework, found.front()->version);
  return Error(
      CliError::kUnknownName,
      fmt::format("'{}' is no file and {} in {}", what,
                  found.empty() ? "no catalogue" : "the version of several catalogues", settings.store),
      names.empty() ? "`seamark catalog` makes one" : "there is: " + join(names, ", "));
}

Result<ExitCode> print_diff(const Context& context, const CatalogCommand& command, const Settings& settings,
                            Format format) {
  const Result<Catalogue> before = find_catalogue(settings, command.diff.at(0));
  if (!before) return before.error();
  const Result<Catalogue> after = find_catalogue(settings, command.diff.at(1));
  if (!after) return after.error();
  if (before->head.framework != after->head.framework) {
    return Error(CliError::kUsage,
                 fmt::format("{} cannot be compared with {}", before->head.framework, after->head.framework));
  }
  return end_with(report::render_diff(format, catalog::diff(*before, *after), before->head, after->head,
                                      render_options(context, command.output)),
                  command.output);
}

Result<ExitCode> CatalogCommand::run(Context& context) const {
  const bool catalogues = !coverage && !declared && diff.empty();
  const Result<Format> chosen =
      format_for(context, format, output, catalogues ? catalogue_formats() : other_formats());
  if (!chosen) return chosen.error();
  Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  if (!diff.empty()) return print_diff(context, *this, *settings, *chosen);
  if (declared) return print_declared(context, *settings, *chosen, output);
  return CatalogSession(context, *this, std::move(*settings), *chosen).run();
}

}  // namespace

Verb catalog_verb() {
  return {"catalog", "List every function of a framework, and what the suites cover",
          "Examples:\n"
          "  seamark catalog\n"
          "  seamark catalog --target jax/cpu --format jsonl -o jax.jsonl\n"
          "  seamark catalog --diff jax==0.4.30 jax==0.10.2\n"
          "  seamark catalog --coverage\n"
          "  seamark catalog --declared",
          make_command<CatalogCommand>};
}

}  // namespace seamark::cli
