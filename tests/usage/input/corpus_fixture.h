// What the tests of the readers share: packed bytes, inputs that come in small pieces, a sink that keeps
// everything.
#pragma once

#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/value.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/jsonl_reader.h"

namespace seamark::usage {

// ISA-L reads what it packs, although its type does not say so.
inline std::uint8_t* to_pack(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // NOLINT(*-const-cast)
}

// One gz member.
inline std::string gz(std::string_view text) {
  std::string out(text.size() + 1024, '\0');
  isal_zstream stream{};
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.next_in = to_pack(text);
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) throw std::runtime_error("isal_deflate_stateless");
  out.resize(stream.total_out);
  return out;
}

// Many times the same text in one member: a small file with a large content.
inline std::string gz_repeated(std::string_view text, std::size_t times) {
  auto stream = std::make_unique<isal_zstream>();
  isal_deflate_init(stream.get());
  std::vector<std::uint8_t> level(ISAL_DEF_LVL1_DEFAULT);
  stream->level = 1;
  stream->level_buf = level.data();
  stream->level_buf_size = static_cast<std::uint32_t>(level.size());
  stream->gzip_flag = IGZIP_GZIP;
  std::string out;
  std::vector<std::uint8_t> piece(std::size_t{64} << 10);
  for (std::size_t i = 0; i < times; ++i) {
    stream->next_in = to_pack(text);
    stream->avail_in = static_cast<std::uint32_t>(text.size());
    stream->end_of_stream = i + 1 == times ? 1 : 0;
    do {
      stream->next_out = piece.data();
      stream->avail_out = static_cast<std::uint32_t>(piece.size());
      if (isal_deflate(stream.get()) != COMP_OK) throw std::runtime_error("isal_deflate");
      out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream->avail_out);
    } while (stream->avail_out == 0 || stream->avail_in > 0);
  }
  return out;
}

inline std::string zst(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Gives at most `piece` bytes at once, and fails at the end where it is told to.
class PieceInput : public RawInput {
 public:
  PieceInput(std::string bytes, std::size_t piece, bool fails = false)
      : bytes_(std::move(bytes)), piece_(piece), fails_(fails) {}

  Result<std::size_t> read(std::span<char> out) override {
    const std::size_t count = std::min({piece_, out.size(), bytes_.size() - at_});
    if (count == 0 && fails_) return Error(IoError::kOther, "cannot read on: the disk is on fire");
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
  bool fails_;
};

inline std::unique_ptr<RawInput> memory_input(std::string_view bytes) {
  return std::make_unique<PieceInput>(std::string(bytes), bytes.size());
}

struct Taken {
  std::string repository;
  std::string path;
  std::string text;
  friend bool operator==(const Taken&, const Taken&) = default;
};

// What a file that is framed promises.
inline bool has_frame(const SourceFile& file) {
  const std::string newlines(kTextMargin, '\n');
  return std::string_view(file.text.data() - kTextMargin, kTextMargin) == newlines &&
         std::string_view(file.text.data() + file.text.size(), kTextMargin) == newlines;
}

class KeepingSink : public SourceSink {
 public:
  void take(const SourceFile& file) override {
    EXPECT_TRUE(!file.framed || has_frame(file)) << file.path;
    framed += file.framed ? 1 : 0;
    taken.push_back({std::string(file.repository), std::string(file.path), std::string(file.text)});
  }
  void lose(const Loss& loss) override { losses.push_back(loss); }

  std::vector<Taken> taken;
  std::vector<Loss> losses;
  std::size_t framed = 0;
};

struct ReadLines {
  ShardRead counts;
  std::vector<Taken> taken;
  std::vector<Loss> losses;
  std::size_t peak = 0;
};

inline CorpusOptions with_needles() {
  CorpusOptions options;
  options.needles = {"torch", "tensorflow", "jax"};
  return options;
}

inline ReadLines read_lines(std::string_view bytes, const CorpusOptions& options = with_needles(),
                            std::size_t window = kReadWindow) {
  KeepingSink sink;
  JsonlReader reader("corpus.jsonl", options, sink, window);
  const std::unique_ptr<ByteSource> source = unpack(memory_input(bytes));
  const Result<ShardRead> done = reader.read(*source);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message());
  return {done.ok() ? *done : ShardRead(), std::move(sink.taken), std::move(sink.losses),
          reader.peak_bytes()};
}

inline std::string json_line(std::string_view content, std::string_view repository = "a/b",
                             std::string_view path = "c.py") {
  Value line;
  line.set("repo_name", repository)
      .set("path", path)
      .set("copies", "1")
      .set("content", content)
      .set("license", "mit");
  return dump_json(line) + "\n";
}

}  // namespace seamark::usage
