#include "seamark/usage/input/url_name.h"

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::usage {
namespace {

constexpr std::string_view kSlashes = "://";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_of_scheme(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == '_';
}

}  // namespace

bool is_url(std::string_view input) {
  while (true) {
    const auto end =
        static_cast<std::size_t>(std::find_if_not(input.begin(), input.end(), is_of_scheme) - input.begin());
    if (end < 2 || !is_letter(input.front())) return false;
    input.remove_prefix(end);
    if (input.starts_with(kSlashes)) return true;
    if (!input.starts_with("::")) return false;
    input.remove_prefix(2);
  }
}

std::string without_secrets(std::string_view text) {
  std::string shown;
  for (std::size_t at = text.find(kSlashes); at != std::string_view::npos; at = text.find(kSlashes)) {
    const std::string_view before = text.substr(0, at);
    const auto scheme = static_cast<std::size_t>(
        std::find_if_not(before.rbegin(), before.rend(), is_of_scheme) - before.rbegin());
    const bool http = lower_ascii(before.substr(at - scheme)).starts_with("http");
    shown += before;
    shown += kSlashes;
    text.remove_prefix(at + kSlashes.size());
    const std::string_view url = text.substr(0, text.find_first_of(" \t\r\n'\"<>"));
    const std::size_t user = url.substr(0, url.find_first_of("/?#")).rfind('@');
    const std::size_t host = user == std::string_view::npos ? 0 : user + 1;
    const std::size_t next = url.find(kSlashes);  // of a chain
    std::size_t query = url.find('?');
    if (query != std::string_view::npos && !http && url.find('=', query) == std::string_view::npos)
      query = std::string_view::npos;
    const std::size_t end = std::min({url.size(), next, query});
    shown += url.substr(host, end - host);
    text.remove_prefix(query <= next && query != std::string_view::npos ? url.size() : end);
  }
  return shown += text;
}

}  // namespace seamark::usage
