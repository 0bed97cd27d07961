#include "seamark/usage/input/jsonl_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace seamark::usage {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

JsonlReader::JsonlReader(std::string name, const CorpusOptions& options, SourceSink& sink, std::size_t window)
    : name_(std::move(name)),
      options_(options),
      sink_(sink),
      losses_(sink, options.strict),
      prefilter_(options.needles, options.imports_only),
      window_(window) {
  set_capacity(window_);
}

Result<ShardRead> JsonlReader::read(ByteSource& source) {
  while (!losses_.stop() && refill(source)) {
  }
  if (losses_.stop()) return *losses_.stop();
  done_.losses = losses_.count();
  return done_;
}

void JsonlReader::set_capacity(std::size_t bytes) {
  auto larger = std::make_unique_for_overwrite<char[]>(bytes + kSearchPadding);
  move_to(larger.get());
  std::memset(larger.get() + end_, 0, kSearchPadding);
  buffer_ = std::move(larger);
  capacity_ = bytes;
  peak_ = std::max(peak_, capacity_);
}

// What is left of the line.
void JsonlReader::move_to(char* buffer) {
  if (held() > 0) std::memmove(buffer, text() + line_, held());
  scanned_ -= line_;
  end_ -= line_;
  line_ = 0;
}

// Sees to it that a good part of the buffer is free.
void JsonlReader::make_room() {
  if (capacity_ - held() < window_ / 2) {
    set_capacity(2 * capacity_);
  } else if (capacity_ > 4 * window_ && held() < window_ / 2) {
    set_capacity(window_);
  } else if (line_ > 0) {
    move_to(buffer_.get());
  }
}

bool JsonlReader::refill(ByteSource& source) {
  make_room();
  const std::uint64_t allowed = options_.max_bytes - done_.bytes;
  const std::size_t room = capacity_ - end_;
  const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(room, allowed));
  const std::size_t got = source.read({buffer_.get() + end_, asked});
  end_ += got;
  done_.bytes += got;
  losses_.advance(got);
  std::memset(buffer_.get() + end_, 0, kSearchPadding);
  at_end_ = got < room;
  const bool too_large = got == allowed && source.read({buffer_.get() + end_, 1}) == 1;
  buffer_[end_] = '\0';
  const std::vector<std::string> problems = source.take_problems();
  cut_off_ = cut_off_ || (at_end_ && !problems.empty()) || too_large;
  scan();
  for (const std::string& problem : problems) lose(problem);
  if (too_large) lose(fmt::format("it is larger than {} bytes: the rest is left out", options_.max_bytes));
  return !at_end_ && !too_large;
}

void JsonlReader::scan() {
  while (!losses_.stop() && scan_part()) {
  }
  if (losses_.stop()) return;
  if (at_end_) return last_line();
  // What is behind scanned_ may still hold the end of the line.
  if (!too_long_ && scanned_ - line_ > options_.max_line_bytes) {
    lose(fmt::format("the line is longer than {} bytes", options_.max_line_bytes));
    too_long_ = true;
    line_ = scanned_;
    return scan();
  }
  if (too_long_) line_ = scanned_ = end_;
}

bool JsonlReader::scan_part() {
  if (too_long_) return skip_line();
  const char* begin = text() + scanned_;
  const char* end = text() + end_;
  if (hit_ || prefilter_.passes_all()) {
    hit_ = true;
    const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      return false;
    }
    finish_line(newline);
    return true;
  }
  // A needle that reaches to the very end may go on behind it.
  const std::size_t until = at_end_ ? end_ : std::max(scanned_, end_ - std::min(end_, prefilter_.longest()));
  const Prefilter::Event event = prefilter_.next(text() + line_, begin, text() + until, end);
  if (event.at == nullptr) {
    scanned_ = until;
    return false;
  }
  if (event.newline) {
    finish_line(event.at);
  } else {
    hit_ = true;
    scanned_ = static_cast<std::size_t>(event.at - text());
  }
  return true;
}

bool JsonlReader::skip_line() {
  const auto* newline = static_cast<const char*>(std::memchr(text() + line_, '\n', end_ - line_));
  if (newline == nullptr) return false;
  too_long_ = false;
  hit_ = false;
  ++line_number_;
  line_ = scanned_ = static_cast<std::size_t>(newline - text()) + 1;
  return true;
}

void JsonlReader::finish_line(const char* end) {
  const auto size = static_cast<std::size_t>(end - text()) - line_;
  if (size > options_.max_line_bytes) {
    lose(fmt::format("the line is longer than {} bytes", options_.max_line_bytes));
  } else {
    take_line({text() + line_, size});
  }
  line_ = scanned_ = static_cast<std::size_t>(end - text()) + 1;
  hit_ = false;
  ++line_number_;
}

void JsonlReader::last_line() {
  if (too_long_ || line_ == end_) return;
  cut_line_ = cut_off_;
  finish_line(text() + end_);
  line_ = scanned_ = end_;
  --line_number_;  // where a problem of the end is
}

// What is left of a line when its end is missing is told as what cut it off.
void JsonlReader::lose_line() {
  if (!cut_line_) lose("the line is no JSON object");
}

void JsonlReader::take_line(std::string_view line) {
  if (line_number_ == 1) line = without_bom(line);
  line = trimmed(line);
  if (line.empty()) return;
  if (line.front() != '{' || line.back() != '}') {
    return lose_line();
  }
  if (!hit_) {
    ++done_.files;
    return;
  }
  bool found = false;
  repository_.text = path_.text = {};
  repository_.repaired = path_.repaired = content_.repaired = false;
  JsonReader json(line);
  const bool good = each_member(json, [&](std::string_view name) {
    const bool text = json.peek() == '"';
    if (name == options_.content_key) {
      found = text;
      return text ? json.string(content_) : json.skip();
    }
    if (text && name == options_.repository_key) return json.string(repository_);
    if (text && name == options_.path_key) return json.string(path_);
    return json.skip();
  });
  if (!good || json.peek() != '\0' || json.at() != line.data() + line.size()) {
    return lose_line();
  }
  if (!found) {
    lose(fmt::format("the object has no text called \"{}\"", options_.content_key));
    return;
  }
  ++done_.files;
  ++done_.candidates;
  if (content_.repaired) ++done_.repaired;
  const std::string_view text = without_bom(content_.text);
  sink_.take({.repository = repository_.text,
              .path = path_.text,
              .text = text,
              .framed = content_.framed && text.size() == content_.text.size(),
              .repaired = content_.repaired,
              .line = line_number_});
  for (JsonString* string : {&content_, &repository_, &path_}) string->buffer.release_large();
}

}  // namespace seamark::usage
