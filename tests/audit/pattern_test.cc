#include "seamark/audit/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/audit/syntax.h"

namespace seamark::audit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A text with the margins that the lexer reads.
class Source {
 public:
  explicit Source(std::string_view text)
      : framed_(std::string(128, '\n') + std::string(text) + std::string(128, '\n')) {
    syntax_.read(std::string_view(framed_).substr(128, text.size()), {}, {});
  }
  const Syntax* operator->() const { return &syntax_; }
  const Syntax& operator*() const { return syntax_; }

 private:
  std::string framed_;
  Syntax syntax_;
};

std::vector<std::string> matches(std::string_view pattern, std::string_view text) {
  const Source source(text);
  std::vector<std::string> out;
  Pattern::parse(pattern).value().find(*source, {}, [&](const Match& match) {
    const std::uint32_t begin = source->tokens()[match.first].begin;
    out.emplace_back(source->text().substr(begin, source->tokens()[match.last].end - begin));
    return true;
  });
  return out;
}

TEST(PatternTest, ChainsAreMetHoweverTheyWereImported) {
  constexpr std::string_view kPattern = "numpy.random.rand(...)";
  EXPECT_THAT(matches(kPattern, "import numpy as np\nx = np.random.rand(3)\n"),
              ElementsAre("np.random.rand(3)"));
  EXPECT_THAT(matches(kPattern, "from numpy.random import rand as r\nr(1, f(2))\n"),
              ElementsAre("r(1, f(2))"));
  EXPECT_THAT(matches(kPattern, "from numpy import random\nrandom.rand()\n"), ElementsAre("random.rand()"));
  EXPECT_THAT(matches(kPattern, "import numpy\nnumpy.random.randn(3)\nx.random.rand(3)\n"), IsEmpty());
  EXPECT_THAT(matches("numpy.random.{rand,randn}", "import numpy\nnumpy.random.randn(3)\n"),
              ElementsAre("numpy.random.randn"));
  EXPECT_THAT(matches("numpy.linalg.*", "import numpy\nnumpy.linalg.svd(a)\n"),
              ElementsAre("numpy.linalg.svd"));
}

TEST(PatternTest, PrimariesAreNamesWithAttributesCallsAndSubscripts) {
  EXPECT_THAT(matches("$X.cuda(...)", "y = self.layers[0].weight(a, b).cuda(rank)\n"),
              ElementsAre("self.layers[0].weight(a, b).cuda(rank)"));
  EXPECT_THAT(matches("$X.cuda()", "return (a + b).cuda()\n"), ElementsAre("(a + b).cuda()"));
  EXPECT_THAT(matches("$X.cuda()", "cuda()\n"), IsEmpty());
  EXPECT_THAT(matches("$X == $X", "if a.b == a.b: pass\nif a == b: pass\n"), ElementsAre("a.b == a.b"));
}

TEST(PatternTest, ArgumentsMayStandAround) {
  constexpr std::string_view kPattern = R"($F(..., device="cuda|cuda:*", ...))";
  EXPECT_THAT(matches(kPattern, "f(device='cuda')\n"), ElementsAre("f(device='cuda')"));
  EXPECT_THAT(matches(kPattern, "f(1, g(2), device=\"cuda:0\", dtype=d)\n"), testing::SizeIs(1));
  EXPECT_THAT(matches(kPattern, "f(1, device=f'cuda:{rank}')\n"), testing::SizeIs(1));
  EXPECT_THAT(matches(kPattern, "f(\n  1,  # device='cuda'\n  device='cpu')\n'f(device=\"cuda\")'\n"),
              IsEmpty());
  EXPECT_THAT(matches("f($X, ..., k=1)", "f(a, k=1)\nf(a, b, k=1)\nf(k=1)\n"),
              ElementsAre("f(a, k=1)", "f(a, b, k=1)"));
}

TEST(PatternTest, StatementsAndImports) {
  EXPECT_THAT(matches("^ $X = iter(...)", "a = iter(b)\nf(c=iter(b))\nif x: d = iter(e)\n"),
              ElementsAre("a = iter(b)"));
  EXPECT_THAT(matches("import apex", "import apex.amp\nfrom apex import optimizers\nimport apexlike\n"),
              testing::SizeIs(2));
}

TEST(PatternTest, AStatementIsFollowedByAnother) {
  constexpr std::string_view kPattern = "if not $X: ^ raise $_";
  EXPECT_THAT(matches(kPattern, "if not a:\n    raise B\n"), ElementsAre("if not a:\n    raise B"));
  EXPECT_THAT(matches(kPattern, "if not a:\n    c()\n    raise B\n"), IsEmpty());
}

TEST(PatternTest, WhatIsAssignedIsFollowedToWhereItIsUsed) {
  constexpr std::string_view kPattern = "^ $X = \"cuda\" ^ before f($X)";
  EXPECT_THAT(matches(kPattern, "d = 'cuda'\nf(d)\nf(d)\n"), ElementsAre("d = 'cuda'"));
  EXPECT_THAT(matches(kPattern, "def g(self):\n    self.d = 'cuda'\n    f(self.d)\n"),
              ElementsAre("self.d = 'cuda'"));
  EXPECT_THAT(matches(kPattern, "d = 'cuda'\ndef g():\n    f(d)\n"), ElementsAre("d = 'cuda'"));
  for (const char* text : {
           "d = 'cuda'\nf(e)\n",
           "f(d)\nd = 'cuda'\n",
           "d = 'cuda'\nd = 'cpu'\nf(d)\n",
           "d = 'cuda' if a else b\nf(d)\n",
           "d = 'cuda'\ndef g(d):\n    f(d)\n",
       })
    EXPECT_THAT(matches(kPattern, text), IsEmpty()) << text;
  EXPECT_FALSE(Pattern::parse("f(x) before g(x)").ok());
}

TEST(PatternTest, ABranchAroundItHasAHeaderAndIsTheOnlyOne) {
  constexpr std::string_view kPattern = "^ $X = \"b\" ^ below if g(...) ...: where $X = \"a\"";
  EXPECT_THAT(matches(kPattern, "x = 'a'\nif g() and y:\n    x = 'b'\n"), ElementsAre("x = 'b'"));
  for (const char* text : {
           "x = 'a'\nx = 'b'\n",
           "x = 'a'\nif h():\n    x = 'b'\n",
           "x = 'c'\nif g():\n    x = 'b'\n",
           "x = 'a'\nif g():\n    x = 'b'\nelse:\n    x = 'c'\n",
           "x = 'a'\nif g():\n    def f():\n        x = 'b'\n",
       })
    EXPECT_THAT(matches(kPattern, text), IsEmpty()) << text;
}

TEST(PatternTest, WhatCannotBeLookedForIsRefused) {
  for (const char* text : {"", "...", "$X", "(...)", "f(\"a)", "$", "$X(...)"})
    EXPECT_FALSE(Pattern::parse(text).ok()) << text;
}

TEST(PatternTest, ACommaMayStandBeforeTheLastBracket) {
  EXPECT_EQ(matches("f(..., **$_)", "f(\n    a,\n    **b,\n)\n").size(), 1u);
  EXPECT_EQ(matches("f($_, $_)", "f(a, b,)\nf(a, b, c)\n").size(), 1u);
}

TEST(PatternTest, NothingTakesLongOrDeep) {
  std::string text = "f(";
  for (int i = 0; i < 3000; ++i) text += "a, ";
  text += "b)\n";
  EXPECT_THAT(matches("f(..., x, ..., y, ..., z)", text), IsEmpty());
  EXPECT_THAT(matches("f(...)", std::string(5000, '(') + "f(" + std::string(5000, '(')), IsEmpty());
}

TEST(SyntaxTest, BlocksKnowWhatTheyGoOnWith) {
  const Source source(
      "@decorated\ndef f(x):\n    if x:\n        a()\n    elif y: b()\n    else:\n        c()\n\n    "
      "d()\nclass K:\n"
      "\tdef g(self): pass\n");
  const std::vector<Block>& blocks = source->blocks();
  ASSERT_EQ(blocks.size(), 7u);
  EXPECT_EQ(blocks[1].name, "f");
  EXPECT_EQ(blocks[1].first_decorator, 0u);
  EXPECT_EQ(blocks[2].next, 3u);
  EXPECT_EQ(blocks[3].next, 4u);
  EXPECT_EQ(blocks[4].before, 3u);
  EXPECT_EQ(blocks[5].keyword, "class");
  EXPECT_EQ(blocks[6].parent, 5u);
  const std::uint32_t b = source->words().first("b");
  EXPECT_EQ(source->block_of(b), 3u) << "a suite on its header's line is in the block";
  EXPECT_EQ(source->block_of(source->words().first("d")), 1u);
}

TEST(SyntaxTest, ColumnsCountCharacters) {
  const Source source("é = f(x)\n");
  EXPECT_EQ(source->position_of(source->tokens()[source->words().first("f")].begin).column, 5u);
}

TEST(SyntaxTest, GarbageIsRead) {
  for (const char* text :
       {")]}", "def", "@", "if :", "else:\n x", "f'{", "import", "from . import", "from a import (", "\\",
        "class \xff:\n\tdef", "x = 'a\n", "try:\nexcept:\nfinally:\nelse:"}) {
    const Source source(text);
    EXPECT_LE(source->blocks().size(), 8u);
  }
}

}  // namespace
}  // namespace seamark::audit
