// How values lie in columns: documents as JSON text, lists as JSON arrays, samples as little-endian
// doubles. Internal to the room.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/secrets.h"
#include "seamark/base/value.h"
#include "seamark/model/attempt.h"
#include "seamark/store/records.h"

namespace seamark::store {

// Persisted.
enum class SampleKind : std::uint8_t { kWarm = 1, kDevice = 2 };

// The last of each enum of runs and attempts: what is above its number was written by nobody.
template <typename E>
inline constexpr E kLast;
template <>
inline constexpr Phase kLast<Phase> = Phase::kTiming;
template <>
inline constexpr Outcome kLast<Outcome> = Outcome::kFlaky;
template <>
inline constexpr Evidence kLast<Evidence> = Evidence::kVerified;
template <>
inline constexpr WorkerMode kLast<WorkerMode> = WorkerMode::kProcess;
template <>
inline constexpr Where kLast<Where> = Where::kNone;
template <>
inline constexpr RunState kLast<RunState> = RunState::kFailed;

// Empty for null. Non-finite numbers become the strings "nan", "inf" and "-inf".
std::string encode_document(const Value& value);
std::string encode_document(const Value& value, const SecretShapes* secrets);  // masked; null: as it is
Result<Value> decode_document(std::string_view json);                          // empty: null

// The text itself; where something is masked in it, what is then kept in `texts`.
std::string_view masked(std::string_view text, const SecretShapes* secrets, std::deque<std::string>& texts);

std::string encode_list(const std::vector<std::string>& list);  // empty for none
Result<std::vector<std::string>> decode_list(std::string_view json);

// Method, outputs, fallback operations and note; the other members have columns.
std::string encode_placement(const Placement& placement);
Status decode_placement(std::string_view json, Placement& placement);

std::vector<std::uint8_t> encode_samples(std::span<const double> samples);
std::optional<std::vector<double>> decode_samples(std::span<const std::uint8_t> bytes);  // nullopt: not whole

}  // namespace seamark::store
