// Text: UTF-8, globs, splitting, terminal columns, hex and a stable hash. Nothing here depends on the
// locale. What workers, stores and files say is untrusted: see plain_text() before printing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seamark {

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);
// Every maximal invalid part becomes one U+FFFD.
[[nodiscard]] std::string repair_utf8(std::string_view text);
// The longest prefix of at most `max_bytes` that does not cut a character of valid UTF-8.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// '*' matches any run of bytes (also none, also '.' and '/'), '?' one character; everything else,
// brackets too, stands for itself. Case-sensitive, the whole text, time O(pattern x text) at worst.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);
[[nodiscard]] bool any_glob(std::span<const std::string> patterns, std::string_view text);
[[nodiscard]] bool has_glob(std::string_view pattern);

// Without ASCII white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
// n separators give n+1 parts; an empty text gives one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// Runs of ASCII white space separate; no empty parts.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
// Lines without their ends (\n or \r\n); no empty last line after a final \n.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string join(std::span<const std::string_view> parts, std::string_view separator);
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
[[nodiscard]] std::string lower_ascii(std::string_view text);

// The whole text must be the number (no white space, no '+', no hex); nullopt otherwise and when out
// of range. parse_double never gives a non-finite number.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// Terminal columns of one line: wide East Asian characters and emoji count 2, combining and
// zero-width ones 0, control characters 0, an invalid byte 1.
[[nodiscard]] std::size_t display_width(std::string_view text);
// Pads with spaces to `width` columns; longer text is left as it is.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);  // text, then spaces
// At most `width` columns; what was cut is shown by one U+2026 (an ellipsis) at the end.
[[nodiscard]] std::string ellipsize(std::string_view text, std::size_t width);

// One field of a CSV file (RFC 4180), without_log_commands(). What a spreadsheet would run (= + - @ as the
// first that is shown, in full width too; a tab) gets an apostrophe in front.
[[nodiscard]] std::string csv_field(std::string_view text);

// For a terminal: escape sequences (CSI, OSC, DCS, ...), C0 and C1 control characters, DEL and
// bidirectional overrides are dropped, invalid UTF-8 is repaired; \n and \t stay, \r\n becomes \n,
// a lone \r (a progress bar) becomes \n.
[[nodiscard]] std::string plain_text(std::string_view text);
// The same on one line: runs of white space, line ends too, become one space; trimmed.
[[nodiscard]] std::string one_line(std::string_view text);

// Lower case, two digits a byte.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_hex(std::uint64_t number);  // 16 digits

// FNV-1a, 64 bits, over the bytes. Persisted (signatures, names of folders): never changes. Not for
// input that an adversary chooses to collide.
[[nodiscard]] std::uint64_t fnv1a64(std::string_view bytes);
// Several fields, so that {"ab","c"} and {"a","bc"} differ (each is followed by its length).
[[nodiscard]] std::uint64_t fnv1a64_fields(std::span<const std::string_view> fields);

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours), when that is at
// most a third of its length (at least one edit); nullopt otherwise. For "did you mean".
[[nodiscard]] std::optional<std::string> nearest(std::string_view name,
                                                 std::span<const std::string> candidates);

}  // namespace seamark
