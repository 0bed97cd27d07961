#include "seamark/agent/protocol_state.h"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

namespace seamark::agent {
namespace {

constexpr std::size_t kMaxInFlight = 2;

Error out_of_order(const std::string& what) { return Error(AgentError::kProtocol, what); }

}  // namespace

Status LineSplitter::feed(std::string_view bytes, std::vector<std::string>& lines) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t piece = end == std::string_view::npos ? bytes.size() : end;
    if (rest_.size() + piece > max_bytes_) {
      rest_.clear();
      return Error(AgentError::kProtocol, fmt::format("a line of more than {} bytes", max_bytes_));
    }
    rest_.append(bytes.substr(0, piece));
    if (end == std::string_view::npos) return {};
    lines.push_back(std::move(rest_));
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
  return {};
}

void ProtocolState::sent_run(std::int64_t id) {
  if (id < 0 || id >= planned_) throw std::logic_error("run of an id that was not planned");
  if (ids_.size() >= kMaxInFlight) throw std::logic_error("more than two ids in flight");
  ids_.push_back(id);
}

Status ProtocolState::accept(const Event& event) {
  return std::visit([this](const auto& e) { return accept_one(e); }, event);
}

Status ProtocolState::accept_one(const Ready&) {
  if (state_ != State::kAwaitingReady) return out_of_order("a second answer to 'hello'");
  state_ = State::kServing;
  return {};
}

Status ProtocolState::accept_one(const Unusable&) {
  if (state_ != State::kAwaitingReady) return out_of_order("a second answer to 'hello'");
  state_ = State::kUnusable;
  return {};
}

Status ProtocolState::expect_front(std::string_view ev, std::int64_t id, std::string_view nonce) const {
  if (state_ != State::kServing) return out_of_order(fmt::format("'{}' before 'ready'", ev));
  if (ids_.empty()) return out_of_order(fmt::format("'{}' of id {}, but nothing was asked", ev, id));
  if (ids_.front() != id) {
    return out_of_order(fmt::format("'{}' of id {}, but id {} is due", ev, id, ids_.front()));
  }
  if (nonce_ != nonce) {
    return out_of_order(fmt::format("'{}' of id {} without the request's nonce: a forged one", ev, id));
  }
  return {};
}

Status ProtocolState::accept_one(const Forked& forked) {
  if (Status due = expect_front("forked", forked.id, forked.nonce); !due) return due;
  if (mode_ != WorkerMode::kFork) return out_of_order("'forked' from a worker that does not fork");
  if (forked_) return out_of_order(fmt::format("a second 'forked' of id {}", forked.id));
  forked_ = true;
  return {};
}

Status ProtocolState::accept_one(const End& end) {
  if (Status due = expect_front("end", end.id, end.nonce); !due) return due;
  if (ended_) return out_of_order(fmt::format("a second 'end' of id {}", end.id));
  ended_ = true;
  return {};
}

Status ProtocolState::accept_one(const Reaped& reaped) {
  if (Status due = expect_front("reaped", reaped.id, reaped.nonce); !due) return due;
  if (mode_ != WorkerMode::kFork) return out_of_order("'reaped' from a worker that does not fork");
  pop();
  return {};
}

Status ProtocolState::accept_one(const Done& done) {
  if (Status due = expect_front("done", done.id, done.nonce); !due) return due;
  if (mode_ == WorkerMode::kFork) return out_of_order("'done' from a worker that forks");
  if (!ended_) return out_of_order(fmt::format("'done' of id {} before its 'end'", done.id));
  pop();
  return {};
}

void ProtocolState::pop() {
  ids_.pop_front();
  nonce_.reset();
  forked_ = ended_ = false;
}

}  // namespace seamark::agent
