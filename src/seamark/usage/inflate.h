// DEFLATE (RFC 1951), decoded in pieces of any size: output of any size, input as it comes. About a fifth
// faster than ISA-L's, because nothing is copied but what must be kept for references back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace seamark::usage {

// What a code stands for, found by the next bits of the input. An entry is
// - bits 0 to 5: how many bits it takes, extra bits included; of a pointer: those of the first table
// - bits 8 to 11: how many of them are the code itself; of a pointer: how many bits index the second table
// - bits 13 to 15: kEnd, kPointer, kExceptional
// - bits 16 to 30: the literal, the least length or distance, or where the second table begins
// - bit 31: kLiteral
struct InflateTables {
  static constexpr std::uint32_t kLiteral = 1u << 31;
  static constexpr std::uint32_t kExceptional = 1u << 15;  // and neither of the next two: no code begins so
  static constexpr std::uint32_t kPointer = 1u << 14;
  static constexpr std::uint32_t kEnd = 1u << 13;  // of the block
  static constexpr unsigned kLiteralBits = 11;
  static constexpr unsigned kDistanceBits = 8;
  static constexpr unsigned kLongestCode = 15;

  // The most that codes of 288 and 32 symbols can need (zlib's examples/enough.c).
  alignas(64) std::uint32_t literals[2342];
  alignas(64) std::uint32_t distances[402];
};

// Where decoding stands.
struct InflateCursor {
  const std::uint8_t* in = nullptr;
  const std::uint8_t* in_end = nullptr;
  std::uint8_t* out = nullptr;
  std::uint8_t* out_end = nullptr;
  std::uint8_t* floor = nullptr;  // the first byte before `out` that a reference may reach where it stands
  std::uint64_t bits = 0;         // the next ones, the first of them lowest
  std::uint64_t count = 0;        // how many; fewer than 8 between calls
  // A match that is not yet copied.
  std::uint32_t length = 0;
  std::uint32_t distance = 0;
};

// Codes of one block, as long as neither end is near.
enum class InflateStop : std::uint8_t { kNearAnEnd, kEndOfBlock, kFarMatch, kInvalidCode };
using InflateCodes = InflateStop (*)(InflateCursor& cursor, const InflateTables& tables);
constexpr std::size_t kInflateReach = 32768;  // of a reference
// What must be left on both sides for that.
constexpr std::size_t kInflateInput = 40;
constexpr std::size_t kInflateOutput = 320;

InflateStop portable_inflate_codes(InflateCursor& cursor, const InflateTables& tables);
InflateCodes bmi2_inflate_codes();  // nullptr: not on this processor
InflateCodes best_inflate_codes();

class Inflater {
 public:
  enum class State : std::uint8_t {
    kInput,  // it needs more
    kOutput,
    kDone,
    kInvalidBlock,
    kInvalidCode,
    kInvalidDistance,  // a reference to before the beginning
    kCutOff,           // the input ends before the stream
  };
  struct Progress {
    std::size_t taken = 0;
    std::size_t made = 0;
    State state = State::kInput;
  };
  // So much input must be there at once, unless nothing follows it: the header of a block is shorter.
  static constexpr std::size_t kLeastInput = 512;

  explicit Inflater(InflateCodes loop = best_inflate_codes()) : loop_(loop) {}

  // From now on out[0, at) holds the last kInflateReach bytes that were made, or all: they are not kept here.
  void rely_on_output() { keeps_ = false; }

  // A stream begins.
  void begin();
  // Decodes into out[at, size), which is not empty. What the call before made stands in out[0, at), if it
  // wrote there; `last`: nothing follows `in`. Where the state is kInput, what was not taken comes again,
  // with more.
  Progress inflate(std::span<const std::uint8_t> in, bool last, std::span<char> out, std::size_t at = 0);

 private:
  enum class Stage : std::uint8_t { kHeader, kStored, kCodes, kEnd };
  static constexpr std::size_t kReach = kInflateReach;

  State run(InflateCursor& cursor);
  State header(InflateCursor& cursor);
  State stored_header(InflateCursor& cursor);
  State dynamic_header(InflateCursor& cursor);
  bool code_lengths(InflateCursor& cursor, std::span<const std::uint32_t> codes,
                    std::span<std::uint8_t> lengths);
  State stored(InflateCursor& cursor);
  State codes(InflateCursor& cursor);
  InflateStop one_code(InflateCursor& cursor);
  State copy_match(InflateCursor& cursor);
  void end_block() { stage_ = final_ ? Stage::kEnd : Stage::kHeader; }
  void keep(const InflateCursor& cursor, std::size_t made);
  // Bits one code at a time, where the input may end: zeros follow it.
  void fill(InflateCursor& cursor);
  std::uint32_t take(InflateCursor& cursor, unsigned count);
  static std::uint32_t look_up(InflateCursor& cursor, const std::uint32_t* table, unsigned bits,
                               std::uint64_t& before);
  [[nodiscard]] bool overrun(const InflateCursor& cursor) const { return cursor.count < 8 * missing_; }
  bool give_back(InflateCursor& cursor);

  InflateCodes loop_;
  Stage stage_ = Stage::kHeader;
  bool final_ = false;
  bool last_ = false;
  bool keeps_ = true;
  std::uint32_t stored_left_ = 0;
  std::uint32_t length_ = 0;  // of a match that the end of the output cut
  std::uint32_t distance_ = 0;
  std::uint64_t kept_bits_ = 0;  // of a byte, between two calls
  std::uint64_t kept_count_ = 0;
  std::uint64_t missing_ = 0;           // bytes behind the end of the input that are among the bits
  std::uint64_t reach_ = 0;             // how far back a reference can go from where a call begins to write
  const std::uint8_t* call_ = nullptr;  // there
  InflateTables tables_{};
  std::array<std::uint8_t, kReach> history_{};  // the last `reach_` bytes before it, at the end
};

}  // namespace seamark::usage
