// What `seamark usage` prints: the usage of one corpus.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/model/usage.h"
#include "seamark/model/usage_shard.h"
#include "seamark/report/render_options.h"
#include "seamark/store/usage_table.h"

namespace seamark::cli {

struct UsageView {
  store::UsageCorpus corpus;
  UsageTable table;                // of the frameworks that were asked for
  std::vector<UsageLoss> losses;   // the first of them
  std::vector<UsageLoss> repairs;  // the first of them
};

// Of each framework the `top` functions, and as many of the other tiers apart.
[[nodiscard]] std::string usage_text(const UsageView& view, std::size_t top,
                                     const report::RenderOptions& options);
[[nodiscard]] std::string usage_json(const UsageView& view);
// function,tier,calls,references,files,repositories
[[nodiscard]] std::string usage_csv(const UsageTable& table);

// "a.json.gz:17: what", safe for a terminal.
[[nodiscard]] std::string loss_line(const UsageLoss& loss);

}  // namespace seamark::cli
