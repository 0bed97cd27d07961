// The sections of the HTML report.
#pragma once

#include <string>
#include <string_view>

#include "seamark/analysis/summary.h"
#include "seamark/report/derive.h"
#include "seamark/report/number_text.h"

namespace seamark::report::html {

// The style sheet, and its SHA-256 in base64 as the page's Content-Security-Policy names it.
std::string_view style_sheet();
std::string_view style_hash();

// "✓ pass", coloured, with the word always there; dashed where nothing was executed.
std::string verdict_chip(Standing standing, bool compiled_only);
std::string outcome_chip(const analysis::CaseCell& cell, bool compiled_only);
std::string category_chip(Category category);
// The evidence in words; "compiled" stands out.
std::string level_tag(std::string_view level, bool compiled_only);

// A table that scrolls on its own when the window is narrow. `rows` is markup.
std::string table(std::string_view css, std::string_view label, std::string_view head, std::string_view rows);
std::string section(std::string_view id, std::string_view heading, std::string_view note,
                    std::string_view content);

// Functions x targets, one table per framework.
std::string matrix_section(const analysis::Summary& summary, const Glyphs& glyphs);
// What failed, by target, with the error texts.
std::string failure_section(const analysis::Summary& summary, const Glyphs& glyphs);
// Every function with all its cases, folded.
std::string function_section(const analysis::Summary& summary, const Glyphs& glyphs);
// Slowest and fastest against the baselines.
std::string latency_section(const analysis::Summary& summary, const Glyphs& glyphs, int rows);
// What compilers and published peak rates let expect, TPU against GPU; empty where nothing was estimated.
std::string estimate_section(const analysis::Summary& summary, const Glyphs& glyphs);

}  // namespace seamark::report::html
