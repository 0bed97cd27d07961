#include "seamark/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "seamark");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

Invocation good(std::vector<const char*> words) {
  const Parsed parsed = parse(std::move(words));
  if (const auto* answer = std::get_if<Answer>(&parsed)) throw std::runtime_error(answer->text);
  return std::get<Invocation>(parsed);
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
                                           "explain", "sample"),
                         [](const auto& verbs) {
                           return verbs.param.empty() ? std::string("seamark")
                                                      : replace_all(verbs.param, " ", "_");
                         });

TEST(Options, Compare) {
  const auto compare =
      std::get<CompareCommand>(good({"compare", "--with", "grand-illusion", "--store", "a.db", "--run", "all",
                                     "--target", "jax/*", "--format", "json", "-o", "a.json"})
                                   .command);
  EXPECT_EQ(compare.with, "grand-illusion");
  EXPECT_EQ(compare.selection.store, "a.db");
  EXPECT_THAT(compare.selection.targets, ElementsAre("jax/*"));
  EXPECT_EQ(compare.run, "all");
  EXPECT_EQ(compare.format, "json");
  EXPECT_EQ(compare.output, "a.json");
  EXPECT_EQ(answer({"compare"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"compare", "a.db"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"compare", "a.db", "b.db", "c.db"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"compare", "a.db", "b.db", "--noise-floor", "0.5"}).code, ExitCode::kUsage);
  const auto sides = std::get<CompareCommand>(
      good({"compare", "a.db", "b.db", "--fail-on", "slower=1.5", "--expected", "e.toml", "--update-expected",
            "--noise-floor", "1.2", "--format", "junit"})
          .command);
  EXPECT_THAT(sides.sides, ElementsAre("a.db", "b.db"));
  EXPECT_EQ(sides.fail_on, "slower=1.5");
  EXPECT_EQ(sides.expected, "e.toml");
  EXPECT_TRUE(sides.update_expected);
  EXPECT_EQ(sides.noise_floor, 1.2);
  EXPECT_EQ(sides.format, "junit");
  EXPECT_EQ(answer({"compare", "--with", "a", "--format", "html"}).code, ExitCode::kUsage);
}

TEST(Options, Usage) {
  const auto usage =
      std::get<UsageCommand>(good({"usage",      "a.gz",        "b",      "-",           "--framework",
                                   "jax",        "--framework", "torch",  "--catalogue", "c.jsonl",
                                   "--protocol", "paper",       "--kind", "jsonl",       "--content-key",
                                   "code",       "-j",          "3",      "--strict",    "--refresh",
                                   "--label",    "x",           "--top",  "5",           "--format",
                                   "json",       "-o",          "u.json", "--store",     "u.db"})
                                 .command);
  EXPECT_THAT(usage.inputs, ElementsAre("a.gz", "b", "-"));
  EXPECT_THAT(usage.frameworks, ElementsAre("jax", "torch"));
  EXPECT_THAT(usage.catalogues, ElementsAre("c.jsonl"));
  EXPECT_EQ(usage.protocol, "paper");
  EXPECT_EQ(usage.kind, "jsonl");
  EXPECT_EQ(usage.content_key, "code");
  EXPECT_EQ(usage.repository_key, "repo_name");
  EXPECT_EQ(usage.threads, 3);
  EXPECT_TRUE(usage.strict);
  EXPECT_TRUE(usage.refresh);
  EXPECT_EQ(usage.label, "x");
  EXPECT_EQ(usage.top, 5);
  EXPECT_EQ(usage.format, "json");
  EXPECT_EQ(usage.output, "u.json");
  EXPECT_EQ(usage.selection.store, "u.db");
  // An option takes one value: the next word is an input.
  const auto mixed = std::get<UsageCommand>(good({"usage", "--framework", "jax", "a.gz"}).command);
  EXPECT_THAT(mixed.inputs, ElementsAre("a.gz"));
  EXPECT_EQ(answer({"usage", "a", "--threads", "0"}).code, ExitCode::kUsage);
}

TEST(Options, Sample) {
  const auto sample = std::get<SampleCommand>(
      good({"sample",      "--top",        "3",          "--per-decile", "2",        "--seed",
            "9",           "--population", "all",        "--never-seen", "8",        "--by",
            "files",       "--exclude",    "torch.a:no", "--exclude",    "jax.b:no", "--replace",
            "torch.c:why", "--framework",  "torch",      "--usage",      "u.csv",    "--tier",
            "resolved",    "--tier",       "inferred",   "--catalogue",  "c.jsonl",  "--name",
            "mine",        "--store",      "a.db",       "-o",           "s.json"})
          .command);
  EXPECT_EQ(sample.top, 3);
  EXPECT_EQ(sample.per_decile, 2);
  EXPECT_EQ(sample.seed, 9);
  EXPECT_EQ(sample.never_seen, 8);
  EXPECT_EQ(sample.by, "files");
  EXPECT_THAT(sample.exclude, ElementsAre("torch.a:no", "jax.b:no"));
  EXPECT_THAT(sample.replace, ElementsAre("torch.c:why"));
  EXPECT_THAT(sample.tiers, ElementsAre("resolved", "inferred"));
  EXPECT_EQ(sample.selection.store, "a.db");
  EXPECT_EQ(std::get<SampleCommand>(good({"sample"}).command).top, 20);
  EXPECT_EQ(answer({"sample", "--population", "some"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"sample", "--seed", "-1"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"sample", "--tier", "some"}).code, ExitCode::kUsage);
}

TEST(Options, RunTakesASampleWithOrWithoutAName) {
  EXPECT_EQ(std::get<RunCommand>(good({"run"}).command).sample, std::nullopt);
  EXPECT_EQ(std::get<RunCommand>(good({"run", "--sample"}).command).sample, "");
  EXPECT_EQ(std::get<RunCommand>(good({"run", "--sample", "--target", "torch/cpu"}).command).sample, "");
  EXPECT_EQ(std::get<RunCommand>(good({"run", "--sample", "mine"}).command).sample, "mine");
}

TEST(Options, Catalog) {
  const auto diff = std::get<CatalogCommand>(
      good({"catalog", "--diff", "jax==0.4.30", "new.jsonl", "--store", "c.db", "-o", "d.csv"}).command);
  EXPECT_THAT(diff.diff, ElementsAre("jax==0.4.30", "new.jsonl"));
  EXPECT_EQ(diff.selection.store, "c.db");
  EXPECT_EQ(diff.output, "d.csv");
  const auto coverage = std::get<CatalogCommand>(
      good({"catalog", "--coverage", "--refresh", "--target", "jax/cpu", "--format", "json"}).command);
  EXPECT_TRUE(coverage.coverage);
  EXPECT_TRUE(coverage.refresh);
  EXPECT_THAT(coverage.selection.targets, ElementsAre("jax/cpu"));
  EXPECT_EQ(answer({"catalog", "--diff", "one"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"catalog", "--coverage", "--diff", "a", "b"}).code, ExitCode::kUsage);
  const auto declared =
      std::get<CatalogCommand>(good({"catalog", "--declared", "--suite", "./mine.py"}).command);
  EXPECT_TRUE(declared.declared);
  EXPECT_THAT(declared.selection.suites, ElementsAre("./mine.py"));
  EXPECT_EQ(answer({"catalog", "--declared", "--coverage"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"catalog", "--declared", "--diff", "a", "b"}).code, ExitCode::kUsage);
  EXPECT_EQ(answer({"catalog", "--format", "xml"}).code, ExitCode::kUsage);
}

TEST(Options, ReadsARun) {
  const Invocation invocation = good({"run",        "-t",     "torch/cpu", "--target=jax/*",
                                      "--suite",    "my.py",  "-f",        "torch.*",
                                      "--case",     "*[f32*", "--store",   "x.db",
                                      "--protocol", "paper",  "--timeout", "2.5",
                                      "--seed",     "7",      "--recheck", "0.5",
                                      "-j",         "3",      "--cases",   "quick",
                                      "--time",     "all",    "--python",  "torch/cpu=/p",
                                      "--resume",   "--list", "--quiet"});
  const auto& run = std::get<RunCommand>(invocation.command);
  EXPECT_THAT(run.selection.targets, ElementsAre("torch/cpu", "jax/*"));
  EXPECT_THAT(run.selection.suites, ElementsAre("my.py"));
  EXPECT_THAT(run.functions, ElementsAre("torch.*"));
  EXPECT_EQ(run.case_glob, "*[f32*");
  EXPECT_EQ(run.selection.store, "x.db");
  EXPECT_EQ(run.protocol, "paper");
  EXPECT_EQ(run.timeout_s, 2.5);
  EXPECT_EQ(run.seed, 7);
  EXPECT_EQ(run.recheck, 0.5);
  EXPECT_EQ(run.jobs, 3);
  EXPECT_EQ(run.cases, "quick");
  EXPECT_EQ(run.time, "all");
  EXPECT_THAT(run.selection.python, ElementsAre("torch/cpu=/p"));
  EXPECT_TRUE(run.resume);
  EXPECT_TRUE(run.list);
  EXPECT_TRUE(invocation.common.quiet);
}

TEST(Options, NothingGivenIsNothingSaid) {
  const auto run = std::get<RunCommand>(good({"run"}).command);
  EXPECT_FALSE(run.selection.store || run.protocol || run.timeout_s || run.seed || run.recheck || run.jobs ||
               run.cases || run.time);
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

TEST(Options, InstallTakesNames) {
  const auto install = std::get<InstallCommand>(good({"targets", "install", "jax-cpu", "torch-cpu"}).command);
  EXPECT_THAT(install.names, ElementsAre("jax-cpu", "torch-cpu"));
  EXPECT_EQ(answer({"targets", "install"}).code, ExitCode::kUsage);
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

TEST(Options, Merge) {
  const auto merge =
      std::get<MergeCommand>(good({"merge", "--store", "all.db", "a.db", "b.db", "--strict"}).command);
  EXPECT_EQ(merge.selection.store, "all.db");
  EXPECT_THAT(merge.stores, ElementsAre("a.db", "b.db"));
  EXPECT_TRUE(merge.strict);
}

TEST(Options, RefusesBadValues) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"run", "--jobs", "0"},
                                             {"run", "--timeout", "-1"},
                                             {"run", "--seed", "x"},
                                             {"run", "--cases", "some"},
                                             {"report", "--format", "pdf"},
                                             {"--color", "maybe", "run"},
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
