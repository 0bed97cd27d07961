// The random numbers of samples. Written out, so that every machine and every library draws the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace seamark::sample {

// Named in every sample: what it means never changes.
inline constexpr std::string_view kGenerator = "pcg32/lemire/fisher-yates-1";

// PCG-XSH-RR 64/32: M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good
// Algorithms for Random Number Generation, Harvey Mudd College HMC-CS-2014-0905, 2014.
class Pcg32 {
 public:
  Pcg32(std::uint64_t state, std::uint64_t stream);

  std::uint32_t next();
  // 0 to bound - 1, each equally likely: D. Lemire, Fast Random Integer Generation in an Interval, ACM
  // Transactions on Modeling and Computer Simulation 29(1), 2019. Throws std::invalid_argument for 0.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::uint64_t state_ = 0;
  std::uint64_t increment_;
};

// One generator per seed, framework and purpose ("ties", "decile-3"), so that no draw moves another.
Pcg32 generator_for(std::uint64_t seed, std::string_view framework, std::string_view purpose);

// Fisher and Yates in Durstenfeld's form (CACM 7(7), 1964, algorithm 235), from the last place to the first.
template <typename T>
void shuffle(std::span<T> items, Pcg32& generator) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::size_t j = generator.below(static_cast<std::uint32_t>(i));
    if (j != i - 1) std::swap(items[i - 1], items[j]);
  }
}

}  // namespace seamark::sample
