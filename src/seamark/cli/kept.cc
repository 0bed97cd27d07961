#include "seamark/cli/kept.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {

void say_kept(const std::vector<std::string>& kept, const std::string& store) {
  if (kept.empty()) return;
  constexpr std::size_t kListed = 10;
  const auto count = static_cast<std::int64_t>(kept.size());
  std::string text =
      fmt::format("{} in {} said otherwise there, and stays as it is:\n",
                  count == 1 ? "1 thing is" : report::count_text(count) + " things are", store);
  for (std::size_t i = 0; i < std::min(kListed, kept.size()); ++i) text += "  " + one_line(kept[i]) + "\n";
  if (kept.size() > kListed)
    text += fmt::format("  and {} more\n", report::count_text(count - static_cast<std::int64_t>(kListed)));
  (void)write_all(STDERR_FILENO, plain_text(text));
}

}  // namespace seamark::cli
