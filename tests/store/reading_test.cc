// Reading: of one moment, of stores of older versions, of what cannot be written; and nothing is changed by
// it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "older_store.h"
#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "seamark/store/store.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReadingTest : public StoreTest {
 protected:
  // One run of one target with two cases, started at `at`.
  static std::string add_run(Store& store, std::int64_t at, const std::string& target) {
    RunInfo info;
    info.started_unix_us = at;
    RunWriter writer = must(store.begin_run(info));
    const std::vector<CaseInfo> cases{make_case("torch.add", "1"), make_case("torch.sub", "1")};
    EXPECT_OK(writer.add_target(make_target(target)));
    EXPECT_OK(writer.plan(target, cases));
    EXPECT_OK(writer.commit(std::vector<Attempt>{make_timing(target, cases[0], 1, {1, 2, 3}, 1),
                                                 make_failure(target, cases[1], "RuntimeError", "no")}));
    EXPECT_OK(writer.finish(RunState::kFinished, "", 1, 1));
    return writer.uuid();
  }

  // All that a report takes of the latest run, as text.
  static std::vector<std::string> read(Store& store) {
    std::vector<std::string> out;
    for (const RunInfo& run : must(store.select({}))) out.push_back(run.uuid);
    for (const StoredTarget& one : must(store.targets({}))) out.push_back(one.run + " " + one.target.target);
    for (const StoredCase& one : must(store.cases({}))) {
      out.push_back(fmt::format("{} {} {}", one.info.name, one.info.quick, one.info.core));
    }
    for (const StoredCase& one : must(store.plan({})).cases) out.push_back(one.info.name);
    for (const CatalogueHead& one : must(store.catalogues())) out.push_back(one.framework);
    for (const Declared& one : must(store.declared())) out.push_back(one.head.framework);
    for (const UsageCorpus& one : must(store.usage_corpora())) out.push_back(one.label);
    for (const SampleInfo& one : must(store.samples())) out.push_back(one.id);
    AttemptFilter filter;
    filter.columns = AttemptColumns::all();
    EXPECT_OK(store.for_each_attempt(filter, [&](const StoredAttempt& one) {
      out.push_back(fmt::format("{} {} {} {}", one.attempt.target, one.attempt.case_name,
                                name_of(one.attempt.outcome), one.attempt.operations.size()));
      return true;
    }));
    return out;
  }

  // What lies in the folder, by name, and its content.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      out.emplace_back(entry.path().filename(), must(read_file(entry.path())));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_F(ReadingTest, IsOfOneMomentWhileAnotherRunBegins) {
  Store writing = open();
  const std::string before = add_run(writing, 1000, "torch/cpu");
  Store reading = open(OpenMode::kRead);
  const std::vector<std::string> first = read(reading);
  const std::string after = add_run(writing, 2000, "torch/lazy");
  EXPECT_EQ(must(reading.select({})).front().uuid, before);
  EXPECT_EQ(read(reading), first);
  Store later = open(OpenMode::kRead);
  EXPECT_EQ(must(later.select({})).front().uuid, after);
}

TEST_F(ReadingTest, IsOfTheMomentOfItsOpening) {
  Store writing = open();
  const std::string before = add_run(writing, 1000, "torch/cpu");
  Store reading = open(OpenMode::kRead);
  add_run(writing, 2000, "torch/lazy");
  EXPECT_EQ(must(reading.select({})).front().uuid, before);
}

// --- older versions

TEST_F(ReadingTest, AnOlderStoreIsReadAndLeftAsItIs) {
  {
    Store store = open();
    add_run(store, 1000, "torch/cpu");
  }
  Store newest = open(OpenMode::kRead);
  const std::vector<std::string> wanted = read(newest);
  ASSERT_GT(wanted.size(), 5U);
  for (int version = 1; version < schema_version(); ++version) {
    SCOPED_TRACE(version);
    const std::filesystem::path older = folder() / fmt::format("older{}.db", version);
    make_older(path(), older, version);
    const std::string bytes = must(read_file(older));
    {
      Store reading = must(Store::open(older, OpenMode::kRead));
      EXPECT_EQ(reading.file(), older);
      EXPECT_EQ(read(reading), wanted);
    }
    EXPECT_EQ(must(read_file(older)), bytes);
    const auto connection = must(Connection::open(older, OpenMode::kRead, 1000));
    EXPECT_EQ(must(connection->integer("PRAGMA user_version")), version);
  }
}

TEST_F(ReadingTest, AnOlderStoreThatIsWrittenMeanwhileIsReadAtOneMoment) {
  {
    Store store = open();
    add_run(store, 1000, "torch/cpu");
  }
  const std::filesystem::path older = folder() / "older.db";
  make_older(path(), older, 7);
  Store reading = must(Store::open(older, OpenMode::kRead));
  const std::vector<std::string> first = read(reading);
  Store writing = must(Store::open(older, OpenMode::kWrite));
  add_run(writing, 2000, "torch/lazy");
  EXPECT_EQ(read(reading), first);
}

TEST_F(ReadingTest, OnlyWritingBringsAStoreForwardAndSaysSoBefore) {
  {
    Store store = open();
    add_run(store, 1000, "torch/cpu");
  }
  const std::filesystem::path older = folder() / "older.db";
  make_older(path(), older, 6);
  std::vector<std::string> said;
  OpenOptions options;
  options.before_migration = [&](int version) {
    const auto connection = must(Connection::open(older, OpenMode::kRead, 1000));
    said.push_back(fmt::format("{} {}", version, must(connection->integer("PRAGMA user_version"))));
  };
  static_cast<void>(must(Store::open(older, OpenMode::kRead, options)));
  EXPECT_THAT(said, IsEmpty());
  static_cast<void>(must(Store::open(older, OpenMode::kWrite, options)));
  EXPECT_THAT(said, ElementsAre("6 6"));
  static_cast<void>(must(Store::open(older, OpenMode::kWrite, options)));
  static_cast<void>(must(Store::open(folder() / "new.db", OpenMode::kWrite, options)));
  EXPECT_THAT(said, ElementsAre("6 6"));
}

// --- what cannot be written

// Runs `body` in a process of its own in which the folder is mounted read-only; 77: that is not allowed here.
int on_read_only_mount(const std::filesystem::path& folder, const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    int code = 100;
    try {
      const bool mounted =
          unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
          mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
          mount(nullptr, folder.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
      code = mounted ? body() : 77;
    } catch (const std::exception& e) {
      fmt::print(stderr, "child: {}\n", e.what());
    }
    _exit(code);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs `body` as a user who may write nothing in the folder; 77: that is not possible here.
int as_nobody(const std::filesystem::path& folder, const std::function<int()>& body) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) chmod(entry.path().c_str(), 0444);
  chmod(folder.c_str(), 0555);
  const pid_t pid = fork();
  if (pid == 0) {
    int code = 100;
    try {
      const bool left = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
      code = left && access(folder.c_str(), W_OK) != 0 ? body() : 77;
    } catch (const std::exception& e) {
      fmt::print(stderr, "child: {}\n", e.what());
    }
    _exit(code);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  chmod(folder.c_str(), 0755);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class ReadOnlyTest : public ReadingTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder() / "copy");
    Store store = open();
    add_run(store, 1000, "torch/cpu");
    wanted_ = read(store);
  }

  // The store's files as a killed process leaves them: all that was written is in the log.
  void copy_killed(const std::vector<std::string>& suffixes) {
    const auto held =
        must(Connection::open(path(), OpenMode::kRead, 1000));  // or else the last to close empties the log
    ASSERT_OK(held->execute("BEGIN; SELECT count(*) FROM runs"));
    {
      Store store = open();
      add_run(store, 2000, "torch/lazy");
      wanted_ = read(store);
    }
    ASSERT_GT(std::filesystem::file_size(path().string() + "-wal"), 0U);
    for (const std::string& suffix : suffixes) {
      std::filesystem::copy_file(path().string() + suffix, copy().string() + suffix);
    }
  }
  void copy_closed() { std::filesystem::copy_file(path(), copy()); }

  [[nodiscard]] std::filesystem::path copy() const { return folder() / "copy" / "seamark.db"; }

  // 0: it reads there as it should, in a folder that cannot be written by either reason.
  void expect_readable() {
    const auto body = [this] {
      Store store = must(Store::open(copy(), OpenMode::kRead));
      return store.file() == copy() && read(store) == wanted_ ? 0 : 1;
    };
    const auto bytes = must(read_file(copy()));
    const int mounted = on_read_only_mount(copy().parent_path(), body);
    EXPECT_TRUE(mounted == 0 || mounted == 77) << mounted;
    chmod(folder().c_str(), 0755);
    const int unprivileged = as_nobody(copy().parent_path(), body);
    EXPECT_TRUE(unprivileged == 0 || unprivileged == 77) << unprivileged;
    EXPECT_EQ(must(read_file(copy())), bytes);
    if (mounted == 77 && unprivileged == 77) GTEST_SKIP() << "nothing is read-only to this user";
  }

  std::vector<std::string> wanted_;
};

TEST_F(ReadOnlyTest, AClosedStoreIsRead) {
  copy_closed();
  expect_readable();
}

TEST_F(ReadOnlyTest, AnEmptyLogIsNone) {
  copy_closed();
  std::ofstream(copy().string() + "-wal").flush();
  expect_readable();
}

TEST_F(ReadOnlyTest, WhatIsInTheLogAloneIsRead) {
  copy_killed({"", "-wal"});
  expect_readable();
}

TEST_F(ReadOnlyTest, WhatIsInTheLogIsReadBesideItsIndex) {
  copy_killed({"", "-wal", "-shm"});
  expect_readable();
}

TEST_F(ReadOnlyTest, AnOlderStoreIsRead) {
  make_older(path(), copy(), 5);
  expect_readable();
}

TEST_F(ReadOnlyTest, AnOlderStoreWithALogIsRead) {
  const std::filesystem::path older = folder() / "older.db";
  make_older(path(), older, 5);
  const auto held = must(Connection::open(older, OpenMode::kRead, 1000));
  ASSERT_OK(held->execute("BEGIN; SELECT count(*) FROM runs"));
  {
    const auto writing = must(Connection::open(older, OpenMode::kWrite, 1000));
    ASSERT_OK(writing->execute("UPDATE run_targets SET target = 'torch/lazy'"));
  }
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(older.string() + suffix, copy().string() + suffix);
  }
  for (std::string& line : wanted_) {
    if (const std::size_t at = line.find("torch/cpu"); at != std::string::npos)
      line.replace(at, 9, "torch/lazy");
  }
  expect_readable();
}

// --- which run is resumed

TEST_F(ReadingTest, TheLatestUnfinishedRunIsOneThatNobodyRuns) {
  Store store = open();
  RunInfo info;
  info.started_unix_us = 1000;
  RunWriter interrupted = must(store.begin_run(info));
  ASSERT_OK(interrupted.finish(RunState::kInterrupted, "Ctrl-C", 1, 1));

  int begun[2];
  int ended[2];
  ASSERT_EQ(pipe(begun), 0);
  ASSERT_EQ(pipe(ended), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(ended[1]);
    Store own = open();
    info.started_unix_us = 2000;
    [[maybe_unused]] const RunWriter writer = must(own.begin_run(info));
    char byte = 0;
    const bool told = write(begun[1], "x", 1) == 1;
    _exit(told && ::read(ended[0], &byte, 1) == 0 ? 0 : 1);  // as if it were killed: the run is left as it is
  }
  close(ended[0]);
  char byte = 0;
  ASSERT_EQ(::read(begun[0], &byte, 1), 1);

  const std::optional<RunInfo> found = must(store.latest_unfinished_run());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->uuid, interrupted.uuid());

  // Where there is no other, it is said why that one is not taken.
  RunWriter resumed = must(store.resume_run(interrupted.uuid()));
  ASSERT_OK(resumed.finish(RunState::kFinished, "", 1, 1));
  const auto none = store.latest_unfinished_run();
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().is(StoreError::kLocked));
  EXPECT_THAT(none.error().message(), HasSubstr(fmt::format("still going on in process {}", pid)));

  close(ended[1]);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  const std::optional<RunInfo> left = must(store.latest_unfinished_run());
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->started_unix_us, 2000);
  for (const int fd : {begun[0], begun[1], ended[0]}) close(fd);
}

TEST_F(ReadingTest, ARunThatWasImportedIsNotGoneOnWith) {
  Store store = open();
  RunInfo info;
  info.options.set("imported", Value(true));
  RunWriter imported = must(store.begin_run(info));
  ASSERT_OK(imported.finish(RunState::kInterrupted, "", 1, 1));
  EXPECT_FALSE(must(store.latest_unfinished_run()).has_value());
}

}  // namespace
}  // namespace seamark::store
