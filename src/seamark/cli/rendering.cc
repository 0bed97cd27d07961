#include "seamark/cli/rendering.h"

#include <fmt/format.h>

#include <algorithm>
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

Result<Format> choose_format(const std::string& asked, const std::string& output, const Formats& formats) {
  const std::optional<Format> format = format_from(asked.empty() ? ending_of(output) : asked);
  if (!format && asked.empty()) return formats.front();
  if (format && std::ranges::find(formats, *format) != formats.end()) return *format;
  return Error(CliError::kUsage,
               fmt::format("'{}' is no format of this", asked.empty() ? ending_of(output) : asked),
               fmt::format("--format {}", format_names(formats)));
}

Result<Format> format_for(const Context& context, const std::string& asked, const std::string& output,
                          const Formats& formats) {
  Result<Format> format = choose_format(asked, output, formats);
  if (format && *format == Format::kHtml) {
    if (Status status = no_page_on_terminal(context, output); !status) return status.error();
  }
  return format;
}

}  // namespace seamark::cli
