// Parts of the command line: what several verbs have in common, and the verbs that read results. Each adds to
// the parser and fills what it is given when the command line is parsed.
#pragma once

#include <string>

#include "seamark/cli/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace seamark::cli::options {

CLI::App* verb(CLI::App& parent, const std::string& name, const std::string& text, const std::string& footer);
void add_store(CLI::App* sub, Selection& selection);
void add_run_choice(CLI::App* sub, std::string& run);
void add_targets_option(CLI::App* sub, Selection& selection, const std::string& text);
void add_python(CLI::App* sub, Selection& selection);

CLI::App* add_report(CLI::App& app, ReportCommand& command);
CLI::App* add_show(CLI::App& app, ShowCommand& command);
CLI::App* add_compare(CLI::App& app, CompareCommand& command);
CLI::App* add_export(CLI::App& app, ExportCommand& command);
CLI::App* add_import(CLI::App& app, ImportCommand& command);
CLI::App* add_merge(CLI::App& app, MergeCommand& command);
CLI::App* add_explain(CLI::App& app, ExplainCommand& command);

}  // namespace seamark::cli::options
