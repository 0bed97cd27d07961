// What a rule alone finds in a text, by the names that the vocabulary knows.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/audit/project.h"

namespace seamark::audit {

// `fields`: TOML, its effect and pattern among them.
inline std::vector<Rule> one_rule(const std::string& fields) {
  return parse_rules(R"([[rule]]
id = "T01"
title = "t"
why = "w"
fix = "f"
class = "none"
effort = "minutes"
proof = "source"
source = "s"
targets = ["*/*"]
bad = ["x"]
good = ["y"]
)" + fields,
                     "t.toml")
      .value();
}

inline const usage::Vocabulary& shipped_vocabulary() {
  static const usage::Vocabulary vocabulary =
      usage::Vocabulary::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "usage").value();
  return vocabulary;
}

// Of a project whose one file is train.py.
inline Project project_of(std::string_view text, std::span<const Rule> rules = {}) {
  Auditor auditor(shipped_vocabulary(), rules);
  auditor.take("train.py", text);
  return auditor.finish();
}

// The columns of its findings there.
inline std::vector<std::uint32_t> columns_of(const std::string& fields, std::string_view text) {
  std::vector<std::uint32_t> columns;
  for (const Finding& finding : project_of(text, one_rule(fields)).findings)
    columns.push_back(finding.hit.column);
  return columns;
}

}  // namespace seamark::audit
