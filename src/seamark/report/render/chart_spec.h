// Figures as Vega-Lite specifications: what is drawn, from an exhibit's own rows, with the numbers inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/base/value.h"

namespace seamark::report {

enum class ChartTheme : std::uint8_t { kLight, kDark };

// "light", "dark".
std::optional<ChartTheme> chart_theme_from(std::string_view name);

// A Vega-Lite 6 specification of a figure; without rows one that says why there are none. Every mark's datum
// has the row's columns under their keys (a null stays one), KEY_low and KEY_high where there is an interval,
// and KEY_text as tables show it. The title says where the numbers come from and what they rest on. Colours
// fit light and dark; text, grid and ground are chart_config()'s. Names of results are data and texts, never
// expressions.
Value chart_spec(const analysis::Exhibit& figure, const analysis::ResultSet& findings);

// The "config" of a specification. `font`: a CSS font family; empty: sans-serif.
Value chart_config(ChartTheme theme, std::string_view font = {});

// The specification with the config in it.
Value chart_document(const analysis::Exhibit& figure, const analysis::ResultSet& findings, ChartTheme theme);

}  // namespace seamark::report
