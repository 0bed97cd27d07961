#include "seamark/proc/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
  EXPECT_GE(group_resident_bytes(child.pid()).value_or(kHeld), kHeld);  // null without /proc
  const auto tree = tree_resident_bytes(::getpid());
  ASSERT_TRUE(tree.has_value());
  EXPECT_GE(*tree, kHeld + *resident_bytes(::getpid()) / 2);
  child.terminate_now();
}

TEST(Memory, NobodyHoldsNothing) {
  EXPECT_EQ(resident_bytes(999'999'999), std::nullopt);
  EXPECT_EQ(group_resident_bytes(999'999'999), std::nullopt);
  EXPECT_EQ(tree_resident_bytes(999'999'999), std::nullopt);
}

TEST(Memory, OfTheMachine) {
  const auto physical = physical_memory_bytes();
  ASSERT_TRUE(physical.has_value());
  EXPECT_GT(*physical, std::int64_t{64} << 20);
  if (const auto available = available_memory_bytes()) {
    EXPECT_GT(*available, 0);
    EXPECT_LE(*available, *physical);
  }
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), 4096);
}

}  // namespace
}  // namespace seamark::proc
