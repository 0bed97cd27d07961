// What the readers of a corpus hand to the scanner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace seamark::usage {

// What a text must have around it to be scanned where it stands.
inline constexpr std::size_t kTextMargin = 128;

// A code cell of a notebook, in the text that all of them make together.
struct NotebookCell {
  std::uint32_t number = 1;      // of all cells of the notebook
  std::uint32_t first_line = 1;  // in the text
  std::uint32_t file_line = 1;   // of the file, where its text begins
  bool listed = false;           // each of its lines is on a line of the file
};

// Where a line of such a text stands.
struct NotebookPlace {
  std::uint32_t cell = 0;  // 0: in no notebook
  std::uint32_t line = 0;  // in the cell
  std::uint32_t file_line = 0;
};

// One Python source file. Views hold until take() returns.
struct SourceFile {
  std::string_view repository;  // what `repositories` counts; empty: unknown, the file is its own repository
  std::string_view path;
  std::string_view text;   // UTF-8, without a byte order mark; bytes that are none have become U+FFFD
  bool framed = false;     // kTextMargin newlines stand before and behind it
  bool repaired = false;   // some bytes were no UTF-8
  std::uint64_t line = 0;  // of a shard with a file a line; 0: the file is `path`
  // Of a notebook. Aggregates leave it out.
  std::span<const NotebookCell> cells{};  // NOLINT(readability-redundant-member-init)
};

// Something of the input that could not be counted. The rest was.
struct Loss {
  std::string file;
  std::uint64_t line = 0;  // from 1; 0: the whole file, or not known
  std::string what;
};

class SourceSink {
 public:
  virtual ~SourceSink() = default;
  virtual void take(const SourceFile& file) = 0;
  virtual void lose(const Loss& loss) = 0;
  // Now and then, with the uncompressed bytes read since the last time. False: stop reading (kStopped).
  virtual bool advance(std::uint64_t /*bytes*/) { return true; }
};

}  // namespace seamark::usage
