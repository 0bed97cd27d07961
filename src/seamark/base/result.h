// Result<T>: a value, or an Error that a caller can be expected to handle.
//
// Every room declares one enum of the errors that it can return and a constexpr room_of() beside it:
//
//   enum class StoreError { kNotAStore = 1, kLocked = 2 };
//   constexpr std::string_view room_of(StoreError) { return "store"; }
//
// Broken contracts are exceptions; errors are translated into exit codes once, in cli.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace seamark {

template <typename E>
concept RoomError = std::is_enum_v<E> && requires(E e) {
  { room_of(e) } -> std::convertible_to<std::string_view>;
};

// What happened (message: what, to what) and what to do about it (remedy, may be empty).
class Error {
 public:
  template <RoomError E>
  Error(E code, std::string message, std::string remedy = {})
      : room_(room_of(code)),
        code_(static_cast<int>(code)),
        message_(std::move(message)),
        remedy_(std::move(remedy)) {}

  template <RoomError E>
  [[nodiscard]] bool is(E code) const {
    return room_ == room_of(code) && code_ == static_cast<int>(code);
  }
  [[nodiscard]] std::string_view room() const { return room_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

  // Puts the wider action in front: "cannot open the store: disk is full".
  [[nodiscard]] Error within(std::string_view context) const {
    Error wider = *this;
    wider.message_ = std::string(context) + ": " + message_;
    return wider;
  }

 private:
  std::string_view room_;
  int code_;
  std::string message_;
  std::string remedy_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Throw std::bad_variant_access when called on the other alternative (a broken contract).
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace seamark
