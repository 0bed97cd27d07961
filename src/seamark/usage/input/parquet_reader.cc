#include "seamark/usage/input/parquet_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/proc/child.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/jsonl_reader.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;

// The helper's own exit codes.
constexpr int kNoPyarrow = 3;
constexpr int kNotReadable = 4;

constexpr std::string_view kRemedy =
    "pip install 'seamark[parquet]' (or pyarrow) into Seamark's own environment, or name an interpreter that "
    "has it "
    "in SEAMARK_PYTHON";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT(cppcoreguidelines-owning-memory)
};
using TempFile = std::unique_ptr<std::FILE, CloseFile>;

// What the helper said last. A file, not a pipe: nobody reads it while it runs.
std::string last_words(std::FILE* file) {
  constexpr long kTail = 4096;
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fseek(file, size > kTail ? -kTail : 0, size > kTail ? SEEK_END : SEEK_SET);
  std::string tail(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  tail.resize(std::fread(tail.data(), 1, tail.size(), file));
  const std::vector<std::string_view> lines = split_lines(trim(tail));
  return lines.empty() ? std::string() : one_line(lines.back());
}

// The helper's output, and then how it ended.
class HelperSource : public ByteSource {
 public:
  HelperSource(proc::Child child, UniqueFd output, TempFile errors)
      : child_(std::move(child)), output_(std::move(output)), errors_(std::move(errors)) {
    lines_ = unpack(fd_input(output_.get()));
  }

  std::size_t read(std::span<char> out) override {
    const std::size_t got = lines_->read(out);
    for (std::string& problem : lines_->take_problems()) problems_.push_back(std::move(problem));
    if (got < out.size() && !ended_) finish();
    return got;
  }
  // How it ended, after the end of its output.
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  void finish() {
    ended_ = true;
    const proc::ExitState state = child_.reap();
    code_ = state.shell_code();
    said_ = last_words(errors_.get());
    if (state.success() || code_ == kNoPyarrow) return;
    problems_.push_back(code_ == kNotReadable ? said_
                                              : fmt::format("the reader of Parquet {}{}{}", state.text(),
                                                            said_.empty() ? "" : ": ", said_));
  }

  proc::Child child_;
  UniqueFd output_;
  TempFile errors_;
  std::unique_ptr<ByteSource> lines_;
  bool ended_ = false;
  int code_ = 0;
  std::string said_;
};

Result<std::unique_ptr<HelperSource>> start_helper(const Shard& shard, const CorpusOptions& options) {
  const Result<fs::path> home = find_home();
  if (!home) return home.error();
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe.error();
  TempFile errors(std::tmpfile());
  if (!errors) return io_error(errno, "cannot make a temporary file");
  proc::SpawnOptions spawn;
  spawn.argv = {options.python,
                (*home / "python" / "seamark_helper" / "parquet_lines.py").string(),
                shard.files.front().string(),
                options.content_key,
                options.repository_key,
                options.path_key};
  spawn.fds = {{pipe->write.get(), STDOUT_FILENO}, {::fileno(errors.get()), STDERR_FILENO}};
  spawn.die_with_parent = true;
  Result<proc::Child> child = proc::Child::spawn(spawn);
  if (!child) {
    return Error(UsageError::kHelper,
                 fmt::format("cannot read {}: {}", shard.name, one_line(child.error().message())),
                 std::string(kRemedy));
  }
  pipe->write.reset();
  return std::make_unique<HelperSource>(std::move(*child), std::move(pipe->read), std::move(errors));
}

}  // namespace

Result<ShardRead> read_parquet(const Shard& shard, const CorpusOptions& options, SourceSink& sink) {
  Result<std::unique_ptr<HelperSource>> source = start_helper(shard, options);
  if (!source) return source.error();
  Result<ShardRead> done = JsonlReader(shard.name, options, sink).read(**source);
  if ((*source)->code() == kNoPyarrow) {
    return Error(UsageError::kHelper,
                 fmt::format("cannot read {}: Parquet needs pyarrow, which {} does not have", shard.name,
                             options.python),
                 std::string(kRemedy));
  }
  return done;
}

}  // namespace seamark::usage
