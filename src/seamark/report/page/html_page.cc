#include "seamark/report/page/html_page.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "seamark/base/sha256.h"
#include "seamark/base/text.h"
#include "seamark/embedded/page.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

namespace {

// Three waves, as an SVG that needs no request.
constexpr std::string_view kIcon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 "
    "5q3.5-4 7 "
    "0t7 0M1 11q3.5-4 7 0t7 0' fill='none' stroke='%230b6e99' stroke-width='2'/%3E%3C/svg%3E";

// As the browser's parser will see it, which is what it hashes: line ends are \n.
std::string parsed(std::string_view code) { return replace_all(replace_all(code, "\r\n", "\n"), "\r", "\n"); }

// Within a script `<!--` and then `<script` would make `</script>` part of the code.
void check(std::string_view code, std::string_view tag) {
  const std::string lower = lower_ascii(code);
  const std::size_t comment = lower.find("<!--");
  if (lower.find(fmt::format("</{}", tag)) != std::string::npos || lower.find('\0') != std::string::npos ||
      (comment != std::string::npos && lower.find("<script", comment) != std::string::npos) ||
      !is_utf8(code)) {
    throw std::invalid_argument(fmt::format("this code cannot stand in a <{}>", tag));
  }
}

std::string sources(const std::vector<std::string_view>& codes) {
  if (codes.empty()) return " 'none'";
  std::string out;
  for (const std::string_view code : codes) {
    out += fmt::format(" 'sha256-{}'", to_base64(sha256(parsed(code))));
  }
  return out;
}

std::string elements(const std::vector<std::string_view>& scripts) {
  std::string out;
  for (const std::string_view script : scripts) {
    check(script, "script");
    out += fmt::format("<script>{}</script>\n", parsed(script));
  }
  return out;
}

std::string policy(const PageParts& parts) {
  std::vector<std::string_view> scripts = parts.early;
  scripts.insert(scripts.end(), parts.scripts.begin(), parts.scripts.end());
  return fmt::format(
      "default-src 'none'; style-src{};{} script-src{}; img-src data:; base-uri 'none'; form-action 'none'",
      sources(parts.styles), parts.style_attributes ? " style-src-attr 'unsafe-inline';" : "",
      sources(scripts));
}

}  // namespace

// Each script is an element of its own: they share one scope, and a fault in one leaves the others standing.
PageParts report_parts(std::string title) {
  PageParts parts;
  parts.title = std::move(title);
  parts.styles = {page::page_css(), page::matrix_css(), page::panel_css()};
  parts.early = {page::theme_js()};
  parts.scripts = {page::model_js(),  page::view_js(),   page::rows_js(),    page::matrix_js(),
                   page::dtypes_js(), page::detail_js(), page::toolbar_js(), page::start_js()};
  return parts;
}

std::string page_head(const PageParts& parts) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"{}\">\n",
      policy(parts), line(parts.title), kIcon);
  for (const std::string_view style : parts.styles) {
    check(style, "style");
    out += fmt::format("<style>{}</style>\n", parsed(style));
  }
  return out + elements(parts.early) + "</head>\n<body>\n";
}

std::string scripts_of(const PageParts& parts) { return elements(parts.scripts); }

std::string data_element(std::string_view id, std::string_view json) {
  std::string safe = replace_all(replace_all(json, "<", "\\u003c"), ">", "\\u003e");
  safe = replace_all(safe, "&", "\\u0026");
  safe = replace_all(replace_all(safe, "\xe2\x80\xa8", "\\u2028"), "\xe2\x80\xa9", "\\u2029");
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", line(id), safe);
}

}  // namespace seamark::report::html
