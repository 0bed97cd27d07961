// What an audit knows of a project's files: which calls are guarded, what could not be read.
#include "seamark/audit/project.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "one_rule.h"
#include "seamark/audit/audit_report.h"

namespace seamark::audit {
namespace {

// Lines with a call of torch.cuda.synchronize that nothing guards.
std::vector<std::uint32_t> unguarded(const std::string& text) {
  std::vector<std::uint32_t> lines;
  for (const FunctionUse& use : project_of("import torch\n" + text).functions) {
    if (use.name != "torch.cuda.synchronize") continue;
    for (const Site& site : use.sites) {
      if (site.call && !site.guarded) lines.push_back(site.line);
    }
  }
  return lines;
}

TEST(ProjectTest, CallsAreGuardedAsWhatRulesFind) {
  using Lines = std::vector<std::uint32_t>;
  for (const char* text : {
           "if torch.cuda.is_available():\n    torch.cuda.synchronize()\n",
           "def f(x):\n    if x.is_cuda:\n        torch.cuda.synchronize()\n",
           "try:\n    torch.cuda.synchronize()\nexcept Exception:\n    pass\n",
           "torch.cuda.synchronize() if device.type == 'cuda' else None\n",
           "def f(device):\n    if device.type == 'cuda':\n        torch.cuda.synchronize()\n    elif a:\n"
           "        b()\n",
           "def f(device):\n    if device.type != 'cuda':\n        return []\n    for x in y:\n"
           "        torch.cuda.synchronize(device)\n",
       })
    EXPECT_EQ(unguarded(text), Lines{}) << text;
  EXPECT_EQ(unguarded("torch.cuda.synchronize()\n"), Lines{2});
  EXPECT_EQ(unguarded("if verbose:\n    torch.cuda.synchronize()\nelse:\n    pass\n"), Lines{3});
  EXPECT_EQ(
      unguarded("def f():\n    if x.is_cuda:\n        return\ndef g():\n    torch.cuda.synchronize()\n"),
      Lines{6});
  EXPECT_EQ(unguarded("def f():\n    torch.cuda.synchronize()\n    if x.is_cuda:\n        return\n"),
            Lines{3});
}

TEST(ProjectTest, WhatDoesNotParseIsAmongTheLosses) {
  const auto fault = [](const std::string& text) {
    const Project project = project_of("import torch\n" + text);
    if (project.lost == 0) return std::string();
    return fmt::format("{}: {}", project.losses.front().line, project.losses.front().what);
  };
  const auto says = [](std::string_view why) {
    return fmt::format("2: it does not parse ({}): what stands there may be missed", why);
  };
  EXPECT_EQ(fault("x = torch.zeros(3).cuda(\n\ndef f():\n    pass\n"), says("a bracket is not closed"));
  EXPECT_EQ(fault("x = torch.zeros(3))\n"), says("a bracket is closed that is not open"));
  EXPECT_EQ(fault("x = torch.zeros([3)]\n"), says("brackets do not match"));
  EXPECT_EQ(fault("s = 'abc\nx = 1\n"), says("a string has no end"));
  EXPECT_EQ(fault("s = \"\"\"abc\n"), says("a string has no end"));
  EXPECT_EQ(fault("print 'x'\n"), says("it is Python 2"));
  for (const char* text : {
           "s = f\"{x!r:>{w}} {y['a']} {{\" 'b' rb'\\''\nx = {1: (2,)}[\n    1]\n",
           "s = f'''{x}\n{y}''' f'{x}'f''\n",
           "print('x')\nt = ''\nu = \"\"\"\"\"\"\n",
           "s = 'a\\\nb'\n",
           "s = f\"{'a'}{\"b\"}\"\n",
       })
    EXPECT_EQ(fault(text), "") << text;
}

TEST(ProjectTest, OfACallThatARuleTellsNothingElseIsTold) {
  const std::vector<Rule> rules = one_rule("effect = 'fails'\nmatch = ['torch.cuda.synchronize(...)']\n");
  const Project project = project_of(
      "import torch\ntorch.cuda.synchronize()\nif x.is_cuda:\n    torch.sort(x)\ntorch.sort(x)\n", rules);
  Answers answers;
  answers.targets["torch"] = "torch/mps";
  answers.functions.resize(project.functions.size());
  for (FunctionAnswer& one : answers.functions) one.answer = Answer::kFails;
  std::vector<std::string> told;
  for (const Item& item : items_of(project, answers, rules, {.to = "torch/mps", .from = ""}, {}, {}))
    told.push_back(fmt::format("{} {}", item.id, item.line));
  EXPECT_EQ(told, (std::vector<std::string>{"T01 2", "fails 5"}));
}

TEST(ProjectTest, AModuleThatIsOnlyImportedBehindAGuardIsGuarded) {
  const auto guarded = [](std::string_view importing) {
    Auditor auditor(shipped_vocabulary(), {});
    auditor.take("a/kernels.py", "import torch, triton\nx = torch.zeros(3)\n");
    auditor.take("a/__init__.py", importing);
    return auditor.finish().files.front().guarded;
  };
  EXPECT_TRUE(guarded("if is_triton_available():\n    from .kernels import f, g as h\n"));
  EXPECT_TRUE(
      guarded("if has_cuda:\n    from . import kernels\nif TYPE_CHECKING:\n    from . import kernels\n"));
  for (const char* text : {
           "from .kernels import f\n",
           "import a.kernels\nif has_cuda:\n    from . import kernels\n",
           "if is_torch_available():\n    from . import kernels\n",
           "if not is_tpu_available():\n    from . import kernels\n",
           "if has_cuda:\n    import kernels.other\n",
       })
    EXPECT_FALSE(guarded(text)) << text;
}

TEST(ProjectTest, AFolderOfDatasetsIsTheHosts) {
  const std::vector<Rule> rules = one_rule("effect = 'slow'\nmatch = ['$_.item()']\noutside = ['host']\n");
  Auditor auditor(shipped_vocabulary(), rules);
  for (const char* path : {"a/datasets/rows.py", "tests/test_rows.py", "a/rows.py"})
    auditor.take(path, "import torch\nn = x.item()\n");
  const Project project = auditor.finish();
  ASSERT_EQ(project.findings.size(), 1U);
  EXPECT_EQ(project.files[project.findings.front().file].path, "a/rows.py");
}

TEST(ProjectTest, AFileForOneDeviceBesideThoseForOthersServesItAlone) {
  std::vector<ProjectFile> files;
  for (const char* path :
       {"backends/cuda/ops.py", "backends/mps/ops.py", "backends/base.py", "a/xpu_accelerator.py",
        "a/hpu_accelerator.py", "b/cuda_utils.py", "b/cpu_utils.py"})
    files.push_back({.path = path, .frameworks = {}, .cells = {}});
  EXPECT_EQ(devices_by_name(files), (std::vector<std::string_view>{"cuda", "mps", "", "xpu", "hpu", "", ""}));
}

}  // namespace
}  // namespace seamark::audit
