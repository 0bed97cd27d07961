// gz (RFC 1952): members one after the other. The checksum is ISA-L's.
#include <fmt/format.h>
#include <isa-l/crc.h>

#include <algorithm>

#include "seamark/usage/inflate.h"
#include "seamark/usage/stored_bytes.h"

namespace seamark::usage {
namespace {

// Of a member: its header must fit in.
constexpr std::size_t kMaxHeader = std::size_t{64} << 10;

// How long the header is; 0: it is none, or longer than what is there.
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

// The checksum and the size of what was packed stand behind it.
constexpr std::size_t kTrailerSize = 8;

std::uint32_t number_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = (value << 8) | bytes[at + i];
  return value;
}

std::string_view reason(Inflater::State state) {
  switch (state) {
    case Inflater::State::kInvalidBlock:
      return "an invalid block";
    case Inflater::State::kInvalidCode:
      return "an invalid symbol";
    case Inflater::State::kInvalidDistance:
      return "a reference to before its beginning";
    default:
      return "something invalid";
  }
}

class GzSource : public ByteSource {
 public:
  explicit GzSource(StoredBytes bytes) : bytes_(std::move(bytes)), inflater_(std::make_unique<Inflater>()) {}

  std::size_t read(std::span<char> out) override {
    // With what stands before it.
    const std::size_t before = relies_ ? before_ : 0;
    const std::span<char> all(out.data() - before, before + out.size());
    std::size_t at = before;
    while (at < all.size() && !ended_) {
      switch (stage_) {
        case Stage::kBetween:
          begin_member();
          break;
        case Stage::kData:
          at += inflate(all, at);
          break;
        case Stage::kTrailer:
          end_member();
          break;
      }
    }
    before_ = std::min(at, kInflateReach);
    return at - before;
  }

  std::size_t rely_on_output() override {
    relies_ = true;
    inflater_->rely_on_output();
    return kInflateReach;
  }

 private:
  enum class Stage : std::uint8_t { kBetween, kData, kTrailer };

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
    const std::size_t header = header_size(window);
    if (header == 0) {
      end(fmt::format("the header of gz member {} at byte {} is cut off, or none", members_ + 1,
                      bytes_.offset()));
      return;
    }
    bytes_.consume(header);
    inflater_->begin();
    checksum_ = 0;
    size_ = 0;
    stage_ = Stage::kData;
    ++members_;
  }

  // How many bytes it adds at out[at].
  std::size_t inflate(std::span<char> out, std::size_t at) {
    const bool more = bytes_.want(Inflater::kLeastInput);
    const Inflater::Progress progress = inflater_->inflate(bytes_.window(), !more, out, at);
    bytes_.consume(progress.taken);
    const auto* made = reinterpret_cast<const unsigned char*>(out.data() + at);
    checksum_ = crc32_gzip_refl(checksum_, made, progress.made);
    size_ += static_cast<std::uint32_t>(progress.made);
    switch (progress.state) {
      case Inflater::State::kInput:
      case Inflater::State::kOutput:
        break;
      case Inflater::State::kDone:
        stage_ = Stage::kTrailer;
        break;
      case Inflater::State::kCutOff:
        cut_off();
        break;
      default:
        end(fmt::format("gz member {} is corrupt near byte {} ({}): the rest is left out", members_,
                        bytes_.offset(), reason(progress.state)));
    }
    return progress.made;
  }

  void end_member() {
    if (!bytes_.want(kTrailerSize)) return cut_off();
    const std::span<const std::uint8_t> window = bytes_.window();
    const bool good = number_at(window, 0) == checksum_ && number_at(window, 4) == size_;
    bytes_.consume(kTrailerSize);
    stage_ = Stage::kBetween;
    if (good) return;
    // Where the next member begins is known all the same.
    problems_.push_back(
        fmt::format("the checksum of gz member {} is wrong (byte {}): what it held was counted, "
                    "and may be damaged",
                    members_, bytes_.offset()));
  }

  void cut_off() {
    end(bytes_.failure().empty() ? fmt::format("gz member {} is cut off at byte {}: the file is not whole",
                                               members_, bytes_.offset())
                                 : bytes_.failure());
  }

  StoredBytes bytes_;
  std::unique_ptr<Inflater> inflater_;  // 44 KiB
  Stage stage_ = Stage::kBetween;
  std::uint64_t members_ = 0;
  std::uint32_t checksum_ = 0;
  std::uint32_t size_ = 0;  // modulo 2 to the 32nd
  bool ended_ = false;
  bool relies_ = false;
  std::size_t before_ = 0;  // bytes that were read last, as many as a reference can reach
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gz(StoredBytes bytes) {
  return std::make_unique<GzSource>(std::move(bytes));
}

}  // namespace seamark::usage
