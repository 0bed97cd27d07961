#include "seamark/sample/usage_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "seamark/base/csv.h"
#include "seamark/base/text.h"

namespace seamark::sample {
namespace {

constexpr std::string_view kRemedy = "give a table that `seamark usage --format csv` wrote";

std::optional<UsageTier> tier_from(std::string_view name) {
  for (int number = 1; number <= kLastUsageTier; ++number) {
    if (name == name_of(static_cast<UsageTier>(number))) return static_cast<UsageTier>(number);
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view file, const Frameworks& frameworks) : file_(file), frameworks_(frameworks) {
    table_.corpus = file;
  }

  Result<UsageTable> read(const std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) return bad(1, "it is empty");
    head_ = rows.front();
    for (const char* wanted : {"function", "calls"}) {
      if (column(wanted) == head_.size()) return bad(1, fmt::format("there is no column '{}'", wanted));
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].size() != head_.size()) {
        return bad(i + 1, fmt::format("{} fields instead of {}", rows[i].size(), head_.size()));
      }
      Result<UsageRow> row = row_of(rows[i], i + 1);
      if (!row) return row.error();
      table_.rows.push_back(std::move(*row));
    }
    return std::move(table_);
  }

 private:
  [[nodiscard]] std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::find(head_.begin(), head_.end(), name) - head_.begin());
  }

  [[nodiscard]] Error bad(std::size_t row, const std::string& what) const {
    return {SampleError::kBadTable, fmt::format("{}: row {}: {}", file_, row, what), std::string(kRemedy)};
  }

  Result<UsageRow> row_of(const std::vector<std::string>& fields, std::size_t number) const {
    const auto field = [&](std::string_view name) -> std::string {
      const std::size_t at = column(name);
      return at < fields.size() ? fields[at] : std::string();
    };
    UsageRow row;
    row.function = field("function");
    row.framework = field("framework");
    if (row.framework.empty()) row.framework = frameworks_.of(row.function);
    if (row.function.empty()) return bad(number, "it names no function");
    if (row.framework.empty()) {
      return bad(number, fmt::format("'{}' is below no framework that is known", row.function));
    }
    if (const std::string tier = field("tier"); !tier.empty()) {
      const std::optional<UsageTier> known = tier_from(tier);
      if (!known) return bad(number, fmt::format("there is no tier '{}'", tier));
      row.tier = *known;
    }
    const std::pair<const char*, std::int64_t*> numbers[] = {{"calls", &row.calls},
                                                             {"references", &row.references},
                                                             {"files", &row.files},
                                                             {"repositories", &row.repositories}};
    for (const auto& [name, target] : numbers) {
      const std::string text = field(name);
      if (text.empty() && std::string_view(name) != "calls") continue;
      const std::optional<std::int64_t> count = parse_int(text);
      // Sums of them must fit as well.
      constexpr std::int64_t kMost = std::int64_t{1} << 50;
      if (!count || *count < 0 || *count > kMost) {
        return bad(number, fmt::format("'{}' is no number of {}", text, name));
      }
      *target = *count;
    }
    return row;
  }

  std::string file_;
  const Frameworks& frameworks_;
  std::vector<std::string> head_;
  UsageTable table_;
};

}  // namespace

Result<UsageTable> parse_usage_csv(std::string_view text, std::string_view file,
                                   const Frameworks& frameworks) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!is_utf8(text)) {
    return Error(SampleError::kBadTable, fmt::format("{}: it is no UTF-8 text", file), std::string(kRemedy));
  }
  const auto rows = parse_csv(text, file);
  if (!rows) return Error(SampleError::kBadTable, rows.error().message(), std::string(kRemedy));
  return Reader(file, frameworks).read(*rows);
}

}  // namespace seamark::sample
