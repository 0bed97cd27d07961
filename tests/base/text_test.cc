#include "seamark/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "seamark/base/log_commands.h"
#include "seamark/base/value.h"

namespace seamark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kBad = "\xef\xbf\xbd";  // U+FFFD

TEST(Utf8, AcceptsOnlyShortestFormsOfCharacters) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc2\x80 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(is_utf8("\x80"));
  EXPECT_FALSE(is_utf8("\xc0\xaf"));          // overlong
  EXPECT_FALSE(is_utf8("\xe0\x80\xaf"));      // overlong
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(is_utf8("abc\xe2\x82"));       // cut
}

TEST(Utf8, RepairsEachMaximalInvalidPartOnce) {
  EXPECT_EQ(repair_utf8("ok"), "ok");
  EXPECT_EQ(repair_utf8("a\xff\xfe"
                        "b"),
            std::string("a") + kBad + kBad + "b");
  EXPECT_EQ(repair_utf8("a\xe2\x82z"), std::string("a") + kBad + "z");  // one for the cut character
  EXPECT_EQ(repair_utf8("\xf0\x9f\x98"), kBad);
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b), 'x'};
      const std::string repaired = repair_utf8(text);
      ASSERT_TRUE(is_utf8(repaired)) << a << ' ' << b;
      ASSERT_EQ(repaired == text, is_utf8(text)) << a << ' ' << b;
    }
  }
}

TEST(Utf8, PrefixNeverCutsACharacter) {
  const std::string text = "a\xe2\x82\xac\xf0\x9f\x98\x80z";
  for (std::size_t n = 0; n <= text.size() + 1; ++n) {
    const auto prefix = utf8_prefix(text, n);
    EXPECT_LE(prefix.size(), n);
    EXPECT_TRUE(is_utf8(prefix)) << n;
  }
  EXPECT_EQ(utf8_prefix(text, 4), "a\xe2\x82\xac");
  EXPECT_EQ(utf8_prefix(text, 3), "a");
}

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_match("torch.*", "torch.nn.functional.relu"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("**", "x"));
  EXPECT_TRUE(glob_match("*relu*", "torch.nn.functional.relu6"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("a?c",
                         "a\xe2\x82\xac"
                         "c"));  // one character, not one byte
  EXPECT_TRUE(glob_match("*?c",
                         "\xe2\x82\xac"
                         "c"));
  EXPECT_TRUE(glob_match("x[f32,*]", "x[f32,100]"));  // brackets stand for themselves
  EXPECT_TRUE(glob_match("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_FALSE(glob_match("Torch.*", "torch.sum"));
  EXPECT_FALSE(glob_match("torch.sum", "torch.summary"));
  EXPECT_FALSE(glob_match("*.sum", "torch.sums"));
}

TEST(Glob, NoPatternTakesExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  pattern += 'b';
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob_match(pattern, std::string(5000, 'a')));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Split, PartsWordsAndLines) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split_words("  a\tb \n c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" "), IsEmpty());
  EXPECT_THAT(split_lines("a\r\nb\n\nc\n"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split_lines("a"), ElementsAre("a"));
  EXPECT_THAT(split_lines(""), IsEmpty());
  EXPECT_EQ(trim(" \t a b\n"), "a b");
  const std::vector<std::string> parts{"a", "b"};
  EXPECT_EQ(join(parts, ", "), "a, b");
  EXPECT_EQ(replace_all("a--b--", "--", "+"), "a+b+");
  EXPECT_EQ(lower_ascii("AbC\xc3\x84"), "abc\xc3\x84");
}

TEST(Numbers, WholeTextOrNothing) {
  EXPECT_EQ(parse_int("-12"), -12);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_int("12 "), std::nullopt);
  EXPECT_EQ(parse_int("+1"), std::nullopt);
  EXPECT_EQ(parse_int(""), std::nullopt);
  EXPECT_EQ(parse_double("1e-3"), 1e-3);
  EXPECT_EQ(parse_double("nan"), std::nullopt);
  EXPECT_EQ(parse_double("inf"), std::nullopt);
  EXPECT_EQ(parse_double("1.5x"), std::nullopt);
}

TEST(Columns, WideZeroWidthAndControl) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4u);  // two CJK characters
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);                 // e and a combining accent
  EXPECT_EQ(display_width("\xf0\x9f\x98\x80"), 2u);          // emoji
  EXPECT_EQ(display_width("\xe2\x80\xa6"), 1u);              // ellipsis
  EXPECT_EQ(display_width("\xe2\x9c\x93"), 1u);              // check mark
  EXPECT_EQ(display_width("a\x1b"
                          "b\x7f"),
            2u);
  EXPECT_EQ(display_width("\xff"), 1u);
}

TEST(Columns, PadAndEllipsize) {
  EXPECT_EQ(pad_right("\xe6\xbc\xa2", 4), "\xe6\xbc\xa2  ");
  EXPECT_EQ(ellipsize("abcdef", 6), "abcdef");
  EXPECT_EQ(ellipsize("abcdef", 4), "abc\xe2\x80\xa6");
  EXPECT_EQ(ellipsize("abc", 0), "");
  // A wide character that would not fit is not cut in half.
  EXPECT_EQ(ellipsize("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 4), "\xe6\xbc\xa2\xe2\x80\xa6");
  for (std::size_t width = 0; width < 8; ++width) {
    EXPECT_LE(display_width(ellipsize("a\xe6\xbc\xa2"
                                      "b\xe5\xad\x97"
                                      "c",
                                      width)),
              width);
  }
}

TEST(PlainText, DropsWhatATerminalWouldObey) {
  EXPECT_EQ(plain_text("\x1b[31mred\x1b[0m\ttab\n"), "red\ttab\n");
  EXPECT_EQ(plain_text("\x1b]0;title\x07"
                       "after"),
            "after");
  EXPECT_EQ(plain_text("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(plain_text("\x1bP1$r\x1b\\x"), "x");
  EXPECT_EQ(plain_text("\x1b(B\x1b=ok\x1b"
                       "c"),
            "ok");
  EXPECT_EQ(plain_text("\xc2\x9b"
                       "31mred"),
            "red");  // C1 control sequence
  EXPECT_EQ(plain_text("a\x08"
                       "b\x7f"
                       "c\x07"),
            "abc");
  EXPECT_EQ(plain_text("a\xe2\x80\xae"
                       "b"),
            "ab");  // right-to-left override
  EXPECT_EQ(plain_text(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(plain_text("10%\r20%\r\ndone"), "10%\n20%\ndone");
  EXPECT_EQ(plain_text("\x9b"
                       "31m"),
            std::string(kBad) + "31m");  // an invalid byte, no control
}

TEST(PlainText, AnUnfinishedSequenceHidesNoLaterLine) {
  EXPECT_EQ(plain_text("\x1b]0;never ends\nvisible"), "\nvisible");
  EXPECT_EQ(plain_text("\x1b"), "");
  EXPECT_EQ(plain_text("\x1b["), "");
  EXPECT_EQ(plain_text("\x1b[12\nx"), "\nx");
}

TEST(PlainText, NothingDangerousSurvivesAnyTwoBytesAfterEscape) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text{'\x1b', static_cast<char>(a), static_cast<char>(b), '\n', 'z'};
      const std::string plain = plain_text(text);
      ASSERT_TRUE(is_utf8(plain));
      ASSERT_EQ(plain.back(), 'z');
      for (const char c : plain)
        ASSERT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) << a;
    }
  }
}

TEST(PlainText, OneLine) { EXPECT_EQ(one_line("  a\n\n\x1b[1mb\x1b[0m\t c \r\n"), "a b c"); }

TEST(CsvField, QuotesAsRfc4180) {
  EXPECT_EQ(csv_field("a b"), "a b");
  EXPECT_EQ(csv_field("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\"");
}

TEST(CsvField, WhatASpreadsheetWouldRunIsText) {
  for (const char* formula :
       {"=1", "+1", "-1", "@x", "\t1", " =1", "\xef\xbb\xbf=1", "\xe2\x80\x8b+1", "\xef\xbc\x9d x"}) {
    EXPECT_EQ(csv_field(formula), std::string("'") + formula);
  }
  EXPECT_EQ(csv_field("\n=1"), "\"'\n=1\"");
  for (const char* text : {"", " ", "a=1", "(-1)", "\xff"}) EXPECT_EQ(csv_field(text), text);
}

TEST(CsvField, NoLineIsALogCommand) {
  EXPECT_EQ(csv_field("x\n::error::y ##[group] a::b"), "\"x\n: error::y # [group] a::b\"");
}

TEST(LogCommands, AnythingThatACiPassesOverMayStandInFront) {
  for (const char* front : {"", " ", "\t", "\xc2\xa0", "\xe2\x80\x8b", "\xe3\x80\x80 "})
    EXPECT_EQ(without_log_commands(std::string("a\n") + front + "::error::x"),
              std::string("a\n") + front + ": error::x");
  EXPECT_EQ(without_log_commands("a ::b c::d"), "a ::b c::d");
}

TEST(LogCommands, JsonStaysTheSameDocument) {
  const Value text("##[error]x ##vso[task] ###teamcity[x] ## y");
  const std::string json = dump_json(text);
  EXPECT_EQ(without_log_commands(json), json);
  EXPECT_EQ(parse_json(json).value(), text);
}

TEST(Hash, KnownValuesNeverChange) {
  EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(to_hex(std::uint64_t{0xaf}), "00000000000000af");
  const std::vector<std::uint8_t> bytes{0, 255, 16};
  EXPECT_EQ(to_hex(bytes), "00ff10");
}

TEST(Hash, FieldsAreNotConcatenated) {
  const std::vector<std::string_view> a{"ab", "c"}, b{"a", "bc"}, c{"ab", "c", ""};
  EXPECT_NE(fnv1a64_fields(a), fnv1a64_fields(b));
  EXPECT_NE(fnv1a64_fields(a), fnv1a64_fields(c));
  EXPECT_EQ(fnv1a64_fields(a), fnv1a64_fields(std::vector<std::string_view>{"ab", "c"}));
}

TEST(Nearest, SuggestsOnlyWhatIsClose) {
  const std::vector<std::string> names{"torch/cpu", "torch/cuda", "jax/cpu", "timeout"};
  EXPECT_EQ(nearest("torch/cqu", names), "torch/cpu");
  EXPECT_EQ(nearest("timeuot", names), "timeout");
  EXPECT_EQ(nearest("tiemout", names), "timeout");
  EXPECT_EQ(nearest("completely-else", names), std::nullopt);
  EXPECT_EQ(nearest("x", std::vector<std::string>{"yy"}), std::nullopt);
  const std::vector<std::string> functions{"torch.Tensor.add_", "torch.sort", "torch.Tensor.sort"};
  EXPECT_EQ(nearest("torch.Tensor.cuda", functions), std::nullopt);
  EXPECT_EQ(nearest("torch.srot", functions), "torch.sort");
}

}  // namespace
}  // namespace seamark
