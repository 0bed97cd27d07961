#include "seamark/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/cli/help_formatter.h"
#include "seamark/cli/version.h"

namespace seamark::cli {
namespace {

void add_common(CLI::App& app, CommonOptions& common, std::string& color) {
  const char* const group = "Common options";
  app.set_help_flag("-h,--help", "Print this help")->group(group);
  app.set_version_flag("--version", fmt::format("seamark {}", version()), "Print the version")->group(group);
  app.add_option("--config", common.config,
                 "Read this file (default: seamark.toml here or in a folder above)")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--no-config", common.no_config, "Read no seamark.toml")->group(group);
  app.add_option("--color", color, "auto, always or never (NO_COLOR and FORCE_COLOR are honoured)")
      ->type_name("WHEN")
      ->group(group)
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("-q,--quiet", common.quiet, "No progress and no summary, only results and errors")
      ->group(group);
  app.footer("`seamark COMMAND --help` tells more of a command. Start with: seamark targets");
}

CLI::App* add_verb(CLI::App& app, const Verb& verb) {
  CLI::App& parent = *verb.parent == '\0' ? app : *app.get_subcommand(verb.parent);
  CLI::App* sub = parent.add_subcommand(verb.name, verb.help);
  if (&parent != &app) parent.require_subcommand(0, 1);
  sub->fallthrough();
  sub->set_help_flag("-h,--help", "Print this help")->group("");  // shown among the common options
  sub->footer(verb.footer);
  return sub;
}

}  // namespace

const Option& Option::one_of(const std::vector<std::string>& names) const {
  option_->check(CLI::IsMember(names));
  return *this;
}

const Option& Option::within(std::int64_t least, std::int64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

const Option& Option::between(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

const Option& Option::takes(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

const Option& Option::required() const {
  option_->required();
  return *this;
}

const Option& Option::excludes(std::initializer_list<const char*> others) const {
  for (const char* other : others) option_->excludes(other);
  return *this;
}

template <class T>
Option Options::value(const std::string& names, T& into, const std::string& type, const std::string& help) {
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<T, std::optional<std::string>>) {
    // An empty value is one: CLI11 itself takes it for none.
    option = verb_.add_option(
        names,
        [&into](const CLI::results_t& said) {
          into = said.empty() ? std::string() : said.front();
          return true;
        },
        help);
  } else {
    option = verb_.add_option(names, into, help);
  }
  if constexpr (std::is_same_v<T, std::vector<std::string>>) option->allow_extra_args(false);
  return Option(option->type_name(type));
}

template Option Options::value(const std::string&, std::string&, const std::string&, const std::string&);
template Option Options::value(const std::string&, std::optional<std::string>&, const std::string&,
                               const std::string&);
template Option Options::value(const std::string&, std::vector<std::string>&, const std::string&,
                               const std::string&);
template Option Options::value(const std::string&, std::int64_t&, const std::string&, const std::string&);
template Option Options::value(const std::string&, std::optional<std::int64_t>&, const std::string&,
                               const std::string&);
template Option Options::value(const std::string&, double&, const std::string&, const std::string&);
template Option Options::value(const std::string&, std::optional<double>&, const std::string&,
                               const std::string&);

Option Options::flag(const std::string& names, bool& into, const std::string& help) {
  return Option(verb_.add_flag(names, into, help));
}

Option Options::argument(const std::string& name, std::string& into, const std::string& help) {
  return Option(verb_.add_option(name, into, help));
}

Option Options::argument(const std::string& name, std::vector<std::string>& into, const std::string& help) {
  return Option(verb_.add_option(name, into, help));
}

void Options::targets(Selection& selection, const std::string& help) {
  value("-t,--target", selection.targets, "TARGET", help);
}

void Options::suites(Selection& selection, const std::string& help) {
  value("--suite", selection.suites, "SUITE", help);
}

void Options::store(Selection& selection, const std::string& help) {
  value("-s,--store", selection.store, "FILE", help);
}

void Options::python(Selection& selection) {
  value("--python", selection.python, "PATH",
        "An interpreter of yours, for all targets, or TARGET=PATH for some; nothing is installed into it");
}

void Options::run(std::string& run) {
  value("--run", run, "ID", "latest (default), all, or the beginning of a run's id");
}

void Options::output(std::string& format, std::string& file, const Formats& formats, const std::string& note,
                     const std::string& file_help) {
  const std::string names = format_names(formats);
  value("--format", format, "FORMAT",
        fmt::format("{}{} (default: by the name of the output, else {})", names, note,
                    format_name(formats.front())));
  verb_.get_option("--format")
      ->check(
          [names, taken = formats](const std::string& asked) {
            const std::optional<Format> known = format_from(asked);
            const bool fits = known && std::find(taken.begin(), taken.end(), *known) != taken.end();
            return fits ? std::string() : fmt::format("{} is none of {}", asked, names);
          },
          "");
  value("-o,--output", file, "FILE", file_help);
}

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=+./:,@%").find(c) != std::string_view::npos;
  });
  return plain ? std::string(word) : "'" + replace_all(word, "'", "'\\''") + "'";
}

Parsed parse_command_line(std::span<const Verb> verbs, int argc, const char* const* argv) {
  CLI::App app("Measures how portable the functions of PyTorch, TensorFlow and JAX are.", "seamark");
  app.formatter(help_formatter());
  app.require_subcommand(1);
  Invocation invocation;
  std::string color = "auto";
  add_common(app, invocation.common, color);
  std::vector<std::pair<const CLI::App*, std::unique_ptr<Command>>> commands;
  for (const Verb& verb : verbs) {
    CLI::App* sub = add_verb(app, verb);
    Options options(*sub);
    commands.emplace_back(sub, verb.make(options));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    return Answer{ExitCode::kDone, fmt::format("seamark {}\n", version())};
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return Answer{ExitCode::kDone, chosen_verb(app).help()};
    }
    return Answer{ExitCode::kUsage, complaint(app, error.what(), argc)};
  }
  invocation.common.color = color == "always"  ? ColorChoice::kAlways
                            : color == "never" ? ColorChoice::kNever
                                               : ColorChoice::kAuto;
  for (auto& [sub, command] : commands) {
    if (sub == &chosen_verb(app)) invocation.command = std::move(command);
  }
  if (invocation.command && !invocation.command->reads_config()) invocation.common.no_config = true;
  for (int i = 0; i < argc; ++i) invocation.as_typed += i == 0 ? "seamark" : " " + shell_word(argv[i]);
  return invocation;
}

}  // namespace seamark::cli
