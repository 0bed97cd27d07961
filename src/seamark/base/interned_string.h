// A text that thousands of results have in common is kept once.
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace seamark {

// Reads like a const std::string; empty costs nothing, copies share.
class InternedString {
 public:
  InternedString() = default;
  explicit InternedString(std::string text) { *this = std::move(text); }

  InternedString& operator=(std::string text) {
    text_ = text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text));
    return *this;
  }
  InternedString& operator=(const char* text) { return *this = std::string(text); }

  [[nodiscard]] const std::string& get() const {
    static const std::string empty;
    return text_ ? *text_ : empty;
  }
  operator const std::string&() const { return get(); }  // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return get(); }    // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  [[nodiscard]] bool starts_with(std::string_view start) const { return get().starts_with(start); }

  friend bool operator==(const InternedString& a, const InternedString& b) {
    return a.text_ == b.text_ || a.get() == b.get();
  }
  friend bool operator==(const InternedString& a, std::string_view b) { return a.get() == b; }
  friend bool operator==(const InternedString& a, const std::string& b) { return a.get() == b; }
  friend bool operator==(const InternedString& a, const char* b) { return a.get() == b; }
  friend std::string operator+(const InternedString& a, std::string_view b) {
    return std::string(a.get()).append(b);
  }
  friend std::string operator+(std::string_view a, const InternedString& b) {
    return std::string(a).append(b.get());
  }
  friend std::ostream& operator<<(std::ostream& out, const InternedString& text) { return out << text.get(); }

 private:
  std::shared_ptr<const std::string> text_;  // nullptr: empty
};

// Hands out one InternedString for equal texts; from so many different ones on, those that are new are not
// kept.
class StringInterner {
 public:
  explicit StringInterner(std::size_t most = 65'536) : most_(most) {}

  InternedString share(const std::string& text) {
    if (text.empty()) return {};
    if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
    InternedString shared(text);
    // The key is the shared text's own: it lives as long as its value does.
    if (texts_.size() < most_) texts_.emplace(std::string_view(shared.get()), shared);
    return shared;
  }

 private:
  std::size_t most_;
  std::unordered_map<std::string_view, InternedString> texts_;
};

}  // namespace seamark
