// The command line as plain values. Nothing here reads a file or the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "seamark/cli/exit_codes.h"
#include "seamark/cli/terminal.h"

namespace seamark::cli {

// Given with any verb.
struct CommonOptions {
  std::optional<std::string> config;  // --config FILE
  bool no_config = false;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
};

// What seamark.toml and SEAMARK_* can say too; nullopt or empty: not said here.
struct Selection {
  std::vector<std::string> targets;
  std::vector<std::string> suites;
  std::optional<std::string> store;
  std::vector<std::string> python;  // PATH, or TARGET=PATH
};

struct TargetsCommand {
  Selection selection;
  bool json = false;
  bool refresh = false;
};

struct InstallCommand {
  std::vector<std::string> names;
  std::string python;
};

struct RunCommand {
  Selection selection;
  std::vector<std::string> functions;  // globs
  std::string case_glob;
  std::optional<std::string> protocol;  // paper, full
  std::optional<double> timeout_s;
  std::optional<std::int64_t> seed;
  std::optional<double> recheck;  // a share
  std::optional<std::int64_t> jobs;
  std::optional<std::string> cases;   // all, core, quick
  std::optional<std::string> time;    // all, core, first, none
  std::optional<std::string> sample;  // of the store, by name; empty: the latest
  bool no_timing = false;
  bool no_cache = false;
  bool resume = false;
  bool list = false;
  bool refresh = false;
};

struct ReportCommand {
  Selection selection;
  std::string run;
  std::string format;
  std::string output;  // empty or "-": standard output
  std::string baseline;
  bool tables = false;                   // the study's tables and figures
  std::string pair;                      // "A:B", devices of these
  std::vector<std::string> generations;  // "OLD:NEW"
  std::vector<std::string> only;         // globs of table-1, figure-4, headlines, to-do
  std::string usage;                     // a corpus of the store; empty: the shipped counts
  double slow_factor = 10;               // of intolerable latency
  std::string theme;                     // "light", "dark": of drawings; empty: light
};

struct ShowCommand {
  Selection selection;
  std::string what;  // a function or a case
  std::string run;
  bool script = false;
};

struct CompareCommand {
  Selection selection;
  std::vector<std::string> sides;  // none or two: before, after
  std::string with;                // a published study
  std::string run;                 // with a study
  std::string fail_on;             // empty: as by default
  std::string expected;            // a file; empty: seamark.expected.toml where there is one
  bool update_expected = false;
  std::optional<double> noise_floor;
  std::string format;
  std::string output;  // empty or "-": standard output
};

struct ExportCommand {
  Selection selection;
  std::string run;
  std::string function;
  std::string format;  // empty: by the output's name
  std::string output;
  bool columns = false;  // say what they are
};

struct ImportCommand {
  Selection selection;               // the store
  std::vector<std::string> files;    // "-": standard input
  std::vector<std::string> targets;  // at most one
  std::string run;                   // a name; empty: after the content
  std::string map;                   // a CSV
  std::string format;                // empty: detect
  bool strict = false;
};

struct MergeCommand {
  Selection selection;              // the store that is merged into
  std::vector<std::string> stores;  // files
  bool strict = false;
};

struct ExplainCommand {
  std::string what;       // a category, a rule, an error text, or "-"; empty: list the categories
  std::string framework;  // empty: any
};

struct CatalogCommand {
  Selection selection;
  bool coverage = false;
  bool refresh = false;
  bool declared = false;
  std::vector<std::string> diff;  // none or two: OLD, NEW
  std::string format;             // empty: by the output's name, else terminal
  std::string output;
};

struct UsageCommand {
  Selection selection;
  std::vector<std::string> inputs;      // none: report what the store holds
  std::vector<std::string> frameworks;  // empty: all
  std::vector<std::string> catalogues;  // files
  std::string kind;                     // jsonl, parquet, files; empty: detect
  std::string protocol = "names";       // names, paper
  std::string content_key = "content";
  std::string repository_key = "repo_name";
  std::string path_key = "path";
  std::string label;  // empty: from the inputs
  std::optional<std::int64_t> threads;
  std::int64_t top = 20;
  bool refresh = false;
  bool strict = false;
  std::string format;  // empty: by the output's name, else terminal
  std::string output;
};

struct SampleCommand {
  Selection selection;                  // the store
  std::vector<std::string> frameworks;  // empty: those that the usage table has
  std::int64_t seed = 0;
  std::int64_t top = 20;
  std::int64_t per_decile = 5;
  std::optional<std::int64_t> never_seen;  // with --population all; nullopt: per_decile
  std::string by = "calls";                // calls, uses, files
  std::string population = "seen";         // seen, all
  std::vector<std::string> tiers;          // empty: resolved
  std::vector<std::string> exclude;        // FUNCTION:REASON
  std::vector<std::string> replace;
  std::string usage;  // a CSV, a corpus of the store, or "shipped"; empty: see docs/sample.md
  std::vector<std::string> catalogues;  // files
  std::string name;
  std::string format;
  std::string output;
};

using Command = std::variant<TargetsCommand, InstallCommand, RunCommand, ReportCommand, ShowCommand,
                             CompareCommand, ExportCommand, ImportCommand, MergeCommand, ExplainCommand,
                             CatalogCommand, UsageCommand, SampleCommand>;

struct Invocation {
  CommonOptions common;
  Command command;
  std::string as_typed;  // "seamark run --target torch/cpu", quoted for a shell
};

// --help, --version, or a command line that is wrong.
struct Answer {
  ExitCode code = ExitCode::kDone;
  std::string text;  // for standard output when done, else for standard error
};

using Parsed = std::variant<Invocation, Answer>;

[[nodiscard]] Parsed parse_command_line(int argc, const char* const* argv);

}  // namespace seamark::cli
