// CPU time of reading a corpus, step by step, beside `igzip -dc` (where there is one) on the same shards:
//
//   usage_read_bench [--window KIB] [--rounds N] SHARD.gz...
//
// The steps are inflating alone, with the search for needles, and with the decoding of the lines that have
// one. Each is taken in turn, and the best round is told: the noise of a busy machine only ever adds.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "seamark/proc/run_command.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/jsonl_reader.h"

namespace {

using namespace seamark;
using namespace seamark::usage;

class CountingSink : public SourceSink {
 public:
  void take(const SourceFile& file) override { bytes += file.text.size(); }
  void lose(const Loss& loss) override { fmt::print(stderr, "{}:{}: {}\n", loss.file, loss.line, loss.what); }
  std::uint64_t bytes = 0;
};

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::unique_ptr<ByteSource> open_shard(const std::string& path) {
  Result<std::unique_ptr<RawInput>> input = open_input(path);
  if (!input) {
    fmt::print(stderr, "{}\n", input.error().message());
    std::exit(2);
  }
  return unpack(std::move(*input));
}

std::uint64_t inflate(const std::vector<std::string>& shards, std::size_t window) {
  std::vector<char> buffer(window);
  std::uint64_t total = 0;
  for (const std::string& path : shards) {
    const std::unique_ptr<ByteSource> source = open_shard(path);
    while (const std::size_t got = source->read(buffer)) total += got;
  }
  return total;
}

ShardRead read(const std::vector<std::string>& shards, const CorpusOptions& options, std::size_t window) {
  ShardRead sum;
  CountingSink sink;
  for (const std::string& path : shards) {
    const std::unique_ptr<ByteSource> source = open_shard(path);
    const Result<ShardRead> done = JsonlReader(path, options, sink, window).read(*source);
    if (!done) continue;
    sum.files += done->files;
    sum.candidates += done->candidates;
    sum.bytes += done->bytes;
  }
  return sum;
}

double igzip(const std::vector<std::string>& shards) {
  double seconds = 0;
  for (const std::string& path : shards) {
    proc::CommandOptions options;
    options.spawn.argv = {"sh", "-c", "exec igzip -dc \"$1\" > /dev/null", "sh", path};
    const Result<proc::CommandResult> done = proc::run_command(options);
    if (!done || !done->success()) return 0;
    seconds += done->usage.user_s + done->usage.system_s;
  }
  return seconds;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t window = kReadWindow;
  int rounds = 5;
  std::vector<std::string> shards;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--window" && i + 1 < count) {
      window = std::strtoull(arguments[++i], nullptr, 10) << 10;
    } else if (argument == "--rounds" && i + 1 < count) {
      rounds = std::atoi(arguments[++i]);
    } else {
      shards.push_back(argument);
    }
  }
  if (shards.empty() || window == 0) {
    fmt::print(stderr, "usage: usage_read_bench [--window KIB] [--rounds N] SHARD.gz...\n");
    return 2;
  }
  CorpusOptions none;
  none.needles = {"\x01no such text\x02", "\x03neither\x04", "\x05nor this\x06"};
  CorpusOptions some;
  some.needles = {"torch", "tensorflow", "jax"};
  const std::array<std::pair<const char*, std::function<double()>>, 4> steps = {{
      {"igzip -dc", [&] { return igzip(shards); }},
      {"inflate", [&] { return static_cast<double>(inflate(shards, window)) * 0; }},
      {"inflate, search", [&] { return static_cast<double>(read(shards, none, window).files) * 0; }},
      {"inflate, search, decode", [&] { return static_cast<double>(read(shards, some, window).files) * 0; }},
  }};
  std::array<double, 4> best{};
  best.fill(1e9);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double before = cpu_seconds();
      const double told = steps[i].second();  // of another process
      best[i] = std::min(best[i], i == 0 ? told : cpu_seconds() - before);
    }
  }
  const ShardRead sum = read(shards, some, window);
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  fmt::print("{} bytes, {} files, {} candidates, window {} KiB, best of {}, peak {} MiB\n", sum.bytes,
             sum.files, sum.candidates, window >> 10, rounds, use.ru_maxrss >> 10);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (best[i] <= 0) continue;
    fmt::print("{:<24} {:.3f} ns/byte", steps[i].first, best[i] * 1e9 / static_cast<double>(sum.bytes));
    if (i > 0 && best[0] > 0) fmt::print("  {:.2f} x igzip", best[i] / best[0]);
    fmt::print("\n");
  }
  return 0;
}
