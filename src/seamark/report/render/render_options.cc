#include "seamark/report/render/render_options.h"

#include "seamark/report/build/run_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/page/html_report.h"
#include "seamark/report/render/badge.h"
#include "seamark/report/render/csv_report.h"
#include "seamark/report/render/json_report.h"

namespace seamark::report {

analysis::Detail detail_for(Format format) {
  const bool texts = format == Format::kJson || format == Format::kHtml;
  return texts ? analysis::Detail::kMessages : analysis::Detail::kNone;
}

std::string render(Format format, const analysis::Summary& summary, const RenderOptions& options) {
  switch (format) {
    case Format::kJson:
      return render_json(summary, options);
    case Format::kCsv:
      return render_csv(summary, options);
    case Format::kHtml:
      return render_html(summary, options);
    case Format::kBadge:
      return render_badge(summary);
    default:
      return render(format, "Portability report", run_document(summary, options), options);
  }
}

}  // namespace seamark::report
