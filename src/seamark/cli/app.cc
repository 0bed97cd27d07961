#include "seamark/cli/app.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <variant>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exit_codes.h"
#include "seamark/cli/verbs.h"

namespace seamark::cli {
namespace {

// Told, and gone on without them.
Error untrusted_keys(const Settings& settings) {
  return {CliError::kUsage,
          fmt::format("{} is not trusted: its {} {} not used", settings.config_file.native(),
                      join(settings.untrusted, ", "), settings.untrusted.size() == 1 ? "is" : "are"),
          "they name what is executed or imported: read the file, then `seamark trust`; or name it with "
          "--config"};
}

ExitCode invoke(const Invocation& invocation) {
  Result<Context> context = make_context(invocation);
  const bool color = describe_terminal(STDERR_FILENO, invocation.common.color).color;
  if (context && !context->settings.untrusted.empty())
    (void)write_all(STDERR_FILENO, error_text(untrusted_keys(context->settings), color));
  const Result<ExitCode> code =
      context ? invocation.command->run(*context) : Result<ExitCode>(context.error());
  if (code) return *code;
  (void)write_all(STDERR_FILENO, error_text(code.error(), color));
  return exit_code_of(code.error());
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  ::signal(SIGPIPE, SIG_IGN);  // `seamark report | head` is no crash
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes (ulimit -f) is an error as a full disk is
  try {
    const Parsed parsed = parse_command_line(verbs(), argc, argv);
    if (const auto* answer = std::get_if<Answer>(&parsed)) {
      (void)write_all(answer->code == ExitCode::kDone ? STDOUT_FILENO : STDERR_FILENO, answer->text);
      return static_cast<int>(answer->code);
    }
    return static_cast<int>(invoke(std::get<Invocation>(parsed)));
  } catch (const std::exception& error) {
    // A broken contract: a defect of ours, to be told as one.
    (void)write_all(STDERR_FILENO,
                    fmt::format("seamark: internal error: {}\n  please report it with the command "
                                "that gave it\n",
                                error.what()));
    return static_cast<int>(ExitCode::kEnvironment);
  }
}

}  // namespace seamark::cli
