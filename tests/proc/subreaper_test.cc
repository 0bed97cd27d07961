#include "seamark/proc/subreaper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "helper.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::proc {
namespace {

class SubreaperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (list_processes().empty()) GTEST_SKIP() << "no /proc here";
    if (!become_subreaper()) GTEST_SKIP() << "no subreapers here";
  }
  // Starts a shell and gives the number that it prints first.
  Child start(const std::string& script, pid_t* printed) {
    Pipe pipe = std::move(make_pipe().value());
    SpawnOptions options = shell(script);
    options.fds = {{pipe.write.get(), 1}};
    Child child = started(options);
    pipe.write.reset();
    std::string text;
    char c = 0;
    while (::read(pipe.read.get(), &c, 1) == 1 && c != '\n') text += c;
    *printed = static_cast<pid_t>(parse_int(text).value_or(-1));
    return child;
  }
};

TEST_F(SubreaperTest, ListsGroupsAndDescendants) {
  pid_t grandchild = -1;
  Child child = start("sleep 100 & echo $!; wait", &grandchild);
  const auto group = list_group(child.pid());
  EXPECT_EQ(group.size(), 2u);
  const auto below = list_descendants(child.pid());
  ASSERT_EQ(below.size(), 1u);
  EXPECT_EQ(below[0].pid, grandchild);
  EXPECT_EQ(below[0].parent, child.pid());
  EXPECT_EQ(below[0].group, child.pid());
  EXPECT_FALSE(below[0].zombie());
  const auto ours = list_descendants(::getpid());
  EXPECT_TRUE(std::any_of(ours.begin(), ours.end(), [&](const auto& p) { return p.pid == grandchild; }));
}

TEST_F(SubreaperTest, AdoptsAndReapsOrphans) {
  pid_t grandchild = -1;
  Child child = start("(exit 7) & sleep 0.2 & echo $!; exit 0", &grandchild);
  const pid_t known[] = {child.pid()};
  EXPECT_EQ(end_of(child), ExitState::exited(0));
  std::vector<Orphan> orphans;
  EXPECT_TRUE(eventually([&] {
    for (const Orphan& orphan : reap_orphans(known)) orphans.push_back(orphan);
    return std::any_of(orphans.begin(), orphans.end(), [&](const Orphan& o) { return o.pid == grandchild; });
  }));
  // The Child's own zombie was left alone.
  EXPECT_EQ(child.reap(), ExitState::exited(0));
}

TEST_F(SubreaperTest, KillsWhatFledIntoItsOwnSession) {
  pid_t fled = -1;
  Child child = start("setsid sleep 100 & echo $!; wait", &fled);
  // Away from the group of the child, so a kill of the group misses it.
  ASSERT_TRUE(eventually([&] {
    const auto group = list_group(fled);
    return group.size() == 1 && group[0].name == "sleep";
  }));
  child.terminate_now();
  EXPECT_EQ(::kill(fled, 0), 0);
  const auto killed = kill_stray_descendants({}, 5.0);
  ASSERT_EQ(killed.size(), 1u);
  EXPECT_EQ(killed[0].pid, fled);
  EXPECT_EQ(killed[0].name, "sleep");
  EXPECT_EQ(::kill(fled, 0), -1);
}

TEST_F(SubreaperTest, SparesKnownChildrenAndTheirs) {
  pid_t grandchild = -1, stray = -1;
  Child kept = start("sleep 100 & echo $!; wait", &grandchild);
  Child loser = start("setsid sleep 100 & echo $!; wait", &stray);
  ASSERT_TRUE(eventually([&] { return ::getpgid(stray) == stray; }));
  loser.terminate_now();
  const pid_t known[] = {kept.pid()};
  const auto killed = kill_stray_descendants(known, 5.0);
  ASSERT_EQ(killed.size(), 1u);
  EXPECT_EQ(killed[0].pid, stray);
  EXPECT_EQ(::kill(grandchild, 0), 0);
  EXPECT_EQ(kept.try_wait(), std::nullopt);
}

TEST_F(SubreaperTest, KillGroupWithoutAChildObject) {
  Child child = started(shell("exec sleep 100"));
  EXPECT_TRUE(kill_group(child.pid()));
  EXPECT_EQ(child.reap(), ExitState::signalled(SIGKILL));
  EXPECT_FALSE(kill_group(999'999'999));
  EXPECT_FALSE(kill_group(0));
  EXPECT_FALSE(kill_group(1));
}

TEST_F(SubreaperTest, NamesWithParenthesesAndSpaces) {
  const TempDir dir = std::move(TempDir::make().value());
  const auto link = dir.path() / "a) R (b";
  std::filesystem::create_symlink("/bin/sleep", link);
  SpawnOptions options;
  options.argv = {link.native(), "100"};
  Child child = started(options);
  const auto group = list_group(child.pid());
  ASSERT_EQ(group.size(), 1u);
  EXPECT_EQ(group[0].parent, ::getpid());
}

}  // namespace
}  // namespace seamark::proc
