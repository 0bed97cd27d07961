// The wire between supervisor and agent (docs/wire.md): encoding of what is sent, strict decoding of
// what a worker says. Nothing here does I/O. Worker output is untrusted: every line gives an event or an
// error, memory is bounded by the length of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "seamark/agent/agent_error.h"
#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/model/attempt.h"

namespace seamark::agent {

inline constexpr int kWireVersion = 2;
inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;
inline constexpr int kMaxDepth = 32;
inline constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMaxTracebackBytes = std::size_t{32} << 10;

// How a timed attempt samples; the agent does the sampling.
struct TimingSettings {
  std::string protocol = "full";  // full, paper
  double min_time_s = 0.05;       // sampling of one operation lasts at least this long
  double max_time_s = 1.0;        // and at most this long
  int max_samples = 200;
  double rel_spread = 0.02;  // or stops when the relative spread is this small
};

struct Hello {
  Value target;  // object: name, framework, adapter, device, mode, options
  WorkerMode mode = WorkerMode::kFork;
  std::vector<std::string> suites;
  std::int64_t seed = 0;
  int threads = 1;
  std::string work_dir;                      // a folder for the worker's caches and files
  std::string cache_dir;                     // of compilers' answers, from run to run; empty: none is kept
  std::optional<std::int64_t> memory_bytes;  // above the size after import; nullopt: no limit
  TimingSettings timing;
};

// Each returns one or several whole lines, with their '\n'.
std::string encode_hello(const Hello& hello);
std::string encode_plan(std::span<const std::string> names);  // split so that no line is too long
std::string encode_run(std::int64_t id, Phase phase);
std::string encode_stop();

struct Ready {
  std::string agent_version;
  std::string framework_version;
  std::string device;
  std::int64_t pid = 0;
  double cpu_s = 0;
  Value facts;  // object or null: what the adapter knows of the device and the framework
};

struct Unusable {
  std::string reason;
  std::string remedy;
};

struct Forked {
  std::int64_t id = 0;
  std::int64_t pid = 0;  // > 1; a claim, checked before it is signalled
  std::string nonce;
};

// A case's answer, in the parts of an Attempt.
// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the analyzer does not follow it into a variant
struct End {
  std::int64_t id = 0;
  std::string nonce;
  Outcome outcome = Outcome::kError;  // pass, fail, skip or error
  std::optional<Evidence> evidence;   // always set for a pass
  std::string reason;                 // never empty for a skip or an error
  std::optional<double> cpu_s;
  std::optional<double> wall_s;
  std::optional<Failure> failure;  // always set for a fail
  Placement placement;
  Value reference;
  Value compiled;
  std::vector<TimedOperation> operations;
  Costs costs;
  std::string cold_kind;
  std::vector<std::string> attributes;
  std::vector<std::string> changed;  // what the case had changed for those after it in its process
  bool spent = false;                // some of it could not be restored: the worker takes no more
};

struct Reaped {
  std::int64_t id = 0;
  int status = 0;  // raw wait status
  std::string nonce;
  std::vector<std::string> leaked;  // processes that the case left behind, ended by the worker
};

// Of a worker that does not fork: the case is over, and the worker goes on.
struct Done {
  std::int64_t id = 0;
  std::string nonce;
  std::vector<std::string> leaked;
};

using Event = std::variant<Ready, Unusable, Forked, End, Reaped, Done>;

// One line without its '\n'. nullopt: the line is empty. Errors (kProtocol) name what is wrong and
// quote the start of the line. Ids must lie in [0, planned).
Result<std::optional<Event>> decode(std::string_view line, std::int64_t planned);

// Cuts after at most max bytes, never inside a UTF-8 sequence, and says that it did.
std::string bounded(std::string text, std::size_t max);

}  // namespace seamark::agent
