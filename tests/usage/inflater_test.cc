// The inflater itself: streams written bit by bit, and what ISA-L packs, in pieces of every size.
#include "corpus_fixture.h"
#include "inflate_pieces.h"
#include "seamark/usage/inflate.h"

namespace seamark::usage {
namespace {

using State = Inflater::State;

class Bits {
 public:
  Bits& put(std::uint32_t value, unsigned count) {  // the lowest first
    for (unsigned i = 0; i < count; ++i) bit(value >> i & 1);
    return *this;
  }
  Bits& code(std::uint32_t value, unsigned count) {  // the highest first, as codes stand
    for (unsigned i = count; i-- > 0;) bit(value >> i & 1);
    return *this;
  }
  Bits& literal(unsigned value) {  // of a fixed block
    return value < 144 ? code(0x30 + value, 8) : code(0x190 + value - 144, 9);
  }
  Bits& length(unsigned symbol) {
    return symbol < 280 ? code(symbol - 256, 7) : code(0xc0 + symbol - 280, 8);
  }
  Bits& end() { return code(0, 7); }
  Bits& whole_byte() {
    while (used_ % 8 != 0) bit(0);
    return *this;
  }
  // The lengths of the codes of a dynamic block, each by its own code of 5 bits: 0 to 15, and the repeats.
  Bits& dynamic(unsigned literals, unsigned distances, const std::vector<unsigned>& symbols,
                const std::vector<unsigned>& extra = {}) {
    put(literals - 257, 5).put(distances - 1, 5).put(19 - 4, 4);
    // 13 codes of 4 bits and 6 of 5: complete. In the order of RFC 1951, 3.2.7.
    for (const unsigned symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}) {
      put(symbol < 13 ? 4 : 5, 3);
    }
    std::size_t next = 0;
    for (const unsigned symbol : symbols) {
      if (symbol < 13) {
        code(symbol, 4);
      } else {
        code(26 + symbol - 13, 5);
      }
      if (symbol >= 16) put(extra.at(next++), symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
    }
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void bit(std::uint32_t value) {
    if (used_ % 8 == 0) bytes_.push_back('\0');
    bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) | (value << (used_ % 8)));
    ++used_;
  }

  std::string bytes_;
  std::size_t used_ = 0;
};

Decoded decode(std::string_view stored, InflateCodes loop = best_inflate_codes(), std::size_t more = 1 << 20,
               std::size_t room = 1 << 20) {
  const auto inflater = std::make_unique<Inflater>(loop);
  return decode_pieces({reinterpret_cast<const std::uint8_t*>(stored.data()), stored.size()}, *inflater, more,
                       room);
}

// The same on every path.
Decoded decode_anyhow(std::string_view stored) {
  const Decoded decoded = decode(stored);
  for (const InflateCodes loop : {&portable_inflate_codes, best_inflate_codes()}) {
    for (const std::size_t more : {1u, 100u, 1u << 20}) {
      for (const std::size_t room : {1u, 7u, 333u, 5000u, 1u << 20}) {
        if (stored.size() > 4000 && room < 333) continue;
        EXPECT_EQ(decode(stored, loop, more, room), decoded) << more << " " << room;
      }
    }
  }
  return decoded;
}

// Raw DEFLATE, without the header and the trailer of gz().
std::string raw(std::string_view text) {
  const std::string packed = gz(text);
  return packed.substr(10, packed.size() - 18);
}

std::string raw_repeated(std::string_view text, std::size_t times) {
  const std::string packed = gz_repeated(text, times);
  return packed.substr(10, packed.size() - 18);
}

TEST(Inflater, WhatIsalPacks) {
  std::mt19937_64 random(3);
  for (const unsigned alphabet : {1u, 2u, 20u, 256u}) {
    for (const std::size_t size : {0u, 1u, 300u, 70'000u}) {
      std::string text;
      while (text.size() < size) {
        text.push_back(static_cast<char>(random() % alphabet));
        // References of every length, near and far.
        if (text.size() > 40 && random() % 4 == 0) {
          text += text.substr(text.size() - 1 - random() % std::min<std::size_t>(text.size() - 1, 40'000),
                              random() % 300);
        }
      }
      for (const std::string& stored : {raw(text), raw_repeated(text, 1)}) {
        const Decoded decoded = decode_anyhow(stored);
        ASSERT_EQ(decoded.state, State::kDone);
        ASSERT_EQ(decoded.text, text);
        ASSERT_EQ(decoded.taken, stored.size());
      }
    }
  }
}

TEST(Inflater, ReferencesAsFarAsTheyCanBe) {
  std::string text(32'768, '\0');
  std::mt19937_64 random(4);
  for (char& c : text) c = static_cast<char>(random());
  const Bits stored = Bits().put(0, 3).put(0, 5).put(32'768, 16).put(32'767, 16);
  // 258 bytes from 32,768 before; distance symbol 29: 24,577 and 13 more bits.
  const std::string block =
      Bits().put(1, 1).put(1, 2).length(285).code(29, 5).put(32'768 - 24'577, 13).end().bytes();
  const Decoded decoded = decode_anyhow(stored.bytes() + text + block);
  EXPECT_EQ(decoded.state, State::kDone);
  EXPECT_EQ(decoded.text, text + text.substr(0, 258));
}

TEST(Inflater, EveryDistanceUpTo40) {
  for (unsigned distance = 1; distance <= 40; ++distance) {
    std::string text;
    for (unsigned i = 0; i < distance; ++i) text.push_back(static_cast<char>('0' + i));
    Bits bits;
    bits.put(1, 1).put(1, 2);
    for (const char c : text) bits.literal(static_cast<unsigned char>(c));
    unsigned symbol = 0;
    unsigned least = 1;
    while (symbol < 29 && least + (1u << (symbol < 4 ? 0 : symbol / 2 - 1)) <= distance) {
      least += 1u << (symbol < 4 ? 0 : symbol / 2 - 1);
      ++symbol;
    }
    bits.length(285).code(symbol, 5).put(distance - least, symbol < 4 ? 0 : symbol / 2 - 1).end();
    std::string expected = text;
    for (unsigned i = 0; i < 258; ++i) expected.push_back(expected[expected.size() - distance]);
    // Far enough from the ends for the loop.
    const Decoded decoded = decode_anyhow(bits.bytes() + std::string(100, 'x'));
    EXPECT_EQ(decoded.text, expected) << distance;
    EXPECT_EQ(decoded.taken, bits.bytes().size());
  }
}

TEST(Inflater, StoredBlocks) {
  const std::string empty = Bits().put(0, 3).whole_byte().put(0, 16).put(0xffff, 16).bytes();
  const std::string last = Bits().put(1, 3).whole_byte().put(3, 16).put(0xfffc, 16).bytes() + "abc";
  EXPECT_EQ(decode_anyhow(empty + empty + last + "more").text, "abc");
  EXPECT_EQ(decode_anyhow(empty + last).taken, empty.size() + last.size());
  EXPECT_EQ(decode_anyhow(Bits().put(1, 3).whole_byte().put(3, 16).put(0xfffd, 16).bytes()).state,
            State::kInvalidBlock);
}

// One code for the end and one literal; distances as said.
std::string two_codes(const std::vector<unsigned>& distances, const std::function<void(Bits&)>& data) {
  std::vector<unsigned> symbols = {18, 18, 1};  // 0 to 137 none, 138 to 254 none, 255: a bit
  symbols.push_back(1);                         // 256
  symbols.insert(symbols.end(), distances.begin(), distances.end());
  Bits bits;
  bits.put(1, 1).put(2, 2);
  bits.dynamic(257, static_cast<unsigned>(distances.size()), symbols, {138 - 11, 117 - 11});
  data(bits);
  return bits.bytes();
}

TEST(Inflater, DynamicBlocks) {
  const auto data = [](Bits& bits) { bits.code(0, 1).code(0, 1).code(1, 1); };
  // No distance at all, one of a bit (which is no complete code), two.
  for (const std::vector<unsigned>& distances : std::vector<std::vector<unsigned>>{{0}, {1}, {1, 1}}) {
    const Decoded decoded = decode_anyhow(two_codes(distances, data));
    EXPECT_EQ(decoded.state, State::kDone);
    EXPECT_EQ(decoded.text, "\xff\xff");
  }
  // Of two bits: incomplete; three of a bit: too many.
  EXPECT_EQ(decode_anyhow(two_codes({2}, data)).state, State::kInvalidBlock);
  EXPECT_EQ(decode_anyhow(two_codes({1, 1, 1}, data)).state, State::kInvalidBlock);
}

TEST(Inflater, TheCodeThatNoDistanceHas) {
  // 255: 2 bits, 256: 2 bits, 257 (a length of 3): 1 bit; a distance code of one bit, and the other bit is
  // used.
  Bits bits;
  bits.put(1, 1).put(2, 2).dynamic(258, 1, {18, 18, 2, 2, 1, 1}, {138 - 11, 117 - 11});
  const Bits good = Bits(bits).code(2, 2).code(0, 1).code(0, 1).code(3, 2);
  EXPECT_EQ(decode_anyhow(good.bytes()).text, "\xff\xff\xff\xff");
  const Bits bad = Bits(bits).code(2, 2).code(0, 1).code(1, 1).code(3, 2);
  EXPECT_EQ(decode_anyhow(bad.bytes() + std::string(100, '\0')).state, State::kInvalidCode);
  EXPECT_EQ(decode_anyhow(bad.bytes() + std::string(100, '\0')).text, "\xff");
}

TEST(Inflater, WhatIsInvalid) {
  const std::string rest(100, '\0');
  const auto block = [] { return Bits().put(1, 1).put(2, 2); };
  const struct {
    std::string stored;
    State state;
  } cases[] = {
      {Bits().put(1, 1).put(3, 2).bytes(), State::kInvalidBlock},
      // More codes than there are symbols.
      {block().put(287 - 257, 5).put(0, 5).put(0, 4).bytes(), State::kInvalidBlock},
      {block().put(0, 5).put(30, 5).put(0, 4).bytes(), State::kInvalidBlock},
      // Lengths of lengths: none, and too many of a bit.
      {block().put(0, 5).put(0, 5).put(0, 4).put(0, 12).bytes(), State::kInvalidBlock},
      {block().put(0, 5).put(0, 5).put(0, 4).put(1, 3).put(1, 3).put(1, 3).put(0, 3).bytes(),
       State::kInvalidBlock},
      // A repeat of nothing; one that goes too far; no code for the end.
      {block().dynamic(257, 1, {16}, {0}).bytes(), State::kInvalidBlock},
      {block().dynamic(257, 1, {18, 18}, {127, 127}).bytes(), State::kInvalidBlock},
      {block().dynamic(257, 1, {1, 1, 18, 18, 0}, {127, 106}).bytes(), State::kInvalidBlock},
      // Symbols of fixed blocks that mean nothing.
      {Bits().put(1, 1).put(1, 2).literal('a').length(286).bytes(), State::kInvalidCode},
      {Bits().put(1, 1).put(1, 2).literal('a').length(287).bytes(), State::kInvalidCode},
      {Bits().put(1, 1).put(1, 2).literal('a').length(257).code(30, 5).bytes(), State::kInvalidCode},
      {Bits().put(1, 1).put(1, 2).literal('a').length(257).code(31, 5).bytes(), State::kInvalidCode},
      // To before the beginning.
      {Bits().put(1, 1).put(1, 2).length(257).code(0, 5).bytes(), State::kInvalidDistance},
      {Bits().put(1, 1).put(1, 2).literal('a').length(257).code(1, 5).bytes(), State::kInvalidDistance},
      {Bits().put(1, 1).put(1, 2).literal('a').length(257).code(29, 5).put(8191, 13).bytes(),
       State::kInvalidDistance},
  };
  for (const auto& [stored, state] : cases) {
    const Decoded decoded = decode_anyhow(stored + rest);
    EXPECT_EQ(decoded.state, state) << (&stored - &cases[0].stored);
    EXPECT_LE(decoded.text.size(), 1u);
  }
}

TEST(Inflater, NothingOfTheStreamBefore) {
  auto inflater = std::make_unique<Inflater>();
  std::string out(1000, '\0');
  const auto run = [&](const std::string& stored) {
    inflater->begin();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(stored.data());
    return inflater->inflate({bytes, stored.size()}, true, out);
  };
  EXPECT_EQ(run(raw("some text, some text, some text")).state, State::kDone);
  EXPECT_EQ(run(Bits().put(1, 1).put(1, 2).length(257).code(0, 5).bytes()).state, State::kInvalidDistance);
  EXPECT_EQ(run(raw("some")).made, 4u);
}

TEST(Inflater, CutOffAnywhere) {
  const std::string stored =
      raw(std::string(100, 'a') + "some text, some text, some text" + std::string(70, 'b'));
  for (std::size_t size = 0; size < stored.size(); ++size) {
    EXPECT_EQ(decode_anyhow(stored.substr(0, size)).state, State::kCutOff) << size;
  }
}

}  // namespace
}  // namespace seamark::usage
