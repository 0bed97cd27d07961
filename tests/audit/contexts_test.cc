// What is around a match: the function that is handed to another, the loop, the condition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "one_rule.h"

namespace seamark::audit {
namespace {

// Whether a rule that finds `f(...)`, with these lines of TOML, finds something in a text.
bool finds(const std::string& lines, const std::string& text) {
  return !columns_of("effect = \"fails\"\nmatch = ['f(...)']\n" + lines + "\n", "import jax\n" + text)
              .empty();
}

TEST(ContextsTest, AFunctionIsHandedOverAsAnArgumentAMethodOrALambda) {
  const std::string jit = "inside = [\"@jax.jit\"]";
  EXPECT_TRUE(finds(jit, "@jax.jit\ndef g():\n    f(1)\n"));
  EXPECT_TRUE(finds(jit, "def g():\n    f(1)\nh = jax.jit(g)\n"));
  EXPECT_TRUE(finds(jit, "def g():\n    f(1)\nh = jax.jit(jax.vmap(g))\n"));
  EXPECT_TRUE(finds(jit, "h = jax.jit(lambda x: f(x))\n"));
  EXPECT_TRUE(finds(
      jit, "class A:\n    def g(self):\n        f(1)\n    def h(self):\n        return jax.jit(self.g)\n"));
  EXPECT_FALSE(finds(jit, "def g():\n    f(1)\nh = jax.jit(other.g)\n"));
  EXPECT_FALSE(finds(jit, "def g():\n    f(1)\nh = jax.jit(g(3))\n"));
  EXPECT_FALSE(finds(jit, "def g():\n    f(1)\nh = jax.jit(partial(g, 3))\n"));
  EXPECT_FALSE(finds(jit, "def a():\n    def g():\n        f(1)\ndef b(g):\n    return jax.jit(g)\n"));
}

TEST(ContextsTest, AContextMayAskForAKeywordArgument) {
  const std::string donated = "inside = [\"@jax.jit(inline=True)\"]";
  EXPECT_TRUE(finds(donated, "@partial(jax.jit, inline=True)\ndef g():\n    f(1)\n"));
  EXPECT_TRUE(finds(donated, "def g():\n    f(1)\nh = jax.jit(g, inline=True)\n"));
  EXPECT_FALSE(finds(donated, "def g():\n    f(1)\nh = jax.jit(g, inline=False)\n"));
  EXPECT_FALSE(finds(donated, "@jax.jit\ndef g(inline=True):\n    f(1)\n"));
}

TEST(ContextsTest, AConditionIsKnownByAWord) {
  EXPECT_FALSE(finds("outside = [\"if %\"]", "if step % 10 == 0:\n    f(1)\n"));
  EXPECT_TRUE(finds("outside = [\"if %\"]", "if step:\n    f(1)\n"));
}

TEST(ContextsTest, WhatIsPresentOrMissingIsOfTheScope) {
  const std::string loop = "scope = \"loop\"\nalso = ['g(...)']\n";
  EXPECT_TRUE(finds(loop, "for x in y:\n    f(x)\n    g(x)\n"));
  EXPECT_FALSE(finds(loop, "g(1)\nfor x in y:\n    f(x)\n"));
  EXPECT_FALSE(finds(loop, "f(1)\ng(1)\n"));
  EXPECT_FALSE(finds("missing = ['g(...)']", "def h():\n    f(1)\n    g(1)\n"));
  EXPECT_TRUE(finds("missing = ['g(...)']", "def h():\n    g(1)\n    k(lambda: f(1))\n"));
}

TEST(ContextsTest, TheSubstituteOfWhatIsAbsentIsGuarded) {
  EXPECT_FALSE(finds("", "try:\n    g(1)\nexcept ImportError:\n    f(1)\n"));
  EXPECT_FALSE(finds("", "x = g(1) if hasattr(jax, \"g\") else f(1)\n"));
  EXPECT_TRUE(finds("", "try:\n    g(1)\nexcept ValueError:\n    f(1)\n"));
}

TEST(ContextsTest, AMethodIsWhereTheMethodsThatCallItAre) {
  constexpr std::string_view kRule = "effect = 'slow'\nmatch = ['$_.item()']\ninside = ['def forward']\n";
  EXPECT_EQ(
      columns_of(std::string(kRule),
                 "class A:\n    def forward(self, x):\n        return self.host(x)\n    def host(self, x):\n"
                 "        return x.item()\n    def other(self, x):\n        return x.item()\n"),
      (std::vector<std::uint32_t>{18}));
}

TEST(ContextsTest, WhatALoopReturnsIsReadOnce) {
  constexpr std::string_view kText = "def f(rows):\n    for row in rows:\n        {} row.item()\n";
  const std::string rule = "effect = 'slow'\nmatch = ['$_.item()']\ninside = ['loop']\n";
  EXPECT_EQ(columns_of(rule, fmt::format(kText, "return")), (std::vector<std::uint32_t>{}));
  EXPECT_EQ(columns_of(rule, fmt::format(kText, "yield")), (std::vector<std::uint32_t>{19}));
}

TEST(ContextsTest, AClassIsAContext) {
  EXPECT_EQ(columns_of("effect = 'slow'\nmatch = ['$_.item()']\noutside = ['class *Dataset']\n",
                       "class RowDataset:\n    def f(self, x):\n        return x.item()\ny = x.item()\n"),
            (std::vector<std::uint32_t>{7}));
}

TEST(ContextsTest, WhereDataAreMadeReadyIsTheHost) {
  EXPECT_EQ(
      columns_of("effect = 'slow'\nmatch = ['$_.item()']\noutside = ['host']\n",
                 "class Rows(torch.utils.data.Dataset):\n    def f(self, x):\n        return x.item()\n"
                 "def my_collate_fn(rows):\n    return rows[0].item()\n"
                 "class Model:\n    def preprocess(self, x):\n        self.f(x)\n"
                 "    def f(self, x):\n        x.item()\n    def g(self, x):\n        return x.item()\n"),
      (std::vector<std::uint32_t>{18}));
}

TEST(ContextsTest, WhatHoldsInAnyFunctionNeedsNoContext) {
  EXPECT_EQ(
      columns_of(
          "effect = 'slow'\nmatch = ['$_.item()']\nfunctions = ['$_.tolist()']\ninside = ['def forward']\n",
          "def f(x):\n    y = x.item()\n    return x.tolist()\nz = x.tolist()\n"
          "for w in x:\n    w.tolist()\n"),
      (std::vector<std::uint32_t>{14, 7}));
}

TEST(ContextsTest, AScopeMayBeWhatTheIfOpens) {
  constexpr std::string_view kRule =
      "effect = 'slow'\nmatch = ['if $_.is_cuda:']\nmissing = ['$_.sync()']\nscope = 'branch'\n";
  EXPECT_EQ(
      columns_of(
          std::string(kRule),
          "def f(x):\n    x.sync()\n    if x.is_cuda:\n        g(x)\n    if y.is_cuda:\n        y.sync()\n"),
      (std::vector<std::uint32_t>{5}));
}

TEST(ContextsTest, AChainIsOneFindingOfARule) {
  EXPECT_EQ(columns_of("effect = 'slow'\nmatch = ['$_.cpu()', '$_.numpy()']\n", "x.cpu().numpy()\n"),
            (std::vector<std::uint32_t>{3}));
}

}  // namespace
}  // namespace seamark::audit
