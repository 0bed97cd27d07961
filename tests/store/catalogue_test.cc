#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Catalogue full_catalogue(const std::string& version = "2.13.0", std::int64_t taken_us = 7) {
  Catalogue catalogue;
  catalogue.head = {.framework = "torch",
                    .version = version,
                    .rule_version = 3,
                    .python = "3.11.7",
                    .functions = 2,
                    .modules = 5,
                    .flat = 4,
                    .flat_all = 9,
                    .taken_unix_us = taken_us};
  catalogue.functions.push_back({.name = "torch.Module",
                                 .aliases = {},
                                 .deprecated_aliases = {},
                                 .kind = "class",
                                 .holder = {},
                                 .bases = {"torch.Base"},
                                 .module = {},
                                 .qualname = {},
                                 .signature = {},
                                 .signature_from = {},
                                 .signature_reason = "ValueError: none",
                                 .deprecated = "use another",
                                 .documented = false,
                                 .declared = {},
                                 .note = "sampled"});
  catalogue.functions.push_back({.name = "torch.Module.run",
                                 .aliases = {"torch.a.run", "torch.b.run"},
                                 .deprecated_aliases = {"torch.b.run"},
                                 .kind = "method",
                                 .holder = "torch.Module",
                                 .bases = {},
                                 .module = "torch.core",
                                 .qualname = "Module.run",
                                 .signature = "(self, x='a,b')",
                                 .signature_from = "inspect",
                                 .signature_reason = {},
                                 .deprecated = {},
                                 .documented = true,
                                 .declared = {"CPU", "CUDA"},
                                 .note = {}});
  catalogue.exclusions.push_back({"private name", 12, {"torch._a", "torch._b"}});
  catalogue.broken.push_back({"torch.extra", "ModuleNotFoundError: x"});
  return catalogue;
}

TEST_F(StoreTest, ACatalogueComesBackWhole) {
  const Catalogue in = full_catalogue();
  {
    Store store = open();
    ASSERT_OK(store.save_catalogue(in));
  }
  Store store = open(OpenMode::kRead);
  const Catalogue out = must(store.catalogue("torch", "2.13.0"));
  EXPECT_EQ(out.head.python, "3.11.7");
  EXPECT_EQ(out.head.rule_version, 3);
  EXPECT_EQ(out.head.modules, 5);
  EXPECT_EQ(out.head.flat, 4);
  EXPECT_EQ(out.head.flat_all, 9);
  EXPECT_EQ(out.head.taken_unix_us, 7);
  ASSERT_EQ(out.functions.size(), 2U);
  const CatalogueFunction& cls = out.functions[0];
  EXPECT_EQ(cls.name, "torch.Module");
  EXPECT_THAT(cls.bases, ElementsAre("torch.Base"));
  EXPECT_EQ(cls.deprecated, "use another");
  EXPECT_EQ(cls.signature_reason, "ValueError: none");
  EXPECT_EQ(cls.note, "sampled");
  EXPECT_THAT(cls.aliases, IsEmpty());
  const CatalogueFunction& method = out.functions[1];
  EXPECT_EQ(method.kind, "method");
  EXPECT_EQ(method.holder, "torch.Module");
  EXPECT_EQ(method.module, "torch.core");
  EXPECT_EQ(method.qualname, "Module.run");
  EXPECT_EQ(method.signature, "(self, x='a,b')");
  EXPECT_EQ(method.signature_from, "inspect");
  EXPECT_TRUE(method.documented);
  EXPECT_THAT(method.aliases, ElementsAre("torch.a.run", "torch.b.run"));
  EXPECT_THAT(method.deprecated_aliases, ElementsAre("torch.b.run"));
  EXPECT_THAT(method.declared, ElementsAre("CPU", "CUDA"));
  ASSERT_EQ(out.exclusions.size(), 1U);
  EXPECT_EQ(out.exclusions[0].count, 12);
  EXPECT_THAT(out.exclusions[0].examples, ElementsAre("torch._a", "torch._b"));
  ASSERT_EQ(out.broken.size(), 1U);
  EXPECT_EQ(out.broken[0].error, "ModuleNotFoundError: x");
}

TEST_F(StoreTest, NamesOfACatalogueAlone) {
  Store store = open();
  const Catalogue in = full_catalogue();
  ASSERT_OK(store.save_catalogue(in));
  ASSERT_OK(store.save_catalogue(full_catalogue("2.12.0", 9)));
  const Catalogue out = must(store.catalogue_names("torch", "2.13.0"));
  EXPECT_EQ(out.head.version, "2.13.0");
  EXPECT_EQ(out.head.flat_all, in.head.flat_all);
  ASSERT_EQ(out.functions.size(), in.functions.size());
  for (std::size_t i = 0; i < in.functions.size(); ++i) {
    EXPECT_EQ(out.functions[i].name, in.functions[i].name);
    EXPECT_EQ(out.functions[i].kind, in.functions[i].kind);
    EXPECT_EQ(out.functions[i].aliases, in.functions[i].aliases);
    EXPECT_EQ(out.functions[i].bases, in.functions[i].bases);
    EXPECT_EQ(out.functions[i].signature, "");
  }
  EXPECT_THAT(out.exclusions, IsEmpty());
  EXPECT_EQ(must(store.catalogue_names("torch")).head.version, "2.12.0");  // taken last
  EXPECT_TRUE(store.catalogue_names("jax").error().is(StoreError::kNoSuchCatalogue));
}

TEST_F(StoreTest, ACatalogueReplacesTheOneOfItsVersionOnly) {
  Store store = open();
  ASSERT_OK(store.save_catalogue(full_catalogue("1.0", 1)));
  ASSERT_OK(store.save_catalogue(full_catalogue("2.0", 2)));
  Catalogue smaller = full_catalogue("1.0", 3);
  smaller.functions.resize(1);
  smaller.exclusions.clear();
  ASSERT_OK(store.save_catalogue(smaller));
  EXPECT_EQ(must(store.catalogues()).size(), 2U);
  EXPECT_EQ(must(store.catalogue("torch")).head.version, "1.0");  // taken last
  EXPECT_EQ(must(store.catalogue("torch", "1.0")).functions.size(), 1U);
  EXPECT_THAT(must(store.catalogue("torch", "1.0")).exclusions, IsEmpty());
  EXPECT_EQ(must(store.catalogue("torch", "2.0")).functions.size(), 2U);
  const auto missing = store.catalogue("jax");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(missing.error().is(StoreError::kNoSuchCatalogue));
  EXPECT_THAT(missing.error().remedy(), HasSubstr("seamark catalog"));
}

TEST_F(StoreTest, ACatalogueWithANameTwiceLeavesTheOldOne) {
  Store store = open();
  ASSERT_OK(store.save_catalogue(full_catalogue()));
  Catalogue twice = full_catalogue();
  twice.functions.push_back(twice.functions.front());
  EXPECT_FALSE(store.save_catalogue(twice).ok());
  EXPECT_EQ(must(store.catalogue("torch")).functions.size(), 2U);
}

TEST_F(StoreTest, AStoreOfVersion1IsBroughtForwardWithItsRows) {
  {
    std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(migrate(*connection, migrations(1)));
    ASSERT_OK(connection->execute("INSERT INTO functions(framework, name) VALUES ('torch', 'torch.sum')"));
    ASSERT_EQ(must(connection->integer("PRAGMA user_version")), 1);
  }
  {
    Store store = open(OpenMode::kRead);  // also a reader brings it forward
    EXPECT_THAT(must(store.catalogues()), IsEmpty());
  }
  Store store = open();
  ASSERT_OK(store.save_catalogue(full_catalogue()));
  std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kRead, 1000));
  EXPECT_EQ(must(connection->integer("PRAGMA user_version")), schema_version());
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM functions WHERE name = 'torch.sum'")), 1);
}

TEST_F(StoreTest, EvidenceIsTheBestOfAllAttempts) {
  Store store = open();
  RunWriter writer = must(store.begin_run(RunInfo{}));
  const RunTarget target = make_target("torch/cpu");
  ASSERT_OK(writer.add_target(target));
  const std::array<CaseInfo, 5> cases = {make_case("torch.right", "a"), make_case("torch.wrong", "b"),
                                         make_case("torch.raises", "c"), make_case("torch.skipped", "d"),
                                         make_case("torch.compiles", "e")};
  ASSERT_OK(writer.plan(target.target, cases));
  std::vector<Attempt> attempts;
  attempts.push_back(make_failure(target.target, cases[0], "E", "m"));
  attempts.push_back(make_attempt(target.target, cases[0], Outcome::kPass, 2));
  attempts.push_back(make_failure(target.target, cases[1], "E", "m"));
  attempts.back().failure->stage = "compare";
  attempts.push_back(make_failure(target.target, cases[2], "E", "m"));
  attempts.push_back(make_attempt(target.target, cases[3], Outcome::kSkip));
  attempts.push_back(make_attempt(target.target, cases[4]));
  attempts.back().evidence = Evidence::kCompiled;
  ASSERT_OK(writer.commit(attempts));
  std::map<std::string, std::array<bool, 3>> found;
  for (const FunctionEvidence& row : must(store.function_evidence())) {
    EXPECT_EQ(row.framework, "torch");
    EXPECT_EQ(row.version, "2.13.0");
    found[row.function] = {row.compiled, row.executed, row.verified};
  }
  const std::map<std::string, std::array<bool, 3>> expected = {{"torch.right", {true, true, true}},
                                                               {"torch.wrong", {false, true, false}},
                                                               {"torch.raises", {false, false, false}},
                                                               {"torch.compiles", {true, false, false}}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace seamark::store
