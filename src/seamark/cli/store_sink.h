// Wires a run to the store.
#pragma once

#include <span>
#include <string_view>

#include "seamark/run/attempt_sink.h"
#include "seamark/store/store.h"

namespace seamark::cli {

class StoreSink final : public run::AttemptSink {
 public:
  // While it exists the writer does not wait for another process's lock: the run goes on, and what it has
  // waits.
  explicit StoreSink(store::RunWriter& writer) : writer_(writer) { writer_.set_lock_patience(kMilliseconds); }
  ~StoreSink() override { writer_.set_lock_patience(kMillisecondsAfter); }
  StoreSink(const StoreSink&) = delete;
  StoreSink& operator=(const StoreSink&) = delete;
  Status commit(std::span<const Attempt> attempts) override { return told(writer_.commit(attempts)); }
  Status event(std::string_view kind, const Value& detail) override {
    return told(writer_.event(kind, detail));
  }

 private:
  static constexpr int kMilliseconds = 50;
  static constexpr int kMillisecondsAfter = 5'000;

  static Status told(Status status) {
    if (status || !status.error().is(store::StoreError::kLocked)) return status;
    return Error(run::SinkError::kBusy, status.error().message(), status.error().remedy());
  }

  store::RunWriter& writer_;
};

}  // namespace seamark::cli
