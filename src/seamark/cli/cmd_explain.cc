// `seamark explain`: what a category means; which rule an error text meets.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/classify/explain.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/explain_text.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kMaxInput = std::size_t{1} << 20;  // errors stand at the end: the rest is dropped

Result<std::string> read_standard_input() {
  std::string text;
  char part[1 << 16];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error(CliError::kUsage, "standard input cannot be read", "give the error as an argument");
    if (count == 0) return text;
    text.append(part, static_cast<std::size_t>(count));
    if (text.size() > 2 * kMaxInput) text.erase(0, text.size() - kMaxInput);
  }
}

}  // namespace

Result<ExitCode> run_explain(Context& context, const ExplainCommand& command) {
  if (Status known = check_framework(context, command.framework); !known) return known.error();
  const auto rules = classify::RuleSet::load(context.home / "data" / "classification");
  if (!rules) return rules.error();
  const auto explanations = classify::Explanations::load(context.home / "data" / "explain.toml");
  if (!explanations) return explanations.error();
  Result<std::string> what = command.what == "-" ? read_standard_input() : command.what;
  if (!what) return what.error();
  if (trim(*what).empty() && command.what == "-") {
    return Error(CliError::kUsage, "standard input holds no error text",
                 "pipe one in: python script.py 2>&1 | seamark explain -");
  }
  const ExplainText text{
      *rules,           *explanations, context.registry.frameworks(), command.framework, context.out.width,
      context.out.color};
  if (Status status = print_out(text.of(repair_utf8(*what))); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace seamark::cli
