#include "seamark/report/build/catalog_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/catalog/names.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RenderOptions catalog_options() {
  RenderOptions options;
  options.width = 100;
  options.color = false;
  options.unicode = false;
  return options;
}

WalkedCatalogue walked() {
  WalkedCatalogue one;
  one.catalogue.head = {.framework = "fw",
                        .version = "1.0+cpu",
                        .rule_version = 2,
                        .python = "3.11",
                        .functions = 2,
                        .modules = 3,
                        .flat = 2,
                        .flat_all = 5,
                        .taken_unix_us = 0};
  CatalogueFunction add;
  add.name = "fw.add";
  add.kind = "function";
  add.signature = "(a, b=\"x\")";
  add.signature_from = "inspect";
  add.documented = true;
  CatalogueFunction old;
  old.name = "fw.old";
  old.kind = "class";
  old.deprecated = "=HYPERLINK(evil)";
  one.catalogue.functions = {add, old};
  one.catalogue.exclusions = {{"re-export or import of numpy", 3, {"fw.np"}},
                              {"re-export or import of os", 4, {"fw.os"}},
                              {"private name", 1, {"fw._x"}}};
  one.catalogue.broken = {{"fw.extra", "ModuleNotFoundError: absl\x1b[31m"}};
  one.rules.framework = "fw";
  one.rules.rule_version = 2;
  one.rules.study_functions = 1091;
  one.rules.study_version = "0.4.8";
  one.rules.frozen = {{"fw", "1.0", 2, 2, 1, 2, catalog::hash_of_names(one.catalogue)}};
  return one;
}

TEST(FrozenNote, SaysInWhatAWalkDiffers) {
  WalkedCatalogue one = walked();
  EXPECT_EQ(frozen_note(one.catalogue, one.rules), "");
  one.rules.frozen[0].names_hash = "0";
  EXPECT_THAT(frozen_note(one.catalogue, one.rules), HasSubstr("differs from the frozen catalogue of 1.0"));
  one.rules.frozen[0].rule_version = 1;
  EXPECT_THAT(frozen_note(one.catalogue, one.rules), HasSubstr("frozen by rules 1"));
  one.catalogue.head.version = "1.1";
  EXPECT_THAT(frozen_note(one.catalogue, one.rules), HasSubstr("1.1 is not frozen; frozen: 1.0"));
}

TEST(CatalogueText, CountsAndReasons) {
  const std::string text = render_catalogues(Format::kTerminal, {walked()}, catalog_options());
  EXPECT_THAT(text, HasSubstr("1091 (0.4.8)"));
  EXPECT_THAT(text, HasSubstr("as frozen"));
  EXPECT_THAT(text, HasSubstr("1 class, 1 function"));
  EXPECT_THAT(text, HasSubstr("7  re-export or import of another library"));
  EXPECT_THAT(text, HasSubstr("cannot be imported: fw.extra: ModuleNotFoundError: absl"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  for (const Format format : {Format::kMarkdown, Format::kHtml}) {
    const std::string other = render_catalogues(format, {walked()}, catalog_options());
    for (const char* fact : {"1091 (0.4.8)", "as frozen", "1 class, 1 function", "ModuleNotFoundError: absl"})
      EXPECT_THAT(other, HasSubstr(fact));
  }
}

TEST(CatalogueData, JsonAndCsvHoldEveryFunction) {
  const Result<Value> json = parse_json(render_catalogues(Format::kJson, {walked()}, catalog_options()));
  ASSERT_TRUE(json) << json.error().message();
  const Value& item = json->find("catalogues")->as_array().at(0);
  EXPECT_EQ(item.find("catalogue")->as_array().size(), 2U);
  EXPECT_EQ(item.number_or("study_functions", 0), 1091);
  EXPECT_TRUE(item.find("frozen")->is_null());
  const std::string csv = render_catalogues(Format::kCsv, {walked()}, catalog_options());
  EXPECT_THAT(csv, HasSubstr("framework,version,name,kind"));
  EXPECT_THAT(csv, HasSubstr("fw,1.0+cpu,fw.add,function,,,,1,\"(a, b=\"\"x\"\")\",,\r\n"));
  EXPECT_THAT(csv, HasSubstr("'=HYPERLINK(evil)"));
}

TEST(CoverageText, TheStatusesAddUp) {
  const WalkedCatalogue one = walked();
  CoveredCatalogue covered;
  catalog::Rules rules = one.rules;
  rules.suites = {"curated"};
  CaseInfo info;
  info.function = "fw.add";
  info.framework = "fw";
  info.suite = "curated";
  const UsageRow calls{"fw", "fw.add", UsageTier::kResolved, 4};
  covered.coverage = catalog::cover(one.catalogue, rules, std::span(&info, 1), {}, std::span(&calls, 1));
  covered.usage = "shipped (0123)";
  covered.frozen = "differs";
  covered.not_listed = {"suite x cannot be listed"};
  const std::string text = render_coverage(Format::kTerminal, {covered}, catalog_options());
  EXPECT_THAT(text, HasSubstr("1 functions that are not deprecated, 1 deprecated"));
  EXPECT_THAT(text, HasSubstr("verified or executed: 0 of 1 (0.0%)"));
  EXPECT_THAT(text, HasSubstr("note: differs"));
  EXPECT_THAT(text, ::testing::ContainsRegex("first 90% +1 +100.0% +0.0% +0.0% +0.0% +0.0% +100.0% +0.0%"));
  EXPECT_THAT(text, HasSubstr("by shipped (0123)"));
  EXPECT_THAT(text, HasSubstr("note: suite x cannot be listed"));
  const Result<Value> json = parse_json(render_coverage(Format::kJson, {covered}, catalog_options()));
  ASSERT_TRUE(json) << json.error().message();
  const Value& item = json->find("coverage")->as_array().at(0);
  EXPECT_EQ(item.find("by_calls")->as_array().at(0).number_or("curated", 0), 4);
  EXPECT_EQ(item.find("statuses")->find("curated")->number_or("listed", 0), 1);
  EXPECT_THAT(render_coverage(Format::kCsv, {covered}, catalog_options()),
              HasSubstr("fw,1.0+cpu,fw.add,function,curated,listed,curated,,4\r\n"));
}

TEST(DiffText, SaysWhatChanged) {
  CatalogueHead before = walked().catalogue.head;
  CatalogueHead after = before;
  after.version = "2.0";
  catalog::CatalogueDiff diff;
  diff.added = {"fw.new"};
  diff.renamed = {{"fw.a", "fw.b"}};
  diff.deprecated = {{"fw.c", "use fw.d"}};
  const std::string text = render_diff(Format::kTerminal, diff, before, after, catalog_options());
  EXPECT_THAT(text, HasSubstr("fw 1.0+cpu -> fw 2.0: 1 functions added"));
  EXPECT_THAT(text, HasSubstr("RENAMED (1)\n\n  fw.a -> fw.b\n"));
  EXPECT_THAT(text, HasSubstr("fw.c: use fw.d"));
  EXPECT_THAT(text, Not(HasSubstr("REMOVED (")));
  EXPECT_TRUE(parse_json(render_diff(Format::kJson, diff, before, after, {})));
  EXPECT_THAT(render_diff(Format::kCsv, diff, before, after, {}), HasSubstr("renamed,fw.a,fw.b,\r\n"));
}

}  // namespace
}  // namespace seamark::report
