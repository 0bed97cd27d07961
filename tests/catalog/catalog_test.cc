#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/coverage.h"
#include "seamark/catalog/diff.h"
#include "seamark/catalog/names.h"
#include "seamark/catalog/rows.h"
#include "seamark/catalog/rules.h"

namespace seamark::catalog {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CatalogueFunction function(std::string name, std::vector<std::string> aliases = {},
                           std::string kind = "function") {
  CatalogueFunction made;
  made.name = std::move(name);
  made.aliases = std::move(aliases);
  made.kind = std::move(kind);
  return made;
}

CatalogueFunction method(const std::string& holder, const std::string& name) {
  CatalogueFunction made = function(holder + "." + name, {}, "method");
  made.holder = holder;
  return made;
}

Catalogue catalogue_of(std::vector<CatalogueFunction> functions) {
  Catalogue catalogue;
  catalogue.head = {.framework = "fw", .version = "1.0+cpu", .rule_version = 1, .python = "3.11"};
  catalogue.functions = std::move(functions);
  std::sort(catalogue.functions.begin(), catalogue.functions.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  catalogue.head.functions = static_cast<std::int64_t>(catalogue.functions.size());
  return catalogue;
}

const char* const kRows =
    R"({"row":"catalog","schema":1,"framework":"fw","version":"1.0","rule_version":2,"python":"3.11"})"
    "\n"
    R"({"row":"function","name":"fw.b","aliases":["fw.c"],"kind":"class","bases":["fw.a"],"documented":true})"
    "\n"
    R"({"row":"function","name":"fw.a","kind":"function","signature":null,"declared":["CPU"],"new":1})"
    "\n"
    R"({"row":"excluded","reason":"private","count":3,"examples":["fw._x"]})"
    "\n"
    R"({"row":"module","name":"fw.m","error":"E: x"})"
    "\n";
const char* const kEnd = R"({"row":"end","functions":2,"modules":1,"flat":3,"flat_all":4})";

TEST(Rows, AreReadSortedAndWrittenBack) {
  const Result<Catalogue> read = decode_rows(std::string(kRows) + kEnd + "\n");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->head.version, "1.0");
  EXPECT_EQ(read->head.flat, 3);
  ASSERT_EQ(read->functions.size(), 2U);
  EXPECT_EQ(read->functions[0].name, "fw.a");
  EXPECT_THAT(read->functions[0].declared, ElementsAre("CPU"));
  EXPECT_THAT(read->functions[1].aliases, ElementsAre("fw.c"));
  EXPECT_THAT(read->functions[1].bases, ElementsAre("fw.a"));
  EXPECT_TRUE(read->functions[1].documented);
  EXPECT_EQ(read->exclusions.at(0).count, 3);
  EXPECT_EQ(read->broken.at(0).module, "fw.m");
  const std::string written = encode_rows(*read);
  const Result<Catalogue> again = decode_rows(written);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(encode_rows(*again), written);
}

TEST(Rows, WhatIsNoneIsRefused) {
  const auto refused = [](const std::string& text) {
    const Result<Catalogue> read = decode_rows(text);
    return read ? std::string("accepted") : read.error().message();
  };
  EXPECT_THAT(refused(""), HasSubstr("not whole"));
  EXPECT_THAT(refused(kRows), HasSubstr("no end"));
  EXPECT_THAT(
      refused(std::string(kRows) + R"({"row":"end","functions":3,"modules":1,"flat":3,"flat_all":4})"),
      HasSubstr("2 functions of 3"));
  EXPECT_THAT(refused("{}"), HasSubstr("line 1"));
  EXPECT_THAT(refused("[]"), HasSubstr("is no object"));
  EXPECT_THAT(refused("nonsense \x1b[31m"), HasSubstr("is no JSON"));
  EXPECT_THAT(refused(kEnd), HasSubstr("no beginning"));
  EXPECT_THAT(refused(std::string(kRows) + kEnd + "\n" + kEnd), HasSubstr("after the end"));
  EXPECT_THAT(refused(std::string(kRows) + R"({"row":"function","name":7,"kind":"x"})"), HasSubstr("'name'"));
  EXPECT_THAT(refused(std::string(kRows) + R"({"row":"function","name":"fw.d","kind":"x","aliases":[1]})"),
              HasSubstr("'aliases'"));
  EXPECT_THAT(refused(std::string(kRows) + R"({"row":"excluded","reason":"r","count":-1})"),
              HasSubstr("'count'"));
  EXPECT_THAT(refused(std::string(kRows) + R"({"row":"surprise"})"), HasSubstr("unknown kind"));
  EXPECT_THAT(refused(R"({"row":"catalog","schema":2,"framework":"fw","version":"1"})"),
              HasSubstr("another schema"));
  std::string twice = kRows;
  twice += R"({"row":"function","name":"fw.a","kind":"function"})";
  EXPECT_THAT(refused(twice + "\n" + R"({"row":"end","functions":3,"modules":1,"flat":3,"flat_all":4})"),
              HasSubstr("two functions have the name fw.a"));
}

TEST(Names, LeadToTheFunctionBehindThem) {
  CatalogueFunction derived = function("fw.Derived", {"fw.old.Derived"}, "class");
  derived.bases = {"fw.Base"};
  const Catalogue catalogue = catalogue_of({function("fw.add", {"fw.plus"}), function("fw.Base", {}, "class"),
                                            method("fw.Base", "run"), derived, method("fw.Derived", "own")});
  const Names names(catalogue);
  const auto found = [&](std::string_view name) {
    const auto index = names.find(name);
    return index ? catalogue.functions[*index].name : std::string("-");
  };
  EXPECT_EQ(found("fw.add"), "fw.add");
  EXPECT_EQ(found("fw.plus"), "fw.add");
  EXPECT_EQ(found("fw.old.Derived.own"), "fw.Derived.own");
  EXPECT_EQ(found("fw.Derived.run"), "fw.Base.run");
  EXPECT_EQ(found("fw.old.Derived.run"), "fw.Base.run");
  EXPECT_EQ(found("fw.Base.own"), "-");
  EXPECT_EQ(found("fw.add.run"), "-");
  EXPECT_EQ(found("add"), "-");
  EXPECT_FALSE(names.find_exact("fw.Derived.run"));
}

TEST(Names, TheHashIsThatOfTheSortedNames) {
  const Catalogue catalogue = catalogue_of({function("fw.b"), function("fw.a", {"fw.z"})});
  EXPECT_EQ(hash_of_names(catalogue), to_hex(fnv1a64("fw.a\nfw.b")));
  EXPECT_EQ(public_version("2.13.0+cpu"), "2.13.0");
  EXPECT_EQ(public_version("2.13.0"), "2.13.0");
}

CatalogueFunction at_home(CatalogueFunction made, std::string module, std::string qualname) {
  made.module = std::move(module);
  made.qualname = std::move(qualname);
  return made;
}

TEST(Diff, AddedRemovedRenamedDeprecated) {
  CatalogueFunction dated = function("fw.dated");
  dated.deprecated = "use fw.new";
  CatalogueFunction aliased = function("fw.kept", {"fw.new_name"});
  const Catalogue before =
      catalogue_of({function("fw.dated"), function("fw.kept", {"fw.lost_name"}), function("fw.gone"),
                    at_home(function("fw.core.moved"), "fw._src.core", "moved"), function("fw.same"),
                    at_home(function("fw.wrapper_a"), "fw._util", "wrapper"),
                    at_home(function("fw.wrapper_b"), "fw._util", "wrapper")});
  const Catalogue after = catalogue_of(
      {dated, aliased, function("fw.fresh"), at_home(function("fw.extend.moved"), "fw._src.core", "moved"),
       function("fw.same"), at_home(function("fw.wrapper_c"), "fw._util", "wrapper")});
  const CatalogueDiff found = diff(before, after);
  EXPECT_THAT(found.added, ElementsAre("fw.fresh", "fw.wrapper_c"));
  EXPECT_THAT(found.removed, ElementsAre("fw.gone", "fw.wrapper_a", "fw.wrapper_b"));
  ASSERT_EQ(found.renamed.size(), 2U);
  EXPECT_EQ(found.renamed[0].from, "fw.core.moved");
  EXPECT_EQ(found.renamed[0].to, "fw.extend.moved");
  EXPECT_EQ(found.renamed[1].from, "fw.lost_name");
  EXPECT_EQ(found.renamed[1].to, "fw.kept");
  ASSERT_EQ(found.deprecated.size(), 1U);
  EXPECT_EQ(found.deprecated[0].name, "fw.dated");
  EXPECT_EQ(found.deprecated[0].why, "use fw.new");
  EXPECT_THAT(found.new_names, ElementsAre("fw.new_name"));
  EXPECT_EQ(found.unchanged, 2);  // fw.kept, fw.same
}

TEST(Diff, AnotherCanonicalNameOfTheSameObjectIsNoChange) {
  const CatalogueDiff found =
      diff(catalogue_of({function("fw.a", {"fw.b"})}), catalogue_of({function("fw.b", {"fw.a"})}));
  EXPECT_THAT(found.added, IsEmpty());
  EXPECT_THAT(found.removed, IsEmpty());
  EXPECT_TRUE(found.renamed.empty());
  EXPECT_EQ(found.unchanged, 2);
}

TEST(Diff, AMethodThatMovedToABaseCanStillBeCalled) {
  CatalogueFunction derived = function("fw.Derived", {}, "class");
  const Catalogue before =
      catalogue_of({function("fw.Base", {}, "class"), derived, method("fw.Derived", "run")});
  derived.bases = {"fw.Base"};
  const Catalogue after = catalogue_of({function("fw.Base", {}, "class"), derived, method("fw.Base", "run")});
  const CatalogueDiff found = diff(before, after);
  EXPECT_THAT(found.removed, IsEmpty());
  EXPECT_THAT(found.added, ElementsAre("fw.Base.run"));
}

TEST(Diff, ANewlyDeprecatedAliasIsSaid) {
  CatalogueFunction now = function("fw.a", {"fw.b"});
  now.deprecated_aliases = {"fw.b"};
  const CatalogueDiff found = diff(catalogue_of({function("fw.a", {"fw.b"})}), catalogue_of({now}));
  ASSERT_EQ(found.deprecated.size(), 1U);
  EXPECT_EQ(found.deprecated[0].name, "fw.b");
}

CaseInfo a_case(std::string function, std::string suite, std::string framework = "fw") {
  CaseInfo info;
  info.function = std::move(function);
  info.suite = std::move(suite);
  info.framework = std::move(framework);
  return info;
}

const FunctionCover& row_of(const Coverage& coverage, std::string_view name) {
  for (const FunctionCover& row : coverage.functions) {
    if (row.function->name == name) return row;
  }
  throw std::runtime_error("no row " + std::string(name));
}

TEST(Coverage, EveryFunctionHasOneStatusAndTheyAddUp) {
  CatalogueFunction old = function("fw.old");
  old.deprecated = "gone soon";
  CatalogueFunction declared = function("fw.kernel");
  declared.declared = {"CPU"};
  const Catalogue catalogue =
      catalogue_of({function("fw.both", {"fw.alias"}), function("fw.auto"), function("fw.comm.send"),
                    declared, old, function("fw.nothing"), function("fw.Layer", {}, "class"),
                    method("fw.Layer", "forward"), method("fw.Layer", "extra")});
  Rules rules;
  rules.framework = "fw";
  rules.suites = {"curated", "machine"};
  rules.not_testable = {{{"fw.comm.*", "fw.auto"}, {}, "needs several processes"}};
  rules.implied = {{{"*.forward"}, "a case of the class calls it"}};
  const std::vector<CaseInfo> cases = {a_case("fw.both", "machine"),
                                       a_case("fw.alias", "curated"),
                                       a_case("fw.auto", "machine"),
                                       a_case("fw.Layer", "machine"),
                                       a_case("fw.old", "curated"),
                                       a_case("fw.unknown", "curated"),
                                       a_case("fw.nothing", "curated", "other")};
  const std::vector<store::FunctionEvidence> evidence = {{"fw", "1.0", "fw.alias", true, true, true},
                                                         {"fw", "1.0+cu", "fw.Layer", false, true, false},
                                                         {"fw", "2.0", "fw.auto", true, true, true},
                                                         {"fw", "1.0", "fw.nothing", true, true, true},
                                                         {"other", "1.0", "fw.auto", true, true, true}};
  const std::vector<UsageRow> usage = {
      {"fw", "fw.alias", UsageTier::kResolved, 60},      {"fw", "fw.both", UsageTier::kInferred, 15},
      {"fw", "fw.Layer", UsageTier::kResolved, 10},      {"fw", "fw.old", UsageTier::kResolved, 8},
      {"fw", "fw.nothing", UsageTier::kResolved, 7},     {"fw", "fw.auto", UsageTier::kUnknown, 900},
      {"fw", "fw.elsewhere", UsageTier::kResolved, 900}, {"other", "fw.auto", UsageTier::kResolved, 900}};
  const Coverage coverage = cover(catalogue, rules, cases, evidence, usage);
  ASSERT_EQ(coverage.by_calls.size(), 3U);
  const CallBand& first = coverage.by_calls[0];
  EXPECT_EQ(first.percent, 80);
  EXPECT_EQ(first.functions, 2);
  EXPECT_EQ(first.calls, 85);
  EXPECT_EQ(first.curated, 75);
  EXPECT_EQ(first.by_level[static_cast<std::size_t>(Level::kVerified) - 1], 75);
  EXPECT_EQ(first.by_level[static_cast<std::size_t>(Level::kExecuted) - 1], 10);
  EXPECT_EQ(coverage.by_calls[1].functions, 3);  // a deprecated one is called, too
  const CallBand& all = coverage.by_calls[2];
  EXPECT_EQ(all.functions, 4);
  EXPECT_EQ(all.calls, 100);
  EXPECT_EQ(all.curated, 83);
  EXPECT_EQ(all.uncovered, 7);
  EXPECT_EQ(all.by_level[static_cast<std::size_t>(Level::kListed) - 1], 8);
  EXPECT_TRUE(cover(catalogue, rules, cases, evidence).by_calls.empty());
  EXPECT_EQ(coverage.total, 8);
  EXPECT_EQ(coverage.deprecated, 1);
  EXPECT_EQ(coverage.count(Cover::kCurated), 1);
  EXPECT_EQ(coverage.count(Cover::kAutomatic), 3);
  EXPECT_EQ(coverage.count(Cover::kNotTestable), 1);
  EXPECT_EQ(coverage.count(Cover::kDeclared), 1);
  EXPECT_EQ(coverage.count(Cover::kNone), 2);
  std::int64_t sum = 0;
  for (const auto& levels : coverage.counts) {
    for (const std::int64_t count : levels) sum += count;
  }
  EXPECT_EQ(sum, coverage.total);
  EXPECT_EQ(row_of(coverage, "fw.both").level, Level::kVerified);
  EXPECT_EQ(row_of(coverage, "fw.auto").level, Level::kListed);  // evidence of other versions and frameworks
  EXPECT_EQ(row_of(coverage, "fw.Layer.forward").cover, Cover::kAutomatic);
  EXPECT_EQ(row_of(coverage, "fw.Layer.forward").level, Level::kExecuted);
  EXPECT_EQ(row_of(coverage, "fw.Layer.extra").cover, Cover::kNone);
  EXPECT_EQ(row_of(coverage, "fw.nothing").cover, Cover::kNone);
  EXPECT_EQ(row_of(coverage, "fw.comm.send").reason, "needs several processes");
  EXPECT_EQ(coverage.count(Level::kVerified), 1);
  EXPECT_EQ(coverage.count(Level::kExecuted), 2);
  EXPECT_THAT(coverage.unmatched, ElementsAre("fw.unknown"));
  EXPECT_THAT(coverage.deprecated_covered, ElementsAre("fw.old"));
  EXPECT_EQ(coverage.reasons.at("needs several processes"), 1);
}

TEST(RulesFile, ThoseThatAreShippedAreRead) {
  const std::filesystem::path folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "catalog";
  for (const char* framework : {"torch", "tensorflow", "jax"}) {
    const Result<Rules> rules = Rules::load(folder, framework);
    ASSERT_TRUE(rules) << rules.error().message();
    EXPECT_EQ(rules->framework, framework);
    EXPECT_GT(rules->study_functions, 1000);
    ASSERT_FALSE(rules->suites.empty());
    EXPECT_EQ(rules->suites.front(), "curated");
    ASSERT_EQ(rules->frozen.size(), 1U);
    EXPECT_EQ(rules->frozen[0].rule_version, rules->rule_version);
    EXPECT_EQ(rules->frozen_for(rules->frozen[0].version + "+cpu"), rules->frozen.data());
    EXPECT_EQ(rules->frozen_for("0.0.1"), nullptr);
    EXPECT_FALSE(rules->not_testable.empty());
  }
  const Result<Rules> missing = Rules::load(folder, "nofw");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().is(CatalogError::kBadRules));
}

TEST(RulesFile, WhatIsWrongIsSaidWithItsLine) {
  const Result<Rules> rules =
      Rules::parse("framework = \"fw\"\nroot = []\nrule_version = 0\nsurprise = 1\n", "f.toml");
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message(), HasSubstr("f.toml:3"));
  EXPECT_THAT(rules.error().message(), HasSubstr("surprise"));
}

}  // namespace
}  // namespace seamark::catalog
