#include "seamark/cli/trace_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/cli/errors.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestTrace = std::size_t{256} << 20;

Result<Value> read_document(const fs::path& path) {
  const Result<std::string> text = read_file(path, kLargestTrace);
  if (!text) return text.error();
  return parse_json(*text, {.max_bytes = kLargestTrace, .max_depth = 200});
}

Status may_write(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const Result<Value> there = read_document(file);
  if (there && audit::read_trace(*there)) return {};
  return Error(CliError::kUsage, fmt::format("{} is there, and is no trace", file),
               "name another file with --trace-file");
}

// `graphs`: empty, or what of the program is compiled ("own", "all").
proc::CommandOptions options_for(const Context& context, const TraceRequest& request, const fs::path& out,
                                 const std::string& graphs) {
  proc::CommandOptions options;
  options.spawn.argv = {"/bin/sh", "-c", request.command};
  options.spawn.die_with_parent = true;
  options.max_output_bytes = 0;
  options.on_output = [](proc::OutputStream, std::string_view text) { (void)write_all(STDERR_FILENO, text); };
  std::string path = (context.home / "python" / "seamark_trace").native();
  if (const auto own = environment_variable("PYTHONPATH"); own && !own->empty()) path += ":" + *own;
  options.spawn.environment = {{"PYTHONPATH", path},
                               {"SEAMARK_TRACE", out.native()},
                               {"SEAMARK_TRACE_STEPS", fmt::format("{}", request.steps)},
                               {"JAX_PLATFORMS", "cpu"},
                               {"CUDA_VISIBLE_DEVICES", ""}};
  if (graphs.empty()) {
    // What is compiled makes no calls to record.
    options.spawn.environment.emplace_back("TORCH_COMPILE_DISABLE", "1");
  } else {
    options.spawn.environment.emplace_back("SEAMARK_TRACE_GRAPHS", graphs);
  }
  return options;
}

// Of the processes, in the order of their names.
Result<std::vector<Value>> parts_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Value> parts;
  for (const fs::path& file : files) {
    Result<Value> part = read_document(file);
    if (!part) return part.error();
    parts.push_back(std::move(*part));
  }
  return parts;
}

struct Recorded {
  std::vector<Value> parts;  // of the processes
  std::string end;           // "" or "exited with code 3"
};

Result<Recorded> run_recorded(const Context& context, const TraceRequest& request,
                              const std::string& graphs) {
  const Result<TempDir> out = TempDir::make("seamark-trace");
  if (!out) return out.error();
  proc::Signals signals;
  proc::CommandOptions options = options_for(context, request, out->path(), graphs);
  options.signals = &signals;
  const Result<proc::CommandResult> ran = proc::run_command(options);
  if (!ran) return Error(CliError::kEnvironment, ran.error().message(), ran.error().remedy());
  if (ran->interrupted)
    return Error(CliError::kEnvironment, "the program was interrupted", "--steps makes it end sooner");
  Result<std::vector<Value>> parts = parts_in(out->path());
  if (!parts) return parts.error();
  return Recorded{std::move(*parts), ran->success() ? std::string() : ran->text()};
}

// Runs the program once more, compiled: how its graphs break and are made again goes into the document. What
// became of that.
Result<std::string> record_graphs(const Context& context, const TraceRequest& request, bool all,
                                  Value& document) {
  const Result<Recorded> recorded = run_recorded(context, request, all ? "all" : "own");
  if (!recorded) return recorded.error();
  if (!recorded->parts.empty()) {
    const Result<Value> graphs = audit::merged_trace(recorded->parts, "torch");
    if (!graphs) return graphs.error();
    audit::add_graphs(document, *graphs);
  }
  return recorded->end;
}

}  // namespace

Result<audit::Trace> trace_program(const Context& context, const TraceRequest& request) {
  if (Status may = may_write(request.file); !may) return may.error();
  const Result<Recorded> recorded = run_recorded(context, request, "");
  if (!recorded) return recorded.error();
  if (recorded->parts.empty()) {
    return Error(
        CliError::kNothing,
        fmt::format("no call of a framework was recorded{}",
                    recorded->end.empty() ? "" : ": the program " + recorded->end),
        "--trace takes a command that starts a Python with PyTorch, JAX or TensorFlow, without -I, -E or -S");
  }
  Result<Value> merged = audit::merged_trace(recorded->parts, request.framework);
  if (!merged) return merged.error();
  std::string graphs_problem;
  const bool is_torch = merged->string_or("framework", "") == "torch";
  if (is_torch && (request.compiled || merged->bool_or("compiles", false))) {
    Result<std::string> end = record_graphs(context, request, request.compiled, *merged);
    if (!end) return end.error();
    graphs_problem = std::move(*end);
  }
  if (Status written = write_file(request.file, dump_json_pretty(*merged)); !written)
    return Error(CliError::kOutput, written.error().message(), "name another file with --trace-file");
  Result<audit::Trace> trace = audit::read_trace(*merged);
  if (!trace) return trace;
  trace->file = request.file;
  trace->command = request.command;
  trace->end = recorded->end;
  if (graphs_problem != recorded->end) trace->graphs_problem = graphs_problem;
  return trace;
}

}  // namespace seamark::cli
