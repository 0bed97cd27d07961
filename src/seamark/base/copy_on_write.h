// A value that many objects hold and few change: copies share it until one of them changes it. An empty one
// reads as T's default.
#pragma once

#include <memory>
#include <utility>

namespace seamark {

template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const {
    static const T nothing{};
    return value_ ? *value_ : nothing;
  }
  const T* operator->() const { return &**this; }

  // This one's own from here on: those that it was shared with stay as they are.
  T& edit() {
    if (value_ == nullptr || value_.use_count() > 1) value_ = std::make_shared<T>(**this);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;  // nullptr: a plain T
};

}  // namespace seamark
