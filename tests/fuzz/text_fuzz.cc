// What a worker, a store or a file says, made fit for a terminal.
#include <algorithm>

#include "fuzz_check.h"

namespace {

using namespace seamark;

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\n' && c != '\t';
}

void check_plain(std::string_view bytes) {
  const std::string plain = plain_text(bytes);
  fuzz::require(is_utf8(plain), "plain text that is not UTF-8");
  fuzz::require(std::none_of(plain.begin(), plain.end(), is_control), "a control character in plain text");
  fuzz::require(plain_text(plain) == plain, "plain text that is not plain");
  const std::string line = one_line(bytes);
  fuzz::require(line.find_first_of("\n\t\r") == std::string::npos, "a line end in one line");
  fuzz::require(one_line(line) == line && trim(line) == line, "one line that is not one");
}

void check_width(std::string_view bytes, std::size_t width) {
  const std::string line = one_line(bytes);
  fuzz::require(display_width(ellipsize(line, width)) <= width, "an ellipsis that does not fit");
  fuzz::require(display_width(pad_right(line, width)) == std::max(width, display_width(line)),
                "padded wrongly");
  const std::string_view prefix = utf8_prefix(line, width);
  fuzz::require(prefix.size() <= width && is_utf8(prefix), "a prefix that cuts a character");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  const std::string repaired = repair_utf8(bytes);
  fuzz::require(is_utf8(repaired), "repaired text that is not UTF-8");
  fuzz::require(!is_utf8(bytes) || repaired == bytes, "valid text that was changed");
  check_plain(bytes);
  check_width(bytes, data[0]);
  const auto [pattern, text] = fuzz::two_texts(bytes);
  fuzz::require(has_glob(pattern) || glob_match(pattern, text) == (pattern == text),
                "a glob without wildcards");
  fuzz::require(glob_match("*", bytes), "'*' that does not match");
  std::size_t parts = 0;
  for (const std::string_view part : split(bytes, '\n')) parts += part.size() + 1;
  fuzz::require(parts == bytes.size() + 1, "split text that lost bytes");
  return 0;
}
