// The sample with every attempt, and the same with hostile text in every field (sample_summary.h).
#include <fmt/format.h>

#include <map>

#include "sample_summary.h"
#include "seamark/model/verdict.h"

namespace seamark::report::testing {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionRow;
using analysis::RatioRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

Attempt failing_attempt(Attempt attempt, const CaseCell& cell) {
  const bool first = attempt.attempt == 1;
  attempt.phase = first ? Phase::kCorrectness : Phase::kConfirm;
  if (cell.outcome == Outcome::kFlaky) attempt.outcome = first ? Outcome::kCrash : Outcome::kPass;
  attempt.signature = "61c4a1f09b2d77e0";
  const std::string error = cell.error->type.get() + ": " + cell.error->message.get();
  attempt.failure =
      Failure{"call",
              cell.error->type,
              cell.error->message,
              "Traceback (most recent call last):\n  File \"case.py\", line 12, in call\n" + error,
              "",
              cell.error->failing_call};
  return attempt;
}

Attempt passing_attempt(Attempt attempt, const CaseCell& cell) {
  attempt.phase = attempt.attempt == 1 ? Phase::kCorrectness : Phase::kTiming;
  attempt.placement.method = "dispatch-mode";
  attempt.placement.outputs = {"cpu:0"};
  attempt.placement.where = cell.placement;
  if (cell.placement == Where::kHost) attempt.placement.fallback_ops = {"aten::sort"};
  attempt.reference = Value(Value::Object{{"kind", "cpu-wide"}, {"max_abs_err", 1.2e-7}, {"rtol", 1.3e-6}});
  return attempt;
}

std::vector<analysis::AttemptDetail> attempts_of(const Summary& summary, const CaseRow& row, std::size_t t) {
  const CaseCell& cell = row.cells[t];
  const store::RunInfo& run = summary.runs.front().info;
  std::vector<analysis::AttemptDetail> details;
  for (int n = 1; cell.outcome && n <= cell.attempts; ++n) {
    Attempt attempt;
    attempt.target = summary.targets[t].target;
    attempt.case_name = row.name;
    attempt.attempt = n;
    attempt.outcome = *cell.outcome;
    attempt.evidence = cell.evidence;
    attempt.mode = summary.targets[t].mode;
    attempt.wall_s = 0.012;
    attempt.reason = cell.reason;
    attempt.started_unix_us = run.started_unix_us + std::int64_t{n} * 1'000'000;
    analysis::AttemptDetail detail;
    detail.run = run.uuid;
    if (failed(cell.outcome)) {
      detail.attempt = failing_attempt(std::move(attempt), cell);
      detail.classification = classify::Classification{*cell.category, cell.error->rule};
    } else if (cell.outcome == Outcome::kPass) {
      detail.attempt = passing_attempt(std::move(attempt), cell);
    } else {
      detail.attempt = std::move(attempt);
    }
    details.push_back(std::move(detail));
  }
  return details;
}

}  // namespace

Summary sample_summary_with_attempts() {
  Summary summary = sample_summary();
  for (const FunctionRow& function : summary.functions) {
    auto& cases = summary.attempts.emplace_back();
    for (const CaseRow& row : function.cases) {
      auto& targets = cases.emplace_back();
      for (std::size_t t = 0; t < summary.targets.size(); ++t)
        targets.push_back(attempts_of(summary, row, t));
    }
  }
  return summary;
}

std::string hostile_text(int n) {
  return fmt::format(
      "x{}</pre></details></noscript><script>document.title='owned'</script><img src=x "
      "onerror=alert(1)>\"'`&amp;\x1b[31mred"
      "\x1b]0;title\x07\r\n|,;=1+1 javascript:alert(1) \xe2\x80\xa8\xe2\x80\xae\xff\x01 "
      "[link](http://e.example) **b** "
      "$x$ \n::error::owned\n \t::set-output name=a::b\n##[error]x ##vso[task.complete] ##teamcity[x] "
      "\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe",
      n);
}

namespace {

void change_value(Value& value, const std::function<void(std::string&)>& change) {
  if (value.is_string()) {
    std::string text = value.as_string();
    change(text);
    value = Value(text);
  } else if (value.is_array()) {
    for (Value& item : value.as_array()) change_value(item, change);
  } else if (value.is_object()) {
    for (auto& [key, item] : value.as_object()) {
      change(key);
      change_value(item, change);
    }
  }
}

void change_attempt(Attempt& attempt, const std::function<void(std::string&)>& change) {
  for (std::string* text :
       {&attempt.target, &attempt.case_name, &attempt.case_hash, &attempt.reason, &attempt.signature,
        &attempt.confirmed_by, &attempt.capture, &attempt.placement.method, &attempt.placement.note,
        &attempt.latency.protocol, &attempt.latency.cold_kind, &attempt.latency.cold_reason,
        &attempt.latency.warm_reason}) {
    change(*text);
  }
  for (std::string& text : attempt.placement.outputs) change(text);
  for (std::string& text : attempt.placement.fallback_ops) change(text);
  for (std::string& text : attempt.attributes) change(text);
  if (attempt.failure) {
    Failure& failure = *attempt.failure;
    for (std::string* text :
         {&failure.stage, &failure.type, &failure.message, &failure.traceback, &failure.failing_call})
      change(*text);
  }
  change_value(attempt.reference, change);
  change_value(attempt.compiled, change);
}

void change_cell(CaseCell& cell, const std::function<void(std::string&)>& change) {
  analysis::CellError& error = cell.error.edit();
  analysis::CellTimes& times = cell.times.edit();
  for (InternedString* text :
       {&error.rule, &cell.reason, &error.type, &error.message, &error.confirmed_by, &error.failing_call,
        &times.cold_s.reason, &times.cold_kind, &times.warm_s.reason}) {
    std::string own = text->get();
    change(own);
    *text = std::move(own);
  }
  if (cell.cold) change(cell.cold->interval_reason);
  if (cell.warm) change(cell.warm->interval_reason);
}

}  // namespace

void for_each_text(Summary& summary, const std::function<void(std::string&)>& change) {
  for (std::string* text : {&summary.store, &summary.choice, &summary.rules_version}) change(*text);
  for (analysis::RunFacts& run : summary.runs) {
    store::RunInfo& info = run.info;
    for (std::string* text : {&info.uuid, &info.state_reason, &info.command, &info.protocol,
                              &info.subset_note, &info.full_command}) {
      change(*text);
    }
    for (Value* value : {&info.host, &info.versions, &info.options}) change_value(*value, change);
  }
  for (TargetRow& row : summary.targets) {
    for (std::string* text :
         {&row.target, &row.framework, &row.device_name, &row.reason, &row.remedy, &row.environment_hash,
          &row.baseline, &row.reference, &row.reference_note, &row.median_ratio_warm.reason,
          &row.median_ratio_cold.reason, &row.cpu_s.reason}) {
      change(*text);
    }
    for (std::string& version : row.framework_versions) change(version);
    for (analysis::Rate* rate : {&row.all.runs, &row.all.runs_on_device, &row.cases.runs, &row.flips}) {
      change(rate->reason);
    }
  }
  for (FunctionRow& function : summary.functions) {
    change(function.framework);
    change(function.name);
    for (CaseRow& row : function.cases) {
      for (std::string* text : {&row.name, &row.hash, &row.suite, &row.dtype, &row.shape}) change(*text);
      for (CaseCell& cell : row.cells) change_cell(cell, change);
    }
  }
  for (analysis::TargetCategories& target : summary.categories) {
    change(target.target);
    for (analysis::CategoryCount& count : target.categories) {
      for (std::string& example : count.examples) change(example);
    }
  }
  for (analysis::TargetRatios& ratios : summary.ratios) {
    for (std::string* text : {&ratios.target, &ratios.baseline, &ratios.reason}) change(*text);
    for (auto* rows : {&ratios.warm, &ratios.cold, &ratios.warm_fastest, &ratios.cold_fastest}) {
      for (RatioRow& row : *rows) {
        for (std::string* text : {&row.target, &row.baseline, &row.function, &row.case_name, &row.kind,
                                  &row.ratio.interval_reason}) {
          change(*text);
        }
      }
    }
  }
  for (analysis::NoiseFloor& floor : summary.noise) {
    change(floor.target);
    change(floor.median.reason);
    change(floor.p95.reason);
  }
  for (auto& cases : summary.attempts) {
    for (auto& targets : cases) {
      for (auto& attempts : targets) {
        for (analysis::AttemptDetail& detail : attempts) {
          change(detail.run);
          change_attempt(detail.attempt, change);
          if (detail.classification) change(detail.classification->rule);
        }
      }
    }
  }
}

Summary hostile_summary() {
  Summary summary = sample_summary_with_attempts();
  // Equal texts stay equal, so that names still join.
  std::map<std::string, std::string> made;
  for_each_text(summary, [&](std::string& text) {
    const auto [at, is_new] = made.try_emplace(text, hostile_text(static_cast<int>(made.size())));
    text = at->second;
  });
  return summary;
}

}  // namespace seamark::report::testing
