// Whether a store's schema is what Seamark writes. A trigger rewrites what is stored, a view answers what it
// likes or never ends: a store from a stranger may hold either. Internal to the room.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/store/connection.h"

namespace seamark::store {

// schema_digest() of the newest version, so that opening a store need not make a schema to compare with
// (20 ms). A test says what it has to be.
inline constexpr std::string_view kNewestSchema =
    "e20a7c7ad82b150fa70e6c18b5bdf53c01648b946985509404845803d122737f";

// SHA-256, in hexadecimal, of every object of the schema.
Result<std::string> schema_digest(Connection& connection);

// kNotAStore, naming one object that is too many, missing or different.
Status check_schema(Connection& connection, int version);

}  // namespace seamark::store
