// The rules of src/seamark/usage/scan/rules.md, one by one, without a catalogue.
#include "seamark/usage/scan/scanner.h"

#include <gtest/gtest.h>

#include <string>

#include "../input/kernels.h"
#include "scan_helper.h"

namespace seamark::usage {
namespace {

struct Case {
  const char* what;
  std::string source;
  const char* counts;
};

// Each with every instruction set that this processor knows.
void check(const std::vector<Case>& cases) {
  for (int kernel = kernel_count() - 1; kernel >= -1; --kernel) {
    use_kernel(kernel);
    Scanner scanner(plain_vocabulary());
    for (const Case& one : cases) {
      EXPECT_EQ(counts_of(scanner, one.source), one.counts) << one.what << ", kernel " << kernel << "\n"
                                                            << one.source;
      EXPECT_EQ(counts_in_place(scanner, one.source), one.counts) << one.what << "\n" << one.source;
    }
  }
}

TEST(Scanner, Chains) {
  check({
      {"call and reference", "import torch\ntorch.zeros(3)\nk = torch.relu, 1\n",
       "torch.relu 0 1, torch.zeros 1 0"},
      {"as long as it can be", "import torch\ntorch.nn.functional.relu(x)\n", "torch.nn.functional.relu 1 0"},
      {"on a call's result", "import torch\ntorch.relu(3).foo.bar()\n", "torch.relu 1 0"},
      {"over lines and comments", "import torch\nx = (torch  # one\n  .nn  # two\n\n  . relu\n  (3))\n",
       "torch.nn.relu 1 0"},
      {"continued line", "import torch\ntorch\\\n.nn \\\n. relu (3)\n", "torch.nn.relu 1 0"},
      {"a new line ends it", "import torch\ntorch.relu\n(3)\n", "torch.relu 0 1"},
      {"attribute of something else",
       "import torch\nself.torch.relu(3)\nf().torch.x\nx[0].torch.x\n''.torch.x\n", ""},
      {"spaces around the dot of another", "import torch\nself . torch.relu(3)\n", ""},
      {"subscript", "import torch\ntorch.a[torch.b](torch.c)\n", "torch.a 0 1, torch.b 0 1, torch.c 0 1"},
      {"keyword argument", "import torch\nf(torch=torch.relu, x=torch.a, *torch.b)\nf(\n  torch = 3)\n",
       "torch.a 0 1, torch.b 0 1, torch.relu 0 1"},
      {"comparison is no keyword", "from torch import a\nf(a == 1, a)\n", "torch.a 0 2"},
      {"decorators", "import torch\n@torch.no_grad()\ndef f(): pass\n@torch.jit.script\ndef g(): pass\n",
       "torch.jit.script 0 1, torch.no_grad 1 0"},
      {"base classes", "import torch\nclass A(torch.nn.Module, metaclass=torch.M): pass\n",
       "torch.M 0 1, torch.nn.Module 0 1"},
      {"annotations and defaults",
       "import torch\ndef f(a: torch.A = torch.b, *c: torch.C, d=torch.d()) -> x[torch.D]: pass\n",
       "torch.A 0 1, torch.C 0 1, torch.D 0 1, torch.b 0 1, torch.d 1 0"},
      {"annotations in quotes", "import torch\ndef f(a: 'torch.A'): pass\n", ""},
      {"parentheses are not looked through", "import torch\n(torch.nn).Linear(3)\n(torch.relu)(3)\n",
       "torch.nn 0 1, torch.relu 0 1"},
      {"targets", "import torch\ntorch.a = 1\ntorch.b += 1\ndel torch.c\nfor torch.d in x: pass\n",
       "torch.a 0 1, torch.b 0 1, torch.c 0 1, torch.d 0 1"},
      {"names alone as targets", "from torch import a, b, c, d\na = 1\nb += 1\ndel c\nfor d in x: pass\n",
       ""},
      {"ellipsis, numbers", "import torch\nx = ...\ny = 1.\nz = [1.if torch.a else 2, .5, 1e5, 0xfF, 1_0j]\n",
       "torch.a 0 1"},
  });
}

TEST(Scanner, StringsAndComments) {
  check({
      {"strings", "import torch\n'torch.a()'; \"torch.b\"; r'\\\\'; torch.c(1); b'\\''; u\"torch.d\"\n",
       "torch.c 1 0"},
      {"three quotes", "import torch\n'''torch.a(\n''torch.b'\\'''torch.c''' ; torch.d\n", "torch.d 0 1"},
      {"comments", "import torch # torch.a\n#torch.b\n  # torch.c\n", ""},
      {"not closed", "import torch\nx = 'abc\ntorch.a\n", "torch.a 0 1"},
      {"line continued in a string", "import torch\nx = 'abc\\\ntorch.a'\ntorch.b\n", "torch.b 0 1"},
      {"fields", "import torch\nf'{torch.a()} {{torch.b}} {torch.c!r:>{torch.d}} {torch.e=} torch.g'\n",
       "torch.a 1 0, torch.c 0 1, torch.d 0 1, torch.e 0 1"},
      {"prefixes",
       "import torch\nF'{torch.a}'; rf'\\{torch.b}'; fR'''{\ntorch.c}'''; f'\\N{DASH}{torch.d}'; "
       "f'\\{torch.e}'\n",
       "torch.a 0 1, torch.b 0 1, torch.c 0 1, torch.d 0 1, torch.e 0 1"},
      {"same quotes inside", "import torch\nf'{x['torch.a']}{torch.b}'\nf\"{f\"{f\"{torch.c}\"}\"}\"\n",
       "torch.b 0 1, torch.c 0 1"},
      {"no prefix", "import torch\nif'{torch.a}': pass\nx = [1 for'{torch.b}'in y]\n", ""},
      {"unequal", "import torch\nf'{a != torch.b}{x:{y}}{torch.c}'\n", "torch.b 0 1, torch.c 0 1"},
      {"dictionary in a field", "import torch\nf'{ {torch.a: 1}[2] }'\n", "torch.a 0 1"},
      {"lambda in a field", "import torch\nf'{(lambda torch: torch.a)(torch.b):x}'\n", "torch.b 0 1"},
  });
}

TEST(Scanner, Imports) {
  check({
      {"module", "import torch.nn.functional\ntorch.relu(1)\n", "torch.relu 1 0"},
      {"as", "import torch.nn.functional as F, os as torch\nF.relu(1); torch.x\n",
       "torch.nn.functional.relu 1 0"},
      {"from", "from torch.nn import functional as F, Linear\nF.relu(Linear(1))\n",
       "torch.nn.Linear 1 0, torch.nn.functional.relu 1 0"},
      {"parenthesized",
       "from torch.nn import (  # comment\n  functional as F,  # )\n  Linear,\n)\nF.a; Linear\n",
       "torch.nn.Linear 0 1, torch.nn.functional.a 0 1"},
      {"continued", "from torch \\\n import \\\n  nn\nnn.a\n", "torch.nn.a 0 1"},
      {"roots", "import tensorflow as tf, tensorflow\nimport jax.numpy as jnp\ntf.a; tensorflow.b; jnp.c\n",
       "jax.numpy.c 0 1, tf.a 0 1, tf.b 0 1"},
      {"TensorFlow 1", "import tensorflow.compat.v1 as tf\ntf.placeholder(1)\n",
       "tf.compat.v1.placeholder 1 0"},
      {"relative",
       "import torch.nn\nfrom .torch import a\nfrom . import torch\nfrom ...torch import b\na(1); b; "
       "torch.c\n",
       ""},
      {"others shadow", "import torch\nfrom os import torch\ntorch.a\n", ""},
      {"names that only begin so",
       "import torch_xla, torchvision\nimport torch\ntorch_xla.a; torchvision.b; torch.c\n", "torch.c 0 1"},
      {"one line", "if x: import torch; torch.a\ntorch.b()\n", "torch.a 0 1, torch.b 1 0"},
      {"try", "try:\n  import torch\nexcept ImportError:\n  torch = None\ntorch.a\n", "torch.a 0 1"},
      {"a module's name alone",
       "import torch\nimport torch.nn as nn\nfrom torch import optim\nf(torch, nn, optim)\n",
       "torch.optim 0 1"},
      {"star without a catalogue", "from torch import *\nfrom torch.nn import *\nzeros(3)\n", ""},
      {"commented", "# import torch\n'''\nimport torch\n'''\ntorch.a\n", ""},
      {"in a function, used by another", "def f():\n  torch.a\ndef g():\n  import torch\n  torch.b\n",
       "torch.b 0 1"},
      {"behind its use", "def f():\n  nn.a\nimport torch.nn as nn\nnn.b\n", "torch.nn.a 0 1, torch.nn.b 0 1"},
  });
}

TEST(Scanner, FrameworksAndStars) {
  Scanner scanner(plain_vocabulary());
  EXPECT_EQ(scanner.scan("import torch\n", false).frameworks, 1u);
  EXPECT_EQ(scanner.scan("import os, tensorflow.keras as k\nfrom jax import *", false).frameworks, 6u);
  EXPECT_EQ(
      scanner.scan("from torch import *\nfrom torch.nn import (a)\nfrom os import *", false).unresolved_stars,
      1u);
  EXPECT_EQ(scanner.scan("'''import torch'''\nfrom .torch import x\nimport torchvision", false).frameworks,
            0u);
  EXPECT_EQ(scanner.scan("", false).frameworks, 0u);
}

TEST(Scanner, Bindings) {
  check({
      {"alias", "import torch\nr = torch.relu\nr(1); s = r; s(2)\n", "torch.relu 2 2"},
      {"several targets", "import torch\na = b = torch.relu\na(1); b(2)\n", "torch.relu 2 1"},
      {"annotated", "import torch\na: T = torch.relu\na(1)\n", "torch.relu 1 1"},
      {"walrus", "import torch\nif (r := torch.relu) and r(1): r(2)\n", "torch.relu 2 1"},
      {"walrus without parentheses", "import torch\nwhile r := torch.relu: r(2)\n", "torch.relu 1 1"},
      {"other targets too", "import torch\nself.a = b = torch.relu\nb(1)\n", "torch.relu 0 1"},
      {"a tuple is no alias", "import torch\na = torch.x, torch.relu\na(1)\nb, c = torch.y, torch.z\nb(1)\n",
       "torch.relu 0 1, torch.x 0 1, torch.y 0 1, torch.z 0 1"},
      {"in parentheses", "import torch\na = (torch.relu)\na(1)\n", "torch.relu 0 1"},
      {"more than a chain",
       "import torch\na = torch.x + 1\nb = torch.y[0]\nc = torch.z if q else 0\na(1); b(1); c(1)\n",
       "torch.x 0 1, torch.y 0 1, torch.z 0 1"},
      {"None keeps",
       "import torch\ntorch = None\ntorch.a\ntorch: T = False\ntorch.b\nx = torch = True\ntorch.c\n",
       "torch.a 0 1, torch.b 0 1, torch.c 0 1"},
      {"None in parentheses does not", "import torch\ntorch = (None)\ntorch.a\n", ""},
      {"annotated only", "import torch\ntorch: T\ntorch.a\n", "torch.a 0 1"},
      {"rebound", "import torch\ntorch = f()\ntorch.a\n", ""},
      {"old where the statement begins", "from torch import nn as x\nx = x.f(x.g)\nx.h\n",
       "torch.nn.f 1 0, torch.nn.g 0 1"},
      {"tuple", "import torch, jax, tensorflow as tf\n(torch, [*jax, q]), tf = 1\ntorch.a; jax.b; tf.c\n",
       ""},
      {"subscripts are no targets", "import torch\nfrom torch import a\na[0] = x[a] = 1\na.b = 2\na(1)\n",
       "torch.a 1 2, torch.a.b 0 1"},
      {"augmented", "from torch import a\na += a\na(1)\n", "torch.a 0 1"},
      {"for", "from torch import a, b\nfor a, (x, b) in a(b): a(1)\nelse: b(1)\n",
       "torch.a 1 0, torch.b 0 1"},
      {"with", "from torch import a, b\nwith a(1) as a, a(2) as (q, b): a(3)\nb(1)\n", "torch.a 1 0"},
      {"with in parentheses", "from torch import a, b\nwith (\n a(1) as x, b(1) as a,\n): a(3)\n",
       "torch.a 1 0, torch.b 1 0"},
      {"except", "from torch import a\ntry: pass\nexcept a as a: a(1)\n", "torch.a 0 1"},
      {"Python 2's except", "from torch import a, b\ntry: pass\nexcept b, a: a(1)\n", "torch.b 0 1"},
      {"def and class", "from torch import a, b\ndef a(x=a): pass\nclass b(b): b\na; b\n",
       "torch.a 0 1, torch.b 0 2"},
      {"del", "from torch import a, b, c\ndel a, (b), c.x\na; b; c\n", "torch.c 0 1, torch.c.x 0 1"},
      {"type", "from torch import a, T\ntype a[T] = a[T]\na; T\ntype = a\ntype.x\n",
       "torch.T 0 2, torch.a 0 1"},
      {"type parameters", "from torch import T, b\ndef f[T: b, *U](x: T) -> T: T\nclass C[T](b): T\nT\n",
       "torch.T 0 3, torch.b 0 2"},
  });
}

TEST(Scanner, Patterns) {
  check({
      {"classes and captures",
       "import torch\nfrom torch import a, b, c\nmatch a(1):\n  case torch.Size(x=b, y=[torch.K]): b\n  case "
       "{torch.D: c, **a}: c; a\n",
       "torch.D 0 1, torch.K 0 1, torch.Size 0 1, torch.a 1 0"},
      {"list of a class", "from torch import X\nmatch q:\n  case [X(y)]: X(1)\n", "torch.X 1 1"},
      {"guard", "from torch import a, b\nmatch q:\n  case a if a(b(1)): a\n", "torch.b 1 0"},
      {"as, star, or", "from torch import a, b, c\nmatch q:\n  case [1, *a] | (2 as b): a; b; c\n",
       "torch.c 0 1"},
      {"no capture", "from torch import _\nmatch q:\n  case _: _\n", "torch._ 0 1"},
      {"case and match as names",
       "import torch\ncase = torch.a\nmatch = torch.b\ncase(1); match[0]; case.x; match(\n1)\n",
       "torch.a 1 1, torch.a.x 0 1, torch.b 1 2"},
      {"case called", "import torch\ncase(torch.Size(3))\ncase[torch.Size(3)] = 1\n", "torch.Size 2 0"},
  });
}

TEST(Scanner, Scopes) {
  check({
      {"parameters",
       "import torch\ndef f(torch, *a, **b): torch.a\ndef g(*torch): torch.a\ndef h(a, /, *, torch=torch.b): "
       "torch.a\n",
       "torch.b 0 1"},
      {"local to all of the function", "import torch\ndef f():\n  torch.a\n  torch = 1\n", ""},
      {"the end of the module", "import torch\ndef f():\n  torch.a\ntorch.b\ntorch = 1\n", "torch.b 0 1"},
      {"nested functions", "def f():\n  def g():\n    F.a\n  import torch as F\n  return g\nF.b\n",
       "torch.a 0 1"},
      {"nonlocal",
       "import torch\ndef f():\n  import jax as q\n  def g():\n    nonlocal q\n    q.a\n    q = 1\n  q.b\n",
       ""},
      {"global", "def f():\n  global torch\n  import torch\n  torch.a\ndef g():\n  torch.b\ntorch.c\n",
       "torch.a 0 1, torch.b 0 1, torch.c 0 1"},
      {"global passes over functions",
       "import torch\ndef f(torch):\n  def g():\n    global torch\n    torch.a\n", "torch.a 0 1"},
      {"global spoils", "import torch\ndef f():\n  global torch\n  torch = 3\n  torch.a\ntorch.b\n", ""},
      {"global alias is unknown", "import torch\ndef f():\n  global r\n  r = torch.relu\nr(1)\n",
       "torch.relu 0 1"},
      {"global None keeps", "import torch\ndef f():\n  global torch\n  torch = None\ntorch.a\n",
       "torch.a 0 1"},
      {"class bodies",
       "import torch\nclass A:\n  r = torch.relu\n  r(1)\n  def f(self, x=r): r(2)\n  [r for r in r]\n  "
       "lambda: r\nr\n",
       "torch.relu 1 3"},
      {"class body sees its surroundings as they are",
       "from torch import a\nclass A:\n  a(1)\n  a = a\n  a(2)\na = 1\nclass B:\n  a(3)\n", "torch.a 2 1"},
      {"classes are no surroundings",
       "from torch import a\nclass A:\n  a = 1\n  class B:\n    a(1)\n  def f(self): a(2)\na = a\n",
       "torch.a 2 1"},
      {"comprehensions",
       "from torch import a, b\n[a(x) for a in a(b)]\n{a: b for x in a if b}\n(b for x in a for b in "
       "b(1))\na(2)\n",
       "torch.a 2 3, torch.b 0 3"},
      {"walrus in a comprehension",
       "import torch\ndef f():\n  [(r := torch.relu) for x in y]\n  r(1)\nr(2)\n", "torch.relu 1 1"},
      {"comprehension sees what is around",
       "import torch\ndef f():\n  r = torch.relu\n  [r(x) for x in y]\n  r = 1\n", "torch.relu 1 1"},
      {"lambda",
       "from torch import a\nlambda a, b=a(1): a(2)\nlambda: a(3)\nlambda *a, **k: a\n(lambda x: (a := 1, "
       "a(4)), a(5))\n",
       "torch.a 3 0"},
      {"lambda in a dictionary and a slice",
       "from torch import a\n{lambda a: a(1): a(2)}\nx[lambda: a(3): a(4)]\n", "torch.a 3 0"},
      {"lambda ends", "from torch import a\nf(lambda a: a(1), a(2))\n[lambda a: a(3) for x in y if a(4)]\n",
       "torch.a 2 0"},
      {"dedent",
       "def f():\n    import torch\n    if x:\n\n  # comment\n        torch.a\n    torch.b\ntorch.c\n",
       "torch.a 0 1, torch.b 0 1"},
      {"tabs", "def f():\n\timport torch\n\ttorch.a\n        torch.b\ntorch.c\n", "torch.a 0 1, torch.b 0 1"},
      {"form feed", "import torch\ndef f(torch):\n  pass\n\f\ntorch.a\n", "torch.a 0 1"},
      {"one line", "import torch\nclass A: torch = 1; torch.a\ndef f(): torch = 1; torch.b\ntorch.c\n",
       "torch.c 0 1"},
      {"async",
       "import torch\nasync def f(torch):\n  async with torch.a() as x: pass\n  [torch async for torch in "
       "torch]\n",
       ""},
      {"for binds behind the header", "import torch\nfor F in ((F := torch)):\n  F.a\n", ""},
  });
}

TEST(Scanner, Inferred) {
  check({
      {"factory", "import torch\nx = torch.zeros(3)\nx.sum(); x.T\nx.a.b()\n",
       "torch.Tensor.T~ 0 1, torch.Tensor.sum~ 1 0, torch.zeros 1 0"},
      {"class", "from torch import nn\nm = nn.Linear(1, 2)\nm.state_dict()\nm(3)\n",
       "torch.nn.Linear 1 0, torch.nn.Linear.state_dict~ 1 0"},
      {"all capitals are no class", "from torch import nn\nm = nn.LSTM(1)\nm.a()\n", "torch.nn.LSTM 1 0"},
      {"on the call",
       "import torch\ntorch.zeros(3).sum(1)\ntorch.zeros(3).T.sum()\ntorch.ones(torch.zeros(1).a).b\n",
       "torch.Tensor.a~ 0 1, torch.Tensor.b~ 0 1, torch.Tensor.sum~ 1 0, torch.ones 1 0, torch.zeros 3 0"},
      {"called again",
       "import torch\nx = torch.zeros(3).sum()\nx.a\ny = torch.zeros(3)()\ny.a\nz = torch.zeros(3)[0]\nz.a\n",
       "torch.Tensor.sum~ 1 0, torch.zeros 3 0"},
      {"with and walrus",
       "import tensorflow as tf\nwith tf.Session() as s: s.run(1)\n(x := tf.Variable(1)).y; x.z\n",
       "tf.Session 1 0, tf.Session.run~ 1 0, tf.Variable 1 0, tf.Variable.z~ 0 1"},
      {"not from a module", "import torch\nx = torch.zeros\nx.a\ny = x(3)\ny.b\n",
       "torch.Tensor.b~ 0 1, torch.zeros 1 1, torch.zeros.a 0 1"},
      {"only in its scope",
       "import torch\nx = torch.zeros(3)\ndef f(): x.a\nlambda: x.b\nclass C: x.c\n[x.d for y in z]\nx.e\n",
       "torch.Tensor.d~ 0 1, torch.Tensor.e~ 0 1, torch.zeros 1 0"},
      {"as long as it holds",
       "import torch\nx = torch.zeros(3)\nx.a\nx = f(x)\nx.b\nx, y = torch.zeros(1), 2\nx.c\n",
       "torch.Tensor.a~ 0 1, torch.zeros 2 0"},
      {"None keeps", "import torch\nx = torch.zeros(3)\nx = None\nx.a\n",
       "torch.Tensor.a~ 0 1, torch.zeros 1 0"},
      {"passed on", "import torch\nx = torch.zeros(3)\ny = x\ny.a\nz = x.t()\nz.b\n",
       "torch.Tensor.t~ 1 0, torch.zeros 1 0"},
      {"several targets", "import torch\nx = y = torch.zeros(3)\nx.a; y.b\n",
       "torch.Tensor.a~ 0 1, torch.Tensor.b~ 0 1, torch.zeros 1 0"},
  });
}

TEST(Scanner, Python2AndGarbage) {
  check({
      {"print", "import torch\nprint torch.zeros(3), torch.a\nprint >>f, torch.b\n",
       "torch.a 0 1, torch.b 0 1, torch.zeros 1 0"},
      {"backquotes", "import torch\nx = `torch.a(1)`\n", "torch.a 1 0"},
      {"exec, octal, <>", "import torch\nexec 'x' in torch.a\nif 0777L <> torch.b: raise E, torch.c\n",
       "torch.a 0 1, torch.b 0 1, torch.c 0 1"},
      {"strings", "import torch\nx = ur'\\\\' + torch.a + uR\"b\"\n", "torch.a 0 1"},
      {"tuples as parameters",
       "import torch\ndef f(a, (torch, b)=torch.x): torch.a\nlambda (torch, a): torch.b\n", "torch.x 0 1"},
      {"brackets never closed", "import torch\nx = (1, [\ndef f(torch):\n  torch.a\ntorch.b\n",
       "torch.b 0 1"},
      {"brackets never opened", "import torch\n)]}\ntorch.a\n", "torch.a 0 1"},
      {"nothing behind", "import torch\ntorch.", ""},
      {"no last newline", "import torch\ntorch.a", "torch.a 0 1"},
      {"byte order mark, CR, NUL", std::string("\xef\xbb\xbfimport torch\rtorch.a\r\n\0torch.b\rtorch.c", 41),
       "torch.a 0 1, torch.b 0 1, torch.c 0 1"},
  });
}

TEST(Scanner, LongNames) {
  Scanner scanner(plain_vocabulary());
  const std::string name(194, 'a');
  EXPECT_EQ(counts_of(scanner, "import torch\ntorch." + name + "\ntorch." + name + "a\n"),
            "torch." + name + " 0 1");
  EXPECT_EQ(counts_of(scanner, "import torch\ntorch." + std::string(100000, 'a') + "(1)\ntorch.b\n"),
            "torch.b 0 1");
  std::string chain = "torch";
  for (int i = 0; i < 1000; ++i) chain += ".a";
  EXPECT_EQ(counts_of(scanner, "import torch\n" + chain + "(1)\nx = " + chain + "\nx.y\n"), "");
  const std::string long_alias(90, 'b');
  EXPECT_EQ(counts_of(scanner, "import torch as " + long_alias + "\n" + long_alias + ".a(1)\n"),
            "torch.a 1 0");
}

TEST(Scanner, DeepNesting) {
  Scanner scanner(plain_vocabulary());
  const std::string open(100000, '(');
  EXPECT_EQ(counts_of(scanner, "import torch\n" + open + "torch.a\n"), "torch.a 0 1");
  EXPECT_EQ(
      counts_of(scanner, "import torch\n" + open + "torch.a" + std::string(100000, ')') + "\ntorch.b\n"),
      "torch.a 0 1, torch.b 0 1");
  std::string fields = "import torch\n";
  for (int i = 0; i < 5000; ++i) fields += "f'{";
  scanner.scan(fields, false);
  std::string lambdas = "import torch\nx = ";
  for (int i = 0; i < 5000; ++i) lambdas += "lambda torch: [torch for torch in ";
  scanner.scan(lambdas, false);
  std::string defs = "import torch\n";
  for (int i = 0; i < 5000; ++i) defs += "def f(torch): ";
  scanner.scan(defs + "torch.a\n", false);
  EXPECT_EQ(counts_of(scanner, "import torch\ntorch.a\n"), "torch.a 0 1");  // it still works
}

// What one file holds must not show in the next.
TEST(Scanner, FilesAreApart) {
  Scanner scanner(plain_vocabulary());
  EXPECT_EQ(counts_of(scanner, "import torch as t\nt.a; x = t.zeros(1)\n"), "torch.a 0 1, torch.zeros 1 0");
  EXPECT_EQ(counts_of(scanner, "import jax\nt.a; x.b\njax.c\n"), "jax.c 0 1");
  std::string many = "import torch\n";
  for (int i = 0; i < 3000; ++i) many += fmt::format("alias_{} = torch.f{}\n", i, i);
  EXPECT_EQ(scanner.scan(many, false).names.size(), 3000u);
  EXPECT_EQ(counts_of(scanner, "import torch\nalias_7(1)\ntorch.a\n"), "torch.a 0 1");
}

TEST(Scanner, NamesAndFrameworks) {
  Scanner scanner(plain_vocabulary());
  const FileUsage& usage = scanner.scan("import tensorflow as tf\ntf.zeros(3)\n", false);
  ASSERT_EQ(usage.names.size(), 1u);
  EXPECT_EQ(scanner.name(usage.names[0].name), "tf.zeros");
  EXPECT_EQ(scanner.framework_of(usage.names[0].name), 1u);
}

}  // namespace
}  // namespace seamark::usage
