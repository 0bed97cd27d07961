// What keeps a rule from holding, and where a match stands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "one_rule.h"

namespace seamark::audit {
namespace {

std::vector<std::uint32_t> columns(std::string_view rule, std::string_view text,
                                   std::string_view effect = "fails") {
  return columns_of(fmt::format("effect = \"{}\"\n{}\n", effect, rule), text);
}

using Columns = std::vector<std::uint32_t>;

TEST(GuardsTest, AMatchStandsAtItsOwnAttribute) {
  EXPECT_EQ(columns("match = ['$_.to(0)']", "import torch\nx.to(0).to('cpu')\n"), (Columns{3}));
}

TEST(GuardsTest, ASkippedFunctionIsGuarded) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch,
                    "import torch, pytest\n@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"
                    "def test_f():\n    x.cuda()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch,
                    "import torch, pytest\n@pytest.mark.skipif(slow, reason='')\n"
                    "def test_f():\n    x.cuda()\n"),
            (Columns{7}));
}

TEST(GuardsTest, AnEarlierReturnGuardsAndAnEarlierRaiseDoesNot) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch,
                    "import torch\ndef f():\n    if not torch.cuda.is_available():\n        return\n"
                    "    def g():\n        x.cuda()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch,
                    "import torch\ndef f():\n    if not torch.cuda.is_available():\n        raise X\n"
                    "    x.cuda()\n"),
            (Columns{7}));
  EXPECT_EQ(columns(kMatch, "import torch\ndef f():\n    if small:\n        return\n    x.cuda()\n"),
            (Columns{7}));
}

TEST(GuardsTest, ABranchWithoutAnotherGuardsWhatIsNotSilent) {
  constexpr std::string_view kText = "import torch\nif torch.cuda.is_available():\n    x.cuda()\n";
  EXPECT_EQ(columns("match = ['$_.cuda()']", kText, "slow"), Columns{});
  EXPECT_EQ(columns("match = ['$_.cuda()']", kText, "silent"), (Columns{7}));
}

TEST(GuardsTest, WhatStandsBetweenIsAskedOfTheLastSpan) {
  constexpr std::string_view kRuleText =
      "match = ['time.time() - $T']\nearlier = ['^ $T = time.time()']\nbetween = ['model(...)']";
  EXPECT_EQ(columns(kRuleText, "import time, torch\nt = time.time()\nmodel(x)\ny = time.time() - t\n"),
            (Columns{5}));
  EXPECT_EQ(columns(kRuleText,
                    "import time, torch\nt = time.time()\nmodel(x)\nt = time.time()\nread()\n"
                    "y = time.time() - t\n"),
            Columns{});
}

TEST(GuardsTest, NumbersWithAnExponentAndBracesOfCode) {
  EXPECT_EQ(
      columns("match = ['$_(..., rtol=1e-10, ...)']", "import torch\nf(a, rtol=1e-10)\nf(a, rtol=1e-5)\n")
          .size(),
      1U);
  EXPECT_EQ(
      columns("match = ['$_(..., device_map={$_: 0}, ...)']", "import torch\nf(device_map={'': 0})\n").size(),
      1U);
}

}  // namespace
}  // namespace seamark::audit
