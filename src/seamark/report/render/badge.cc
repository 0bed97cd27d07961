#include "seamark/report/render/badge.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

std::string_view color_of(const analysis::Rate& rate) {
  if (!rate.value) return "lightgrey";
  if (rate.count == rate.total) return "brightgreen";
  if (*rate.value >= 0.9) return "green";
  if (*rate.value >= 0.75) return "yellowgreen";
  if (*rate.value >= 0.5) return "yellow";
  return *rate.value >= 0.25 ? "orange" : "red";
}

}  // namespace

std::string render_badge(const analysis::Summary& summary) {
  if (summary.targets.size() != 1) throw std::invalid_argument("a badge is of one target");
  const analysis::TargetRow& target = summary.targets.front();
  const analysis::Rate& runs = target.all.runs;
  Value badge;
  badge.set("schemaVersion", 1);
  badge.set("label", one_line(target.target));
  badge.set("message", runs.value ? fmt::format("{} of {} functions {}", runs.count, runs.total,
                                                target.compiled_only ? "compile" : "run")
                                  : std::string("no data"));
  badge.set("color", std::string(color_of(runs)));
  return dump_json(badge) + "\n";
}

}  // namespace seamark::report
