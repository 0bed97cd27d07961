// What surrounds the marks: text, grid and ground, for light and dark pages and paper.
#include "seamark/base/value.h"
#include "seamark/report/render/chart_spec.h"
#include "seamark/report/render/chart_templates.h"
#include "seamark/report/render/chart_values.h"

namespace seamark::report {
namespace {

struct Ink {
  const char* ground;
  const char* text;
  const char* muted;
  const char* grid;
  const char* outline;  // of bars and dots
};

constexpr Ink kLight = {"#ffffff", "#1b2126", "#56616b", "#e3e7ea", "#33404a"};
constexpr Ink kDark = {"#12171c", "#e6eaed", "#a3aeb8", "#2c353d", "#c9d1d8"};

void color(Value& config, std::string_view path, std::initializer_list<std::string_view> keys,
           const char* ink) {
  for (const std::string_view key : keys) chart::at(config, path).set(key, ink);
}

}  // namespace

std::optional<ChartTheme> chart_theme_from(std::string_view name) {
  if (name == "light") return ChartTheme::kLight;
  if (name == "dark") return ChartTheme::kDark;
  return std::nullopt;
}

Value chart_config(ChartTheme theme, std::string_view font) {
  const Ink& ink = theme == ChartTheme::kDark ? kDark : kLight;
  Value config = chart::form(chart::config_form());
  config.set("background", ink.ground);
  config.set("font", font.empty() ? std::string_view("sans-serif") : font);
  color(config, "view", {"stroke"}, ink.grid);
  color(config, "axis", {"labelColor", "titleColor"}, ink.text);
  color(config, "axis", {"gridColor", "tickColor"}, ink.grid);
  color(config, "legend", {"labelColor", "titleColor"}, ink.text);
  color(config, "header", {"labelColor", "titleColor"}, ink.text);
  color(config, "title", {"color"}, ink.text);
  color(config, "title", {"subtitleColor"}, ink.muted);
  color(config, "bar", {"stroke"}, ink.outline);
  for (const char* style : {"style.guide", "style.guide-label", "style.nothing"}) {
    color(config, style, {"color"}, ink.muted);
  }
  for (const char* style : {"style.interval", "style.value"}) color(config, style, {"color"}, ink.text);
  color(config, "style.dot", {"stroke"}, ink.outline);
  return config;
}

Value chart_document(const analysis::Exhibit& figure, const analysis::ResultSet& findings, ChartTheme theme) {
  Value spec = chart_spec(figure, findings);
  spec.set("config", chart_config(theme));
  return spec;
}

}  // namespace seamark::report
