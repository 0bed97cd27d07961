#include "seamark/report/page/html_exhibits.h"

#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::Datum;
using analysis::Exhibit;
using analysis::Unit;

std::string exhibit_title(const Exhibit& exhibit) {
  const bool numbered = exhibit.id.starts_with("figure-") || exhibit.id.starts_with("table-");
  return numbered ? fmt::format("{}: {}", number_of(exhibit), exhibit.title) : exhibit.title;
}

std::string exhibit_table(const Exhibit& exhibit) {
  if (exhibit.rows.empty()) return {};
  std::string head;
  for (const analysis::ExhibitColumn& column : exhibit.columns) {
    head += fmt::format("<th scope=\"col\"{}>{}</th>", column.unit == Unit::kText ? "" : " class=\"num\"",
                        line(column.head));
  }
  std::string rows;
  for (const std::vector<Datum>& row : exhibit.rows) {
    std::string cells;
    for (const Datum& datum : row) {
      cells += element("td", datum.unit == Unit::kText ? "" : "num", line(datum_text(datum, true)));
    }
    rows += "<tr>" + cells + "</tr>\n";
  }
  return table("figure", exhibit.title, head, rows);
}

std::string exhibit_notes(const Exhibit& exhibit) {
  std::string items;
  for (const std::string& note : notes_under(exhibit, true)) items += element("li", "", line(note));
  return items.empty() ? items : element("ul", "plain", items) + "\n";
}

std::string exhibit_block(const Exhibit& exhibit, bool folded) {
  const std::string content = exhibit_table(exhibit) + exhibit_notes(exhibit);
  const std::string title = line(exhibit_title(exhibit));
  const std::string id = anchor('x', exhibit.id);
  if (folded) {
    return fmt::format(
        "<details><summary><span class=\"name\">{}</span></summary>\n<div id=\"{}\" "
        "class=\"inside\">\n{}</div></details>\n",
        title, id, content);
  }
  return fmt::format("<h3 id=\"{}\">{}</h3>\n{}", id, title, content);
}

}  // namespace seamark::report::html
