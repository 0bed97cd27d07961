#include "seamark/target/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/target/recipe.h"

namespace seamark::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kData = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data";

Registry shipped() {
  Result<Registry> registry = Registry::load(kData / "targets.toml");
  if (!registry) throw std::runtime_error(registry.error().message());
  return std::move(registry.value());
}

// What a user's seamark.toml does to the shipped targets; the problems of it.
std::vector<std::string> extend(Registry& registry, std::string_view toml) {
  const Result<Value> document = parse_toml(toml, "seamark.toml");
  EXPECT_TRUE(document) << document.error().message();
  Problems problems("seamark.toml");
  TableReader reader(*document, problems);
  registry.extend(reader, problems, kData);
  reader.finish();
  return problems.lines();
}

std::vector<std::string> names(const std::vector<const TargetEntry*>& entries) {
  std::vector<std::string> found;
  found.reserve(entries.size());
  for (const TargetEntry* entry : entries) found.push_back(entry->name);
  return found;
}

TEST(Registry, ShipsEveryTargetOfTheMethod) {
  const Registry registry = shipped();
  for (const char* name : {"torch/cpu",
                           "torch/cpu-2023",
                           "tensorflow/cpu-2023",
                           "jax/cpu-2023",
                           "torch/lazy",
                           "torch/cpu+inductor",
                           "torch/cpu+openvino",
                           "tensorflow/cpu",
                           "tensorflow/cpu+xla",
                           "jax/cpu",
                           "jax/tpu-v3+aot",
                           "jax/tpu-v5e+aot",
                           "torch/cuda",
                           "torch/mps",
                           "torch/xpu",
                           "torch/xla",
                           "tensorflow/cuda",
                           "tensorflow/tpu",
                           "jax/cuda",
                           "jax/tpu",
                           "tensorflow/cpu+graph",
                           "tensorflow/cpu+v1",
                           "tensorflow/cuda+graph",
                           "tensorflow/cuda+v1",
                           "tensorflow/tpu+graph"}) {
    EXPECT_NE(registry.find(name), nullptr) << name;
  }
  EXPECT_GE(registry.targets().size(), 21U);
}

TEST(Registry, ShipsTensorFlowForEveryTpuWithoutTheDevice) {
  const Registry registry = shipped();
  std::set<std::string> topologies;
  for (const char* generation : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "v7"}) {
    const TargetEntry* entry = registry.find(std::string("tensorflow/tpu-") + generation + "+aot");
    ASSERT_NE(entry, nullptr) << generation;
    EXPECT_EQ(entry->adapter, "tensorflow_aot");
    EXPECT_EQ(entry->evidence, Evidence::kCompiled);
    EXPECT_EQ(entry->confirm, WorkerMode::kFork);
    EXPECT_EQ(entry->baseline, "tensorflow/cpu");
    EXPECT_THAT(entry->environments, ElementsAre("tensorflow-tpu-aot"));
    EXPECT_EQ(entry->options.string_or("platform", ""), "tpu");
    topologies.insert(entry->options.string_or("topology", ""));
  }
  EXPECT_EQ(topologies.size(), 7U);
}

TEST(Registry, PyTorchPrefersItsOwnStackForATpu) {
  const Registry registry = shipped();
  for (const char* generation : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "v7"}) {
    const TargetEntry* entry = registry.find(std::string("torch/tpu-") + generation + "+aot");
    ASSERT_NE(entry, nullptr) << generation;
    EXPECT_THAT(entry->environments, ElementsAre("torch-xla", "torch-tpu-aot"));
    EXPECT_EQ(entry->options.find("route"), nullptr);  // by what is installed
  }
  EXPECT_EQ(registry.find("torch/cuda-a100+aot")->options.string_or("route", ""), "torchax");
  EXPECT_THAT(registry.find("torch/xla-cpu")->environments, ElementsAre("torch-xla"));
}

TEST(Registry, EveryEntryNamesAnAdapterAndRecipesThatExist) {
  const Result<Recipes> recipes = Recipes::load(kData / "environments");
  ASSERT_TRUE(recipes) << recipes.error().message();
  const Registry registry = shipped();
  for (const TargetEntry& entry : registry.targets()) {
    const std::filesystem::path adapter =
        std::filesystem::path(SEAMARK_SOURCE_DIR) / "python" / "seamark_agent" / "adapters" / entry.adapter;
    EXPECT_TRUE(std::filesystem::exists(adapter / "__init__.py") ||
                std::filesystem::exists(adapter.native() + ".py"))
        << entry.name << ": " << adapter;
    for (const std::string& name : entry.environments) EXPECT_NE(recipes->find(name), nullptr) << name;
    EXPECT_EQ(entry.reference, entry.parts.framework + "/cpu");
  }
}

TEST(Registry, ReadsAnEntry) {
  const Registry registry = shipped();
  const TargetEntry& aot = *registry.find("jax/tpu-v3+aot");
  EXPECT_EQ(aot.evidence, Evidence::kCompiled);
  EXPECT_FALSE(aot.quick);
  EXPECT_EQ(aot.options.string_or("topology", ""), "v3:2x2");
  EXPECT_EQ(aot.memory_rule, MemoryRule::kWatch);
  const TargetEntry& cpu = *registry.find("torch/cpu");
  EXPECT_EQ(cpu.worker, WorkerMode::kFork);
  EXPECT_EQ(cpu.memory_rule, MemoryRule::kRlimit);
  EXPECT_EQ(cpu.evidence, Evidence::kVerified);
}

TEST(Registry, AQuickRunLeavesCasesOutOfInductorAloneAndOfWhatIsLikeIt) {
  Registry registry = shipped();
  std::vector<std::string> quick;
  for (const TargetEntry& entry : registry.targets()) {
    if (entry.quick) quick.push_back(entry.name);
  }
  EXPECT_THAT(quick, ElementsAre("torch/cpu+inductor"));
  EXPECT_TRUE(registry.find("torch/cpu+openvino")->dynamo);
  EXPECT_FALSE(registry.find("torch/cpu")->dynamo);
  EXPECT_THAT(extend(registry, "[[target]]\nname = \"torch/npu+inductor\"\nlike = \"torch/cpu+inductor\"\n"),
              ElementsAre());
  EXPECT_TRUE(registry.find("torch/npu+inductor")->quick);
  EXPECT_TRUE(registry.find("torch/npu+inductor")->dynamo);
  const std::vector<std::string> problems =
      extend(registry, "[[target]]\nname = \"torch/lazy\"\ncompiles = true\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("compiles"));
}

TEST(Registry, HelloIsWhatTheWireDocuments) {
  const Registry registry = shipped();
  const Value hello = registry.find("jax/tpu-v3+aot")->hello();
  EXPECT_EQ(hello.string_or("name", ""), "jax/tpu-v3+aot");
  EXPECT_EQ(hello.string_or("framework", ""), "jax");
  EXPECT_EQ(hello.string_or("adapter", ""), "jax_aot");
  EXPECT_EQ(hello.string_or("mode", ""), "aot");
  EXPECT_EQ(hello.find("options")->string_or("platform", ""), "tpu");
}

TEST(Registry, SelectsByNameAndGlobInItsOwnOrder) {
  const Registry registry = shipped();
  const std::vector<std::string> wanted = {"jax/cpu", "torch/cpu*"};
  const auto selected = registry.select(wanted);
  ASSERT_TRUE(selected);
  EXPECT_THAT(names(*selected), ElementsAre("torch/cpu", "torch/cpu-2023", "torch/cpu+inductor",
                                            "torch/cpu+openvino", "jax/cpu"));
  EXPECT_EQ(registry.select({})->size(), registry.targets().size());
}

TEST(Registry, SuggestsTheNearestName) {
  const std::vector<std::string> wanted = {"torch/cuad"};
  const auto selected = shipped().select(wanted);
  ASSERT_FALSE(selected);
  EXPECT_TRUE(selected.error().is(TargetError::kUnknownTarget));
  EXPECT_THAT(selected.error().message(), HasSubstr("'torch/cuad'"));
  EXPECT_THAT(selected.error().remedy(), HasSubstr("did you mean 'torch/cuda'?"));
  const std::vector<std::string> glob = {"mxnet/*"};
  EXPECT_THAT(shipped().select(glob).error().message(), HasSubstr("no target matches 'mxnet/*'"));
}

TEST(Registry, APluginDeviceIsAFewLines) {
  Registry registry = shipped();
  EXPECT_THAT(extend(registry, R"(
[[target]]
name = "torch/npu"
like = "torch/cuda"
options = { import = "torch_npu" }
)"),
              ElementsAre());
  const TargetEntry* npu = registry.find("torch/npu");
  ASSERT_NE(npu, nullptr);
  EXPECT_EQ(npu->adapter, "torch_eager");
  EXPECT_EQ(npu->device, "npu");
  EXPECT_EQ(npu->hardware, "");
  EXPECT_EQ(npu->options.string_or("import", ""), "torch_npu");
  EXPECT_TRUE(npu->from_user);
  EXPECT_EQ(npu->memory_mib, registry.find("torch/cuda")->memory_mib);
}

TEST(Registry, AnAdapterMayBeAFileOfTheUsers) {
  const Result<TempDir> folder = TempDir::make("seamark-registry");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "mine.py", ""));
  const Result<Value> document = parse_toml(
      "[[target]]\nname = \"torch/mine\"\nlike = \"torch/cpu\"\nadapter = \"./mine.py\"\n"
      "[[target]]\nname = \"torch/lost\"\nlike = \"torch/cpu\"\nadapter = \"lost.py\"\n",
      "seamark.toml");
  ASSERT_TRUE(document);
  Registry registry = shipped();
  Problems problems("seamark.toml");
  TableReader reader(*document, problems);
  registry.extend(reader, problems, folder->path());
  EXPECT_THAT(problems.lines(),
              ElementsAre(HasSubstr("there is no file " + (folder->path() / "lost.py").native())));
  ASSERT_NE(registry.find("torch/mine"), nullptr);
  EXPECT_EQ(registry.find("torch/mine")->adapter, (folder->path() / "mine.py").native());
}

TEST(Registry, WhereAFrameworkHasNoCpuTargetATargetIsItsOwnBaseline) {
  Registry registry = shipped();
  EXPECT_THAT(
      extend(registry, "[[target]]\nname = \"selftest/layout\"\nadapter = \"selftest\"\ndevice = \"cpu\"\n"),
      ElementsAre());
  ASSERT_NE(registry.find("selftest/layout"), nullptr);
  EXPECT_EQ(registry.find("selftest/layout")->baseline, "selftest/layout");
  EXPECT_THAT(extend(registry,
                     "[[target]]\nname = \"torch/npu\"\nadapter = \"torch_eager\"\ndevice = \"npu\"\n"
                     "baseline = \"torch/nothing\"\n"),
              ElementsAre(HasSubstr("its baseline 'torch/nothing'")));
}

TEST(Registry, AUserChangesTheKeysThatAreGiven) {
  Registry registry = shipped();
  EXPECT_THAT(extend(registry, "[[target]]\nname = \"torch/cpu\"\nworker = \"process\"\ntimeout_s = 5\n"),
              ElementsAre());
  EXPECT_EQ(registry.find("torch/cpu")->worker, WorkerMode::kProcess);
  EXPECT_EQ(registry.find("torch/cpu")->timeout_s, 5);
  EXPECT_EQ(registry.find("torch/cpu")->adapter, "torch_eager");
  EXPECT_EQ(registry.targets().size(), shipped().targets().size());
  EXPECT_EQ(registry.targets().front().name, "torch/cpu");
}

TEST(Registry, SaysFileLineAndWhatWasExpected) {
  Registry registry = shipped();
  const std::vector<std::string> problems = extend(registry, R"(
[[target]]
name = "torch/npu"
like = "torch/nothing"

[[target]]
name = "Torch NPU"
adapter = "x"

[[target]]
name = "torch/cpu"
worker = "forks"
timeout_s = -1
memroy_mib = 7
hardware = "abacus"
device = ""
)");
  const std::string all = join(problems, "\n");
  EXPECT_THAT(all, HasSubstr("seamark.toml:16: "));
  EXPECT_THAT(all, HasSubstr("expected the name of a device"));
  EXPECT_THAT(all, HasSubstr("seamark.toml:4: "));
  EXPECT_THAT(all, HasSubstr("there is no target 'torch/nothing'"));
  EXPECT_THAT(all, HasSubstr("seamark.toml:7: "));
  EXPECT_THAT(all, HasSubstr("seamark.toml:12: "));
  EXPECT_THAT(all, HasSubstr("expected one of fork, persistent, process"));
  EXPECT_THAT(all, HasSubstr("seamark.toml:13: "));
  EXPECT_THAT(all, HasSubstr("memroy_mib"));
  EXPECT_THAT(all, HasSubstr("did you mean"));
  EXPECT_THAT(all, HasSubstr("'abacus'"));
}

TEST(Registry, WhatAWorkerTakesOfANodeIsOfTheHardwareOrSaid) {
  Registry registry = shipped();
  EXPECT_EQ(registry.hardware("tpu")->resources.number_or("TPU", 0), 1);
  EXPECT_TRUE(extend(registry, R"(
[[target]]
name = "jax/tpu"
resources = { "TPU-v5e-8" = 1 }
)")
                  .empty());
  EXPECT_EQ(registry.find("jax/tpu")->resources.number_or("TPU-v5e-8", 0), 1);
  EXPECT_EQ(extend(registry, "[[target]]\nname = 'jax/tpu'\nresources = { GPU = 0 }\n").size(), 1u);
  EXPECT_EQ(extend(registry, "[[target]]\nname = 'jax/tpu'\nresources = 'GPU'\n").size(), 1u);
}

TEST(Registry, TheSameTargetTwiceIsAnError) {
  Registry registry = shipped();
  const std::vector<std::string> problems = extend(
      registry, "[[target]]\nname = \"torch/a\"\nlike = \"torch/cpu\"\n[[target]]\nname = \"torch/a\"\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("defined twice"));
}

TEST(Registry, AFileThatIsNotThereOrNoTomlIsAnError) {
  EXPECT_TRUE(Registry::load("/nonexistent/targets.toml").error().is(TargetError::kUnreadable));
  const Result<Registry> broken = Registry::parse("[[target]\n", "targets.toml");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().is(TargetError::kBadEntry));
  EXPECT_THAT(broken.error().message(), HasSubstr("targets.toml:1"));
}

}  // namespace
}  // namespace seamark::target
