// The order of the wire: what a worker may say when. Pure: no I/O, no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/agent/wire.h"
#include "seamark/base/result.h"
#include "seamark/model/outcome.h"

namespace seamark::agent {

// Cuts a byte stream into lines; never holds more than one line.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_bytes = kMaxLineBytes) : max_bytes_(max_bytes) {}
  // Appends the whole lines in `bytes`, without '\n', to `lines`. kProtocol when a line is too long: the
  // lines before it are in `lines`, nothing may be fed after it.
  Status feed(std::string_view bytes, std::vector<std::string>& lines);
  // Bytes of an unfinished line.
  [[nodiscard]] const std::string& rest() const { return rest_; }

 private:
  std::size_t max_bytes_;
  std::string rest_;
};

// Answers come in the order of the runs, each with the nonce that was given while it was the front. An id is
// done at its `reaped` (fork mode; a child may die without an `end`) or at the `done` after its `end`.
class ProtocolState {
 public:
  explicit ProtocolState(WorkerMode mode) : mode_(mode) {}

  enum class State { kAwaitingReady, kServing, kUnusable };
  [[nodiscard]] State state() const { return state_; }

  void planned(std::size_t names) { planned_ += static_cast<std::int64_t>(names); }
  [[nodiscard]] std::int64_t planned() const { return planned_; }

  // A `run` was sent. Throws std::logic_error on an unplanned id or more than two in flight.
  void sent_run(std::int64_t id);
  [[nodiscard]] std::size_t in_flight() const { return ids_.size(); }
  // All ids in flight, the front first.
  [[nodiscard]] const std::deque<std::int64_t>& ids() const { return ids_; }
  // Whether the front has no nonce yet: nothing answers it before gave_nonce().
  [[nodiscard]] bool lacks_nonce() const { return !ids_.empty() && !nonce_; }
  void gave_nonce(std::string nonce) { nonce_ = std::move(nonce); }
  [[nodiscard]] bool front_forked() const { return forked_; }
  [[nodiscard]] bool front_ended() const { return ended_; }

  // kProtocol when the event may not come now; nothing has changed then.
  Status accept(const Event& event);

 private:
  Status accept_one(const Ready&);
  Status accept_one(const Unusable&);
  Status accept_one(const Forked& forked);
  Status accept_one(const End& end);
  Status accept_one(const Reaped& reaped);
  Status accept_one(const Done& done);
  [[nodiscard]] Status expect_front(std::string_view ev, std::int64_t id, std::string_view nonce) const;
  void pop();

  WorkerMode mode_;
  State state_ = State::kAwaitingReady;
  std::int64_t planned_ = 0;
  std::deque<std::int64_t> ids_;
  std::optional<std::string> nonce_;  // of the front
  bool forked_ = false;
  bool ended_ = false;
};

}  // namespace seamark::agent
