#include "seamark/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "seamark/base/text.h"
#include "seamark/cli/help_formatter.h"
#include "seamark/cli/options_parts.h"
#include "seamark/cli/version.h"
#include "seamark/model/case_info.h"
#include "seamark/model/target_name.h"

namespace seamark::cli {
namespace {

// One word of a command as a shell would read it.
std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=+./:,@%").find(c) != std::string_view::npos;
  });
  return plain ? std::string(word) : "'" + replace_all(word, "'", "'\\''") + "'";
}

class Parser {
 public:
  Parser() : app_("Measures how portable the functions of PyTorch, TensorFlow and JAX are.", "seamark") {
    app_.formatter(help_formatter());
    app_.require_subcommand(1);
    app_.set_help_flag("-h,--help", "Print this help")->group("Common options");
    app_.set_version_flag("--version", fmt::format("seamark {}", version()), "Print the version")
        ->group("Common options");
    app_.add_option("--config", common_.config,
                    "Read this file (default: seamark.toml here or in a folder above)")
        ->type_name("FILE")
        ->group("Common options");
    app_.add_flag("--no-config", common_.no_config, "Read no seamark.toml")->group("Common options");
    app_.add_option("--color", color_, "auto, always or never (NO_COLOR and FORCE_COLOR are honoured)")
        ->type_name("WHEN")
        ->group("Common options")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    app_.add_flag("-q,--quiet", common_.quiet, "No progress and no summary, only results and errors")
        ->group("Common options");
    app_.footer("`seamark COMMAND --help` tells more of a command. Start with: seamark targets");
    add_targets();
    add_catalog();
    add_usage();
    add_sample();
    add_run();
    add_others();
  }

  Parsed parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return Answer{ExitCode::kDone, chosen_verb(app_).help()};
    } catch (const CLI::CallForVersion&) {
      return Answer{ExitCode::kDone, fmt::format("seamark {}\n", version())};
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        return Answer{ExitCode::kDone, chosen_verb(app_).help()};
      }
      return Answer{ExitCode::kUsage, complaint(app_, error.what(), argc)};
    }
    Invocation invocation;
    common_.color = color_ == "always"  ? ColorChoice::kAlways
                    : color_ == "never" ? ColorChoice::kNever
                                        : ColorChoice::kAuto;
    invocation.common = common_;
    invocation.command = command();
    for (int i = 0; i < argc; ++i) {
      invocation.as_typed += i == 0 ? "seamark" : " " + shell_word(argv[i]);
    }
    return invocation;
  }

 private:
  void add_targets() {
    CLI::App* sub = options::verb(
        app_, "targets", "List all targets: usable here or not, why not, and what would make them so",
        "Examples:\n"
        "  seamark targets\n"
        "  seamark targets --target 'torch/*' --python ~/venv/bin/python\n"
        "  seamark targets install torch-cpu jax-cpu");
    targets_verb_ = sub;
    options::add_targets_option(sub, targets_.selection, "Only these, by name or glob, e.g. 'jax/*'");
    options::add_python(sub, targets_.selection);
    sub->add_flag("--json", targets_.json, "Print JSON");
    sub->add_flag("--refresh", targets_.refresh, "Ask every environment again, whatever is known of it");
    sub->require_subcommand(0, 1);
    CLI::App* install = options::verb(
        *sub, "install", "Make environments, such as torch-cpu",
        "Each goes into a virtual environment of its own below the cache folder (SEAMARK_CACHE). What an\n"
        "interrupted installation left is gone on with.");
    install_verb_ = install;
    install->add_option("NAME", install_.names, "Environments to make")->required();
    install
        ->add_option("--python", install_.python, "The Python to build on (default: a fitting one on PATH)")
        ->type_name("PATH");
  }

  void add_catalog() {
    CLI::App* sub =
        options::verb(app_, "catalog", "List every function of a framework, and what the suites cover",
                      "Examples:\n"
                      "  seamark catalog\n"
                      "  seamark catalog --target jax/cpu --format jsonl -o jax.jsonl\n"
                      "  seamark catalog --diff jax==0.4.30 jax==0.10.2\n"
                      "  seamark catalog --coverage\n"
                      "  seamark catalog --declared");
    catalog_verb_ = sub;
    options::add_targets_option(
        sub, catalog_.selection,
        "Whose frameworks to walk (default: the baseline of each, such as torch/cpu)");
    options::add_python(sub, catalog_.selection);
    options::add_store(sub, catalog_.selection);
    CLI::Option* coverage = sub->add_flag(
        "--coverage", catalog_.coverage, "Say of every function whether suites cover it, or why they cannot");
    sub->add_option(
           "--diff", catalog_.diff,
           "What NEW adds, removes, renames and deprecates; each is a stored FRAMEWORK==VERSION or a "
           "file of JSON lines")
        ->type_name("OLD NEW")
        ->expected(2)
        ->excludes(coverage);
    sub->add_flag("--declared", catalog_.declared,
                  "Say for which devices the frameworks name kernels for what the curated cases call")
        ->excludes(coverage, "--diff");
    sub->add_option("--suite", catalog_.selection.suites,
                    "With --declared: whose core cases (default: curated)")
        ->type_name("SUITE");
    sub->add_flag("--refresh", catalog_.refresh, "With --coverage: walk again, whatever the store holds");
    sub->add_option("--format", catalog_.format,
                    "terminal, json, jsonl or csv (default: by the name of the output, else terminal)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"terminal", "json", "jsonl", "csv"}));
    sub->add_option("-o,--output", catalog_.output, "Write to this file")->type_name("FILE");
  }

  void add_usage() {
    CLI::App* sub = options::verb(
        app_, "usage", "Count how often the Python code of a corpus calls each function",
        "Without an input: what the store holds, the corpus that was counted last or --label.\n\n"
        "Examples:\n"
        "  seamark usage corpus/*.json.gz -o usage.csv\n"
        "  seamark usage ~/src --framework torch --top 50\n"
        "  zcat more.gz | seamark usage - --label more\n"
        "  seamark usage --format json -o usage.json");
    usage_verb_ = sub;
    sub->add_option(
        "INPUT", usage_.inputs,
        "JSON lines (plain, gz, zstd), Parquet, .py and .ipynb files, folders of them, - for standard "
        "input");
    sub->add_option("--framework", usage_.frameworks,
                    "Print only this framework (default: all; all are counted)")
        ->type_name("FRAMEWORK")
        ->allow_extra_args(false);
    sub->add_option(
           "--catalogue", usage_.catalogues,
           "A catalogue of `seamark catalog --format jsonl` (default: the store's newest of each framework)")
        ->type_name("FILE")
        ->allow_extra_args(false);
    sub->add_option(
           "--protocol", usage_.protocol,
           "names, or paper: any identifier of a function's bare name, as the study counted (default: names)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"names", "paper"}));
    sub->add_option("--kind", usage_.kind,
                    "What the inputs are: jsonl, parquet or files (default: as they look)")
        ->type_name("KIND")
        ->check(CLI::IsMember({"jsonl", "parquet", "files"}));
    sub->add_option("--content-key", usage_.content_key,
                    "Key or column of the source text (default: content)")
        ->type_name("KEY");
    sub->add_option("--repository-key", usage_.repository_key,
                    "Key or column of the repository (default: repo_name)")
        ->type_name("KEY");
    sub->add_option("--path-key", usage_.path_key, "Key or column of the path (default: path)")
        ->type_name("KEY");
    sub->add_option("-j,--threads", usage_.threads, "Threads that count (default: the usable cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
    sub->add_flag("--strict", usage_.strict, "Stop at the first thing that cannot be counted");
    sub->add_flag("--refresh", usage_.refresh, "Count again what the store has");
    sub->add_option("--label", usage_.label,
                    "What the corpus is called in the store (default: after the inputs)")
        ->type_name("NAME");
    options::add_store(sub, usage_.selection);
    sub->add_option("--top", usage_.top, "Functions listed of each framework (default: 20)")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000));
    sub->add_option("--format", usage_.format,
                    "terminal, csv, json or parquet (default: by the name of the output, else terminal)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"terminal", "csv", "json", "parquet"}));
    sub->add_option("-o,--output", usage_.output, "Write to this file")->type_name("FILE");
  }

  void add_sample() {
    CLI::App* sub =
        options::verb(app_, "sample", "Draw functions by how often code calls them, as the study did",
                      "Examples:\n"
                      "  seamark sample\n"
                      "  seamark sample --seed 7 --name autumn --framework torch\n"
                      "  seamark sample --population all --per-decile 10 -o sample.csv\n"
                      "  seamark sample --replace 'torch.cuda.nccl.init:needs two GPUs'\n"
                      "  seamark run --sample");
    sample_verb_ = sub;
    const CLI::Range counts(std::int64_t{0}, std::int64_t{1000000});
    sub->add_option("--top", sample_.top, "How many of the most frequent are taken (default: 20)")
        ->type_name("N")
        ->check(counts);
    sub->add_option("--per-decile", sample_.per_decile, "How many of each tenth are drawn (default: 5)")
        ->type_name("N")
        ->check(counts);
    sub->add_option("--population", sample_.population,
                    "seen: functions that the usage table has; all: the catalogue's, those never seen as a "
                    "stratum of their own (default: seen)")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"seen", "all"}));
    sub->add_option("--never-seen", sample_.never_seen,
                    "With --population all: how many of those are drawn (default: as --per-decile)")
        ->type_name("N")
        ->check(counts);
    sub->add_option("--seed", sample_.seed, "Of every draw and of ties (default: 0)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
    sub->add_option("--by", sample_.by,
                    "calls, uses (calls and references) or files: what frequency is (default: calls)")
        ->type_name("COUNT")
        ->check(CLI::IsMember({"calls", "uses", "files"}));
    sub->add_option("--exclude", sample_.exclude, "Leave a function out of the population: FUNCTION:REASON")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    sub->add_option("--replace", sample_.replace,
                    "Draw another for one that cannot be tested, of its tenth: FUNCTION:REASON")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    sub->add_option("--framework", sample_.frameworks,
                    "Only this framework (default: all that the usage has)")
        ->type_name("FRAMEWORK")
        ->allow_extra_args(false);
    sub->add_option(
           "--usage", sample_.usage,
           "A CSV of `seamark usage`, a corpus of the store, or shipped (default: the store's latest "
           "corpus, else shipped)")
        ->type_name("FILE|LABEL");
    sub->add_option("--tier", sample_.tiers,
                    "Which counts: resolved, inferred, unknown, bare; several add up (default: resolved)")
        ->type_name("TIER")
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"resolved", "inferred", "unknown", "bare"}));
    sub->add_option("--catalogue", sample_.catalogues,
                    "A file of `seamark catalog --format jsonl` (default: the store's catalogues)")
        ->type_name("FILE")
        ->allow_extra_args(false);
    options::add_store(sub, sample_.selection);
    sub->add_option("--name", sample_.name, "What to call the sample in the store")->type_name("NAME");
    sub->add_option("--format", sample_.format,
                    "terminal, json or csv (default: by the name of the output, else terminal)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"terminal", "json", "csv"}));
    sub->add_option("-o,--output", sample_.output, "Write to this file")->type_name("FILE");
  }

  void add_others() {
    report_verb_ = options::add_report(app_, report_);
    show_verb_ = options::add_show(app_, show_);
    compare_verb_ = options::add_compare(app_, compare_);
    export_verb_ = options::add_export(app_, export_);
    import_verb_ = options::add_import(app_, import_);
    merge_verb_ = options::add_merge(app_, merge_);
    explain_verb_ = options::add_explain(app_, explain_);
  }

  void add_run() {
    CLI::App* sub =
        options::verb(app_, "run", "Run cases on targets, under supervision, into a store",
                      "Examples:\n"
                      "  seamark run --cases quick\n"
                      "  seamark run --target torch/cpu --function 'torch.linalg.*'\n"
                      "  seamark run --target torch/cuda --python ~/venv/bin/python --store gpu.db\n"
                      "  seamark run --resume");
    run_verb_ = sub;
    options::add_targets_option(sub, run_.selection,
                                "Targets by name or glob, e.g. torch/cuda, 'jax/*' (default: all usable)");
    sub->add_option("--suite", run_.selection.suites,
                    "A suite by name, or a .py file of yours (default: curated)")
        ->type_name("SUITE")
        ->allow_extra_args(false);
    sub->add_option("-f,--function", run_.functions,
                    "Only functions that this glob matches, e.g. 'torch.fft.*'")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    sample_option_ = sub->add_option("--sample", sample_name_,
                                     "Only the functions of a sample of the store (default: the latest)")
                         ->type_name("NAME")
                         ->expected(0, 1);
    sub->add_option("--case", run_.case_glob, "Only cases that this glob matches, e.g. '*bf16*'")
        ->type_name("GLOB");
    sub->add_option(
           "--cases", run_.cases,
           "all, core, or quick: the core cases, of which torch/cpu+inductor takes one forward and one "
           "gradient case per function (default: all)")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"all", "core", "quick"}));
    sub->add_option("--time", run_.time,
                    "Which cases are timed: all, core, first (a forward one per function) or none (default: "
                    "core; first with --cases quick)")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"all", "core", "first", "none"}));
    sub->add_flag("--no-timing", run_.no_timing, "The same as --time none");
    sub->add_option("--protocol", run_.protocol, "full, or paper: as the study timed (default: full)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"full", "paper"}));
    sub->add_option("--timeout", run_.timeout_s,
                    "Seconds that one case may take (default: the target's, 900)")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.001, kMostTimeoutSeconds));
    sub->add_option("--seed", run_.seed, "Of inputs and rechecks (default: 0)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
    sub->add_option("--recheck", run_.recheck,
                    "The share of passes in shared processes that runs again alone (default: 0.05)")
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 1.0));
    sub->add_option("-j,--jobs", run_.jobs, "Workers at once (default: the usable cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
    options::add_store(sub, run_.selection);
    options::add_python(sub, run_.selection);
    sub->add_flag("--resume", run_.resume,
                  "Go on with the latest unfinished run of the store, as it was asked for");
    sub->add_flag("--no-cache", run_.no_cache,
                  "Compile again where a compiler's answer is known from an earlier run");
    sub->add_flag("--list", run_.list, "Print what would be run, and run nothing");
    sub->add_flag("--refresh", run_.refresh, "Ask every environment again, whatever is known of it");
  }

  Command command() {
    if (install_verb_->parsed()) return install_;
    if (targets_verb_->parsed()) return targets_;
    if (catalog_verb_->parsed()) return catalog_;
    if (usage_verb_->parsed()) return usage_;
    if (sample_verb_->parsed()) return sample_;
    if (run_verb_->parsed()) {
      if (sample_option_->count() > 0) run_.sample = sample_name_;
      return run_;
    }
    if (report_verb_->parsed()) return report_;
    if (show_verb_->parsed()) return show_;
    if (compare_verb_->parsed()) return compare_;
    if (explain_verb_->parsed()) return explain_;
    if (import_verb_->parsed()) return import_;
    if (merge_verb_->parsed()) return merge_;
    return export_;
  }

  CLI::App app_;
  CommonOptions common_;
  std::string color_ = "auto";
  TargetsCommand targets_;
  InstallCommand install_;
  RunCommand run_;
  ReportCommand report_;
  ShowCommand show_;
  CompareCommand compare_;
  ExportCommand export_;
  ImportCommand import_;
  MergeCommand merge_;
  ExplainCommand explain_;
  CatalogCommand catalog_;
  UsageCommand usage_;
  SampleCommand sample_;
  std::string sample_name_;  // of `run --sample NAME`
  CLI::Option* sample_option_ = nullptr;
  CLI::App* targets_verb_ = nullptr;
  CLI::App* install_verb_ = nullptr;
  CLI::App* catalog_verb_ = nullptr;
  CLI::App* usage_verb_ = nullptr;
  CLI::App* sample_verb_ = nullptr;
  CLI::App* run_verb_ = nullptr;
  CLI::App* report_verb_ = nullptr;
  CLI::App* show_verb_ = nullptr;
  CLI::App* compare_verb_ = nullptr;
  CLI::App* export_verb_ = nullptr;
  CLI::App* import_verb_ = nullptr;
  CLI::App* merge_verb_ = nullptr;
  CLI::App* explain_verb_ = nullptr;
};

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) { return Parser().parse(argc, argv); }

}  // namespace seamark::cli
