// The calls that a program made as it ran (schema seamark-trace/1, written by python/seamark_trace), and what
// came of them on the target.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/audit/audit_report.h"
#include "seamark/base/result.h"
#include "seamark/base/value.h"

namespace seamark::audit {

struct TracedSite {
  std::string
      path;  // below the folder in which the program began, where it is there; empty: none of the user's
  std::uint32_t line = 0;
  std::int64_t calls = 0;
};

struct TracedCall {
  std::string function;
  std::string case_name;  // of the suite that the trace is
  std::vector<TracedSite> sites;
};

struct TracedRead {
  std::string function;  // hands a tensor's values to Python
  TracedSite site;
};

// Where Dynamo ends a graph, and what is compiled once more.
struct TracedGraph {
  std::string name;  // GB0059; the function that is compiled
  std::string what;
  TracedSite site;  // calls: compilations
};

struct Trace {
  std::string framework;
  std::string version;
  std::string file;     // where it was written
  std::string command;  // the program's
  std::string end;      // of the program: "" or "exited with code 3"
  std::string target;   // that its calls were run on; empty: on none
  std::string problem;  // why not
  bool cut = false;     // the program was ended after the steps that were asked for
  std::int64_t seen = 0;
  std::int64_t steps = 0;
  std::int64_t left_out = 0;  // calls that no case can be made of
  std::vector<TracedCall> calls;
  std::vector<TracedRead> reads;
  bool compiles = false;                // the program calls torch.compile
  std::optional<std::int64_t> graphs;   // that were compiled; nullopt: nobody counted
  std::vector<TracedGraph> breaks;      // PyTorch's alone
  std::vector<TracedGraph> recompiled;  // functions of the user's
  std::string graphs_problem;           // of the program as it was compiled
};

// One document of those that a program's processes wrote: of `framework`, of the one with the most calls
// where it is empty. kBadTrace.
Result<Value> merged_trace(std::span<const Value> parts, std::string_view framework);
// `document` with what a second run of the program says of its graphs.
void add_graphs(Value& document, const Value& graphs);
Result<Trace> read_trace(const Value& document);

// How often each answer came for the different calls: what the trace says on one line.
struct TraceAnswers {
  std::map<Answer, std::int64_t> calls;
  std::vector<Item> items;  // trace-fails, trace-on-host, trace-breaks, trace-recompiles, trace-reads
};
// `summary`: nullptr where nothing was run.
[[nodiscard]] TraceAnswers answers_of(const Trace& trace, const analysis::Summary* summary,
                                      const classify::Explanations& explanations);
[[nodiscard]] std::string trace_text(const Trace& trace, const TraceAnswers& answers);
[[nodiscard]] Value trace_value(const Trace& trace, const TraceAnswers& answers);

}  // namespace seamark::audit
