// Any bytes as JSON: a document that is taken comes back the same from what is written of it.
#include "fuzz_check.h"
#include "seamark/base/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seamark;
  if (size == 0) return 0;
  const DocumentLimits limits{.max_bytes = std::size_t{1} << 16, .max_depth = 1 + data[0] % 64};
  const Result<Value> value = parse_json(fuzz::text_of(data + 1, size - 1), limits);
  if (!value) {
    fuzz::require_presentable(value.error());
    return 0;
  }
  for (const std::string& written : {dump_json(*value), dump_json_pretty(*value)}) {
    fuzz::require(is_utf8(written), "JSON that is not UTF-8");
    const Result<Value> again = parse_json(written, {.max_depth = limits.max_depth});
    fuzz::require(again.ok(), "what was written cannot be read");
    fuzz::require(*again == *value, "what was read differs from what was written");
  }
  return 0;
}
