// An optional that takes one pointer's room where it is empty.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace seamark {

template <typename T>
class HeapOptional {
 public:
  HeapOptional() = default;
  HeapOptional(std::nullopt_t) {}                                           // NOLINT
  HeapOptional(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT
  HeapOptional(std::optional<T> value) {                                    // NOLINT
    if (value) value_ = std::make_unique<T>(std::move(*value));
  }
  HeapOptional(const HeapOptional& other)
      : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  HeapOptional(HeapOptional&&) noexcept = default;
  HeapOptional& operator=(HeapOptional other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~HeapOptional() = default;

  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  // Throws std::bad_optional_access where there is none.
  [[nodiscard]] const T& value() const {
    if (!value_) throw std::bad_optional_access();
    return *value_;
  }
  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }
  operator std::optional<T>() const {  // NOLINT
    return value_ ? std::optional<T>(*value_) : std::nullopt;
  }

  friend bool operator==(const HeapOptional& one, std::nullopt_t) { return !one.has_value(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace seamark
