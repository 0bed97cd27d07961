#include "seamark/interop/external.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "seamark/base/text.h"

namespace seamark::interop {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"pytest-json", "timings", "junit", "seamark-jsonl"};

std::string_view without_ending(std::string_view file) {
  return file.ends_with(".py") ? file.substr(0, file.size() - 3) : file;
}

// Cuts "name[parameters]".
void take_parameters(std::string_view& name, std::string& parameters) {
  const std::size_t bracket = name.find('[');
  if (bracket == std::string_view::npos || !name.ends_with(']')) return;
  parameters = std::string(name.substr(bracket + 1, name.size() - bracket - 2));
  name = name.substr(0, bracket);
}

void append(std::vector<std::string>& parts, std::string_view text, char separator) {
  for (const std::string_view part : split(text, separator)) {
    if (!part.empty() && part != "." && part != "..") parts.emplace_back(part);
  }
}

// Of "tests.test_a.TestB" the file is what looks like a file of tests, else the last that is no class.
std::size_t file_among(const std::vector<std::string>& parts) {
  for (std::size_t i = parts.size(); i-- > 0;) {
    const std::string& part = parts[i];
    if (part.starts_with("test_") || part.ends_with("_test") || part.ends_with("_tests")) return i;
  }
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (!begins_upper(parts[i])) return i;
  }
  return parts.empty() ? 0 : parts.size() - 1;
}

}  // namespace

bool begins_upper(std::string_view text) { return !text.empty() && text[0] >= 'A' && text[0] <= 'Z'; }

std::string_view name_of(ExternalForm form) { return kNames.at(static_cast<std::size_t>(form) - 1); }

std::optional<ExternalForm> form_from(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ExternalForm>(found - kNames.begin() + 1);
}

Result<ExternalForm> detect_form(std::string_view text, std::string_view file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = trim(text);
  const auto unknown = [&](std::string_view what) {
    return Error(InteropError::kBadInput, fmt::format("{}: {}", file, what),
                 "say what it is: --format pytest-json, timings, junit or seamark-jsonl");
  };
  if (text.empty()) return unknown("it is empty");
  if (text.front() == '<' || text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return ExternalForm::kJunit;
  if (text.front() != '{') return unknown("it is neither JSON nor XML");
  // A line that is whole by itself, and says run, target and case, is of an export.
  const std::string_view line = text.substr(0, text.find('\n'));
  if (trim(line).ends_with('}') && line.starts_with("{\"run\":") &&
      line.find("\"target\":") != std::string_view::npos && line.find("\"case\":") != std::string_view::npos)
    return ExternalForm::kSeamarkJsonl;
  if (text.find("\"tests\"") != std::string_view::npos && text.find("\"nodeid\"") != std::string_view::npos)
    return ExternalForm::kPytestJson;
  if (text.find("\"operations\"") != std::string_view::npos) return ExternalForm::kTimings;
  if (text.find("\"tests\"") != std::string_view::npos || text.find("\"exitcode\"") != std::string_view::npos)
    return ExternalForm::kPytestJson;
  return unknown("it is JSON, but neither a report of pytest-json-report nor times of operations");
}

TestName TestName::of_node(std::string_view id) {
  TestName name;
  std::size_t end = id.find("::");
  std::size_t skip = 2;
  // The bracket may hold anything, "::" and ".py:" too.
  const std::size_t bracket = id.find('[');
  if (end == std::string_view::npos || end > bracket) {
    end = id.find(".py:");
    skip = 1;
    if (end != std::string_view::npos && end < bracket) {
      end += 3;
    } else {
      end = std::string_view::npos;
    }
  }
  std::string_view rest = end == std::string_view::npos ? std::string_view() : id.substr(end + skip);
  append(name.parts, without_ending(id.substr(0, end)), '/');
  name.file = name.parts.empty() ? 0 : name.parts.size() - 1;
  take_parameters(rest, name.parameters);
  for (std::string_view left = rest; !left.empty();) {
    const std::size_t colons = left.find("::");
    if (colons != 0) name.parts.emplace_back(left.substr(0, colons));
    left = colons == std::string_view::npos ? std::string_view() : left.substr(colons + 2);
  }
  if (name.parts.empty()) name.parts.emplace_back(id);
  return name;
}

TestName TestName::of_junit(std::string_view classname, std::string_view name, std::string_view file) {
  TestName out;
  append(out.parts, classname, '.');
  out.file = file_among(out.parts);
  if (!file.empty()) {
    std::string_view stem = without_ending(file);
    stem = stem.substr(stem.rfind('/') + 1);
    const auto found = std::find(out.parts.rbegin(), out.parts.rend(), stem);
    if (found != out.parts.rend()) out.file = static_cast<std::size_t>(out.parts.rend() - found) - 1;
  }
  take_parameters(name, out.parameters);
  out.parts.emplace_back(name);
  return out;
}

std::string TestName::key() const {
  std::string key = join(parts, ".");
  if (!parameters.empty()) key += "[" + parameters + "]";
  return key;
}

std::string TestName::short_key() const {
  std::string key = parts.at(file);
  if (file + 1 < parts.size()) key += "." + parts.back();
  if (!parameters.empty()) key += "[" + parameters + "]";
  return key;
}

std::string bounded_name(std::string_view text) {
  std::string line = one_line(text.substr(0, std::size_t{4} * kMostNameBytes));
  if (line.size() <= kMostNameBytes && text.size() <= std::size_t{4} * kMostNameBytes) return line;
  return fmt::format("{}~{}", utf8_prefix(line, kMostNameBytes - 17), to_hex(fnv1a64(text)));
}

std::string bounded_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return repair_utf8(text);
  return std::string(utf8_prefix(repair_utf8(text.substr(0, most + 8)), most));
}

}  // namespace seamark::interop
