// Wires a run to the store.
#pragma once

#include <span>
#include <string_view>

#include "seamark/run/attempt_sink.h"
#include "seamark/store/store.h"

namespace seamark::cli {

class StoreSink final : public run::AttemptSink {
 public:
  explicit StoreSink(store::RunWriter& writer) : writer_(writer) {}
  Status commit(std::span<const Attempt> attempts) override { return writer_.commit(attempts); }
  Status event(std::string_view kind, const Value& detail) override { return writer_.event(kind, detail); }

 private:
  store::RunWriter& writer_;
};

}  // namespace seamark::cli
