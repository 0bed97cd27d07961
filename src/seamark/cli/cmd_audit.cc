// `seamark audit`: whether a project's code moves to another device.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "seamark/audit/audit_report.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/audit_fixes.h"
#include "seamark/cli/audit_settings.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/run_again.h"
#include "seamark/cli/store_reading.h"
#include "seamark/cli/trace_program.h"
#include "seamark/cli/usage_catalogues.h"
#include "seamark/cli/verbs.h"
#include "seamark/model/target_name.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestBaseline = std::size_t{64} << 20;

Formats audit_formats() {
  return report::documents_and({Format::kJson, Format::kJsonl, Format::kSarif, Format::kJunit});
}

// What one store says, open as long as it is asked.
struct Source {
  StoreReading reading;
  analysis::Summary summary;
  std::string origin;
};

class AuditCommand final : public Command {
 public:
  explicit AuditCommand(Options& options) {
    options.argument("PATH", paths, "Files and folders of Python (default: the folder that you are in)");
    options.value("--to", given.to, "DEVICE",
                  "Where it is to run: a device (tpu-v5e, mps, cuda) or a target (torch/xla)");
    options.value("--from", given.from, "DEVICE", "Where it runs now: what fails there too is no finding");
    options.flag("--full", full, "Every place, and every function");
    options.flag("--run", run_missing, "Run the cases of the functions that are not known, and audit again");
    options.value("--trace", trace.command, "COMMAND",
                  "Run this program on the CPU, record its calls, and run these on the target");
    options.value("--steps", trace.steps, "N",
                  "With --trace: end the program after so many steps (default: 100)");
    options.value("--trace-file", trace.file, "FILE",
                  "Where the calls are written, a suite for `seamark run` (default: trace.json)");
    options.value("--ignore", given.ignore, "ID", "Leave out a rule or a function; may be repeated");
    options.value("--exclude", given.exclude, "GLOB", "Leave out files; may be repeated");
    options
        .value("--fail-on", given.fail_on, "LEVEL",
               "What exits with 1: error, warning, note or none (default: error)")
        .one_of({"error", "warning", "note", "none"});
    options.value("--baseline", given.baseline, "FILE", "What this file has is no finding");
    options.flag("--update-baseline", update_baseline, "Write what there is into that file");
    options.flag("--fix", fix, "Rewrite what can be rewritten so that the old device's result stays");
    options.flag("--unsafe-fixes", unsafe_fixes, "Rewrite the rest of what is known too");
    options.flag("--diff", diff, "Show what --fix or --unsafe-fixes would change, and write nothing");
    options.flag("--allow-dirty", allow_dirty, "Write over files that git does not have as they are");
    options.store(selection, "Your own results, asked first (default: seamark.db, where it is there)");
    options.python(selection);
    options.output(format, output, audit_formats());
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  std::vector<std::string> paths;
  AuditSettings given;
  std::string format;
  std::string output;
  bool full = false;
  bool run_missing = false;
  bool update_baseline = false;
  bool fix = false;
  bool unsafe_fixes = false;
  bool diff = false;
  bool allow_dirty = false;
  [[nodiscard]] bool fixes() const { return fix || unsafe_fixes || diff; }
  TraceRequest trace;
};

class AuditSession {
 public:
  AuditSession(const Context& context, const AuditCommand& command, Settings settings, AuditSettings audit)
      : context_(context),
        command_(command),
        settings_(std::move(settings)),
        chosen_(std::move(audit)),
        paths_(command.paths) {
    if (paths_.empty()) paths_.emplace_back(".");
  }

  Result<audit::Audit> audit() {
    if (Status known = know_device(); !known) return known.error();
    Result<std::vector<audit::Rule>> rules = audit::load_rules(context_.home / "data" / "audit");
    if (!rules) return rules.error();
    rules_ = std::move(*rules);
    if (Status known = check_ignored(); !known) return known.error();
    Result<usage::Vocabulary> vocabulary = names();
    if (!vocabulary) return vocabulary.error();
    Result<audit::Project> project = audit::audit_paths(paths_, *vocabulary, rules_, {chosen_.exclude});
    if (!project) return project.error();
    if (project->read == 0 && project->findings.empty()) {
      return Error(CliError::kNothing, fmt::format("there is no Python in {}", join(paths_, ", ")),
                   "name files or folders of Python");
    }
    return joined(std::move(*project));
  }

  // The functions that nobody asked, of targets that can be asked here.
  [[nodiscard]] std::vector<std::string> unknown_of(const audit::Audit& audit) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < audit.project.functions.size(); ++i) {
      const audit::FunctionUse& use = audit.project.functions[i];
      const audit::Answer answer = audit.answers.functions[i].answer;
      const bool open = answer == audit::Answer::kUnknown || answer == audit::Answer::kDeclared;
      if (open && use.known && use.calls > 0) names.push_back(use.name);
    }
    return names;
  }

  // Runs the program, then its calls on the target. An exit code: that was interrupted. The next audit tells
  // what came of it.
  Result<std::optional<ExitCode>> run_trace(const audit::Answers& answers) {
    TraceRequest request = command_.trace;
    const std::size_t slash = chosen_.to.find('/');
    if (slash != std::string::npos) request.framework = chosen_.to.substr(0, slash);
    const target::TargetEntry* compiler = context_.registry.find(target_of("torch", answers));
    request.compiled = compiler != nullptr && compiler->dynamo;
    Result<audit::Trace> trace = trace_program(context_, request);
    if (!trace) return trace.error();
    const std::string target = target_of(trace->framework, answers);
    if (target.empty()) {
      trace->problem = fmt::format("no target of {} stands for {}", trace->framework, chosen_.to);
    } else {
      const std::string suite = fs::absolute(trace->file).native();
      const Result<ExitCode> ran = run_suite(context_, settings_, target, suite, command_.selection);
      if (ran && *ran == ExitCode::kInterrupted) return std::optional(*ran);
      if (ran) {
        trace->target = target;
      } else {
        trace->problem = fmt::format("{}; seamark run --suite {} --target {}", ran.error().message(),
                                     shell_word(trace->file), target);
      }
    }
    trace_ = std::move(*trace);
    return std::optional<ExitCode>();
  }

  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  // Where a trace is run: what was named, else where the functions' answers are from.
  [[nodiscard]] std::string target_of(const std::string& framework, const audit::Answers& answers) const {
    const target::TargetEntry* const named = context_.registry.find(chosen_.to);
    if (named != nullptr && named->parts.framework == framework) return named->name;
    const auto answered = answers.targets.find(framework);
    if (answered != answers.targets.end() && context_.registry.find(answered->second) != nullptr)
      return answered->second;
    return context_.registry.first_for(framework, chosen_.to);
  }

  // --to names a device that something is known of.
  Status know_device() {
    if (chosen_.to.empty()) {
      return Error(CliError::kUsage, "--to says where the code is to run",
                   "seamark audit PATH --to tpu-v5e; `seamark targets --all` lists the targets");
    }
    for (const std::string& device : {chosen_.to, chosen_.from}) {
      if (device.empty()) continue;
      std::vector<std::string> names;
      bool known = false;
      for (const target::TargetEntry& entry : context_.registry.targets()) {
        known = known || stands_for(entry.name, device);
        names.push_back(entry.name);
        names.push_back(entry.parts.device());
      }
      if (known) continue;
      const std::optional<std::string> near = nearest(device, names);
      return Error(CliError::kUnknownName, fmt::format("there is no device or target '{}'", device),
                   near ? fmt::format("did you mean '{}'?", *near) : "`seamark targets --all` lists them");
    }
    return {};
  }

  Status check_ignored() {
    std::vector<std::string> ids;
    for (const audit::Rule& rule : rules_) ids.push_back(rule.id);
    for (const std::string& id : chosen_.ignore) {
      const bool looks_like_rule = id.find('.') == std::string::npos && !id.empty() && id.front() < 'a';
      if (!looks_like_rule || audit::find_rule(rules_, id) != nullptr) continue;
      const std::optional<std::string> near = nearest(id, ids);
      return Error(CliError::kUnknownName, fmt::format("there is no rule '{}'", id),
                   near ? fmt::format("did you mean '{}'?", *near) : "`seamark explain rules` lists them");
    }
    return {};
  }

  // The frameworks' names: of the catalogues of one's own store, else of those that ship.
  Result<usage::Vocabulary> names() {
    Result<usage::Vocabulary> vocabulary = usage::Vocabulary::load(context_.home / "data" / "usage");
    if (!vocabulary) return vocabulary.error();
    std::vector<std::string> missing;
    for (const Framework& framework : vocabulary->frameworks()) missing.push_back(framework.name);
    std::vector<Catalogue> catalogues;
    for (const std::string& name : stores()) {
      Result<store::Store> store = open_to_read(context_, name);
      if (!store) return store.error();
      Result<UsageCatalogues> found = find_usage_catalogues(*store, {}, missing);
      if (!found) return found.error();
      std::move(found->catalogues.begin(), found->catalogues.end(), std::back_inserter(catalogues));
      missing = found->missing;
      opened_.insert_or_assign(name, std::move(*store));
    }
    vocabulary->add(std::move(catalogues));
    return vocabulary;
  }

  // One's own, where it is there or must be, and what ships.
  [[nodiscard]] std::vector<std::string> stores() const {
    std::error_code error;
    const bool is_made = command_.run_missing || !command_.trace.command.empty();
    const bool own = !is_measured(settings_.store) &&
                     ((command_.selection.store && !is_made) || fs::exists(settings_.store, error));
    std::vector<std::string> names;
    if (own) names.push_back(settings_.store);
    names.emplace_back(kMeasured);
    return names;
  }

  // What a store that is open says of the two devices. nullopt: it has no run.
  Result<std::optional<Source>> read_source(const std::string& name, store::Store store,
                                            const audit::Project& project) {
    Settings settings = settings_;
    settings.store = name;
    settings.targets.clear();
    Result<StoreReading> reading =
        read_store(context_, settings, is_measured(name) ? "" : "all", std::move(store));
    if (!reading) {
      if (reading.error().is(store::StoreError::kNoSuchRun)) return std::optional<Source>();
      return reading.error();
    }
    analysis::SummaryOptions options;
    options.run = reading->choice;
    options.detail = analysis::Detail::kMessages;
    options.devices = &reading->devices;
    for (const std::string& target : reading->known_targets) {
      const Result<TargetName> parsed = TargetName::parse(target);
      const bool used = parsed && std::find(project.frameworks.begin(), project.frameworks.end(),
                                            parsed->framework) != project.frameworks.end();
      const bool asked =
          stands_for(target, chosen_.to) || (!chosen_.from.empty() && stands_for(target, chosen_.from));
      const bool baseline = parsed && context_.registry.baseline_of(parsed->framework) == target;
      if (used && (asked || baseline)) options.targets.push_back(target);
    }
    if (options.targets.empty()) options.targets = reading->known_targets;
    Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
    if (!summary) return summary.error();
    std::string origin = is_measured(name) ? "what Seamark measured itself" : name;
    if (!summary->runs.empty())
      origin += ", " + report::utc_text(summary->runs.front().info.started_unix_us).substr(0, 10);
    return std::optional<Source>(Source{std::move(*reading), std::move(*summary), std::move(origin)});
  }

  // A target is one of a framework: of the others nothing is asked.
  void leave_other_frameworks(audit::Project& project) const {
    const std::size_t slash = chosen_.to.find('/');
    if (slash == std::string::npos) return;
    const std::string framework = chosen_.to.substr(0, slash);
    std::erase_if(project.frameworks, [&](const std::string& one) { return one != framework; });
    std::erase_if(project.functions,
                  [&](const audit::FunctionUse& use) { return use.framework != framework; });
  }

  // Where no results are, the first target that stands for the device: it can be run, or be said to be
  // missing.
  void name_targets(audit::Answers& answers) const {
    for (auto& [framework, target] : answers.targets) {
      if (target.empty()) target = context_.registry.first_for(framework, chosen_.to);
    }
  }

  Result<audit::Audit> joined(audit::Project project) {
    leave_other_frameworks(project);
    audit::Audit out;
    out.move = {chosen_.to, chosen_.from};
    std::vector<Source> sources;
    for (const std::string& name : stores()) {
      auto opened = opened_.extract(name);
      if (opened.empty()) continue;
      Result<std::optional<Source>> source = read_source(name, std::move(opened.mapped()), project);
      if (!source) return source.error();
      if (source->has_value()) sources.push_back(std::move(**source));
    }
    std::vector<audit::Results> results;
    for (const Source& source : sources) results.push_back({&source.summary, source.origin});
    out.answers = audit::answers_for(project, results, out.move);
    name_targets(out.answers);
    for (const Source& source : sources) {
      out.origins.push_back(versions_of(source, out.answers));
      add_known(source, out.answers, out.known);
    }
    const Result<classify::Explanations> explanations =
        classify::Explanations::load(context_.home / "data" / "explain.toml");
    if (!explanations) return explanations.error();
    out.project = std::move(project);
    out.rules = rules_;
    out.items = audit::items_of(out.project, out.answers, rules_, out.move,
                                {chosen_.ignore.begin(), chosen_.ignore.end()}, *explanations);
    if (trace_) {
      const audit::TraceAnswers traced = audit::answers_of(
          *trace_, trace_->target.empty() || sources.empty() ? nullptr : &sources.front().summary,
          *explanations);
      out.traced = audit::trace_text(*trace_, traced);
      out.trace = audit::trace_value(*trace_, traced);
      out.items.insert(out.items.end(), traced.items.begin(), traced.items.end());
      audit::settle_items(out.items, {chosen_.ignore.begin(), chosen_.ignore.end()});
    }
    if (!unknown_of(out).empty()) {
      std::string command = "seamark audit";
      for (const std::string& path : command_.paths) command += " " + shell_word(path);
      out.run_command = command + " --to " + shell_word(chosen_.to) + " --run";
    }
    return out;
  }

  // Devices but the CPU, for the frameworks that have no result there.
  static void add_known(const Source& source, const audit::Answers& answers,
                        std::vector<std::string>& known) {
    for (const std::string& name : source.reading.known_targets) {
      const Result<TargetName> target = TargetName::parse(name);
      if (!target || target->family == "cpu" || !answers.targets.contains(target->framework) ||
          answers.asked.contains(target->framework))
        continue;
      const std::string device = target->device().substr(0, target->device().find('+'));
      if (std::find(known.begin(), known.end(), device) == known.end()) known.push_back(device);
    }
  }

  // "what Seamark measured itself, 2026-11-25: torch/tpu-v5e+aot with torch 2.13.0".
  static std::string versions_of(const Source& source, const audit::Answers& answers) {
    std::vector<std::string> parts;
    for (const analysis::TargetRow& target : source.summary.targets) {
      const auto chosen = answers.targets.find(target.framework);
      if (chosen == answers.targets.end() || chosen->second != target.target) continue;
      parts.push_back(fmt::format("{} with {} {}", target.target, target.framework,
                                  join(target.framework_versions, ", ")));
    }
    return source.origin + (parts.empty() ? "" : ": " + join(parts, "; "));
  }

  const Context& context_;
  const AuditCommand& command_;
  Settings settings_;
  AuditSettings chosen_;
  std::vector<std::string> paths_;
  std::vector<audit::Rule> rules_;
  std::optional<audit::Trace> trace_;
  std::map<std::string, store::Store> opened_;  // by names(), for joined()
};

Status use_baseline(audit::Audit& audit, const AuditSettings& settings, bool update) {
  if (settings.baseline.empty()) {
    if (!update) return {};
    return Error(CliError::kUsage, "--update-baseline does not know which file",
                 "name it with --baseline FILE");
  }
  if (update) return write_output(audit::baseline_text(audit.items), settings.baseline);
  const Result<std::string> text = read_file(settings.baseline, kLargestBaseline);
  if (!text) return Error(CliError::kUsage, text.error().message(), "write one with --update-baseline");
  return audit::apply_baseline(audit.items, *text, settings.baseline);
}

std::string rendered(Format format, const audit::Audit& audit, audit::Level fail_on,
                     const AuditCommand& command, const Context& context) {
  const report::RenderOptions options = render_options(context, command.output);
  switch (format) {
    case Format::kJson:
      return dump_json_pretty(audit::audit_value(audit, options));
    case Format::kJsonl:
      return audit::audit_lines(audit);
    case Format::kSarif:
      return report::sarif_text(audit::audit_findings(audit, fail_on), options);
    case Format::kJunit:
      return report::junit_text(audit::audit_findings(audit, fail_on));
    default: {
      const bool whole = command.full || format != Format::kTerminal;
      return report::render(format, "Will it move?", audit::audit_document(audit, whole, options), options);
    }
  }
}

// The diff alone on standard output, before the report of what stays.
Status fix_and_show(const Context& context, const audit::Audit& audit, const AuditCommand& command) {
  const Result<Fixes> fixes = apply_fixes(
      context, audit,
      {.unsafe = command.unsafe_fixes, .write = !command.diff, .allow_dirty = command.allow_dirty});
  if (!fixes) return fixes.error();
  const Status written = write_output(context.out.is_terminal ? plain_text(fixes->diff) : fixes->diff);
  if (!context.common.quiet) (void)write_all(STDERR_FILENO, fixes->summary);
  return written;
}

Result<ExitCode> AuditCommand::run(Context& context) const {
  const Result<Format> chosen = format_for(context, format, output, audit_formats());
  if (!chosen) return chosen.error();
  if (fixes() && *chosen != Format::kTerminal && !is_file(output)) {
    return Error(CliError::kUsage, "the changes are written to standard output, where a report would mix",
                 "name a file for the report with -o");
  }
  if (allow_dirty && !fixes()) {
    return Error(CliError::kUsage, "--allow-dirty does nothing without --fix or --unsafe-fixes",
                 "add one of them");
  }
  Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  Result<AuditSettings> choices = audit_settings(context, given, paths.empty() ? "." : paths.front());
  if (!choices) return choices.error();
  AuditSession session(context, *this, *settings, *choices);
  Result<audit::Audit> audit = session.audit();
  if (!audit) return audit.error();
  if (!trace.command.empty()) {
    const Result<std::optional<ExitCode>> stopped = session.run_trace(audit->answers);
    if (!stopped) return stopped.error();
    if (*stopped) return **stopped;
    audit = session.audit();
    if (!audit) return audit.error();
  }
  if (run_missing && !session.unknown_of(*audit).empty()) {
    Result<ExitCode> ran =
        run_functions(context, session.settings(), audit->answers, session.unknown_of(*audit), selection);
    if (!ran) return ran;
    if (*ran == ExitCode::kInterrupted) return ran;
    audit = session.audit();
    if (!audit) return audit.error();
  }
  if (Status used = use_baseline(*audit, *choices, update_baseline); !used) return used.error();
  if (fixes()) {
    if (Status shown = fix_and_show(context, *audit, *this); !shown) return shown.error();
    if (!diff) {
      audit = session.audit();
      if (!audit) return audit.error();
      if (Status used = use_baseline(*audit, *choices, update_baseline); !used) return used.error();
    }
  }
  const std::optional<audit::Level> fail_on = choices->level();
  const std::string text = rendered(*chosen, *audit, fail_on.value_or(audit::Level::kError), *this, context);
  if (!diff || is_file(output)) {
    if (Status written = write_output(text, output); !written) return written.error();
  }
  const bool found = fail_on && !update_baseline &&
                     std::any_of(audit->items.begin(), audit->items.end(), [&](const audit::Item& item) {
                       return item.suppressed_because.empty() && item.level <= *fail_on;
                     });
  return found ? ExitCode::kFindings : ExitCode::kDone;
}

}  // namespace

Verb audit_verb() {
  return {
      "audit", "Tell whether a project's code moves to another device",
      "Nothing of the project is imported or run, but for the program that --trace names. Settings are in\n"
      "[tool.seamark] of its pyproject.toml.\n\n"
      "Examples:\n"
      "  seamark audit src --to tpu-v5e\n"
      "  seamark audit . --from cuda --to torch/xla --full\n"
      "  seamark audit src --to tpu-v5e --trace 'python train.py --epochs 1'\n"
      "  seamark audit . --to mps --format sarif -o audit.sarif\n"
      "  seamark audit . --to mps --fix --diff\n"
      "  seamark explain DEV03",
      make_command<AuditCommand>};
}

}  // namespace seamark::cli
