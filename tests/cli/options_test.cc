#include "seamark/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/verbs.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "seamark");
  return parse_command_line(verbs(), static_cast<int>(words.size()), words.data());
}

Invocation good(std::vector<const char*> words) {
  Parsed parsed = parse(std::move(words));
  if (const auto* answer = std::get_if<Answer>(&parsed)) throw std::runtime_error(answer->text);
  return std::move(std::get<Invocation>(parsed));
}

Answer answer(std::vector<const char*> words) { return std::get<Answer>(parse(std::move(words))); }

// The help of every verb, as written in tests/cli/golden. SEAMARK_UPDATE_GOLDEN=1 writes them anew.
class GoldenHelp : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenHelp, IsAsWritten) {
  std::vector<std::string> verbs;
  for (std::string_view word : split_words(GetParam())) verbs.emplace_back(word);
  std::vector<const char*> words;
  words.reserve(verbs.size() + 1);
  for (const std::string& verb : verbs) words.push_back(verb.c_str());
  words.push_back("--help");
  const Answer help = answer(words);
  EXPECT_EQ(help.code, ExitCode::kDone);
  const std::string stem = GetParam().empty() ? "seamark" : join(verbs, "-");
  const std::filesystem::path file =
      std::filesystem::path(SEAMARK_SOURCE_DIR) / "tests" / "cli" / "golden" / ("help-" + stem + ".txt");
  if (std::getenv("SEAMARK_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(file, help.text));
  }
  const Result<std::string> golden = read_file(file);
  ASSERT_TRUE(golden) << golden.error().message();
  EXPECT_EQ(help.text, *golden);
  for (std::string_view line : split_lines(help.text)) EXPECT_LE(display_width(line), 100U) << line;
}

INSTANTIATE_TEST_SUITE_P(Verbs, GoldenHelp,
                         ::testing::Values("", "targets", "targets install", "catalog", "usage", "run",
                                           "report", "show", "compare", "export", "import", "merge",
                                           "explain", "sample", "trust", "audit"),
                         [](const auto& verbs) {
                           return verbs.param.empty() ? std::string("seamark")
                                                      : replace_all(verbs.param, " ", "_");
                         });

// A verb as a file of its own defines one.
class ToyCommand final : public Command {
 public:
  explicit ToyCommand(Options& options) {
    options.argument("INPUT", inputs, "What to read");
    options.targets(selection, "Only these");
    options.store(selection);
    options.value("--name", name, "NAME", "A name");
    options.value("--maybe", maybe, "NAME", "A name or none").takes(0, 1);
    options.value("--kind", kinds, "KIND", "Which").one_of({"a", "b"});
    options.value("-n,--number", number, "N", "How many").within(0, 9);
    options.value("--share", share, "SHARE", "How much").between(0.0, 1.0);
    options.value("--pair", pair, "A B", "Two").takes(2, 2).excludes({"--name"});
    options.flag("--strict", strict, "Stop");
    options.output(format, output, {Format::kTerminal, Format::kMarkdown, Format::kJson});
  }
  Result<ExitCode> run(Context&) const override { return ExitCode::kDone; }

  Selection selection;
  std::vector<std::string> inputs;
  std::string name = "none";
  std::optional<std::string> maybe;
  std::vector<std::string> kinds;
  std::optional<std::int64_t> number;
  double share = 0.5;
  std::vector<std::string> pair;
  bool strict = false;
  std::string format;
  std::string output;
};

Parsed parse_toy(std::vector<const char*> words) {
  static const Verb kToys[] = {{"toy", "Play", "Examples", make_command<ToyCommand>},
                               {"inner", "Play more", "", make_command<ToyCommand>, "toy"}};
  words.insert(words.begin(), "seamark");
  return parse_command_line(kToys, static_cast<int>(words.size()), words.data());
}

// Throws where the command line is refused.
std::unique_ptr<ToyCommand> toy(std::vector<const char*> words) {
  Parsed parsed = parse_toy(std::move(words));
  std::unique_ptr<Command> command = std::move(std::get<Invocation>(parsed).command);
  return std::unique_ptr<ToyCommand>(dynamic_cast<ToyCommand*>(command.release()));
}

std::string refused(std::vector<const char*> words) {
  const Parsed parsed = parse_toy(std::move(words));
  const Answer said = std::get<Answer>(parsed);
  EXPECT_EQ(said.code, ExitCode::kUsage);
  return said.text;
}

TEST(Options, AVerbGetsWhatWasSaid) {
  const auto all = toy({"toy",      "a.gz",     "-",      "-t", "jax/*",  "--target=torch/cpu",
                        "--store",  "x.db",     "--name", "x",  "-n",     "7",
                        "--share",  "0.25",     "--kind", "a",  "--kind", "b",
                        "--strict", "--format", "md",     "-o", "out"});
  EXPECT_THAT(all->inputs, ElementsAre("a.gz", "-"));
  EXPECT_THAT(all->selection.targets, ElementsAre("jax/*", "torch/cpu"));
  EXPECT_EQ(all->selection.store, "x.db");
  EXPECT_EQ(all->name, "x");
  EXPECT_EQ(all->number, 7);
  EXPECT_EQ(all->share, 0.25);
  EXPECT_THAT(all->kinds, ElementsAre("a", "b"));
  EXPECT_TRUE(all->strict);
  EXPECT_EQ(all->format, "md");
  EXPECT_EQ(all->output, "out");
  EXPECT_EQ(toy({"toy", "inner", "--name", "y"})->name, "y");
  EXPECT_THAT(toy({"toy", "--pair", "a", "b"})->pair, ElementsAre("a", "b"));
  // An option takes one value: the next word is an input.
  EXPECT_THAT(toy({"toy", "--kind", "a", "b"})->inputs, ElementsAre("b"));
}

TEST(Options, NothingGivenIsNothingSaid) {
  const auto none = toy({"toy"});
  EXPECT_FALSE(none->selection.store || none->number || none->maybe || none->strict);
  EXPECT_EQ(none->name, "none");
  EXPECT_EQ(none->share, 0.5);
}

TEST(Options, AValueMayBeLeftOut) {
  EXPECT_EQ(toy({"toy", "--maybe"})->maybe, "");
  EXPECT_EQ(toy({"toy", "--maybe", "--strict"})->maybe, "");
  EXPECT_EQ(toy({"toy", "--maybe", "mine"})->maybe, "mine");
}

TEST(Options, WhatDoesNotFitIsRefusedByName) {
  EXPECT_THAT(refused({"toy", "--kind", "c"}), HasSubstr("--kind: c not in {a,b}"));
  EXPECT_THAT(refused({"toy", "-n", "10"}), HasSubstr("--number: "));
  EXPECT_THAT(refused({"toy", "--share", "2"}), HasSubstr("--share: "));
  EXPECT_THAT(refused({"toy", "--pair", "a"}), HasSubstr("--pair"));
  EXPECT_THAT(refused({"toy", "--pair", "a", "b", "--name", "x"}), HasSubstr("--name"));
  EXPECT_THAT(refused({"toy", "--format", "csv"}),
              HasSubstr("--format: csv is none of terminal, markdown or json"));
}

TEST(Options, RemembersTheCommandAsAShellReadsIt) {
  EXPECT_EQ(good({"run", "-t", "jax/*", "--case", "it's"}).as_typed,
            "seamark run -t 'jax/*' --case 'it'\\''s'");
}

TEST(Options, CommonOptionsStandBeforeOrAfterTheVerb) {
  EXPECT_EQ(good({"--color", "never", "report"}).common.color, ColorChoice::kNever);
  EXPECT_EQ(good({"report", "--color", "always"}).common.color, ColorChoice::kAlways);
  EXPECT_EQ(good({"targets", "--config", "a.toml"}).common.config, "a.toml");
}

TEST(Options, NoVerbIsUsageWithTheHelp) {
  const Answer none = answer({});
  EXPECT_EQ(none.code, ExitCode::kUsage);
  EXPECT_THAT(none.text, HasSubstr("Usage: seamark [OPTIONS] COMMAND"));
}

TEST(Options, SuggestsVerbsAndOptions) {
  EXPECT_THAT(answer({"rnu"}).text, HasSubstr("there is no command 'rnu'"));
  EXPECT_THAT(answer({"reprot"}).text, HasSubstr("did you mean 'report'?"));
  EXPECT_THAT(answer({"run", "--taget", "x"}).text, HasSubstr("did you mean '--target'?"));
  EXPECT_EQ(answer({"run", "--taget", "x"}).code, ExitCode::kUsage);
}

TEST(Options, RefusesBadValues) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"run", "--jobs", "0"},
                                             {"run", "--timeout", "-1"},
                                             {"run", "--seed", "x"},
                                             {"run", "--cases", "some"},
                                             {"report", "--format", "pdf"},
                                             {"--color", "maybe", "run"},
                                             {"compare", "a.db", "b.db", "c.db"},
                                             {"compare", "a.db", "b.db", "--noise-floor", "0.5"},
                                             {"compare", "--with", "a", "--format", "latex"},
                                             {"usage", "a", "--threads", "0"},
                                             {"sample", "--population", "some"},
                                             {"sample", "--seed", "-1"},
                                             {"sample", "--tier", "some"},
                                             {"catalog", "--diff", "one"},
                                             {"catalog", "--coverage", "--diff", "a", "b"},
                                             {"catalog", "--declared", "--coverage"},
                                             {"catalog", "--declared", "--diff", "a", "b"},
                                             {"catalog", "--format", "xml"},
                                             {"targets", "install"},
                                             {"import", "--target", "torch/cpu"},
                                             {"import", "x.json", "--format", "csv"},
                                             {"merge"},
                                             {"merge", "--store", "a.db"},
                                             {"show"}}) {
    EXPECT_EQ(answer(words).code, ExitCode::kUsage) << words.front();
  }
}

TEST(Options, Version) {
  EXPECT_EQ(answer({"--version"}).code, ExitCode::kDone);
  EXPECT_THAT(answer({"--version"}).text, ::testing::MatchesRegex("seamark [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace seamark::cli
