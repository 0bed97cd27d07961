// The executable with the real agent: a suite whose cases pass, fail, crash and hang. SEAMARK_TEST_PYTHON
// names an interpreter with NumPy; without one the tests that need it are skipped.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/proc/run_command.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSuite = R"(
from seamark_suites.case import case


@case("selftest.math.fsum", n=[3, 4], reference="none")
def fsum(t, n):
    t.expect(t.call("selftest.math.fsum", [0.5] * n) == 0.5 * n, "the exact sum")


@case("selftest.math.sqrt", reference="none")
def raises(t):
    t.call("selftest.math.sqrt", -1.0)


@case("selftest.os.abort", reference="none")
def dies(t):
    t.call("selftest.os.abort")


@case("selftest.time.sleep", reference="none")
def hangs(t):
    t.call("selftest.time.sleep", 600)
)";

constexpr std::string_view kAutomatic = R"(
from seamark_suites.automatic import Option, generated

FRAMEWORKS = ("selftest",)
OPTIONS = {"samples": Option(1, low=1, high=9)}


def fsum(t, sample):
    t.expect(t.call("selftest.math.fsum", [0.5] * sample) == 0.5 * sample, "the exact sum")


def cases(framework, options):
    for n in range(options["samples"]):
        yield generated("selftest.math.fsum", fsum, {"sample": n}, ["sample=%d" % n], ["1"], core=n == 0,
                        reference="none")
)";

constexpr std::string_view kConfig = R"(
suites = ["suite.py"]
timeout_s = 2
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "fork"
memory_limit = "none"
)";

std::string python() {
  const char* named = std::getenv("SEAMARK_TEST_PYTHON");
  return named != nullptr ? named : "python3";
}

bool has_numpy() {
  proc::CommandOptions command;
  command.spawn.argv = {python(), "-c", "import numpy"};
  const Result<proc::CommandResult> result = proc::run_command(command);
  return result && result->success();
}

class EndToEnd : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(path("suite.py"), kSuite));
    ASSERT_TRUE(write_file(path("seamark.toml"), kConfig));
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  [[nodiscard]] proc::SpawnOptions spawn(const std::vector<std::string>& words) const {
    proc::SpawnOptions options;
    options.argv = {SEAMARK_BINARY};
    options.argv.insert(options.argv.end(), words.begin(), words.end());
    options.cwd = folder_.path().native();
    for (const char* name : {"SEAMARK_HOME", "SEAMARK_STORE", "FORCE_COLOR", "VIRTUAL_ENV"}) {
      options.environment.emplace_back(name, std::nullopt);
    }
    options.environment.emplace_back("SEAMARK_CONFIG", path("seamark.toml").native());
    options.environment.emplace_back("SEAMARK_CACHE", path("cache").native());
    return options;
  }

  [[nodiscard]] proc::CommandResult seamark(const std::vector<std::string>& words,
                                            std::string input = {}) const {
    proc::CommandOptions command;
    command.spawn = spawn(words);
    command.input = std::move(input);
    command.timeout_s = 100;
    Result<proc::CommandResult> result = proc::run_command(command);
    if (!result) throw std::runtime_error(result.error().message());
    return std::move(result.value());
  }

  proc::CommandResult run(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"run", "--target", "selftest/cpu", "--python", python(), "--no-timing"};
    words.insert(words.end(), more.begin(), more.end());
    return seamark(words);
  }

  TempDir folder_ = std::move(TempDir::make("seamark-cli").value());
};

#define NEEDS_NUMPY() \
  if (!has_numpy()) GTEST_SKIP() << "no NumPy in " << python() << ": set SEAMARK_TEST_PYTHON"

TEST_F(EndToEnd, EachCaseEndsAsWhatItIsAndTheOthersAreUnharmed) {
  NEEDS_NUMPY();
  const proc::CommandResult ran = run();
  EXPECT_EQ(ran.exit.code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("5 cases: 2 pass, 1 fail, 1 timeout, 1 crash"));
  EXPECT_THAT(ran.out, HasSubstr("next: seamark report\n"));
  EXPECT_THAT(ran.err, HasSubstr("running 5 cases on 1 targets"));

  const proc::CommandResult exported = seamark({"export", "-o", "-", "--format", "jsonl"});
  EXPECT_EQ(exported.exit.code(), 0) << exported.err;
  int rows = 0;
  for (std::string_view line : split_lines(exported.out)) {
    const Result<Value> row = parse_json(line);
    ASSERT_TRUE(row) << line;
    if (row->string_or("case", "") == "selftest.os.abort/dies") {
      EXPECT_EQ(row->string_or("outcome", ""), "crash");
    }
    ++rows;
  }
  EXPECT_EQ(rows, 5 + 3);  // what failed was run again alone

  const proc::CommandResult report = seamark({"report", "--format", "json"});
  EXPECT_EQ(report.exit.code(), 0) << report.err;
  const Result<Value> document = parse_json(report.out);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->string_or("schema", ""), "seamark-report/2");

  const proc::CommandResult shown = seamark({"show", "selftest.math.sqrt"});
  EXPECT_EQ(shown.exit.code(), 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("math domain error"));
  EXPECT_THAT(seamark({"show", "selftest.math.sqrt", "--format", "markdown"}).out,
              HasSubstr("| `selftest/cpu` |"));
  EXPECT_EQ(seamark({"show", "selftest.math.sqrt", "-o", "show.html"}).exit.code(), 0);
  EXPECT_THAT(*read_file(path("show.html")), HasSubstr("math domain error"));
  EXPECT_EQ(seamark({"show", "selftest.math.sqrt", "--script", "--format", "html"}).exit.code(), 2);
  EXPECT_THAT(seamark({"show", "selftest.math.sqr"}).err, HasSubstr("did you mean 'selftest.math.sqrt'?"));

  EXPECT_EQ(seamark({"report", "-o", "report.html"}).exit.code(), 0);
  EXPECT_THAT(*read_file(path("report.html")), HasSubstr("<html"));
  EXPECT_EQ(run({"--resume"}).exit.code(), 4);
  EXPECT_EQ(seamark({"run", "--resume", "--python", python()}).exit.code(), 4);
}

TEST_F(EndToEnd, AnInterruptedRunIsGoneOnWith) {
  NEEDS_NUMPY();
  proc::SpawnOptions options =
      spawn({"run", "--target", "selftest/cpu", "--python", python(), "--no-timing", "--timeout", "4"});
  const Result<UniqueFd> output = open_file(path("output"), O_CREAT | O_RDWR);
  ASSERT_TRUE(output);
  options.fds = {{output->get(), 1}, {output->get(), 2}};
  Result<proc::Child> child = proc::Child::spawn(options);
  ASSERT_TRUE(child);
  // Once something is committed, and before the case that hangs has ended.
  std::string before;
  for (int i = 0; i < 600 && split_lines(before).size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_FALSE(child->try_wait()) << *read_file(path("output"));
    before = seamark({"export", "-o", "-", "--format", "csv"}).out;
  }
  ASSERT_EQ(::kill(child->pid(), SIGINT), 0);
  EXPECT_EQ(child->reap().code(), 130);
  EXPECT_THAT(*read_file(path("output")), HasSubstr("next: seamark run --resume"));

  const proc::CommandResult refused =
      run({"--resume", "--timeout", "5", "--function", "selftest.*", "--seed", "0"});
  EXPECT_EQ(refused.exit.code(), 2);
  EXPECT_THAT(refused.err, HasSubstr("--function selftest.* (it has none), --timeout 5 (it has 4)\n"));
  const proc::CommandResult resumed = run({"--resume", "--timeout", "4"});
  EXPECT_EQ(resumed.exit.code(), 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("5 cases: 2 pass, 1 fail, 1 timeout, 1 crash"));
  const std::string after = seamark({"export", "-o", "-", "--format", "csv"}).out;
  for (std::string_view row : split_lines(before)) EXPECT_THAT(after, HasSubstr(std::string(row)));
}

TEST_F(EndToEnd, ResumingLeavesARunAloneThatAnotherProcessRuns) {
  NEEDS_NUMPY();
  const std::vector<std::string> hanging = {"run",         "--target", "selftest/cpu", "--python", python(),
                                            "--no-timing", "--case",   "*hangs*",      "--timeout"};
  const auto begin = [&](const std::string& timeout, const UniqueFd& output) {
    std::vector<std::string> words = hanging;
    words.push_back(timeout);
    proc::SpawnOptions options = spawn(words);
    options.fds = {{output.get(), 1}, {output.get(), 2}};
    Result<proc::Child> child = proc::Child::spawn(options);
    if (!child) throw std::runtime_error(child.error().message());
    return std::move(*child);
  };
  const auto runs = [&] {
    const auto file = path("seamark.db");
    Result<store::Store> store = store::Store::open(file, store::OpenMode::kRead);
    return store ? store->runs().value() : std::vector<store::RunInfo>();
  };
  const auto wait_for_runs = [&](std::size_t count, proc::Child& child) {
    for (int i = 0; i < 600 && runs().size() < count; ++i) {
      if (child.try_wait()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  };
  const Result<UniqueFd> output = open_file(path("output"), O_CREAT | O_RDWR);
  ASSERT_TRUE(output);
  proc::Child first = begin("3", *output);
  wait_for_runs(1, first);
  first.signal_group(SIGKILL);
  first.reap();
  proc::Child second = begin("500", *output);
  wait_for_runs(2, second);
  ASSERT_EQ(runs().size(), 2U) << *read_file(path("output"));
  const std::string going_on = runs().front().uuid;
  const std::string left = runs().back().uuid;

  const proc::CommandResult resumed = seamark({"run", "--resume", "--python", python()});
  EXPECT_EQ(resumed.exit.code(), 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("1 timeout"));
  EXPECT_EQ(runs().front().uuid, going_on);
  EXPECT_EQ(runs().front().state, store::RunState::kRunning);
  EXPECT_EQ(runs().back().uuid, left);
  EXPECT_EQ(runs().back().state, store::RunState::kFinished);

  const proc::CommandResult again = seamark({"run", "--resume", "--python", python()});
  EXPECT_EQ(again.exit.code(), 3);
  EXPECT_THAT(again.err, HasSubstr("is still going on in process"));
  ASSERT_FALSE(second.try_wait());
  second.signal_group(SIGKILL);
  second.reap();
}

TEST_F(EndToEnd, WithoutANamedTargetAllThatAreUsableRunAndTheOthersAreSaid) {
  NEEDS_NUMPY();
  const proc::CommandResult ran = seamark(
      {"run", "--python", "selftest/*=" + python(), "--no-timing", "--function", "selftest.math.fsum"});
  EXPECT_EQ(ran.exit.code(), 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("selftest/cpu: 1 function: 1 pass; 2 cases: 2 pass"));
  EXPECT_THAT(ran.err, HasSubstr("left out: torch/cpu, "));
  EXPECT_THAT(ran.err, HasSubstr("seamark targets install torch-cpu"));
}

// What a shell puts into the place of a file: pipes, and a file that others write too.
TEST_F(EndToEnd, AnOutputThatIsNoFileIsWrittenInItsPlace) {
  NEEDS_NUMPY();
  EXPECT_EQ(run({"--function", "selftest.math.fsum"}).exit.code(), 0);
  const std::string whole = seamark({"report", "--format", "csv"}).out;
  ASSERT_THAT(whole, HasSubstr("selftest/cpu"));
  const auto shell = [&](const std::string& script) {
    proc::CommandOptions command;
    command.spawn = spawn({});
    command.spawn.argv = {"bash", "-c", script, "bash", SEAMARK_BINARY};
    command.timeout_s = 30;
    Result<proc::CommandResult> result = proc::run_command(command);
    EXPECT_TRUE(result && result->success()) << (result ? result->err : result.error().message());
    return result ? result->out : std::string();
  };
  EXPECT_EQ(shell("\"$1\" report --format csv -o /dev/stdout | cat"), whole);
  EXPECT_EQ(shell("\"$1\" report --format csv -o >(cat > there); while [ ! -s there ]; do sleep 0.01; done; "
                  "cat there"),
            whole);
  EXPECT_EQ(shell("{ echo before; \"$1\" report --format csv -o /dev/stdout; echo after; } > all; cat all"),
            "before\n" + whole + "after\n");
  EXPECT_EQ(shell("umask 027; \"$1\" report --format csv -o new; stat -c %a new"), "640\n");
  const std::string exported = seamark({"export", "--format", "jsonl", "-o", "-"}).out;
  EXPECT_EQ(shell("\"$1\" export -q --format jsonl -o /dev/stdout | cat"), exported);
}

TEST_F(EndToEnd, ListsWithoutAFramework) {
  const proc::CommandResult listed = seamark({"run", "--list", "--python", python()});
  EXPECT_EQ(listed.exit.code(), 0) << listed.err;
  EXPECT_EQ(split_lines(listed.out).size(), 5U);
  EXPECT_THAT(listed.out, HasSubstr("selftest.math.fsum/fsum[n=4]\n"));
}

TEST_F(EndToEnd, AnAutomaticSuiteIsListedAndRunWithItsOptions) {
  ASSERT_TRUE(write_file(path("made.py"), kAutomatic));
  const proc::CommandResult listed =
      seamark({"run", "--list", "--target", "selftest/cpu", "--python", python(), "--suite",
               "made.py?samples=3", "--suite", "suite.py"});
  EXPECT_EQ(listed.exit.code(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("selftest.math.fsum/fsum[sample=2]\n"));
  EXPECT_THAT(listed.out, HasSubstr("selftest.math.sqrt/raises\n"));

  const proc::CommandResult wrong = run({"--suite", "made.py?samples=10"});
  EXPECT_EQ(wrong.exit.code(), 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("option samples of suite made is '10', expected a whole number from 1 to 9"));
  EXPECT_THAT(wrong.err, Not(HasSubstr("Traceback")));

  const proc::CommandResult script =
      seamark({"show", "selftest.math.fsum/fsum[sample=0]", "--script", "--suite", "made.py", "--target",
               "selftest/cpu", "--python", python()});
  EXPECT_NE(script.exit.code(), 0);
  EXPECT_THAT(script.err, HasSubstr("has no standalone script"));

  if (!has_numpy()) GTEST_SKIP() << "no NumPy";
  const proc::CommandResult done = run({"--suite", "made.py?samples=3"});
  EXPECT_EQ(done.exit.code(), 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("running 3 cases"));
}

TEST_F(EndToEnd, WrongNamesAreUsageErrors) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", "--target", "selftest/cpuu"},
           {"run", "--list", "--python", python(), "--suite", "nosuch"},
           {"run", "--list", "--python", python(), "-f", "selftest.math.sqr"},
           {"targets", "install", "torch-cup"},
           {"report", "--format", "pdf"}}) {
    const proc::CommandResult result = seamark(words);
    EXPECT_EQ(result.exit.code(), 2) << join(words, " ") << ": " << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("internal error")));
    EXPECT_EQ(result.out, "");
  }
  EXPECT_THAT(seamark({"run", "--target", "selftest/cpuu"}).err, HasSubstr("did you mean 'selftest/cpu'?"));
}

TEST_F(EndToEnd, AnErrorOnStandardInputIsExplained) {
  const std::string output = std::string(3 << 20, 'x') +
                             "\nTraceback (most recent call last):\n  File \"a.py\", line 1\n"
                             "NotImplementedError: \"dot\" not implemented for 'Bool'\n";
  const proc::CommandResult known = seamark({"explain", "-"}, output);
  EXPECT_EQ(known.exit.code(), 0) << known.err;
  EXPECT_THAT(known.out, ::testing::StartsWith("type (rule torch-dtype-kernel): "));
  const proc::CommandResult unknown =
      seamark({"explain", "-", "--framework", "jax"}, "ValueError: \xff odd\n");
  EXPECT_EQ(unknown.exit.code(), 0) << unknown.err;
  EXPECT_THAT(unknown.out, ::testing::StartsWith("No rule knows this error. "));
  EXPECT_EQ(seamark({"explain", "-"}, " \n").exit.code(), 2);
  EXPECT_EQ(seamark({"explain", "x", "--framework", "caffe"}).exit.code(), 2);
}

TEST_F(EndToEnd, AMalformedConfigNamesFileAndLine) {
  ASSERT_TRUE(write_file(path("seamark.toml"), "jobs = 2\njob = 3\n"));
  const proc::CommandResult result = seamark({"targets"});
  EXPECT_EQ(result.exit.code(), 2);
  EXPECT_THAT(result.err, HasSubstr("seamark.toml:2: "));
  EXPECT_THAT(result.err, HasSubstr("did you mean 'jobs'?"));
  EXPECT_EQ(seamark({"targets", "--no-config"}).exit.code(), 0);
}

TEST_F(EndToEnd, AStoreThatIsNoneIsAnEnvironmentError) {
  EXPECT_EQ(seamark({"report"}).exit.code(), 3);
  ASSERT_TRUE(write_file(path("notes.db"), "these are notes, and no database at all; they are long enough"));
  const proc::CommandResult result = seamark({"report", "--store", "notes.db"});
  EXPECT_EQ(result.exit.code(), 3);
  EXPECT_THAT(result.err, HasSubstr("not a Seamark store"));
}

TEST_F(EndToEnd, AnInterpreterThatIsNoneIsToldWithTheTarget) {
  const proc::CommandResult result =
      seamark({"run", "--target", "selftest/cpu", "--python", "/nonexistent/python", "--no-timing"});
  EXPECT_EQ(result.exit.code(), 3);
  EXPECT_THAT(result.err, HasSubstr("selftest/cpu: not usable: there is no program /nonexistent/python"));
}

TEST_F(EndToEnd, AFrameworkThatDoesNotImportIsToldWithTheTarget) {
  ASSERT_TRUE(make_directories(path("broken/jax")));
  ASSERT_TRUE(
      write_file(path("broken/jax/__init__.py"), "raise ImportError('libwhatever.so: cannot open')\n"));
  ASSERT_TRUE(write_file(path("python"), "#!/bin/sh\nPYTHONPATH=" + path("broken").native() + " exec " +
                                             python() + " \"$@\"\n"));
  std::filesystem::permissions(path("python"), std::filesystem::perms::owner_all);
  const proc::CommandResult result = seamark({"targets", "--target", "jax/cpu", "--python", "./python"});
  EXPECT_EQ(result.exit.code(), 0);
  EXPECT_THAT(result.out, HasSubstr("libwhatever.so: cannot open"));
  EXPECT_THAT(result.out, HasSubstr("0 of 1 targets usable here"));
}

TEST_F(EndToEnd, TargetsAsJson) {
  const proc::CommandResult result = seamark({"targets", "--json", "--target", "torch/mps", "--no-config"});
  ASSERT_EQ(result.exit.code(), 0) << result.err;
  const Result<Value> document = parse_json(result.out);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->string_or("schema", ""), "seamark-targets/1");
  const Value& item = document->find("targets")->as_array().at(0);
  EXPECT_EQ(item.string_or("target", ""), "torch/mps");
  EXPECT_FALSE(item.string_or("reason", "").empty() && !item.bool_or("usable", false));
}

}  // namespace
}  // namespace seamark::cli
