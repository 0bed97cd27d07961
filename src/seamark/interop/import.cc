#include "seamark/interop/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/interop/external_readers.h"
#include "seamark/model/signature.h"

namespace seamark::interop {

namespace {

constexpr std::size_t kMostRunName = 40;
constexpr std::string_view kNoLatency = "the duration of a test is no latency of a function";
constexpr std::string_view kUnplaced = "imported: nothing shows where it ran";

Result<ExternalFile> read_file_of(const ImportFile& file, const ImportRules& rules) {
  switch (file.form) {
    case ExternalForm::kPytestJson:
      return read_pytest_json(file.text, file.name, rules);
    case ExternalForm::kTimings:
      return read_timings(file.text, file.name);
    case ExternalForm::kJunit:
      return read_junit(file.text, file.name, rules);
    case ExternalForm::kSeamarkJsonl:
      break;
  }
  return Error(InteropError::kBadInput,
               fmt::format("{}: an export of Seamark holds runs of its own", file.name),
               "import it by itself, without --target and --run");
}

// The study timed each operation once: its value is the operation's time, their mean the test's.
Latency latency_of(const std::vector<double>& operations) {
  Latency latency;
  latency.protocol = kImportedProtocol;
  latency.cold_reason = "what was imported does not tell a first call from later ones";
  const auto n = static_cast<double>(operations.size());
  latency.warm_median_s = std::accumulate(operations.begin(), operations.end(), 0.0) / n;
  latency.warm_n = static_cast<std::int64_t>(operations.size());
  return latency;
}

std::vector<TimedOperation> operations_of(const std::vector<double>& seconds) {
  std::vector<TimedOperation> out;
  for (const double value : seconds) {
    TimedOperation& operation = out.emplace_back();
    operation.name = fmt::format("operation {}", out.size());
    operation.cold_reason = "what was imported does not tell a first call from later ones";
    operation.warm_s = {value};
  }
  return out;
}

class Importer {
 public:
  Importer(const ImportRequest& request, const TargetName& target, const FunctionMap& functions,
           const ImportRules& rules, const std::optional<RunBefore>& before)
      : request_(request),
        functions_(functions),
        rules_(rules),
        before_(before),
        devices_(rules.device_names(target)) {
    if (!before) return;
    for (const CaseInfo& info : before->cases) {
      const std::string key = info.params.string_or("test", "");
      if (info.suite != kImportedSuite || key.empty()) continue;
      function_of_[key] = info.function;
      keys_of_[info.params.string_or("short", "")].insert(key);
      checked_.insert(key);
    }
  }

  Result<Imported> run(const std::vector<ImportFile>& files) {
    if (Status read = read_all(files); !read) return read.error();
    for (Source& source : sources_) {
      for (const ExternalTest& test : source.content.tests) {
        if (!test.timing) add_check(test, source);
      }
    }
    for (Source& source : sources_) {
      for (const ExternalTest& test : source.content.tests) {
        if (test.timing) add_timing(test, source);
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  struct Source {
    const ImportFile* file = nullptr;
    std::string hash;
    ExternalFile content;
    std::int64_t other_devices = 0;
  };

  Status read_all(const std::vector<ImportFile>& files) {
    std::set<std::string> known;
    if (before_) known.insert(before_->hashes.begin(), before_->hashes.end());
    for (const ImportFile& file : files) {
      Source source{&file, content_hash(file.text), {}, 0};
      if (!known.insert(request_.target + " " + source.hash).second) {
        out_.repeated.push_back(file.name);
        continue;
      }
      Result<ExternalFile> content = read_file_of(file, rules_);
      if (!content) return content.error();
      source.content = std::move(*content);
      for (ExternalLoss& loss : source.content.losses) out_.losses.push_back(std::move(loss));
      for (std::string& note : source.content.notes) out_.notes.push_back(std::move(note));
      sources_.push_back(std::move(source));
    }
    return {};
  }

  // The function of a test; empty when it is none's, which is counted.
  std::string function_of(const ExternalTest& test, const NameFacts& facts) {
    const Mapped mapped = functions_.find(test, facts);
    if (mapped.left_out) ++out_.left_out;
    if (mapped.function.empty() && !mapped.left_out) out_.unmapped.push_back({test.id, mapped.reason});
    return mapped.function;
  }

  // Where several devices' tests are in one file, those of the others say nothing of the target.
  bool left_to_another(const ExternalTest& test, const NameFacts& facts, Source& source) {
    if (!facts.is_of_another(devices_)) return false;
    if (out_.other_devices.empty()) out_.other_device_test = test.id;
    ++out_.other_devices[facts.device];
    ++source.other_devices;
    return true;
  }

  void add_check(const ExternalTest& test, Source& source) {
    ++out_.tests;
    const NameFacts facts = facts_of(test, rules_, devices_);
    if (left_to_another(test, facts, source)) return;
    const std::string function = function_of(test, facts);
    if (function.empty()) return;
    const CaseInfo& info = plan(function, facts.joined.key(), facts.joined.short_key(), facts.dtype);
    checked_.insert(facts.joined.key());
    Attempt attempt = attempt_of(info, test, source);
    attempt.phase = Phase::kCorrectness;
    attempt.outcome = test.outcome;
    attempt.reason = test.reason;
    attempt.failure = test.failure;
    attempt.latency.cold_reason = attempt.latency.warm_reason = kNoLatency;
    if (test.failure) {
      attempt.signature =
          signature_of(function, test.failure->stage, test.failure->type, test.failure->message);
    }
    attempts_.push_back(std::move(attempt));
  }

  // A timing file may know less of a test's name than a report: its file and function alone.
  void add_timing(const ExternalTest& test, Source& source) {
    ++out_.tests;
    ++out_.timings;
    NameFacts facts = facts_of(test, rules_, devices_);
    // Of test_copy_to_cpu a report, which knows the class, has shown that it names no device.
    if (keys_of_.contains(test.name.short_key())) {
      facts.device.clear();
      facts.joined = test.name;
    }
    if (left_to_another(test, facts, source)) return;
    std::string key = facts.joined.key();
    if (!function_of_.contains(key)) {
      const auto longer = keys_of_.find(facts.joined.short_key());
      if (longer != keys_of_.end() && longer->second.size() == 1) key = *longer->second.begin();
    }
    const auto known = function_of_.find(key);
    const std::string function = known != function_of_.end() ? known->second : function_of(test, facts);
    if (function.empty()) return;
    const CaseInfo& info = plan(function, key, facts.joined.short_key(), facts.dtype);
    if (!checked_.contains(key)) unchecked_.insert(key);
    Attempt attempt = attempt_of(info, test, source);
    attempt.phase = Phase::kTiming;
    attempt.outcome = Outcome::kPass;
    attempt.latency = latency_of(test.operations);
    attempt.operations = operations_of(test.operations);
    attempts_.push_back(std::move(attempt));
  }

  const CaseInfo& plan(const std::string& function, const std::string& key, const std::string& short_key,
                       const std::string& dtype) {
    function_of_[key] = function;
    keys_of_[short_key].insert(key);
    const auto [at, is_new] = cases_.try_emplace({function, key});
    CaseInfo& info = at->second;
    if (!is_new) return info;
    info.function = function;
    info.framework = request_.target.substr(0, request_.target.find('/'));
    info.name = function + "/" + key;
    info.suite = kImportedSuite;
    const std::string_view fields[] = {kImportedSuite, function, key};
    info.hash = to_hex(fnv1a64_fields(fields));
    info.dtype = dtype;
    info.core = true;
    info.params.set("test", Value(key));
    info.params.set("short", Value(short_key));
    return info;
  }

  Attempt attempt_of(const CaseInfo& info, const ExternalTest& test, const Source& source) {
    Attempt attempt;
    attempt.target = request_.target;
    attempt.case_name = info.name;
    attempt.case_hash = info.hash;
    attempt.attempt = ++numbers_[info.name];
    attempt.mode = WorkerMode::kPersistent;
    attempt.evidence = Evidence::kExecuted;
    attempt.placement.note = kUnplaced;
    attempt.attributes = test.attributes;
    attempt.attributes.emplace_back("imported");
    attempt.wall_s = test.wall_s;
    attempt.started_unix_us =
        source.content.started_unix_us != 0 ? source.content.started_unix_us : request_.now_us;
    return attempt;
  }

  void finish() {
    std::set<std::string> functions;
    for (const auto& [key, info] : cases_) functions.insert(info.function);
    out_.functions = static_cast<std::int64_t>(functions.size());
    if (!unchecked_.empty()) {
      out_.notes.push_back(
          fmt::format("{} timed tests have no outcome: without one their times count in no table; import the "
                      "report of the "
                      "same tests with them",
                      unchecked_.size()));
    }
    if (attempts_.empty()) return;
    store::RunBundle& run = out_.runs.emplace_back();
    run.info.uuid = uuid();
    run.info.command = request_.command;
    run.info.protocol = kImportedProtocol;
    run.info.subset_note = "imported: what tests of others said; Seamark ran and compared nothing";
    run.info.proof = false;
    run.info.reference = false;
    run.info.started_unix_us = request_.now_us;
    run.info.ended_unix_us = request_.now_us;
    run.info.state = store::RunState::kFinished;
    run.info.options.set("imported", Value(true));
    if (!request_.run.empty()) run.info.options.set("name", Value(request_.run));
    run.renumber = !request_.run.empty();
    store::RunTarget& target = run.targets.emplace_back();
    target.target = request_.target;
    target.framework = request_.target.substr(0, request_.target.find('/'));
    target.mode = WorkerMode::kPersistent;
    for (auto& [key, info] : cases_) run.plan.emplace_back(request_.target, std::move(info));
    run.attempts = std::move(attempts_);
    for (const Source& source : sources_)
      run.events.emplace_back(std::string(kImportedEvent), event_of(source));
  }

  [[nodiscard]] Value event_of(const Source& source) const {
    Value event;
    event.set("file", Value(bounded_name(source.file->name)));
    event.set("hash", Value(source.hash));
    event.set("bytes", Value(static_cast<std::int64_t>(source.file->text.size())));
    event.set("format", Value(name_of(source.file->form)));
    event.set("target", Value(request_.target));
    event.set("tests", Value(static_cast<std::int64_t>(source.content.tests.size())));
    event.set("losses", Value(static_cast<std::int64_t>(source.content.losses.size())));
    event.set("other_devices", Value(source.other_devices));
    return event;
  }

  // Of the content: the same files with the same meaning are the same run.
  [[nodiscard]] std::string uuid() const {
    if (before_) return before_->uuid;
    std::string content = request_.target;
    for (const Source& source : sources_) content += " " + source.hash;
    for (const auto& [key, info] : cases_) content += " " + info.hash;
    const std::string hash = to_hex(fnv1a64(content));
    return request_.run.empty() ? "import-" + hash : request_.run + "-" + hash.substr(0, 8);
  }

  const ImportRequest& request_;
  const FunctionMap& functions_;
  const ImportRules& rules_;
  const std::optional<RunBefore>& before_;
  const DeviceNames devices_;
  std::vector<Source> sources_;
  std::map<std::pair<std::string, std::string>, CaseInfo> cases_;  // function, key
  std::map<std::string, std::string> function_of_;                 // by key
  std::map<std::string, std::set<std::string>> keys_of_;           // by short key
  std::set<std::string> checked_;                                  // keys with an outcome
  std::set<std::string> unchecked_;
  std::map<std::string, int> numbers_;  // attempts by case
  std::vector<Attempt> attempts_;
  Imported out_;
};

}  // namespace

std::string content_hash(std::string_view text) { return to_hex(fnv1a64(text)); }

bool is_run_name(std::string_view name) {
  if (name.empty() || name.size() > kMostRunName || name == "latest" || name == "all") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

Result<std::optional<RunBefore>> find_run(store::Store& store, std::string_view name) {
  Result<std::vector<store::RunInfo>> runs = store.runs();
  if (!runs) return runs.error();
  for (const store::RunInfo& run : *runs) {
    if (!run.options.bool_or("imported", false) || run.options.string_or("name", "") != name) continue;
    RunBefore before;
    before.uuid = run.uuid;
    const store::RunChoice choice{store::RunChoice::Kind::kOne, run.uuid};
    Result<std::vector<store::StoredEvent>> events = store.events(choice, kImportedEvent);
    if (!events) return events.error();
    for (const store::StoredEvent& event : *events) {
      before.hashes.push_back(event.detail.string_or("target", "") + " " +
                              event.detail.string_or("hash", ""));
    }
    Result<std::vector<store::StoredCase>> cases = store.cases(choice);
    if (!cases) return cases.error();
    for (store::StoredCase& one : *cases) before.cases.push_back(std::move(one.info));
    return std::optional(std::move(before));
  }
  return std::optional<RunBefore>();
}

Result<Imported> import_tests(const std::vector<ImportFile>& files, const ImportRequest& request,
                              const FunctionMap& functions, const ImportRules& rules,
                              const std::optional<RunBefore>& before) {
  const Result<TargetName> target = TargetName::parse(request.target);
  if (!target) return target.error();
  return Importer(request, *target, functions, rules, before).run(files);
}

}  // namespace seamark::interop
