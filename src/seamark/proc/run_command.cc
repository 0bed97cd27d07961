#include "seamark/proc/run_command.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/exit_watch.h"
#include "seamark/proc/poll_loop.h"

namespace seamark::proc {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kLeakWindowSeconds = 0.5;
constexpr double kLookSeconds = 1;
constexpr std::size_t kPiece = std::size_t{1} << 20;

// A file without a name that holds `input`, at its start. A pipe would need somebody to fill it while
// the command runs, and SIGPIPE to be ignored.
Result<UniqueFd> input_file(std::string_view input) {
  std::error_code ignored;
  std::string name = (std::filesystem::temp_directory_path(ignored) / "seamark-input-XXXXXX").native();
  UniqueFd fd(::mkstemp(name.data()));
  if (!fd) return io_error(errno, "cannot make a temporary file");
  ::unlink(name.c_str());
  if (Status wrote = write_all(fd.get(), input); !wrote)
    return wrote.error().within("the input of a command");
  if (::lseek(fd.get(), 0, SEEK_SET) < 0) return io_error(errno, "cannot rewind a temporary file");
  return fd;
}

struct Output {
  OutputStream stream;
  UniqueFd fd;
  std::string text;
  bool truncated = false;
};

class Command {
 public:
  Command(const CommandOptions& options, Child child, UniqueFd out, UniqueFd err)
      : options_(options),
        child_(std::move(child)),
        exit_watch_(watch_exit(child_.pid())),
        loop_(options.signals),
        out_{OutputStream::kOut, std::move(out), {}, false},
        err_{OutputStream::kErr, std::move(err), {}, false} {
    loop_.watch(out_.fd.get(), 0);
    loop_.watch(err_.fd.get(), 1);
    if (exit_watch_) loop_.watch(exit_watch_.get(), kExitTag);
  }

  CommandResult run() {
    while (!child_.try_wait()) turn(next_deadline());
    if (exit_watch_) loop_.unwatch(exit_watch_.get());
    ended_at_ = now();
    // The rest of the output, also from grandchildren, for a short while.
    while ((out_.fd || err_.fd) && now() < ended_at_ + kLeakWindowSeconds)
      turn(ended_at_ + kLeakWindowSeconds);
    return finish();
  }

 private:
  static constexpr std::uint64_t kExitTag = 2;

  [[nodiscard]] double now() const {
    return std::chrono::duration<double>(SteadyClock::now() - start_).count();
  }

  // Also sends what is due: TERM at the timeout or the first interrupt, KILL after the grace.
  std::optional<double> next_deadline() {
    const bool late = options_.timeout_s > 0 && now() >= options_.timeout_s;
    const int interrupts = options_.signals != nullptr ? options_.signals->interrupts() : 0;
    if (!stopping_ && (late || interrupts > 0)) {
      stopping_ = true;
      timed_out_ = late;
      interrupted_ = !late;
      terminate();
      if (late || !options_.ends_its_own) kill_at_ = now() + options_.grace_s;
    }
    if (options_.ends_its_own && !kill_at_ && interrupts > 1) {
      terminate();
      kill_at_ = now() + options_.grace_s;
    }
    if (kill_at_ && (now() >= *kill_at_ || interrupts > (options_.ends_its_own ? 2 : 1))) {
      child_.signal_group(SIGKILL);
      return std::nullopt;
    }
    if (stopping_) return kill_at_;
    if (options_.timeout_s > 0) return options_.timeout_s;
    return std::nullopt;
  }

  void terminate() const {
    if (options_.ends_its_own) {
      ::kill(child_.pid(), SIGTERM);
      return;
    }
    child_.signal_group(SIGTERM);
    child_.signal_group(SIGCONT);
  }

  void turn(std::optional<double> until) {
    std::optional<double> timeout;
    if (until) timeout = std::max(0.0, *until - now());
    if (!exit_watch_) timeout = std::min(timeout.value_or(kAskAgainSeconds), kAskAgainSeconds);
    // An interrupt may have woken another thread that runs a command.
    if (options_.signals != nullptr) timeout = std::min(timeout.value_or(kLookSeconds), kLookSeconds);
    for (const PollEvent& event : loop_.wait(timeout)) {
      if (event.tag == kExitTag) continue;
      take(event.tag == 0 ? out_ : err_);
    }
  }

  void take(Output& output) {
    std::string piece;
    const Result<ReadState> state = read_available(output.fd.get(), piece, kPiece);
    if (options_.on_output && !piece.empty()) options_.on_output(output.stream, piece);
    const std::size_t room = options_.max_output_bytes - output.text.size();
    output.truncated = output.truncated || piece.size() > room;
    output.text.append(piece, 0, room);
    if (state && *state == ReadState::kOpen) return;
    loop_.unwatch(output.fd.get());
    output.fd.reset();
  }

  CommandResult finish() {
    CommandResult result;
    result.leaked = child_.group_alive();
    result.exit = child_.terminate_now();
    result.usage = child_.usage();
    result.wall_s = ended_at_;
    result.out = std::move(out_.text);
    result.err = std::move(err_.text);
    result.out_truncated = out_.truncated;
    result.err_truncated = err_.truncated;
    result.timed_out = timed_out_;
    result.interrupted = interrupted_;
    return result;
  }

  const CommandOptions& options_;
  SteadyClock::time_point start_ = SteadyClock::now();
  Child child_;
  UniqueFd exit_watch_;
  PollLoop loop_;
  Output out_;
  Output err_;
  bool stopping_ = false;
  std::optional<double> kill_at_;
  double ended_at_ = 0;
  bool timed_out_ = false;
  bool interrupted_ = false;
};

std::string last_line(std::string_view text) {
  const std::string plain = plain_text(text);
  const auto lines = split_lines(plain);
  const auto last =
      std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) { return !trim(line).empty(); });
  return last == lines.rend() ? std::string() : std::string(utf8_prefix(trim(*last), 500));
}

}  // namespace

std::string CommandResult::text() const {
  if (interrupted) return "interrupted";
  if (timed_out) return fmt::format("timed out after {:.3g} s", wall_s);
  const std::string line = exit.success() ? "" : last_line(err);
  return line.empty() ? exit.text() : fmt::format("{}: {}", exit.text(), line);
}

Result<CommandResult> run_command(const CommandOptions& options) {
  Result<Pipe> out = make_pipe();
  if (!out) return out.error();
  Result<Pipe> err = make_pipe();
  if (!err) return err.error();
  for (const int fd : {out->read.get(), err->read.get()}) {
    if (Status set = set_nonblocking(fd); !set) return set.error();
  }
  SpawnOptions spawn = options.spawn;
  spawn.die_with_parent = true;
  spawn.fds.push_back({out->write.get(), 1});
  spawn.fds.push_back({err->write.get(), 2});
  UniqueFd input;
  if (!options.input.empty()) {
    Result<UniqueFd> file = input_file(options.input);
    if (!file) return file.error();
    input = std::move(*file);
    spawn.fds.push_back({input.get(), 0});
  }
  Result<Child> child = Child::spawn(spawn);
  if (!child) return child.error();
  out->write.reset();
  err->write.reset();
  return Command(options, std::move(*child), std::move(out->read), std::move(err->read)).run();
}

}  // namespace seamark::proc
