// Which operators a target lacks, over a made-up store, and the table of them.
#include "seamark/analysis/operators.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "seamark/analysis/beyond.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::must;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Attempt on_host(Attempt attempt, std::vector<std::string> operators) {
  attempt.placement.fallback_ops = std::move(operators);
  return placed(std::move(attempt), Where::kHost);
}

class Operators : public SummaryTest {
 protected:
  void fill() {
    std::vector<CaseInfo> cases;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
      cases.push_back(make_case(std::string("torch.") + name, "1"));
    const CaseInfo c2 = make_case("torch.c", "2");
    const CaseInfo h2 = make_case("torch.h", "2");
    const CaseInfo a2 = make_case("torch.a", "2", false);
    for (const CaseInfo& one : {c2, h2, a2}) cases.push_back(one);
    add("torch/cpu", cases);
    add("torch/lazy", cases);
    const auto of = [&](const std::string& function) {
      return *std::find_if(cases.begin(), cases.end(),
                           [&](const CaseInfo& one) { return one.function == "torch." + function; });
    };
    for (const CaseInfo& one : cases) {
      if (one.function != "torch.e") commit({placed(make_attempt("torch/cpu", one), Where::kDevice)});
    }
    const std::string no_x = "Could not run 'aten::x' with arguments from the 'Lazy' backend.";
    const auto fails = [](const CaseInfo& info, const std::string& message) {
      return make_failure("torch/lazy", info, "NotImplementedError", message);
    };
    const auto runs = [](const CaseInfo& info) { return make_attempt("torch/lazy", info); };
    Attempt bridge = fails(of("f"), no_x);
    bridge.failure->stage = "bridge";
    commit({fails(of("a"), no_x), on_host(runs(a2), {"aten::z"})});
    commit({on_host(runs(of("b")), {"aten::x", "aten::y"})});
    commit({on_host(runs(of("c")), {"aten::y"}), fails(c2, "odd")});
    commit({fails(of("d"), "odd")});
    commit({make_failure("torch/cpu", of("e"), "NotImplementedError", no_x), fails(of("e"), no_x)});
    commit({bridge});
    commit({placed(runs(of("g")), Where::kDevice)});
    commit({on_host(fails(of("h"), no_x), {"aten::x"}), fails(h2, no_x)});
    commit({on_host(runs(of("i")), {})});
    for (const auto& [name, calls] : {std::pair{"torch.a", 10}, {"torch.b", 60}, {"torch.c", 30}}) {
      UsageRow row;
      row.framework = "torch";
      row.function = name;
      row.calls = calls;
      usage_.rows.push_back(row);
    }
  }

  std::vector<TargetOperators> read(SummaryOptions options = {}) {
    options.detail = Detail::kMessages;
    summary_ = summary(options);
    const classify::RuleSet rules = classify::RuleSet::parse(kSummaryRules, "rules.toml").value();
    return must(missing_operators(store_, rules, summary_, options));
  }
  std::vector<std::string> names(const MissingOperator& one) {
    std::vector<std::string> out;
    for (const std::size_t function : one.functions) out.push_back(summary_.functions.at(function).name);
    return out;
  }
  Exhibit exhibit(std::size_t rows = 0) {
    operators_ = read();
    const ResultSet findings = findings_of(summary_, known_frameworks(), &usage_);
    return missing_operators(findings, {{}, &summary_, "a test", rows, &operators_});
  }

  UsageTable usage_;
  Summary summary_;
  std::vector<TargetOperators> operators_;
};

TEST_F(Operators, AreThoseThatRaiseAndThoseThatRanOnTheHost) {
  fill();
  const std::vector<TargetOperators> all = read();
  ASSERT_EQ(all.size(), 2U);
  const TargetOperators& lazy = all[1];
  EXPECT_EQ(lazy.target, "torch/lazy");
  EXPECT_EQ(lazy.held_back, 6);  // not what fails on the reference, is unanswered or is on the device
  EXPECT_EQ(lazy.unnamed, 2);    // d fails otherwise; an output of i left the device
  ASSERT_EQ(lazy.operators.size(), 2U);
  const MissingOperator& x = lazy.operators[0];
  EXPECT_EQ(x.name, "aten::x");
  EXPECT_TRUE(x.raises && x.on_host);
  EXPECT_THAT(names(x), ElementsAre("torch.a", "torch.b", "torch.h"));
  EXPECT_EQ(x.alone, 2);  // b lacks another
  EXPECT_EQ(x.cases, 4);
  const MissingOperator& y = lazy.operators[1];
  EXPECT_EQ(y.name, "aten::y");
  EXPECT_TRUE(!y.raises && y.on_host);
  EXPECT_THAT(names(y), ElementsAre("torch.b", "torch.c"));
  EXPECT_EQ(y.alone, 0);  // c fails for another reason, too
  EXPECT_EQ(y.cases, 2);
  ASSERT_EQ(all[0].operators.size(), 1U);  // what a person wrote and fails on the reference is a finding
  EXPECT_THAT(names(all[0].operators[0]), ElementsAre("torch.e"));
}

TEST_F(Operators, OfTheTargetsThatAreAskedFor) {
  fill();
  SummaryOptions lazy;
  lazy.targets = {"torch/lazy"};
  const std::vector<TargetOperators> one = read(lazy);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].operators.size(), 2U);
  SummaryOptions joined;
  joined.run = store::RunChoice::parse("all");
  EXPECT_EQ(read(joined)[1].operators.size(), 2U);
}

TEST_F(Operators, AreListedByTheCallsOfWhatTheyHoldBack) {
  fill();
  const Exhibit all = exhibit();
  ASSERT_EQ(all.rows.size(), 3U);  // of the CPU's, called by nobody, one
  std::vector<std::string> lines;
  for (const std::vector<Datum>& row : all.rows) {
    std::string line;
    for (const Datum& datum : row)
      line += (datum.value ? fmt::format("{:g}", *datum.value) : datum.text) + "|";
    lines.push_back(line);
  }
  EXPECT_THAT(lines, ElementsAre("torch/cpu|1|aten::x|raises|1|1|1|0|0|torch.e|",
                                 "torch/lazy|1|aten::y|host|2|0|2|90|90|torch.b, torch.c|",
                                 "torch/lazy|2|aten::x|both|3|2|4|70|70|torch.b, torch.a, torch.h|"));
  EXPECT_THAT(all.notes, Contains(HasSubstr("torch/lazy: 6 functions fail or ran on the host, 2 of them")));
  const Exhibit one = exhibit(1);
  EXPECT_EQ(one.rows.size(), 2U);
  EXPECT_EQ(one.columns.back().key, "calls_percent");  // whose functions these are is for programs
  EXPECT_THAT(one.notes, Contains(HasSubstr("torch/lazy: 1 more")));
}

TEST_F(Operators, SayWhyThereAreNone) {
  add("torch/lazy", {make_case("torch.a", "1")});
  commit({placed(make_attempt("torch/lazy", make_case("torch.a", "1")), Where::kDevice)});
  EXPECT_THAT(exhibit().notes, Contains("no operator is named as missing"));
  const ResultSet findings = findings_of(summary_, known_frameworks(), &usage_);
  const Exhibit unread = missing_operators(findings, {{}, &summary_, "a test", 0, nullptr});
  EXPECT_THAT(unread.rows, IsEmpty());
  EXPECT_THAT(unread.notes, Contains("not read of this store"));
}

}  // namespace
}  // namespace seamark::analysis
