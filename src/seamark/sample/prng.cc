#include "seamark/sample/prng.h"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "seamark/base/text.h"

namespace seamark::sample {

Pcg32::Pcg32(std::uint64_t state, std::uint64_t stream) : increment_((stream << 1) | 1) {
  next();
  state_ += state;
  next();
}

std::uint32_t Pcg32::next() {
  const std::uint64_t old = state_;
  state_ = old * 6364136223846793005ULL + increment_;
  const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
  return std::rotr(shifted, static_cast<int>(old >> 59));
}

std::uint32_t Pcg32::below(std::uint32_t bound) {
  if (bound == 0) throw std::invalid_argument("there is no number below 0");
  std::uint64_t product = std::uint64_t{next()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

Pcg32 generator_for(std::uint64_t seed, std::string_view framework, std::string_view purpose) {
  const std::string number = std::to_string(seed);
  const std::array<std::string_view, 4> state = {"state", number, framework, purpose};
  const std::array<std::string_view, 4> stream = {"stream", number, framework, purpose};
  return {fnv1a64_fields(state), fnv1a64_fields(stream)};
}

}  // namespace seamark::sample
