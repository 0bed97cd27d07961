#include "seamark/cli/help_formatter.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/text.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kNameColumn = 26;

// Breaks at spaces; every line but the first is indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::string_view word : split_words(text)) {
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > kHelpWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  return out;
}

class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string out = wrapped(app->get_description(), 0) + "\n\n" + usage(*app);
    out += commands(*app) + arguments(*app);
    for (const std::string& group : app->get_groups()) {
      if (!group.empty()) out += options(*app, group);
    }
    if (app->get_parent() != nullptr) out += options(*root(app), "Common options");
    if (!app->get_footer().empty()) out += "\n" + app->get_footer() + "\n";
    return out;
  }

 private:
  static const CLI::App* root(const CLI::App* app) {
    while (app->get_parent() != nullptr) app = app->get_parent();
    return app;
  }

  static std::string full_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
  }

  // Without what CLI11 appends for checks: our descriptions say it better.
  static std::string value_name(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
  }

  static std::string row(const std::string& name, const std::string& text) {
    const std::string head = "  " + name;
    const std::string gap = head.size() + 2 > kNameColumn ? "\n" + std::string(kNameColumn, ' ')
                                                          : std::string(kNameColumn - head.size(), ' ');
    return head + gap + wrapped(text, kNameColumn) + "\n";
  }

  static std::string usage(const CLI::App& app) {
    std::string line = "Usage: " + full_name(app) + " [OPTIONS]";
    for (const CLI::Option* option : app.get_options()) {
      if (!option->get_positional()) continue;
      const std::string name =
          option->get_single_name() + (option->get_items_expected_max() > 1 ? "..." : "");
      line += option->get_required() ? " " + name : " [" + name + "]";
    }
    const bool has_verbs = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
    if (has_verbs) line += app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
    return line + "\n";
  }

  static std::string commands(const CLI::App& app) {
    std::string out;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
      out += row(verb->get_name(), verb->get_description());
    }
    return out.empty() ? out : "\nCommands:\n" + out;
  }

  static std::string arguments(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) out += row(option->get_single_name(), option->get_description());
    }
    return out.empty() ? out : "\nArguments:\n" + out;
  }

  static std::string options(const CLI::App& app, const std::string& group) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      std::string name = option->get_snames().empty() ? "    " : "-" + option->get_snames().front() + ", ";
      name += "--" + option->get_lnames().front();
      if (option->get_items_expected_max() > 0) name += " " + value_name(*option);
      out += row(name, option->get_description());
    }
    return out.empty() ? out : "\n" + group + ":\n" + out;
  }
};

// The nearest verb or option to a word that nothing takes.
std::string suggestion(CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* one :
       {static_cast<const CLI::App*>(&chosen_verb(app)), static_cast<const CLI::App*>(&app)}) {
    for (const CLI::App* sub : one->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(sub->get_name());
    }
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::optional<std::string> near = nearest(word, known);
  return near ? fmt::format("did you mean '{}'? ", *near) : std::string();
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

CLI::App& chosen_verb(CLI::App& app) {
  CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::string complaint(CLI::App& app, std::string_view error, int argc) {
  if (argc <= 1) return app.help();
  CLI::App& verb = chosen_verb(app);
  std::string name;
  for (const CLI::App* one = &verb; one != nullptr; one = one->get_parent()) {
    name.insert(0, one->get_name() + (name.empty() ? "" : " "));
  }
  const std::vector<std::string> extra = app.remaining(true);
  std::string what = one_line(error);
  std::string hint;
  if (!extra.empty()) {
    // The first word that looks like an option is the likelier mistake.
    const auto option =
        std::find_if(extra.begin(), extra.end(), [](const std::string& word) { return word[0] == '-'; });
    const std::string& word = option != extra.end() ? *option : extra.front();
    const bool is_verb = &verb == &app && option == extra.end();
    what =
        is_verb ? fmt::format("there is no command '{}'", word) : fmt::format("{} takes no '{}'", name, word);
    hint = suggestion(app, word.substr(0, word.find('=')));
  }
  return fmt::format("seamark: {}\n  {}`{} --help` tells what there is\n", what, hint, name);
}

}  // namespace seamark::cli
