// `seamark show`: everything known of one function or case; or a script that reproduces a case.
#include <fmt/format.h>

#include <algorithm>

#include "seamark/agent/commands.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/text.h"
#include "seamark/catalog/rules.h"
#include "seamark/cli/case_listing.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/shipped_usage.h"
#include "seamark/cli/store_reading.h"
#include "seamark/cli/verbs.h"
#include "seamark/model/target_name.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/show_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {
namespace {

// FUNCTION/BODY[...]: a function has no '/'.
std::string function_of(const std::string& what) { return what.substr(0, what.find('/')); }
std::string case_of(const std::string& what) { return what.find('/') == std::string::npos ? "" : what; }

Error not_found(const std::string& what, const std::vector<std::string>& names, std::string_view where) {
  const std::optional<std::string> near = nearest(what, names);
  const std::string listed = case_of(what).empty() ? "" : fmt::format(" --function {}", function_of(what));
  return Error(
      CliError::kUnknownName,
      fmt::format("there is no {} '{}' in {}", case_of(what).empty() ? "function" : "case", what, where),
      near ? fmt::format("did you mean '{}'?", *near)
           : fmt::format("`seamark run --list{}` prints all cases", listed));
}

// Names of functions, or of cases where a case is looked for: of its function, where that is there.
std::vector<std::string> names_like(const analysis::Summary& summary, const std::string& what) {
  std::vector<std::string> names;
  if (case_of(what).empty()) {
    for (const analysis::FunctionRow& row : summary.functions) names.push_back(row.name);
    return names;
  }
  const auto has_function = [&](const analysis::FunctionRow& row) { return row.name == function_of(what); };
  const bool known = std::any_of(summary.functions.begin(), summary.functions.end(), has_function);
  for (const analysis::FunctionRow& row : summary.functions) {
    if (known && !has_function(row)) continue;
    for (const analysis::CaseRow& one : row.cases) names.push_back(one.name);
  }
  return names;
}

// What is declared of a function that no run has, of the device that --to names. Without a head: nothing.
Result<report::Document> declared_only(const std::string& function, const std::string& to,
                                       store::Store& store) {
  Result<std::vector<Declared>> declared = store.declared(function);
  if (!declared) return declared.error();
  std::erase_if(*declared,
                [&](const Declared& one) { return !to.empty() && one.head.family != family_of(to); });
  report::Document document;
  document.add(report::declared_of(*declared, function));
  if (!document.sections.empty()) document.head.push_back({function, {}, report::Tone::kStrong});
  return document;
}

class ShowCommand final : public Command {
 public:
  explicit ShowCommand(Options& options) {
    options.argument("FUNCTION|CASE", what, "A function, or one of its cases").required();
    options.value(
        "--to", to, "DEVICE",
        "How it fares there: a device (tpu-v5e, tpu, cuda) or a target; without a store of your own: as "
        "Seamark measured it");
    options.flag("--full", full, "Each case in a row, and each attempt");
    options.flag("--script", script, "Print a standalone script that reproduces the case");
    options.targets(selection, "Only these targets; with --script: the target of the script");
    options.store(selection);
    options.run(run_choice);
    options.suites(selection, "Where the case is, for --script (default: curated)");
    options.python(selection);
    options.output(format, output, report::kDocumentFormats);
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  std::string what;  // a function or a case
  std::string to;    // a device or a target
  std::string run_choice;
  std::string format;
  std::string output;
  bool script = false;
  bool full = false;
};

// Whether what the store lacks is looked for in what ships with Seamark.
bool falls_through(const ShowCommand& command) {
  return !command.selection.store && command.run_choice.empty();
}

// Where was looked.
std::string where_looked(const ShowCommand& command, const Settings& settings) {
  constexpr std::string_view kShips = "what ships with Seamark";
  if (is_measured(settings.store)) return std::string(kShips);
  return falls_through(command) ? fmt::format("{}, nor in {}", settings.store, kShips) : settings.store;
}

// "`seamark run --function torch.sort --target torch/tpu-v5e+aot` asks it here": on a target that --to means.
std::string asks_here(const Context& context, const std::string& function, const std::string& to) {
  const std::string framework = context.registry.frameworks().of(function);
  const std::string target = to.empty() ? "" : context.registry.first_for(framework, to);
  return fmt::format("`seamark run --function {}{}` asks it here, where a case calls it", function,
                     target.empty() ? "" : " --target " + target);
}

// A function that its framework has but no run asked is told so; of other names the nearest is offered.
Error no_result(const Context& context, const ShowCommand& command, std::vector<std::string> names,
                const Settings& settings) {
  const std::string where = where_looked(command, settings);
  if (!case_of(command.what).empty()) return not_found(command.what, names, where);
  const Result<std::vector<std::string>> shipped = catalog::shipped_names(
      context.home / "data" / "catalog", context.registry.frameworks().of(command.what));
  const std::string asks = asks_here(context, command.what, command.to);
  if (shipped && std::find(shipped->begin(), shipped->end(), command.what) != shipped->end())
    return Error(CliError::kUnknownName, fmt::format("there is no result of {} in {}", command.what, where),
                 asks);
  if (shipped) names.insert(names.end(), shipped->begin(), shipped->end());
  return not_found(command.what, names, where);
}

// Leaves of the targets that have the function those that --to names, and of what is declared that device's.
// kUnknownName where nothing is left.
Status narrow(analysis::Summary& summary, const Context& context, const ShowCommand& command,
              const Settings& settings) {
  const std::string& to = command.to;
  std::vector<std::string> known;
  bool any = false;
  for (analysis::FunctionRow& function : summary.functions) {
    for (std::size_t t = 0; t < function.cells.size(); ++t) {
      if (!function.cells[t].planned) continue;
      known.push_back(summary.targets[t].target);
      if (stands_for(known.back(), to)) {
        any = true;
        continue;
      }
      function.cells[t].planned = false;
      for (analysis::CaseRow& row : function.cases) row.cells[t].planned = false;
    }
  }
  const auto declares = [&](const Declared& one) { return one.head.family == family_of(to); };
  const bool declared = std::any_of(summary.declared.begin(), summary.declared.end(), declares);
  if (!any && !summary.functions.empty()) {
    const std::string& function = summary.functions.front().name;
    const std::string framework = context.registry.frameworks().of(function);
    const bool is_known = to == family_of(to) || !context.registry.first_for(framework, to).empty();
    if (!declared || !is_known) {
      return Error(
          CliError::kUnknownName,
          fmt::format("there is no result of {} on '{}' in {}", function, to,
                      where_looked(command, settings)),
          (known.empty() ? std::string() : fmt::format("results of it are on {}\n", join(known, ", "))) +
              (is_known ? asks_here(context, function, to)
                        : "`seamark targets --all` lists targets and their devices"));
    }
  }
  std::erase_if(summary.declared, [&](const Declared& one) { return !declares(one); });
  return {};
}

// "measured by Seamark on 2026-11-25 with PyTorch 2.13.0".
std::string origin_of(const analysis::Summary& summary) {
  std::vector<std::string> versions;
  for (const analysis::FunctionRow& function : summary.functions) {
    for (std::size_t t = 0; t < function.cells.size(); ++t) {
      if (!function.cells[t].planned) continue;
      const analysis::TargetRow& target = summary.targets[t];
      for (const std::string& version : target.framework_versions) {
        const std::string text = target.framework + " " + version;
        if (std::find(versions.begin(), versions.end(), text) == versions.end()) versions.push_back(text);
      }
    }
  }
  const std::string when = summary.runs.empty()
                               ? std::string()
                               : report::utc_text(summary.runs.front().info.started_unix_us).substr(0, 10);
  return fmt::format("measured by Seamark on {}{}; these results ship with it", when,
                     versions.empty() ? "" : " with " + join(versions, ", "));
}

struct Answer {
  report::Document document;
  bool measured = false;  // a case of it ran; else all is declared or planned
  // It has results, none on what --to names.
  std::optional<Error> elsewhere = {};  // NOLINT(readability-redundant-member-init): aggregates leave it out
};

bool has_results(const analysis::Summary& summary) {
  const auto ran = [](const analysis::CaseCell& cell) { return cell.planned && cell.outcome; };
  return std::any_of(summary.functions.begin(), summary.functions.end(), [&](const auto& function) {
    return std::any_of(function.cases.begin(), function.cases.end(), [&](const analysis::CaseRow& row) {
      return std::any_of(row.cells.begin(), row.cells.end(), ran);
    });
  });
}

// What the settings' store has of it.
Result<Answer> answer_in(const Context& context, const ShowCommand& command, const Settings& settings) {
  Result<StoreReading> reading = read_store(context, settings, command.run_choice);
  if (!reading) {
    if (!reading.error().is(store::StoreError::kNoSuchRun)) return reading.error();
    Result<store::Store> store = open_to_read(context, settings.store);
    if (!store) return store.error();
    Result<report::Document> declared = declared_only(function_of(command.what), command.to, *store);
    if (!declared) return declared.error();
    if (declared->head.empty()) return reading.error();
    return Answer{std::move(*declared)};
  }
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = reading->targets;
  options.function = function_of(command.what);
  options.detail = analysis::Detail::kFull;
  options.devices = &reading->devices;
  Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
  if (!summary) return summary.error();
  if (!command.to.empty()) {
    if (Status narrowed = narrow(*summary, context, command, settings); !narrowed)
      return Answer{.document = {}, .measured = false, .elsewhere = narrowed.error()};
  }
  const Result<UsageSource> usage = usage_for(context, reading->store, {});
  if (!usage) return usage.error();
  report::Document document =
      report::show_document(*summary, {case_of(command.what), command.full, !command.to.empty()},
                            render_options(context, command.output), &usage->table);
  if (!document.head.empty()) {
    if (is_measured(settings.store)) document.head.push_back({{}, origin_of(*summary), report::Tone::kDim});
    return Answer{std::move(document), has_results(*summary)};
  }
  if (case_of(command.what).empty()) {
    Result<report::Document> declared = declared_only(command.what, command.to, reading->store);
    if (!declared) return declared.error();
    if (!declared->head.empty()) {
      if (is_measured(settings.store))
        declared->head.push_back({{}, "of the declarations that ship with Seamark", report::Tone::kDim});
      return Answer{std::move(*declared)};
    }
  }
  options.function.clear();
  options.detail = analysis::Detail::kNone;
  const Result<analysis::Summary> all = analysis::summarize(reading->store, reading->rules, options);
  if (!all) return all.error();
  return no_result(context, command, names_like(*all, command.what), settings);
}

// The shipped results, then what the user's store declares in place of what ships.
report::Document with_declared_of(report::Document shipped, const report::Document& own,
                                  const std::string& store) {
  const auto is_declared = [](const report::Section& section) { return section.id == "declared"; };
  const auto declared = std::find_if(own.sections.begin(), own.sections.end(), is_declared);
  const bool any = declared != own.sections.end();
  shipped.head.push_back(
      {{},
       fmt::format("{} has no result of it there{}", store, any ? ", only what is declared" : ""),
       report::Tone::kDim});
  if (!any) return shipped;
  std::erase_if(shipped.sections, is_declared);
  shipped.sections.push_back(*declared);
  std::string& note = shipped.sections.back().note;
  note = fmt::format("Of {}. {}", store, note);
  return shipped;
}

// Of the store; where it is missing or has no result of it, and was not named, of what ships with Seamark.
Result<report::Document> document_of(const Context& context, const ShowCommand& command,
                                     const Settings& settings) {
  Result<Answer> own = answer_in(context, command, settings);
  const auto own_document = [&]() -> Result<report::Document> {
    if (!own) return own.error();
    if (own->elsewhere) return *own->elsewhere;
    return std::move(own->document);
  };
  if ((own && own->measured) || !falls_through(command)) return own_document();
  const bool missing = !own && own.error().is(store::StoreError::kMissing);
  if (!own && !missing && !own.error().is(CliError::kUnknownName) &&
      !own.error().is(store::StoreError::kNoSuchRun))
    return own.error();
  Settings shipped = settings;
  shipped.store = kMeasured;
  Result<Answer> measured = answer_in(context, command, shipped);
  if (!measured) return missing ? measured.error() : own_document();
  if (measured->elsewhere) return own ? own_document() : *measured->elsewhere;
  if (!own || own->elsewhere) return std::move(measured->document);
  if (!measured->measured) return own_document();
  return with_declared_of(std::move(measured->document), own->document, settings.store);
}

Result<ExitCode> show_results(const Context& context, const ShowCommand& command, const Settings& settings) {
  const Result<Format> format = format_for(context, command.format, command.output, report::kDocumentFormats);
  if (!format) return format.error();
  const Result<report::Document> document = document_of(context, command, settings);
  if (!document) return document.error();
  return end_with(report::render(*format, command.what, *document, render_options(context, command.output)),
                  command.output);
}

Result<const target::TargetEntry*> script_target(const Context& context, const Settings& settings,
                                                 std::string_view what) {
  const bool selftest = what.starts_with("selftest.");
  const std::string framework = selftest ? "selftest" : context.registry.frameworks().of(what);
  if (framework.empty()) {
    return Error(CliError::kUnknownName, fmt::format("there is no function '{}'", what),
                 "`seamark run --list` prints all cases, with the names of their functions");
  }
  std::vector<std::string> wanted = settings.targets;
  if (wanted.empty()) wanted.push_back(context.registry.baseline_of(framework));
  const auto selected = context.registry.select(wanted);
  if (!selected) return selected.error();
  if (selected->size() != 1) {
    return Error(CliError::kUsage, "a script is for one target", "name one with --target");
  }
  if (selected->front()->parts.framework != framework) {
    return Error(CliError::kUsage, fmt::format("the case is one of {}, the target '{}' is not", framework,
                                               selected->front()->name));
  }
  return selected->front();
}

Result<ExitCode> show_script(Context& context, const ShowCommand& command, Settings settings) {
  if (function_of(command.what).starts_with("selftest.") && command.selection.suites.empty()) {
    settings.suites = {"selftest"};
  }
  const Result<const target::TargetEntry*> entry = script_target(context, settings, command.what);
  if (!entry) return entry.error();
  const target::Doctor doctor = doctor_of(context, settings);
  const Result<target::Interpreter> python = python_for(context, doctor, **entry);
  if (!python) return python.error();
  CaseListing listing(context, settings.suites);
  const auto all = listing.of(**entry, *python);
  if (!all) return all.error();
  const auto found = std::find_if(all->begin(), all->end(), [&](const CaseInfo& info) {
    return case_of(command.what).empty() ? info.function == command.what && info.quick
                                         : info.name == command.what;
  });
  if (found == all->end()) {
    std::vector<std::string> names;
    for (const CaseInfo& info : *all)
      names.push_back(case_of(command.what).empty() ? info.function : info.name);
    return not_found(command.what, names, "the suites " + join(settings.suites, ", "));
  }
  const Result<std::string> script = agent::script(agent_program(context, **entry, *python), settings.suites,
                                                   found->name, (*entry)->hello());
  if (!script) return script.error();
  return end_with(*script, command.output);
}

Result<ExitCode> ShowCommand::run(Context& context) const {
  const Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  if (what.empty())
    return Error(CliError::kUsage, "the name is empty", "`seamark show torch.matmul` names a function");
  if (!script) return show_results(context, *this, *settings);
  if (!to.empty())
    return Error(CliError::kUsage, "--script and --to exclude each other", "name the target with --target");
  if (format.empty()) return show_script(context, *this, *settings);
  return Error(CliError::kUsage, "--script and --format exclude each other", "leave out one of them");
}

}  // namespace

Verb show_verb() {
  return {"show", "Tell everything known of one function or case",
          "Examples:\n"
          "  seamark show torch.matmul --to tpu-v5e\n"
          "  seamark show torch.argsort\n"
          "  seamark show 'torch.argsort/argsort[f32,100,dim=-1]' --script --target torch/lazy",
          make_command<ShowCommand>};
}

}  // namespace seamark::cli
