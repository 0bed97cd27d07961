// What a rule alone finds in a text, by the names that the vocabulary knows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/audit/project.h"

namespace seamark::audit {

// The columns of its findings in train.py. `fields`: TOML, its effect and pattern among them.
inline std::vector<std::uint32_t> columns_of(const std::string& fields, std::string_view text) {
  const std::vector<Rule> rules = parse_rules(R"([[rule]]
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
  static const usage::Vocabulary vocabulary =
      usage::Vocabulary::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "usage").value();
  Auditor auditor(vocabulary, rules);
  auditor.take("train.py", text);
  std::vector<std::uint32_t> columns;
  for (const Finding& finding : auditor.finish().findings) columns.push_back(finding.hit.column);
  return columns;
}

}  // namespace seamark::audit
