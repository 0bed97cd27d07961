// What a condition and its words say of devices and versions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "seamark/audit/syntax.h"

namespace seamark::audit {

// What a condition asks when it asks what is there: a device, a version, an attribute.
[[nodiscard]] bool asks(std::string_view word);
// Whether a word has a device that is not CUDA in it.
[[nodiscard]] bool names_another(std::string_view word);
// Whether a condition says `not`, `!=`, or such a device: its branch is taken without CUDA.
[[nodiscard]] bool is_for_another(const Syntax& syntax, const Line& header);
// Whether a word has CUDA, or a library that is built for it, in it: HAS_TRITON.
[[nodiscard]] bool is_built_for_cuda(std::string_view word);
// Whether a function is for a device, _neuron_gather, that no target of a rule names.
[[nodiscard]] bool serves_another(std::string_view name, std::span<const std::string> targets);
// Whether a function or class is one of xFormers or TensorRT.
[[nodiscard]] bool is_of_cuda_library(std::string_view name);
// A flag of the user's: it says what they want, not what there is.
[[nodiscard]] bool is_flag(std::string_view word);
// "cuda:0", "TPU"
[[nodiscard]] bool is_device(std::string_view text);

}  // namespace seamark::audit
