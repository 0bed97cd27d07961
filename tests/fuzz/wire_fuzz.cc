// Any bytes that a worker may say: lines are cut, decoded and put in order, nothing crashes, nothing grows.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "seamark/agent/protocol_state.h"
#include "seamark/agent/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seamark::agent;
  if (size == 0) return 0;
  const bool fork = (data[0] & 1) != 0;
  const std::size_t piece = 1 + data[0] / 2;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  ProtocolState protocol_state(fork ? seamark::WorkerMode::kFork : seamark::WorkerMode::kPersistent);
  protocol_state.planned(3);
  LineSplitter splitter(4096);
  std::vector<std::string> lines;
  bool whole = true;
  while (!bytes.empty() && whole) {
    whole = splitter.feed(bytes.substr(0, piece), lines).ok();
    bytes.remove_prefix(std::min(piece, bytes.size()));
    if (splitter.rest().size() > 4096) std::abort();
  }
  std::int64_t next = 0;
  for (const std::string& line : lines) {
    const auto event = decode(line, protocol_state.planned());
    if (!event) {
      if (event.error().message().empty()) std::abort();
      continue;
    }
    if (!event->has_value()) continue;
    while (protocol_state.in_flight() < 2) protocol_state.sent_run(next++ % 3);
    if (protocol_state.lacks_nonce()) protocol_state.gave_nonce({});
    if (const auto* end = std::get_if<End>(&**event)) {
      if (end->outcome == seamark::Outcome::kPass && (end->failure || !end->evidence)) std::abort();
      if (end->failure && end->failure->message.size() > kMaxMessageBytes) std::abort();
    }
    if (const auto* forked = std::get_if<Forked>(&**event); forked != nullptr && forked->pid < 2)
      std::abort();
    static_cast<void>(protocol_state.accept(**event));
  }
  return 0;
}
