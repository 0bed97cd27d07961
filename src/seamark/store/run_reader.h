// Reads runs and the documents that hang on them. Internal to the room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/store/connection.h"
#include "seamark/store/records.h"

namespace seamark::store {

// `where` is SQL of this room's own making ("WHERE uuid = 'x'"), never a user's text.
Result<std::vector<RunInfo>> read_runs(Connection& connection, const std::string& where);

// SQL that names the pairs (run_target_id, case_id) that a choice takes, as a common table expression
// "WITH chosen(run_target_id, case_id) AS (...) "; the run's uuid is parameter 1 unless all.
std::string chosen_cte(const RunChoice& choice);

// A run's targets by id, in this order.
struct TargetName {
  std::int64_t id = 0;
  std::string target;
};
Result<std::vector<TargetName>> target_names(Connection& connection, const RunChoice& choice);

// kCorrupt when the number is none of the enum's.
template <typename E>
Result<E> read_enum(const Connection& connection, std::int64_t number, E last, std::string_view what) {
  if (number < 1 || number > static_cast<std::int64_t>(last)) {
    return connection.corrupt(std::string(what) + " " + std::to_string(number));
  }
  return static_cast<E>(number);
}

// kCorrupt when the text is no JSON.
Result<Value> read_document(const Connection& connection, std::string_view json);

}  // namespace seamark::store
