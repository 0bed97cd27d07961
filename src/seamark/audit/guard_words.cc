#include "seamark/audit/guard_words.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::string_view kOthers[] = {"cpu", "mps", "xla", "tpu", "npu", "xpu", "hpu"};
constexpr std::string_view kBuiltForCuda[] = {"cuda",       "gpu",      "nccl", "triton",
                                              "flash_attn", "xformers", "apex", "bitsandbytes",
                                              "bnb",        "tensorrt", "cupy", "deepspeed"};
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// torch_ge_2_3, with_pt20: a name that says which version is there; in lower case.
bool names_version(std::string_view lower) {
  for (const std::string_view framework : {"torch", "pt", "jax"}) {
    const std::size_t at = lower.find(framework);
    if (at == std::string_view::npos || (at > 0 && lower[at - 1] != '_')) continue;
    std::string_view rest = lower.substr(at + framework.size());
    for (const std::string_view word : {"_", "ge", "gt", "le", "lt", "_"}) {
      if (rest.starts_with(word)) rest.remove_prefix(word.size());
    }
    if (!rest.empty() && is_digit(rest.front())) return true;
  }
  return false;
}

}  // namespace

bool asks(std::string_view word) {
  const std::string lower = lower_ascii(word);
  if (is_one_of(lower, "xla", "tpu", "mps", "xpu", "npu", "hpu", "is_xla", "is_tpu", "use_xla", "use_tpu"))
    return true;
  const std::string_view bare =
      std::string_view(lower).substr(std::min(lower.find_first_not_of('_'), lower.size()));
  return is_one_of(bare, "hasattr", "is_built", "find_spec", "type_checking", "n_gpu") ||
         bare.starts_with("has_") || lower.find("sagemaker") != std::string::npos ||
         word.starts_with("WITH_") || names_version(bare) || lower.find("available") != std::string::npos ||
         lower.find("current_accelerator") != std::string::npos ||
         lower.find("version") != std::string::npos || lower.find("greater") != std::string::npos;
}

bool names_another(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return std::any_of(std::begin(kOthers), std::end(kOthers),
                     [&](std::string_view other) { return lower.find(other) != std::string::npos; });
}

bool is_for_another(const Syntax& syntax, const Line& header) {
  for (std::uint32_t at = header.first; at < header.last; ++at) {
    if (is_one_of(syntax.text_of(at), "not", "!=") || names_another(syntax.text_of(at))) return true;
  }
  return false;
}

bool is_built_for_cuda(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return std::any_of(std::begin(kBuiltForCuda), std::end(kBuiltForCuda),
                     [&](std::string_view one) { return lower.find(one) != std::string::npos; });
}

bool serves_another(std::string_view name, std::span<const std::string> targets) {
  for (const std::string_view part : split(name, '_')) {
    const bool other = std::find(std::begin(kOthers), std::end(kOthers), part) != std::end(kOthers);
    if (part != "neuron" && (!other || part == "cpu")) continue;
    return std::none_of(targets.begin(), targets.end(), [&](const std::string& target) {
      return target.find(part) != std::string::npos || target.ends_with("/*");
    });
  }
  return false;
}

bool is_of_cuda_library(std::string_view name) {
  const std::string lower = lower_ascii(name);
  return lower.find("xformers") != std::string::npos || lower.starts_with("trt") ||
         lower.find("tensorrt") != std::string::npos;
}

bool is_flag(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return lower.find("cuda") != std::string::npos || lower.find("gpu") != std::string::npos ||
         lower == "device_ids";
}

bool is_device(std::string_view text) {
  return is_one_of(lower_ascii(text.substr(0, text.find(':'))), "cuda", "gpu", "mps", "xpu", "npu", "hpu",
                   "tpu", "xla", "nccl", "cudaexecutionprovider");
}

}  // namespace seamark::audit
