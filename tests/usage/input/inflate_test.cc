#include "corpus_fixture.h"
#include "seamark/base/fd.h"

namespace seamark::usage {
namespace {

struct Unpacked {
  std::string text;
  std::vector<std::string> problems;
};

Unpacked drain(ByteSource& source, std::size_t window) {
  Unpacked result;
  std::string buffer(window, '\0');
  while (true) {
    const std::size_t got = source.read(buffer);
    EXPECT_LE(got, window);
    result.text.append(buffer, 0, got);
    for (std::string& problem : source.take_problems()) result.problems.push_back(std::move(problem));
    if (got < window) break;
  }
  EXPECT_EQ(source.read(buffer), 0u) << "the end stays the end";
  return result;
}

Unpacked unpack_pieces(const std::string& bytes, std::size_t piece = 1 << 20, std::size_t window = 1 << 16) {
  const std::unique_ptr<ByteSource> source = unpack(std::make_unique<PieceInput>(bytes, piece));
  return drain(*source, window);
}

std::string some_text(std::size_t size) {
  std::mt19937_64 random(size);
  std::string text;
  while (text.size() < size) {
    text += "import torch  # " + std::to_string(random() % 1000) + "\n";
    if (random() % 8 == 0) text.append(random() % 300, 'x');
  }
  text.resize(size);
  return text;
}

TEST(Inflate, WhateverThePiecesAndTheWindow) {
  const std::string text = some_text(40'000);
  for (const std::string& packed : {text, gz(text), zst(text)}) {
    for (const std::size_t piece : {1u, 2u, 3u, 17u, 4096u, 1u << 20}) {
      for (const std::size_t window : {1u, 5u, 1000u, 39'999u, 40'000u, 40'001u, 1u << 20}) {
        if (piece < 17 && window < 1000) continue;
        const Unpacked back = unpack_pieces(packed, piece, window);
        ASSERT_EQ(back.text, text) << piece << " " << window;
        ASSERT_TRUE(back.problems.empty()) << back.problems.front();
      }
    }
  }
}

TEST(Inflate, LargerThanAnyWindow) {
  const std::string text = some_text(3'000'000);
  for (const std::string& packed : {gz(text), zst(text)}) {
    for (const std::size_t window : {std::size_t{1} << 12, std::size_t{100'003}, kReadWindow}) {
      EXPECT_EQ(unpack_pieces(packed, 1 << 20, window).text, text);
    }
  }
}

TEST(Inflate, Nothing) {
  for (const std::string& packed : {std::string(), gz(""), zst("")}) {
    const Unpacked back = unpack_pieces(packed);
    EXPECT_EQ(back.text, "");
    EXPECT_TRUE(back.problems.empty());
  }
}

TEST(Inflate, SeveralMembersAndPadding) {
  const std::string first = some_text(5000);
  const std::string second = some_text(70'000);
  const std::string zeros(777, '\0');
  for (const std::string& packed : {gz(first) + gz(second), gz(first) + gz("") + gz(second) + zeros,
                                    gz(first) + zeros + gz(second), zst(first) + zst(second)}) {
    for (const std::size_t piece : {1u, 64u, 1u << 20}) {
      const Unpacked back = unpack_pieces(packed, piece);
      EXPECT_EQ(back.text, first + second);
      EXPECT_TRUE(back.problems.empty()) << back.problems.front();
    }
  }
}

TEST(Inflate, WhatFollowsTheLastMemberIsTold) {
  const std::string text = some_text(5000);
  for (const std::string& rest : {std::string("garbage"), std::string("\x1f"), std::string(10, '\0') + "x"}) {
    const Unpacked back = unpack_pieces(gz(text) + rest);
    EXPECT_EQ(back.text, text);
    ASSERT_EQ(back.problems.size(), 1u);
    EXPECT_NE(back.problems.front().find("is no gz"), std::string::npos);
  }
  EXPECT_EQ(unpack_pieces(zst(text) + "garbage").text, text);
  EXPECT_EQ(unpack_pieces(zst(text) + "garbage").problems.size(), 1u);
}

TEST(Inflate, CutOffAnywhere) {
  const std::string text = some_text(3000);
  for (const std::string& packed : {gz(text), zst(text)}) {
    for (std::size_t size = 5; size < packed.size(); ++size) {
      const Unpacked back = unpack_pieces(packed.substr(0, size));
      ASSERT_EQ(back.problems.size(), 1u) << size;
      ASSERT_TRUE(text.starts_with(back.text)) << size;
    }
  }
  // Most of what was there is kept.
  const std::string large = some_text(2'000'000);
  const std::string packed = gz(large);
  EXPECT_GT(unpack_pieces(packed.substr(0, packed.size() / 2)).text.size(), large.size() / 3);
}

TEST(Inflate, EveryDamageIsToldOrHarmless) {
  const std::string text = some_text(2000);
  for (const std::string& packed : {gz(text), zst(text)}) {
    for (std::size_t at = 4; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      const Unpacked back = unpack_pieces(damaged);
      if (packed[0] == '\x1f' && back.text != text) {
        EXPECT_FALSE(back.problems.empty()) << at;
      }
    }
  }
}

TEST(Inflate, WrongChecksumDoesNotLoseTheNextMember) {
  const std::string first = some_text(5000);
  const std::string second = some_text(6000);
  std::string packed = gz(first);
  packed[packed.size() - 8] = static_cast<char>(packed[packed.size() - 8] ^ 1);
  for (const std::size_t piece : {1u, 1u << 20}) {
    const Unpacked back = unpack_pieces(packed + gz(second), piece);
    EXPECT_EQ(back.text, first + second);
    ASSERT_EQ(back.problems.size(), 1u);
    EXPECT_NE(back.problems.front().find("checksum of gz member 1"), std::string::npos);
  }
}

TEST(Inflate, HeadersWithEverything) {
  const std::string text = some_text(100);
  const std::string plain = gz(text);
  std::string header("\x1f\x8b\x08\x1c\0\0\0\0\0\x03", 10);  // extra, name, comment
  header += std::string("\x04\0abcd", 6);
  header += std::string("a name.json\0", 12) + std::string(5000, 'c') + '\0';
  for (const std::size_t piece : {1u, 7u, 1u << 20}) {
    const Unpacked back = unpack_pieces(header + plain.substr(10), piece);
    EXPECT_EQ(back.text, text);
    EXPECT_TRUE(back.problems.empty()) << back.problems.front();
  }
}

TEST(Inflate, ADiskThatFails) {
  const std::string text = some_text(5000);
  for (const std::string& packed : {text, gz(text).substr(0, 200), zst(text).substr(0, 200)}) {
    const std::unique_ptr<ByteSource> source = unpack(std::make_unique<PieceInput>(packed, 100, true));
    const Unpacked back = drain(*source, 1 << 16);
    ASSERT_EQ(back.problems.size(), 1u);
    EXPECT_NE(back.problems.front().find("on fire"), std::string::npos);
  }
}

TEST(Inflate, SkippableFrameFirst) {
  std::string frame("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(unpack_pieces(frame + zst("text")).text, "text");
}

TEST(Inflate, NoSuchFile) {
  const Result<std::unique_ptr<RawInput>> input = open_input("/no/such/file");
  ASSERT_FALSE(input.ok());
  EXPECT_TRUE(input.error().is(UsageError::kNotFound));
}

}  // namespace
}  // namespace seamark::usage
