// `seamark explain`: what a category means; which rule an error text meets.
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <optional>

#include "seamark/audit/audit_report.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/classify/explain.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/build/explain_report.h"
#include "seamark/report/document/document_formats.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kMostErrorText = std::size_t{1} << 20;  // errors stand at the end: the rest is dropped

Result<std::string> read_error_text() {
  std::string text;
  while (true) {
    const Result<ReadState> state = read_available(STDIN_FILENO, text);
    if (!state)
      return Error(CliError::kUsage, "standard input cannot be read", "give the error as an argument");
    if (*state == ReadState::kEnd) break;
    if (text.size() > 2 * kMostErrorText) text.erase(0, text.size() - kMostErrorText);
  }
  if (!trim(text).empty()) return text;
  return Error(CliError::kUsage, "standard input holds no error text",
               "pipe one in: python script.py 2>&1 | seamark explain -");
}

class ExplainCommand final : public Command {
 public:
  explicit ExplainCommand(Options& options) {
    options.argument("CATEGORY|ERROR", what_,
                     "A category, a rule's id (of errors, or of `seamark audit`: DEV03, rules), or an error "
                     "text with or without its traceback; - reads one "
                     "from standard input (default: list the categories)");
    options.value("--framework", framework_, "FRAMEWORK", "Only rules of this framework (default: of all)");
    options.output(format_, output_, report::kDocumentFormats);
  }

  Result<ExitCode> run(Context& context) const override {
    const Result<Format> format = format_for(context, format_, output_, report::kDocumentFormats);
    if (!format) return format.error();
    if (Status known = check_framework(context, framework_); !known) return known.error();
    if (const auto page = of_audit(context)) return shown(context, *page, *format);
    const auto rules = classify::RuleSet::load(context.home / "data" / "classification");
    if (!rules) return rules.error();
    const auto explanations = classify::Explanations::load(context.home / "data" / "explain.toml");
    if (!explanations) return explanations.error();
    const Result<std::string> what = what_ == "-" ? read_error_text() : what_;
    if (!what) return what.error();
    const report::Document document = report::explain_document(
        *rules, *explanations, context.registry.frameworks(), repair_utf8(*what), framework_);
    return end_with(
        report::render(*format, "what an error means", document, render_options(context, output_)), output_);
  }

 private:
  // A rule of `seamark audit`, or all of them; nullopt: something else is asked for.
  [[nodiscard]] std::optional<Result<report::Document>> of_audit(const Context& context) const {
    const bool all = what_ == "rules";
    const bool id = what_.size() == 5 && what_.find_first_of(" .:-") == std::string::npos &&
                    report::upper(what_) == what_ &&
                    std::isdigit(static_cast<unsigned char>(what_.back())) != 0;
    const bool traced = what_.starts_with("trace-") && what_.find(' ') == std::string::npos;
    if (!all && !id && !traced) return std::nullopt;
    const Result<std::vector<audit::Rule>> rules = audit::load_rules(context.home / "data" / "audit");
    if (!rules) return rules.error();
    if (all) return audit::rules_document(*rules);
    if (const audit::Rule* rule = audit::find_rule(*rules, what_)) return audit::rule_document(*rule);
    return Error(CliError::kUnknownName, fmt::format("there is no rule '{}'", what_),
                 "`seamark explain rules` lists them");
  }

  [[nodiscard]] Result<ExitCode> shown(const Context& context, const Result<report::Document>& page,
                                       Format format) const {
    if (!page) return page.error();
    return end_with(report::render(format, what_, *page, render_options(context, output_)), output_);
  }

  std::string what_;       // a category, a rule, an error text, or "-"; empty: list the categories
  std::string framework_;  // empty: any
  std::string format_;
  std::string output_;
};

}  // namespace

Verb explain_verb() {
  return {"explain", "Say what a category of failure means, or which category an error is",
          "Examples:\n"
          "  seamark explain dynamic-shape\n"
          "  seamark explain DEV03\n"
          "  seamark explain \"RuntimeError: \\\"dot\\\" not implemented for 'Bool'\"\n"
          "  python train.py 2>&1 | seamark explain - --framework torch",
          make_command<ExplainCommand>};
}

}  // namespace seamark::cli
