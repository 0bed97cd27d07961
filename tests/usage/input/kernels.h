// The instruction sets that the loops over bytes are compiled for and this processor knows.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace seamark::usage {

inline std::vector<std::int64_t> kernels() {
  hwy::SetSupportedTargetsForTest(0);
  return hwy::SupportedAndGeneratedTargets();
}
inline int kernel_count() { return static_cast<int>(kernels().size()); }

// From now on; -1: the best.
inline void use_kernel(int index) {
  const std::vector<std::int64_t> all = kernels();
  if (index >= 0) hwy::SetSupportedTargetsForTest(all.at(static_cast<std::size_t>(index)));
  hwy::GetChosenTarget().DeInit();  // the next call chooses again
}

}  // namespace seamark::usage
