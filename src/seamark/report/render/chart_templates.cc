#include "seamark/report/render/chart_templates.h"

namespace seamark::report::chart {

std::string_view scatter_form() {
  return R"json({
"width": 440, "height": 440,
"layer": [
  {"data": {"values": []},
   "mark": {"type": "line", "style": "guide", "clip": true},
   "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"},
                "detail": {"field": "line", "type": "nominal"}}},
  {"data": {"values": []},
   "mark": {"type": "text", "style": "guide-label", "align": "center", "baseline": "bottom", "dy": -4},
   "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"},
                "text": {"field": "line"}}},
  {"data": {"values": []},
   "mark": {"type": "text", "style": "guide-label", "align": "left", "baseline": "middle", "dx": 5},
   "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"},
                "text": {"field": "line"}}},
  {"params": [{"name": "shown", "select": {"type": "point", "fields": ["framework"]}, "bind": "legend"}],
   "mark": {"type": "point", "filled": true, "size": 55, "style": "dot"},
   "encoding": {
     "x": {"field": "a_s", "type": "quantitative", "scale": {"type": "log", "nice": false},
           "axis": {"labelExpr": "format(datum.value, '~s') + 's'"}},
     "y": {"field": "b_s", "type": "quantitative", "scale": {"type": "log", "nice": false},
           "axis": {"labelExpr": "format(datum.value, '~s') + 's'"}},
     "color": {"field": "framework", "type": "nominal", "legend": {"offset": 26}},
     "shape": {"field": "framework", "type": "nominal"},
     "opacity": {"condition": {"param": "shown", "value": 0.8}, "value": 0.07},
     "tooltip": []}}
]})json";
}

std::string_view density_form() {
  return R"json({
"facet": {"column": {"field": "framework", "type": "nominal", "title": null}},
"spec": {
  "width": 215, "height": 190,
  "layer": [
    {"mark": {"type": "area", "opacity": 0.22}},
    {"mark": {"type": "line", "strokeWidth": 2},
     "encoding": {"strokeDash": {"field": "device", "type": "nominal"}}},
    {"mark": {"type": "point", "opacity": 0, "size": 90, "filled": true},
     "encoding": {"tooltip": []}}
  ],
  "encoding": {
    "x": {"field": "seconds", "type": "quantitative", "scale": {"type": "log", "nice": false},
          "axis": {"title": "time per function", "labelExpr": "format(datum.value, '~s') + 's'"}},
    "y": {"field": "density", "type": "quantitative", "stack": null, "title": "density per decade",
          "axis": {"tickCount": 5}},
    "color": {"field": "device", "type": "nominal",
              "legend": {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 3, "symbolSize": 400}}}
}})json";
}

std::string_view share_form() {
  return R"json({
"width": 430, "height": {"step": 44},
"encoding": {
  "y": {"field": "framework", "type": "nominal", "title": null},
  "x": {"field": "faster_percent", "type": "quantitative", "scale": {"domain": [0, 100]},
        "axis": {"labelExpr": "datum.value + '%'", "title": "share of functions"}},
  "tooltip": []},
"layer": [
  {"mark": {"type": "bar", "height": {"band": 0.62}},
   "encoding": {"color": {"field": "framework", "type": "nominal", "legend": null}}},
  {"mark": {"type": "rule", "style": "interval"},
   "encoding": {"x": {"field": "faster_percent_low", "type": "quantitative"},
                "x2": {"field": "faster_percent_high"}}},
  {"mark": {"type": "text", "style": "value", "align": "left", "dx": 8},
   "encoding": {"x": {"field": "end", "type": "quantitative"}, "text": {"field": "label"}}}
]})json";
}

std::string_view decile_form() {
  return R"json({
"facet": {"row": {"field": "device", "type": "nominal", "title": null},
          "column": {"field": "framework", "type": "nominal", "title": null}},
"spec": {
  "width": 210, "height": 140,
  "encoding": {
    "x": {"field": "decile", "type": "ordinal", "scale": {"domain": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]},
          "axis": {"title": "decile of use", "labelAngle": 0}},
    "y": {"field": "percent", "type": "quantitative", "title": "failing functions",
          "axis": {"labelExpr": "datum.value + '%'", "tickCount": 5}},
    "tooltip": []},
  "layer": [
    {"transform": [{"filter": "datum.drawn"}], "mark": {"type": "bar", "width": {"band": 0.7}},
     "encoding": {"y": {"field": "percent", "type": "quantitative", "stack": "zero"},
                  "color": {"field": "part", "type": "nominal"},
                  "order": {"field": "rank", "type": "quantitative"}}},
    {"transform": [{"filter": "datum.whole"}], "mark": {"type": "rule", "style": "interval"},
     "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
    {"transform": [{"filter": "datum.whole && datum.percent === 0"}],
     "mark": {"type": "tick", "style": "interval", "width": {"band": 0.7}, "thickness": 2}},
    {"transform": [{"filter": "datum.whole && !isValid(datum.percent)"}],
     "mark": {"type": "text", "style": "value", "baseline": "bottom", "dy": -2},
     "encoding": {"y": {"value": 138}, "text": {"value": "–"}}},
    {"transform": [{"filter": "isValid(datum.absent)"}], "mark": {"type": "text", "style": "nothing"},
     "encoding": {"x": {"datum": 5, "type": "ordinal"}, "y": {"value": 70},
                  "text": {"field": "absent"}}}
  ]
}})json";
}

std::string_view top_form() {
  return R"json({
"facet": {"row": {"field": "framework", "type": "nominal", "title": null}},
"spec": {
  "width": 430, "height": {"step": 30},
  "encoding": {
    "y": {"field": "device", "type": "nominal", "title": null},
    "x": {"field": "percent", "type": "quantitative",
          "axis": {"labelExpr": "datum.value + '%'", "title": "of the most used functions"}},
    "tooltip": []},
  "layer": [
    {"transform": [{"filter": "datum.drawn"}], "mark": {"type": "bar", "height": {"band": 0.62}},
     "encoding": {"x": {"field": "percent", "type": "quantitative", "stack": "zero"},
                  "color": {"field": "part", "type": "nominal"},
                  "order": {"field": "rank", "type": "quantitative"}}},
    {"transform": [{"filter": "datum.whole"}], "mark": {"type": "rule", "style": "interval"},
     "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}},
    {"transform": [{"filter": "datum.whole"}],
     "mark": {"type": "text", "style": "value", "align": "left", "dx": 8},
     "encoding": {"x": {"field": "end", "type": "quantitative"}, "text": {"field": "percent_text"}}},
    {"transform": [{"filter": "isValid(datum.absent)"}],
     "mark": {"type": "text", "style": "nothing", "align": "left", "dx": 8},
     "encoding": {"x": {"value": 0}, "text": {"field": "absent"}}}
  ]
}})json";
}

std::string_view category_form() {
  return R"json({
"facet": {"row": {"field": "framework", "type": "nominal", "title": null}},
"spec": {
  "width": 480, "height": {"step": 30},
  "encoding": {
    "y": {"field": "device", "type": "nominal", "title": null},
    "x": {"field": "percent", "type": "quantitative", "scale": {"domain": [0, 100], "nice": false},
          "axis": {"labelExpr": "datum.value + '%'", "title": "of the failing functions"}}},
  "layer": [
    {"transform": [{"filter": "!datum.total && datum.percent > 0"}], "mark": {"type": "bar", "height": {"band": 0.72}},
     "encoding": {"x": {"field": "percent", "type": "quantitative", "stack": "zero"},
                  "color": {"field": "category", "type": "nominal"},
                  "order": {"field": "rank", "type": "quantitative"},
                  "tooltip": []}},
    {"transform": [{"filter": "!datum.total && datum.percent > 0"}],
     "mark": {"type": "text", "style": "within"},
     "encoding": {"x": {"field": "percent", "type": "quantitative", "stack": "zero", "bandPosition": 0.5},
                  "detail": {"field": "category", "type": "nominal"},
                  "order": {"field": "rank", "type": "quantitative"},
                  "opacity": {"condition": {"test": "datum.percent >= 4", "value": 1}, "value": 0},
                  "text": {"field": "functions_text"}}},
    {"transform": [{"filter": "datum.total"}],
     "mark": {"type": "text", "style": "value", "align": "left", "dx": 8},
     "encoding": {"x": {"field": "end", "type": "quantitative"}, "text": {"field": "functions_text"}}},
    {"transform": [{"filter": "isValid(datum.absent)"}],
     "mark": {"type": "text", "style": "nothing", "align": "left", "dx": 8},
     "encoding": {"x": {"value": 0}, "text": {"field": "absent"}}}
  ]
}})json";
}

std::string_view factor_form() {
  return R"json({
"facet": {"column": {"field": "generations", "type": "nominal", "title": null}},
"spec": {
  "width": 290, "height": 230,
  "encoding": {
    "x": {"field": "factor", "type": "ordinal",
          "axis": {"title": "faster by at least", "labelAngle": 0, "labelExpr": "datum.value + '×'"}},
    "xOffset": {"field": "framework", "type": "nominal"},
    "y": {"field": "faster_percent", "type": "quantitative", "title": "share of functions",
          "scale": {"domain": [0, 100]}, "axis": {"labelExpr": "datum.value + '%'"}},
    "color": {"field": "framework", "type": "nominal", "legend": {"symbolOpacity": 1}}},
  "layer": [
    {"mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.55},
     "encoding": {"y": {"field": "faster_percent_low", "type": "quantitative"},
                  "y2": {"field": "faster_percent_high"}}},
    {"mark": {"type": "line", "strokeWidth": 1.5, "opacity": 0.6}},
    {"mark": {"type": "point", "filled": true, "size": 70, "opacity": 1, "style": "dot"},
     "encoding": {"shape": {"field": "framework", "type": "nominal"}, "tooltip": []}}
  ]
}})json";
}

std::string_view histogram_form() {
  return R"json({
"facet": {"row": {"field": "device", "type": "nominal", "title": null}},
"spec": {
  "width": 520, "height": 130,
  "mark": {"type": "bar", "orient": "vertical"},
  "encoding": {
    "x": {"field": "from_s", "type": "quantitative", "scale": {"type": "log", "nice": false, "padding": 0},
          "axis": {"title": "time per function", "labelExpr": "format(datum.value, '~s') + 's'"}},
    "x2": {"field": "to_s"},
    "y": {"field": "functions", "type": "quantitative", "title": "functions", "scale": {"nice": true}, "axis": {"tickMinStep": 1, "tickCount": 5}},
    "y2": {"datum": 0},
    "color": {"field": "device", "type": "nominal", "legend": null},
    "tooltip": []}
}})json";
}

std::string_view spread_form() {
  return R"json({
"facet": {"row": {"field": "target", "type": "nominal", "title": null}},
"resolve": {"scale": {"y": "independent"}},
"spec": {
  "width": 480, "height": {"step": 26},
  "encoding": {
    "y": {"field": "dtype", "type": "nominal", "title": null},
    "x": {"field": "median_ulp_at", "type": "quantitative", "scale": {"type": "log", "nice": false},
          "axis": {"title": "error in units in the last place: median (dot), 90% (bar), 99% (tick), most (line)",
                   "labelExpr": "format(datum.value, '~g')"}},
    "tooltip": []},
  "layer": [
    {"mark": {"type": "rule", "style": "interval"}, "encoding": {"x2": {"field": "max_ulp_at"}}},
    {"mark": {"type": "bar", "height": {"band": 0.4}}, "encoding": {"x2": {"field": "p90_ulp_at"}}},
    {"mark": {"type": "tick", "style": "interval", "height": {"band": 0.6}, "thickness": 2},
     "encoding": {"x": {"field": "p99_ulp_at", "type": "quantitative"}}},
    {"mark": {"type": "point", "filled": true, "size": 70, "opacity": 1, "style": "dot"}}
  ]
}})json";
}

std::string_view nothing_form() {
  return R"json({
"width": 460, "height": 130,
"mark": {"type": "text", "style": "nothing", "lineBreak": "\n"},
"encoding": {"text": {"field": "text"}}
})json";
}

std::string_view config_form() {
  return R"json({
"padding": 12,
"view": {"strokeWidth": 1},
"axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8, "tickSize": 4,
         "labelOverlap": "greedy", "labelFlush": false, "labelLimit": 200, "titleLimit": 420, "domain": false},
"axisY": {"grid": true},
"axisXBand": {"grid": false}, "axisYBand": {"grid": false},
"axisXPoint": {"grid": false},
"legend": {"orient": "top", "title": null, "labelFontSize": 12, "labelLimit": 260, "symbolSize": 90, "offset": 8,
           "columnPadding": 16},
"header": {"labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": 240, "labelPadding": 6},
"headerRow": {"labelAngle": 0, "labelAlign": "left"},
"title": {"anchor": "start", "frame": "group", "fontSize": 15, "fontWeight": "bold", "offset": 14,
          "subtitleFontSize": 11.5, "subtitlePadding": 5, "subtitleLineHeight": 15},
"facet": {"spacing": 18},
"bar": {"strokeWidth": 0.5},
"style": {
  "guide": {"strokeWidth": 1, "strokeDash": [4, 3]},
  "guide-label": {"fontSize": 10.5},
  "interval": {"strokeWidth": 1.6},
  "value": {"fontSize": 11.5},
  "within": {"fontSize": 11, "color": "#101418"},
  "dot": {"strokeWidth": 0.6},
  "nothing": {"fontSize": 12}}
})json";
}

}  // namespace seamark::report::chart
