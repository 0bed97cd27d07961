#include "seamark/store/attempt_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::IsEmpty;

TEST(AttemptColumns, HaveNamesOfTheirOwn) {
  std::set<std::string_view> keys;
  std::set<std::string_view> stored;
  for (const AttemptColumn& column : attempt_columns()) {
    EXPECT_FALSE(column.key.empty() && column.stored.empty());
    EXPECT_FALSE(column.meaning.empty()) << column.key;
    EXPECT_TRUE(column.key.empty() || keys.insert(column.key).second) << column.key;
    EXPECT_TRUE(column.stored.empty() || stored.insert(column.stored).second) << column.stored;
  }
}

class AttemptColumnsTest : public StoreTest {};

// The oldest schema is written out, later columns are added from their entries: both must say the same.
TEST_F(AttemptColumnsTest, AreThoseOfTheTable) {
  static_cast<void>(open());
  const std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kRead, 1000));
  std::map<std::string, std::string> there;
  Statement rows = must(connection->prepare("SELECT name, type FROM pragma_table_info('attempts')"));
  while (must(rows.step())) there[rows.string(0)] = rows.string(1);
  for (const char* key : {"id", "run_target_id", "case_id"}) EXPECT_EQ(there.erase(key), 1U) << key;
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.stored.empty()) continue;
    EXPECT_EQ(there[std::string(column.stored)], sql_type(column)) << column.stored;
    there.erase(std::string(column.stored));
  }
  EXPECT_THAT(there, IsEmpty());
}

TEST(AttemptColumns, WhatIsExportedIsImported) {
  RunInfo run;
  run.uuid = "u";
  RunTarget target;
  CaseInfo info;
  Attempt attempt;
  attempt.phase = Phase::kTiming;
  attempt.outcome = Outcome::kFail;
  attempt.evidence = Evidence::kCompiled;
  attempt.failure.emplace();
  attempt.failure->type = "ValueError";
  attempt.attributes = {"host-only", "cache-hit"};
  attempt.latency.cold_s = 0.5;
  attempt.cpu_s = 0.25;
  attempt.placement.where = Where::kHost;
  RunInfo run_read;
  RunTarget target_read;
  CaseInfo info_read;
  Attempt read;
  read.failure.emplace();
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.key.empty()) continue;
    const Value value = export_value(column, {&run, &target, &info, &attempt});
    EXPECT_EQ(import_value(column, {&run_read, &target_read, &info_read, &read}, value), "") << column.key;
  }
  for (const AttemptColumn& column : attempt_columns()) {
    EXPECT_EQ(dump_json(export_value(column, {&run_read, &target_read, &info_read, &read})),
              dump_json(export_value(column, {&run, &target, &info, &attempt})))
        << column.key;
  }
  EXPECT_EQ(read.outcome, Outcome::kFail);
  EXPECT_EQ(read.latency.cold_s, 0.5);
  EXPECT_EQ(read.attributes, attempt.attributes);
}

TEST(AttemptColumns, AWrongValueIsTold) {
  Attempt attempt;
  const auto wrong = [&](std::string_view key, const Value& value) {
    for (const AttemptColumn& column : attempt_columns()) {
      if (column.key == key) return import_value(column, {.attempt = &attempt}, value);
    }
    return std::string("no such column");
  };
  EXPECT_EQ(wrong("outcome", Value("fine")), "'fine' is not known");
  EXPECT_EQ(wrong("outcome", Value(1)), "is integer, not a string");
  EXPECT_EQ(wrong("cold_s", Value(-1.0)), "is no number of at least 0");
  EXPECT_EQ(wrong("attempt", Value(std::int64_t{1} << 40)), "is no count");
  EXPECT_EQ(wrong("unstable", Value("yes")), "is no boolean");
  EXPECT_EQ(wrong("wall_s", Value()), "");
}

}  // namespace
}  // namespace seamark::store
