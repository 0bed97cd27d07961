// A run's content as text, by which two versions of it are compared. Internal to the room.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "seamark/base/result.h"
#include "seamark/store/records.h"
#include "seamark/store/store.h"

namespace seamark::store {

enum class Fields : std::uint8_t {
  kAll = 1,
  kExported = 2,  // those that a line of an export has
};

// Every field with its name; equal texts: equal values. Ids of rows and owners are no part of it.
std::string text_of(const RunInfo& run);
std::string text_of(const RunTarget& target);
std::string text_of(const StoredEvent& event);
std::string text_of(const Attempt& attempt, Fields fields);

// The first field that differs, as "NAME is OURS, not THEIRS".
std::string first_difference(std::string_view ours, std::string_view theirs);

// "attempt 2 of torch.sort/x on torch/cpu".
std::string name_of(const Attempt& attempt);

// The attempts of one run of a store, to hold those of another version of it against.
class RunAttempts {
 public:
  // Of texts as they are masked: what was stored before a shape was known is no difference.
  static Result<RunAttempts> read(Store& store, const std::string& uuid, Fields fields,
                                  const SecretShapes* secrets = nullptr);

  enum class Match : std::uint8_t { kMissing = 1, kSame = 2, kOther = 3 };
  [[nodiscard]] Match match(const Attempt& attempt) const;
  // Of an attempt that is kOther: in what.
  Result<std::string> difference(Store& store, const Attempt& theirs) const;
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  RunAttempts(std::string uuid, Fields fields, const SecretShapes* secrets)
      : uuid_(std::move(uuid)), fields_(fields), secrets_(secrets) {}
  [[nodiscard]] AttemptFilter filter() const;
  [[nodiscard]] std::string masked_text(const Attempt& attempt) const;

  std::string uuid_;
  Fields fields_;
  const SecretShapes* secrets_;
  std::unordered_map<std::uint64_t, std::uint64_t> texts_;  // hash of target, case and number: of the text
};

}  // namespace seamark::store
