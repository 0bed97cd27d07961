#include "seamark/cli/charts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "seamark/analysis/beyond.h"
#include "seamark/analysis/study_figures.h"
#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/sha256.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/helper.h"
#include "seamark/cli/rendering.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;
using analysis::Exhibit;

constexpr std::string_view kRecipe = "charts";
constexpr int kNoVlConvert = 3;  // of the helper
constexpr double kTimeout = 300;
constexpr std::size_t kLargestScript = std::size_t{16} << 20;

std::string_view ending_for(Format format) {
  switch (format) {
    case Format::kPng:
      return "png";
    case Format::kSvg:
      return "svg";
    case Format::kVegaLite:
      return "vl.json";
    default:
      throw std::invalid_argument(fmt::format("no charts as {}", format_name(format)));
  }
}

std::string remedy(const Context& context) { return helper_remedy(context, kRecipe, "vl-convert-python"); }

Result<proc::CommandResult> ask(const Context& context, std::vector<std::string> arguments,
                                std::string input) {
  const std::string python = helper_python(context, kRecipe);
  proc::CommandOptions options;
  options.spawn.argv = {python, helper_file(context, "charts.py")};
  for (std::string& argument : arguments) options.spawn.argv.push_back(std::move(argument));
  options.input = std::move(input);
  options.timeout_s = kTimeout;
  Result<proc::CommandResult> done = proc::run_command(options);
  if (!done)
    return Error(CliError::kEnvironment, "charts cannot be drawn: " + done.error().message(),
                 remedy(context));
  if (done->success() && !done->out_truncated) return done;
  if (done->exit.shell_code() == kNoVlConvert) {
    return Error(CliError::kEnvironment,
                 fmt::format("drawing charts needs vl-convert, which {} does not have", python),
                 remedy(context));
  }
  return Error(CliError::kEnvironment,
               fmt::format("charts cannot be drawn: the helper {}", one_line(done->text())), remedy(context));
}

Status no_terminal(const Context& context, Format format, const std::string& output) {
  if (format == Format::kPng && !is_file(output) && context.out.is_terminal) {
    return Error(CliError::kUsage, "a PNG is no text for a terminal", "write it to a file: -o figure.png");
  }
  return {};
}

// Where each figure goes: one into the file, several into the folder.
Result<std::vector<std::string>> places(std::span<const Exhibit> figures, Format format,
                                        const std::string& output) {
  std::error_code error;
  const bool folder = output.ends_with('/') || (is_file(output) && fs::is_directory(output, error));
  if (figures.size() == 1 && !folder) return std::vector<std::string>{output};
  const bool names_a_file =
      ending_of(output) == "png" || ending_of(output) == "svg" || ending_of(output) == "json";
  if (!is_file(output) || (!folder && names_a_file)) {
    return Error(CliError::kUsage, fmt::format("{} figures do not fit into one file", figures.size()),
                 fmt::format("name a folder: --format {} -o charts/; or one figure: --only figure-1",
                             format == Format::kVegaLite ? "vega-lite" : ending_for(format)));
  }
  if (Status made = make_directories(output); !made)
    return Error(CliError::kOutput, made.error().message(), "write to another place with -o");
  std::vector<std::string> out;
  for (const Exhibit& figure : figures) {
    out.push_back((fs::path(output) / fmt::format("{}.{}", figure.id, ending_for(format))).string());
  }
  return out;
}

// The rest of a cached file whose first line is its hash; empty where it is not whole.
std::string checked(std::string_view file) {
  const std::size_t line_end = file.find('\n');
  if (line_end == std::string_view::npos) return {};
  const std::string_view script = file.substr(line_end + 1);
  if (file.substr(0, line_end) != "// sha256-" + to_base64(sha256(script))) return {};
  return std::string(script);
}

}  // namespace

std::optional<Format> chart_format_of(const ReportCommand& command) {
  const auto format = format_from(command.format.empty() ? ending_of(command.output) : command.format);
  const bool drawn = format == Format::kPng || format == Format::kSvg || format == Format::kVegaLite;
  return drawn ? format : std::nullopt;
}

Status write_charts(const Context& context, std::span<const Exhibit> figures,
                    const analysis::ResultSet& findings, Format format, report::ChartTheme theme,
                    const std::string& output) {
  if (Status status = no_terminal(context, format, output); !status) return status;
  const Result<std::vector<std::string>> files = places(figures, format, output);
  if (!files) return files.error();
  if (format == Format::kVegaLite) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const std::string text = dump_json_pretty(report::chart_document(figures[i], findings, theme));
      if (Status written = write_output(text, (*files)[i]); !written) return written;
    }
    return {};
  }
  Result<HeldDir> folder = HeldDir::make("charts");
  if (!folder) return folder.error();
  std::string jobs;
  for (const Exhibit& figure : figures) {
    jobs += dump_json(
        Value::Object{{"name", Value(figure.id)}, {"spec", report::chart_document(figure, findings, theme)}});
    jobs += '\n';
  }
  const std::string ending(ending_for(format));
  const auto done = ask(context, {"draw", ending, folder->path().string()}, std::move(jobs));
  if (!done) return done.error();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Result<std::string> drawing = read_file(folder->path() / (figures[i].id + "." + ending));
    if (!drawing) return drawing.error();
    if (Status written = write_output(*drawing, (*files)[i]); !written) return written;
  }
  return {};
}

Result<std::string> chart_scripts(const Context& context) {
  const target::Recipe* recipe = context.recipes.find(kRecipe);
  const fs::path kept =
      context.cache / "charts" / fmt::format("vega-{}.js", recipe == nullptr ? "any" : recipe->hash());
  if (const Result<std::string> file = read_file(kept, kLargestScript)) {
    if (std::string script = checked(*file); !script.empty()) return script;
  }
  const SystemClock clock;
  LiveLine line(STDERR_FILENO, context.err, clock);
  if (!context.common.quiet) line.show("making the scripts of the charts, once ...");
  Result<proc::CommandResult> done = ask(context, {"bundle"}, {});
  line.clear();
  if (!done) return done.error();
  std::string script = std::move(done->out);
  // A cache that cannot be written costs the time again, and nothing else.
  if (make_directories(kept.parent_path())) {
    (void)write_file(kept, fmt::format("// sha256-{}\n{}", to_base64(sha256(script)), script));
  }
  return script;
}

report::PageCharts study_charts(const Context& context, std::vector<Exhibit> figures) {
  report::PageCharts charts;
  charts.figures = std::move(figures);
  const bool any = std::any_of(charts.figures.begin(), charts.figures.end(),
                               [](const Exhibit& figure) { return !figure.rows.empty(); });
  if (!any) return charts;
  if (Result<std::string> scripts = chart_scripts(context)) {
    charts.library = std::move(scripts.value());
  } else {
    charts.missing =
        fmt::format("{}; to have them drawn, {}", scripts.error().message(), scripts.error().remedy());
  }
  return charts;
}

report::PageCharts page_charts(const Context& context, const analysis::ResultSet& findings,
                               const analysis::Summary& summary) {
  std::vector<Exhibit> figures = analysis::study_figures(findings);
  for (Exhibit& one : analysis::drawn_beyond(findings, {.choice = {}, .summary = &summary, .usage = {}}))
    figures.push_back(std::move(one));
  std::erase_if(figures, [](const Exhibit& figure) { return figure.rows.empty(); });
  return study_charts(context, std::move(figures));
}

}  // namespace seamark::cli
