#include "seamark/report/build/protection_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"

namespace seamark::report {
namespace {

Value safeguard_value(const target::Safeguard& safeguard) {
  Value item;
  item.set("safeguard", safeguard.what).set("here", safeguard.here);
  return item.set("detail", safeguard.detail).set("remedy", text_or_null(safeguard.remedy));
}

Document protection_document(const std::vector<target::Safeguard>& safeguards) {
  TextTable table({{"safeguard"}, {"here"}});
  for (const target::Safeguard& safeguard : safeguards) {
    table.add_row({safeguard.what, safeguard.here ? Cell{"yes", Tone::kGood} : Cell{"no", Tone::kBad}});
    table.add_note(safeguard.detail + (safeguard.remedy.empty() ? "" : " -> " + safeguard.remedy));
  }
  const auto here = std::count_if(safeguards.begin(), safeguards.end(),
                                  [](const target::Safeguard& safeguard) { return safeguard.here; });
  std::string note = fmt::format("{} of {} safeguards of cases are here.", here, safeguards.size());
  return {{}, {Section{"protection", "Protection", std::move(note), {std::move(table)}}}};
}

}  // namespace

std::string render_protection(Format format, const std::vector<target::Safeguard>& safeguards,
                              const RenderOptions& options) {
  if (format == Format::kJson) {
    Value top = headed_value("seamark-protection/1", options);
    return dump_json_pretty(top.set("safeguards", list_value(safeguards, safeguard_value)));
  }
  return render(format, "protection", protection_document(safeguards), options);
}

}  // namespace seamark::report
