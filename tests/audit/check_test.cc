#include "seamark/audit/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/audit/audit_report.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kRest = R"(
title = "t"
why = "w"
fix = "f"
class = "none"
effort = "hours"
proof = "source"
source = "s"
targets = ["torch/*", "!torch/cuda*"]
bad = ["x"]
good = ["y"]
)";

std::vector<Rule> rules_of(const std::string& fields) {
  return parse_rules("[[rule]]\nid = \"R01\"\n" + fields + std::string(kRest), "test.toml").value();
}

// Lines in which the rule holds.
std::vector<std::uint32_t> lines(const std::string& fields, const std::string& text) {
  const std::string framed = std::string(128, '\n') + text + std::string(128, '\n');
  Syntax syntax;
  syntax.read(std::string_view(framed).substr(128, text.size()), {}, {});
  std::vector<std::uint32_t> out;
  for (const Hit& hit : check(syntax, rules_of(fields))) {
    if (hit.ignored_because.empty()) out.push_back(hit.line);
  }
  return out;
}

constexpr const char* kFails = "effect = \"fails\"\nmatch = ['$X.cuda(...)']\n";
constexpr const char* kSilent = "effect = \"silent\"\nmatch = ['$X.cuda(...)']\n";

TEST(CheckTest, GuardedCodeIsNoFinding) {
  for (const char* text : {
           "try:\n    m.cuda()\nexcept (ImportError, RuntimeError):\n    pass\n",
           "try:\n    m.cuda()\nexcept:\n    pass\n",
           "if torch.cuda.is_available():\n    m.cuda()\nelse:\n    m.cpu()\n",
           "if not args.cpu and args.cuda: m.cuda()\nelse: pass\n",
           "if hasattr(m, 'cuda'):\n    m.cuda()\nelse:\n    pass\n",
           "if version >= 2:\n    pass\nelse:\n    m.cuda()\n",
           "try:\n    pass\nexcept ImportError:\n    m.cuda()\n",
           "x = m.cuda() if use_gpu else m\n",
           "x = use_cuda and m.cuda()\n",
           "x = not torch.cuda.is_available() or m.cuda()\n",
           "class CudaWorker:\n    def start(self):\n        m.cuda()\n",
           "def to_gpu(m):\n    return m.cuda()\n",
           "x = m.cpu() if m.device.type == 'mps' else m.cuda()\n",
           "x = (m.cuda(), y) if use_gpu else None\n",
           "def f():\n    if not torch.cuda.is_available():\n        self.skipTest('')\n    m.cuda()\n",
           "def f():\n    if kind == Kind.XLA:\n        return m\n    return m.cuda()\n",
       }) {
    EXPECT_THAT(lines(kFails, text), IsEmpty()) << text;
  }
  EXPECT_THAT(lines(kFails, "try:\n    m.cuda()\nexcept ValueError:\n    pass\n"), ElementsAre(2u));
  EXPECT_THAT(lines(kFails, "try:\n    pass\nexcept RuntimeError:\n    m.cuda()\n"), ElementsAre(4u));
  EXPECT_THAT(lines(kFails, "if args.cuda:\n    m.cuda()\n"), ElementsAre(2u))
      << "a flag without another way";
  EXPECT_THAT(lines(kFails, "if is_cuda:\n    m.cuda()\n"), ElementsAre(2u));
  EXPECT_THAT(lines(kFails, "if x.is_cuda:\n    m.cuda()\n"), IsEmpty());
  EXPECT_THAT(lines(kFails, "if verbose:\n    m.cuda()\nelse:\n    pass\n"), ElementsAre(2u));
  EXPECT_THAT(lines(kFails, "x = f(m.cuda(), y if gpu else z)\n"), ElementsAre(1u));
}

TEST(CheckTest, ABranchWithoutAnotherGuardsAgainstFailuresAlone) {
  const char* text = "if torch.cuda.is_available():\n    m.cuda()\n";
  EXPECT_THAT(lines(kFails, text), IsEmpty());
  EXPECT_THAT(lines(kSilent, text), ElementsAre(2u));
  EXPECT_THAT(lines(std::string(kFails) + "guards = false\n", text), ElementsAre(2u));
}

TEST(CheckTest, CommentsTakeAFindingBack) {
  EXPECT_THAT(lines(kFails, "m.cuda()  # seamark: ignore[R01] on purpose\nm.cuda()\n"), ElementsAre(2u));
  EXPECT_THAT(lines(kFails, "# seamark: ignore[R01, R02] why\nm.cuda()\nm.cuda()\n"), ElementsAre(3u));
  EXPECT_THAT(lines(kFails, "# seamark: ignore-file[R01]\nm.cuda()\nm.cuda()\n"), IsEmpty());
  EXPECT_THAT(lines(kFails, "m.cuda(\n    1)  # seamark: ignore[R01]\n"), IsEmpty());
  EXPECT_THAT(lines(kFails, "m.cuda()  # seamark: ignore[R02]\n'# seamark: ignore[R01]'\n"), ElementsAre(1u));
}

TEST(CheckTest, ContextsAreBlocksAround) {
  const std::string base = "effect = \"slow\"\nmatch = ['$X.item()']\n";
  const std::string loop = base + "inside = ['loop']\n";
  EXPECT_THAT(lines(loop, "x.item()\nfor a in b:\n    x.item()\n    def f():\n        x.item()\n"),
              ElementsAre(3u));
  EXPECT_THAT(
      lines(base + "inside = ['def forward']\n", "def forward(x):\n    if x:\n        x.item()\nx.item()\n"),
      ElementsAre(3u));
  EXPECT_THAT(
      lines(base + "inside = ['@jaxy.jit']\n",
            "import jaxy\n@jaxy.jit\ndef f(x):\n    x.item()\ndef g(x):\n    x.item()\nh = jaxy.jit(g)\n"
            "def k(x):\n    x.item()\n"),
      ElementsAre(4u, 6u));
  EXPECT_THAT(lines(base + "outside = ['with torch.no_grad']\n",
                    "import torch\nwith torch.no_grad():\n    x.item()\nx.item()\n"),
              ElementsAre(4u));
}

TEST(CheckTest, WhatStandsBeforeBehindOrNowhere) {
  const std::string base = "effect = \"silent\"\n";
  const std::string tied = base + "match = ['$M.to(\"xla\")']\nearlier = ['$M.a = $M.b']\n";
  EXPECT_THAT(lines(tied, "def f():\n    m.a = m.b\n    m.to('xla')\n    n.to('xla')\n"), ElementsAre(3u));
  EXPECT_THAT(lines(tied, "def f():\n    m.to('xla')\n    m.a = m.b\n"), IsEmpty());
  EXPECT_THAT(lines(tied, "def f():\n    m.a = m.b\ndef g():\n    m.to('xla')\n"), IsEmpty());
  const std::string timed =
      base + "match = ['time.time()']\nlater = ['time.time()']\nmissing = ['$X.synchronize()']\n";
  EXPECT_THAT(lines(timed, "import time\ndef f():\n    t = time.time()\n    g()\n    d = time.time() - t\n"),
              ElementsAre(3u));
  EXPECT_THAT(
      lines(timed,
            "import time\ndef f():\n    t = time.time()\n    x.synchronize()\n    d = time.time() - t\n"),
      IsEmpty());
}

TEST(CheckTest, ExceptionsAndImports) {
  const std::string rule =
      "effect = \"fades\"\nmatch = ['torchx.load(...)']\n"
      "unless = ['torchx.load(..., map_location=\"cpu\", ...)']\n";
  EXPECT_THAT(lines(rule, "import torchx\ntorchx.load(p)\ntorchx.load(p, map_location='cpu')\n"),
              ElementsAre(2u));
  const std::string imported = std::string(kFails) + "imports = ['torchx']\n";
  EXPECT_THAT(lines(imported, "m.cuda()\n"), IsEmpty());
  EXPECT_THAT(lines(imported, "from torchx.nn import M\nm.cuda()\n"), ElementsAre(2u));
}

TEST(CheckTest, LinesOfOtherFiles) {
  const std::vector<Rule> rules =
      rules_of("effect = \"fails\"\nfiles = ['requirements*.txt']\nlines = ['nvidia-*', 'torch==*+cu*']\n");
  const std::string text = "numpy\n# nvidia-cublas\ntorch==2.1+cu121\n  nvidia-nccl-cu12\n";
  std::vector<std::uint32_t> found;
  for (const Hit& hit : check_lines("requirements-gpu.txt", text, rules)) found.push_back(hit.line);
  EXPECT_THAT(found, ElementsAre(3u, 4u));
  EXPECT_THAT(check_lines("notes.txt", text, rules), IsEmpty());
}

TEST(RuleTest, TargetsAreGlobsWithExceptions) {
  const Rule rule = rules_of(kFails).front();
  EXPECT_TRUE(rule.concerns("torch/xla"));
  EXPECT_FALSE(rule.concerns("torch/cuda-a100"));
  EXPECT_FALSE(rule.concerns("jax/tpu"));
}

TEST(RuleTest, EveryProblemIsTold) {
  const Result<std::vector<Rule>> rules = parse_rules(
      "[[rule]]\nid = \"R01\"\neffect = \"bad\"\nmatch = ['...']\ninside = ['sometimes']\ntypo = 1\n",
      "x.toml");
  ASSERT_FALSE(rules.ok());
  for (const char* part : {"effect", "begins with nothing", "sometimes", "typo", "targets", "title"})
    EXPECT_THAT(rules.error().message(), testing::HasSubstr(part));
}

TEST(RuleTest, ACaseIsOfTheRuleAndItsTargetOneThatTheRuleConcerns) {
  const auto parsed = [](std::string_view by, std::string_view on, std::string_view says) {
    const std::string proof = fmt::format(
        "proof = \"case\"\nshown_by = \"{}\"\nshown_on = \"{}\"\nshown_says = \"{}\"\n", by, on, says);
    return parse_rules(
        "[[rule]]\nid = \"R01\"\n" + std::string(kFails) + replace_all(kRest, "proof = \"source\"\n", proof),
        "x.toml");
  };
  const auto good = parsed("torch.rules.R01/x[way=habit]", "torch/lazy", "no CUDA");
  ASSERT_TRUE(good.ok()) << good.error().message();
  EXPECT_EQ(good->front().rests_on(),
            "a case of Seamark's shows it, torch.rules.R01/x[way=habit] on torch/lazy: no CUDA");
  EXPECT_EQ(good->front().show_command(),
            "seamark run --suite rules --target torch/lazy --case 'torch.rules.R01/*'");
  const auto message = [](const Result<std::vector<Rule>>& rules) {
    return rules.ok() ? std::string() : rules.error().message();
  };
  EXPECT_THAT(message(parsed("torch.rules.R02/x", "torch/lazy", "no")),
              testing::HasSubstr("no case of this"));
  EXPECT_THAT(message(parsed("torch.rules.R01/x", "torch/cuda", "no")), testing::HasSubstr("no target that"));
  EXPECT_THAT(message(parsed("torch.rules.R01/x", "torch/lazy", "")), testing::HasSubstr("shown_says"));
  EXPECT_THAT(message(parse_rules("[[rule]]\nid = \"R01\"\nshown_on = \"torch/lazy\"\n" +
                                      std::string(kFails) + std::string(kRest),
                                  "x.toml")),
              testing::HasSubstr("the proof \"case\""));
}

TEST(RuleTest, WhatATraceFindsHasNoPattern) {
  const std::string traced =
      "[[rule]]\nid = \"trace-x\"\ntitle = \"t\"\nwhy = \"w\"\nfix = \"f\"\nclass = \"none\"\neffort = "
      "\"hours\"\n"
      "proof = \"trace\"\nsource = \"s\"\ntargets = [\"*/*\"]\neffect = \"slow\"\n";
  EXPECT_TRUE(parse_rules(traced, "x.toml").ok());
  const Result<std::vector<Rule>> found = parse_rules(traced + "match = [\"x\"]\n", "x.toml");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message(), testing::HasSubstr("leave out `match`, `functions`"));
}

Item item_at(std::uint32_t line, const std::string& code) {
  Item item;
  item.id = "R01";
  item.path = "a.py";
  item.line = line;
  item.code = code;
  return item;
}

TEST(BaselineTest, WhatWasThereIsSuppressedAsOftenAsItWasThere) {
  const std::vector<Item> before{item_at(1, "x.cuda()"), item_at(5, "x.cuda()")};
  std::vector<Item> after{item_at(3, "x.cuda()"), item_at(8, "x.cuda()"), item_at(9, "x.cuda()"),
                          item_at(10, "y.cuda()")};
  ASSERT_TRUE(apply_baseline(after, baseline_text(before), "b.json").ok());
  EXPECT_FALSE(after[0].suppressed_because.empty());
  EXPECT_FALSE(after[1].suppressed_because.empty());
  EXPECT_TRUE(after[2].suppressed_because.empty());
  EXPECT_TRUE(after[3].suppressed_because.empty());
  for (const char* text : {"", "{}", "[1]", R"({"schema": "seamark-audit-baseline/1"})",
                           R"({"schema": "seamark-audit-baseline/1", "items": [{"count": -1}]})"}) {
    EXPECT_FALSE(apply_baseline(after, text, "b.json").ok()) << text;
  }
}

}  // namespace
}  // namespace seamark::audit
