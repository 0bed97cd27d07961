// One line of the agent's `list`: what is taken is complete and within bounds.
#include <cmath>

#include "fuzz_check.h"
#include "seamark/agent/commands.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seamark;
  const Result<CaseInfo> info = agent::case_from_json(fuzz::text_of(data, size));
  if (!info) {
    fuzz::require_presentable(info.error());
    return 0;
  }
  fuzz::require(!info->name.empty() && !info->function.empty() && !info->hash.empty(), "an incomplete case");
  fuzz::require(info->timeout_s >= 0 && info->timeout_s <= 1e6, "a deadline out of bounds");
  fuzz::require(info->params.is_null() || info->params.is_object(), "parameters that are no object");
  return 0;
}
