// Which expressions are tensors on the device, and how a name was assigned.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "one_rule.h"

namespace seamark::audit {
namespace {

using Columns = std::vector<std::uint32_t>;

// Whether the argument of `see(...)`, which ends the text, is what a pattern's word says.
bool is(std::string_view word, const std::string& text) {
  const std::string rule = "effect = \"fails\"\nmatch = ['see($" + std::string(word) + ")']\n";
  return !columns_of(rule, "import torch\nimport jax.numpy as jnp\n" + text).empty();
}

TEST(ValuesTest, WhatTheFrameworkComputesIsATensor) {
  for (const char* text : {
           "see(torch.sqrt(x))\n",
           "see(jnp.zeros(3))\n",
           "see(-jnp.argmin(x) + 1)\n",
           "see(torch.zeros(3, device=d))\n",
           "see(torch.max(x))\n",
           "see(torch.relu(x)[0].sum().T)\n",
           "see(x.unsqueeze(0))\n",
           "see(a or torch.relu(x) > 3)\n",
           "see(not torch.relu(x).any())\n",
           "see(rows[jnp.argmax(x)])\n",
           "see(torch.zeros(3).to(d))\n",
       })
    EXPECT_TRUE(is("tensor", text)) << text;
  for (const char* text : {
           "see(x)\n",
           "see(torch.relu(x).shape[0])\n",
           "see(torch.relu(x).item() + 1)\n",
           "see(len(torch.relu(x)))\n",
           "see(torch.relu(x).max(0))\n",
           "see(torch.max(x, 0))\n",
           "see(torch.relu(x) is None)\n",
           "see(kind == 'a')\n",
           "see([torch.relu(x)])\n",
           "see(torch.zeros(3))\n",
           "see(torch.sqrt(torch.zeros(3, device='cpu')))\n",
           "see(torch.relu(x).cpu())\n",
           "see(torch.relu(x).to('cpu'))\n",
           "see(lambda y: torch.relu(y))\n",
           "a, b = torch.relu(x)\nsee(a)\n",
           "x = torch.relu(x)\nif isinstance(x, (int, float)):\n    see(x)\n",
       })
    EXPECT_FALSE(is("tensor", text)) << text;
}

TEST(ValuesTest, WhatAFunctionGivesBackOfItsArgumentsIsOfTheCall) {
  constexpr std::string_view kDefault =
      "def default(v, d):\n    return v if v is not None else d\ny = default(torch.relu(x), 1)\n";
  EXPECT_TRUE(is("tensor", std::string(kDefault) + "see(default(torch.relu(x), 1))\n"));
  EXPECT_FALSE(is("tensor", std::string(kDefault) + "see(default(n, 4))\n"));
}

TEST(ValuesTest, TruthValuesAndWhatIsOnTheHostAreToldApart) {
  EXPECT_TRUE(is("mask", "m = torch.relu(x) > 0\nsee(~m.view(-1) & torch.isnan(y))\n"));
  EXPECT_FALSE(is("mask", "m = torch.relu(x) > 0\nsee(m.sum())\n"));
  EXPECT_FALSE(is("mask", "see(torch.relu(x))\n"));
  EXPECT_TRUE(is("host", "host = torch.device('cpu')\nsee(x.to(host) * 2)\n"));
  EXPECT_TRUE(is("host", "see(torch.arange(3).sum())\n"));
  EXPECT_TRUE(is("host", "rows = torch.zeros(2, 3)\na, b = rows[i]\nsee(a != b)\n"));
  EXPECT_FALSE(is("host", "see(torch.arange(3, device=d))\n"));
  EXPECT_FALSE(is("host", "see(3)\n"));
}

TEST(ValuesTest, WhatNobodyElseCanCallIsWhereItsCallsSay) {
  const auto of = [](std::string_view name, std::string_view given) {
    return fmt::format("def {0}(v: torch.Tensor) -> torch.Tensor:\n    see(v)\ny = {0}({1})\n", name, given);
  };
  EXPECT_TRUE(is("host", of("_f", "x.cpu()")));
  EXPECT_FALSE(is("host", of("f", "x.cpu()")));
  EXPECT_FALSE(is("host", of("_f", "x")));
  EXPECT_TRUE(is("tensor", of("_f", "x")));
  EXPECT_FALSE(is("host", of("_f", "x.cpu()") + "z = _f(x)\n"));
  EXPECT_FALSE(is("host", of("_f", "x.cpu()") + "z = map(_f, x)\n"));
  EXPECT_TRUE(is("host", "def g(v) -> torch.Tensor:\n    return v.cpu()\nsee(g(x))\n"));
  for (const auto& [name, on_host] : {std::pair("split", true), std::pair("forward", false)})
    EXPECT_EQ(is("host", fmt::format("class A:\n    def {0}(self, v):\n        see(v)\n    def g(self, x):\n"
                                     "        self.{0}(x.cpu())\n",
                                     name)),
              on_host);
  EXPECT_TRUE(is("host", "def f(x_host: torch.Tensor):\n    see(x_host)\n"));
  EXPECT_TRUE(is("tensor", "def g(v) -> torch.Tensor:\n    return v.rows()\nsee(g(x))\n"));
}

TEST(ValuesTest, PartsOfWhatIsOnTheHostAreThere) {
  EXPECT_TRUE(is("host", "a, b = torch.stack(x).cpu().unbind()\nsee(a)\n"));
  EXPECT_TRUE(is("host", "v = torch.relu(x).cpu()\nfor one in reversed(v):\n    see(one)\n"));
  EXPECT_FALSE(is("tensor", "see(torch.relu(x).kept_shape())\n"));
  EXPECT_TRUE(is("host", "kept = torch.load(path, map_location=torch.device('cpu'))\nsee(kept['weight'])\n"));
  EXPECT_FALSE(is("host", "kept = torch.load(path, map_location=device)\nsee(kept['weight'])\n"));
}

TEST(ValuesTest, AnAnnotationMayEndWithTheLine) {
  EXPECT_FALSE(is("tensor", "def f(y:\n    return see(y)\nf(x)\n"));
  EXPECT_FALSE(is("tensor", "see(y)\ndef f(y:torch.relu(y)"));
}

TEST(ValuesTest, WhatAClassKeepsOnTheHostIsThere) {
  const auto of = [](std::string_view first, std::string_view second) {
    return fmt::format(
        "class A:\n    def set(self, x, device):\n        self.kept = {}\n        self.kept = {}\n"
        "    def get(self):\n        see(self.kept[0])\n",
        first, second);
  };
  EXPECT_TRUE(is("host", of("torch.relu(x)", "self.kept.to('cpu')")));
  EXPECT_TRUE(is("host", of("torch.relu(x)", "self.kept.cpu()")));
  EXPECT_FALSE(is("host", of("torch.relu(x)", "self.kept")));
  EXPECT_FALSE(is("host", of("torch.relu(x)", "torch.zeros(3)")));  // perhaps in a branch
  EXPECT_FALSE(is("host", of("torch.zeros(3)", "self.kept.to(device, dtype=torch.float64)")));
  EXPECT_FALSE(is("host",
                  "class A:\n    def set(self):\n        self.kept = torch.zeros(3)\nclass B:\n"
                  "    def get(self):\n        see(self.kept)\n"));
}

TEST(ValuesTest, WhatABranchPutsOnTheHostMayBeElsewhere) {
  constexpr std::string_view kText =
      "def f(x: torch.Tensor):\n    if {}:\n        x = torch.tensor(x)\n    see(x)\n";
  EXPECT_TRUE(is("tensor", fmt::format(kText, "plain")));
  EXPECT_TRUE(is("host", "def f(x):\n    x = torch.tensor(x)\n    if plain:\n        see(x)\n"));
}

TEST(ValuesTest, ArraysOfNumpyAreOnTheHost) {
  EXPECT_TRUE(is("host", "import numpy as np\nn = np.full(3, -1)\nsee(n[0])\n"));
  EXPECT_TRUE(is("host", "import numpy as np\nsee(np.where(n == 3)[0])\n"));
  EXPECT_FALSE(is("tensor", "import numpy as np\nsee(np.exp(n) @ np.ones(3))\n"));
  EXPECT_TRUE(is("tensor", "import numpy as np\nsee(torch.relu(x) + np.ones(3))\n"));
  EXPECT_TRUE(is("stored", "y = x.cpu()\nsee(y[:, 1])\n"));
  EXPECT_FALSE(is("stored", "see(x.cpu())\n"));
  EXPECT_FALSE(is("stored", "y = torch.relu(x)\nsee(y)\n"));
}

TEST(ValuesTest, ADictWithoutTensorsIsPlain) {
  EXPECT_TRUE(is("plain", "d = {'n': self.n, 'losses': self.losses, 'k': 3}\nsee(d)\n"));
  for (const char* text : {
           "see({'model': m.state_dict()})\n",
           "see({'n': f(x)})\n",
           "see({'a': self.weights})\n",
           "see({**d})\n",
           "d = {}\nd['a'] = a\nsee(d)\n",
           "see(d)\n",
           "see(self.d)\n",
       })
    EXPECT_FALSE(is("plain", text)) << text;
}

TEST(ValuesTest, NamesAreFollowedToTheirLastAssignment) {
  for (const char* text : {
           "def f(x):\n    y = torch.relu(x)\n    y += 1\n    see(y)\n",
           "def f(x):\n    y, z = torch.relu(x), 1\n    see(y)\n",
           "n = 0\nn += jnp.sum(x)\nsee(n)\n",
           "for row in torch.relu(x):\n    see(row)\n",
           "for i, row in enumerate(torch.relu(x)):\n    see(row)\n",
           "def f(x):\n    y = torch.relu(x)\n    def g():\n        return see(y)\n",
           "y = torch.relu(x)\ny = None\nsee(y)\n",
           "def f(x: torch.Tensor | None, *, y: 'torch.Tensor'):\n    see(x + y)\n",
       })
    EXPECT_TRUE(is("tensor", text)) << text;
  for (const char* text : {
           "y = torch.relu(x)\ny = 3\nsee(y)\n",
           "see(y)\ny = torch.relu(x)\n",
           "y, z = torch.relu(x)[0], 1\nsee(z)\n",
           "y = torch.relu(x)\nsee(lambda y: y)\n",
           "y = torch.relu(x)\n[see(y) for y in z]\n",
           "y = torch.relu(x)\ndef f(y):\n    see(y)\n",
           "if a:\n    y = torch.relu(x)\nelif b:\n    see(y)\n",
           "class A:\n    y = torch.relu(x)\n    def f(self):\n        see(y)\n",
           "def f(x: list[torch.Tensor]):\n    see(x)\n",
           "y = torch.relu(x)\nx.y = 3\nf(y=3)\nimport y\nsee(y)\n",
       })
    EXPECT_FALSE(is("tensor", text)) << text;
}

TEST(ValuesTest, NamesAreFollowedThroughTheFilesFunctions) {
  for (const char* text : {
           "def f(x):\n    if a:\n        return None\n    return torch.relu(x)\nsee(f(3))\n",
           "def f(x) -> torch.Tensor:\n    return g(x)\nsee(f(3))\n",
           "def f(x, n=1):\n    see(n)\nf(3, n=torch.relu(x))\n",
           "class A:\n    def f(self, x):\n        see(x)\n    def g(self):\n        self.f(torch.relu(y))\n",
           "class A:\n  def f(self):\n    return torch.relu(y)\n  def g(self):\n    see(self.f())\n",
           "def f(x):\n    return f(x) if a else torch.relu(x)\nsee(f(x))\n",
       })
    EXPECT_TRUE(is("tensor", text)) << text;
  for (const char* text : {
           "def f(x):\n    return torch.relu(x), 1\nsee(f(3))\n",
           "def f(x):\n    if a:\n        return 1\n    return torch.relu(x)\nsee(f(3))\n",
           "def f(x):\n    yield torch.relu(x)\nsee(f(3))\n",
           "def f(x, n=1):\n    see(x)\nf(3, n=torch.relu(x))\n",
           "class A:\n  def f(self, x):\n    see(x)\nclass B:\n  def g(self):\n    self.f(torch.relu(y))\n",
           "def f(x):\n    return f(x)\nsee(f(x))\n",
       })
    EXPECT_FALSE(is("tensor", text)) << text;
}

TEST(ValuesTest, WhereAsksForTheLastAssignment) {
  const std::string rule = "effect = \"fails\"\nmatch = ['see($X) where $X = {..., \"a\": $_, ...}']\n";
  EXPECT_EQ(columns_of(rule, "import torch\nx = {'b': 1, 'a': 2}\nsee(x)\n"), (Columns{1}));
  EXPECT_EQ(columns_of(rule, "import torch\nself.x = {'a': 2}\ndef f():\n    see(self.x)\n"), (Columns{5}));
  EXPECT_EQ(columns_of(rule, "import torch\nx = {'a': 2}\nx = {}\nsee(x)\n"), Columns{});
  EXPECT_EQ(columns_of(rule, "import torch\nx, y = {'a': 2}, 3\nsee(x)\n"), Columns{});
  EXPECT_EQ(columns_of(rule, "import torch\nsee(x)\nx = {'a': 2}\n"), Columns{});
  EXPECT_FALSE(Pattern::parse("see($X) where $X"));
}

// Names that rest on one another, and functions that call themselves in many ways.
TEST(ValuesTest, NothingTakesLong) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += "def " + name + "(a, b):\n    a = b\n    b = a\n    if a:\n        return f" +
            std::to_string((i * 7 + 1) % 300) + "(b, a)\n    return f" + std::to_string((i * 11 + 3) % 300) +
            "(a, b)\n";
  }
  text += "see(f0(1, 2))\n" + std::string(2000, '(') + "\n";
  std::string deep = "see(x";
  for (int i = 0; i < 3000; ++i) deep += " + (x";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(is("tensor", text));
  EXPECT_FALSE(is("tensor", deep + std::string(3001, ')') + "\n"));
  EXPECT_TRUE(is("tensor", "y = torch.relu(x)\nz = (a, see(y)\n")) << "a bracket that is not closed";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace seamark::audit
