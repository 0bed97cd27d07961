// How `--help` looks: the same for every version of CLI11. And what a wrong command line is told.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace seamark::cli {

[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

// The innermost verb on the command line that was parsed.
[[nodiscard]] CLI::App& chosen_verb(CLI::App& app);

// Why it is wrong, with the nearest word that there is; the help where nothing was said at all.
[[nodiscard]] std::string complaint(CLI::App& app, std::string_view error, int argc);

}  // namespace seamark::cli
