// The frame of an HTML page that carries its own styles and scripts: head, policy, inline scripts, data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seamark::report::html {

// What goes into the page beside its content. The code is ours or a library's, never a text of a result.
struct PageParts {
  std::string title;                      // plain text
  std::vector<std::string_view> styles;   // style sheets, each becomes one <style> in the head
  std::vector<std::string_view> early;    // classic scripts of the head, run before anything is painted
  std::vector<std::string_view> scripts;  // classic scripts in order, for scripts_of(); they share one scope
  bool style_attributes = false;          // a library sets style="...": adds style-src-attr 'unsafe-inline'
};

// The styles and scripts of a report: every function in a table that can be searched, filtered and ordered.
PageParts report_parts(std::string title);

// From <!doctype> to <body>: UTF-8, icon, title, styles, early scripts, and a Content-Security-Policy under
// which nothing is loaded and only those styles and scripts apply, each by its SHA-256. No 'unsafe-eval', no
// 'unsafe-inline' for scripts. Throws std::invalid_argument on code that would end its own element.
std::string page_head(const PageParts& parts);

// One <script> for each of `scripts`, for the end of the body.
std::string scripts_of(const PageParts& parts);

// <script type="application/json" id="ID">: never run, so it needs no hash. `json` is a document as
// dump_json() writes it; what could end the element (<, >, &, U+2028, U+2029) is escaped within its strings.
std::string data_element(std::string_view id, std::string_view json);

}  // namespace seamark::report::html
