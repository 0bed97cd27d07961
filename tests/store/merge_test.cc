// Stores into one: what is added, what is there already, what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <functional>

#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MergeTest : public StoreTest {
 protected:
  [[nodiscard]] std::filesystem::path file(const char* name) const { return folder() / name; }
  Store other(const char* name, OpenMode mode = OpenMode::kWrite) {
    return must(Store::open(file(name), mode));
  }

  // A run with a pass, a failure, a timing with samples and a planned case that nobody came to.
  static void add_run(Store& store, const std::string& uuid, std::int64_t started_us,
                      RunState state = RunState::kFinished) {
    RunInfo info;
    info.uuid = uuid;
    info.command = "seamark run";
    info.protocol = "full";
    info.started_unix_us = started_us;
    info.host = Value(Value::Object{{"cores", 2}});
    RunWriter writer = must(store.begin_run(info));
    CaseInfo sort = make_case("torch.sort", "sort[f32]");
    sort.timeout_s = 30;
    const CaseInfo add = make_case("torch.add", "add[f32]", false);
    const CaseInfo left = make_case("torch.cat", "left[f32]");
    ASSERT_OK(writer.add_target(make_target("torch/cpu")));
    ASSERT_OK(writer.add_target(make_target("torch/lazy")));
    ASSERT_OK(writer.plan("torch/cpu", std::vector{sort, add}));
    ASSERT_OK(writer.plan("torch/lazy", std::vector{left, sort}));
    Attempt pass = make_attempt("torch/cpu", sort);
    pass.placement.where = Where::kDevice;
    pass.placement.outputs = {"cpu"};
    pass.reference = Value(Value::Object{{"kind", "cpu"}, {"max_abs_err", 1e-7}});
    pass.attributes = {"cache-hit"};
    ASSERT_OK(writer.commit(std::vector{pass, make_timing("torch/cpu", sort, 0.25, {1e-6, 2.5e-6, 1.0 / 3}),
                                        make_failure("torch/cpu", add, "RuntimeError", "no\x1b[31m", "beef"),
                                        make_attempt("torch/lazy", sort, Outcome::kFail)}));
    ASSERT_OK(writer.event("worker-died", Value(Value::Object{{"target", "torch/cpu"}})));
    ASSERT_OK(writer.finish(state, state == RunState::kFinished ? "" : "stopped", 12.5, 3.0));
  }

  static Result<std::vector<MergedStore>> merge(Store& into, Store from, bool strict = false) {
    return into.merge_stores({&from, 1}, strict);
  }
  MergedStore merged(Store& into, const char* name) {
    return must(merge(into, other(name, OpenMode::kRead))).at(0);
  }

  // Rows of a query, without a word of ids.
  static std::vector<std::string> rows(const std::filesystem::path& store, const std::string& sql) {
    std::vector<std::string> out;
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(store.c_str(), &handle), SQLITE_OK);
    const auto add = [](void* list, int columns, char** values, char**) {
      std::string row;
      for (int i = 0; i < columns; ++i) row += (values[i] == nullptr ? "NULL" : values[i]) + std::string("|");
      static_cast<std::vector<std::string>*>(list)->push_back(row);
      return 0;
    };
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), add, &out, &error), SQLITE_OK) << (error ? error : "");
    sqlite3_free(error);
    sqlite3_close(handle);
    return out;
  }
  // All that runs have, in a form that does not know in which order they came.
  static std::vector<std::string> content(const std::filesystem::path& store) {
    std::vector<std::string> all;
    for (const char* sql :
         {"SELECT uuid, state, state_reason, owner, command, seed, protocol, proof, reference, subset_note, "
          "started_us, ended_us, wall_s, cpu_s, host, versions, options FROM runs ORDER BY uuid",
          "SELECT r.uuid, t.target, t.framework_version, t.device_name, t.mode, t.entry, e.hash, e.lock FROM "
          "run_targets t JOIN runs r ON r.id = t.run_id LEFT JOIN environments e ON e.id = t.environment_id "
          "ORDER BY 1, 2",
          "SELECT r.uuid, t.target, c.name, c.hash, f.name, c.suite, c.timeout_s, c.params, p.core, "
          "p.host_only FROM plan p JOIN run_targets t ON t.id = p.run_target_id JOIN runs r ON r.id = "
          "t.run_id "
          "JOIN cases c ON c.id = p.case_id JOIN functions f ON f.id = c.function_id ORDER BY 1, 2, 3",
          "SELECT r.*, x.fail_traceback, x.capture, x.placement_details, x.reference, x.compiled, "
          "x.wait_status FROM "
          "(SELECT * FROM results) r JOIN attempts x ON x.id = r.attempt_id ORDER BY 1, 2, 6, 12",
          "SELECT r.run, r.case_name, r.attempt, o.position, o.name, o.cold_s, o.inner_calls, s.kind, s.n, "
          "hex(s.seconds) FROM operations o JOIN results r USING (attempt_id) LEFT JOIN time_samples s "
          "USING (attempt_id, position) ORDER BY 1, 2, 3, 4, 8",
          "SELECT r.uuid, e.at_us, e.kind, e.detail FROM events e JOIN runs r ON r.id = e.run_id ORDER BY 1, "
          "2"}) {
      for (std::string& row : rows(store, sql)) all.push_back(std::move(row));
    }
    return all;
  }
};

TEST_F(MergeTest, TwoStoresAreTheOneThatRanBoth) {
  {
    Store both = other("both.db");
    add_run(both, "run-a", 1'000);
    add_run(both, "run-b", 2'000, RunState::kInterrupted);
    Store a = other("a.db");
    add_run(a, "run-a", 1'000);
    Store b = other("b.db");
    add_run(b, "run-b", 2'000, RunState::kInterrupted);
  }
  // The moments of their own are all that differs.
  for (const char* name : {"both.db", "a.db", "b.db"})
    rows(file(name), "UPDATE runs SET ended_us = 5000; UPDATE events SET at_us = 4000");
  Store into = open();
  std::vector<Store> stores;
  stores.push_back(other("a.db", OpenMode::kRead));
  stores.push_back(other("b.db", OpenMode::kRead));
  const std::vector<MergedStore> merged = must(into.merge_stores(stores, true));
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[1].runs, 1);
  EXPECT_EQ(merged[1].attempts, 4);
  EXPECT_THAT(merged[1].kept, IsEmpty());
  const std::vector<RunInfo> runs = must(into.runs());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].uuid, "run-b");
  EXPECT_EQ(runs[0].state, RunState::kInterrupted);
  EXPECT_EQ(runs[0].ended_unix_us, 5000);
  EXPECT_EQ(content(path()), content(file("both.db")));
  EXPECT_THAT(rows(path(), "PRAGMA integrity_check; PRAGMA foreign_key_check"), ElementsAre("ok|"));
}

TEST_F(MergeTest, TwiceIsOnce) {
  {
    Store a = other("a.db");
    add_run(a, "run-a", 1'000);
  }
  Store into = open();
  EXPECT_EQ(merged(into, "a.db").runs, 1);
  const auto before = content(path());
  const MergedStore again = merged(into, "a.db");
  EXPECT_EQ(again.runs, 0);
  EXPECT_EQ(again.known, 1);
  EXPECT_THAT(again.refused, IsEmpty());
  EXPECT_EQ(content(path()), before);
}

// Each change of a run alone makes it another, and is named.
TEST_F(MergeTest, ADifferentRunOfTheSameIdIsRefused) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"UPDATE runs SET state = 3", "state is finished, not interrupted"},
      {"UPDATE runs SET seed = 7", "seed is 0, not 7"},
      {"UPDATE run_targets SET device_name = 'x' WHERE target = 'torch/cpu'",
       "target torch/cpu: device is a device, not x"},
      {"DELETE FROM plan WHERE case_id = (SELECT id FROM cases WHERE name LIKE 'torch.cat/%')",
       "4 cases are planned, not 3"},
      {"UPDATE plan SET core = 1", "other cases are planned, or other ones are core"},
      {"UPDATE attempts SET outcome = 2 WHERE phase = 4",
       "attempt 2 of torch.sort/sort[f32] on torch/cpu: outcome is pass, not fail"},
      {"UPDATE attempts SET fail_traceback = 'other' WHERE failed", "traceback is Traceback, not other"},
      {"UPDATE time_samples SET seconds = zeroblob(24)", "its warm samples is"},
      {"DELETE FROM operations; DELETE FROM time_samples", "one has more operations"},
      {"INSERT INTO events(run_id, at_us, kind) VALUES (1, 1, 'x')", "it has 1 events, not 2"},
      {"UPDATE events SET kind = 'x'", "event 1: kind is worker-died, not x"},
  };
  {
    Store into = open();
    add_run(into, "run-a", 1'000);
  }
  const auto before = content(path());
  for (const auto& [sql, difference] : changes) {
    std::filesystem::copy_file(path(), file("a.db"), std::filesystem::copy_options::overwrite_existing);
    rows(file("a.db"), sql);
    {
      Store more = other("a.db");
      add_run(more, "run-z", 9'000);
    }
    Store into = open();
    const auto strict = merge(into, other("a.db", OpenMode::kRead), true);
    ASSERT_FALSE(strict.ok()) << sql;
    EXPECT_TRUE(strict.error().is(StoreError::kConflict));
    EXPECT_THAT(strict.error().message(), HasSubstr(difference)) << sql;
    EXPECT_EQ(content(path()), before) << sql;
    const MergedStore merged = this->merged(into, "a.db");
    EXPECT_EQ(merged.runs, 1) << sql;  // the other one
    ASSERT_EQ(merged.refused.size(), 1u) << sql;
    EXPECT_EQ(merged.refused[0].run, "run-a");
    EXPECT_THAT(merged.refused[0].difference, HasSubstr(difference)) << sql;
    rows(path(),
         "DELETE FROM time_samples WHERE attempt_id > 4; DELETE FROM operations WHERE attempt_id > 4; "
         "DELETE FROM attempts WHERE id > 4; DELETE FROM plan WHERE run_target_id > 2; DELETE FROM events "
         "WHERE run_id > 1; DELETE FROM run_targets WHERE run_id > 1; DELETE FROM runs WHERE id > 1");
    EXPECT_EQ(content(path()), before) << sql;
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file("a.db").string() + end);
  }
}

TEST_F(MergeTest, CasesStayAsTheyAre) {
  Store into = open();
  add_run(into, "run-a", 1'000);
  {
    Store b = other("b.db");
    add_run(b, "run-b", 2'000);
  }
  rows(file("b.db"),
       "INSERT INTO functions(framework, name) VALUES ('torch', 'torch.other'); UPDATE cases SET suite = "
       "'mine', "
       "timeout_s = 1, function_id = (SELECT id FROM functions WHERE name = 'torch.other') WHERE name LIKE "
       "'torch.sort/%'");
  const auto cases =
      "SELECT c.name, f.name, c.suite, c.timeout_s FROM cases c JOIN functions f ON f.id = "
      "c.function_id ORDER BY 1";
  const auto before = rows(path(), cases);
  const MergedStore merged = this->merged(into, "b.db");
  EXPECT_EQ(merged.runs, 1);
  ASSERT_EQ(merged.kept.size(), 1u);
  EXPECT_EQ(
      merged.kept[0],
      "case torch.sort/sort[f32]: function torch.sort, not torch.other; suite curated, not mine; timeout "
      "30 s, not 1 s");
  EXPECT_EQ(rows(path(), cases), before);
}

// A run whose id begins with that of another does not hide it.
TEST_F(MergeTest, AnIdThatIsTheBeginningOfAnotherIsThatRun) {
  Store into = open();
  add_run(into, "run-a", 1'000);
  {
    Store b = other("b.db");
    add_run(b, "run-ab", 2'000);
  }
  EXPECT_EQ(merged(into, "b.db").runs, 1);
  EXPECT_EQ(must(into.select(RunChoice::parse("run-a"))).at(0).uuid, "run-a");
  EXPECT_EQ(merged(into, "b.db").known, 1);
}

TEST_F(MergeTest, ARunThatGoesOnIsLeftOut) {
  Store b = other("b.db");
  RunInfo info;
  info.uuid = "run-live";
  const RunWriter writer = must(b.begin_run(info));
  Store into = open();
  const MergedStore merged = this->merged(into, "b.db");
  EXPECT_THAT(merged.live, ElementsAre("run-live"));
  EXPECT_TRUE(must(into.runs()).empty());
}

// What a source says wrongly is told with its name, and nothing of any source is in the store.
TEST_F(MergeTest, ADamagedSourceChangesNothing) {
  Store into = open();
  add_run(into, "run-a", 1'000);
  {
    Store b = other("good.db");
    add_run(b, "run-b", 2'000);
  }
  const auto before = content(path());
  for (const std::string sql :
       {"UPDATE attempts SET outcome = 99", "UPDATE runs SET state = 0",
        "UPDATE attempts SET placement_details = '{'", "UPDATE run_targets SET entry = 'x'",
        "UPDATE time_samples SET seconds = x'00'", "DELETE FROM operations",
        "UPDATE run_targets SET mode = 50", "UPDATE runs SET uuid = ''", "DELETE FROM plan",
        "UPDATE attempts SET attributes = '[1]'"}) {
    std::filesystem::copy_file(file("good.db"), file("bad.db"),
                               std::filesystem::copy_options::overwrite_existing);
    rows(file("bad.db"), sql);
    rows(file("bad.db"), "UPDATE runs SET uuid = 'run-bad' WHERE uuid <> ''");
    std::vector<Store> stores;
    stores.push_back(other("good.db", OpenMode::kRead));
    stores.push_back(other("bad.db", OpenMode::kRead));
    const auto failed = into.merge_stores(stores, false);
    ASSERT_FALSE(failed.ok()) << sql;
    EXPECT_THAT(failed.error().message(), HasSubstr("bad.db")) << sql;
    EXPECT_EQ(content(path()), before) << sql;
  }
}

TEST_F(MergeTest, CataloguesDeclaredTablesUsageAndSamplesComeToo) {
  {
    Store b = other("b.db");
    Catalogue catalogue;
    catalogue.head.framework = "torch";
    catalogue.head.version = "2.13.0";
    catalogue.head.taken_unix_us = 5;
    catalogue.functions.resize(1);
    catalogue.functions[0].name = "torch.add";
    catalogue.functions[0].kind = "function";
    catalogue.functions[0].aliases = {"torch.Tensor.add"};
    catalogue.exclusions = {{"private", 3, {"torch._x"}}};
    catalogue.broken = {{"torch.bad", "ImportError"}};
    ASSERT_OK(b.save_catalogue(catalogue));
    Declared declared;
    declared.head.framework = "torch";
    declared.head.version = "2.13.0";
    declared.head.device = "cuda";
    declared.head.family = "cuda";
    declared.functions.resize(1);
    declared.functions[0].name = "torch.add";
    declared.functions[0].state = static_cast<DeclaredState>(1);
    declared.functions[0].operators = {"aten::add"};
    ASSERT_OK(b.save_declared({&declared, 1}));
    UsageCorpus corpus;
    corpus.label = "stack";
    corpus.protocol = "names";
    corpus.vocabulary = "v";
    corpus.options = "{}";
    corpus.planned = 1;
    const UsageBegin begun = must(b.begin_usage(corpus));
    UsageShard shard;
    shard.name = "a.gz";
    shard.identity = "id";
    shard.bytes = 1000;
    shard.files = 10;
    shard.losses = 1;
    shard.kept = {{"a.gz", 17, "not JSON", false}};
    shard.imports = {{"torch", 3}};
    shard.repositories = {5, 7};
    shard.counts.push_back({.framework = "torch",
                            .name = "torch.add",
                            .tier = UsageTier::kResolved,
                            .calls = 6,
                            .references = 1,
                            .files = 2,
                            .repositories = {0, 1}});
    ASSERT_OK(b.save_usage_shard(begun.corpus, 0, shard));
    ASSERT_OK(b.finish_usage(begun.corpus));
    Sample sample;
    sample.info.name = "mine";
    sample.info.generator = "g";
    sample.info.seed = 7;
    sample.info.parameters = Value(Value::Object{{"top", 20}});
    sample.frames = {{.framework = "torch", .version = "2.13.0", .seen = 1}};
    SampleStratum stratum;
    stratum.framework = "torch";
    stratum.name = "top";
    stratum.functions = stratum.drawn = 1;
    sample.strata = {stratum};
    SampledFunction function;
    function.framework = "torch";
    function.function = "torch.add";
    function.role = static_cast<SampleRole>(1);
    function.stratum = "top";
    function.rank = 1;
    sample.functions = {function};
    must(b.save_sample(sample));
  }
  Store into = open();
  const MergedStore first = merged(into, "b.db");
  EXPECT_EQ(first.catalogues, 1);
  EXPECT_EQ(first.declared, 1);
  EXPECT_EQ(first.corpora, 1);
  EXPECT_EQ(first.samples, 1);
  EXPECT_THAT(first.kept, IsEmpty());
  for (const char* table :
       {"catalogues", "catalogue_functions", "catalogue_exclusions", "catalogue_modules", "declared_tables",
        "declared_functions", "usage_corpora", "usage_corpus_shards", "usage_imports", "usage_losses",
        "usage_names", "usage_counts", "samples", "sample_frames", "sample_strata", "sample_functions"}) {
    const std::string sql = fmt::format("SELECT * FROM {}", table);
    EXPECT_FALSE(rows(path(), sql).empty()) << table;
    EXPECT_EQ(rows(path(), sql), rows(file("b.db"), sql)) << table;
  }
  EXPECT_EQ(must(into.catalogue("torch")).functions.at(0).aliases.at(0), "torch.Tensor.add");
  EXPECT_EQ(must(into.usage(std::string("stack"))).rows.at(0).calls, 6);
  EXPECT_EQ(must(into.usage_losses(std::string("stack"), 9)).at(0).line, 17);
  // No count of another machine is one of a file here.
  EXPECT_THAT(rows(path(), "SELECT identity FROM usage_shards"), ElementsAre("NULL|"));

  const MergedStore again = merged(into, "b.db");
  EXPECT_EQ(again.other_known, 4);
  EXPECT_EQ(again.catalogues + again.declared + again.corpora + again.samples, 0);

  // Another walk of the same version, another count of the same label, another sample of that name.
  rows(file("b.db"),
       "UPDATE catalogue_functions SET kind = 'method'; UPDATE usage_counts SET calls = 7; UPDATE "
       "declared_functions "
       "SET cases = 9; UPDATE samples SET seed = 8");
  const MergedStore other_walk = merged(into, "b.db");
  EXPECT_THAT(other_walk.kept, ElementsAre("catalogue of torch 2.13.0", "declared table of torch 2.13.0 cuda",
                                           testing::StartsWith("sample "), "usage of stack"));
  EXPECT_EQ(must(into.usage(std::string("stack"))).rows.at(0).calls, 6);
}

}  // namespace
}  // namespace seamark::store
