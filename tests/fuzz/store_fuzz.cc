// A store that somebody else wrote, with anything in its columns: what is asked of it is answered, or refused
// with a message.
//
// The first byte chooses the question. Edits of the store follow, one behind the other: which column (two
// bytes), which row (one), what becomes of it (one: null, integer, number, text, bytes, the row is gone), the
// length of the value (one), the value.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_check.h"
#include "seamark/base/fd.h"
#include "seamark/store/store.h"

namespace {

using namespace seamark;
using store::Store;

void must(const Status& status) {
  if (!status) std::fprintf(stderr, "%s\n", status.error().message().c_str());
  fuzz::require(status.ok(), "the store cannot be made");
}
template <typename T>
T must(Result<T> result) {
  if (!result) must(Status(result.error()));
  return std::move(*result);
}

// A small store of every kind of content, in whose columns stands what an input says.
class ForeignStore {
 public:
  ForeignStore() : store_(made(folder_.path() / "store.db")) {
    std::filesystem::copy_file(store_.file(), folder_.path() / "before.db");
    sqlite3* handle = nullptr;
    fuzz::require(sqlite3_open(store_.file().c_str(), &handle) == SQLITE_OK, "SQLite opens nothing");
    writer_.reset(handle);
    execute("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON");
    execute("ATTACH '" + (folder_.path() / "before.db").string() + "' AS before");
    const Rows columns = prepare(
        "SELECT t.name, c.name, t.sql LIKE '%WITHOUT ROWID' FROM main.sqlite_schema t, "
        "pragma_table_info(t.name) c "
        "WHERE t.type = 'table' ORDER BY t.name, c.cid");
    while (sqlite3_step(columns.get()) == SQLITE_ROW) {
      const std::string table = quoted(columns, 0);
      const std::string where =
          sqlite3_column_int(columns.get(), 2) == 0 ? " WHERE rowid % 4 = ?1" : " WHERE ?1 < 4";
      columns_.push_back(
          {table,
           prepare(fmt::format("UPDATE OR IGNORE main.{} SET {} = ?2{}", table, quoted(columns, 1), where)),
           prepare(fmt::format("DELETE FROM main.{}{}", table, where))});
    }
    fuzz::require(columns_.size() > 200, "columns are missing");
  }

  // After these edits of what was there at first.
  Store& edited(std::span<const std::uint8_t> edits) {
    execute("BEGIN");
    for (const std::string& table : touched_) {
      execute("DELETE FROM main." + table);
      execute(fmt::format("INSERT INTO main.{0} SELECT * FROM before.{0}", table));
    }
    touched_.clear();
    while (edits.size() >= 5) edits = edits.subspan(edit(edits));
    execute("COMMIT");
    return store_;
  }

 private:
  template <auto close>
  struct Close {
    void operator()(auto* handle) const { close(handle); }
  };
  using Rows = std::unique_ptr<sqlite3_stmt, Close<&sqlite3_finalize>>;
  struct Column {
    std::string table;
    Rows set;
    Rows gone;
  };

  static Store made(const std::filesystem::path& file) {
    {
      Store store = must(Store::open(file, store::OpenMode::kWrite));
      fill(store);
    }  // with all that stood in its journal
    return must(Store::open(file, store::OpenMode::kWrite));
  }
  void execute(const std::string& sql) {
    fuzz::require(sqlite3_exec(writer_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
                  sql.c_str());
  }
  Rows prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    fuzz::require(sqlite3_prepare_v2(writer_.get(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
                  sql.c_str());
    return Rows(statement);
  }
  static std::string quoted(const Rows& row, int column) {
    return '"' + std::string(reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column))) + '"';
  }

  // Returns how many bytes it took.
  std::size_t edit(std::span<const std::uint8_t> edits) {
    const Column& column = columns_[(edits[0] * 256U + edits[1]) % columns_.size()];
    const int kind = edits[3] % 6;
    const std::span<const std::uint8_t> value =
        edits.subspan(5, std::min<std::size_t>(edits[4], edits.size() - 5));
    std::array<std::uint8_t, 8> word{};
    std::copy_n(value.begin(), std::min(value.size(), word.size()), word.begin());
    sqlite3_stmt* statement = kind == 5 ? column.gone.get() : column.set.get();
    sqlite3_clear_bindings(statement);
    sqlite3_bind_int(statement, 1, edits[2] % 4);
    const auto* text = reinterpret_cast<const char*>(value.data());
    const int length = static_cast<int>(value.size());
    if (kind == 1) sqlite3_bind_int64(statement, 2, std::bit_cast<std::int64_t>(word));
    if (kind == 2) sqlite3_bind_double(statement, 2, std::bit_cast<double>(word));
    if (kind == 3) sqlite3_bind_text(statement, 2, text, length, SQLITE_STATIC);
    if (kind == 4) sqlite3_bind_blob(statement, 2, text, length, SQLITE_STATIC);
    sqlite3_step(statement);  // what breaks a key stays as it is
    sqlite3_reset(statement);
    if (std::find(touched_.begin(), touched_.end(), column.table) == touched_.end())
      touched_.push_back(column.table);
    return 5 + value.size();
  }

  static CaseInfo some_case(const std::string& function, const std::string& dtype) {
    CaseInfo info;
    info.function = function;
    info.name = function + "/usual[" + dtype + "]";
    info.framework = "torch";
    info.suite = "curated";
    info.hash = "hash of " + info.name;
    info.dtype = dtype;
    info.shape = "64x33";
    info.core = true;
    info.params = Value(Value::Object{{"dim", -1}});
    return info;
  }

  static Attempt attempt_of(const std::string& target, const CaseInfo& info, Outcome outcome) {
    Attempt attempt;
    attempt.target = target;
    attempt.case_name = info.name;
    attempt.case_hash = info.hash;
    attempt.outcome = outcome;
    attempt.evidence = outcome == Outcome::kPass ? Evidence::kVerified : Evidence::kExecuted;
    attempt.wall_s = 0.25;
    attempt.started_unix_us = 1'700'000'000'000'000;
    attempt.latency.cold_reason = attempt.latency.warm_reason = "not timed in this phase";
    attempt.placement.where = Where::kDevice;
    attempt.reference = Value(Value::Object{{"kind", "cpu"}, {"max_abs_err", 1e-7}});
    if (outcome != Outcome::kPass) {
      attempt.signature = "61c4a1f09b2d77e0";
      attempt.failure =
          Failure{"call", "NotImplementedError", "no such kernel", "Traceback", "", "torch.sort"};
    }
    return attempt;
  }

  static Attempt timing_of(const std::string& target, const CaseInfo& info) {
    Attempt attempt = attempt_of(target, info, Outcome::kPass);
    attempt.attempt = 2;
    attempt.phase = Phase::kTiming;
    attempt.latency = Latency{};
    attempt.latency.protocol = "full";
    attempt.latency.cold_kind = "cold-op";
    attempt.latency.cold_s = 0.5;
    attempt.latency.warm_n = 3;
    attempt.latency.warm_median_s = attempt.latency.warm_low_s = 1e-3;
    attempt.latency.warm_high_s = attempt.latency.warm_min_s = 1e-3;
    TimedOperation operation;
    operation.name = "forward";
    operation.cold_s = 0.5;
    operation.warm_s = {1e-3, 1e-3, 2e-3};
    attempt.operations.push_back(std::move(operation));
    return attempt;
  }

  static void fill(Store& store) {
    const std::array<CaseInfo, 3> cases = {some_case("torch.sort", "f32"), some_case("torch.sort", "f64"),
                                           some_case("torch.add", "f32")};
    store::RunInfo info;
    info.command = "seamark run";
    info.protocol = "full";
    info.host = Value(Value::Object{{"cpu", "a processor"}, {"cores", 2}});
    info.versions = Value(Value::Object{{"seamark", "0.1.0"}});
    info.options = Value(Value::Object{});
    store::RunWriter run = must(store.begin_run(info));
    for (const std::string name : {"torch/cpu", "torch/lazy"}) {
      store::RunTarget target;
      target.target = name;
      target.framework = "torch";
      target.framework_version = "2.13.0";
      target.device_name = "a device";
      target.entry = Value(Value::Object{{"name", name}});
      target.environment_lock =
          Value(Value::Object{{"python", "3.11.2"}, {"packages", Value::Array{"numpy==2.0"}}});
      must(run.add_target(target));
      must(run.plan(name, cases));
      const std::array<Attempt, 4> attempts = {
          attempt_of(name, cases[0], Outcome::kPass), timing_of(name, cases[0]),
          attempt_of(name, cases[1], name == "torch/lazy" ? Outcome::kFail : Outcome::kPass),
          attempt_of(name, cases[2], name == "torch/lazy" ? Outcome::kCrash : Outcome::kPass)};
      must(run.commit(attempts));
    }
    must(run.event("notice", Value(Value::Object{{"text", "something"}})));
    must(run.finish(store::RunState::kFinished, "", 3, 2.0));

    Catalogue catalogue;
    catalogue.head = {.framework = "torch",
                      .version = "2.13.0",
                      .rule_version = 1,
                      .python = "3.11",
                      .functions = 1,
                      .modules = 1,
                      .flat = 1,
                      .flat_all = 1,
                      .taken_unix_us = 1};
    CatalogueFunction& sort = catalogue.functions.emplace_back();
    sort.name = "torch.sort";
    sort.aliases = {"torch.Tensor.sort"};
    sort.kind = "function";
    sort.signature = "(input)";
    sort.declared = {"CPU"};
    catalogue.exclusions.push_back({"private", 3, {"torch._sort"}});
    catalogue.broken.push_back({"torch.broken", "ImportError"});
    must(store.save_catalogue(catalogue));

    Declared declared;
    declared.head = {.framework = "torch",
                     .version = "2.13.0",
                     .device = "MPS",
                     .family = "mps",
                     .package = "torch",
                     .package_version = "2.13.0",
                     .source = "native_functions.yaml",
                     .note = {},
                     .taken_unix_us = 1};
    declared.functions.push_back({.name = "torch.sort",
                                  .state = DeclaredState::kPartial,
                                  .host_only = false,
                                  .cases = 2,
                                  .named = 1,
                                  .operators = {"aten::sort"},
                                  .missing = {"aten::sort"},
                                  .dtypes = {"f32"},
                                  .dtypes_missing = {"f64"},
                                  .note = {}});
    must(store.save_declared(std::span(&declared, 1)));

    store::UsageCorpus corpus;
    corpus.label = "a corpus";
    corpus.protocol = "names";
    corpus.options = "{}";
    corpus.catalogues = {{"torch", "2.13.0"}};
    corpus.inputs = {"a.gz"};
    corpus.planned = 1;
    UsageShard shard;
    shard.name = "a.gz";
    shard.identity = "its size";
    shard.bytes = 1000;
    shard.files = shard.candidates = 3;
    shard.losses = 1;
    shard.kept.push_back({.file = "b.py", .line = 3, .what = "a line that is too long", .repaired = false});
    shard.imports = {{"torch", 3}};
    shard.repositories = {5, 7};
    shard.counts.push_back({.framework = "torch",
                            .name = "torch.sort",
                            .tier = UsageTier::kResolved,
                            .calls = 6,
                            .references = 1,
                            .files = 2,
                            .repositories = {0, 1}});
    const std::int64_t id = must(store.begin_usage(corpus)).corpus;
    must(store.save_usage_shard(id, 0, shard));
    must(store.finish_usage(id));

    Sample sample;
    sample.info = {.id = {},
                   .name = "some",
                   .created_unix_us = 1,
                   .seed = 1,
                   .generator = "mt19937_64",
                   .procedure = "drawn",
                   .population = "seen",
                   .frequency = "calls",
                   .usage = "a corpus",
                   .parameters = Value(Value::Object{})};
    sample.frames.push_back({.framework = "torch",
                             .version = "2.13.0",
                             .seen = 1,
                             .never_seen = 0,
                             .calls = 6,
                             .unknown_names = 0,
                             .unknown_calls = 0});
    sample.strata.push_back(
        {.framework = "torch", .name = "top", .decile = 0, .functions = 1, .drawn = 1, .calls = 6});
    SampledFunction& top = sample.functions.emplace_back();
    top.framework = "torch";
    top.function = "torch.sort";
    top.role = SampleRole::kTop;
    top.stratum = "top";
    top.rank = 1;
    top.inclusion = 1;
    top.calls = 6;
    must(store.save_sample(sample));
  }

  TempDir folder_ = must(TempDir::make("seamark-fuzz"));
  Store store_;
  std::unique_ptr<sqlite3, Close<&sqlite3_close>> writer_;
  std::vector<Column> columns_;       // of all tables; gone before the writer is
  std::vector<std::string> touched_;  // tables that are not as they were
};

const store::RunChoice kAll = store::RunChoice::parse("all");

template <typename T>
void shown(const Result<T>& answer) {
  if (!answer) fuzz::require_presentable(answer.error());
}
void shown(const Status& answer) {
  if (!answer) fuzz::require_presentable(answer.error());
}

void read_attempts(Store& store, bool as_committed) {
  const store::AttemptFilter filter{.run = kAll,
                                    .targets = {},
                                    .function = {},
                                    .columns = store::AttemptColumns::all(),
                                    .as_committed = as_committed};
  shown(store.for_each_attempt(filter, [](const store::StoredAttempt& one) {
    fuzz::require(!name_of(one.attempt.outcome).empty() && !name_of(one.attempt.phase).empty() &&
                      !name_of(one.attempt.evidence).empty(),
                  "an attempt with a number that has no name");
    return true;
  }));
}

void read_done(Store& store) {
  const Result<std::vector<store::RunInfo>> runs = store.runs();
  shown(runs);
  if (!runs) return;
  for (const store::RunInfo& run : *runs) shown(store.done(run.uuid));
}

constexpr std::array<void (*)(Store&), 21> kQuestions = {
    [](Store& store) { read_attempts(store, false); },
    [](Store& store) { read_attempts(store, true); },
    [](Store& store) { shown(store.for_each_on_host(kAll, [](auto, auto, const auto&) {})); },
    [](Store& store) { read_done(store); },
    [](Store& store) { shown(store.select({})); },
    [](Store& store) { shown(store.targets(kAll)); },
    [](Store& store) { shown(store.cases(kAll)); },
    [](Store& store) { shown(store.planned(kAll)); },
    [](Store& store) { shown(store.plan(kAll)); },
    [](Store& store) { shown(store.events(kAll)); },
    [](Store& store) { shown(store.latest_unfinished_run()); },
    [](Store& store) { shown(store.function_evidence()); },
    [](Store& store) { shown(store.catalogues()); },
    [](Store& store) { shown(store.catalogue("torch")); },
    [](Store& store) { shown(store.catalogue_names("torch")); },
    [](Store& store) { shown(store.declared()); },
    [](Store& store) { shown(store.usage_corpora()); },
    [](Store& store) { shown(store.usage()); },
    [](Store& store) { shown(store.usage_losses({}, 10)); },
    [](Store& store) { shown(store.samples()); },
    [](Store& store) { shown(store.sample()); },
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ForeignStore foreign;
  if (size == 0) return 0;
  kQuestions[data[0] % kQuestions.size()](foreign.edited({data + 1, size - 1}));
  return 0;
}
