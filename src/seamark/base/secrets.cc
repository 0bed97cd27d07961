#include "seamark/base/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"

namespace seamark {

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// "A-Z0-9._-": single bytes, and ranges from one to another; a hyphen at an end is itself.
std::array<bool, 256> read_bytes(std::string_view text) {
  std::array<bool, 256> out{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto from = static_cast<unsigned char>(text[i]);
    auto to = from;
    if (i + 2 < text.size() && text[i + 1] == '-') {
      to = static_cast<unsigned char>(text[i + 2]);
      i += 2;
    }
    for (std::size_t byte = from; byte <= to; ++byte) out.at(byte) = true;
  }
  return out;
}

std::size_t run_of(const std::array<bool, 256>& bytes, std::string_view text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && bytes.at(static_cast<unsigned char>(text[to]))) ++to;
  return to;
}

}  // namespace

Result<SecretShapes> SecretShapes::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return parse(*text, file.string());
}

Result<SecretShapes> SecretShapes::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return document.error();
  SecretShapes out;
  Problems problems(file);
  TableReader top(*document, problems);
  for (TableReader& table : top.tables("shape")) {
    Shape shape;
    table.need_string("name");
    const std::vector<std::string> starts = table.strings("starts");
    shape.skip = read_bytes(table.string("skip"));
    shape.then = table.string("then");
    const std::string bytes = table.string("bytes");
    shape.bytes = read_bytes(bytes);
    shape.least = static_cast<std::size_t>(table.integer("least", 1, {.min = 1, .max = 1000}));
    shape.end = table.string("end");
    shape.until = table.string("until");
    table.finish();
    if (bytes.empty() == shape.until.empty()) table.problem("bytes", "either 'bytes' or 'until' is needed");
    if (starts.empty()) table.problem("starts", "it has to be known how it starts");
    for (const std::string& start : starts) {
      if (start.empty()) {
        table.problem("starts", "an empty one is everywhere");
        continue;
      }
      shape.start = start;
      out.by_first_byte_.at(static_cast<unsigned char>(start[0])).push_back(shape);
    }
  }
  top.finish();
  if (Status good = problems.status(); !good) return good.error();
  return out;
}

SecretShapes::Found SecretShapes::find(const Shape& shape, std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(shape.start)) return {};
  const std::size_t then = run_of(shape.skip, text, at + shape.start.size());
  if (!text.substr(then).starts_with(shape.then)) return {};
  const std::size_t from = then + shape.then.size();
  if (!shape.until.empty()) return {from, std::min(text.find(shape.until, from), text.size())};
  const std::size_t to = run_of(shape.bytes, text, from);
  return to - from >= shape.least && text.substr(to).starts_with(shape.end) ? Found{from, to} : Found{};
}

SecretShapes::Found SecretShapes::find_at(std::string_view text, std::size_t at) const {
  const std::vector<Shape>& shapes = by_first_byte_.at(static_cast<unsigned char>(text[at]));
  // Nearly every byte begins none; and none begins within a word: MY_ is none.
  if (shapes.empty() || (at > 0 && is_word(text[at]) && is_word(text[at - 1]))) return {};
  for (const Shape& shape : shapes) {
    if (const Found found = find(shape, text, at); found.to > found.from) return found;
  }
  return {};
}

bool SecretShapes::mask(std::string& text) const {
  std::string out;
  std::size_t kept = 0;  // what is in `out`, or masked there
  for (std::size_t at = 0; at < text.size(); ++at) {
    const Found found = find_at(text, at);
    if (found.to == 0) continue;
    out.append(text, kept, found.from - kept).append(kMask);
    kept = found.to;
    at = found.to - 1;
  }
  if (kept == 0) return false;
  text = out.append(text, kept);
  return true;
}

bool SecretShapes::mask(Value& document) const {
  bool any = false;
  if (document.is_string()) {
    std::string text = document.as_string();
    any = mask(text);
    if (any) document = Value(std::move(text));
  } else if (document.is_array()) {
    for (Value& one : document.as_array()) any |= mask(one);
  } else if (document.is_object()) {
    for (auto& [key, one] : document.as_object()) any |= mask(one);
  }
  return any;
}

}  // namespace seamark
