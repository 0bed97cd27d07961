#include "seamark/proc/memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#include <filesystem>
#include <string>
#include <vector>

#include "helper.h"
#include "seamark/base/fd.h"

namespace seamark::proc {
namespace {

TEST(Memory, SeesWhatAChildHolds) {
  Result<Pipe> pipe = make_pipe();
  SpawnOptions options = helper("hold-memory");
  options.fds = {{pipe->write.get(), 1}};
  Child child = started(options);
  pipe->write.reset();
  char buffer[5];
  ASSERT_EQ(::read(pipe->read.get(), buffer, sizeof buffer), 5);
  constexpr std::int64_t kHeld = std::int64_t{64} << 20;
  const auto resident = resident_bytes(child.pid());
  ASSERT_TRUE(resident.has_value());
  EXPECT_GE(*resident, kHeld);
  EXPECT_LT(*resident, 8 * kHeld);
  const std::vector<ProcessInfo> group = list_group(child.pid());
  if (!group.empty()) {  // there is /proc
    EXPECT_GE(held_bytes(group), kHeld);
    EXPECT_LT(held_bytes(group), 8 * kHeld);
  }
  child.terminate_now();
}

TEST(Memory, NobodyHoldsNothing) {
  EXPECT_EQ(resident_bytes(999'999'999), std::nullopt);
  EXPECT_EQ(held_bytes({}), 0);
}

// What a process forked from one that holds much has of its own is little.
TEST(Memory, SharedPagesCountOnce) {
  if (::access("/proc/self/smaps_rollup", R_OK) != 0) GTEST_SKIP() << "the system does not tell";
  constexpr std::int64_t kHeld = std::int64_t{64} << 20;
  const std::string held(static_cast<std::size_t>(kHeld), 'x');
  const pid_t forked = ::fork();
  if (forked == 0) {
    ::pause();
    ::_exit(held.empty() ? 1 : 0);
  }
  std::vector<ProcessInfo> both;
  for (const pid_t pid : {::getpid(), forked}) {
    ProcessInfo& info = both.emplace_back();
    info.pid = pid;
    info.resident_bytes = resident_bytes(pid).value_or(0);
  }
  // A sanitizer holds memory of its own, so the bound is the sum of both.
  const std::int64_t sum = both[0].resident_bytes + both[1].resident_bytes;
  EXPECT_GE(sum, 2 * kHeld);
  const std::int64_t together = held_bytes(both);
  EXPECT_GE(together, kHeld);
  EXPECT_LT(together, sum - kHeld / 2);
  ::kill(forked, SIGKILL);
  ::waitpid(forked, nullptr, 0);
}

TEST(Memory, OfTheMachine) {
  const auto physical = physical_memory_bytes();
  ASSERT_TRUE(physical.has_value());
  EXPECT_GT(*physical, std::int64_t{64} << 20);
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), 4096);
}

// A folder in the place of / that holds the files of cgroups.
class Cgroups : public ::testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(write_file(path, text + "\n"));
  }
  [[nodiscard]] std::string root() const { return root_.path().string(); }
  TempDir root_ = std::move(TempDir::make("seamark-test").value());
};

TEST_F(Cgroups, WhatTheKernelEndedForWantOfMemory) {
  EXPECT_EQ(out_of_memory_kills(root()), std::nullopt);
  put("proc/vmstat", "nr_free_pages 17\noom_kill 4\nnuma_hit 1");
  EXPECT_EQ(out_of_memory_kills(root()), 4);
}

TEST_F(Cgroups, OfVersion2) {
  put("proc/self/cgroup", "0::/a/b");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  put("sys/fs/cgroup/a/b/memory.max", "max");
  EXPECT_EQ(usable_cpus(root()), usable_cpus());
  EXPECT_EQ(physical_memory_bytes(root()), physical_memory_bytes());
  put("sys/fs/cgroup/a/cpu.max", "90000 100000");  // of the folder above
  put("sys/fs/cgroup/a/memory.max", "1048576");
  EXPECT_EQ(usable_cpus(root()), 1);
  EXPECT_EQ(physical_memory_bytes(root()), 1 << 20);
}

TEST_F(Cgroups, OfVersion1) {
  put("proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n0::/docker/x");
  put("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1");
  put("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000");
  put("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(usable_cpus(root()), usable_cpus());
  EXPECT_EQ(physical_memory_bytes(root()), physical_memory_bytes());
  put("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "50000");
  put("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1048576");
  EXPECT_EQ(usable_cpus(root()), 1);
  EXPECT_EQ(physical_memory_bytes(root()), 1 << 20);
}

TEST_F(Cgroups, OfAContainerThatSeesOnlyItsOwn) {
  put("proc/self/cgroup", "4:cpu,cpuacct:/docker/x\n0::/");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(usable_cpus(root()), 1);
}

TEST_F(Cgroups, OfANameWithColons) {
  put("proc/self/cgroup", "0::/system.slice/pod.slice:cri-containerd:1f");
  put("sys/fs/cgroup/system.slice/pod.slice:cri-containerd:1f/cpu.max", "100000 100000");
  EXPECT_EQ(usable_cpus(root()), 1);
}

#ifdef __linux__
TEST(Cpus, OfTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cpus(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}
#endif

}  // namespace
}  // namespace seamark::proc
