#include "seamark/catalog/declare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "seamark/base/fd.h"

namespace seamark::catalog {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

const char* const kTrace =
    R"({"row":"declared","schema":2,"framework":"torch","version":"2.0+cpu","source":"table"}
{"row":"kernel","op":"add","keys":["CUDA","MPS","SparseCUDA"]}
{"row":"kernel","op":"eig","keys":["CUDA"]}
{"row":"kernel","op":"cpu_attention","keys":[]}
{"row":"kernel","op":"attention","keys":["CUDA"]}
{"row":"case","case":"f/a","function":"f","host_only":false,"ops":["add"],"error":null}
{"row":"case","case":"f/b","function":"f","host_only":false,"ops":["add","eig","span::enter"],"error":null}
{"row":"case","case":"e/a","function":"e","host_only":false,"ops":["eig"],"error":null}
{"row":"case","case":"t/a","function":"t","host_only":false,"ops":["cpu_attention"],"error":null}
{"row":"case","case":"s/a","function":"s","host_only":false,"ops":["add@Sparse"],"error":null}
{"row":"case","case":"n/a","function":"n","host_only":true,"ops":[],"error":null}
{"row":"case","case":"h/a","function":"h","host_only":true,"ops":[],"error":null}
{"row":"case","case":"h/b","function":"h","host_only":false,"ops":["add"],"error":null}
{"row":"case","case":"u/a","function":"u","host_only":false,"ops":[],"error":"skipped: no GPU"}
{"row":"case","case":"x/a","function":"x","host_only":false,"ops":["other::op"],"error":null}
{"row":"end","cases":10,"kernels":4}
)";

DeclaredDevice device(const std::string& name) {
  DeclaredDevice made;
  made.name = made.key = made.backend = name;
  made.family = "family";
  made.package = "torch";
  return made;
}

DeclaredRules rules() {
  DeclaredRules made;
  made.framework = "torch";
  made.devices = {device("CUDA"), device("MPS")};
  made.ignored = {"span::*"};
  made.alternatives["cpu_attention"] = {"by device", {{"CUDA", {"attention"}}, {"MPS", {"attention"}}}};
  return made;
}

const DeclaredFunction& of(const Declared& declared, const std::string& name) {
  for (const DeclaredFunction& function : declared.functions) {
    if (function.name == name) return function;
  }
  throw std::out_of_range(name);
}

class Declare : public testing::Test {
 protected:
  void SetUp() override {
    const Result<Trace> trace = decode_trace(kTrace);
    ASSERT_TRUE(trace) << trace.error().message();
    declared_ = declare(rules(), *trace, 42);
    ASSERT_EQ(declared_.size(), 2U);
  }
  [[nodiscard]] const DeclaredFunction& cuda(const std::string& name) const { return of(declared_[0], name); }
  [[nodiscard]] const DeclaredFunction& mps(const std::string& name) const { return of(declared_[1], name); }
  std::vector<Declared> declared_;
};

TEST_F(Declare, TheHeadSaysWhichVersionNamesTheKernels) {
  const DeclaredHead& head = declared_[1].head;
  EXPECT_EQ(head.framework, "torch");
  EXPECT_EQ(head.version, "2.0+cpu");
  EXPECT_EQ(head.device, "MPS");
  EXPECT_EQ(head.package_version, "2.0");  // the same wheel; its table is of every build
  EXPECT_EQ(head.source, "table");
  EXPECT_EQ(head.taken_unix_us, 42);
}

TEST_F(Declare, AFunctionIsNamedWhenEveryOperatorOfEveryCaseIs) {
  EXPECT_EQ(cuda("f").state, DeclaredState::kNamed);
  EXPECT_THAT(cuda("f").operators, ElementsAre("add", "eig"));  // what computes nothing is left out
  EXPECT_THAT(cuda("f").missing, IsEmpty());
  EXPECT_EQ(mps("f").state, DeclaredState::kPartial);
  EXPECT_EQ(mps("f").cases, 2);
  EXPECT_EQ(mps("f").named, 1);
  EXPECT_THAT(mps("f").missing, ElementsAre("eig"));
  EXPECT_EQ(mps("e").state, DeclaredState::kMissing);
}

TEST_F(Declare, WhatOnlyTheCpuPicksIsLookedUpByWhatTheDeviceCalls) {
  EXPECT_EQ(cuda("t").state, DeclaredState::kNamed);
  EXPECT_THAT(cuda("t").note, HasSubstr("attention stands for cpu_attention"));
  EXPECT_EQ(mps("t").state, DeclaredState::kMissing);  // what stands for it has no kernel there
  EXPECT_THAT(mps("t").missing, ElementsAre("cpu_attention"));
}

TEST_F(Declare, AnOperatorOnASparseTensorAsksForASparseKernel) {
  EXPECT_EQ(cuda("s").state, DeclaredState::kNamed);
  EXPECT_EQ(mps("s").state, DeclaredState::kMissing);  // MPS, and no SparseMPS
}

TEST_F(Declare, AFunctionIsHostOnlyWhereAllItsCasesAre) {
  EXPECT_TRUE(cuda("n").host_only);
  EXPECT_FALSE(cuda("h").host_only);
}

TEST_F(Declare, NothingIsMadeUpWhereNothingIsKnown) {
  EXPECT_EQ(cuda("n").state, DeclaredState::kNoOperator);
  EXPECT_EQ(cuda("u").state, DeclaredState::kUnknown);
  EXPECT_EQ(cuda("u").note, "skipped: no GPU");
  EXPECT_EQ(cuda("x").state, DeclaredState::kUnknown);
  EXPECT_THAT(cuda("x").note, HasSubstr("other::op"));
}

TEST_F(Declare, ARegistryThatDoesNotListAnOperatorHasNoKernelOfIt) {
  DeclaredRules made = rules();
  made.devices = {device("GPU")};
  made.devices[0].file = "gpu.csv";
  made.devices[0].version = "9";
  made.devices[0].also = {"DEFAULT"};
  made.devices[0].kernels = {{"add", {{"GPU", {}}}}, {"eig", {{"DEFAULT", {}}}}};
  const std::vector<Declared> declared = declare(made, *decode_trace(kTrace), 1);
  EXPECT_EQ(declared[0].head.package_version, "9");
  EXPECT_EQ(declared[0].head.source, "gpu.csv");
  EXPECT_EQ(of(declared[0], "f").state, DeclaredState::kNamed);
  EXPECT_EQ(of(declared[0], "x").state, DeclaredState::kMissing);
}

TEST(DeclareTypes, OfARegistryEachOperatorOfACaseMustTakeItsTypes) {
  const Result<Trace> trace = decode_trace(
      R"({"row":"declared","schema":2,"framework":"torch","version":"2"}
{"row":"case","case":"f/a","function":"f","dtype":"f32","ops":["add","sum"],"typed":["add T=float32","sum T=float32 Tidx=int32"]}
{"row":"case","case":"f/b","function":"f","dtype":"f64","ops":["add"],"typed":["add T=float64"]}
{"row":"case","case":"f/c","function":"f","dtype":"i32","ops":["add"],"typed":["add T=int32"]}
{"row":"case","case":"f/d","function":"f","dtype":"i64","ops":["sum"],"typed":["sum T=int64 Tidx=int64"]}
{"row":"case","case":"f/e","function":"f","dtype":"bf16","ops":["add","other"],"typed":["add T=bfloat16","other"]}
{"row":"case","case":"f/f","function":"f","dtype":"bool","error":"skipped: no","ops":[],"typed":[]}
{"row":"end","cases":6,"kernels":0}
)");
  ASSERT_TRUE(trace) << trace.error().message();
  DeclaredRules made = rules();
  made.devices = {device("GPU")};
  made.devices[0].file = "gpu.csv";
  made.devices[0].version = "9";
  made.devices[0].also = {"DEFAULT"};
  made.devices[0].kernels = *parse_kernels(
      "op,device,dtypes\nadd,GPU,T=float32|bfloat16\nadd,DEFAULT,T=int32\nsum,GPU,T=float32 Tidx=int32\n",
      "k");
  const Declared declared = declare(made, *trace, 1).front();
  EXPECT_THAT(of(declared, "f").dtypes, ElementsAre("bf16", "f32", "f64", "i32", "i64"));
  EXPECT_THAT(of(declared, "f").dtypes_missing, ElementsAre("bf16", "f64", "i64"));
}

TEST(DeclareTypes, AFrameworksListsAreOfTheDeviceThatTheyName) {
  const std::string text = kTrace;
  const Result<Trace> trace =
      decode_trace(text.substr(0, text.find("{\"row\":\"case\"")) +
                   R"({"row":"dtypes","function":"f","device":"MPS","named":["f32"],"missing":["f64"]})"
                   "\n" +
                   text.substr(text.find("{\"row\":\"case\"")));
  ASSERT_TRUE(trace) << trace.error().message();
  const std::vector<Declared> declared = declare(rules(), *trace, 1);
  EXPECT_THAT(of(declared[0], "f").dtypes, IsEmpty());
  EXPECT_THAT(of(declared[1], "f").dtypes, ElementsAre("f32", "f64"));
  EXPECT_THAT(of(declared[1], "f").dtypes_missing, ElementsAre("f64"));
}

TEST(DecodeTrace, WhatIsNotWholeOrNoRowIsRefused) {
  const std::string text = kTrace;
  const std::string cut = text.substr(0, text.rfind("{\"row\":\"end\""));
  const Result<Trace> half = decode_trace(cut);
  ASSERT_FALSE(half);
  EXPECT_TRUE(half.error().is(CatalogError::kBadRow));
  EXPECT_THAT(half.error().message(), HasSubstr("not whole"));
  for (const std::string& bad :
       {std::string("{\"row\":\"case\"}\n") + text, text + "{\"row\":\"kernel\",\"op\":\"z\",\"keys\":[]}",
        std::string("[]"),
        std::string("{\"row\":\"declared\",\"schema\":3,\"framework\":\"t\",\"version\":\"1\"}"),
        cut + "{\"row\":\"kernel\",\"op\":\"z\",\"keys\":[1]}", cut + "{\"row\":\"what\"}"}) {
    const Result<Trace> trace = decode_trace(bad);
    ASSERT_FALSE(trace) << bad;
    EXPECT_THAT(trace.error().message(), HasSubstr("line ")) << bad;
  }
}

TEST(ParseKernels, ATableIsReadAndABadLineNamed) {
  const Result<Kernels> kernels =
      parse_kernels("op,device,dtypes\nAdd,GPU,T=half|float\nAdd,DEFAULT,\n", "k.csv");
  ASSERT_TRUE(kernels) << kernels.error().message();
  EXPECT_THAT(kernels->at("Add"), ElementsAre(Key("DEFAULT"), Key("GPU")));
  EXPECT_THAT(kernels->at("Add").at("GPU").at("T"), ElementsAre("float", "half"));
  for (const char* bad : {"op,device\n", "op,device,dtypes\nAdd,GPU\n", "op,device,dtypes\n,GPU,\n",
                          "op,device,dtypes\nAdd,GPU,half\n", "op,device,dtypes\n", ""}) {
    const Result<Kernels> refused = parse_kernels(bad, "k.csv");
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().message(), HasSubstr("k.csv:")) << bad;
  }
}

std::filesystem::path data() { return std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "declared"; }

TEST(DeclaredRules, OurOwnAreWhole) {
  const Result<DeclaredRules> torch = DeclaredRules::load(data(), "torch");
  ASSERT_TRUE(torch) << torch.error().message();
  EXPECT_EQ(torch->devices.size(), 4U);
  EXPECT_TRUE(torch->alternatives.contains("aten::_scaled_dot_product_flash_attention_for_cpu"));
  const Result<DeclaredRules> tensorflow = DeclaredRules::load(data(), "tensorflow");
  ASSERT_TRUE(tensorflow) << tensorflow.error().message();
  ASSERT_EQ(tensorflow->devices.size(), 2U);
  for (const auto& [index, key, least] : {std::tuple(0, "GPU", 700), std::tuple(1, "XLA_TPU_JIT", 500)}) {
    const DeclaredDevice& one = tensorflow->devices.at(static_cast<std::size_t>(index));
    EXPECT_EQ(one.key, key);
    EXPECT_THAT(one.file, HasSubstr(one.version));
    int count = 0;
    for (const auto& [op, devices] : one.kernels) count += devices.contains(key) ? 1 : 0;
    EXPECT_GT(count, least) << one.file;
    EXPECT_THAT(one.kernels.at("MatMul"), Contains(Key(std::string(key))));
  }
  // What is known to have a kernel on no device but the CPU.
  EXPECT_FALSE(tensorflow->devices[0].kernels.contains("DecodeRaw"));
}

TEST(DeclaredRules, WhatIsNotThereOrWrongIsSaid) {
  const Result<DeclaredRules> jax = DeclaredRules::load(data(), "jax");
  ASSERT_FALSE(jax);
  EXPECT_TRUE(jax.error().is(CatalogError::kNoRules));
  const Result<TempDir> folder = TempDir::make("seamark-declare-test");
  ASSERT_TRUE(folder);
  const std::string device =
      "[[device]]\nname = \"X\"\nfamily = \"x\"\nkey = \"X\"\nbackend = \"X\"\npackage = \"p\"\n";
  for (const auto& [text, problem] :
       {std::pair<std::string, std::string>("framework = \"fw\"\n" + device + "file = \"x.csv\"\n",
                                            "version"),
        {"framework = \"fw\"\n" + device + "colour = 1\n", "colour"},
        {"framework = \"fw\"\n" + device + "[[alternative]]\noperator = \"a\"\nreason = \"r\"\n", "instead"},
        {"framework = \"fw\"\n" + device + "file = \"x.csv\"\nversion = \"1\"\n", "x.csv"}}) {
    ASSERT_TRUE(write_file((folder->path() / "fw.toml").string(), text));
    const Result<DeclaredRules> refused = DeclaredRules::load(folder->path(), "fw");
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message(), HasSubstr(problem));
  }
}

}  // namespace
}  // namespace seamark::catalog
