#include "seamark/cli/terminal.h"

#include <gtest/gtest.h>

#include <map>

namespace seamark::cli {
namespace {

Terminal describe(bool is_terminal, std::map<std::string, std::string, std::less<>> values,
                  ColorChoice color = ColorChoice::kAuto, int width = 80) {
  return describe_terminal(is_terminal, width, color,
                           [&](std::string_view name) -> std::optional<std::string> {
                             const auto found = values.find(name);
                             return found == values.end() ? std::nullopt : std::optional(found->second);
                           });
}

TEST(Terminal, ATerminalHasColourAndALiveLine) {
  const Terminal terminal = describe(true, {{"TERM", "xterm"}, {"LANG", "en_US.UTF-8"}});
  EXPECT_TRUE(terminal.color && terminal.live && terminal.unicode);
  EXPECT_EQ(terminal.width, 80);
}

TEST(Terminal, APipeHasNeither) {
  const Terminal terminal = describe(false, {{"TERM", "xterm"}}, ColorChoice::kAuto, 0);
  EXPECT_FALSE(terminal.color || terminal.live);
  EXPECT_TRUE(terminal.unicode);
  EXPECT_EQ(terminal.width, 100);
}

TEST(Terminal, NoColorAndForceColor) {
  EXPECT_FALSE(describe(true, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).color);
  EXPECT_TRUE(describe(true, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).live);
  EXPECT_TRUE(describe(false, {{"FORCE_COLOR", "1"}}).color);
  EXPECT_FALSE(describe(true, {{"TERM", "xterm"}, {"FORCE_COLOR", "0"}}).color);
  EXPECT_TRUE(describe(false, {{"NO_COLOR", "1"}}, ColorChoice::kAlways).color);
  EXPECT_FALSE(describe(true, {{"TERM", "xterm"}, {"FORCE_COLOR", "1"}}, ColorChoice::kNever).color);
}

TEST(Terminal, CiAndDumbTerminalsHaveNoLiveLine) {
  EXPECT_FALSE(describe(true, {{"TERM", "xterm"}, {"CI", "true"}}).live);
  EXPECT_TRUE(describe(true, {{"TERM", "xterm"}, {"CI", "false"}}).live);
  const Terminal dumb = describe(true, {{"TERM", "dumb"}, {"LANG", "C.UTF-8"}});
  EXPECT_FALSE(dumb.live || dumb.color || dumb.unicode);
}

TEST(Terminal, TheLocaleDecidesWhatCanBeShown) {
  EXPECT_FALSE(describe(true, {{"TERM", "xterm"}, {"LANG", "C"}}).unicode);
  EXPECT_TRUE(describe(true, {{"TERM", "xterm"}, {"LC_ALL", "C.utf8"}, {"LANG", "C"}}).unicode);
}

TEST(Terminal, ColumnsWhereTheTerminalDoesNotSay) {
  EXPECT_EQ(describe(true, {{"TERM", "xterm"}, {"COLUMNS", "132"}}, ColorChoice::kAuto, 0).width, 132);
  EXPECT_EQ(describe(true, {{"TERM", "xterm"}, {"COLUMNS", "-1"}}, ColorChoice::kAuto, 0).width, 100);
}

}  // namespace
}  // namespace seamark::cli
