#include "seamark/usage/scan/paper_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace seamark::usage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::vector<Framework> kCounted = {{"torch", "torch", "torch", "", "", "", {}},
                                         {"jax", "jax", "jax", "", "", "", {}}};

CatalogueFunction listed(std::string name, std::vector<std::string> aliases = {}) {
  CatalogueFunction made;
  made.name = std::move(name);
  made.aliases = std::move(aliases);
  return made;
}

BareNames names() {
  Catalogue torch;
  torch.head.framework = "torch";
  torch.functions = {listed("torch.Tensor.size"), listed("torch.add", {"torch.plus"})};
  Catalogue jax;
  jax.head.framework = "jax";
  jax.functions = {listed("jax.numpy.add")};
  const std::vector<Catalogue> both = {jax, torch};
  return {kCounted, both};
}

// "torch:add" -> uses.
std::map<std::string, int> scan(std::string_view text) {
  const BareNames known = names();
  PaperScanner scanner(known);
  std::map<std::string, int> found;
  for (int again = 0; again < 2; ++again) {  // nothing is left over from one file to the next
    found.clear();
    for (const NameCount& count : scanner.scan(text, false).names) {
      EXPECT_EQ(count.tier, UsageTier::kBare);
      EXPECT_EQ(count.references, 0U);
      found[kCounted[scanner.framework_of(count.name)].name + ":" + std::string(scanner.name(count.name))] +=
          static_cast<int>(count.calls);
    }
  }
  return found;
}

TEST(PaperScanner, CountsEveryIdentifierOfTheNameInAFileThatImports) {
  EXPECT_THAT(scan("import torch\nadd = 1\nx.add(add=add)\nplus\naddx\n"),
              ElementsAre(Pair("torch:add", 4), Pair("torch:plus", 1)));
  EXPECT_THAT(scan("import os\nx.add()\n"), IsEmpty());
  EXPECT_THAT(scan("import jax\nadd(size)\n"), ElementsAre(Pair("jax:add", 1)));
  EXPECT_THAT(scan("import jax\nimport torch\nadd(size)\n"),
              ElementsAre(Pair("jax:add", 1), Pair("torch:add", 1), Pair("torch:size", 1)));
}

TEST(PaperScanner, StringsAndCommentsAreLeftOut) {
  const char* source =
      "from torch import x\n"
      "# add\n"
      "'add' \"add\" '''add\n add''' \"\"\"add ' \"\" add\"\"\" r'\\' add' b'add' f'{add}' Rb\"add\"\n"
      "'it\\'s add' add\n"
      "'not closed add\n"
      "add 0xadd 1add\n"
      "error'add'\n";
  EXPECT_THAT(scan(source), ElementsAre(Pair("torch:add", 2)));
  EXPECT_THAT(scan("import torch\n'''add"), IsEmpty());
  EXPECT_THAT(scan("import torch\n'add\\"), IsEmpty());
  EXPECT_THAT(scan(""), IsEmpty());
}

TEST(PaperScanner, TheFilterLooksAtTheBeginningsOfLines) {
  const auto found = [](std::string_view text) { return imports_by_line(text, kCounted); };
  EXPECT_EQ(found("import torch"), 1U);
  EXPECT_EQ(found("  from torch.nn import x\n"), 1U);
  EXPECT_EQ(found("x\r\tfrom\tjax import y\r\n"), 2U);
  EXPECT_EQ(found("'''\nimport torch\n'''\n"), 1U);  // as the study's filter, wrong both ways
  EXPECT_EQ(found("import os, torch\n"), 1U);
  EXPECT_EQ(found("import torchvision\n"), 1U);
  EXPECT_EQ(found("# far from any torch\n"), 1U);
  EXPECT_EQ(found("torch, from here\nimport os\njax\n"), 0U);
  EXPECT_EQ(found("import"), 0U);
  EXPECT_EQ(found(""), 0U);
}

TEST(PaperScanner, TheHashTellsListsOfNamesApart) {
  EXPECT_EQ(names().hash(), names().hash());
  EXPECT_NE(names().hash(), BareNames(kCounted, {}).hash());
}

}  // namespace
}  // namespace seamark::usage
