#include "seamark/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "seamark/base/text.h"
#include "seamark/cli/version.h"
#include "seamark/model/case_info.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kNameColumn = 26;

// Breaks at spaces; every line but the first is indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::string_view word : split_words(text)) {
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > kHelpWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  return out;
}

// The same help for every version of CLI11.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string out = wrapped(app->get_description(), 0) + "\n\n" + usage(*app);
    out += commands(*app) + arguments(*app);
    for (const std::string& group : app->get_groups()) {
      if (!group.empty()) out += options(*app, group);
    }
    if (app->get_parent() != nullptr) out += options(*root(app), "Common options");
    if (!app->get_footer().empty()) out += "\n" + app->get_footer() + "\n";
    return out;
  }

 private:
  static const CLI::App* root(const CLI::App* app) {
    while (app->get_parent() != nullptr) app = app->get_parent();
    return app;
  }

  static std::string full_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
  }

  // Without what CLI11 appends for checks: our descriptions say it better.
  static std::string value_name(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
  }

  static std::string row(const std::string& name, const std::string& text) {
    const std::string head = "  " + name;
    const std::string gap = head.size() + 2 > kNameColumn ? "\n" + std::string(kNameColumn, ' ')
                                                          : std::string(kNameColumn - head.size(), ' ');
    return head + gap + wrapped(text, kNameColumn) + "\n";
  }

  static std::string usage(const CLI::App& app) {
    std::string line = "Usage: " + full_name(app) + " [OPTIONS]";
    for (const CLI::Option* option : app.get_options()) {
      if (!option->get_positional()) continue;
      const std::string name =
          option->get_single_name() + (option->get_items_expected_max() > 1 ? "..." : "");
      line += option->get_required() ? " " + name : " [" + name + "]";
    }
    const bool has_verbs = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
    if (has_verbs) line += app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
    return line + "\n";
  }

  static std::string commands(const CLI::App& app) {
    std::string out;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
      out += row(verb->get_name(), verb->get_description());
    }
    return out.empty() ? out : "\nCommands:\n" + out;
  }

  static std::string arguments(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) out += row(option->get_single_name(), option->get_description());
    }
    return out.empty() ? out : "\nArguments:\n" + out;
  }

  static std::string options(const CLI::App& app, const std::string& group) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      std::string name = option->get_snames().empty() ? "    " : "-" + option->get_snames().front() + ", ";
      name += "--" + option->get_lnames().front();
      if (option->get_items_expected_max() > 0) name += " " + value_name(*option);
      out += row(name, option->get_description());
    }
    return out.empty() ? out : "\n" + group + ":\n" + out;
  }
};

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
    app_.formatter(std::make_shared<HelpFormatter>());
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
    add_run();
    add_report();
    add_show();
    add_compare();
    add_export();
    add_explain();
  }

  Parsed parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return Answer{ExitCode::kDone, chosen().help()};
    } catch (const CLI::CallForVersion&) {
      return Answer{ExitCode::kDone, fmt::format("seamark {}\n", version())};
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        return Answer{ExitCode::kDone, chosen().help()};
      }
      return Answer{ExitCode::kUsage, complaint(error, argc)};
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
  CLI::App* verb(CLI::App& parent, const std::string& name, const std::string& text,
                 const std::string& footer) {
    CLI::App* sub = parent.add_subcommand(name, text);
    sub->fallthrough();
    sub->set_help_flag("-h,--help", "Print this help")->group("");  // shown among the common options
    sub->footer(footer);
    return sub;
  }

  static void add_store(CLI::App* sub, Selection& selection) {
    sub->add_option("-s,--store", selection.store, "The results (default: seamark.db)")->type_name("FILE");
  }

  static void add_run_choice(CLI::App* sub, std::string& run) {
    sub->add_option("--run", run, "latest (default), all, or the beginning of a run's id")->type_name("ID");
  }

  static void add_targets_option(CLI::App* sub, Selection& selection, const std::string& text) {
    sub->add_option("-t,--target", selection.targets, text)->type_name("TARGET")->allow_extra_args(false);
  }

  static void add_python(CLI::App* sub, Selection& selection) {
    sub->add_option(
           "--python", selection.python,
           "An interpreter of yours, for all targets, or TARGET=PATH for some; nothing is installed into it")
        ->type_name("PATH")
        ->allow_extra_args(false);
  }

  void add_targets() {
    CLI::App* sub =
        verb(app_, "targets", "List all targets: usable here or not, why not, and what would make them so",
             "Examples:\n"
             "  seamark targets\n"
             "  seamark targets --target 'torch/*' --python ~/venv/bin/python\n"
             "  seamark targets install torch-cpu jax-cpu");
    targets_verb_ = sub;
    add_targets_option(sub, targets_.selection, "Only these, by name or glob, e.g. 'jax/*'");
    add_python(sub, targets_.selection);
    sub->add_flag("--json", targets_.json, "Print JSON");
    sub->add_flag("--refresh", targets_.refresh, "Ask every environment again, whatever is known of it");
    sub->require_subcommand(0, 1);
    CLI::App* install = verb(
        *sub, "install", "Make environments: torch-cpu, tensorflow-cpu, jax-cpu, jax-tpu-aot",
        "Each goes into a virtual environment of its own below the cache folder (SEAMARK_CACHE). What an\n"
        "interrupted installation left is gone on with.");
    install_verb_ = install;
    install->add_option("NAME", install_.names, "Environments to make")->required();
    install
        ->add_option("--python", install_.python, "The Python to build on (default: a fitting one on PATH)")
        ->type_name("PATH");
  }

  void add_catalog() {
    CLI::App* sub = verb(app_, "catalog", "List every function of a framework, and what the suites cover",
                         "Examples:\n"
                         "  seamark catalog\n"
                         "  seamark catalog --target jax/cpu --format jsonl -o jax.jsonl\n"
                         "  seamark catalog --diff jax==0.4.30 jax==0.10.2\n"
                         "  seamark catalog --coverage\n"
                         "  seamark catalog --declared");
    catalog_verb_ = sub;
    add_targets_option(sub, catalog_.selection,
                       "Whose frameworks to walk (default: torch/cpu, tensorflow/cpu, jax/cpu)");
    add_python(sub, catalog_.selection);
    add_store(sub, catalog_.selection);
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

  void add_run() {
    CLI::App* sub = verb(app_, "run", "Run cases on targets, under supervision, into a store",
                         "Examples:\n"
                         "  seamark run --cases quick\n"
                         "  seamark run --target torch/cpu --function 'torch.linalg.*'\n"
                         "  seamark run --target torch/cuda --python ~/venv/bin/python --store gpu.db\n"
                         "  seamark run --resume");
    run_verb_ = sub;
    add_targets_option(sub, run_.selection,
                       "Targets by name or glob, e.g. torch/cuda, 'jax/*' (default: all usable)");
    sub->add_option("--suite", run_.selection.suites,
                    "A suite by name, or a .py file of yours (default: curated)")
        ->type_name("SUITE")
        ->allow_extra_args(false);
    sub->add_option("-f,--function", run_.functions,
                    "Only functions that this glob matches, e.g. 'torch.fft.*'")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    sub->add_option("--case", run_.case_glob, "Only cases that this glob matches, e.g. '*bf16*'")
        ->type_name("GLOB");
    sub->add_option("--cases", run_.cases,
                    "all, core, or quick: one core case per function on targets that compile, the core cases "
                    "elsewhere "
                    "(default: all)")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"all", "core", "quick"}));
    sub->add_option("--time", run_.time,
                    "Which cases are timed: all, core, first or none (default: core; first with "
                    "--cases quick)")
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
    sub->add_option("-j,--jobs", run_.jobs, "Workers at once (default: the number of cores)")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
    add_store(sub, run_.selection);
    add_python(sub, run_.selection);
    sub->add_flag("--resume", run_.resume,
                  "Go on with the latest unfinished run of the store, as it was asked for");
    sub->add_flag("--no-cache", run_.no_cache,
                  "Compile again where a compiler's answer is known from an earlier run");
    sub->add_flag("--list", run_.list, "Print what would be run, and run nothing");
    sub->add_flag("--refresh", run_.refresh, "Ask every environment again, whatever is known of it");
  }

  void add_report() {
    CLI::App* sub = verb(app_, "report", "Show what a store holds: verdicts, failures, ratios",
                         "Examples:\n"
                         "  seamark report\n"
                         "  seamark report --format html -o report.html\n"
                         "  seamark report --tables --pair cpu:lazy\n"
                         "  seamark report --tables --store grand-illusion --only 'table-*'");
    report_verb_ = sub;
    add_store(sub, report_.selection);
    add_run_choice(sub, report_.run);
    sub->add_option("--format", report_.format,
                    "terminal, markdown, json, csv or html; tables also latex (default: by the name of "
                    "the output, else terminal)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"terminal", "markdown", "md", "json", "csv", "html", "latex", "tex"}));
    sub->add_option("-o,--output", report_.output, "Write to this file")->type_name("FILE");
    add_targets_option(sub, report_.selection, "Only these targets");
    sub->add_option("--baseline", report_.baseline,
                    "The target that ratios refer to (default: each target's own)")
        ->type_name("TARGET");
    sub->add_flag("--tables", report_.tables,
                  "The study's Tables 1 to 8 and the data of its Figures 1 to 10; --store grand-illusion "
                  "gives those that it published");
    sub->add_option("--pair", report_.pair, "With --tables: the two devices to compare")->type_name("A:B");
    sub->add_option("--generations", report_.generations,
                    "With --tables: an older and a newer device (again for more)")
        ->type_name("OLD:NEW");
    sub->add_option("--only", report_.only, "With --tables: only these (globs)")->type_name("ID");
  }

  void add_show() {
    CLI::App* sub =
        verb(app_, "show", "Tell everything known of one function or case",
             "Examples:\n"
             "  seamark show torch.argsort\n"
             "  seamark show 'torch.argsort/argsort[f32,100,dim=-1]' --script --target torch/lazy");
    show_verb_ = sub;
    sub->add_option("FUNCTION|CASE", show_.what, "A function, or one of its cases")->required();
    sub->add_flag("--script", show_.script, "Print a standalone script that reproduces the case");
    add_targets_option(sub, show_.selection, "Only these targets; with --script: the target of the script");
    add_store(sub, show_.selection);
    add_run_choice(sub, show_.run);
    sub->add_option("--suite", show_.selection.suites, "Where the case is, for --script (default: curated)")
        ->type_name("SUITE")
        ->allow_extra_args(false);
    add_python(sub, show_.selection);
  }

  void add_compare() {
    CLI::App* sub = verb(app_, "compare", "Set results beside those of a published study",
                         "Examples:\n  seamark compare --with grand-illusion");
    compare_verb_ = sub;
    sub->add_option("--with", compare_.with, "The study: grand-illusion")->type_name("BASELINE")->required();
    add_store(sub, compare_.selection);
    add_run_choice(sub, compare_.run);
    add_targets_option(sub, compare_.selection, "These targets (default: those of the study's TPU)");
    sub->add_option("--format", compare_.format, "terminal, markdown or json (default: by the output's name)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"terminal", "markdown", "md", "json"}));
    sub->add_option("-o,--output", compare_.output, "Write to this file")->type_name("FILE");
  }

  void add_export() {
    CLI::App* sub = verb(app_, "export", "Write one row per attempt",
                         "Examples:\n"
                         "  seamark export -o attempts.csv\n"
                         "  seamark export --run all --format jsonl -o -");
    export_verb_ = sub;
    sub->add_option("--format", export_.format, "csv or jsonl (default: by the name of the output)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"csv", "jsonl"}));
    sub->add_option("-o,--output", export_.output, "Write to this file; - is standard output")
        ->type_name("FILE")
        ->required();
    add_store(sub, export_.selection);
    add_run_choice(sub, export_.run);
    add_targets_option(sub, export_.selection, "Only these targets");
    sub->add_option("-f,--function", export_.function, "Only this function")->type_name("NAME");
  }

  void add_explain() {
    CLI::App* sub =
        verb(app_, "explain", "Say what a category of failure means, or which category an error is",
             "Examples:\n"
             "  seamark explain dynamic-shape\n"
             "  seamark explain \"RuntimeError: \\\"dot\\\" not implemented for 'Bool'\"\n"
             "  python train.py 2>&1 | seamark explain - --framework torch");
    explain_verb_ = sub;
    sub->add_option("CATEGORY|ERROR", explain_.what,
                    "A category, a rule's id, or an error text with or without its traceback; - reads one "
                    "from standard input (default: list the categories)");
    sub->add_option("--framework", explain_.framework,
                    "Only rules of torch, tensorflow or jax (default: of all three)")
        ->type_name("FRAMEWORK")
        ->check(CLI::IsMember({"torch", "tensorflow", "jax"}));
  }

  // The innermost verb on the command line.
  CLI::App& chosen() {
    CLI::App* app = &app_;
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (CLI::App* sub : app->get_subcommands()) {
        app = sub;
        deeper = true;
        break;
      }
    }
    return *app;
  }

  std::string complaint(const CLI::ParseError& error, int argc) {
    if (argc <= 1) return app_.help();
    std::string name;
    for (const CLI::App* app = &chosen(); app != nullptr; app = app->get_parent()) {
      name.insert(0, app->get_name() + (name.empty() ? "" : " "));
    }
    const std::vector<std::string> extra = app_.remaining(true);
    std::string what = one_line(error.what());
    std::string hint;
    if (!extra.empty()) {
      // The first word that looks like an option is the likelier mistake.
      const auto option =
          std::find_if(extra.begin(), extra.end(), [](const std::string& word) { return word[0] == '-'; });
      const std::string& word = option != extra.end() ? *option : extra.front();
      const bool is_verb = &chosen() == &app_ && option == extra.end();
      what = is_verb ? fmt::format("there is no command '{}'", word)
                     : fmt::format("{} takes no '{}'", name, word);
      hint = suggestion(word.substr(0, word.find('=')));
    }
    return fmt::format("seamark: {}\n  {}`{} --help` tells what there is\n", what, hint, name);
  }

  // The nearest verb or option to a word that nothing takes.
  std::string suggestion(const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::App* app :
         {static_cast<const CLI::App*>(&chosen()), static_cast<const CLI::App*>(&app_)}) {
      for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(sub->get_name());
      }
      for (const CLI::Option* option : app->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    }
    const std::optional<std::string> near = nearest(word, known);
    return near ? fmt::format("did you mean '{}'? ", *near) : std::string();
  }

  Command command() {
    if (install_verb_->parsed()) return install_;
    if (targets_verb_->parsed()) return targets_;
    if (catalog_verb_->parsed()) return catalog_;
    if (run_verb_->parsed()) return run_;
    if (report_verb_->parsed()) return report_;
    if (show_verb_->parsed()) return show_;
    if (compare_verb_->parsed()) return compare_;
    if (explain_verb_->parsed()) return explain_;
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
  ExplainCommand explain_;
  CatalogCommand catalog_;
  CLI::App* targets_verb_ = nullptr;
  CLI::App* install_verb_ = nullptr;
  CLI::App* catalog_verb_ = nullptr;
  CLI::App* run_verb_ = nullptr;
  CLI::App* report_verb_ = nullptr;
  CLI::App* show_verb_ = nullptr;
  CLI::App* compare_verb_ = nullptr;
  CLI::App* export_verb_ = nullptr;
  CLI::App* explain_verb_ = nullptr;
};

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) { return Parser().parse(argc, argv); }

}  // namespace seamark::cli
