#include "seamark/target/protection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "seamark/base/fd.h"
#include "seamark/target/worker_environment.h"

namespace seamark::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WorkerEnvironment, OfTheShippedFile) {
  const auto environment =
      WorkerEnvironment::load(std::string(SEAMARK_SOURCE_DIR) + "/data/worker_environment.toml");
  ASSERT_TRUE(environment.ok()) << environment.error().message();
  for (const char* name : {"PATH", "HOME", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_VISIBLE_DEVICES",
                           "XLA_FLAGS", "JAX_PLATFORMS", "OMP_NUM_THREADS", "CXX", "SEAMARK_CACHE",
                           "TORCHINDUCTOR_CACHE_DIR", "HIP_VISIBLE_DEVICES"}) {
    EXPECT_TRUE(environment->rule.passes(name)) << name;
  }
  for (const char* name :
       {"AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "GITHUB_TOKEN", "HF_TOKEN", "https_proxy",
        "HTTPS_PROXY", "PIP_INDEX_URL", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_AUTH_SOCK", "NVIDIA_API_KEY",
        "PGPASSWORD", "SEAMARK_TOKEN", "TF_VAR_admin_pwd", "METAL_PW", "DATABASE_URL", "NETRC"}) {
    EXPECT_FALSE(environment->rule.passes(name)) << name;
  }
  EXPECT_FALSE(environment->caches.empty());
}

TEST(WorkerEnvironment, WhatIsUnknownIsTold) {
  const auto environment = WorkerEnvironment::parse("pass = [\"PATH\"]\nkeep = []\n", "a.toml");
  ASSERT_FALSE(environment.ok());
  EXPECT_THAT(environment.error().message(), HasSubstr("keep"));
}

class ProtectionTest : public ::testing::Test {
 protected:
  ProtectionTest() : folder_(std::move(TempDir::make("seamark-home").value())) {
    std::filesystem::create_directories(home() / "tmp");
  }
  [[nodiscard]] std::filesystem::path home() const { return folder_.path() / "home"; }
  TempDir folder_;
};

TEST_F(ProtectionTest, FoldersAndLinks) {
  EXPECT_TRUE(is_within(home(), home()));
  EXPECT_TRUE(is_within(home() / "a" / "b", home()));
  EXPECT_FALSE(is_within(folder_.path() / "homes", home()));
  EXPECT_FALSE(is_within(home() / ".." / "x", home()));
  std::filesystem::create_directory_symlink(home(), folder_.path() / "link");
  EXPECT_TRUE(is_within(folder_.path() / "link" / "x", home()));
}

TEST_F(ProtectionTest, OfAHome) {
  const Protection protection = find_protection(home().native(), home() / "tmp");
  ASSERT_FALSE(protection.safeguards.empty());
  if (!protection.safeguards[0].here) GTEST_SKIP() << protection.safeguards[0].detail;
  EXPECT_EQ(protection.sandbox.read_only, std::filesystem::canonical(home()).native());
  EXPECT_THAT(protection.sandbox.writable, ElementsAre(std::filesystem::canonical(home() / "tmp").native()));
}

TEST_F(ProtectionTest, WhatIsNoHomeIsNotClosed) {
  for (const std::optional<std::string>& home_variable :
       {std::optional<std::string>(), std::optional<std::string>("/"), std::optional<std::string>("relative"),
        std::optional<std::string>((home() / "gone").native()),
        std::optional<std::string>((home() / "tmp").native())}) {
    const Protection protection = find_protection(home_variable, home() / "tmp");
    EXPECT_THAT(protection.sandbox.read_only, IsEmpty());
    EXPECT_FALSE(protection.safeguards[0].here);
    EXPECT_THAT(protection.safeguards[0].detail, HasSubstr("HOME"));
    EXPECT_FALSE(protection.safeguards[0].remedy.empty());
  }
}

}  // namespace
}  // namespace seamark::target
