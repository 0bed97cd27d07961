// An inflater driven in pieces of chosen sizes, for its tests and its fuzzer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "seamark/usage/inflate.h"

namespace seamark::usage {

struct Decoded {
  std::string text;
  Inflater::State state = Inflater::State::kInput;
  std::size_t taken = 0;
  friend bool operator==(const Decoded&, const Decoded&) = default;
};

// The input comes in pieces of `more` bytes beyond what must be there, the output is taken in pieces of
// `room`, of which one or several calls write to the same; it ends after `most` bytes. std::logic_error: the
// inflater did not keep to what its header says.
inline Decoded decode_pieces(std::span<const std::uint8_t> stored, Inflater& inflater, std::size_t more,
                             std::size_t room, std::size_t most = std::numeric_limits<std::size_t>::max()) {
  using State = Inflater::State;
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  };
  inflater.begin();
  Decoded decoded;
  std::vector<char> out(room);
  std::size_t at = 0;
  std::size_t there = 0;
  while (decoded.state == State::kInput || decoded.state == State::kOutput) {
    if (decoded.state == State::kInput)
      there = std::min(stored.size(), decoded.taken + Inflater::kLeastInput + more);
    if (at == room) {
      out.assign(room, '?');
      at = 0;
    }
    const std::size_t allowed = std::min(room - at, most - decoded.text.size());
    if (allowed == 0) break;
    // Exactly as large as it is, so that a read behind the end is seen.
    const std::span<const std::uint8_t> piece = stored.subspan(decoded.taken, there - decoded.taken);
    const std::vector<std::uint8_t> in(piece.begin(), piece.end());
    const Inflater::Progress progress =
        inflater.inflate(in, there == stored.size(), {out.data(), at + allowed}, at);
    require(progress.taken <= in.size() && progress.made <= allowed, "more than there is");
    require(progress.state != State::kInput || there < stored.size(), "asks for more than there is");
    require(progress.state != State::kOutput || progress.made == allowed, "asks for room in vain");
    decoded.text.append(out.data() + at, progress.made);
    decoded.taken += progress.taken;
    decoded.state = progress.state;
    at += progress.made;
  }
  return decoded;
}

}  // namespace seamark::usage
