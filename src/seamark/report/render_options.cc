#include "seamark/report/render_options.h"

#include <stdexcept>

#include "seamark/report/badge.h"
#include "seamark/report/csv_report.h"
#include "seamark/report/html_report.h"
#include "seamark/report/json_report.h"
#include "seamark/report/run_report.h"

namespace seamark::report {

std::optional<Format> format_from(std::string_view name) {
  if (name == "terminal") return Format::kTerminal;
  if (name == "markdown" || name == "md") return Format::kMarkdown;
  if (name == "json") return Format::kJson;
  if (name == "csv") return Format::kCsv;
  if (name == "html") return Format::kHtml;
  if (name == "badge") return Format::kBadge;
  return std::nullopt;
}

std::string_view format_names() { return "terminal, markdown, json, csv, html or badge"; }

analysis::Detail detail_for(Format format) {
  const bool texts = format == Format::kJson || format == Format::kHtml;
  return texts ? analysis::Detail::kMessages : analysis::Detail::kNone;
}

std::string render(Format format, const analysis::Summary& summary, const RenderOptions& options) {
  switch (format) {
    case Format::kTerminal:
      return terminal_text(run_document(summary, options), options);
    case Format::kMarkdown:
      return markdown_text(run_document(summary, options));
    case Format::kJson:
      return render_json(summary, options);
    case Format::kCsv:
      return render_csv(summary, options);
    case Format::kHtml:
      return render_html(summary, options);
    case Format::kBadge:
      return render_badge(summary);
  }
  throw std::logic_error("unknown report format");
}

}  // namespace seamark::report
