// gz (RFC 1952): members one after the other, inflated by ISA-L.
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>

#include "seamark/usage/input/stored_bytes.h"

namespace seamark::usage {
namespace {

// Of a member: its header must fit in.
constexpr std::size_t kMaxHeader = std::size_t{64} << 10;

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
  explicit GzSource(StoredBytes bytes)
      : bytes_(std::move(bytes)), state_(std::make_unique<inflate_state>()) {}

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      if (in_member_) {
        done += inflate(out.subspan(done));
      } else {
        begin_member();
      }
    }
    return done;
  }

 private:
  void end(std::string problem) {
    ended_ = true;
    if (!problem.empty()) problems_.push_back(std::move(problem));
  }

  // Of what follows a member: another one, zeros that pad it to a block of a tape, or the end.
  void begin_member() {
    bool padded = false;
    while (bytes_.want(1) && bytes_.window().front() == 0 && members_ > 0) {
      const std::span<std::uint8_t> window = bytes_.window();
      const auto past = std::find_if(window.begin(), window.end(), [](std::uint8_t b) { return b != 0; });
      bytes_.consume(static_cast<std::size_t>(past - window.begin()));
      padded = true;
    }
    if (!bytes_.want(1)) return end(bytes_.failure());
    bytes_.want(kMaxHeader);
    const std::span<std::uint8_t> window = bytes_.window();
    if (window.size() < 2 || window[0] != 0x1f || window[1] != 0x8b) {
      end(fmt::format("what follows the {} at byte {} is no gz: the rest is left out",
                      padded ? "padding" : "last member", bytes_.offset()));
      return;
    }
    ++members_;
    const std::size_t header = header_size(window);
    if (header == 0) {
      end(fmt::format("the header of gz member {} at byte {} is cut off, or none", members_,
                      bytes_.offset()));
      return;
    }
    bytes_.consume(header);
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP_NO_HDR_VER;
    in_member_ = true;
  }

  // How long the header is; 0: it is none, or longer than what is there.
  std::size_t header_size(std::span<std::uint8_t> bytes) {
    constexpr std::uint8_t kReserved = 0xe0;
    if (bytes.size() > 3 && (bytes[3] & kReserved) != 0) return 0;
    isal_inflate_init(state_.get());
    state_->next_in = bytes.data();
    state_->avail_in = static_cast<std::uint32_t>(bytes.size());
    isal_gzip_header header{};
    const int code = isal_read_gzip_header(state_.get(), &header);
    // A header whose own checksum is wrong is read all the same: the member has one too.
    if (code != ISAL_DECOMP_OK && code != ISAL_INCORRECT_CHECKSUM) return 0;
    return bytes.size() - state_->avail_in;
  }

  // How many bytes it adds at the beginning of `out`.
  std::size_t inflate(std::span<char> out) {
    const bool more = bytes_.want(1);
    const std::span<std::uint8_t> window = bytes_.window();
    state_->next_in = window.data();
    state_->avail_in = static_cast<std::uint32_t>(window.size());
    state_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_->avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), UINT32_MAX));
    const int code = isal_inflate(state_.get());
    bytes_.consume(window.size() - state_->avail_in);
    const auto made = static_cast<std::size_t>(reinterpret_cast<char*>(state_->next_out) - out.data());
    in_member_ = state_->block_state != ISAL_BLOCK_FINISH;
    if (code == ISAL_INCORRECT_CHECKSUM) {
      // Where the next member begins is known all the same.
      problems_.push_back(
          fmt::format("the checksum of gz member {} is wrong (byte {}): what it held was counted, "
                      "and may be damaged",
                      members_, bytes_.offset()));
    } else if (code != ISAL_DECOMP_OK) {
      end(fmt::format("gz member {} is corrupt near byte {} ({}): the rest is left out", members_,
                      bytes_.offset(), reason(code)));
    } else if (in_member_ && !more && made == 0) {
      end(bytes_.failure().empty() ? fmt::format("gz member {} is cut off at byte {}: the file is not whole",
                                                 members_, bytes_.offset())
                                   : bytes_.failure());
    }
    return made;
  }

  StoredBytes bytes_;
  std::unique_ptr<inflate_state> state_;  // some 90 KiB
  std::uint64_t members_ = 0;
  bool in_member_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gz(StoredBytes bytes) {
  return std::make_unique<GzSource>(std::move(bytes));
}

}  // namespace seamark::usage
