#include "seamark/target/hardware.h"

#include <gtest/gtest.h>

#include "seamark/base/fd.h"

namespace seamark::target {
namespace {

class HardwareTest : public ::testing::Test {
 protected:
  void touch(const std::string& path, std::string_view content = "") {
    const std::filesystem::path file = root_.path() / path;
    ASSERT_TRUE(make_directories(file.parent_path()));
    ASSERT_TRUE(write_file(file, content));
  }
  TempDir root_ = std::move(TempDir::make("seamark-hardware").value());
};

TEST_F(HardwareTest, AnyPathWillDo) {
  const HardwareCheck check{"gpu", {}, {"/dev/nvidiactl", "/dev/nvidia[0-9]*"}, {}, {}, "none", "get one"};
  EXPECT_FALSE(is_present(check, root_.path()));
  touch("dev/nvidia-caps");
  EXPECT_FALSE(is_present(check, root_.path()));
  touch("dev/nvidia0");
  EXPECT_TRUE(is_present(check, root_.path()));
}

TEST_F(HardwareTest, AFileMustHoldTheText) {
  const HardwareCheck check{"intel", {},       {}, {}, {{"/sys/class/drm/card*/device/vendor", "0x8086"}},
                            "none",  "get one"};
  touch("sys/class/drm/card0/device/vendor", "0x10de\n");
  EXPECT_FALSE(is_present(check, root_.path()));
  touch("sys/class/drm/card1/device/vendor", "0x8086\n");
  EXPECT_TRUE(is_present(check, root_.path()));
}

TEST_F(HardwareTest, TheSystemItselfCanBeTheSign) {
  EXPECT_TRUE(is_present({"here", {system_name()}, {}, {}, {}, "", ""}, root_.path()));
  EXPECT_FALSE(is_present({"there", {"Plan9-mips"}, {}, {}, {}, "", ""}, root_.path()));
}

TEST_F(HardwareTest, AVariableCanBeTheSign) {
  const HardwareCheck check{"tpu", {}, {}, {"SEAMARK_TEST_TPU"}, {}, "none", "get one"};
  ::unsetenv("SEAMARK_TEST_TPU");
  EXPECT_FALSE(is_present(check, root_.path()));
  ::setenv("SEAMARK_TEST_TPU", "node-1", 1);
  EXPECT_TRUE(is_present(check, root_.path()));
  ::unsetenv("SEAMARK_TEST_TPU");
}

TEST_F(HardwareTest, TheFingerprintFollowsDevicesAndDrivers) {
  const std::string before = hardware_fingerprint(root_.path());
  touch("dev/nvidia0");
  const std::string with_device = hardware_fingerprint(root_.path());
  EXPECT_NE(before, with_device);
  touch("proc/driver/nvidia/version", "NVRM version: 580\n");
  EXPECT_NE(with_device, hardware_fingerprint(root_.path()));
}

}  // namespace
}  // namespace seamark::target
