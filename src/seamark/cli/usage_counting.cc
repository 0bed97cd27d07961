#include "seamark/cli/usage_counting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/cli/exit_codes.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {
namespace {

constexpr double kGraceSeconds = 3;  // after an interrupt

std::string last_part(const std::string& input) {
  if (input == "-") return "stdin";
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(input, error).lexically_normal();
  if (error) path = input;
  if (!path.has_filename()) path = path.parent_path();
  return path.has_filename() ? path.filename().string() : path.string();
}

}  // namespace

std::string byte_rate(double bytes, double seconds) {
  return format_bytes(static_cast<std::uint64_t>(bytes / seconds)) + "/s";
}

std::string label_of_inputs(std::span<const std::string> inputs) {
  if (inputs.size() == 1) return last_part(inputs.front());
  return fmt::format("{}..{} ({})", last_part(inputs.front()), last_part(inputs.back()), inputs.size());
}

UsageCounting::UsageCounting(store::Store& store, std::int64_t corpus, std::vector<std::size_t> positions,
                             LiveLine& line, proc::Signals& signals, const Clock& clock, bool quiet)
    : store_(store),
      corpus_(corpus),
      positions_(std::move(positions)),
      line_(line),
      signals_(signals),
      loop_(&signals),
      clock_(clock),
      quiet_(quiet),
      start_ns_(clock.monotonic_ns()) {}

double UsageCounting::wall_s() const { return static_cast<double>(clock_.monotonic_ns() - start_ns_) * 1e-9; }

Status UsageCounting::take(std::size_t shard, UsageShard counted) {
  const auto position = static_cast<std::int64_t>(positions_.at(shard));
  if (Status saved = store_.save_usage_shard(corpus_, position, counted); !saved) return saved;
  ++saved_;
  bytes_ += counted.bytes;
  cpu_s_ += counted.cpu_s;
  return {};
}

void UsageCounting::fail(std::size_t, const Error& error) {
  ++failed_;
  line_.print("lost: " + one_line(error.message()));
}

bool UsageCounting::go_on(const usage::CountProgress& progress) {
  loop_.wait(0);
  if (signals_.interrupts() > 1 || (interrupted_ && wall_s() - interrupted_s_ > kGraceSeconds)) {
    // A thread may be waiting for its input for ever. Every shard that ended is in the store.
    line_.print("ended while it was reading");
    ::_exit(static_cast<int>(ExitCode::kInterrupted));
  }
  if (signals_.interrupts() > 0) {
    if (!interrupted_) line_.print("stopping; a second interrupt ends it at once");
    if (!interrupted_) interrupted_s_ = wall_s();
    interrupted_ = true;
    return false;
  }
  if (quiet_) return true;
  const double seconds = std::max(wall_s(), 1e-3);
  const auto bytes = static_cast<double>(progress.bytes);
  std::string text = fmt::format("{} of {}, {}, {}", progress.shards,
                                 report::plural(static_cast<std::int64_t>(positions_.size()), "shard"),
                                 format_bytes(progress.bytes), byte_rate(bytes, seconds));
  if (progress.losses > 0) text += fmt::format(", {} lost", progress.losses);
  line_.show(text);
  return true;
}

}  // namespace seamark::cli
