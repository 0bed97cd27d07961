#include "seamark/run/recorder.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace seamark::run {
namespace {

constexpr std::size_t kMany = 64;

}  // namespace

void Recorder::add(Attempt attempt, const TargetProgress& progress) {
  if (waiting_.empty()) first_ns_ = clock_.monotonic_ns();
  waiting_.push_back(std::move(attempt));
  progress_.push_back(&progress);
}

void Recorder::event(std::string_view kind, const Value& detail) {
  listener_.on_event(kind, detail);
  if (error_) return;
  if (is_busy() || !took(sink_.event(kind, detail))) events_.push_back({std::string(kind), detail});
}

std::int64_t Recorder::next_ns() const {
  if (is_busy()) return retry_ns_;
  return waiting_.empty() ? std::numeric_limits<std::int64_t>::max() : first_ns_ + kGather.count();
}

void Recorder::flush_if_due() {
  if (waiting_.size() >= kMany || clock_.monotonic_ns() >= next_ns()) flush();
}

void Recorder::flush() {
  if (error_ || (is_busy() && clock_.monotonic_ns() < retry_ns_)) return;
  if (!waiting_.empty()) {
    if (!took(sink_.commit(waiting_))) return;
    committed_ += waiting_.size();
    for (std::size_t i = 0; i < waiting_.size(); ++i) listener_.on_attempt(waiting_[i], *progress_[i]);
    waiting_.clear();
    progress_.clear();
  }
  for (; !events_.empty(); events_.pop_front()) {
    if (!took(sink_.event(events_.front().kind, events_.front().detail))) return;
  }
  if (is_busy()) listener_.on_notice("what waited is stored");
  busy_since_ns_.reset();
}

void Recorder::close() {
  retry_ns_ = 0;
  flush();
  if (error_ || !is_busy()) return;
  error_ = account_of(Error(SinkError::kBusy, "the store is still locked by another process",
                            "wait for it, then go on with --resume"));
}

bool Recorder::took(const Status& status) {
  if (status) return true;
  const std::int64_t now = clock_.monotonic_ns();
  if (!status.error().is(SinkError::kBusy) || now - busy_since_ns_.value_or(now) >= kPatience.count()) {
    error_ = account_of(status.error());
    return false;
  }
  if (!is_busy()) {
    busy_since_ns_ = now;
    listener_.on_notice(fmt::format("{}: results wait in memory, for up to {} minutes",
                                    status.error().message(),
                                    std::chrono::duration_cast<std::chrono::minutes>(kPatience).count()));
  }
  retry_ns_ = now + kRetry.count();
  return false;
}

Error Recorder::account_of(const Error& error) const {
  return error.within(
      fmt::format("{} results of this run are stored, {} are lost", committed_, waiting_.size()));
}

}  // namespace seamark::run
