#include "seamark/cli/app.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <variant>

#include "seamark/base/fd.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exit_codes.h"
#include "seamark/cli/options.h"

namespace seamark::cli {
namespace {

struct Dispatch {
  Context& context;
  Result<ExitCode> operator()(const TargetsCommand& command) const { return run_targets(context, command); }
  Result<ExitCode> operator()(const InstallCommand& command) const { return run_install(context, command); }
  Result<ExitCode> operator()(const RunCommand& command) const { return run_run(context, command); }
  Result<ExitCode> operator()(const ReportCommand& command) const { return run_report(context, command); }
  Result<ExitCode> operator()(const ShowCommand& command) const { return run_show(context, command); }
  Result<ExitCode> operator()(const CatalogCommand& command) const { return run_catalog(context, command); }
  Result<ExitCode> operator()(const UsageCommand& command) const { return run_usage(context, command); }
  Result<ExitCode> operator()(const SampleCommand& command) const { return run_sample(context, command); }
  Result<ExitCode> operator()(const ExportCommand& command) const { return run_export(context, command); }
  Result<ExitCode> operator()(const ImportCommand& command) const { return run_import(context, command); }
  Result<ExitCode> operator()(const MergeCommand& command) const { return run_merge(context, command); }
  Result<ExitCode> operator()(const CompareCommand& command) const { return run_compare(context, command); }
  Result<ExitCode> operator()(const ExplainCommand& command) const { return run_explain(context, command); }
};

ExitCode give_up(const Error& error, ColorChoice color) {
  (void)write_all(STDERR_FILENO, error_text(error, describe_terminal(STDERR_FILENO, color).color));
  return exit_code_of(error);
}

ExitCode invoke(const Invocation& invocation) {
  Result<Context> context = make_context(invocation);
  if (!context) return give_up(context.error(), invocation.common.color);
  const Result<ExitCode> code = std::visit(Dispatch{*context}, invocation.command);
  return code ? *code : give_up(code.error(), invocation.common.color);
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  ::signal(SIGPIPE, SIG_IGN);  // `seamark report | head` is no crash
  try {
    const Parsed parsed = parse_command_line(argc, argv);
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
