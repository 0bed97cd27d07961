#include "seamark/usage/input/prefilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "kernels.h"
#include "seamark/base/value.h"

namespace seamark::usage {
namespace {

const std::vector<std::string> kNames = {"torch", "tensorflow", "jax"};

// With as much behind it as the search may read, all of it a trap.
std::string padded(std::string_view text) {
  std::string out(text);
  while (out.size() < text.size() + kSearchPadding) out += "\nimport torch\n";
  return out;
}

bool passes(std::string_view text, std::span<const std::string> needles = kNames, bool imports_only = true) {
  const std::string kept = padded(text);
  return Prefilter(needles, imports_only).passes(std::string_view(kept).substr(0, text.size()));
}

// As it would stand in a corpus.
std::string as_json(std::string_view text) { return "{\"content\": " + dump_json(Value(text)) + "}"; }

// The numbers of the lines that have a needle.
std::vector<std::size_t> lines_with_plainly(std::span<const std::string> needles, std::string_view text,
                                            std::size_t size) {
  std::vector<std::size_t> found;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < size; ++number) {
    const std::size_t end = std::min(size, text.find('\n', begin));
    const std::string_view line = text.substr(begin, end - begin);
    const bool any = std::any_of(needles.begin(), needles.end(), [line](const std::string& needle) {
      return line.find(needle) != std::string_view::npos;
    });
    if (any) found.push_back(number);
    begin = end + 1;
  }
  return found;
}

std::vector<std::size_t> lines_with(const Prefilter& filter, const std::string& text, std::size_t size,
                                    std::size_t middle) {
  std::vector<std::size_t> found;
  std::size_t number = 0;
  const char* const end = text.data() + size;
  const char* line = text.data();
  bool hit = false;
  for (const char* from : {text.data(), text.data() + middle}) {
    const char* until = from == text.data() && middle > 0 ? text.data() + middle : end;
    for (from = std::max(from, line); from < until;) {
      const Prefilter::Event event = filter.next(line, from, until, end);
      if (event.at == nullptr) break;
      if (event.newline) {
        ++number;
        line = event.at + 1;
        hit = false;
      } else if (!hit) {
        hit = true;
        found.push_back(number);
      }
      from = event.at + 1;
    }
  }
  return found;
}

class PrefilterKernel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= kernel_count()) GTEST_SKIP() << "this processor knows fewer instruction sets";
    use_kernel(GetParam());
  }
  void TearDown() override { use_kernel(-1); }
};
INSTANTIATE_TEST_SUITE_P(Prefilter, PrefilterKernel, testing::Range(0, 7));

TEST_P(PrefilterKernel, FindsWhatThePlainSearchFinds) {
  std::mt19937_64 random(GetParam());
  // Few letters, so that there are many near misses.
  constexpr std::string_view kLetters = "torchjax \n";
  for (std::size_t count = 1; count <= kMaxNeedles; ++count) {
    std::vector<std::string> needles(kNames);
    for (const char* more : {"t", "or", "xa", "chch", "tttt"}) needles.emplace_back(more);
    needles.resize(count);
    const Prefilter filter(needles, false);
    for (int round = 0; round < 60; ++round) {
      std::string text(random() % 700, ' ');
      for (char& c : text) c = kLetters[random() % kLetters.size()];
      if (round % 2 == 0 && text.size() > 20) text.replace(random() % (text.size() - 10), 5, "torch");
      const std::size_t size = text.size();
      text = padded(text);
      // In two parts that meet anywhere, as a stream is read.
      const std::size_t middle = random() % (size + 1);
      ASSERT_EQ(lines_with(filter, text, size, middle), lines_with_plainly(needles, text, size)) << text;
    }
  }
}

TEST(Prefilter, LetsImportsThrough) {
  for (const char* text : {
           "import torch",
           "import torch\n",
           "import torch.nn as nn",
           "import os, torch",
           "import os,torch",
           "import os as o , torch",
           "import os, \\\n  torch",
           "import os, \\\r\n  torch",
           "import \\\n torch",
           "import\ttorch",
           "import\ftorch",
           "import\\\ntorch",
           "x = 1;import torch",
           "x = 1; import torch; y = 2",
           "from torch import nn",
           "from torch.nn import functional as F",
           "from  torch  import (\n  nn)",
           "from \\\n\\\n torch import nn",
           "if x:\n\timport tensorflow as tf\n",
           "def f():\n    from jax import numpy",
           "try: import jax\nexcept ImportError: jax = None",
           "from\x0c torch import nn",
           "import torch#comment",
           "import\xc2\xa0torch",
           "\xef\xbb\xbfimport torch",
       }) {
    EXPECT_TRUE(passes(text)) << text;
    EXPECT_TRUE(passes(as_json(text))) << text;
  }
  // As other writers escape: Go's \u000c and \u0009, escaped slashes, no blank behind the colon.
  EXPECT_TRUE(passes(R"({"content":"import\u0009torch"})"));
  EXPECT_TRUE(passes(R"({"content":"from\u000Ctorch import x"})"));
  EXPECT_TRUE(passes(R"({"path":"a\/b.py","content":"import os,\u0020torch"})"));
}

TEST(Prefilter, KeepsOtherNamesOut) {
  for (const char* text : {
           "",
           "torch",
           "import torchvision",
           "from torchaudio import x",
           "import pytorch",
           "import os as torch",
           "from .torch import x",
           "from a.torch import x",
           "# uses torch and tensorflow",
           "x = torch.zeros(3)",
           "import torch_xla, torch2",
           "import Torch",
           "\"\"\"torch\"\"\"",
       }) {
    EXPECT_FALSE(passes(text)) << text;
    EXPECT_FALSE(passes(as_json(text))) << text;
  }
}

TEST(Prefilter, BytesAloneWhereAskedFor) {
  EXPECT_TRUE(passes("see pytorch", kNames, false));
  EXPECT_FALSE(passes("see pytorc", kNames, false));
  EXPECT_TRUE(passes("", {}, true)) << "no needles: everything";
}

TEST(Prefilter, RefusesNeedlesThatItCannotSearch) {
  const auto make = [](std::vector<std::string> needles) { return Prefilter(needles, true); };
  EXPECT_THROW(make({""}), std::invalid_argument);
  EXPECT_THROW(make({std::string(kMaxNeedleBytes + 1, 'x')}), std::invalid_argument);
  EXPECT_THROW(make(std::vector<std::string>(kMaxNeedles + 1, "x")), std::invalid_argument);
  EXPECT_NO_THROW(make(std::vector<std::string>(kMaxNeedles, "x")));
}

// Import statements as Python's grammar allows them, around them anything.
class ImportWriter {
 public:
  explicit ImportWriter(std::uint64_t seed) : random_(seed) {}

  std::string program() {
    std::string text;
    for (std::size_t i = below(6); i > 0; --i) text += noise();
    if (below(3) == 0) text += "x = 1" + maybe_gap() + ";" + maybe_gap();
    text += statement() + one_of({"", "\n", ";", " # why\n", "#\n", "\r\n", "\f\n"});
    if (text.back() != '\n' && text.back() != ';') return text;
    for (std::size_t i = below(6); i > 0; --i) text += noise();
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string one_of(std::initializer_list<const char*> list) { return *(list.begin() + below(list.size())); }

  std::string gap() {
    std::string out;
    for (std::size_t i = 1 + below(3); i > 0; --i)
      out += one_of({" ", "  ", "\t", "\f", "\\\n", "\\\r\n", " \\\n\t"});
    return out;
  }
  std::string maybe_gap() { return below(2) == 0 ? std::string() : gap(); }
  std::string framework() { return one_of({"torch", "tensorflow", "jax"}); }
  std::string below_name() {
    std::string out;
    for (std::size_t i = below(3); i > 0; --i)
      out += maybe_gap() + "." + maybe_gap() + one_of({"nn", "x", "torch", "é"});
    return out;
  }
  std::string alias() {
    return below(2) == 0 ? std::string() : gap() + "as" + gap() + one_of({"t", "torch", "np"});
  }
  std::string other_module() { return one_of({"os", "numpy", "torchvision", "a.torch", "jaxlib"}); }

  std::string statement() {
    if (below(2) == 0) {
      return "from" + gap() + framework() + below_name() + gap() + "import" + gap() +
             one_of({"x", "*", "y as z"});
    }
    std::string out = "import" + gap();
    for (std::size_t i = below(4); i > 0; --i)
      out += other_module() + alias() + maybe_gap() + "," + maybe_gap();
    out += framework() + below_name() + alias();
    for (std::size_t i = below(2); i > 0; --i) out += maybe_gap() + "," + maybe_gap() + other_module();
    return out;
  }

  std::string noise() {
    return one_of({"\n", "# torch\n", "x = 'jax'\n", "print \"\\t\"\n", "\t", "é = 1\n",
                   "\"\"\"doc\n\"\"\"\n", "if x:\n  ", "pytorch\n", "\r\n", "t\\n", "\\\\",
                   "from . import torch\n"});
  }

  std::mt19937_64 random_;
};

TEST(Prefilter, MissesNoImportThatTheGrammarAllows) {
  const Prefilter filter(kNames, true);
  ImportWriter writer(20261121);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = writer.program();
    for (const std::string& form : {text, as_json(text)}) {
      const std::string kept = form + std::string(kSearchPadding, ' ');
      ASSERT_TRUE(filter.passes(std::string_view(kept).substr(0, form.size()))) << form;
    }
  }
}

}  // namespace
}  // namespace seamark::usage
