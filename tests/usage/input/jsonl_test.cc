#include <fmt/format.h>
#include <gmock/gmock.h>

#include "corpus_fixture.h"
#include "kernels.h"
#include "seamark/base/text.h"

namespace seamark::usage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kUses = "import torch\ntorch.zeros(3)\n";

TEST(Jsonl, GivesCandidatesAndCountsTheRest) {
  const std::string input = json_line(kUses) + json_line("import os\n") +
                            json_line("from jax import jit", "r", "p") + json_line("# torch");
  const ReadLines read = read_lines(input);
  EXPECT_THAT(read.taken, ElementsAre(Taken{"a/b", "c.py", kUses}, Taken{"r", "p", "from jax import jit"}));
  EXPECT_THAT(read.losses, IsEmpty());
  EXPECT_EQ(read.counts.files, 4u);
  EXPECT_EQ(read.counts.candidates, 2u);
  EXPECT_EQ(read.counts.bytes, input.size());
  for (const std::string& packed : {gz(input), zst(input)}) {
    EXPECT_EQ(read_lines(packed).taken, read.taken);
    EXPECT_EQ(read_lines(packed).counts.bytes, input.size());
  }
}

TEST(Jsonl, WithoutNeedlesEverythingIsGiven) {
  const ReadLines read = read_lines(json_line("x") + json_line(""), CorpusOptions());
  EXPECT_EQ(read.taken.size(), 2u);
}

TEST(Jsonl, OtherKeysOtherOrder) {
  CorpusOptions options = with_needles();
  options.content_key = "text";
  options.repository_key = "repo";
  options.path_key = "file";
  const ReadLines read = read_lines(
      R"({"text":"import jax","n":[1,{"text":"no","x":"}\"]"}],"content":"no","file":"f.py","repo":"r","y":-1.5e3})"
      "\n",
      options);
  EXPECT_THAT(read.taken, ElementsAre(Taken{"r", "f.py", "import jax"}));
}

TEST(Jsonl, WhatIsMissingIsUnknown) {
  const ReadLines read = read_lines(
      "{\"content\": \"import jax\"}\n{\"repo_name\": null, \"path\": 3, \"content\": "
      "\"import torch\", \"mean\": NaN, \"max\": -Infinity}\n");
  EXPECT_THAT(read.taken, ElementsAre(Taken{"", "", "import jax"}, Taken{"", "", "import torch"}));
  EXPECT_THAT(read.losses, IsEmpty());
}

TEST(Jsonl, TheLastOfTwoKeysHolds) {
  const ReadLines read = read_lines(R"({"content": "import torch", "content": "import jax"})");
  EXPECT_THAT(read.taken, ElementsAre(Taken{"", "", "import jax"}));
}

TEST(Jsonl, LineEndsMarksAndBlanks) {
  std::string input = "\xef\xbb\xbf" + json_line(kUses);
  input += "\r\n   \n\n" + json_line(kUses);
  input.insert(input.size() - 1, "\r");
  input += "  " + json_line(kUses);
  input.pop_back();  // no line end at the end
  const ReadLines read = read_lines(input);
  EXPECT_EQ(read.taken.size(), 3u);
  EXPECT_EQ(read.counts.files, 3u);
  EXPECT_THAT(read.losses, IsEmpty());
}

TEST(Jsonl, TextsStandInAFrame) {
  KeepingSink sink;
  const CorpusOptions options = with_needles();
  const std::string input = json_line(kUses) + "{\"content\":\"\\ufeffimport jax\"}\n" +
                            "{\"content\":\"import jax # \xc3\xa9\"}\n{\"content\":\"import jax # \xc3\"}\n";
  const std::unique_ptr<ByteSource> source = unpack(memory_input(input));
  ASSERT_TRUE(JsonlReader("f", options, sink).read(*source).ok());
  ASSERT_EQ(sink.taken.size(), 4u);
  EXPECT_EQ(sink.framed, 2u) << "not the one behind a mark, nor the one that was mended";
}

TEST(Jsonl, AMarkAtTheBeginningOfASourceIsNoText) {
  const ReadLines read =
      read_lines(json_line("\xef\xbb\xbfimport torch") + "{\"content\":\"\\ufeffimport jax\"}");
  EXPECT_EQ(read.taken.at(0).text, "import torch");
  EXPECT_EQ(read.taken.at(1).text, "import jax");
}

TEST(Jsonl, EscapesAndTheirLimits) {
  const auto text_of = [](const std::string& escaped) {
    const ReadLines read = read_lines("{\"content\": \"import jax " + escaped + "\"}\n");
    return read.taken.empty() ? std::string("lost: ") + read.losses.at(0).what
                              : read.taken.at(0).text.substr(11);
  };
  EXPECT_EQ(text_of(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(text_of(R"(\u00e9\u20ac\ud83d\ude00\u0041)"), "é€😀A");
  EXPECT_EQ(text_of(R"(\u0000)"), std::string(1, '\0'));
  EXPECT_EQ(text_of("\t\x01 raw"), "\t\x01 raw") << "control characters that should have been escaped";
  EXPECT_EQ(text_of(std::string("a\0b", 3)), std::string("a\0b", 3));
  for (const char* bad : {R"(\x)", R"(\u12)", R"(\u12g4)", R"(\)"})
    EXPECT_THAT(text_of(bad), HasSubstr("lost")) << bad;
}

TEST(Jsonl, WhatIsNoTextBecomesTheReplacementCharacter) {
  const std::string input = R"({"content": "import jax \ud800 \udc00\ud800 \ud83dx"})"
                            "\n"
                            "{\"content\": \"import torch \xff\xc3( \xe2\x82\xac \xed\xa0\x80\"}\n"
                            "{\"content\": \"import torch \xe2\x82\xac\"}\n";
  const ReadLines read = read_lines(input);
  ASSERT_EQ(read.taken.size(), 3u);
  EXPECT_EQ(read.taken[0].text, "import jax \ufffd \ufffd\ufffd \ufffdx");
  EXPECT_EQ(read.taken[1].text, repair_utf8("import torch \xff\xc3( \xe2\x82\xac \xed\xa0\x80"));
  EXPECT_EQ(read.taken[2].text, "import torch €");
  EXPECT_EQ(read.counts.repaired, 2u);
  EXPECT_THAT(read.losses, IsEmpty()) << "nothing is lost by it";
}

TEST(Jsonl, LinesThatAreNoJsonAreLostAlone) {
  const std::vector<std::string> bad = {
      "import torch",
      "{\"content\": \"import torch\"",
      "{\"content\": \"import torch}",
      "[\"import torch\"]",
      "{\"content\": \"import torch\"} {}",
      "{\"content\" \"import torch\"}",
      "{\"content\": \"import torch\",}",
      "{\"content\": \"import torch\" \"x\": 1}",
      "{\"content\": , \"x\": \"import torch\"}",
      "{content: \"import torch\"}",
      "no framework, no JSON",
      std::string("\0{\"content\": \"import torch\"}", 28),
  };
  std::string input = json_line(kUses);
  for (const std::string& line : bad) input += line + "\n" + json_line(kUses);
  const ReadLines read = read_lines(input);
  EXPECT_EQ(read.taken.size(), bad.size() + 1);
  ASSERT_EQ(read.losses.size(), bad.size());
  EXPECT_EQ(read.counts.losses, bad.size());
  EXPECT_EQ(read.counts.files, bad.size() + 1);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(read.losses[i].line, 2 * i + 2) << bad[i];
    EXPECT_EQ(read.losses[i].file, "corpus.jsonl");
    EXPECT_THAT(read.losses[i].what, HasSubstr("no JSON"));
  }
}

TEST(Jsonl, ALineWithoutTextIsLost) {
  for (const char* line : {R"({"text": "import torch"})", R"({"content": null, "x": "import torch"})",
                           R"({"content": ["import torch"]})"}) {
    const ReadLines read = read_lines(line);
    ASSERT_EQ(read.losses.size(), 1u) << line;
    EXPECT_THAT(read.losses[0].what, HasSubstr("no text called \"content\""));
  }
}

TEST(Jsonl, StrictEndsAtTheFirstLoss) {
  CorpusOptions options = with_needles();
  options.strict = true;
  KeepingSink sink;
  const std::string input = json_line(kUses) + "bad\n" + json_line(kUses) + "bad\n";
  const std::unique_ptr<ByteSource> source = unpack(memory_input(input));
  const Result<ShardRead> done = JsonlReader("f", options, sink).read(*source);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.error().is(UsageError::kLost));
  EXPECT_THAT(done.error().message(), HasSubstr("f:2: "));
  EXPECT_EQ(sink.taken.size(), 1u);
  EXPECT_EQ(sink.losses.size(), 1u);
}

TEST(Jsonl, ACutOffFileKeepsItsWholeLines) {
  std::string input;
  for (int i = 0; i < 200; ++i) input += json_line("import torch  # " + std::to_string(i * 7919));
  const std::string packed = gz(input);
  const ReadLines read = read_lines(packed.substr(0, packed.size() / 2));
  ASSERT_EQ(read.losses.size(), 1u) << "the part of a line at the end is no second one";
  EXPECT_THAT(read.losses[0].what, HasSubstr("cut off"));
  EXPECT_GT(read.taken.size(), 50u);
  EXPECT_EQ(read.losses[0].line, read.taken.size() + 1);
  for (std::size_t i = 0; i < read.taken.size(); ++i) {
    EXPECT_EQ(read.taken[i].text, "import torch  # " + std::to_string(i * 7919));
  }
}

TEST(Jsonl, ABadLineNearACutIsStillTold) {
  const std::string packed =
      gz(json_line(kUses) + "bad\n" + json_line(kUses) + json_line(std::string(5000, 'x')));
  const ReadLines read = read_lines(packed.substr(0, packed.size() - 12));
  ASSERT_EQ(read.losses.size(), 2u);
  EXPECT_EQ(read.losses[0].line, 2u);
  EXPECT_THAT(read.losses[1].what, HasSubstr("cut off"));
}

TEST(Jsonl, ALongLineIsLostAndNotHeld) {
  CorpusOptions options = with_needles();
  options.max_line_bytes = 100'000;
  const std::string filler(1'000'000, 'x');
  const std::string input = json_line(kUses) + json_line("import torch " + filler) + json_line(kUses) +
                            json_line(std::string(99'000, 'y') + "\nimport jax") + json_line(filler) +
                            json_line(kUses);
  for (const std::size_t window : {std::size_t{4096}, std::size_t{1} << 14, std::size_t{2} << 20}) {
    const ReadLines read = read_lines(input, options, window);
    EXPECT_EQ(read.taken.size(), 4u);
    ASSERT_EQ(read.losses.size(), 2u);
    EXPECT_EQ(read.losses[0].line, 2u);
    EXPECT_EQ(read.losses[1].line, 5u);
    EXPECT_LE(read.peak, std::max(window, 3 * options.max_line_bytes)) << window;
  }
}

// Just before its end is known, more than is allowed lies in the window: the line and the beginning of the
// next.
TEST(Jsonl, ALineAsLongAsAllowedStaysWhereverTheWindowEnds) {
  CorpusOptions options = with_needles();
  options.max_line_bytes = 1000;
  const std::size_t around = json_line("").size() - 1;
  for (std::size_t above : {0u, 1u, 300u}) {
    const std::string input =
        json_line(std::string(options.max_line_bytes - around + above, 'x')) + json_line(kUses);
    for (std::size_t window = 64; window < 600; ++window) {
      const ReadLines read = read_lines(input, options, window);
      ASSERT_EQ(read.taken.size(), 1u) << above << ' ' << window;
      ASSERT_EQ(read.losses.size(), above == 0 ? 0u : 1u) << above << ' ' << window;
    }
  }
}

TEST(Jsonl, ALargeFileThatMayStay) {
  const std::string large = "import torch\n" + std::string(std::size_t{6} << 20, 'x') + "\"\\\n";
  const ReadLines read = read_lines(json_line(kUses) + json_line(large, "r", "p") + json_line(kUses));
  ASSERT_EQ(read.taken.size(), 3u);
  EXPECT_TRUE(read.taken[1] == (Taken{"r", "p", large}));
  EXPECT_LE(read.peak, std::size_t{16} << 20);
}

TEST(Jsonl, ABombIsReadInBoundedMemory) {
  CorpusOptions options = with_needles();
  options.max_line_bytes = std::size_t{1} << 20;
  const std::string zeros(std::size_t{1} << 20, '\0');
  const std::string bomb = gz(json_line(kUses)) + gz_repeated(zeros, 300) + gz("\n" + json_line(kUses));
  ASSERT_LT(bomb.size(), std::size_t{4} << 20);
  const ReadLines read = read_lines(bomb, options);
  EXPECT_EQ(read.taken.size(), 2u);
  ASSERT_EQ(read.losses.size(), 1u);
  EXPECT_EQ(read.losses[0].line, 2u);
  EXPECT_LE(read.peak, std::size_t{3} << 20);

  options.max_bytes = std::uint64_t{50} << 20;
  const ReadLines bounded = read_lines(bomb, options);
  EXPECT_EQ(bounded.taken.size(), 1u);
  EXPECT_EQ(bounded.counts.bytes, options.max_bytes);
  ASSERT_EQ(bounded.losses.size(), 2u);
  EXPECT_THAT(bounded.losses[1].what, HasSubstr("larger than 52428800 bytes"));
}

TEST(Jsonl, ExactlyAsLargeAsAllowedIsNotTooLarge) {
  CorpusOptions options = with_needles();
  const std::string input = json_line(kUses);
  options.max_bytes = input.size();
  EXPECT_THAT(read_lines(input, options).losses, IsEmpty());
  options.max_bytes = input.size() - 1;
  EXPECT_EQ(read_lines(input, options).losses.size(), 1u);
}

TEST(Jsonl, ManyShortLines) {
  std::string input;
  for (int i = 0; i < 20'000; ++i)
    input += i % 10 == 0 ? "{\"content\":\"import jax\"}\n" : "{\"content\":\"\"}\n";
  const ReadLines read = read_lines(input);
  EXPECT_EQ(read.counts.files, 20'000u);
  EXPECT_EQ(read.taken.size(), 2000u);
}

// The window's border falls at every byte of the line once.
TEST(Jsonl, NothingIsMissedAtABorder) {
  const std::string line = json_line("a = 1\nimport tensorflow.nn as nn\n");
  const std::string last = json_line("\nimport jax");
  constexpr std::size_t kWindow = 512;
  for (std::size_t shift = 0; shift < 2 * kWindow; ++shift) {
    const std::string input = fmt::format("{}{}{}{}", json_line(std::string(shift, 'x')), line,
                                          json_line("import torchvision"), last);
    const ReadLines read = read_lines(input, with_needles(), kWindow);
    ASSERT_EQ(read.taken.size(), 2u) << shift;
    ASSERT_EQ(read.counts.files, 4u) << shift;
    ASSERT_THAT(read.losses, IsEmpty()) << shift;
    // The same with the end of the file at every place.
    const std::string open = input.substr(0, input.size() - 1);
    ASSERT_EQ(read_lines(open, with_needles(), kWindow).taken.size(), 2u) << shift;
  }
}

TEST(Jsonl, SmallWindowsGiveTheSame) {
  std::mt19937_64 random(5);
  std::string input;
  for (int i = 0; i < 300; ++i) {
    std::string text(random() % 400, 'x');
    for (char& c : text) c = "ab \"\\\n\t\x7f/"[random() % 9];
    if (random() % 3 == 0) text.insert(random() % (text.size() + 1), "\nimport torch\n");
    input += json_line(text, std::to_string(i));
    if (random() % 20 == 0) input += "{\"content\": \"import jax\n";
  }
  const ReadLines wanted = read_lines(input, with_needles(), 1 << 20);
  EXPECT_GT(wanted.taken.size(), 50u);
  for (const std::size_t window : {64u, 100u, 333u, 1024u, 5000u}) {
    const ReadLines read = read_lines(input, with_needles(), window);
    EXPECT_EQ(read.taken, wanted.taken);
    EXPECT_EQ(read.counts.files, wanted.counts.files);
    ASSERT_EQ(read.losses.size(), wanted.losses.size());
    for (std::size_t i = 0; i < read.losses.size(); ++i)
      EXPECT_EQ(read.losses[i].line, wanted.losses[i].line);
  }
}

class JsonlKernel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= kernel_count()) GTEST_SKIP() << "this processor knows fewer instruction sets";
    use_kernel(GetParam());
  }
  void TearDown() override { use_kernel(-1); }
};
INSTANTIATE_TEST_SUITE_P(Jsonl, JsonlKernel, testing::Range(0, 7));

TEST_P(JsonlKernel, DecodesAsTheOtherParserDoes) {
  std::mt19937_64 random(7);
  constexpr std::string_view kPieces[] = {"a",       "import torch",
                                          "\\n",     "\\\"",
                                          "\\\\",    "\\\\\\\"",
                                          "\\u00e9", "\\ud83d\\ude00",
                                          "é€😀",    "                                        ",
                                          "\\t",     "/",
                                          "\\/",     "}{][,:",
                                          "\\r\\n",  "\\b\\f"};
  for (int round = 0; round < 400; ++round) {
    std::string body;
    for (std::size_t i = random() % 60; i > 0; --i) body += kPieces[random() % std::size(kPieces)];
    const std::string line =
        fmt::format(R"({{"x": {{"y": ["{0}"]}}, "content": "{0}", "path":"{0}"}})", body);
    const Result<Value> wanted = parse_json(line);
    ASSERT_TRUE(wanted.ok()) << line;
    const ReadLines read = read_lines(line + "\n", CorpusOptions());
    ASSERT_EQ(read.taken.size(), 1u) << line;
    ASSERT_EQ(read.taken[0].text, wanted->string_or("content", "?"));
    ASSERT_EQ(read.taken[0].path, wanted->string_or("path", "?"));
  }
}

}  // namespace
}  // namespace seamark::usage
