// Any bytes as a DEFLATE stream: however it comes in pieces, what it gives is the same, and what ISA-L gives
// where the stream is whole.
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fuzz_check.h"
#include "seamark/usage/inflate.h"

namespace {

using seamark::usage::Inflater;
using State = Inflater::State;

constexpr std::size_t kMostBytes = std::size_t{1} << 18;

struct Decoded {
  std::string text;
  State state = State::kInput;
  std::size_t taken = 0;
  friend bool operator==(const Decoded&, const Decoded&) = default;
};

// Up to kMostBytes.
Decoded decode(std::span<const std::uint8_t> stored, Inflater& inflater, std::size_t more, std::size_t room) {
  inflater.begin();
  Decoded decoded;
  std::vector<char> out(room);
  std::size_t at = 0;
  std::size_t there = 0;
  while (decoded.state == State::kInput || decoded.state == State::kOutput) {
    if (decoded.state == State::kInput)
      there = std::min(stored.size(), decoded.taken + Inflater::kLeastInput + more);
    if (at == room) at = 0;
    const std::size_t allowed = std::min(room - at, kMostBytes - decoded.text.size());
    if (allowed == 0) break;
    // Exactly as large as they are, so that what reads or writes behind them is seen.
    const std::vector<std::uint8_t> in(stored.begin() + static_cast<std::ptrdiff_t>(decoded.taken),
                                       stored.begin() + static_cast<std::ptrdiff_t>(there));
    const Inflater::Progress progress =
        inflater.inflate(in, there == stored.size(), {out.data(), at + allowed}, at);
    seamark::fuzz::require(progress.taken <= in.size() && progress.made <= allowed, "more than there is");
    seamark::fuzz::require(progress.state != State::kInput || there < stored.size(),
                           "asks for more than there is");
    seamark::fuzz::require(progress.state != State::kOutput || progress.made == allowed,
                           "asks for room in vain");
    decoded.text.append(out.data() + at, progress.made);
    decoded.taken += progress.taken;
    decoded.state = progress.state;
    at += progress.made;
  }
  // Where something invalid was seen is told to a few bits.
  if (decoded.state != State::kDone) decoded.taken = 0;
  return decoded;
}

// What ISA-L takes is a little more than what RFC 1951 allows: only streams that are whole are compared.
void require_as_isal(std::span<const std::uint8_t> stored, const Decoded& decoded) {
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  std::string text(decoded.text.size() + 1, '\0');
  state->next_in = const_cast<std::uint8_t*>(stored.data());
  state->avail_in = static_cast<std::uint32_t>(stored.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(text.data());
  state->avail_out = static_cast<std::uint32_t>(text.size());
  const bool good = isal_inflate_stateless(state.get()) == ISAL_DECOMP_OK;
  seamark::fuzz::require(good && state->avail_out == 1, "ISA-L sees another end");
  text.pop_back();
  seamark::fuzz::require(text == decoded.text, "ISA-L gives something else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::uint8_t> stored(data + 2, size - 2);
  static Inflater best;
  static Inflater portable(&seamark::usage::portable_inflate_codes);
  const Decoded whole = decode(stored, best, kMostBytes, kMostBytes);
  seamark::fuzz::require(decode(stored, portable, data[0], 1 + 16 * std::size_t{data[1]}) == whole,
                         "the pieces decide what it gives");
  if (whole.state == State::kDone) require_as_isal(stored, whole);
  return 0;
}
