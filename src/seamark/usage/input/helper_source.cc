#include "seamark/usage/input/helper_source.h"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/url_name.h"

namespace seamark::usage {
namespace {

// The helper's output; says when it has ended.
class PipeInput : public RawInput {
 public:
  PipeInput(int fd, bool& drained) : input_(fd_input(fd)), drained_(drained) {}

  Result<std::size_t> read(std::span<char> out) override {
    Result<std::size_t> got = input_->read(out);
    drained_ = got && *got == 0;
    return got;
  }

 private:
  std::unique_ptr<RawInput> input_;
  bool& drained_;
};

// What the helper said last.
std::string last_words(std::FILE* file) {
  constexpr long kTail = 4096;
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fseek(file, size > kTail ? -kTail : 0, size > kTail ? SEEK_END : SEEK_SET);
  std::string tail(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  tail.resize(std::fread(tail.data(), 1, tail.size(), file));
  const std::vector<std::string_view> lines = split_lines(trim(tail));
  return lines.empty() ? std::string() : without_secrets(one_line(lines.back()));
}

}  // namespace

std::string package_remedy(std::string_view packages) {
  return fmt::format(
      "pip install {} into Seamark's own environment, or name an interpreter that has it in SEAMARK_PYTHON",
      packages);
}

Error broke_off(std::string_view name, std::string_view why) {
  return Error(UsageError::kUnavailable,
               fmt::format("{}: it broke off, nothing of it is counted: {}", name, why),
               "the same command tries it again");
}

Result<std::unique_ptr<HelperSource>> HelperSource::start(const std::string& python, std::string_view script,
                                                          std::span<const std::string> arguments,
                                                          std::string_view name, std::string remedy) {
  const Result<std::filesystem::path> home = find_home();
  if (!home) return home.error();
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe.error();
  TempFile errors(std::tmpfile());
  if (!errors) return io_error(errno, "cannot make a temporary file");
  proc::SpawnOptions spawn;
  spawn.argv = {python, (*home / "python" / "seamark_helper" / script).string()};
  spawn.argv.insert(spawn.argv.end(), arguments.begin(), arguments.end());
  spawn.fds = {{pipe->write.get(), STDOUT_FILENO}, {::fileno(errors.get()), STDERR_FILENO}};
  spawn.die_with_parent = true;
  Result<proc::Child> child = proc::Child::spawn(spawn);
  if (!child) {
    return Error(UsageError::kHelper,
                 fmt::format("cannot read {}: {}", name, one_line(child.error().message())),
                 std::move(remedy));
  }
  pipe->write.reset();
  return std::unique_ptr<HelperSource>(
      new HelperSource(std::move(*child), std::move(pipe->read), std::move(errors)));
}

HelperSource::HelperSource(proc::Child child, UniqueFd output, TempFile errors)
    : child_(std::move(child)), output_(std::move(output)), errors_(std::move(errors)) {
  lines_ = unpack(std::make_unique<PipeInput>(output_.get(), drained_));
}

std::size_t HelperSource::read(std::span<char> out) {
  const std::size_t got = lines_->read(out);
  for (std::string& problem : lines_->take_problems()) problems_.push_back(std::move(problem));
  if (got < out.size() && !ended_) finish();
  return got;
}

void HelperSource::finish() {
  ended_ = true;
  if (!drained_) {  // damaged: the rest is left out, and the helper waits for someone to read it
    child_.terminate_now();
    return;
  }
  const proc::ExitState state = child_.reap();
  code_ = state.shell_code();
  said_ = last_words(errors_.get());
  if (state.success() || code_ == kNoPackage) return;
  if (code_ != kNotReadable && code_ != kBrokeOff)
    said_ = fmt::format("the helper {}{}{}", state.text(), said_.empty() ? "" : ": ", said_);
  problems_ = {said_};  // all that is missing is missing for this
}

}  // namespace seamark::usage
