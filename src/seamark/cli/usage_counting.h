// Counting a corpus: shards go into the store as they end, progress onto the status line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/cli/live_line.h"
#include "seamark/proc/poll_loop.h"
#include "seamark/proc/signals.h"
#include "seamark/store/store.h"
#include "seamark/usage/count/count_shards.h"

namespace seamark::cli {

// "a.json.gz" of one input, "a.json.gz..z.json.gz (54)" of several, "stdin".
[[nodiscard]] std::string label_of_inputs(std::span<const std::string> inputs);
// "4.0 KiB/s".
[[nodiscard]] std::string byte_rate(double bytes, double seconds);

class UsageCounting final : public usage::CountSink {
 public:
  // Borrows all of them. `positions`: of each shard that will be counted, its place in the corpus.
  UsageCounting(store::Store& store, std::int64_t corpus, std::vector<std::size_t> positions, LiveLine& line,
                proc::Signals& signals, const Clock& clock, bool quiet);

  Status take(std::size_t shard, UsageShard counted) override;
  void fail(std::size_t shard, const Error& error) override;
  bool go_on(const usage::CountProgress& progress) override;

  [[nodiscard]] std::size_t saved() const { return saved_; }
  [[nodiscard]] std::size_t failed() const { return failed_; }
  // Of the shards that were saved.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] double cpu_s() const { return cpu_s_; }
  [[nodiscard]] double wall_s() const;

 private:
  store::Store& store_;
  std::int64_t corpus_;
  std::vector<std::size_t> positions_;
  LiveLine& line_;
  proc::Signals& signals_;
  proc::PollLoop loop_;
  const Clock& clock_;
  bool quiet_;
  bool interrupted_ = false;
  double interrupted_s_ = 0;  // since the start
  std::size_t saved_ = 0;
  std::size_t failed_ = 0;
  std::int64_t bytes_ = 0;
  double cpu_s_ = 0;
  std::int64_t start_ns_;
};

}  // namespace seamark::cli
