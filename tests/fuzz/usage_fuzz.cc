// Any bytes as Python source: the scanner ends, counts no more than the text can hold, the same with every
// instruction set, and the same again.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "../usage/input/kernels.h"
#include "fuzz_check.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/scan/scanner.h"

namespace {

using namespace seamark;
using usage::Scanner;

Catalogue small_catalogue() {
  Catalogue catalogue;
  catalogue.head.framework = "torch";
  for (const char* name :
       {"torch.zeros", "torch.nn.Linear", "torch.nn.Linear.forward", "torch.Tensor.sum", "torch.relu"}) {
    CatalogueFunction& function = catalogue.functions.emplace_back();
    function.name = name;
    const bool method = function.name == "torch.nn.Linear.forward" || function.name == "torch.Tensor.sum";
    function.kind = function.name == "torch.nn.Linear" ? "class" : method ? "method" : "function";
  }
  return catalogue;
}

const usage::Vocabulary& vocabulary(bool catalogue) {
  const auto load = [](std::vector<Catalogue> catalogues) {
    return std::move(
        usage::Vocabulary::load(std::string(SEAMARK_SOURCE_DIR) + "/data/usage", std::move(catalogues))
            .value());
  };
  static const usage::Vocabulary plain = load({});
  static const usage::Vocabulary known = load({small_catalogue()});
  return catalogue ? known : plain;
}

using Row = std::tuple<std::string, int, std::uint32_t, std::uint32_t>;

std::vector<Row> rows_of(Scanner& scanner, std::string_view text, bool framed = false) {
  const usage::FileUsage& counted = scanner.scan(text, framed);
  std::vector<Row> rows;
  std::size_t total = counted.unresolved_stars;
  for (const usage::NameCount& one : counted.names) {
    rows.emplace_back(scanner.name(one.name), static_cast<int>(one.tier), one.calls, one.references);
    total += one.calls + one.references;
    fuzz::require(one.calls + one.references > 0, "a name that was counted no time");
    fuzz::require(scanner.name(one.name).size() <= 200, "a name that is too long");
    fuzz::require(counted.frameworks != 0, "names of a framework that is not imported");
  }
  fuzz::require(total <= text.size() + 1, "more names than bytes");
  std::sort(rows.begin(), rows.end());
  fuzz::require(std::adjacent_find(rows.begin(), rows.end(),
                                   [](const Row& a, const Row& b) {
                                     return std::get<0>(a) == std::get<0>(b) &&
                                            std::get<1>(a) == std::get<1>(b);
                                   }) == rows.end(),
                "a name that stands there twice");
  rows.emplace_back("", 0, counted.frameworks, counted.unresolved_stars);
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const usage::Vocabulary& words = vocabulary((data[0] & 1) != 0);
  Scanner scanner(words, (data[0] & 2) != 0);
  const std::vector<Row> rows = rows_of(scanner, text);
  for (int kernel = usage::kernel_count() - 1; kernel >= -1; --kernel) {
    usage::use_kernel(kernel);
    fuzz::require(rows == rows_of(scanner, text),
                  "counts that depend on the processor, or on the time before");
  }
  const std::string margin(usage::kTextMargin, '\n');
  const std::string framed = margin + std::string(text) + margin;
  fuzz::require(rows == rows_of(scanner, std::string_view(framed).substr(margin.size(), text.size()), true),
                "counts that depend on where the text stands");
  return 0;
}
