// Errors of this room, and the one place where errors become exit codes.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/cli/exit_codes.h"

namespace seamark::cli {

enum class CliError {
  kUsage = 1,        // the command line or a config
  kUnknownName = 2,  // a function, case or suite that is not there
  kEnvironment = 3,  // nothing can serve what was asked for
  kNothing = 4,      // there is nothing to do
  kOutput = 5,       // a file or standard output cannot be written
};
constexpr std::string_view room_of(CliError) { return "cli"; }

[[nodiscard]] ExitCode exit_code_of(const Error& error);

// "seamark: what happened\n  what to do\n", safe for a terminal.
[[nodiscard]] std::string error_text(const Error& error, bool color);

}  // namespace seamark::cli
