// What is named to be read or written, and cannot be: each command ends, and says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "seamark/base/fd.h"
#include "seamark/proc/child.h"
#include "verb_fixture.h"

namespace seamark::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileInputs : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).native(); }

  [[nodiscard]] proc::SpawnOptions spawn(std::vector<std::string> words) const {
    proc::SpawnOptions options;
    options.argv = std::move(words);
    options.cwd = folder_.path().native();
    options.environment = {{"SEAMARK_HOME", SEAMARK_SOURCE_DIR}, {"SEAMARK_CONFIG", std::nullopt}};
    return options;
  }

  [[nodiscard]] proc::CommandResult run(const std::vector<std::string>& words) const {
    proc::CommandOptions command;
    command.spawn = spawn(words);
    command.timeout_s = 60;
    return std::move(proc::run_command(command).value());
  }

  const TempDir folder_ = std::move(TempDir::make("seamark-hostile").value());
};

TEST_F(HostileInputs, AFifoIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  ASSERT_TRUE(write_file(path("a.xml"), "<testsuites/>"));
  const std::vector<std::vector<std::string>> commands = {
      {"usage", "fifo"},
      {"usage", "--kind", "jsonl", "fifo"},
      {"usage", "/dev/zero"},
      {"report", "--store", "fifo"},
      {"run", "--store", "fifo", "--target", "torch/cpu"},
      {"import", "fifo", "--target", "torch/cpu"},
      {"import", "a.xml", "--map", "fifo", "--target", "torch/cpu"},
      {"merge", "fifo"},
      {"compare", "fifo", "fifo"},
      {"sample", "--usage", "fifo"},
      {"explain", "--config", "fifo"},
  };
  for (const std::vector<std::string>& words : commands) {
    std::vector<std::string> all = {SEAMARK_BINARY};
    all.insert(all.end(), words.begin(), words.end());
    const proc::CommandResult result = run(all);
    EXPECT_FALSE(result.timed_out) << words[0];
    EXPECT_THAT(result.exit.code(), ::testing::AnyOf(2, 3)) << words[0];
    EXPECT_THAT(result.err, AllOf(HasSubstr("seamark: "), Not(HasSubstr("internal error")))) << words[0];
  }
  // A rollback journal is read when a store is opened.
  ASSERT_EQ(run({SEAMARK_BINARY, "usage", ".", "--store", "s.db"}).exit.code(), 2);
  ASSERT_EQ(::mkfifo(path("s.db-journal").c_str(), 0600), 0);
  EXPECT_THAT(run({SEAMARK_BINARY, "report", "--store", "s.db"}).err,
              HasSubstr("s.db-journal: it is a FIFO"));
}

TEST_F(HostileInputs, TermEndsWhatWaitsForItsInput) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{SEAMARK_BINARY, "usage", "-"},
                                             {SEAMARK_BINARY, "usage", "/dev/stdin"},
                                             {SEAMARK_BINARY, "import", "-", "--target", "torch/cpu"},
                                             {SEAMARK_BINARY, "explain", "-"}}) {
    const Pipe silent = std::move(make_pipe().value());
    proc::SpawnOptions options = spawn(words);
    options.fds = {{silent.read.get(), 0}};
    Result<proc::Child> child = proc::Child::spawn(options);
    ASSERT_TRUE(child);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    ASSERT_FALSE(child->try_wait()) << words[1];
    ASSERT_EQ(::kill(child->pid(), SIGTERM), 0);
    bool ended = false;
    for (int i = 0; i < 100 && !ended; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ended = child->try_wait().has_value();
    }
    EXPECT_TRUE(ended) << words[1] << " " << words[2];
    if (!ended) ::kill(child->pid(), SIGKILL);
  }
}

TEST_F(HostileInputs, ALimitOfFileSizesIsTold) {
  ASSERT_TRUE(write_file(path("a.jsonl"), "{\"content\": \"import torch\\ntorch.add(1)\"}\n"));
  const std::string seamark = std::string("ulimit -f 8; exec '") + SEAMARK_BINARY + "' ";
  const proc::CommandResult stored = run({"sh", "-c", seamark + "usage a.jsonl --store s.db"});
  EXPECT_EQ(stored.exit.code(), 3) << stored.err;
  EXPECT_THAT(stored.err, HasSubstr("the disk is full"));
  const proc::CommandResult written =
      run({"sh", "-c", seamark + "report --store grand-illusion --format html -o page.html"});
  EXPECT_EQ(written.exit.code(), 3) << written.err;
  EXPECT_THAT(written.err, AllOf(HasSubstr("cannot write page.html"), HasSubstr("File too large")));
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

}  // namespace
}  // namespace seamark::cli
