#include "seamark/report/page/html_charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/embedded/page.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"
#include "seamark/report/render/chart_spec.h"

namespace seamark::report::html {
namespace {

using analysis::Exhibit;

// Longer tables would be the points of a cloud: `seamark report --tables` has them.
constexpr std::size_t kLongestTable = 100;

bool is_shown(const Exhibit& figure) { return !figure.rows.empty(); }

bool any_shown(const PageCharts& charts) {
  return std::any_of(charts.figures.begin(), charts.figures.end(), is_shown);
}

std::string figure_of(const Exhibit& figure, bool drawn, bool published) {
  const Section section = exhibit_section(figure, true);
  const std::string title = section.heading + ": " + section.note;
  std::string inside = drawn && is_shown(figure) ? "<div class=\"drawing\">This chart needs scripts.</div>"
                                                 : element("h3", "", line(title));
  if (!is_shown(figure)) {
    inside += element("p", "", published ? "Not published." : "Nothing to draw.");
    for (const Block& block : section.blocks) inside += html_text(block, title);
  } else if (figure.rows.size() <= kLongestTable) {
    inside += fmt::format("<details{}><summary>data</summary>{}</details>", drawn ? "" : " open",
                          html_text(section.blocks.front(), title));
  } else if (!drawn) {
    inside += element(
        "p", "note",
        fmt::format("{} points: <code>seamark report --only {}</code>", figure.rows.size(), line(figure.id)));
  }
  return fmt::format("<figure class=\"chart\" id=\"{}\"{} aria-label=\"{}\">{}</figure>\n",
                     anchor('c', figure.id),
                     drawn && is_shown(figure) ? fmt::format(" data-chart=\"{}\"", line(figure.id)) : "",
                     line(title), inside);
}

std::string data_of(const PageCharts& charts, const analysis::ResultSet& findings) {
  Value::Object specs;
  for (const Exhibit& figure : charts.figures) {
    if (is_shown(figure)) specs.emplace_back(figure.id, chart_spec(figure, findings));
  }
  const Value data(
      Value::Object{{"charts", Value(std::move(specs))},
                    {"config", Value(Value::Object{{"light", chart_config(ChartTheme::kLight)},
                                                   {"dark", chart_config(ChartTheme::kDark)}})}});
  return data_element("charts-data", dump_json(data));
}

}  // namespace

std::string charts_section(const PageCharts& charts, const analysis::ResultSet& findings) {
  if (!any_shown(charts)) return {};
  const bool drawn = !charts.library.empty();
  std::string figures;
  for (const Exhibit& figure : charts.figures) figures += figure_of(figure, drawn, findings.published);
  const std::string of = findings.published ? "from what it published" : "of these targets";
  const std::string note =
      drawn ? fmt::format("The study's figures, {}. Point at a mark for its numbers.", of)
            : fmt::format("The study's figures, {}, as numbers: {}", of, line(charts.missing));
  return section("charts", "Charts", note, element("div", "charts", figures)) +
         (drawn ? data_of(charts, findings) : "");
}

void add_charts(const PageCharts& charts, PageParts& parts) {
  if (!any_shown(charts)) return;
  parts.styles.push_back(page::charts_css());
  if (charts.library.empty()) return;
  parts.scripts.push_back(charts.library);
  parts.scripts.push_back(page::charts_js());
}

}  // namespace seamark::report::html
