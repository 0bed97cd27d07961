// The verbs that read results.
#include <CLI/CLI.hpp>

#include "seamark/cli/options_parts.h"
#include "seamark/model/target_name.h"

namespace seamark::cli::options {

CLI::App* verb(CLI::App& parent, const std::string& name, const std::string& text,
               const std::string& footer) {
  CLI::App* sub = parent.add_subcommand(name, text);
  sub->fallthrough();
  sub->set_help_flag("-h,--help", "Print this help")->group("");  // shown among the common options
  sub->footer(footer);
  return sub;
}

void add_store(CLI::App* sub, Selection& selection) {
  sub->add_option("-s,--store", selection.store, "The results (default: seamark.db)")->type_name("FILE");
}

void add_run_choice(CLI::App* sub, std::string& run) {
  sub->add_option("--run", run, "latest (default), all, or the beginning of a run's id")->type_name("ID");
}

void add_targets_option(CLI::App* sub, Selection& selection, const std::string& text) {
  sub->add_option("-t,--target", selection.targets, text)->type_name("TARGET")->allow_extra_args(false);
}

void add_python(CLI::App* sub, Selection& selection) {
  sub->add_option(
         "--python", selection.python,
         "An interpreter of yours, for all targets, or TARGET=PATH for some; nothing is installed into it")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

CLI::App* add_report(CLI::App& app, ReportCommand& command) {
  CLI::App* sub = verb(app, "report", "Show what a store holds: verdicts, failures, ratios",
                       "Examples:\n"
                       "  seamark report\n"
                       "  seamark report --format html -o report.html\n"
                       "  seamark report --tables --pair cpu:lazy\n"
                       "  seamark report --only to-do --only calls-weighted\n"
                       "  seamark report --tables --store grand-illusion --only 'table-*'\n"
                       "  seamark report --only figure-1 -o figure.svg\n"
                       "  seamark report --store grand-illusion --format png -o charts/\n"
                       "  seamark report --store grand-illusion --format html -o study.html");
  add_store(sub, command.selection);
  add_run_choice(sub, command.run);
  sub->add_option("--format", command.format,
                  "terminal, markdown, json, csv, html or badge (shields.io); tables also latex; figures "
                  "png, svg or vega-lite "
                  "(default: by the name of the output, else terminal)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"terminal", "markdown", "md", "json", "csv", "html", "badge", "latex", "tex",
                             "png", "svg", "vega-lite"}));
  sub->add_option("-o,--output", command.output, "Write to this file; several figures: into this folder")
      ->type_name("FILE");
  add_targets_option(sub, command.selection, "Only these targets");
  sub->add_option("--baseline", command.baseline,
                  "The target that ratios refer to (default: each target's own)")
      ->type_name("TARGET");
  sub->add_flag("--tables", command.tables,
                "The study's Tables 1 to 8 and the data of its Figures 1 to 10; --store grand-illusion "
                "gives those that it published");
  sub->add_option("--pair", command.pair, "With --tables: the two devices to compare")->type_name("A:B");
  sub->add_option("--generations", command.generations,
                  "With --tables: an older and a newer device (again for more)")
      ->type_name("OLD:NEW");
  sub->add_option("--only", command.only, "With --tables or figures: only these (globs)")->type_name("ID");
  sub->add_option("--theme", command.theme, "Of drawings (default: light)")
      ->type_name("light|dark")
      ->check(CLI::IsMember({"light", "dark"}));
  sub->add_option("--usage", command.usage,
                  "With --tables: whose calls count, a corpus of the store (default: the last, else the "
                  "shipped counts)")
      ->type_name("LABEL");
  sub->add_option("--slow-factor", command.slow_factor,
                  "How many times the baseline's time is intolerable (default: 10)")
      ->type_name("X")
      ->check(CLI::Range(1.0, 1e6));
  return sub;
}

CLI::App* add_show(CLI::App& app, ShowCommand& command) {
  CLI::App* sub = verb(app, "show", "Tell everything known of one function or case",
                       "Examples:\n"
                       "  seamark show torch.argsort\n"
                       "  seamark show 'torch.argsort/argsort[f32,100,dim=-1]' --script --target torch/lazy");
  sub->add_option("FUNCTION|CASE", command.what, "A function, or one of its cases")->required();
  sub->add_flag("--script", command.script, "Print a standalone script that reproduces the case");
  add_targets_option(sub, command.selection, "Only these targets; with --script: the target of the script");
  add_store(sub, command.selection);
  add_run_choice(sub, command.run);
  sub->add_option("--suite", command.selection.suites, "Where the case is, for --script (default: curated)")
      ->type_name("SUITE")
      ->allow_extra_args(false);
  add_python(sub, command.selection);
  return sub;
}

CLI::App* add_compare(CLI::App& app, CompareCommand& command) {
  CLI::App* sub = verb(app, "compare", "Tell what changed between two stores, runs, targets or versions",
                       "A side is STORE, STORE@RUN, STORE@TARGET or STORE@FRAMEWORK==VERSION (without "
                       "STORE: of the default\n"
                       "store), or the published study grand-illusion. The earlier side comes first.\n\n"
                       "Examples:\n"
                       "  seamark compare main.db seamark.db --fail-on new-failures,slower=1.5\n"
                       "  seamark compare torch/cpu torch/lazy\n"
                       "  seamark compare torch==2.12.0 torch==2.13.0 --format markdown -o pull.md\n"
                       "  seamark compare grand-illusion seamark.db\n"
                       "  seamark compare grand-illusion seamark.db@torch/cuda --fail-on slower=2");
  sub->callback([&command] {
    if (command.with.empty() && command.sides.size() != 2) {
      throw CLI::ValidationError("compare needs two sides, the earlier one first: main.db seamark.db");
    }
  });
  sub->add_option("A B", command.sides, "The two sides, before and after")->expected(0, 2);
  sub->add_option(
         "--fail-on", command.fail_on,
         "What exits with 1: new-failures, added-failures, unexpected-passes, category-changed, flaky, "
         "not-run, slower[=FACTOR], dropped, weaker-evidence, stale, drift; any, none (default: "
         "new-failures,slower)")
      ->type_name("LIST");
  sub->add_option("--expected", command.expected,
                  "Known failures (default: seamark.expected.toml where there is one)")
      ->type_name("FILE");
  sub->add_flag("--update-expected", command.update_expected,
                "Write the failures of B into that file; comments and reasons stay");
  sub->add_option("--noise-floor", command.noise_floor,
                  "The least ratio that says anything (default: measured)")
      ->type_name("FACTOR")
      ->check(CLI::Range(1.0, 1e6));
  sub->add_option("--with", command.with, "A study before the default store: grand-illusion")
      ->type_name("BASELINE");
  add_store(sub, command.selection);
  sub->add_option("--run", command.run, "With a study: latest (default), all, or the beginning of a run's id")
      ->type_name("ID");
  add_targets_option(sub, command.selection,
                     "Only these targets (with a study by default: those of its TPU and GPU)");
  sub->add_option("--format", command.format,
                  "terminal, markdown, json, junit or sarif (default: by the output's name)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"terminal", "markdown", "md", "json", "junit", "xml", "sarif"}));
  sub->add_option("-o,--output", command.output, "Write to this file")->type_name("FILE");
  return sub;
}

CLI::App* add_export(CLI::App& app, ExportCommand& command) {
  CLI::App* sub = verb(app, "export", "Write one row per attempt",
                       "Examples:\n"
                       "  seamark export -o attempts.csv\n"
                       "  seamark export --run all --format jsonl -o -");
  CLI::Option* columns =
      sub->add_flag("--columns", command.columns, "Say what the columns are, as JSON, and nothing else");
  sub->add_option("--format", command.format, "csv or jsonl (default: by the name of the output)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "jsonl"}))
      ->excludes(columns);
  sub->add_option("-o,--output", command.output, "Write to this file; - is standard output")
      ->type_name("FILE");
  add_store(sub, command.selection);
  add_run_choice(sub, command.run);
  add_targets_option(sub, command.selection, "Only these targets");
  sub->add_option("-f,--function", command.function, "Only this function")->type_name("NAME");
  return sub;
}

CLI::App* add_import(CLI::App& app, ImportCommand& command) {
  CLI::App* sub = verb(app, "import", "Take in what tests of others said: pytest, JUnit, timings, an export",
                       "Examples:\n"
                       "  seamark import report.json --target torch/cuda-t4\n"
                       "  seamark import report.json times-*.json --target torch/tpu-v3 --run study\n"
                       "  seamark import junit.xml --target jax/cuda --map functions.csv\n"
                       "  seamark import attempts.jsonl");
  sub->add_option("FILE", command.files,
                  "Reports of pytest-json-report, JUnit XML, times of operations, JSON lines of `seamark "
                  "export`; - is standard input")
      ->required();
  sub->add_option("-t,--target", command.targets, "Where the tests ran, e.g. torch/cuda-t4")
      ->type_name("TARGET")
      ->allow_extra_args(false);
  sub->add_option("--run", command.run,
                  "What to call the run; a run of that name is added to (default: named after the content)")
      ->type_name("NAME");
  sub->add_option("--map", command.map, "Which tests are of which function: NODEID-GLOB,FUNCTION[,FRAMEWORK]")
      ->type_name("CSV");
  sub->add_option("--format", command.format,
                  "pytest-json, timings, junit or seamark-jsonl (default: as the files look)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"pytest-json", "timings", "junit", "seamark-jsonl"}));
  sub->add_flag("--strict", command.strict, "Import nothing when anything cannot be read");
  add_store(sub, command.selection);
  return sub;
}

CLI::App* add_merge(CLI::App& app, MergeCommand& command) {
  CLI::App* sub = verb(app, "merge", "Take in what other stores hold, e.g. those of several machines",
                       "Examples:\n"
                       "  seamark merge --store all.db gpu.db tpu.db\n"
                       "  seamark merge other.db");
  sub->add_option("STORE", command.stores, "Stores to take from; nothing in them is changed")->required();
  sub->add_flag("--strict", command.strict, "Merge nothing when a run is refused");
  sub->add_option("-s,--store", command.selection.store, "The store to merge into (default: seamark.db)")
      ->type_name("FILE");
  return sub;
}

CLI::App* add_explain(CLI::App& app, ExplainCommand& command) {
  CLI::App* sub = verb(app, "explain", "Say what a category of failure means, or which category an error is",
                       "Examples:\n"
                       "  seamark explain dynamic-shape\n"
                       "  seamark explain \"RuntimeError: \\\"dot\\\" not implemented for 'Bool'\"\n"
                       "  python train.py 2>&1 | seamark explain - --framework torch");
  sub->add_option("CATEGORY|ERROR", command.what,
                  "A category, a rule's id, or an error text with or without its traceback; - reads one "
                  "from standard input (default: list the categories)");
  sub->add_option("--framework", command.framework, "Only rules of this framework (default: of all)")
      ->type_name("FRAMEWORK");
  return sub;
}

}  // namespace seamark::cli::options
