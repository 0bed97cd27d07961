#include "seamark/run/recorder.h"

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
  if (!error_) {
    if (Status told = sink_.event(kind, detail); !told) error_ = told.error();
  }
  listener_.on_event(kind, detail);
}

std::int64_t Recorder::next_ns() const {
  return waiting_.empty() ? std::numeric_limits<std::int64_t>::max() : first_ns_ + kGather.count();
}

void Recorder::flush_if_due() {
  if (waiting_.size() >= kMany || clock_.monotonic_ns() >= next_ns()) flush();
}

void Recorder::flush() {
  if (waiting_.empty() || error_) return;
  if (Status done = sink_.commit(waiting_); !done) {
    error_ = done.error();
    return;
  }
  committed_ += waiting_.size();
  for (std::size_t i = 0; i < waiting_.size(); ++i) listener_.on_attempt(waiting_[i], *progress_[i]);
  waiting_.clear();
  progress_.clear();
}

}  // namespace seamark::run
