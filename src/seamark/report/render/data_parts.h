// What all JSON documents of this room share.
#pragma once

#include <string_view>

#include "seamark/base/value.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// The beginning of a document: its schema and the version of Seamark.
inline Value headed_value(std::string_view schema, const RenderOptions& options) {
  Value top;
  top.set("schema", schema).set("seamark", text_or_null(options.tool_version));
  return top;
}

// An item of each.
template <class Range, class Make>
Value list_value(const Range& range, Make make) {
  Value list{Value::Array{}};
  for (const auto& one : range) list.push(make(one));
  return list;
}

}  // namespace seamark::report
