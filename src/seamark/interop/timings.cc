// Times of operations by test, as the study kept them: {"file.py:test": {"operations": [s, ...], "test_time":
// s}}.
#include <fmt/format.h>

#include <cmath>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/interop/external_readers.h"

namespace seamark::interop {

namespace {

bool is_time(const Value& value) {
  return value.is_number() && std::isfinite(value.as_number()) && value.as_number() >= 0;
}

// Why the entry cannot be read; empty: it could.
std::string read_entry(const std::string& key, const Value& entry, ExternalTest& test) {
  if (trim(key).empty()) return "it has no name";
  if (!entry.is_object()) return fmt::format("expected a table, found {}", entry.type_name());
  const Value* operations = entry.find("operations");
  if (operations == nullptr || !operations->is_array()) return "it has no list 'operations'";
  if (operations->as_array().empty()) return "its list 'operations' is empty";
  for (std::size_t i = 0; i < operations->as_array().size(); ++i) {
    const Value& value = operations->as_array()[i];
    if (!is_time(value)) return fmt::format("operations[{}] is no time", i);
    test.operations.push_back(value.as_number());
  }
  if (const Value* whole = entry.find("test_time"); whole != nullptr && !whole->is_null()) {
    if (!is_time(*whole)) return "its 'test_time' is no time";
    test.wall_s = whole->as_number();
  }
  test.id = bounded_name(key);
  test.name = TestName::of_node(test.id);
  test.timing = true;
  return {};
}

}  // namespace

Result<ExternalFile> read_timings(std::string_view text, std::string_view file) {
  const Result<Value> document = parse_json(text, {.max_bytes = kMostFileBytes, .max_depth = 64});
  if (!document)
    return Error(InteropError::kBadInput, fmt::format("{}: {}", file, document.error().message()),
                 "a file that was cut short, or is of another form: see --format");
  if (!document->is_object()) {
    return Error(InteropError::kBadInput,
                 fmt::format("{}: it is {}, not a table of tests", file, document->type_name()));
  }
  ExternalFile out;
  for (const auto& [key, entry] : document->as_object()) {
    ExternalTest test;
    const std::string problem = read_entry(key, entry, test);
    if (problem.empty()) {
      out.tests.push_back(std::move(test));
    } else {
      out.losses.push_back({fmt::format("{}: \"{}\"", file, bounded_name(key)), problem});
    }
  }
  return out;
}

}  // namespace seamark::interop
