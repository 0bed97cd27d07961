#include "seamark/cli/rendering.h"

#include <string_view>

#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/version.h"

namespace seamark::cli {

bool is_file(const std::string& output) { return !output.empty() && output != "-"; }

report::RenderOptions render_options(const Context& context, const std::string& output) {
  const bool to_file = is_file(output);
  report::RenderOptions options;
  options.width = to_file ? 100 : context.out.width;
  options.color = !to_file && context.out.color;
  options.unicode = to_file || context.out.unicode;
  options.tool_version = version();
  return options;
}

Status no_page_on_terminal(const Context& context, const std::string& output) {
  if (is_file(output) || !context.out.is_terminal) return {};
  return Error(CliError::kUsage, "an HTML report is no text for a terminal",
               "write it to a file: -o report.html");
}

std::string ending_of(const std::string& output) {
  const std::size_t dot = output.rfind('.');
  return dot == std::string::npos ? std::string() : lower_ascii(std::string_view(output).substr(dot + 1));
}

}  // namespace seamark::cli
