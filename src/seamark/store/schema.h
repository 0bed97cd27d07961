// The schema and its migrations. Internal to the room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/store/connection.h"

namespace seamark::store {

// "smrk": in the header of every store, so that other SQLite files are told apart.
inline constexpr std::int32_t kApplicationId = 0x736d726b;

// Entry i takes a store from version i to i + 1; up to `version`, 0: to the newest. Append only: a released
// entry never changes. A column of an attempt comes with the version that its entry names
// (attempt_columns.h).
std::vector<std::string> migrations(int version = 0);

// Whether the file is a store, and of a version that this program knows: kNotAStore, kNewerSchema.
// Returns the version; 0: an empty file.
Result<int> schema_version_of(Connection& connection, int newest);

// Brings the store to the last migration's version, in one transaction; an empty file becomes a store.
Status migrate(Connection& connection, std::span<const std::string> steps);

}  // namespace seamark::store
