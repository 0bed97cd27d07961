// Through a pseudo-terminal: what a user's terminal gets.
#include "seamark/cli/live_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "seamark/base/fd.h"
#include "seamark/cli/status_line.h"

namespace seamark::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Pty {
 public:
  explicit Pty(unsigned short columns, unsigned short rows = 24)
      : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0) throw std::runtime_error("no pty");
    slave_ = UniqueFd(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY));
    winsize size = {};
    size.ws_col = columns;
    size.ws_row = rows;
    ::ioctl(slave_.get(), TIOCSWINSZ, &size);
    if (!set_nonblocking(master_.get())) throw std::runtime_error("no pty");
  }
  [[nodiscard]] int fd() const { return slave_.get(); }
  // What was written since the last call.
  std::string take() {
    std::string text;
    (void)read_available(master_.get(), text);
    return text;
  }
  void resize(unsigned short columns) {
    winsize size = {};
    size.ws_col = columns;
    ::ioctl(slave_.get(), TIOCSWINSZ, &size);
  }

 private:
  UniqueFd master_;
  UniqueFd slave_;
};

Terminal live_terminal() { return {true, true, true, true, 80}; }

TEST(LiveLine, DrawsOverItself) {
  Pty pty(80);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("one");
  EXPECT_EQ(pty.take(), "one");
  clock.advance_s(1);
  line.show("two");
  EXPECT_EQ(pty.take(), "\r\x1b[2Ktwo");
  line.clear();
  EXPECT_EQ(pty.take(), "\r\x1b[2K");
}

TEST(LiveLine, LinesThatStayGoAboveIt) {
  Pty pty(80);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("live");
  pty.take();
  line.print("a fact");
  EXPECT_EQ(pty.take(), "\r\x1b[2Ka fact\r\nlive");
}

TEST(LiveLine, DrawsNotMoreOftenThanAnEyeSees) {
  Pty pty(80);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  for (int i = 0; i < 100; ++i) {
    line.show("step " + std::to_string(i));
    clock.advance_s(0.001);
  }
  EXPECT_EQ(pty.take(), "step 0");
  clock.advance_s(1);
  line.redraw();
  EXPECT_EQ(pty.take(), "\r\x1b[2Kstep 99");
  line.redraw();
  EXPECT_EQ(pty.take(), "");
}

TEST(LiveLine, NeverWrapsAlsoAfterAResize) {
  Pty pty(20);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("0123456789012345678901234567890");
  EXPECT_EQ(pty.take(), "012345678901234567\u2026");
  pty.resize(10);
  clock.advance_s(1);
  line.show("0123456789012345678901234567890!");
  EXPECT_EQ(pty.take(), "\r\x1b[2K01234567\u2026");
}

TEST(LiveLine, ATableStandsAboveItAndIsDrawnOver) {
  Pty pty(80);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("2/4", {"a  1/2", "b  1/2"});
  EXPECT_EQ(pty.take(), "a  1/2\r\nb  1/2\r\n2/4");
  clock.advance_s(1);
  line.show("3/4", {"a  2/2", "b  1/2"});
  const std::string over = "\r\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K";
  EXPECT_EQ(pty.take(), over + "a  2/2\r\nb  1/2\r\n3/4");
  line.print("a fact");
  EXPECT_EQ(pty.take(), over + "a fact\r\na  2/2\r\nb  1/2\r\n3/4");
  line.clear();
  EXPECT_EQ(pty.take(), over);
}

TEST(LiveLine, ATableThatHasNoRoomIsLeftOut) {
  Pty pty(80, 3);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("3/6", {"a", "b", "c"});
  EXPECT_EQ(pty.take(), "3/6");
}

TEST(LiveLine, TextOfOthersCannotSteerTheTerminal) {
  Pty pty(80);
  FakeClock clock;
  LiveLine line(pty.fd(), live_terminal(), clock);
  line.show("torch.evil\x1b[2J\n\x1b]0;title\x07");
  EXPECT_EQ(pty.take(), "torch.evil");
  clock.advance_s(1);
  line.show("live", {"torch.evil\x1b[2J\n\x1b]0;title\x07"});
  EXPECT_EQ(pty.take(), "\r\x1b[2Ktorch.evil \r\nlive");
}

TEST(LiveLine, AFileGetsALineNowAndThen) {
  Pipe pipe = std::move(make_pipe().value());
  ASSERT_TRUE(set_nonblocking(pipe.read.get()));
  FakeClock clock;
  LiveLine line(pipe.write.get(), {false, false, true, false, 80}, clock);
  std::string text;
  for (int second = 0; second < 50; ++second) {
    line.show("at " + std::to_string(second));
    clock.advance_s(1);
  }
  ASSERT_TRUE(read_available(pipe.read.get(), text));
  EXPECT_EQ(text, "at 20\nat 40\n");
}

class StatusLineTest : public ::testing::Test {
 protected:
  void attempt(const std::string& target, Outcome outcome, run::TargetProgress progress,
               std::string reason = "") {
    Attempt made;
    made.target = target;
    made.outcome = outcome;
    made.reason = std::move(reason);
    progress.target = made.target;
    clock_.advance_s(1);
    status_.on_attempt(made, progress);
  }
  Pty pty_{120};
  FakeClock clock_;
  LiveLine line_{pty_.fd(), live_terminal(), clock_};
  StatusLine status_{line_, clock_};
};

TEST_F(StatusLineTest, CountsOverTargetsWithFailuresAndTheCurrentCase) {
  status_.on_stage(run::RunStage::kCorrectness, 40, 0);
  status_.on_started("torch/cpu", "torch.sum/sum[f32]", Phase::kCorrectness);
  attempt("torch/cpu", Outcome::kPass, {.target = {}, .planned = 20, .done = 1, .pass = 1});
  attempt("torch/cpu", Outcome::kFail, {.target = {}, .planned = 20, .done = 2, .pass = 1, .fail = 1});
  attempt("jax/cpu", Outcome::kCrash, {.target = {}, .planned = 20, .done = 1, .crash = 1});
  EXPECT_THAT(pty_.take(), HasSubstr("checking 3/40, 2 failed: torch/cpu torch.sum/sum[f32]"));
}

TEST_F(StatusLineTest, SeveralTargetsHaveALineEach) {
  StatusLine status(line_, clock_, {{"torch/cpu", 20}, {"jax/tpu-v5e+aot", 9}});
  status.on_stage(run::RunStage::kCorrectness, 29, 0);
  EXPECT_THAT(pty_.take(), HasSubstr("torch/cpu            0/20     0 pass    0 fail\r\n"
                                     "jax/tpu-v5e+aot       0/9     0 pass    0 fail\r\n"
                                     "checking 0/29"));
  clock_.advance_s(1);
  status.on_started("torch/cpu", "torch.sum/sum[f32]", Phase::kCorrectness);
  EXPECT_THAT(pty_.take(),
              HasSubstr("torch/cpu            0/20     0 pass    0 fail  torch.sum/sum[f32]\r\n"));
  Attempt made;
  made.target = "torch/cpu";
  clock_.advance_s(1);
  status.on_attempt(
      made,
      {.target = made.target, .planned = 20, .done = 8, .pass = 5, .fail = 1, .timeout = 1, .crash = 1});
  const std::string text = pty_.take();
  EXPECT_THAT(text, HasSubstr("torch/cpu            8/20     5 pass    3 fail  torch.sum/sum[f32]\r\n"));
  EXPECT_THAT(text, testing::EndsWith("checking 8/29, 3 failed"));
}

TEST_F(StatusLineTest, EstimatesTheTimeLeftFromWhatThisPartOfTheRunDid) {
  status_.on_stage(run::RunStage::kCorrectness, 120, 100);
  for (std::size_t i = 1; i <= 10; ++i) {
    attempt("torch/cpu", Outcome::kPass, {.target = {}, .planned = 120, .done = 100 + i, .pass = 100 + i});
  }
  const std::string text = pty_.take();
  EXPECT_THAT(text, HasSubstr("checking 110/120, 10.0 s left"));
}

TEST_F(StatusLineTest, AFailureThatWasRefutedIsNotCounted) {
  status_.on_stage(run::RunStage::kCorrectness, 10, 0);
  attempt("torch/cpu", Outcome::kFail, {.target = {}, .planned = 10, .done = 1, .fail = 1});
  attempt("torch/cpu", Outcome::kPass, {.target = {}, .planned = 10, .done = 1, .pass = 1});
  const std::string text = pty_.take();
  EXPECT_THAT(text.substr(text.rfind("checking")), Not(HasSubstr("failed")));
}

TEST_F(StatusLineTest, TellsSlowCasesLeaksAndWorkersThatFail) {
  using namespace std::chrono_literals;
  status_.on_slow("torch/cpu", "torch.svd/svd", 60s, 900s);
  Value detail;
  detail.set("target", "jax/cpu").set("reason", "no libtpu");
  status_.on_event("worker-unusable", detail);
  status_.on_event("leak", Value().set("case", "torch.x/x"));
  const std::string text = pty_.take();
  EXPECT_THAT(text, HasSubstr("slow: torch/cpu torch.svd/svd runs for 60.0 s (its deadline: 15m00s)"));
  EXPECT_THAT(text, HasSubstr("jax/cpu: unusable: no libtpu"));
  EXPECT_THAT(text, HasSubstr("leak: torch.x/x left processes behind"));
}

TEST_F(StatusLineTest, KeepsTheReasonsOfErrors) {
  status_.on_stage(run::RunStage::kCorrectness, 10, 0);
  attempt("torch/cpu", Outcome::kError, {.target = {}, .planned = 10, .done = 1, .error = 1}, "no NumPy");
  attempt("torch/cpu", Outcome::kError, {.target = {}, .planned = 10, .done = 2, .error = 2}, "other");
  attempt("torch/cpu", Outcome::kError, {.target = {}, .planned = 10, .done = 3, .error = 3}, "other");
  ASSERT_EQ(status_.error_reasons().size(), 2U);
  EXPECT_EQ(status_.error_reasons()[0], (std::pair<std::string, std::size_t>("other", 2)));
}

}  // namespace
}  // namespace seamark::cli
