// What can go wrong with a store file, with real files, real processes and real full disks.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <span>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "seamark/store/schema_check.h"
#include "seamark/store/store.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::HasSubstr;

constexpr int kMany = 100'000;

std::vector<CaseInfo> many_cases(int count) {
  std::vector<CaseInfo> cases;
  cases.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) cases.push_back(make_case("torch.sum", fmt::format("case{}", i)));
  return cases;
}

RunWriter begin(Store& store, const std::vector<CaseInfo>& cases) {
  RunWriter writer = must(store.begin_run({}));
  EXPECT_OK(writer.add_target(make_target("torch/cpu")));
  EXPECT_OK(writer.plan("torch/cpu", cases));
  return writer;
}

Status commit_one(RunWriter& writer, const Attempt& attempt) { return writer.commit(std::span(&attempt, 1)); }

int count_attempts(Store& store) {
  int count = 0;
  EXPECT_OK(store.for_each_attempt({}, [&](const StoredAttempt&) {
    ++count;
    return true;
  }));
  return count;
}

void raw_sql(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::string integrity(const std::filesystem::path& file) {
  std::shared_ptr<Connection> connection = must(Connection::open(file, OpenMode::kWrite, 1000));
  Statement check = must(connection->prepare("PRAGMA integrity_check"));
  EXPECT_TRUE(must(check.step()));
  return check.string(0);
}

// Runs `body` in a forked process and returns its exit status; 100 when it threw.
int in_child(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    int code = 100;
    try {
      code = body();
    } catch (const std::exception& e) {
      fmt::print(stderr, "child: {}\n", e.what());
    }
    _exit(code);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(StoreTest, AKilledWriterLosesNothingThatWasCommitted) {
  const std::vector<CaseInfo> cases = many_cases(5000);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    Store store = open();
    RunWriter writer = begin(store, cases);
    for (const CaseInfo& info : cases) {
      if (!commit_one(writer, make_attempt("torch/cpu", info))) _exit(1);
      if (write(pipe_ends[1], "x", 1) != 1) _exit(2);
    }
    _exit(3);  // not killed in time: the test fails
  }
  close(pipe_ends[1]);
  int acknowledged = 0;
  char byte = 0;
  while (acknowledged < 200 && read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  while (read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
  close(pipe_ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_GE(acknowledged, 200);

  {
    Store reader = open(OpenMode::kRead);
    const int kept = count_attempts(reader);
    EXPECT_GE(kept, acknowledged);
    EXPECT_LE(kept, acknowledged + 1);  // committed, killed before it could say so
  }
  EXPECT_EQ(integrity(path()), "ok");
  Store store = open();
  const std::optional<RunInfo> unfinished = must(store.latest_unfinished_run());
  ASSERT_TRUE(unfinished.has_value());
  EXPECT_EQ(unfinished->state, RunState::kRunning);
  RunWriter resumed = must(store.resume_run(unfinished->uuid));  // its process is gone
  EXPECT_OK(commit_one(resumed, make_attempt("torch/cpu", cases.back())));
}

// Commits until it fails; exit status 0 when the error is what a full disk must give.
int fill(const std::filesystem::path& file, const std::filesystem::path& report) {
  Store store = must(Store::open(file, OpenMode::kWrite));
  const std::vector<CaseInfo> cases = many_cases(20);
  RunWriter writer = begin(store, cases);
  int committed = 0;
  for (int i = 0; i < kMany; ++i) {
    Attempt attempt = make_failure("torch/cpu", cases[static_cast<std::size_t>(i % 20)], "RuntimeError",
                                   std::string(2000, 'x'), "aaaa", i / 20 + 1);
    if (Status done = commit_one(writer, attempt); !done) {
      std::ofstream(report) << committed << "\n"
                            << done.error().message() << "\n"
                            << done.error().remedy() << "\n";
      return done.error().is(StoreError::kDiskFull) ? 0 : 1;
    }
    ++committed;
  }
  return 2;
}

struct FullDiskReport {
  int committed = 0;
  std::string message;
  std::string remedy;
};

FullDiskReport read_report(const std::filesystem::path& file) {
  FullDiskReport report;
  std::ifstream in(file);
  in >> report.committed;
  in.ignore();
  std::getline(in, report.message);
  std::getline(in, report.remedy);
  return report;
}

TEST_F(StoreTest, AFileThatCannotGrowIsAFullDisk) {
  const std::filesystem::path report_file = folder() / "report";
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    return fill(path(), report_file);
  });
  const FullDiskReport report = read_report(report_file);
  ASSERT_EQ(status, 0) << report.message;
  EXPECT_GT(report.committed, 100);
  EXPECT_THAT(report.message, HasSubstr("seamark.db"));
  EXPECT_THAT(report.message, HasSubstr("disk is full"));
  EXPECT_THAT(report.remedy, HasSubstr("--resume"));
  Store store = open(OpenMode::kRead);
  EXPECT_EQ(count_attempts(store), report.committed);
}

TEST_F(StoreTest, AFullFileSystemIsAFullDisk) {
  const std::filesystem::path report_file = folder() / "report";
  const std::filesystem::path mount_point = folder() / "small";
  std::filesystem::create_directory(mount_point);
  const int status = in_child([&] {
    const std::string uid_map = fmt::format("0 {} 1", getuid());
    if (unshare(CLONE_NEWNS) != 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
      std::ofstream("/proc/self/uid_map") << uid_map;
    }
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
    if (mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=3m") != 0) return 77;
    if (const int filled = fill(mount_point / "seamark.db", report_file); filled != 0) return filled;
    Store store = must(Store::open(mount_point / "seamark.db", OpenMode::kRead));
    return count_attempts(store) == read_report(report_file).committed ? 0 : 3;
  });
  if (status == 77) GTEST_SKIP() << "this system does not let a user mount a tmpfs";
  const FullDiskReport report = read_report(report_file);
  EXPECT_EQ(status, 0) << report.message;
  EXPECT_GT(report.committed, 50);
}

TEST_F(StoreTest, ANewerSchemaIsRefusedAndLeftAlone) {
  {
    static_cast<void>(open());
  }
  raw_sql(path(), fmt::format("PRAGMA user_version = {}", schema_version() + 1));
  const std::string before = must(read_file(path()));
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    const auto store = Store::open(path(), mode);
    ASSERT_FALSE(store.ok());
    EXPECT_TRUE(store.error().is(StoreError::kNewerSchema));
    EXPECT_THAT(store.error().message(), HasSubstr(fmt::format("version {}", schema_version() + 1)));
    EXPECT_THAT(store.error().remedy(), HasSubstr("update"));
  }
  EXPECT_EQ(must(read_file(path())), before);
}

TEST_F(StoreTest, WhatIsNoStoreIsRefusedAndLeftAlone) {
  std::ofstream(folder() / "text.db") << std::string(5000, 'a') << "not a database";
  raw_sql(folder() / "other.db", "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
  raw_sql(folder() / "foreign.db", "PRAGMA application_id = 1234");
  std::ofstream(folder() / "short.db") << "SQLite format 3";
  for (const char* name : {"text.db", "other.db", "foreign.db", "short.db"}) {
    const std::string before = must(read_file(folder() / name));
    for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
      const auto store = Store::open(folder() / name, mode);
      ASSERT_FALSE(store.ok()) << name;
      EXPECT_TRUE(store.error().is(StoreError::kNotAStore)) << store.error().message();
      EXPECT_THAT(store.error().message(), HasSubstr(name));
      EXPECT_FALSE(store.error().remedy().empty());
    }
    EXPECT_EQ(must(read_file(folder() / name)), before) << name;
  }
  std::ofstream(folder() / "empty.db").flush();
  EXPECT_TRUE(Store::open(folder() / "empty.db", OpenMode::kRead).error().is(StoreError::kNotAStore));
  EXPECT_TRUE(Store::open(folder() / "empty.db", OpenMode::kWrite).ok());  // as SQLite itself does
}

// SQLite deletes the file that such a journal names, once it has rolled back what the journal holds: nothing.
TEST_F(StoreTest, AJournalThatNamesAnotherFileIsRefused) {
  {
    Store store = open();
    begin(store, many_cases(1));
  }
  const std::filesystem::path precious = path().parent_path() / "precious";
  ASSERT_TRUE(write_file(precious, "keep me"));
  const auto number = [](std::uint32_t n) {
    return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                       static_cast<char>(n)};
  };
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const auto pages = static_cast<std::uint32_t>(std::filesystem::file_size(path()) / 4096);
  std::string head = magic + number(0) + number(0) + number(pages) + number(512) + number(4096);
  head.resize(512);
  const std::string& name = precious.native();
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(c);
  const std::string tail = number((1U << 30) / 4096 + 1) + name +
                           number(static_cast<std::uint32_t>(name.size())) + number(sum) + magic;
  const std::filesystem::path link = path().parent_path() / "link.db";
  std::filesystem::create_symlink(path(), link);
  for (const std::filesystem::path& opened : {path(), link}) {
    for (const OpenMode mode : {OpenMode::kWrite, OpenMode::kRead}) {
      ASSERT_TRUE(write_file(path().native() + "-journal", head + tail));
      const Result<Store> store = Store::open(opened, mode);
      ASSERT_FALSE(store.ok());
      EXPECT_THAT(store.error().message(), HasSubstr("names another file"));
      EXPECT_TRUE(std::filesystem::exists(precious));
    }
  }
  std::filesystem::remove(path().native() + "-journal");
  EXPECT_TRUE(Store::open(path(), OpenMode::kWrite).ok());
}

TEST_F(StoreTest, MissingFilesAndFoldersAreNamed) {
  const auto none = Store::open(path(), OpenMode::kRead);
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().is(StoreError::kMissing));
  EXPECT_THAT(none.error().remedy(), HasSubstr("seamark run"));
  const auto folderless = Store::open(folder() / "a" / "b.db", OpenMode::kWrite);
  ASSERT_FALSE(folderless.ok());
  EXPECT_TRUE(folderless.error().is(StoreError::kMissing));
  EXPECT_THAT(folderless.error().message(), HasSubstr("folder does not exist"));
  EXPECT_TRUE(Store::open(folder(), OpenMode::kWrite).error().is(StoreError::kCannotOpen));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StoreTest, ALockedStoreSaysSo) {
  Store store = open();
  const std::vector<CaseInfo> cases = many_cases(1);
  RunWriter writer = begin(store, cases);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Store impatient = must(
      Store::open(path(), OpenMode::kWrite, {.busy_timeout_ms = 20, .before_migration = {}, .secrets = {}}));
  const auto begun = impatient.begin_run({});
  ASSERT_FALSE(begun.ok());
  EXPECT_TRUE(begun.error().is(StoreError::kLocked));
  EXPECT_THAT(begun.error().message(), HasSubstr("another process"));
  EXPECT_EQ(must(impatient.runs()).size(), 1);  // readers are not held up
  sqlite3_close(other);
  EXPECT_OK(commit_one(writer, make_attempt("torch/cpu", cases[0])));
}

TEST_F(StoreTest, AReadOnlyStoreIsReadButNotWritten) {
  const std::vector<CaseInfo> cases = many_cases(1);
  {
    Store store = open();
    RunWriter writer = begin(store, cases);
    ASSERT_OK(commit_one(writer, make_attempt("torch/cpu", cases[0])));
  }
  chmod(path().c_str(), 0444);
  chmod(folder().c_str(), 0555);
  const int status = in_child([&] {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 77;
    if (access(folder().c_str(), W_OK) == 0) return 78;
    const auto writable = Store::open(path(), OpenMode::kWrite);
    if (writable.ok() || !writable.error().is(StoreError::kReadOnly)) return 1;
    if (writable.error().message().find("cannot be written") == std::string::npos) return 2;
    Store store = must(Store::open(path(), OpenMode::kRead));
    return count_attempts(store) == 1 ? 0 : 3;
  });
  chmod(folder().c_str(), 0755);
  if (status == 77 || status == 78) GTEST_SKIP() << "permissions do not bind here";
  EXPECT_EQ(status, 0);
}

TEST_F(StoreTest, DamageIsAnErrorNotACrash) {
  {
    Store store = open();
    const std::vector<CaseInfo> cases = many_cases(50);
    RunWriter writer = begin(store, cases);
    for (const CaseInfo& info : cases)
      ASSERT_OK(commit_one(writer, make_timing("torch/cpu", info, 1, {1, 2, 3}, 1)));
  }
  const std::string whole = must(read_file(path()));
  const auto read_copy = [&](const std::string& bytes) -> Status {
    const std::filesystem::path copy = folder() / "copy.db";
    std::ofstream(copy, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Result<Store> store = Store::open(copy, OpenMode::kRead);
    if (!store) return store.error();
    AttemptFilter filter;
    filter.columns = AttemptColumns::all();
    return store->for_each_attempt(filter, [](const StoredAttempt&) { return true; });
  };
  ASSERT_OK(read_copy(whole));
  EXPECT_FALSE(read_copy(whole.substr(0, whole.size() / 2)).ok());
  // Bytes flipped all over the file: whatever comes back, it comes back.
  int errors = 0;
  for (std::size_t at = 100; at < whole.size(); at += 997) {
    std::string broken = whole;
    for (std::size_t i = at; i < std::min(at + 40, broken.size()); ++i)
      broken[i] = static_cast<char>(~broken[i]);
    if (!read_copy(broken).ok()) ++errors;
  }
  EXPECT_GT(errors, 0);
}

TEST_F(StoreTest, ForeignContentInTheRightTablesIsAnError) {
  const std::vector<CaseInfo> cases = many_cases(1);
  const auto damage = [&](const std::string& sql) -> Status {
    std::filesystem::remove(path());
    {
      Store store = open();
      RunWriter writer = begin(store, cases);
      EXPECT_OK(commit_one(writer, make_timing("torch/cpu", cases[0], 1, {1, 2}, 1)));
    }
    raw_sql(path(), sql);
    Store store = open(OpenMode::kRead);
    AttemptFilter filter;
    filter.columns = AttemptColumns::all();
    if (auto targets = store.targets({}); !targets) return targets.error();
    return store.for_each_attempt(filter, [](const StoredAttempt&) { return true; });
  };
  EXPECT_OK(damage("SELECT 1"));
  for (const char* sql :
       {"UPDATE attempts SET outcome = 99", "UPDATE attempts SET outcome = 'pass'",
        "UPDATE attempts SET phase = 0", "UPDATE attempts SET attributes = '{'",
        "UPDATE attempts SET placement = 99", "UPDATE attempts SET placement_details = '[[['",
        "UPDATE attempts SET compiled = 'nan'", "UPDATE time_samples SET seconds = x'0102'",
        "UPDATE time_samples SET position = 7", "UPDATE operations SET position = -3",
        "UPDATE runs SET state = 9", "UPDATE run_targets SET entry = '{\"a\":1,\"a\":2}'"}) {
    const Status status = damage(sql);
    ASSERT_FALSE(status.ok()) << sql;
    EXPECT_TRUE(status.error().is(StoreError::kCorrupt)) << sql << ": " << status.error().message();
  }
}

TEST_F(StoreTest, ASchemaThatSeamarkDoesNotWriteIsRefusedAndLeftAlone) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"CREATE TRIGGER forget AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END",
       "the trigger forget"},
      {"CREATE TRIGGER lie AFTER INSERT ON attempts BEGIN UPDATE attempts SET outcome = 1; END",
       "the trigger lie"},
      {"CREATE VIEW more AS SELECT 1", "the view more"},
      {"CREATE TABLE own(a)", "the table own"},
      {"CREATE INDEX own ON runs(seed)", "the index own"},
      {"DROP VIEW results", "the view results"},
      {"DROP VIEW results; CREATE VIEW results AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
       "FROM n) SELECT x FROM n",
       "the view results"},
      {"ALTER TABLE runs RENAME TO kept; CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL "
       "SELECT "
       "x + 1 FROM n) SELECT kept.* FROM kept, n WHERE x < 0",
       "the view runs"},
      {"DROP TABLE operations", "the table operations"},
      {"ALTER TABLE attempts RENAME COLUMN warm_n TO x", "the view results"},
      {"ALTER TABLE attempts ADD COLUMN x AS (zeroblob(100000000))", "the table attempts"},
      {"ANALYZE", "the table sqlite_stat"}};
  for (const int version : {schema_version(), schema_version() - 1, 1}) {
    for (const auto& [sql, named] : changes) {
      std::filesystem::remove(path());
      {
        const auto connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
        ASSERT_OK(migrate(*connection, migrations(version)));
      }
      ASSERT_TRUE(Store::open(path(), OpenMode::kRead).ok()) << version;
      raw_sql(path(), sql);
      const std::string before = must(read_file(path()));
      for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
        const auto store = Store::open(path(), mode);
        ASSERT_FALSE(store.ok()) << version << ": " << sql;
        EXPECT_TRUE(store.error().is(StoreError::kNotAStore)) << store.error().message();
        EXPECT_THAT(store.error().message(), HasSubstr(named));
        EXPECT_THAT(store.error().remedy(), HasSubstr("stranger"));
      }
      EXPECT_EQ(must(read_file(path())), before) << sql;
    }
  }
}

TEST_F(StoreTest, TheNewestSchemaIsKnownWithoutMakingIt) {
  const auto connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
  ASSERT_OK(migrate(*connection, migrations()));
  EXPECT_EQ(must(schema_digest(*connection)), kNewestSchema) << "write this into schema_check.h";
}

TEST_F(StoreTest, ThePythonPackageKnowsTheSchemas) {
  std::string digests = "{";
  for (int version = 1; version <= schema_version(); ++version) {
    const auto connection = must(Connection::in_memory());
    ASSERT_OK(migrate(*connection, migrations(version)));
    digests += fmt::format("{}\n  \"{}\": \"{}\"", version > 1 ? "," : "", version,
                           must(schema_digest(*connection)));
  }
  EXPECT_EQ(must(read_file(std::string(SEAMARK_SOURCE_DIR) + "/python/seamark/store_schemas.json")),
            digests + "\n}\n");
}

TEST_F(StoreTest, AQueryThatDoesNotEndIsEnded) {
  static_cast<void>(open());
  const auto connection = must(Connection::open(path(), OpenMode::kRead, 1000));
  const auto endless = connection->integer(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n");
  ASSERT_FALSE(endless.ok());
  EXPECT_TRUE(endless.error().is(StoreError::kCorrupt)) << endless.error().message();
  EXPECT_THAT(endless.error().message(), HasSubstr("does not end"));
}

TEST_F(StoreTest, ASignalEndsALongQueryThatHoldsItBack) {
  const int status = in_child([&] {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &held, nullptr) != 0) return 1;
    const auto connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    raise(SIGTERM);
    alarm(60);
    const auto endless = connection->integer(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n");
    if (endless.ok() || !endless.error().is(StoreError::kInterrupted)) return 2;
    // What is short is done all the same: results are written before the end.
    for (int i = 0; i < 100'000; ++i) {
      if (must(connection->integer("SELECT 7")) != 7) return 3;
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(StoreTest, AStoreIsItsOwnersAlone) {
  const mode_t before = umask(022);
  const std::vector<CaseInfo> cases = many_cases(1);
  Store store = open();
  RunWriter writer = begin(store, cases);
  ASSERT_OK(commit_one(writer, make_attempt("torch/cpu", cases[0])));
  std::filesystem::create_symlink(folder() / "linked.db", folder() / "link.db");
  Store linked = must(Store::open(folder() / "link.db", OpenMode::kWrite));
  umask(before);
  for (const char* name : {"seamark.db", "seamark.db-wal", "seamark.db-shm", "linked.db"}) {
    struct stat found{};
    ASSERT_EQ(stat((folder() / name).c_str(), &found), 0) << name;
    EXPECT_EQ(found.st_mode & 0777, 0600) << name;
  }
  // What its owner allows to others stays so.
  const std::filesystem::path shared = folder() / "shared.db";
  std::ofstream(shared).flush();
  ASSERT_EQ(chmod(shared.c_str(), 0664), 0);
  Store of_a_group = must(Store::open(shared, OpenMode::kWrite));
  struct stat found{};
  ASSERT_EQ(stat(shared.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0664);
}

TEST_F(StoreTest, MigratesForwardStepByStepOrNotAtAll) {
  const std::vector<std::string> one = {
      "CREATE TABLE enums(kind, number, name, UNIQUE(kind, number)); CREATE TABLE a(x); INSERT INTO a VALUES "
      "(5)"};
  std::vector<std::string> two = one;
  two.emplace_back("ALTER TABLE a ADD COLUMN y DEFAULT 6");
  std::vector<std::string> broken = two;
  broken.emplace_back("ALTER TABLE a ADD COLUMN z; INSERT INTO missing VALUES (1)");
  std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
  ASSERT_OK(migrate(*connection, one));
  EXPECT_EQ(must(schema_version_of(*connection, 9)), 1);
  ASSERT_OK(migrate(*connection, two));
  EXPECT_EQ(must(schema_version_of(*connection, 9)), 2);
  EXPECT_EQ(must(connection->integer("SELECT x * 10 + y FROM a")), 56);
  ASSERT_OK(migrate(*connection, two));  // nothing to do
  EXPECT_FALSE(migrate(*connection, broken).ok());
  EXPECT_EQ(must(schema_version_of(*connection, 9)), 2);
  EXPECT_FALSE(connection->integer("SELECT count(z) FROM a").ok());
  EXPECT_TRUE(migrate(*connection, one).error().is(StoreError::kNewerSchema));
}

TEST_F(StoreTest, TheMigrationsLeadToTheVersionThatIsWritten) {
  EXPECT_EQ(migrations().size(), static_cast<std::size_t>(schema_version()));
  {
    static_cast<void>(open());
  }
  std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
  EXPECT_EQ(must(connection->integer("PRAGMA user_version")), schema_version());
  EXPECT_EQ(must(connection->integer("PRAGMA application_id")), 0x736d726b);
  Statement mode = must(connection->prepare("PRAGMA journal_mode"));
  ASSERT_TRUE(must(mode.step()));
  EXPECT_EQ(mode.text(0), "wal");
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM enums WHERE kind = 'outcome'")), 7);
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM results")), 0);  // the view compiles
}

TEST_F(StoreTest, OddFileNamesAreJustNames) {
  for (const char* name : {":memory:", "file:x?mode=memory", "a%20b#c.db", "-"}) {
    const std::filesystem::path file = folder() / name;
    {
      ASSERT_TRUE(Store::open(file, OpenMode::kWrite).ok()) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(file)) << name;
    EXPECT_TRUE(Store::open(file, OpenMode::kRead).ok()) << name;
  }
}

}  // namespace
}  // namespace seamark::store
