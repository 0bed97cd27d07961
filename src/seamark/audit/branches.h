// What branches and decorators say of devices.
#pragma once

#include <cstdint>

#include "seamark/audit/syntax.h"

namespace seamark::audit {

// Whether devices other than CUDA's are no matter of a test, `x.device.type == "cuda"`, that a token stands
// in:
//   if type == "cpu": ... elif type == "cuda": ... else: raise    also earlier in the function
//   if type == "cuda": return ...                                 and a `raise` right behind
//   if type == "cuda": ... else: print(...)                       what tells the user alone
// or others have a branch of their own, or a short one only checks.
[[nodiscard]] bool others_are_refused(const Syntax& syntax, std::uint32_t token);

// @register_kernel("f", "cuda"), of no framework: a function for one device, or for one exporter.
[[nodiscard]] bool is_registered_for_cuda(const Syntax& syntax, const Block& function);

}  // namespace seamark::audit
