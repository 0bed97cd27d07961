// Any bytes as a DEFLATE stream: however it comes in pieces, what it gives is the same, and what ISA-L gives
// where the stream is whole.
#include <isa-l/igzip_lib.h>

#include <memory>
#include <span>
#include <string>

#include "../usage/inflate_pieces.h"
#include "fuzz_check.h"

namespace {

using seamark::usage::Decoded;
using seamark::usage::Inflater;
using State = Inflater::State;

constexpr std::size_t kMostBytes = std::size_t{1} << 18;

// Up to kMostBytes.
Decoded decode(std::span<const std::uint8_t> stored, Inflater& inflater, std::size_t more, std::size_t room) {
  Decoded decoded = seamark::usage::decode_pieces(stored, inflater, more, room, kMostBytes);
  // Where something invalid was seen is told to a few bits.
  if (decoded.state != State::kDone) decoded.taken = 0;
  return decoded;
}

// What ISA-L takes is a little more than what RFC 1951 allows: only streams that are whole are compared.
void require_as_isal(std::span<const std::uint8_t> stored, const Decoded& decoded) {
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  std::string text(decoded.text.size() + 1, '\0');
  state->next_in = const_cast<std::uint8_t*>(stored.data());  // NOLINT(*-const-cast): ISA-L's type
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
