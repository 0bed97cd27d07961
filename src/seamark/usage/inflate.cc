#include "seamark/usage/inflate.h"

#include <algorithm>
#include <cstring>

#include "seamark/usage/inflate_body.h"
#include "seamark/usage/inflate_tables.h"

namespace seamark::usage {

InflateStop portable_inflate_codes(InflateCursor& cursor, const InflateTables& tables) {
  return inflate_codes(cursor, tables);
}

InflateCodes best_inflate_codes() {
  const InflateCodes bmi2 = bmi2_inflate_codes();
  return bmi2 != nullptr ? bmi2 : &portable_inflate_codes;
}

void Inflater::begin() {
  stage_ = Stage::kHeader;
  final_ = false;
  length_ = 0;
  missing_ = 0;
  reach_ = 0;
  kept_bits_ = kept_count_ = 0;
}

Inflater::Progress Inflater::inflate(std::span<const std::uint8_t> in, bool last, std::span<char> out,
                                     std::size_t at) {
  auto* const begin = reinterpret_cast<std::uint8_t*>(out.data());
  InflateCursor cursor;
  cursor.in = in.data();
  cursor.in_end = in.data() + in.size();
  cursor.out = begin + at;
  cursor.out_end = begin + out.size();
  cursor.floor = cursor.out - std::min<std::uint64_t>(reach_, at);
  cursor.bits = kept_bits_;
  cursor.count = kept_count_;
  cursor.length = length_;
  cursor.distance = distance_;
  call_ = cursor.out;
  last_ = last;
  const State state = run(cursor);
  const bool whole = give_back(cursor);
  length_ = cursor.length;
  distance_ = cursor.distance;
  kept_bits_ = cursor.bits;
  kept_count_ = cursor.count;
  Progress progress;
  progress.taken = static_cast<std::size_t>(cursor.in - in.data());
  progress.made = static_cast<std::size_t>(cursor.out - call_);
  progress.state = whole ? state : State::kCutOff;
  keep(cursor, progress.made);
  return progress;
}

Inflater::State Inflater::run(InflateCursor& cursor) {
  while (true) {
    State state = State::kDone;
    switch (stage_) {
      case Stage::kHeader:
        state = header(cursor);
        break;
      case Stage::kStored:
        state = stored(cursor);
        break;
      case Stage::kCodes:
        state = codes(cursor);
        break;
      case Stage::kEnd:
        return State::kDone;
    }
    // What was read behind the end says nothing: it is not there.
    if (overrun(cursor)) return State::kCutOff;
    if (state != State::kDone) return state;
  }
}

// What follows says kDone where its part is done, and the next one may begin.

Inflater::State Inflater::header(InflateCursor& cursor) {
  const auto left = static_cast<std::size_t>(cursor.in_end - cursor.in);
  if (!last_ && left < kLeastInput) return State::kInput;
  final_ = take(cursor, 1) == 1;
  switch (take(cursor, 2)) {
    case 0:
      return stored_header(cursor);
    case 1:
      make_fixed_tables(tables_);
      stage_ = Stage::kCodes;
      return State::kDone;
    case 2:
      return dynamic_header(cursor);
    default:
      return State::kInvalidBlock;
  }
}

Inflater::State Inflater::stored_header(InflateCursor& cursor) {
  (void)take(cursor, cursor.count % 8);
  stored_left_ = take(cursor, 16);
  if (take(cursor, 16) != (~stored_left_ & 0xffff)) return State::kInvalidBlock;
  stage_ = Stage::kStored;
  return State::kDone;
}

Inflater::State Inflater::dynamic_header(InflateCursor& cursor) {
  constexpr std::uint8_t kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  constexpr std::size_t kMostLiterals = 286, kMostDistances = 30, kEndOfBlock = 256;
  const std::size_t literals = take(cursor, 5) + 257;
  const std::size_t distances = take(cursor, 5) + 1;
  const std::size_t orders = take(cursor, 4) + 4;
  if (literals > kMostLiterals || distances > kMostDistances) return State::kInvalidBlock;
  std::array<std::uint8_t, 19> order{};
  for (std::size_t i = 0; i < orders; ++i) order[kOrder[i]] = static_cast<std::uint8_t>(take(cursor, 3));
  std::array<std::uint32_t, 1 << kLengthCodeBits> codes{};
  if (!make_length_table(order, codes)) return State::kInvalidBlock;
  std::array<std::uint8_t, kMostLiterals + kMostDistances> storage{};
  const std::span<std::uint8_t> lengths(storage.data(), literals + distances);
  if (!code_lengths(cursor, codes, lengths) || lengths[kEndOfBlock] == 0 ||
      !make_literal_table(lengths.first(literals), tables_) ||
      !make_distance_table(lengths.subspan(literals), tables_)) {
    return State::kInvalidBlock;
  }
  stage_ = Stage::kCodes;
  return State::kDone;
}

bool Inflater::code_lengths(InflateCursor& cursor, std::span<const std::uint32_t> codes,
                            std::span<std::uint8_t> lengths) {
  std::size_t at = 0;
  while (at < lengths.size()) {
    fill(cursor);
    const std::uint32_t entry = codes[cursor.bits & (codes.size() - 1)];
    (void)take(cursor, entry & 63);
    const std::uint32_t symbol = entry >> 16;
    if (symbol < 16) {
      lengths[at++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && at == 0) return false;
    const std::uint8_t value = symbol == 16 ? lengths[at - 1] : 0;
    const std::size_t times = symbol == 16   ? 3 + take(cursor, 2)
                              : symbol == 17 ? 3 + take(cursor, 3)
                                             : 11 + take(cursor, 7);
    if (times > lengths.size() - at) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), times, value);
    at += times;
  }
  return true;
}

Inflater::State Inflater::stored(InflateCursor& cursor) {
  if (!give_back(cursor)) return State::kCutOff;
  const std::size_t count =
      std::min({static_cast<std::size_t>(stored_left_), static_cast<std::size_t>(cursor.in_end - cursor.in),
                static_cast<std::size_t>(cursor.out_end - cursor.out)});
  if (count > 0) std::memcpy(cursor.out, cursor.in, count);
  cursor.in += count;
  cursor.out += count;
  stored_left_ -= static_cast<std::uint32_t>(count);
  if (stored_left_ == 0) {
    end_block();
    return State::kDone;
  }
  if (cursor.out == cursor.out_end) return State::kOutput;
  return last_ ? State::kCutOff : State::kInput;
}

Inflater::State Inflater::codes(InflateCursor& cursor) {
  while (true) {
    if (cursor.length > 0) {
      const State state = copy_match(cursor);
      if (state != State::kDone) return state;
    }
    const auto in_left = static_cast<std::size_t>(cursor.in_end - cursor.in);
    const auto out_left = static_cast<std::size_t>(cursor.out_end - cursor.out);
    InflateStop stop = InflateStop::kNearAnEnd;
    if (in_left > kInflateInput && out_left > kInflateOutput && missing_ == 0) {
      // What was filled in for a single code goes back first: the loop counts on fewer than 8 bits.
      (void)give_back(cursor);
      stop = loop_(cursor, tables_);
    } else {
      if (out_left == 0) return State::kOutput;
      if (!last_ && in_left <= kInflateInput) return State::kInput;
      stop = one_code(cursor);
      if (overrun(cursor)) return State::kCutOff;
    }
    if (stop == InflateStop::kInvalidCode) return State::kInvalidCode;
    if (stop == InflateStop::kEndOfBlock) {
      end_block();
      return State::kDone;
    }
  }
}

// Like a turn of the loop, but that every bound is looked at. A match is left to be copied.
InflateStop Inflater::one_code(InflateCursor& cursor) {
  using T = InflateTables;
  fill(cursor);
  std::uint64_t before = cursor.bits;
  std::uint32_t entry = look_up(cursor, tables_.literals, T::kLiteralBits, before);
  if ((entry & T::kLiteral) != 0) {
    if (!overrun(cursor)) *cursor.out++ = static_cast<std::uint8_t>(entry >> 16);
    return InflateStop::kNearAnEnd;
  }
  if ((entry & T::kExceptional) != 0) {
    return (entry & T::kEnd) != 0 ? InflateStop::kEndOfBlock : InflateStop::kInvalidCode;
  }
  const std::uint32_t length = value_of(entry, before);
  fill(cursor);
  entry = look_up(cursor, tables_.distances, T::kDistanceBits, before);
  if ((entry & T::kExceptional) != 0) return InflateStop::kInvalidCode;
  cursor.length = length;
  cursor.distance = value_of(entry, before);
  return InflateStop::kFarMatch;
}

// The entry of the next code, whose bits are dropped; `before`: the bits that its extra ones are among.
std::uint32_t Inflater::look_up(InflateCursor& cursor, const std::uint32_t* table, unsigned bits,
                                std::uint64_t& before) {
  std::uint32_t entry = table[cursor.bits & ((1u << bits) - 1)];
  if ((entry & InflateTables::kPointer) != 0 && (entry & InflateTables::kLiteral) == 0) {
    cursor.bits >>= bits;
    cursor.count -= bits;
    entry = table[(entry >> 16) + (cursor.bits & ((1u << ((entry >> 8) & 15)) - 1))];
  }
  before = cursor.bits;
  cursor.bits >>= entry & 63;
  cursor.count -= entry & 63;
  return entry;
}

// Byte by byte, and out of what is kept where it reaches to before `out`.
Inflater::State Inflater::copy_match(InflateCursor& cursor) {
  const auto here = static_cast<std::size_t>(cursor.out - call_);
  if (cursor.distance > std::min<std::uint64_t>(reach_ + here, kReach)) return State::kInvalidDistance;
  const auto near = static_cast<std::size_t>(cursor.out - cursor.floor);
  std::size_t left =
      std::min<std::size_t>(cursor.length, static_cast<std::size_t>(cursor.out_end - cursor.out));
  cursor.length -= static_cast<std::uint32_t>(left);
  if (cursor.distance > near) {
    // The history ends where this call began to write.
    const std::size_t back = cursor.distance - here;
    const std::size_t far = std::min(left, std::size_t{cursor.distance} - near);
    std::memcpy(cursor.out, history_.data() + (kReach - back), far);
    cursor.out += far;
    left -= far;
  }
  for (; left > 0; --left, ++cursor.out) *cursor.out = *(cursor.out - cursor.distance);
  return cursor.length > 0 ? State::kOutput : State::kDone;
}

void Inflater::keep(const InflateCursor& cursor, std::size_t made) {
  reach_ = std::min<std::uint64_t>(reach_ + made, kReach);
  if (!keeps_) return;
  if (made >= kReach) {
    std::memcpy(history_.data(), cursor.out - kReach, kReach);
  } else if (made > 0) {
    std::memmove(history_.data(), history_.data() + made, kReach - made);
    std::memcpy(history_.data() + (kReach - made), cursor.out - made, made);
  }
}

void Inflater::fill(InflateCursor& cursor) {
  while (cursor.count <= 56) {
    if (cursor.in < cursor.in_end) {
      cursor.bits |= std::uint64_t{*cursor.in++} << cursor.count;
    } else {
      ++missing_;
    }
    cursor.count += 8;
  }
}

// At most 16.
std::uint32_t Inflater::take(InflateCursor& cursor, unsigned count) {
  if (cursor.count < count) fill(cursor);
  const auto value = static_cast<std::uint32_t>(cursor.bits & ((std::uint64_t{1} << count) - 1));
  cursor.bits >>= count;
  cursor.count -= count;
  return value;
}

// Whole bytes that were not used; false: more was used than is there.
bool Inflater::give_back(InflateCursor& cursor) {
  if (overrun(cursor)) return false;
  cursor.in -= cursor.count / 8 - missing_;
  missing_ = 0;
  cursor.count %= 8;
  cursor.bits &= (std::uint64_t{1} << cursor.count) - 1;
  return true;
}

}  // namespace seamark::usage
