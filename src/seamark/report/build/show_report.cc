#include "seamark/report/build/show_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "seamark/analysis/dtype_verdict.h"
#include "seamark/base/text.h"
#include "seamark/model/verdict.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/estimate_report.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/document/text_table.h"

namespace seamark::report {

using analysis::AttemptDetail;
using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;
using Align = Column::Align;

namespace {

Tone tone_of(CellStatus standing, bool compiled_only) {
  if (standing == CellStatus::kPass) return compiled_only ? Tone::kCompiled : Tone::kGood;
  if (standing == CellStatus::kPartial) return Tone::kPartial;
  return standing == CellStatus::kFail ? Tone::kBad : Tone::kDim;
}

Tone tone_of(std::optional<Outcome> outcome, bool compiled_only) {
  if (outcome == Outcome::kPass) return compiled_only ? Tone::kCompiled : Tone::kGood;
  if (outcome == Outcome::kFlaky) return Tone::kPartial;
  return failed(outcome) ? Tone::kBad : Tone::kDim;
}

std::string word_of(const CaseCell& cell, const TargetRow& target) {
  if (target.compiled_only && cell.outcome == Outcome::kPass) return "compiles";
  return outcome_text(cell);
}

Cell dtype_cell(const std::optional<analysis::DtypeCell>& cell, bool compiled_only, const Glyphs& glyphs) {
  using analysis::DtypeVerdict;
  if (!cell || cell->verdict == DtypeVerdict::kUnknown) return {cell ? "?" : glyphs.none, Tone::kDim};
  const std::string part =
      cell->passed < cell->cases ? fmt::format(" {}/{}", cell->passed, cell->cases) : std::string();
  switch (cell->verdict) {
    case DtypeVerdict::kPass:
      return {(compiled_only ? "compiles" : "pass") + part, compiled_only ? Tone::kCompiled : Tone::kGood};
    case DtypeVerdict::kFallsBack:
      return {"host" + part, Tone::kHost};
    case DtypeVerdict::kRefused:
      return {"refused", Tone::kDim};
    case DtypeVerdict::kNotImplemented:
      return {"missing" + part, Tone::kBad};
    default:
      return {std::string(name_of(cell->verdict)) + part, Tone::kBad};
  }
}

std::string calls_text(const CallRange& calls) {
  if (calls.most == 0) return "no call seen";
  if (calls.most == calls.least) return plural(calls.least, "call") + " seen in code";
  return fmt::format("{} {} seen in code", calls.least == 0 ? "up to" : count_text(calls.least) + " to",
                     plural(calls.most, "call"));
}

class Page {
 public:
  Page(const Summary& summary, std::size_t function, const ShowChoice& choice, const RenderOptions& options,
       const UsageTable* usage)
      : usage_(usage),
        summary_(summary),
        index_(function),
        function_(summary.functions[function]),
        choice_(choice),
        glyphs_(Glyphs::of(options.unicode)) {}

  void add_to(Document& document) const {
    document.head.push_back(head());
    if (choice_.sentences) add_sentences(document.head);
    document.add(verdicts());
    document.add(declared_of(summary_.declared, function_.name));
    if (choice_.case_name.empty()) document.add(dtypes());
    document.add(cases());
    document.add(estimates());
    document.add(failures());
    if (each()) document.add(attempts());
  }

 private:
  // Whether each case and each attempt is wanted.
  [[nodiscard]] bool each() const { return choice_.full || !choice_.case_name.empty(); }
  [[nodiscard]] bool wanted(const CaseRow& row) const {
    return choice_.case_name.empty() || row.name == choice_.case_name;
  }
  [[nodiscard]] std::string part(const CaseRow& row) const { return case_part(row.name, function_.name); }

  [[nodiscard]] Remark head() const {
    const std::string dot = fmt::format(" {} ", glyphs_.dot);
    std::string text = fmt::format("{} {}{}{}", glyphs_.dot, function_.framework, dot,
                                   plural(static_cast<std::int64_t>(function_.cases.size()), "case"));
    if (function_.host_only) text += dot + "host-only: touches no device";
    const bool program = std::none_of(function_.cases.begin(), function_.cases.end(),
                                      [](const CaseRow& row) { return row.core; });
    const CallRange calls = usage_ == nullptr ? CallRange() : usage_->calls_of(function_.name);
    if (usage_ != nullptr && (!program || calls.most > 0)) text += dot + calls_text(calls);
    return {function_.name, text, Tone::kStrong};
  }

  void add_sentences(std::vector<Remark>& head) const {
    for (std::size_t t = 0; t < summary_.targets.size(); ++t) {
      const FunctionCell& cell = function_.cells[t];
      if (!cell.planned) continue;
      const TargetRow& target = summary_.targets[t];
      const CellStatus standing = standing_of(cell);
      const bool on_host = standing == CellStatus::kPass && cell.on_device && !*cell.on_device;
      head.push_back({one_line(target.target), sentence_of(t),
                      on_host ? Tone::kHost : tone_of(standing, target.compiled_only)});
    }
  }

  // Where the passes of its core cases ran, as far as there is work for a device.
  [[nodiscard]] std::string place_of(std::size_t t) const {
    int with_work = 0;
    int host = 0;
    for (const CaseRow& row : function_.cases) {
      const CaseCell& cell = row.cells[t];
      if (!row.core || cell.outcome != Outcome::kPass || cell.placement == Where::kNone) continue;
      ++with_work;
      host += cell.placement == Where::kHost ? 1 : 0;
    }
    if (with_work == 0) return {};
    if (host == with_work) return ", but on the host";
    if (host > 0) return fmt::format(", but {} of {} on the host", host, plural(with_work, "case"));
    return function_.cells[t].on_device ? " on the device" : " (where is not proven)";
  }

  // "passes on the device: 14 of 14 core cases, verified".
  [[nodiscard]] std::string sentence_of(std::size_t t) const {
    const FunctionCell& cell = function_.cells[t];
    const TargetRow& target = summary_.targets[t];
    const std::string cases = fmt::format("{} of {}", cell.core_passed, plural(cell.core_cases, "core case"));
    const std::string cause = cell.category ? fmt::format(" ({})", name_of(*cell.category)) : std::string();
    const std::string& dtypes = cell.only_dtypes.get();
    switch (standing_of(cell)) {
      case CellStatus::kPass:
        if (target.compiled_only) return fmt::format("compiles: {}; nothing was executed", cases);
        return fmt::format("passes{}: {}, {}", place_of(t), cases, name_of(cell.evidence));
      case CellStatus::kPartial:
        return fmt::format("fails in part{}: {} {}{}", cause, cases,
                           target.compiled_only ? "compile" : "pass",
                           dtypes.empty() ? std::string() : "; not " + dtypes);
      case CellStatus::kFail:
        return fmt::format("fails{}: {} {}", cause, cases, target.compiled_only ? "compile" : "pass");
      default:
        return standing_text(standing_of(cell));
    }
  }

  [[nodiscard]] Section verdicts() const {
    TextTable table({{"target"},
                     {"evidence"},
                     {"verdict"},
                     {"core\ncases", Align::kRight},
                     {"on\ndevice"},
                     {"warm", Align::kRight},
                     {"ratio", Align::kRight, 1},
                     {"cold", Align::kRight, 1},
                     {""}});
    for (std::size_t t = 0; t < summary_.targets.size(); ++t) {
      const FunctionCell& cell = function_.cells[t];
      const TargetRow& target = summary_.targets[t];
      if (!cell.planned) continue;
      const CellStatus standing = standing_of(cell);
      const FunctionTimes times = times_of(function_, t, summary_);
      std::string remark;
      auto add = [&](bool is, const char* text) {
        remark += is ? (remark.empty() ? "" : ", ") + std::string(text) : "";
      };
      const std::string only = cell.only_dtypes.get() + " only";
      add(!cell.only_dtypes.get().empty(), only.c_str());
      add(cell.default_precision, "default precision");
      add(cell.flaky, "flaky");
      add(cell.slow_warm, "slow warm");
      add(cell.slow_cold, "slow cold");
      add(cell.fails_on_reference && standing != CellStatus::kFailsOnReference, "some fail on the reference");
      add(cell.unanswered && standing != CellStatus::kUnanswered, "some unanswered");
      add(cell.no_device_work && standing != CellStatus::kNoDeviceWork, "no device work");
      const bool compiles = target.compiled_only && standing == CellStatus::kPass;
      table.add_row(
          {Cell::target(target.target),
           {cell.core_passed > 0 ? std::string(name_of(cell.evidence)) : glyphs_.none,
            target.compiled_only ? Tone::kCompiled : Tone::kPlain},
           {compiles ? "compiles" : standing_text(standing), tone_of(standing, target.compiled_only)},
           fmt::format("{}/{}", cell.core_passed, cell.core_cases),
           cell.on_device ? (*cell.on_device ? Cell("yes") : Cell("on host", Tone::kHost))
                          : Cell(glyphs_.none, Tone::kDim),
           seconds_text(times.warm_s, glyphs_),
           times.warm_ratio.value ? ratio_text(*times.warm_ratio.value, glyphs_) : glyphs_.none,
           seconds_text(times.cold_s, glyphs_),
           {remark, Tone::kSlow}});
    }
    Section section{.id = "verdicts", .heading = {}, .note = {}, .blocks = {}};
    if (table.empty())
      section.say("No case of it was planned here.");
    else
      section.blocks.emplace_back(table.with_numbers(glyphs_.none));
    return section;
  }

  // A row for each target, a column for each dtype.
  [[nodiscard]] Section dtypes() const {
    const std::vector<analysis::DtypeRow> rows = analysis::dtypes_of(function_);
    std::vector<Column> columns = {{"target", Align::kLeft, 0, 20}};
    for (const analysis::DtypeRow& row : rows) columns.push_back({one_line(row.dtype)});
    TextTable table(std::move(columns));
    for (std::size_t t = 0; t < summary_.targets.size(); ++t) {
      const auto has = [t](const analysis::DtypeRow& row) { return row.cells[t].has_value(); };
      if (std::none_of(rows.begin(), rows.end(), has)) continue;
      const TargetRow& target = summary_.targets[t];
      std::vector<Cell> cells = {Cell::target(target.target)};
      for (const analysis::DtypeRow& row : rows)
        cells.push_back(dtype_cell(row.cells[t], target.compiled_only, glyphs_));
      table.add_row(std::move(cells));
    }
    if (table.empty()) return {};
    for (const Declared& one : summary_.declared) {
      const DeclaredFunction* declared = find_declared(one, function_.name);
      if (declared == nullptr || declared->dtypes.empty()) continue;
      std::vector<Cell> cells = {{"declared: " + one_line(one.head.device), Tone::kDim}};
      for (const analysis::DtypeRow& row : rows) {
        const std::optional<bool> named = named_in(*declared, row.dtype);
        const std::string said = !named ? std::string(glyphs_.none) : *named ? "yes" : "no";
        cells.emplace_back(said, Tone::kDim);
      }
      table.add_row(std::move(cells));
    }
    return {.id = "dtypes",
            .heading = "By data type",
            .note =
                "over all cases, the worst of each; with what passes where not all does. refused: the "
                "reference refuses it as well; host: right, but not on the device.",
            .blocks = {std::move(table)}};
  }

  [[nodiscard]] Section cases() const {
    TextTable table({{"case", Align::kLeft, 0, 14},
                     {"target"},
                     {"outcome"},
                     {"evidence"},
                     {"placement", Align::kLeft, 1},
                     {"cold", Align::kRight, 2},
                     {"warm", Align::kRight},
                     {"95%", Align::kRight, 4},
                     {"ratio", Align::kRight},
                     {"95%", Align::kRight, 3}});
    each() ? add_cases(table) : add_alike(table);
    if (table.empty()) return {};
    return {.id = "cases",
            .heading = "Cases",
            .note =
                "warm: median in steady state; cold: the first call. An asterisk marks a core case: verdicts "
                "rest on these.",
            .blocks = {table.with_numbers(glyphs_.none)}};
  }

  void add_cases(TextTable& table) const {
    for (const CaseRow& row : function_.cases) {
      if (!wanted(row)) continue;
      bool first = true;
      for (std::size_t t = 0; t < row.cells.size(); ++t) {
        if (!row.cells[t].planned) continue;
        table.add_row(case_cells(row, t, first));
        first = false;
      }
    }
  }

  // A row for the cases of a target that fare alike.
  void add_alike(TextTable& table) const {
    struct Alike {
      std::vector<Cell> cells;
      std::string text;  // of all cells but the name
      int cases = 0;
      int core = 0;
    };
    for (std::size_t t = 0; t < summary_.targets.size(); ++t) {
      std::vector<Alike> groups;
      for (const CaseRow& row : function_.cases) {
        if (!row.cells[t].planned) continue;
        std::vector<Cell> cells = case_cells(row, t, true);
        std::string text;
        for (std::size_t i = 1; i < cells.size(); ++i) {
          for (const Span& span : cells[i].spans) text += span.text + '\n';
        }
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const Alike& one) { return one.text == text; });
        if (group == groups.end()) group = groups.insert(group, {std::move(cells), std::move(text)});
        ++group->cases;
        group->core += row.core ? 1 : 0;
      }
      for (Alike& group : groups) {
        if (group.cases > 1) {
          group.cells.front() = {fmt::format("{} cases{}", group.cases,
                                             group.core == group.cases ? "*"
                                             : group.core > 0          ? fmt::format(", {}*", group.core)
                                                                       : ""),
                                 Tone::kStrong};
        }
        table.add_row(std::move(group.cells));
      }
    }
  }

  [[nodiscard]] std::vector<Cell> case_cells(const CaseRow& row, std::size_t t, bool first) const {
    const CaseCell& cell = row.cells[t];
    const TargetRow& target = summary_.targets[t];
    std::string placement = glyphs_.none;
    if (target.compiled_only && cell.outcome)
      placement = "not executed";
    else if (cell.outcome == Outcome::kPass)
      placement = name_of(cell.placement);
    const bool slow = cell.warm && cell.warm->slow;
    std::string warm_interval = glyphs_.none;
    if (cell.times->warm_interval) {
      warm_interval = seconds_text(cell.times->warm_interval->low, glyphs_) + glyphs_.range +
                      seconds_text(cell.times->warm_interval->high, glyphs_);
    }
    return {
        {first ? part(row) + (row.core ? "*" : "") : std::string(), Tone::kStrong},
        Cell::target(target.target),
        {word_of(cell, target), cell.unchecked ? Tone::kDim : tone_of(cell.outcome, target.compiled_only)},
        {cell.outcome ? std::string(name_of(cell.evidence)) : glyphs_.none,
         target.compiled_only ? Tone::kCompiled : Tone::kPlain},
        {placement, cell.placement == Where::kHost ? Tone::kHost : Tone::kPlain},
        seconds_text(cell.times->cold_s, glyphs_),
        seconds_text(cell.times->warm_s, glyphs_) + (cell.times->unstable ? "?" : ""),
        {warm_interval, Tone::kDim},
        {cell.warm ? ratio_text(cell.warm->ratio, glyphs_) : glyphs_.none, slow ? Tone::kSlow : Tone::kPlain},
        {cell.warm ? interval_text(cell.warm->interval, glyphs_, glyphs_.none) : glyphs_.none, Tone::kDim}};
  }

  [[nodiscard]] Section estimates() const {
    TextTable table({{"case", Align::kLeft, 0, 14},
                     {"target"},
                     {"cycles", Align::kRight},
                     {"optimal", Align::kRight},
                     {"roofline", Align::kRight}});
    for (const CaseRow& row : function_.cases) {
      if (!wanted(row)) continue;
      bool first = true;
      for (std::size_t t = 0; t < row.cells.size(); ++t) {
        const std::optional<analysis::Estimate>& estimate = row.cells[t].estimated;
        if (!estimate) continue;
        table.add_row({{first ? part(row) : std::string(), Tone::kStrong},
                       Cell::target(summary_.targets[t].target),
                       seconds_text(estimate->cycles_s, glyphs_),
                       seconds_text(estimate->optimal_s, glyphs_),
                       seconds_text(estimate->roofline_s, glyphs_)});
        if (const std::string remark = estimate_remark(*estimate); !remark.empty()) table.add_note(remark);
        first = false;
      }
    }
    if (table.empty()) return {};
    return {
        .id = "estimates", .heading = "Estimated", .note = estimate_meaning(), .blocks = {std::move(table)}};
  }

  // Failing, skipped and errant cells with what they said, in full.
  [[nodiscard]] Section failures() const {
    Verbatim texts;
    for (const CaseRow& row : function_.cases) {
      if (!wanted(row)) continue;
      for (std::size_t t = 0; t < row.cells.size(); ++t) {
        const CaseCell& cell = row.cells[t];
        if (cell.planned && cell.outcome && cell.outcome != Outcome::kPass) add_failure(row, t, texts.lines);
      }
    }
    if (texts.lines.empty()) return {};
    return {.id = "failures", .heading = "What did not pass", .note = {}, .blocks = {std::move(texts)}};
  }

  void add_failure(const CaseRow& row, std::size_t t, std::vector<Line>& lines) const {
    const CaseCell& cell = row.cells[t];
    const TargetRow& target = summary_.targets[t];
    Line title{2,
               {{part(row) + " on " + one_line(target.target), Tone::kStrong},
                {"  "},
                {outcome_text(cell), tone_of(cell.outcome, target.compiled_only)}}};
    if (cell.category) {
      title.spans.emplace_back(fmt::format(", {}", name_of(*cell.category)));
      if (!cell.error->rule.empty())
        title.spans.emplace_back(" (rule " + one_line(cell.error->rule) + ")", Tone::kDim);
    }
    lines.push_back(std::move(title));
    auto remark = [&](bool is, const std::string& text) {
      if (is) lines.push_back({4, {{text, Tone::kDim}}});
    };
    remark(cell.fails_on_reference, "fails the same way on the reference: says nothing about portability");
    remark(cell.unanswered, "unanswered: says nothing of the device");
    remark(cell.unconfirmed, "was not run again");
    remark(!cell.error->confirmed_by.empty(), "confirmed by " + one_line(cell.error->confirmed_by));
    remark(!cell.reason.empty(), one_line(cell.reason));
    add_error(row, t, cell, lines);
    lines.push_back({});
  }

  static void add_lines(std::string_view text, std::size_t indent, Tone tone, std::vector<Line>& lines) {
    const std::string plain = plain_text(text);
    for (const std::string_view line : split_lines(plain))
      lines.push_back({indent, {{std::string(line), tone}}});
  }

  static void add_failure_text(const Attempt& attempt, std::set<std::string>& seen,
                               std::vector<Line>& lines) {
    if (!attempt.failure) return;
    const Failure& failure = *attempt.failure;
    if (!seen.insert(failure.type + "\n" + failure.message).second) return;
    add_lines(fmt::format("{} at {}: {}", one_line(failure.type), one_line(failure.stage), failure.message),
              4, Tone::kPlain, lines);
    if (!failure.failing_call.empty())
      add_lines("its smallest call that fails: " + one_line(failure.failing_call), 4, Tone::kPlain, lines);
    add_lines(failure.traceback, 6, Tone::kDim, lines);
  }

  // The attempts' own texts where they are known, each once; else the cell's bounded message.
  void add_error(const CaseRow& row, std::size_t t, const CaseCell& cell, std::vector<Line>& lines) const {
    const std::size_t before = lines.size();
    std::set<std::string> seen;
    for (const AttemptDetail& detail : attempts_at(row, t)) {
      add_failure_text(detail.attempt, seen, lines);
      if (detail.attempt.capture.empty() || !seen.insert(detail.attempt.capture).second) continue;
      lines.push_back({4, {{"printed:"}}});
      add_lines(detail.attempt.capture, 6, Tone::kPlain, lines);
    }
    if (lines.size() > before) return;
    const std::string type = one_line(cell.error->type);
    const std::string& message = cell.error->message;
    add_lines(type.empty() || message.starts_with(type) ? message : type + ": " + message, 4, Tone::kPlain,
              lines);
  }

  [[nodiscard]] const std::vector<AttemptDetail>& attempts_at(const CaseRow& row, std::size_t t) const {
    static const std::vector<AttemptDetail> kNone;
    const auto case_index = static_cast<std::size_t>(&row - function_.cases.data());
    if (index_ >= summary_.attempts.size() || case_index >= summary_.attempts[index_].size() ||
        t >= summary_.attempts[index_][case_index].size()) {
      return kNone;
    }
    return summary_.attempts[index_][case_index][t];
  }

  [[nodiscard]] Section attempts() const {
    TextTable table({{"case", Align::kLeft, 0, 14},
                     {"target"},
                     {"run", Align::kLeft, 3},
                     {"#", Align::kRight},
                     {"phase"},
                     {"mode", Align::kLeft, 2},
                     {"outcome"},
                     {"took", Align::kRight},
                     {"evidence"},
                     {"signature", Align::kLeft, 1}});
    for (const CaseRow& row : function_.cases) {
      if (!wanted(row)) continue;
      std::string last;
      std::string said;
      for (std::size_t t = 0; t < row.cells.size(); ++t) {
        if (!row.cells[t].planned) continue;
        for (const AttemptDetail& detail : attempts_at(row, t)) {
          table.add_row(attempt_cells(last == row.name ? std::string() : part(row), t, detail));
          last = row.name;
          const std::string facts = facts_of(detail.attempt);
          if (!facts.empty() && facts != said) table.add_note(facts);
          said = facts;
        }
      }
    }
    if (table.empty()) return {};
    return {.id = "attempts", .heading = "Attempts", .note = {}, .blocks = {std::move(table)}};
  }

  [[nodiscard]] std::vector<Cell> attempt_cells(const std::string& name, std::size_t t,
                                                const AttemptDetail& detail) const {
    const Attempt& attempt = detail.attempt;
    const TargetRow& target = summary_.targets[t];
    return {{name, Tone::kStrong},
            Cell::target(target.target),
            {short_id(detail.run), Tone::kDim},
            fmt::format("{}", attempt.attempt),
            std::string(name_of(attempt.phase)),
            std::string(name_of(attempt.mode)),
            {std::string(name_of(attempt.outcome)), tone_of(attempt.outcome, target.compiled_only)},
            attempt.wall_s > 0 ? seconds_text(attempt.wall_s, glyphs_) : glyphs_.none,
            std::string(name_of(attempt.evidence)),
            {one_line(attempt.signature), Tone::kDim}};
  }

  static std::string facts_of(const Attempt& attempt) {
    std::string out;
    auto add = [&](const std::string& text) {
      if (!text.empty()) out += (out.empty() ? "" : "; ") + one_line(text);
    };
    const Placement& placement = attempt.placement;
    if (placement.where != Where::kUnknown || !placement.method.empty()) {
      std::string text = fmt::format("placement {}", name_of(placement.where));
      if (!placement.outputs.empty())
        text += fmt::format(", outputs on {} ({})", join(placement.outputs, ", "), placement.method);
      add(text);
    }
    if (!placement.fallback_ops.empty()) add("fell back: " + join(placement.fallback_ops, ", "));
    add(placement.note);
    const std::string kind = attempt.reference.string_or("kind", "");
    if (!kind.empty()) {
      std::string text = "against " + kind;
      const Value* error = attempt.reference.find("max_abs_err");
      if (error != nullptr && error->is_number()) text += fmt::format(", error {:.2g}", error->as_number());
      add(text);
    }
    const std::string compiler = attempt.compiled.string_or("compiler", "");
    const std::string bridge = attempt.compiled.string_or("bridge", "");
    if (!compiler.empty()) {
      add("compiled by " + compiler + " " + attempt.compiled.string_or("version", "") +
          (bridge.empty() ? "" : " via " + bridge));
    }
    add_risks(attempt.compiled, add);
    add(attempt.reason);
    add(join(attempt.attributes, ", "));
    return out;
  }

  // What the compiled program shows, with the instruction; a worker's words, of any shape.
  template <typename Add>
  static void add_risks(const Value& compiled, const Add& add) {
    const Value* risks = compiled.find("risks");
    if (risks == nullptr || !risks->is_array()) return;
    for (const Value& risk : risks->as_array()) {
      if (!risk.is_object()) continue;
      add(fmt::format("risk {}: {} in {}", risk.string_or("kind", ""), risk.string_or("note", ""),
                      risk.string_or("instruction", "")));
    }
  }

  const UsageTable* usage_;
  const Summary& summary_;
  std::size_t index_;
  const FunctionRow& function_;
  const ShowChoice& choice_;
  Glyphs glyphs_;
};

bool has_case(const FunctionRow& function, const std::string& case_name) {
  return case_name.empty() || std::any_of(function.cases.begin(), function.cases.end(),
                                          [&](const CaseRow& row) { return row.name == case_name; });
}

}  // namespace

Document show_document(const Summary& summary, const ShowChoice& choice, const RenderOptions& options,
                       const UsageTable* usage) {
  Document document;
  for (std::size_t i = 0; i < summary.functions.size(); ++i) {
    if (has_case(summary.functions[i], choice.case_name))
      Page(summary, i, choice, options, usage).add_to(document);
  }
  if (!document.head.empty() && any_compiled_only(summary)) {
    document.add(
        {.id = "notes", .heading = {}, .note = {}, .blocks = {Remarks{{{"compiled", compiled_meaning()}}}}});
  }
  return document;
}

}  // namespace seamark::report
