#include "seamark/proc/run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "helper.h"

namespace seamark::proc {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

CommandResult run(const CommandOptions& options) {
  Result<CommandResult> result = run_command(options);
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

CommandOptions command(const std::string& script) {
  CommandOptions options;
  options.spawn = shell(script);
  return options;
}

TEST(RunCommand, BothStreamsAndTheCode) {
  const CommandResult result = run(command("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.exit, ExitState::exited(3));
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.success());
  EXPECT_FALSE(result.leaked);
  EXPECT_EQ(result.text(), "exited with code 3: err");
  EXPECT_TRUE(run(command("exit 0")).success());
}

TEST(RunCommand, Input) {
  CommandOptions options = command("cat");
  options.input = std::string(1 << 20, 'i') + "end";
  const CommandResult result = run(options);
  EXPECT_EQ(result.out, options.input);
  EXPECT_EQ(run(command("cat")).out, "");  // /dev/null
}

TEST(RunCommand, ACommandThatDoesNotReadItsInputIsFine) {
  CommandOptions options = command("exit 0");
  options.input = std::string(1 << 20, 'i');
  EXPECT_TRUE(run(options).success());
}

TEST(RunCommand, HugeOutputIsBoundedButRead) {
  CommandOptions options;
  options.spawn = helper("flood");
  options.max_output_bytes = 1000;
  std::size_t seen = 0;
  options.on_output = [&](OutputStream stream, std::string_view piece) {
    EXPECT_EQ(stream, OutputStream::kOut);
    seen += piece.size();
  };
  const CommandResult result = run(options);
  EXPECT_TRUE(result.success()) << result.text();
  EXPECT_EQ(result.out.size(), 1000u);
  EXPECT_TRUE(result.out_truncated);
  EXPECT_FALSE(result.err_truncated);
  EXPECT_EQ(seen, (std::size_t{32} << 20) + 3);
}

TEST(RunCommand, OutputOfExactlyTheBoundIsNotTruncated) {
  CommandOptions options = command("printf 12345");
  options.max_output_bytes = 5;
  const CommandResult result = run(options);
  EXPECT_EQ(result.out, "12345");
  EXPECT_FALSE(result.out_truncated);
}

TEST(RunCommand, TimeoutThenKillKeepsWhatWasSaid) {
  CommandOptions options;
  options.spawn = helper("ignore-term");
  options.timeout_s = 0.3;
  options.grace_s = 0.2;
  const CommandResult result = run(options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit, ExitState::signalled(SIGKILL));
  EXPECT_EQ(result.out, "ready");
  EXPECT_LT(result.wall_s, 5.0);
  EXPECT_THAT(result.text(), HasSubstr("timed out after"));
}

TEST(RunCommand, TimeoutEndsTheObedientByTerm) {
  CommandOptions options = command("exec sleep 100");
  options.timeout_s = 0.1;
  options.grace_s = 10;
  const CommandResult result = run(options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit, ExitState::signalled(SIGTERM));
  EXPECT_LT(result.wall_s, 5.0);
}

TEST(RunCommand, AGrandchildThatHoldsThePipeCannotHoldUs) {
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run(command("sleep 100 & echo done"));
  EXPECT_LT(seconds_since(start), 5.0);
  EXPECT_EQ(result.out, "done\n");
  EXPECT_TRUE(result.leaked);
  EXPECT_TRUE(result.exit.success());
}

TEST(RunCommand, ACommandThatClosesItsOutputIsStillWaitedFor) {
  const CommandResult result = run(command("exec >&- 2>&-; sleep 0.1; exit 6"));
  EXPECT_EQ(result.exit, ExitState::exited(6));
  EXPECT_GE(result.wall_s, 0.09);
}

TEST(RunCommand, CrashIsToldBySignal) {
  CommandOptions options;
  options.spawn = helper("segv");
  EXPECT_EQ(run(options).text(), "killed by SIGSEGV");
}

TEST(RunCommand, StartFailureIsAnError) {
  CommandOptions options;
  options.spawn.argv = {"/no/such/program"};
  const auto result = run_command(options);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr("/no/such/program"));
}

TEST(RunCommand, TheLastLineOfErrorsIsMadeSafe) {
  EXPECT_EQ(run(command("printf '\\033[31mbad\\033[0m\\n\\n' >&2; exit 1")).text(),
            "exited with code 1: bad");
}

TEST(RunCommand, FirstInterruptIsOrderlySecondKills) {
  Signals signals;
  CommandOptions options;
  options.signals = &signals;
  options.spawn =
      shell("trap 'echo bye; exit 9' TERM; kill -INT $1; sleep 100 & wait", {std::to_string(::getpid())});
  options.grace_s = 10;
  const CommandResult orderly = run(options);
  EXPECT_TRUE(orderly.interrupted);
  EXPECT_FALSE(orderly.timed_out);
  EXPECT_EQ(orderly.exit, ExitState::exited(9));
  EXPECT_THAT(orderly.out, EndsWith("bye\n"));
  EXPECT_EQ(orderly.text(), "interrupted");
}

TEST(RunCommand, SecondInterruptDoesNotWaitForTheGrace) {
  Signals signals;
  CommandOptions options;
  options.signals = &signals;
  options.spawn =
      shell("trap '' TERM; kill -INT $1; sleep 0.2; kill -INT $1; sleep 100", {std::to_string(::getpid())});
  options.grace_s = 60;
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run(options);
  EXPECT_LT(seconds_since(start), 10.0);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.exit, ExitState::signalled(SIGKILL));
  EXPECT_EQ(signals.interrupts(), 2);
}

TEST(RunCommand, WhatEndsItsOwnIsToldAloneAndTwice) {
  Signals signals;
  CommandOptions options;
  options.signals = &signals;
  options.ends_its_own = true;
  options.grace_s = 60;
  options.spawn = shell(
      "(trap 'echo hit' TERM; while :; do sleep 0.05; done) & child=$!\n"
      "trap 'echo told; [ $# = 1 ] || { kill -9 $child; exit 9; }; parent=$1; set --; sleep 0.3; kill -INT "
      "$parent' TERM\n"
      "sleep 0.3; kill -INT $1; while :; do sleep 0.05; done",
      {std::to_string(::getpid())});
  const CommandResult result = run(options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.exit, ExitState::exited(9));
  EXPECT_EQ(result.out, "told\ntold\n");
  EXPECT_EQ(signals.interrupts(), 2);
}

}  // namespace
}  // namespace seamark::proc
