// Which function a test is of, and of which device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_fixture.h"

namespace seamark::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ImportTest, TestsAreMappedByRule) {
  EXPECT_EQ(function_of("torch/test_argsort.py::test_x"), "torch.argsort");
  EXPECT_EQ(function_of("argsort_test.py:test_x"), "torch.argsort");
  EXPECT_EQ(function_of("t/test_conv3d.py::test_x"), "torch.nn.Conv3d");
  EXPECT_EQ(function_of("t/test_Linear.py::test_x"), "torch.nn.Linear");
  EXPECT_EQ(function_of("t/test_item.py::test_x"), "torch.Tensor.item");
  EXPECT_EQ(function_of("t/torch.nn.functional.relu_test.py::test_x"), "torch.nn.functional.relu");
  EXPECT_EQ(function_of("t/test_nn_functional_relu.py::test_x"), "torch.nn.functional.relu");
  EXPECT_EQ(function_of("t/test_all.py::test_foo[torch.add-cpu-float32]"), "torch.add");
  EXPECT_EQ(function_of("test_ops.py::TestCommonCPU::test_out_linalg_det_cpu_float32"), "torch.linalg.det");
  EXPECT_EQ(function_of("test_ops.py::T::test_variant_consistency_eager_nn_functional_relu_cuda_float32"),
            "torch.nn.functional.relu");
  EXPECT_EQ(function_of("test_any.py::test_x_torch_add_cpu_float32"), "torch.add");
  EXPECT_EQ(mapped("test_any.py::test_x_torch_add_cpu_float32").rule, "name");
}

TEST_F(ImportTest, NothingIsGuessed) {
  EXPECT_EQ(function_of("test_ops.py::T::test_strange_thing_add_cpu_float32"), "");
  EXPECT_EQ(function_of("test_ops.py::T::test_out_linalg_dot_cpu_float32"), "");
  EXPECT_EQ(function_of("test_cuda.py::test_stream"), "");
  EXPECT_EQ(function_of("test_utils.py::test_x"), "");
  EXPECT_EQ(function_of("test_add"), "");  // of no file
  EXPECT_EQ(mapped("test_linear.py::test_x").reason,
            "'linear' could be torch.nn.Linear, torch.nn.functional.linear");
  EXPECT_EQ(function_of("test_size.py::test_x"), "");
  EXPECT_EQ(function_of("test_to.py::test_x"), "");
  EXPECT_EQ(mapped("test_any.py::test_x[torch.add-torch.relu]").reason,
            "'torch.add-torch.relu' could be torch.add, torch.relu");
}

TEST_F(ImportTest, ATableOfTheUsersGoesFirst) {
  rows_ = must(parse_map(
      "nodeid,function,framework\n*test_cuda*,torch.cuda.synchronize\n*argsort*,-\n*,tf.add,tensorflow\n",
      "m.csv", known_frameworks()));
  EXPECT_EQ(function_of("test_cuda.py::test_stream"), "torch.cuda.synchronize");
  EXPECT_TRUE(mapped("test_argsort.py::x").left_out);
  EXPECT_EQ(function_of("test_add.py::x"), "torch.add");
  EXPECT_THAT(parse_map("a\n", "m.csv", known_frameworks()).error().message(), HasSubstr("m.csv: row 1"));
  EXPECT_FALSE(parse_map("a,b c\n", "m.csv", known_frameworks()).ok());
  EXPECT_FALSE(parse_map("a,b,pytorch\n", "m.csv", known_frameworks()).ok());
}

TEST_F(ImportTest, TestsOfTwoDevicesAreOneCase) {
  const NameFacts cpu = facts("t.py::TestCommonCPU::test_out_add_cpu_bfloat16", "torch/cpu");
  const NameFacts cuda = facts("t.py::TestCommonCUDA::test_out_add_cuda_bfloat16", "torch/cuda");
  const NameFacts tpu = facts("t.py::TestCommonXLA::test_out_add_xla_bfloat16", "torch/tpu-v3");
  EXPECT_EQ(cpu.joined.key(), "t.TestCommon.test_out_add_*_bfloat16");
  EXPECT_EQ(cpu.joined.key(), cuda.joined.key());
  EXPECT_EQ(cpu.joined.key(), tpu.joined.key());
  EXPECT_EQ(cpu.dtype, "bf16");
  EXPECT_EQ(facts("t.py::f[torch.add-cpu-float32]", "torch/cpu").joined.key(),
            facts("t.py::f[torch.add-cuda-float32]", "torch/cuda").joined.key());
}

TEST_F(ImportTest, ADeviceIsNamedWhereTestsOfDevicesNameIt) {
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add_cpu_float32"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsXLA::test_cpu_offload_xla_float32"), "xla");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_xla_to_cpu"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsMETA::test_add_meta_float8_e4m3fn"), "meta");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_cast_cpu_float32_int64"), "cpu");
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add_cpu_qint8"), "cpu");  // no dtype that is known
  EXPECT_EQ(device_of("t.py::TestOpsCPU::test_add"), "cpu");
  EXPECT_EQ(device_of("t.py::test_add_cpu_float32"), "cpu");
  EXPECT_EQ(device_of("t.py::test_x[torch.add-cpu-float32]"), "cpu");
  // The class tells of a device that others added to PyTorch, whatever they called it.
  EXPECT_EQ(device_of("t.py::TestOpsPRIVATEUSE1::test_add_npu_float32"), "privateuse1");

  for (const char* plain :
       {"t.py::TestOps::test_copy_to_cpu", "t.py::test_copy_to_cpu", "t.py::TestOps::test_cpu_add_float32",
        "t.py::TestOps::test_add_float32", "t.py::TestOps::testAdd_cpu", "t.py::TestOps::test_x[cpu]",
        "t.py::TestOps::test_x[cpu-cuda]", "t.py::TestOps::test_x[cpu_float32]", "t.py::TestCpu::test_add",
        "cpu/test_cpu.py::test_cpu", "t.py::TestOps::test_lazy (1, 2)"}) {
    EXPECT_EQ(device_of(plain), "") << plain;
  }
  // A file of times knows no class.
  EXPECT_EQ(device_of("t.py:test_add_cpu", true), "cpu");
  EXPECT_EQ(device_of("t.py:test_add_cpu_float32", true), "cpu");
  EXPECT_EQ(device_of("t.py:test_cpu_add", true), "");
  // Two tests, whatever they name, are two cases.
  EXPECT_NE(facts("t.py::TestOps::test_copy_to_cpu").joined.key(),
            facts("t.py::TestOps::test_copy_to_cuda").joined.key());
  EXPECT_NE(facts("t.py::test_x[cpu-cuda]").joined.key(), facts("t.py::test_x[cuda-cpu]").joined.key());
}

TEST_F(ImportTest, NamesOfDevicesAreThoseOfTheTargetsFamily) {
  EXPECT_THAT(devices("torch/tpu-v3").own, ElementsAre("xla", "tpu"));
  EXPECT_THAT(devices("torch/cuda-t4").own, testing::Contains("cuda"));
  EXPECT_THAT(devices("torch/rocm").own, testing::Contains("cuda"));
  EXPECT_THAT(devices("torch/npu-910b").own,
              testing::UnorderedElementsAre("privateuse1", "privateuseone", "npu"));
  EXPECT_THAT(devices("torch/npu-910b").all, testing::IsSupersetOf({"npu", "cpu", "xla", "meta"}));
  // A way to compile there, and no device.
  EXPECT_THAT(devices("tensorflow/cpu+xla").all, testing::Not(testing::Contains("xla")));
  EXPECT_THAT(devices("jax/cuda-h100").own, testing::Contains("gpu"));
}

}  // namespace
}  // namespace seamark::interop
