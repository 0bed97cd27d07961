// Canonical names, modules and what is unknown: the scanner with a catalogue.
#include <gtest/gtest.h>

#include <algorithm>

#include "../scan/scan_helper.h"

namespace seamark::usage {
namespace {

CatalogueFunction function(std::string name, std::string kind = "function",
                           std::vector<std::string> aliases = {}, std::vector<std::string> bases = {}) {
  CatalogueFunction one;
  one.name = std::move(name);
  one.kind = std::move(kind);
  one.aliases = std::move(aliases);
  one.bases = std::move(bases);
  return one;
}

Catalogue torch_catalogue() {
  Catalogue catalogue;
  catalogue.head.framework = "torch";
  catalogue.functions = {
      function("torch.cuda", "module"),
      function("torch.nn.functional.relu", "function", {"torch.nn.relu_alias"}),
      function("torch.nn.Linear", "class", {"torch.nn.modules.linear.Linear"}, {"torch.nn.Module"}),
      function("torch.nn.Linear.forward", "method"),
      function("torch.nn.LSTM", "class", {}, {"torch.nn.RNNBase", "torch.nn.Module"}),
      function("torch.nn.Module", "class"),
      function("torch.nn.Module.state_dict", "method"),
      function("torch.nn._private", "function"),
      function("torch.zeros"),
      function("torch.Tensor", "class"),
      function("torch.Tensor.sum", "method"),
  };
  return catalogue;
}

class CatalogueScan : public testing::Test {
 protected:
  static Vocabulary load(const std::vector<Catalogue>& catalogues) {
    return std::move(Vocabulary::load(std::string(SEAMARK_SOURCE_DIR) + "/data/usage", catalogues).value());
  }
  std::string counts(std::string_view source) { return counts_of(scanner_, source); }

  Vocabulary vocabulary_ = load({torch_catalogue()});
  Scanner scanner_{vocabulary_};
};

TEST_F(CatalogueScan, AliasesAreOneFunction) {
  EXPECT_EQ(counts("import torch\ntorch.nn.functional.relu(1)\ntorch.nn.relu_alias\n"),
            "torch.nn.functional.relu 1 1");
  EXPECT_EQ(counts("from torch.nn.modules.linear import Linear\nLinear(1)\nLinear.forward\n"),
            "torch.nn.Linear 1 0, torch.nn.Linear.forward 0 1");
}

TEST_F(CatalogueScan, InheritedMethodsAreTheirClass) {
  EXPECT_EQ(counts("from torch import nn\nnn.Linear.state_dict\nm = "
                   "nn.LSTM(1)\nm.state_dict()\nnn.Linear(1).state_dict()\n"),
            "torch.nn.LSTM 1 0, torch.nn.Linear 1 0, torch.nn.Module.state_dict 0 1, "
            "torch.nn.Module.state_dict~ 2 0");
}

TEST_F(CatalogueScan, ModulesDoNotCount) {
  EXPECT_EQ(counts("import torch\nfrom torch import nn\nx = [nn, torch.nn.functional, torch.cuda, "
                   "torch.nn.modules]\nt = torch\nt\n"),
            "");
}

TEST_F(CatalogueScan, UnknownNames) {
  EXPECT_EQ(
      counts(
          "import "
          "torch\ntorch.float32\ntorch.gone(1)\ntorch.nn.Linear.from_pretrained(2)\ntorch.zeros.__doc__\n"),
      "torch.float32? 0 1, torch.gone? 1 0, torch.nn.Linear.from_pretrained? 1 0, torch.zeros.__doc__? 0 1");
  EXPECT_EQ(counts("import torch\nx = torch.zeros(3)\nx.shape; x.sum()\ntorch.Gone(1).a()\n"),
            "torch.Gone? 1 0, torch.Tensor.sum~ 1 0, torch.zeros 1 0");
}

TEST_F(CatalogueScan, OtherFrameworksCountAsWithout) {
  EXPECT_EQ(counts("import jax\njax.numpy\njax.Foo(1).bar\n"),
            "jax.Foo 1 0, jax.Foo.bar~ 0 1, jax.numpy 0 1");
}

TEST_F(CatalogueScan, Stars) {
  EXPECT_EQ(counts("from torch.nn import "
                   "*\nLinear(1)\nfunctional.relu(2)\n_private(3)\nzeros(4)\nmodules.linear.Linear\n"),
            "torch.nn.Linear 1 1, torch.nn.functional.relu 1 0");
  EXPECT_EQ(scanner_.scan("from torch.nn import *\n", false).unresolved_stars, 0u);
  EXPECT_EQ(scanner_.scan("from torch.gone import *\nfrom jax import *\n", false).unresolved_stars, 2u);
  EXPECT_EQ(
      counts(
          "Linear = 3\nfrom torch.nn import *\nLinear(1)\nLinear = 4\nLinear(2)\nfrom os import *\nModule\n"),
      "torch.nn.Linear 1 0, torch.nn.Module 0 1");
  EXPECT_EQ(counts("def f(): return Linear(1)\nfrom torch.nn import *\n"), "torch.nn.Linear 1 0");
  EXPECT_EQ(counts("def f():\n  from torch.nn import *\n  Linear(1)\nLinear(2)\n"), "torch.nn.Linear 1 0");
}

TEST_F(CatalogueScan, HashTellsVocabulariesApart) {
  EXPECT_EQ(vocabulary_.hash(), load({torch_catalogue()}).hash());
  EXPECT_EQ(vocabulary_.hash().size(), 16u);
  EXPECT_NE(vocabulary_.hash(), plain_vocabulary().hash());
  Catalogue other = torch_catalogue();
  other.functions[1].aliases.clear();
  EXPECT_NE(vocabulary_.hash(), load({other}).hash());
  Catalogue reversed = torch_catalogue();
  std::reverse(reversed.functions.begin(), reversed.functions.end());
  EXPECT_EQ(vocabulary_.hash(), load({reversed}).hash());
}

// --- objects of unknown type

class PossibleScan : public CatalogueScan {
 protected:
  static Catalogue with_methods() {
    Catalogue catalogue = torch_catalogue();
    for (const char* name : {"torch.Tensor.unsqueeze", "torch.Tensor.append", "torch.Tensor.to",
                             "torch.nn.Module.to", "torch.nn.Module.register"})
      catalogue.functions.push_back(function(name, "method"));
    return catalogue;
  }
  std::string possible(std::string_view source) {
    Scanner scanner(vocabulary_, true);
    std::string found = counts_of(scanner, source);
    EXPECT_EQ(found, counts_in_place(scanner, source));
    return found;
  }

  Vocabulary vocabulary_ = load({with_methods()});
};

TEST_F(PossibleScan, OneClassHasIt) {
  EXPECT_EQ(possible("import torch\ndef f(x, y):\n  x.unsqueeze(0)\n  return y[0].z().unsqueeze(1)\n"),
            "torch.Tensor.unsqueeze< 2 0, torch.Tensor.unsqueeze> 2 0");
}

TEST_F(PossibleScan, SeveralClassesOrPythonsOwnTypesHaveIt) {
  EXPECT_EQ(possible("import torch\nx.to(1)\nx.append(1)\n"),
            "torch.Tensor.append< 1 0, torch.Tensor.to< 1 0, torch.nn.Module.to< 1 0");
}

TEST_F(PossibleScan, AClassWhoseObjectsNoFactoryGivesIsNoSureOne) {
  EXPECT_EQ(possible("import torch\nx.register(1)\n"), "torch.nn.Module.register< 1 0");
}

TEST_F(PossibleScan, TheFileHasItsOwn) {
  EXPECT_EQ(possible("import torch\nclass A:\n  def unsqueeze(self): pass\nx.unsqueeze()\n"),
            "torch.Tensor.unsqueeze< 1 0");
}

TEST_F(PossibleScan, WhatIsKnownIsNotPossible) {
  EXPECT_EQ(possible("import torch\nx = torch.zeros(1)\nx.unsqueeze(0)\ntorch.zeros(2).unsqueeze(0)\n"
                     "torch.Tensor.unsqueeze(x, 0)\n"),
            "torch.Tensor.unsqueeze 1 0, torch.Tensor.unsqueeze~ 2 0, torch.zeros 2 0");
  // The type of an instance's attribute is not.
  EXPECT_EQ(possible("import torch\nx = torch.zeros(1)\nx.T.unsqueeze(0)\n"),
            "torch.Tensor.unsqueeze< 1 0, torch.Tensor.unsqueeze> 1 0, torch.zeros 1 0");
}

TEST_F(PossibleScan, ModulesAndLiteralsAreNoSuchObjects) {
  EXPECT_EQ(possible("import torch, a.b as c\nfrom d import (e as f,\n g)\nimport h.i\nc.unsqueeze()\n"
                     "f.unsqueeze()\ng.x.unsqueeze()\nh.i.unsqueeze()\n'a'.unsqueeze()\n3.5.unsqueeze()\n"
                     "f'{1}'.unsqueeze()\n"),
            "");
  EXPECT_EQ(
      possible(
          "import torch, a.b as c\nfrom d import e as f\nb.unsqueeze()\ne.unsqueeze()\n('a').unsqueeze()\n"),
      "torch.Tensor.unsqueeze< 3 0, torch.Tensor.unsqueeze> 3 0");
}

TEST_F(PossibleScan, OnlyCallsAndOnlyWhereAFrameworkIsImported) {
  EXPECT_EQ(possible("import torch\nx.unsqueeze\n(x.unsqueeze)(1)\n# x.unsqueeze()\n'x.unsqueeze()'\n"), "");
  EXPECT_EQ(possible("import numpy\nx.unsqueeze(1)\n"), "");
  EXPECT_EQ(possible("import torch\nf'{x.unsqueeze(1)}'\nx . unsqueeze (1)\nx.print(1).unsqueeze(1)\n"),
            "torch.Tensor.unsqueeze< 3 0, torch.Tensor.unsqueeze> 3 0");
}

}  // namespace
}  // namespace seamark::usage
