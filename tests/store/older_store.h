// Stores of older versions, with the runs of a store of today; also used by the tests of cli.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {

inline void make_older(const std::filesystem::path& newest, const std::filesystem::path& older, int version) {
  const auto connection = must(Connection::open(older, OpenMode::kWrite, 1000));
  ASSERT_OK(connection->execute("PRAGMA journal_mode = WAL"));
  ASSERT_OK(migrate(*connection, migrations(version)));
  ASSERT_OK(connection->execute(fmt::format("ATTACH '{}' AS newer", newest.string())));
  // These have had the same columns, in the same order, since the first version.
  for (const char* table : {"functions", "cases", "environments", "runs", "run_targets", "plan", "operations",
                            "time_samples", "events"}) {
    ASSERT_OK(connection->execute(fmt::format("INSERT INTO main.{0} SELECT * FROM newer.{0}", table)));
  }
  // Before version 9 two flags said where an attempt ran.
  std::string columns;
  std::string values;
  Statement names = must(connection->prepare("SELECT name FROM pragma_table_info('attempts')"));
  while (must(names.step())) {
    const std::string name = names.string(0);
    columns += (columns.empty() ? "" : ", ") + name;
    values += values.empty() ? "" : ", ";
    if (version < 9 && name == "placement") {
      values += "placement_details";
    } else if (name == "placement_proven") {
      values += "placement != 3";
    } else if (name == "on_device") {
      values += "CASE placement WHEN 1 THEN 1 WHEN 2 THEN 0 END";
    } else {
      values += name;
    }
  }
  ASSERT_OK(connection->execute(
      fmt::format("INSERT INTO main.attempts({}) SELECT {} FROM newer.attempts", columns, values)));
  ASSERT_OK(connection->execute("DETACH newer"));
}

}  // namespace seamark::store
