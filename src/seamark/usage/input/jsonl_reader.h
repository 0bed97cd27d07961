// One object a line: found, sifted and decoded out of a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/corpus.h"
#include "seamark/usage/input/json_text.h"
#include "seamark/usage/input/loss_log.h"
#include "seamark/usage/input/prefilter.h"

namespace seamark::usage {

// What is read at once when nothing else is asked for: it stays in the second-level cache.
inline constexpr std::size_t kReadWindow = std::size_t{256} << 10;

class JsonlReader {
 public:
  // All are borrowed. `name` stands in losses.
  JsonlReader(std::string name, const CorpusOptions& options, SourceSink& sink,
              std::size_t window = kReadWindow);

  // To the end; kLost where the options are strict.
  Result<ShardRead> read(ByteSource& source);
  // The most that was held of the input at once.
  [[nodiscard]] std::size_t peak_bytes() const { return peak_; }

 private:
  void make_room();
  void set_capacity(std::size_t bytes);
  void move_to(char* buffer);
  [[nodiscard]] std::size_t held() const { return end_ - line_; }
  bool refill(ByteSource& source);  // false: the end
  void scan();                      // what is in the buffer
  bool scan_part();                 // up to the next line end; false: there is none in the buffer
  bool skip_line();
  void finish_line(const char* end);
  void last_line();
  void take_line(std::string_view line);
  void lose_line();
  void lose(std::string what) { losses_.lose({name_, line_number_, std::move(what)}); }
  [[nodiscard]] const char* text() const { return buffer_.get(); }

  std::string name_;
  const CorpusOptions& options_;
  SourceSink& sink_;
  LossLog losses_;
  Prefilter prefilter_;
  ShardRead done_;

  std::unique_ptr<char[]> buffer_;
  std::size_t window_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t peak_ = 0;
  std::size_t line_ = 0;  // where the line begins
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 1;
  bool hit_ = false;       // the line has a needle
  bool too_long_ = false;  // the line is lost, and passed over
  bool cut_off_ = false;   // the input ended before its end
  bool cut_line_ = false;  // and this is the line where it did
  bool at_end_ = false;

  JsonString content_;
  JsonString repository_;
  JsonString path_;
};

}  // namespace seamark::usage
