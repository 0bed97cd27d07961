// The command line: what all verbs share, and how a verb says what it takes and what it does.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/cli/exit_codes.h"
#include "seamark/cli/terminal.h"
#include "seamark/model/format.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace seamark::cli {

struct Context;

// Given with any verb.
struct CommonOptions {
  std::optional<std::string> config;  // --config FILE
  bool no_config = false;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
};

// What seamark.toml and SEAMARK_* can say too; nullopt or empty: not said here.
struct Selection {
  std::vector<std::string> targets;
  std::vector<std::string> suites;
  std::optional<std::string> store;
  std::vector<std::string> python;  // PATH, or TARGET=PATH
};

// One option or argument of a verb. What is wrong with its value is told with the name of the option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  const Option& one_of(const std::vector<std::string>& names) const;
  const Option& within(std::int64_t least, std::int64_t most) const;
  const Option& between(double least, double most) const;
  const Option& takes(int least, int most) const;  // values each time
  const Option& required() const;
  const Option& excludes(std::initializer_list<const char*> others) const;

 private:
  CLI::Option* option_;
};

// What a verb takes, told when it is made: the values are filled when the command line is parsed.
class Options {
 public:
  explicit Options(CLI::App& verb) : verb_(verb) {}

  // `names`: "-o,--output". `type` stands for the value in the help. T: a string, std::int64_t or double, an
  // optional of these, or strings: one each time that the option is given.
  template <class T>
  Option value(const std::string& names, T& into, const std::string& type, const std::string& help);
  Option flag(const std::string& names, bool& into, const std::string& help);
  Option argument(const std::string& name, std::string& into, const std::string& help);
  Option argument(const std::string& name, std::vector<std::string>& into, const std::string& help);

  // What several verbs take.
  void targets(Selection& selection, const std::string& help);
  void suites(Selection& selection, const std::string& help);
  void store(Selection& selection, const std::string& help = "The results (default: seamark.db)");
  void python(Selection& selection);
  void run(std::string& run);
  // --format, one of these (`note` says more of them), and -o; either may be empty.
  void output(std::string& format, std::string& file, const Formats& formats, const std::string& note = {},
              const std::string& file_help = "Write to this file");

 private:
  CLI::App& verb_;
};

// A verb with what was said of it.
class Command {
 public:
  virtual ~Command() = default;
  virtual Result<ExitCode> run(Context& context) const = 0;
  // False: it is as with --no-config.
  [[nodiscard]] virtual bool reads_config() const { return true; }
};

// A verb of the command line (verbs.h lists them).
struct Verb {
  const char* name = "";
  const char* help = "";
  std::string footer;  // of its own help: examples
  std::unique_ptr<Command> (*make)(Options& options) = nullptr;
  const char* parent = "";  // the verb that it belongs to, which stands before it
};

// For Verb::make, of a command that takes Options.
template <class C>
std::unique_ptr<Command> make_command(Options& options) {
  return std::make_unique<C>(options);
}

struct Invocation {
  CommonOptions common;
  std::string as_typed;  // "seamark run --target torch/cpu", quoted for a shell
  std::unique_ptr<Command> command;
};

// --help, --version, or a command line that is wrong.
struct Answer {
  ExitCode code = ExitCode::kDone;
  std::string text;  // for standard output when done, else for standard error
};

// The word as a shell takes it: quoted where it must be.
[[nodiscard]] std::string shell_word(std::string_view word);

using Parsed = std::variant<Invocation, Answer>;

// Reads neither a file nor the environment.
[[nodiscard]] Parsed parse_command_line(std::span<const Verb> verbs, int argc, const char* const* argv);

}  // namespace seamark::cli
