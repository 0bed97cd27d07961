// Store::for_each_on_host: reads where attempts ran, of those alone that did not run on the device.
#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

constexpr std::size_t kMostTexts = 32'768;  // different ones that are kept

// One run's by going through the table, as few columns are read of few rows and an index would be of no help.
std::string query(const RunChoice& choice) {
  const bool joined = choice.kind == RunChoice::Kind::kAll;
  const std::string columns = "SELECT t.target, c.name, a.placement_details FROM ";
  const std::string names =
      "CROSS JOIN run_targets t ON t.id = a.run_target_id CROSS JOIN cases c ON c.id = a.case_id ";
  const std::string on_host = fmt::format("WHERE a.placement = {} AND a.placement_details IS NOT NULL",
                                          static_cast<int>(Where::kHost));
  if (joined) {
    return chosen_cte(choice) + columns +
           "chosen CROSS JOIN attempts a ON a.run_target_id = chosen.run_target_id AND "
           "a.case_id = chosen.case_id " +
           names + on_host;
  }
  return columns + "attempts a NOT INDEXED " + names + on_host +
         " AND t.run_id = (SELECT id FROM runs WHERE uuid = ?1)";
}

// Many attempts have a text in common.
class PlacementReader {
 public:
  Result<const std::vector<std::string>*> operators_of(const Connection& connection,
                                                       const std::string& text) {
    if (const auto known = known_.find(text); known != known_.end()) return &known->second;
    Placement placement;
    if (Status read = decode_placement(text, placement); !read)
      return connection.corrupt("placement: " + read.error().message());
    if (known_.size() >= kMostTexts) known_.clear();
    return &known_.emplace(text, std::move(placement.fallback_ops)).first->second;
  }

 private:
  std::unordered_map<std::string, std::vector<std::string>> known_;
};

}  // namespace

Status Store::for_each_on_host(const RunChoice& choice, const HostVisit& visit) {
  Result<std::vector<RunInfo>> runs = select(choice);
  if (!runs) return runs.error();
  Result<Statement> rows = connection_->prepare(query(choice));
  if (!rows) return rows.error();
  if (choice.kind != RunChoice::Kind::kAll) rows->bind(1, runs->front().uuid);
  PlacementReader placements;
  while (true) {
    Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return {};
    const auto operators = placements.operators_of(*connection_, rows->string(2));
    if (!operators) return operators.error();
    if (!(*operators)->empty()) visit(rows->text(0), rows->text(1), **operators);
  }
}

}  // namespace seamark::store
