// The forms of figures: Vega-Lite without numbers, names or titles, which chart_spec() fills in.
#pragma once

#include <string_view>

namespace seamark::report::chart {

// Each is one JSON document. "data" of the whole is set by chart_spec(), as are scale domains and tooltips.
std::string_view scatter_form();    // Figure 1
std::string_view density_form();    // Figure 2
std::string_view share_form();      // Figure 3
std::string_view decile_form();     // Figure 4
std::string_view top_form();        // Figure 5
std::string_view category_form();   // Figure 6
std::string_view factor_form();     // Figure 7
std::string_view histogram_form();  // Figures 8 to 10
std::string_view spread_form();     // errors
std::string_view nothing_form();    // no rows
std::string_view config_form();     // what light and dark share

}  // namespace seamark::report::chart
