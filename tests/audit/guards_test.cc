// What keeps a rule from holding, and where a match stands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

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

TEST(GuardsTest, ALoopOverCudasDevicesHasNoRoundElsewhere) {
  constexpr std::string_view kMatch = "match = ['torch.device(...)']";
  EXPECT_EQ(
      columns(kMatch, "import torch\nfor d in range(torch.cuda.device_count()):\n    torch.device(d)\n"),
      Columns{});
  EXPECT_EQ(
      columns(kMatch,
              "import torch\nall = [torch.device(f'cuda:{d}') for d in range(torch.cuda.device_count())]\n"),
      Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nall = [torch.device(d) for d in range(count())]\n"), (Columns{8}));
}

TEST(GuardsTest, AConstantThatIsFalseSwitchesOff) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  const auto of = [&](std::string_view value, std::string_view name) {
    return columns(kMatch, fmt::format("import torch\n{1} = {0}\ndef main(deep={1}, fast=True):\n"
                                       "    if deep and fast:\n        x.cuda()\n",
                                       value, name));
  };
  EXPECT_EQ(of("False", "DEEP_MODE"), Columns{});
  EXPECT_EQ(of("True", "DEEP_MODE"), (Columns{11}));
  EXPECT_EQ(of("False", "deep_mode"), (Columns{11}));  // a variable
  EXPECT_EQ(columns(kMatch, "import torch\nDEEP = False\nif DEEP:\n    x.cuda()\n"), Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nDEEP = False\nif DEEP or big:\n    x.cuda()\n"), (Columns{7}));
  EXPECT_EQ(columns(kMatch, "import torch\nDEEP = False\nDEEP = f()\nif DEEP:\n    x.cuda()\n"),
            (Columns{7}));
}

TEST(GuardsTest, NamesOfWhatCudaAloneHas) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  for (const char* asks :
       {"args.n_gpu > 1", "is_sagemaker_mp_enabled()", "provider == 'CUDAExecutionProvider'"})
    EXPECT_EQ(columns(kMatch, fmt::format("import torch\nif {}:\n    x.cuda()\nelse:\n    f(x)\n", asks)),
              Columns{})
        << asks;
  EXPECT_EQ(columns(kMatch, "import torch\nclass TrtEngine:\n    def f(self, x):\n        x.cuda()\n"),
            Columns{});
}

TEST(GuardsTest, ABranchForWhatEachCallGivesIsNotReached) {
  constexpr std::string_view kMatch = "match = ['$_.item()']";
  const auto of = [&](std::string_view parameters, std::string_view call) {
    return columns(kMatch, fmt::format("import torch\nclass A:\n    def _f({}):\n        if n is None:\n"
                                       "            n = x.item()\n    def g(self, n):\n        {}\n",
                                       parameters, call));
  };
  EXPECT_EQ(of("self, x, n=None", "self._f(x, n=3)"), Columns{});
  EXPECT_EQ(of("self, x, n=None", "self._f(x, x.shape[0])"), Columns{});
  EXPECT_EQ(of("self, x, n=None", "self._f(x)"), (Columns{19}));
  EXPECT_EQ(of("self, x, n=None", "self._f(x, n=n)"), (Columns{19}));  // may be None
  EXPECT_EQ(of("self, x, n", "self._f(x, last)"), (Columns{19}));      // why would it ask?
  EXPECT_EQ(of("self, x, n=None", "self._f(x, *more)"), (Columns{19}));
  EXPECT_EQ(of("self, x, n=None", "use(self._f)"), (Columns{19}));
}

TEST(GuardsTest, AFunctionForAnotherDeviceSaysSo) {
  constexpr std::string_view kText = "import torch\ndef _neuron_gather(x):\n    x.item()\n";
  constexpr std::string_view kRule = "match = ['$_.item()']\n";
  const auto of = [&](std::string_view targets) {
    std::vector<Rule> rules = one_rule(fmt::format("effect = 'fails'\n{}", kRule));
    rules.front().targets = {std::string(targets)};
    return project_of(kText, rules).findings.size();
  };
  EXPECT_EQ(of("torch/xla*"), 0U);
  EXPECT_EQ(of("torch/neuron*"), 1U);
  EXPECT_EQ(of("torch/*"), 1U);
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

TEST(GuardsTest, ANameThatWasAssignedByAskingGuards) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch, "import torch\nfast = torch.cuda.is_available()\nif fast:\n    x.cuda()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nfast, n = x.device.type == 'cuda', 1\nif fast:\n    x.cuda()\n"),
            Columns{});
  EXPECT_EQ(
      columns(kMatch,
              "import torch\nfast = torch.cuda.is_available()\nfast = args.fast\nif fast:\n    x.cuda()\n"),
      (Columns{7}));
}

TEST(GuardsTest, ANameThatHoldsSomethingOnlyThereGuards) {
  constexpr std::string_view kMatch = "match = ['torch.cuda.Event()', 'torch.cuda.stream(...)']";
  constexpr std::string_view kFill = "    streams.append(s)\nfor s in streams:\n    torch.cuda.stream(s)\n";
  EXPECT_EQ(columns(kMatch, fmt::format("import torch\nstreams = []\nif x.is_cuda:\n{}", kFill)), Columns{});
  EXPECT_EQ(columns(kMatch, fmt::format("import torch\nstreams = []\nif fast:\n{}", kFill)), (Columns{5}));
  EXPECT_EQ(columns(kMatch, fmt::format("import torch\nstreams = []\nif not x.is_cuda:\n{}", kFill)),
            (Columns{5}));
  EXPECT_EQ(columns(kMatch,
                    "import torch\ns = None\nif x.is_cuda:\n    s = f()\nif s is not None:\n    "
                    "torch.cuda.stream(s)\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch,
                    "import torch\ns = None\nif fast:\n    s = f()\nif s is not None:\n    "
                    "torch.cuda.stream(s)\n"),
            (Columns{5}));
  EXPECT_EQ(columns(kMatch, "import torch\ne = [torch.cuda.Event() for d in all if d.type == 'cuda']\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\ne = [torch.cuda.Event() for d in all if d]\n"), (Columns{6}));
  EXPECT_EQ(columns(kMatch,
                    "import torch\nrows = load(pin=torch.cuda.is_available())\nfor r in rows:\n"
                    "    torch.cuda.Event()\n"),
            (Columns{5}));
}

TEST(GuardsTest, AConditionalInBracketsMayBeGuardedByTheOneAroundIt) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch, "import torch\ny = (x.cuda() if old else f()) if x.is_cuda else None\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\ny = x.cuda() if old else f() if x.is_cuda else None\n"),
            (Columns{7}));
}

TEST(GuardsTest, CallersOfCallersTakeNoLonger) {
  std::string text = "import torch\ndef _f0(x):\n";
  for (int i = 0; i < 500; ++i) text += "    x.cuda()\n";
  const auto call = [&](std::string_view indent, int number) {
    for (int i = 0; i < 49; ++i) text += fmt::format("{}_f{}(x)\n", indent, number);
  };
  for (int i = 0; i < 3; ++i) {
    text += fmt::format("def _f{}(x):\n", i + 1);
    call("    ", i);
  }
  text += "def g(x):\n    if x.is_cuda:\n";
  call("        ", 3);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(columns("match = ['$_.cuda()']", text), Columns{});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(GuardsTest, ADefaultThatNoCallUsesIsNoFinding) {
  constexpr std::string_view kMatch = "match = ['$_(..., device=\"cuda\", ...)']";
  constexpr std::string_view kText = "import torch\ndef {0}(x, device='cuda'):\n    return x\n{0}(x{1})\n";
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "_f", ", device=x.device")), Columns{});
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "_f", "")).size(), 1U);
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "f", ", device=x.device")).size(), 1U);
}

TEST(GuardsTest, AFunctionThatIsRegisteredForCudaIsGuarded) {
  constexpr std::string_view kText = "import torch\n@register(\"f\", {})\ndef f(x):\n    x.cuda()\n";
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "\"cuda\"")), Columns{});
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "\"mps\"")), (Columns{7}));
  EXPECT_EQ(columns(kMatch, fmt::format(kText, "[\"cuda\", \"cpu\"]")), (Columns{7}));
}

TEST(GuardsTest, OnTheWayToAnErrorNothingIsSlow) {
  constexpr std::string_view kText = "import torch\nif bad:\n    print(x.item())\n    raise Bad\n";
  EXPECT_EQ(columns("match = ['$_.item()']", kText, "slow"), Columns{});
  EXPECT_EQ(columns("match = ['$_.item()']", kText, "fails"), (Columns{13}));
}

TEST(GuardsTest, ANameOfAVersionGuards) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch,
                    "import torch\nNEW = parse(torch.__version__) >= (2, 3)\nif NEW:\n    f()\nelse:\n"
                    "    x.cuda()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nif WITH_PT20:\n    f()\nelse:\n    x.cuda()\n"), Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nif torch_ge_2_4:\n    f()\nelse:\n    x.cuda()\n"), Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nif opt1:\n    f()\nelse:\n    x.cuda()\n"), (Columns{7}));
}

TEST(GuardsTest, AFunctionThatIsOnlyCalledBehindAGuardIsGuarded) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  const auto of = [&](std::string_view name, std::string_view call) {
    return columns(kMatch, fmt::format("import torch\ndef {0}(x):\n    x.cuda()\ndef g(x):\n    if {1}:\n"
                                       "        {0}(x)\n    else:\n        h(x)\n",
                                       name, call));
  };
  EXPECT_EQ(of("_f", "x.is_cuda"), Columns{});
  EXPECT_EQ(of("f", "x.is_cuda"), (Columns{7}));  // others may call it
  EXPECT_EQ(of("_f", "x.big"), (Columns{7}));
  EXPECT_EQ(columns(kMatch,
                    "import torch\ndef f(x):\n    x.cuda()\ndef main():\n    if not is_available():\n"
                    "        return\n    f(x)\nif __name__ == '__main__':\n    main()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch,
                    "import torch\ndef _f(x):\n    x.cuda()\ntry:\n    _f(x)\nexcept Exception:\n"
                    "    pass\n"),
            (Columns{7}));
}

TEST(GuardsTest, AnEarlierBranchThatAsksGuardsThoseBehindIt) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch, "import torch\nif is_xla_available():\n    f()\nelif b:\n    x.cuda()\n"),
            Columns{});
  EXPECT_EQ(columns(kMatch, "import torch\nif a:\n    f()\nelif b:\n    x.cuda()\n"), (Columns{7}));
}

TEST(GuardsTest, TheNameThatAConditionIsAssignedToAsksNothing) {
  EXPECT_EQ(columns("match = ['$_.cuda()']", "import torch\nargs.cuda = not args.host and x.cuda()\n"),
            (Columns{33}));
}

TEST(GuardsTest, WhatServesTheCpuSaysSo) {
  constexpr std::string_view kMatch = "match = ['$_.cuda()']";
  EXPECT_EQ(columns(kMatch, "import torch\ndef ssim_cpu(x):\n    x.cuda()\n"), Columns{});
}

TEST(GuardsTest, ABranchForTheRulesFrameworkServesIt) {
  constexpr std::string_view kRule = "imports = ['jax']\nmatch = ['$X[...] = ...']";
  EXPECT_EQ(columns(kRule, "import jax\ndef f():\n    if JAX_MODE:\n        return 1\n    x[0] = 1\n"),
            Columns{});
  EXPECT_EQ(columns(kRule, "import jax\nif backend == 'jax':\n    f()\nelse:\n    x[0] = 1\n"), Columns{});
  EXPECT_EQ(columns(kRule, "import jax\ndef f():\n    if not JAX_MODE:\n        return 1\n    x[0] = 1\n"),
            (Columns{6}));
  EXPECT_EQ(columns(kRule, "import jax\nif JAX_MODE:\n    x[0] = 1\nelse:\n    f()\n"), (Columns{6}));
}

}  // namespace
}  // namespace seamark::audit
