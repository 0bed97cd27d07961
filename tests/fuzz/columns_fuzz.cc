// What a store's columns may hold when somebody else wrote the file. The first byte chooses the column.
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz_check.h"
#include "seamark/store/encode.h"

namespace {

using namespace seamark;

void check_document(std::string_view json) {
  const Result<Value> value = store::decode_document(json);
  if (!value) return fuzz::require_presentable(value.error());
  const Result<Value> again = store::decode_document(store::encode_document(*value));
  fuzz::require(again.ok() && *again == *value, "a document that comes back changed");
}

void check_list(std::string_view json) {
  const Result<std::vector<std::string>> list = store::decode_list(json);
  if (!list) return fuzz::require_presentable(list.error());
  if (!json.empty()) {
    const Result<Value> parsed = parse_json(json);
    fuzz::require(parsed.ok() && (parsed->is_null() || parsed->is_array()), "a list that is no JSON");
    fuzz::require(parsed->is_null() || parsed->as_array().size() == list->size(), "a list of another size");
    for (std::size_t i = 0; i < list->size(); ++i)
      fuzz::require(parsed->as_array()[i].as_string() == (*list)[i], "a list of other names");
  }
  const Result<std::vector<std::string>> again = store::decode_list(store::encode_list(*list));
  fuzz::require(again.ok() && *again == *list, "a list that comes back changed");
}

void check_placement(std::string_view json) {
  Placement placement;
  if (const Status status = store::decode_placement(json, placement); !status)
    return fuzz::require_presentable(status.error());
  const std::string written = store::encode_placement(placement);
  Placement again;
  fuzz::require(store::decode_placement(written, again).ok(), "a placement that cannot be read again");
  fuzz::require(store::encode_placement(again) == written, "a placement that comes back changed");
}

void check_samples(std::span<const std::uint8_t> bytes) {
  const auto samples = store::decode_samples(bytes);
  fuzz::require(samples.has_value() == (bytes.size() % sizeof(double) == 0), "samples that are not whole");
  if (!samples) return;
  const std::vector<std::uint8_t> written = store::encode_samples(*samples);
  fuzz::require(written == std::vector<std::uint8_t>(bytes.begin(), bytes.end()),
                "samples that come back changed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view json = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      check_document(json);
      break;
    case 1:
      check_list(json);
      break;
    case 2:
      check_placement(json);
      break;
    default:
      check_samples({data + 1, size - 1});
  }
  return 0;
}
