#include "seamark/audit/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/render/number_text.h"

namespace seamark::audit {
namespace {

constexpr std::size_t kLargestSource = std::size_t{16} << 20;
constexpr std::string_view kSchema = "seamark-trace/1";

Error bad_trace(std::string_view what) {
  return Error(AuditError::kBadTrace, fmt::format("this is no trace: {}", what),
               "record one with `seamark audit --trace`");
}

std::span<const Value> list_of(const Value& document, std::string_view key) {
  const Value* list = document.find(key);
  return list != nullptr && list->is_array() ? std::span<const Value>(list->as_array())
                                             : std::span<const Value>();
}

std::int64_t whole(const Value& value) { return value.is_int() ? value.as_int() : 0; }

std::int64_t number_of(const Value& document, std::string_view key) {
  const Value* found = document.find(key);
  return found == nullptr ? 0 : whole(*found);
}

std::string text_of(const Value& value) { return value.is_string() ? value.as_string() : std::string(); }

// "torch.nn.functional.linear/traced[float32,64x16,e828ecdc]", as seamark_suites/traced.py names it.
std::string case_name_of(const Value& call) {
  std::vector<std::string> labels;
  for (const Value& label : list_of(call, "labels")) labels.push_back(text_of(label));
  return fmt::format("{}/traced[{}]", call.string_or("function", ""), join(labels, ","));
}

// [PATH, LINE, CALLS]
std::optional<TracedSite> site_of(std::span<const Value> parts) {
  if (parts.size() != 3 || !parts[0].is_string()) return std::nullopt;
  TracedSite site;
  site.path = parts[0].as_string();
  site.line = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(whole(parts[1]), 0, std::numeric_limits<std::int32_t>::max()));
  site.calls = whole(parts[2]);
  return site;
}

// [NAME, WHAT, PATH, LINE, COMPILATIONS]
std::vector<TracedGraph> graphs_of(const Value& document, std::string_view key) {
  std::vector<TracedGraph> found;
  for (const Value& one : list_of(document, key)) {
    if (!one.is_array() || one.as_array().size() != 5) continue;
    const std::span<const Value> parts = one.as_array();
    if (std::optional<TracedSite> site = site_of(parts.subspan(2)))
      found.push_back({text_of(parts[0]), text_of(parts[1]), std::move(*site)});
  }
  return found;
}

// The framework with the most calls.
std::string most_called(std::span<const Value> parts) {
  std::map<std::string, std::int64_t> calls;
  for (const Value& part : parts) calls[part.string_or("framework", "")] += number_of(part, "calls_seen");
  const auto most = std::max_element(calls.begin(), calls.end(), [](const auto& one, const auto& other) {
    return one.second < other.second;
  });
  return most == calls.end() ? std::string() : most->first;
}

// A call that several processes made has the lines of all.
void add_sites(Value& call, const Value& other) {
  Value* sites = nullptr;
  for (auto& [key, value] : call.as_object()) {
    if (key == "sites" && value.is_array()) sites = &value;
  }
  if (sites == nullptr) return;
  for (const Value& site : list_of(other, "sites")) {
    if (!site.is_array() || site.as_array().size() != 3) continue;
    const Value::Array& wanted = site.as_array();
    bool found = false;
    for (Value& own : sites->as_array()) {
      if (!own.is_array() || own.as_array().size() != 3) continue;
      Value::Array& parts = own.as_array();
      if (!(parts[0] == wanted[0]) || !(parts[1] == wanted[1])) continue;
      parts[2] = Value(whole(parts[2]) + whole(wanted[2]));
      found = true;
      break;
    }
    if (!found) sites->push(site);
  }
}

struct CaseResult {
  const analysis::CaseCell* cell = nullptr;
  bool compiled_only = false;
};

std::map<std::string_view, CaseResult> results_of(const Trace& trace, const analysis::Summary& summary) {
  std::map<std::string_view, CaseResult> found;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].target != trace.target) continue;
    for (const analysis::FunctionRow& row : summary.functions) {
      for (const analysis::CaseRow& one : row.cases)
        found[one.name] = {&one.cells[t], summary.targets[t].compiled_only};
    }
  }
  return found;
}

Answer answer_of(const CaseResult& result) {
  const analysis::CaseCell& cell = *result.cell;
  if (!cell.planned || !cell.outcome) return Answer::kUnknown;
  if (report::case_failed(cell))
    return cell.unanswered || cell.fails_on_reference ? Answer::kUnknown : Answer::kFails;
  if (cell.no_device_work || cell.placement == Where::kNone) return Answer::kNoWork;
  if (*cell.outcome != Outcome::kPass) return Answer::kUnknown;
  if (result.compiled_only) return Answer::kCompiles;
  if (cell.placement == Where::kHost) return Answer::kHost;
  return cell.default_precision ? Answer::kPrecision : Answer::kPasses;
}

Item item_at(const std::string& path, std::uint32_t line, std::string id, Level level, const Trace& trace) {
  Item item;
  item.id = std::move(id);
  put_in(item, path.empty() ? trace.file : path, level);
  item.line = path.empty() ? 1 : std::max<std::uint32_t>(line, 1);
  item.end_line = item.line;
  item.end_column = 2;
  return item;
}

// The user's own files, each read once.
class SourceLines {
 public:
  std::string at(const std::string& path, std::uint32_t line) {
    const auto [file, is_new] = files_.try_emplace(path);
    if (is_new && path.ends_with(".py")) {
      if (const Result<std::string> text = read_file(path, kLargestSource)) {
        for (const std::string_view one : split_lines(*text)) file->second.emplace_back(trim(one));
      }
    }
    return line == 0 || line > file->second.size() ? std::string() : file->second[line - 1];
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// One function with one answer at one line.
using PlaceKey = std::tuple<std::string, std::uint32_t, std::string, Answer, std::string>;

struct Place {
  const TracedCall* first = nullptr;
  const analysis::CaseCell* cell = nullptr;
  std::int64_t different = 0;
  std::int64_t calls = 0;
};

std::string times(std::int64_t calls) { return report::plural(calls, "time"); }

// What is between the brackets of the case: a dtype, shapes, a digest.
std::string arguments_of(const TracedCall& call) {
  const std::size_t open = call.case_name.find('[');
  std::string text = call.case_name.substr(open + 1, call.case_name.size() - open - 2);
  const std::size_t last = text.rfind(',');
  return last == std::string::npos ? std::string() : replace_all(text.substr(0, last), ",", " ");
}

Item item_of(const PlaceKey& key, const Place& place, const Trace& trace,
             const classify::Explanations& explanations) {
  const auto& [path, line, function, answer, error] = key;
  const bool fails = answer == Answer::kFails;
  Item item = item_at(path, line, fails ? "trace-fails" : "trace-on-host",
                      fails ? Level::kError : Level::kWarning, trace);
  item.function = function;
  item.title = fmt::format("{} {} ({})", function,
                           fails ? "fails as it was called" : "is computed on the host", trace.target);
  const std::string arguments = arguments_of(*place.first);
  item.why = times(place.calls) + (arguments.empty() ? "" : " with " + arguments);
  if (place.different > 1) item.why += fmt::format(" and {} more", place.different - 1);
  if (fails) item.why += ": " + error;
  if (fails && place.cell->category) {
    const std::vector<std::string>& advice = explanations.of(*place.cell->category).advice;
    if (!advice.empty()) item.fix = advice.front();
  }
  item.rank = fails ? 1 : 3;
  return item;
}

Item break_item(const TracedGraph& one, const Trace& trace) {
  Item item = item_at(one.site.path, one.site.line, "trace-breaks", Level::kWarning, trace);
  const std::string number = one.name.empty() ? "" : one.name + ": ";
  item.title = fmt::format("the graph ends here ({}{})", number, one.what);
  item.why = fmt::format("in {}: what comes after is a graph of its own",
                         report::plural(one.site.calls, "compilation"));
  if (one.name.starts_with("GB")) {
    item.fix = fmt::format("https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{}.html",
                           one.name.substr(2));
  }
  item.rank = 3;
  return item;
}

Item recompiled_item(const TracedGraph& one, const Trace& trace) {
  Item item = item_at(one.site.path, one.site.line, "trace-recompiles", Level::kWarning, trace);
  item.title = fmt::format("{} was compiled again {} in {}", one.name, times(one.site.calls),
                           report::plural(trace.steps, "step"));
  item.why = one.what;
  item.rank = 3;
  return item;
}

std::int64_t sum_of(const std::vector<TracedGraph>& graphs) {
  std::int64_t sum = 0;
  for (const TracedGraph& one : graphs) sum += one.site.calls;
  return sum;
}

// "46 pass", "7 are computed on the host".
std::string counted(Answer answer, std::int64_t calls) {
  const std::string number = report::count_text(calls);
  const bool one = calls == 1;
  switch (answer) {
    case Answer::kFails:
      return number + (one ? " fails" : " fail");
    case Answer::kHost:
      return number + (one ? " is" : " are") + " computed on the host";
    case Answer::kPrecision:
      return number + " only at the highest precision";
    case Answer::kCompiles:
      return number + (one ? " compiles" : " compile") + " (nothing was executed)";
    case Answer::kPasses:
      return number + (one ? " passes" : " pass");
    case Answer::kNoWork:
      return number + (one ? " needs" : " need") + " no device";
    default:
      return number + " without an answer";
  }
}

}  // namespace

void add_graphs(Value& document, const Value& graphs) {
  for (const char* key : {"graphs", "breaks", "recompiled"}) {
    if (const Value* found = graphs.find(key)) document.set(key, *found);
  }
}

Result<Value> merged_trace(std::span<const Value> parts, std::string_view framework) {
  const std::string wanted = framework.empty() ? most_called(parts) : std::string(framework);
  Value merged;
  std::map<std::string, std::size_t> places;
  Value::Array calls;
  Value::Array reads;
  Value::Array left;
  std::map<std::string, Value::Array> graphs;
  std::int64_t compiled = 0;
  bool counted = false;
  bool compiles = false;
  std::int64_t seen = 0;
  std::int64_t steps = 0;
  std::string ended = "itself";
  for (const Value& part : parts) {
    if (part.string_or("schema", "") != kSchema) return bad_trace("it has another schema");
    if (part.string_or("framework", "") != wanted) continue;
    if (merged.is_null()) {
      for (const char* key : {"schema", "framework", "version", "python"})
        merged.set(key, part.string_or(key, ""));
    }
    for (const Value& call : list_of(part, "calls")) {
      const auto [place, is_new] = places.emplace(case_name_of(call), calls.size());
      if (is_new) {
        calls.push_back(call);
      } else {
        add_sites(calls[place->second], call);
      }
    }
    for (const Value& read : list_of(part, "reads")) reads.push_back(read);
    for (const Value& one : list_of(part, "left_out")) left.push_back(one);
    for (const char* key : {"breaks", "recompiled"}) {
      for (const Value& one : list_of(part, key)) graphs[key].push_back(one);
    }
    counted = counted || part.find("graphs") != nullptr;
    compiled += number_of(part, "graphs");
    compiles = compiles || part.bool_or("compiles", false);
    seen += number_of(part, "calls_seen");
    steps = std::max(steps, number_of(part, "steps"));
    if (part.string_or("ended", "itself") != "itself") ended = part.string_or("ended", "");
  }
  if (merged.is_null()) return bad_trace("no process wrote one");
  merged.set("calls_seen", seen).set("steps", steps).set("ended", ended);
  merged.set("calls", Value(std::move(calls))).set("reads", Value(std::move(reads)));
  merged.set("left_out", Value(std::move(left))).set("compiles", compiles);
  if (counted) {
    merged.set("graphs", compiled).set("breaks", Value(std::move(graphs["breaks"])));
    merged.set("recompiled", Value(std::move(graphs["recompiled"])));
  }
  return merged;
}

Result<Trace> read_trace(const Value& document) {
  Trace trace;
  if (document.string_or("schema", "") != kSchema) return bad_trace("it has another schema");
  trace.framework = document.string_or("framework", "");
  trace.version = document.string_or("version", "");
  trace.cut = document.string_or("ended", "itself") != "itself";
  trace.compiles = document.bool_or("compiles", false);
  if (document.find("graphs") != nullptr) trace.graphs = number_of(document, "graphs");
  trace.breaks = graphs_of(document, "breaks");
  trace.recompiled = graphs_of(document, "recompiled");
  trace.seen = number_of(document, "calls_seen");
  trace.steps = number_of(document, "steps");
  for (const Value& call : list_of(document, "calls")) {
    TracedCall one;
    one.function = call.string_or("function", "");
    one.case_name = case_name_of(call);
    if (one.function.empty()) return bad_trace("a call has no function");
    for (const Value& site : list_of(call, "sites")) {
      if (!site.is_array()) continue;
      if (std::optional<TracedSite> read = site_of(site.as_array())) one.sites.push_back(std::move(*read));
    }
    trace.calls.push_back(std::move(one));
  }
  for (const Value& read : list_of(document, "reads")) {
    if (!read.is_array() || read.as_array().size() != 4) continue;
    const std::span<const Value> parts = read.as_array();
    if (std::optional<TracedSite> site = site_of(parts.subspan(1)))
      trace.reads.push_back({text_of(parts[0]), std::move(*site)});
  }
  for (const Value& left : list_of(document, "left_out")) {
    if (left.is_array() && left.as_array().size() == 3) trace.left_out += whole(left.as_array()[2]);
  }
  return trace;
}

TraceAnswers answers_of(const Trace& trace, const analysis::Summary* summary,
                        const classify::Explanations& explanations) {
  TraceAnswers out;
  std::map<std::string_view, CaseResult> results;
  if (summary != nullptr) results = results_of(trace, *summary);
  std::map<PlaceKey, Place> places;
  for (const TracedCall& call : trace.calls) {
    const auto found = results.find(call.case_name);
    const Answer answer = found == results.end() ? Answer::kUnknown : answer_of(found->second);
    ++out.calls[answer];
    if (answer != Answer::kFails && answer != Answer::kHost) continue;
    const analysis::CaseCell& cell = *found->second.cell;
    const std::string error = answer == Answer::kFails
                                  ? report::error_line(cell.error->type.get(), cell.error->message.get())
                                  : std::string();
    for (const TracedSite& site : call.sites) {
      Place& place = places[{site.path, site.line, call.function, answer, error}];
      if (place.first == nullptr) {
        place.first = &call;
        place.cell = &cell;
      }
      ++place.different;
      place.calls += site.calls;
    }
  }
  SourceLines lines;
  for (const auto& [key, place] : places) out.items.push_back(item_of(key, place, trace, explanations));
  for (const TracedRead& read : trace.reads) {
    if (read.site.path.empty()) continue;
    Item item = item_at(read.site.path, read.site.line, "trace-reads", Level::kNote, trace);
    item.function = read.function;
    item.title = fmt::format("{} read a tensor {} in {}", read.function, times(read.site.calls),
                             report::plural(trace.steps, "step"));
    item.why = "the program waits for the device there";
    item.rank = 4;
    out.items.push_back(std::move(item));
  }
  for (const TracedGraph& one : trace.breaks) out.items.push_back(break_item(one, trace));
  for (const TracedGraph& one : trace.recompiled) out.items.push_back(recompiled_item(one, trace));
  for (Item& item : out.items) item.code = lines.at(item.path, item.line);
  return out;
}

std::string trace_text(const Trace& trace, const TraceAnswers& answers) {
  std::string text =
      fmt::format("{}: {} of {}", trace.command,
                  report::plural(static_cast<std::int64_t>(trace.calls.size()), "different call"),
                  report::count_text(trace.seen));
  if (trace.target.empty()) {
    text += trace.problem.empty() ? "" : "; not run: " + trace.problem;
  } else {
    std::vector<std::string> parts;
    for (const auto& [answer, calls] : answers.calls) parts.push_back(counted(answer, calls));
    text += fmt::format("; on {}: {}", trace.target, join(parts, ", "));
  }
  if (trace.graphs) {
    text +=
        fmt::format("; {}", report::plural(*trace.graphs, trace.framework == "torch" ? "graph" : "program"));
    if (!trace.breaks.empty())
      text += fmt::format(", broken at {}", report::plural(std::ssize(trace.breaks), "line"));
    if (!trace.recompiled.empty())
      text += fmt::format(", {}", report::plural(sum_of(trace.recompiled), "recompilation"));
  }
  if (!trace.graphs_problem.empty()) text += "; compiled, the program " + trace.graphs_problem;
  if (trace.left_out > 0) text += fmt::format("; {} left out", report::count_text(trace.left_out));
  if (!trace.end.empty()) text += "; the program " + trace.end;
  return text;
}

Value trace_value(const Trace& trace, const TraceAnswers& answers) {
  Value value;
  value.set("command", trace.command).set("file", trace.file).set("framework", trace.framework);
  value.set("version", trace.version).set("target", text_or_null(trace.target));
  value.set("problem", text_or_null(trace.problem)).set("program", text_or_null(trace.end));
  value.set("ended_by_steps", trace.cut).set("steps", trace.steps).set("calls", trace.seen);
  value.set("different_calls", static_cast<std::int64_t>(trace.calls.size()));
  value.set("left_out", trace.left_out);
  value.set("graphs", trace.graphs ? Value(*trace.graphs) : Value());
  value.set("graph_breaks", trace.graphs ? Value(sum_of(trace.breaks)) : Value());
  value.set("recompilations", trace.graphs ? Value(sum_of(trace.recompiled)) : Value());
  value.set("compiled_program", text_or_null(trace.graphs_problem));
  Value counts{Value::Object{}};
  for (const auto& [answer, calls] : answers.calls) counts.set(name_of(answer), calls);
  value.set("answers", std::move(counts));
  return value;
}

}  // namespace seamark::audit
