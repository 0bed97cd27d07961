#include "seamark/report/page/html_charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/embedded/page.h"
#include "seamark/report/page/html_exhibits.h"
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

std::string table_of(const Exhibit& figure) {
  return figure.rows.size() > kLongestTable ? std::string() : exhibit_table(figure);
}

// Why there is nothing to draw.
std::string empty_figure(const Exhibit& figure, bool published) {
  return fmt::format("<figure class=\"chart\" id=\"{}\">{}{}{}</figure>\n", anchor('c', figure.id),
                     element("h3", "", line(exhibit_title(figure))),
                     element("p", "", published ? "Not published." : "Nothing to draw."),
                     exhibit_notes(figure));
}

std::string figure_of(const Exhibit& figure, bool drawn, bool published) {
  if (!is_shown(figure)) return empty_figure(figure, published);
  const std::string title = exhibit_title(figure);
  std::string inside;
  if (drawn) inside = "<div class=\"drawing\">This chart needs scripts.</div>";
  if (!drawn) inside = element("h3", "", line(title));
  if (const std::string data = table_of(figure); !data.empty()) {
    inside += fmt::format("<details{}><summary>data</summary>{}</details>", drawn ? "" : " open", data);
  } else if (!drawn) {
    inside += element(
        "p", "note",
        fmt::format("{} points: <code>seamark report --only {}</code>", figure.rows.size(), line(figure.id)));
  }
  return fmt::format("<figure class=\"chart\" id=\"{0}\"{1} aria-label=\"{2}\">{3}</figure>\n",
                     anchor('c', figure.id), drawn ? fmt::format(" data-chart=\"{}\"", line(figure.id)) : "",
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
