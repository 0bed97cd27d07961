#include "seamark/usage/input/files_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/folder_walk.h"
#include "seamark/usage/input/json_text.h"
#include "seamark/usage/input/loss_log.h"
#include "seamark/usage/input/notebook.h"
#include "seamark/usage/input/prefilter.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;

// As git does: what has a NUL near its beginning is no text.
constexpr std::size_t kLooksBinary = 8000;

class FilesReader {
 public:
  FilesReader(const Shard& shard, const CorpusOptions& options, SourceSink& sink)
      : shard_(shard),
        options_(options),
        sink_(sink),
        losses_(sink, options.strict),
        prefilter_(options.needles, options.imports_only),
        anywhere_(options.needles, false) {}

  Result<ShardRead> read() {
    for (const fs::path& path : shard_.files) {
      read_one(path);
      if (losses_.stop()) return *losses_.stop();
    }
    done_.losses = losses_.count();
    return done_;
  }

 private:
  void lose(const fs::path& path, std::string what, std::uint64_t line = 0) {
    losses_.lose({path.string(), line, std::move(what)});
  }

  // The bytes of the file in the buffer; false: it is lost.
  bool load(const fs::path& path, std::string_view& text) {
    const Result<UniqueFd> fd =
        open_file(path, O_RDONLY | O_NONBLOCK);  // a pipe in its place must not hang us
    if (!fd) {
      lose(path, fd.error().message());
      return false;
    }
    struct stat info{};
    if (::fstat(fd->get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      lose(path, "it is no longer a regular file");
      return false;
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size > options_.max_line_bytes) {
      lose(path, fmt::format("the file is longer than {} bytes", options_.max_line_bytes));
      return false;
    }
    char* to = buffer_.reserve(size);
    std::size_t have = 0;
    while (have < size) {
      const ssize_t got = ::read(fd->get(), to + have, size - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        lose(path, io_error(errno, "cannot read on").message());
        return false;
      }
      if (got == 0) break;  // it has become shorter
      have += static_cast<std::size_t>(got);
    }
    std::memset(to + have, '\0', kSearchPadding);
    TextBuffer::frame(to + have);
    text = {to, have};
    return true;
  }

  void read_one(const fs::path& path) {
    std::string_view text;
    if (!load(path, text)) return;
    done_.bytes += text.size();
    losses_.advance(text.size());
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
      return lose(path, "it is UTF-16, which Python does not read either");
    }
    if (text.substr(0, kLooksBinary).find('\0') != std::string_view::npos) return;
    const std::string_view loaded = text;
    text = without_bom(text);
    if (is_notebook_name(path.native())) {
      read_notebook(path, text);
    } else {
      ++done_.files;
      if (!prefilter_.passes(text)) return;
      bool repaired = false;
      const std::string_view whole = valid_utf8(text, mended_, repaired);
      give(path, whole, whole.data() == loaded.data(), repaired);
    }
    buffer_.release_large();
  }

  void read_notebook(const fs::path& path, std::string_view json) {
    // Its lines are strings of their own, so that an import may be spread over several.
    const bool passes = anywhere_.passes(json);
    if (!passes && !options_.all_notebooks) {
      ++done_.files;
      return;
    }
    NotebookText notebook = notebook_text(json);
    if (notebook.broken != 0 || (notebook.odd && options_.all_notebooks))
      return lose(path, "it is no notebook", notebook.broken);
    ++done_.files;
    if (!passes || !notebook.python) return;
    const std::size_t size = notebook.text.size();
    notebook.text.append(kSearchPadding, '\0');
    const std::string_view text = std::string_view(notebook.text).substr(0, size);
    if (prefilter_.passes(text)) give(path, text, false, notebook.repaired, notebook.cells);
  }

  void give(const fs::path& path, std::string_view text, bool framed, bool repaired,
            std::span<const NotebookCell> cells = {}) {
    ++done_.candidates;
    if (repaired) ++done_.repaired;
    const fs::path folder = path.parent_path();
    auto known = repositories_.find(folder.native());
    if (known == repositories_.end()) {
      known = repositories_.emplace(folder.native(), repository_of(folder, shard_.root)).first;
    }
    const std::string below = path.lexically_relative(shard_.root).string();
    bool ignored = false;
    std::string mended;
    sink_.take({.repository = known->second,
                .path = valid_utf8(below, mended, ignored),
                .text = text,
                .framed = framed,
                .repaired = repaired,
                .cells = cells});
  }

  const Shard& shard_;
  const CorpusOptions& options_;
  SourceSink& sink_;
  LossLog losses_;
  Prefilter prefilter_;
  Prefilter anywhere_;
  ShardRead done_;
  TextBuffer buffer_;
  std::string mended_;
  std::map<std::string, std::string, std::less<>> repositories_;  // of the folders met
};

}  // namespace

Result<ShardRead> read_files(const Shard& shard, const CorpusOptions& options, SourceSink& sink) {
  return FilesReader(shard, options, sink).read();
}

}  // namespace seamark::usage
