// gz through ISA-L, the fastest inflate there is that needs no whole output in memory.
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>

#include "seamark/usage/stored_bytes.h"

namespace seamark::usage {
namespace {

// Of a member: its header must fit in.
constexpr std::size_t kMaxHeader = std::size_t{64} << 10;

// RFC 1952. How long the header is; 0: it is none, or longer than what is there. Not left to ISA-L, which
// does not take up a header that ends its input in the middle of a name.
std::size_t header_size(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kExtra = 4, kName = 8, kComment = 16, kChecksum = 2, kReserved = 0xe0;
  if (bytes.size() < 10 || bytes[2] != 8 || (bytes[3] & kReserved) != 0) return 0;
  const std::uint8_t flags = bytes[3];
  std::size_t at = 10;
  if ((flags & kExtra) != 0) {
    if (bytes.size() < at + 2) return 0;
    at += 2 + bytes[at] + (std::size_t{bytes[at + 1]} << 8);
  }
  for (const std::uint8_t text : {kName, kComment}) {
    if ((flags & text) == 0) continue;
    while (at < bytes.size() && bytes[at] != 0) ++at;
    ++at;
  }
  if ((flags & kChecksum) != 0) at += 2;
  return at <= bytes.size() ? at : 0;
}

std::string_view reason(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "an invalid block";
    case ISAL_INVALID_SYMBOL:
      return "an invalid symbol";
    case ISAL_INVALID_LOOKBACK:
      return "a reference to before its beginning";
    default:
      return "something invalid";
  }
}

class GzSource : public ByteSource {
 public:
  explicit GzSource(StoredBytes bytes) : bytes_(std::move(bytes)), state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
  }

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      if (!inside_ && !begin_member()) break;
      done += inflate(out.subspan(done));
    }
    return done;
  }

 private:
  void end(std::string problem) {
    ended_ = true;
    if (!problem.empty()) problems_.push_back(std::move(problem));
  }

  // Of what follows a member: another one, zeros that pad it to a block of a tape, or the end.
  bool begin_member() {
    bool padded = false;
    while (bytes_.want(1) && bytes_.window().front() == 0 && members_ > 0) {
      const std::span<std::uint8_t> window = bytes_.window();
      const auto* past =
          std::find_if(window.begin(), window.end(), [](std::uint8_t b) { return b != 0; }).base();
      bytes_.consume(static_cast<std::size_t>(past - window.data()));
      padded = true;
    }
    if (!bytes_.want(1)) {
      end(bytes_.failure());
      return false;
    }
    bytes_.want(kMaxHeader);
    const std::span<std::uint8_t> window = bytes_.window();
    if (window.size() < 2 || window[0] != 0x1f || window[1] != 0x8b) {
      end(fmt::format("what follows the {} at byte {} is no gz: the rest is left out",
                      padded ? "padding" : "last member", bytes_.offset()));
      return false;
    }
    const std::size_t header = header_size(window);
    if (header == 0) {
      end(fmt::format("the header of gz member {} at byte {} is cut off, or none", members_ + 1,
                      bytes_.offset()));
      return false;
    }
    bytes_.consume(header);
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP_NO_HDR_VER;
    inside_ = true;
    ++members_;
    return true;
  }

  std::size_t inflate(std::span<char> out) {
    const bool more = bytes_.want(1);
    const std::span<std::uint8_t> window = bytes_.window();
    const std::size_t room = std::min<std::size_t>(out.size(), std::numeric_limits<std::int32_t>::max());
    state_->next_in = window.data();
    state_->avail_in = static_cast<std::uint32_t>(window.size());
    state_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_->avail_out = static_cast<std::uint32_t>(room);
    const int code = isal_inflate(state_.get());
    bytes_.consume(window.size() - state_->avail_in);
    const std::size_t made = room - state_->avail_out;
    if (code == ISAL_INCORRECT_CHECKSUM) {
      // Where the next member begins is known all the same.
      inside_ = false;
      problems_.push_back(
          fmt::format("the checksum of gz member {} is wrong (byte {}): what it held was counted, "
                      "and may be damaged",
                      members_, bytes_.offset()));
    } else if (code < 0) {
      end(fmt::format("gz member {} is corrupt near byte {} ({}): the rest is left out", members_,
                      bytes_.offset(), reason(code)));
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      inside_ = false;
    } else if (made == 0 && !more) {
      end(bytes_.failure().empty() ? fmt::format("gz member {} is cut off at byte {}: the file is not whole",
                                                 members_, bytes_.offset())
                                   : bytes_.failure());
    }
    return made;
  }

  StoredBytes bytes_;
  std::unique_ptr<inflate_state> state_;  // 90 KiB
  std::uint64_t members_ = 0;
  bool inside_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gz(StoredBytes bytes) {
  return std::make_unique<GzSource>(std::move(bytes));
}

}  // namespace seamark::usage
