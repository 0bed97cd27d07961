#include <fmt/format.h>
#include <zstd.h>

#include <stdexcept>

#include "seamark/usage/input/stored_bytes.h"

namespace seamark::usage {
namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(StoredBytes bytes) : bytes_(std::move(bytes)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size && !ended_) step(to);
    return to.pos;
  }

 private:
  void end(std::string problem) {
    ended_ = true;
    if (!problem.empty()) problems_.push_back(std::move(problem));
  }

  void step(ZSTD_outBuffer& to) {
    const bool more = bytes_.want(1);
    if (!more && between_) return end(bytes_.failure());
    const std::span<std::uint8_t> window = bytes_.window();
    ZSTD_inBuffer from{window.data(), window.size(), 0};
    const std::size_t before = to.pos;
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &to, &from);
    bytes_.consume(from.pos);
    if (ZSTD_isError(code) != 0) {
      return end(fmt::format("zstd data is corrupt near byte {} ({}): the rest is left out", bytes_.offset(),
                             ZSTD_getErrorName(code)));
    }
    between_ = code == 0;
    if (!more && !between_ && to.pos == before) {
      end(bytes_.failure().empty()
              ? fmt::format("a zstd frame is cut off at byte {}: the file is not whole", bytes_.offset())
              : bytes_.failure());
    }
  }

  StoredBytes bytes_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  bool between_ = false;  // frames
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_zstd(StoredBytes bytes) {
  return std::make_unique<ZstdSource>(std::move(bytes));
}

}  // namespace seamark::usage
