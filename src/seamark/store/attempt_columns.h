// Every column of an attempt, once: what it is called, where it lies, what it means, and which field it is.
// The schema, binding and reading, export and import, the Python tables and their pages are made of these
// entries.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/attempt.h"
#include "seamark/model/case_info.h"
#include "seamark/store/records.h"

namespace seamark {
class SecretShapes;
}

namespace seamark::store {

class Connection;
class Statement;

// An attempt and what it belongs to. What a reader does not have is null; without `attempt` a case was
// planned and not attempted.
template <bool kConst>
struct BasicAttemptRow {
  template <typename T>
  using Pointer = std::conditional_t<kConst, const T, T>*;
  Pointer<RunInfo> run = nullptr;
  Pointer<RunTarget> target = nullptr;
  Pointer<CaseInfo> info = nullptr;
  Pointer<Attempt> attempt = nullptr;
  std::optional<Category> category = std::nullopt;  // by the rules of today
};
using AttemptView = BasicAttemptRow<true>;
using AttemptSlot = BasicAttemptRow<false>;

// A field of such a row: null where the row does not have it.
template <typename T>
struct Access {
  using Type = T;
  const T* (*view)(const AttemptView& row);
  T* (*slot)(const AttemptSlot& row);
};
// Computed from others: exported, and neither stored nor imported.
struct Derived {
  Value (*value)(const AttemptView& row);
  bool is_flag = false;  // else a text
};
using Field =
    std::variant<Access<std::string>, Access<int>, Access<std::int64_t>, Access<double>, Access<bool>,
                 Access<std::optional<double>>, Access<std::optional<bool>>, Access<std::optional<int>>,
                 Access<std::optional<std::int64_t>>, Access<std::vector<std::string>>, Access<Value>,
                 Access<Placement>, Access<std::optional<Failure>>, Access<Phase>, Access<Outcome>,
                 Access<Evidence>, Access<WorkerMode>, Access<Where>, Access<RunState>, Derived>;

enum class Unit : std::uint8_t {
  kNone,
  kSeconds,
  kSamples,
  kBytes,
  kMoment
};  // kMoment: microseconds since 1970, UTC

// When a reader gets a stored column: see AttemptColumns.
enum class Load : std::uint8_t { kHead, kRest, kIdentity, kFailureText, kDocuments, kTraceback };

struct AttemptColumn {
  std::string_view key;     // of the export; empty: the store alone has it
  std::string_view stored;  // in the table `attempts`; empty: it lies elsewhere, or is derived
  Field field;
  std::string_view meaning;
  // When there is no value, and where the reason stands; empty: there always is one.
  std::string_view null = "";  // NOLINT(readability-redundant-string-init): entries leave it out
  Unit unit = Unit::kNone;
  Load load = Load::kRest;
  bool required = false;   // an import without it is refused
  bool json_only = false;  // CSV lacks it
  int since = 1;           // version of the schema that has it; above the newest migration: one of its own

  [[nodiscard]] bool in_csv() const { return !key.empty() && !json_only; }
};

// In the order of an export, in which columns are only ever appended; then those of the store alone. `failed`
// precedes the failure's columns.
[[nodiscard]] std::span<const AttemptColumn> attempt_columns();

// "text", "int", "float", "bool", "moment".
[[nodiscard]] std::string_view type_name(const AttemptColumn& column);
// TEXT, INTEGER or REAL.
[[nodiscard]] std::string_view sql_type(const AttemptColumn& column);

// The registry as a document: an array of {key, stored, type, unit, meaning, null, csv}; null where one has
// none.
[[nodiscard]] Value describe_columns();

// As an export has it; null where there is no value. A list is its words with spaces between.
[[nodiscard]] Value export_value(const AttemptColumn& column, const AttemptView& row);
// The reverse; null leaves the field as it is. Returns what is wrong with the value ("is no count"), or
// nothing.
[[nodiscard]] std::string import_value(const AttemptColumn& column, const AttemptSlot& row,
                                       const Value& value);
// Appends the stored value as text: equal texts, equal values.
void append_text(const AttemptColumn& column, const AttemptView& row, std::string& text);

// --- internal to the room

// Encoded and masked values are kept in `texts`, which outlives the statement's step. `secrets` null: nothing
// is masked.
void bind_column(const AttemptColumn& column, const AttemptView& row, Statement& statement, int index,
                 const SecretShapes* secrets, std::deque<std::string>& texts);
// kCorrupt where the number is none of an enum's, or a text is no JSON.
Status read_column(const AttemptColumn& column, const AttemptSlot& row, const Connection& connection,
                   const Statement& statement, int index);
void clear_column(const AttemptColumn& column, const AttemptSlot& row);

}  // namespace seamark::store
