#include "seamark/analysis/expected.h"

#include "change_fixture.h"
#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/gate.h"
#include "seamark/base/config.h"

namespace seamark::analysis {
namespace {

using store::make_case;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ExpectedTest : public ChangeTest {
 protected:
  static Expectations parse(const std::string& toml) {
    return store::must(Expectations::parse(toml, "e.toml"));
  }

  Comparison compare_with(const std::string& toml) {
    Comparison comparison = compare();
    apply_expectations(comparison, parse(toml));
    apply_gate(comparison, store::must(Gate::parse("any")));
    return comparison;
  }

  std::string updated(const std::string& toml) {
    return store::must(updated_expectations(compare(), parse(toml)));
  }

  static std::vector<std::string> findings(const Comparison& comparison) {
    std::vector<Change> out;
    for (const Change& change : comparison.pairs.at(0).changes) {
      if (change.finding) out.push_back(change);
    }
    return told(out);
  }
};

const char* const kAdd = R"([[expected]]
target = "torch/lazy"
function = "torch.add"
category = "type"
reason = "no Bool yet"
)";

TEST_F(ExpectedTest, AnExpectedFailureIsNoFinding) {
  plan({add_case()});
  before.commit({passes(add_case())});
  after.commit({fails(add_case())});
  const Comparison result = compare_with(kAdd);
  EXPECT_THAT(told(result), ElementsAre("new-failure torch.add/1"));
  EXPECT_THAT(findings(result), IsEmpty());
  EXPECT_EQ(result.findings, 0);
  EXPECT_EQ(result.expectations.matched, 1);
  EXPECT_EQ(result.pairs[0].changes[0].expected_comment, "no Bool yet");
}

TEST_F(ExpectedTest, AnotherCategoryIsAFinding) {
  plan({add_case()});
  before.commit({fails(add_case())});
  after.commit({fails(add_case(), "Could not run it")});
  EXPECT_THAT(findings(compare_with(kAdd)), ElementsAre("category-changed torch.add/1"));
}

TEST_F(ExpectedTest, AnotherTargetOrFunctionIsAFinding) {
  plan({add_case()});
  before.commit({passes(add_case())});
  after.commit({fails(add_case())});
  for (const char* other : {"[[expected]]\ntarget = 'torch/cpu'\nfunction = 'torch.add'\n",
                            "[[expected]]\ntarget = 'torch/lazy'\nfunction = 'torch.ad'\n",
                            "[[expected]]\ntarget = 'torch/lazy'\ncase = 'torch.add/2'\n"}) {
    EXPECT_THAT(findings(compare_with(other)), testing::Contains("new-failure torch.add/1")) << other;
  }
  EXPECT_THAT(findings(compare_with("[[expected]]\ntarget = 'torch/*'\ncase = 'torch.*'\n")), IsEmpty());
}

TEST_F(ExpectedTest, AnUnexpectedPassIsReported) {
  plan({add_case()});
  before.commit({fails(add_case())});
  after.commit({passes(add_case())});
  const Comparison result = compare_with(kAdd);
  EXPECT_THAT(findings(result), ElementsAre("unexpected-pass torch.add"));
  EXPECT_THAT(result.pairs[0].changes[0].detail, HasSubstr("e.toml:1"));
}

TEST_F(ExpectedTest, WhatDidNotRunIsNotJudged) {
  plan({add_case()});
  before.commit({fails(add_case())});
  after.commit({skipped(add_case())});
  const Comparison result = compare_with(kAdd);
  EXPECT_THAT(findings(result), ElementsAre("not-run torch.add/1"));
  EXPECT_EQ(result.expectations.not_judged, 1);
}

TEST_F(ExpectedTest, StaleEntriesAreTold) {
  plan({add_case()});
  after.commit({passes(add_case())});
  const Comparison result = compare_with("[[expected]]\ntarget = 'torch/lazy'\nfunction = 'torch.gone'\n");
  EXPECT_THAT(told(result.of_targets), ElementsAre("stale-expectation torch.gone"));
}

TEST_F(ExpectedTest, ARunOfSomeFunctionsMakesNothingStale) {
  after.info().options = Value(Value::Object{{"functions", Value::Array{"torch.add"}}});
  plan({add_case()});
  after.commit({passes(add_case())});
  const Comparison result = compare_with("[[expected]]\ntarget = 'torch/lazy'\nfunction = 'torch.gone'\n");
  EXPECT_THAT(result.of_targets, IsEmpty());
  EXPECT_EQ(result.expectations.not_judged, 1);
}

TEST_F(ExpectedTest, EntriesOfOtherTargetsAndSuitesAreNotJudged) {
  plan({add_case()});
  after.commit({passes(add_case())});
  EXPECT_THAT(compare_with("[[expected]]\ntarget = 'jax/tpu'\nfunction = 'jax.gone'\n").of_targets,
              IsEmpty());
  EXPECT_THAT(
      compare_with("[[expected]]\ntarget = 'torch/lazy'\nfunction = 'x'\nsuite = 'idioms'\n").of_targets,
      IsEmpty());
}

TEST_F(ExpectedTest, FlakyEntriesMayPass) {
  plan({add_case()});
  before.commit({passes(add_case())});
  after.commit(flaky(add_case()));
  const char* entry = "[[expected]]\ntarget = 'torch/lazy'\ncase = 'torch.add/1'\nflaky = true\n";
  EXPECT_THAT(findings(compare_with(entry)), IsEmpty());
}

// --- bad files

std::string trouble(const std::string& toml) {
  const Result<Expectations> result = Expectations::parse(toml, "e.toml");
  return result ? "no error" : result.error().message();
}

TEST(ExpectedFile, BadFilesNameTheLine) {
  EXPECT_THAT(trouble("[[expected]\n"), HasSubstr("e.toml:1"));
  EXPECT_THAT(trouble("[[expected]]\nfunction = 'f'\n"), HasSubstr("target"));
  EXPECT_THAT(trouble("[[expected]]\ntarget = 't'\n"), HasSubstr("either a function or a case"));
  EXPECT_THAT(trouble("[[expected]]\ntarget = 't'\nfunction = 'f'\ncase = 'c'\n"), HasSubstr("e.toml:4"));
  EXPECT_THAT(trouble("[[expected]]\ntarget = 't'\nfunction = 'f'\ncategory = 'typ'\n"),
              testing::AllOf(HasSubstr("e.toml:4"), HasSubstr("did you mean 'type'")));
  EXPECT_THAT(trouble("[[expected]]\ntarget = 't'\nfunction = 'f'\nraeson = 'x'\n"),
              testing::AllOf(HasSubstr("e.toml:4"), HasSubstr("reason")));
  EXPECT_THAT(trouble("version = 2\n"), HasSubstr("e.toml:1"));
  EXPECT_THAT(trouble("expected = 3\n"), HasSubstr("e.toml:1"));
}

// --- updating

TEST_F(ExpectedTest, AnUpdateWritesEveryFailure) {
  const CaseInfo bad = make_case("torch.sub", "1");
  const CaseInfo good = make_case("torch.sub", "2");
  const CaseInfo shaky = make_case("torch.mul", "1");
  plan({add_case(), bad, good, shaky});
  before.commit({fails(add_case())});
  after.commit({fails(add_case()), fails(bad, "Could not run it"), passes(good)});
  after.commit(flaky(shaky));
  const std::string text = updated("");
  const Expectations written = parse(text);
  ASSERT_EQ(written.entries().size(), 3u);
  EXPECT_EQ(written.entries()[0].function, "torch.add");
  EXPECT_EQ(written.entries()[0].category, Category::kType);
  EXPECT_EQ(written.entries()[1].case_name, "torch.mul/1");
  EXPECT_TRUE(written.entries()[1].flaky);
  EXPECT_EQ(written.entries()[2].case_name, "torch.sub/1");
  EXPECT_EQ(written.entries()[2].category, Category::kNotImplemented);
  EXPECT_EQ(updated(text), text) << "a second update changes nothing";
  EXPECT_EQ(compare_with(text).findings, 0);
}

TEST_F(ExpectedTest, AnUpdateKeepsWhatPeopleWrote) {
  const CaseInfo gone = make_case("torch.mul", "1");
  plan({add_case(), gone});
  after.commit({fails(add_case()), passes(gone)});
  const std::string old = R"(# Ours.

# about multiplication
[[expected]]
target = "torch/lazy"
function = "torch.mul"   # will go
category = "type"

# A paragraph of its own.

# kept: see the issue
[[expected]]
target = 'torch/lazy'    # lazily
function = 'torch.add'
reason = """two
lines"""
category = 'type'        # as ever
# right below

[[expected]]
target = "jax/tpu"
function = "jax.numpy.add"

# the end
)";
  EXPECT_EQ(updated(old), R"(# Ours.

[[expected]]
target = "jax/tpu"
function = "jax.numpy.add"

# A paragraph of its own.

# kept: see the issue
[[expected]]
target = 'torch/lazy'    # lazily
function = 'torch.add'
reason = """two
lines"""
category = 'type'        # as ever
# right below

# the end
)");
}

TEST_F(ExpectedTest, AnUpdateReplacesAChangedCategory) {
  plan({add_case()});
  after.commit({fails(add_case(), "Could not run it")});
  EXPECT_EQ(updated("version = 1\n\n# why\n[[expected]]\ntarget = \"torch/lazy\"\nfunction = \"torch.add\"\n"
                    "category = \"type\" # note\nreason = \"r\"\n"),
            "version = 1\n\n# why\n[[expected]]\ntarget = \"torch/lazy\"\nfunction = \"torch.add\"\n"
            "category = \"not-implemented\" # note\nreason = \"r\"\n");
}

TEST_F(ExpectedTest, HostileNamesSurviveAnUpdate) {
  const CaseInfo evil = make_case("torch.add", "\"\n[[expected]]\\\x01\x7f");
  plan({evil});
  after.commit({fails(evil)});
  after.commit({});
  CaseInfo fine = make_case("torch.add", "2");
  const std::string text = updated("");
  EXPECT_EQ(parse(text).entries().size(), 1u);
  EXPECT_EQ(updated(text), text);
}

TEST_F(ExpectedTest, EntriesInOneLineCannotBeUpdated) {
  plan({add_case()});
  const Expectations inline_ones = parse("expected = [{target = 't', function = 'f'}]\n");
  const Result<std::string> result = updated_expectations(compare(), inline_ones);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is(AnalysisError::kBadData));
  EXPECT_THAT(result.error().message(), HasSubstr("e.toml:1"));
}

// --- the gate

TEST(GateTest, Parses) {
  EXPECT_EQ(Gate::standard().text(), "new-failures,slower");
  EXPECT_EQ(store::must(Gate::parse("slower=1.5, new-failures")).text(), "new-failures,slower=1.5");
  EXPECT_EQ(store::must(Gate::parse("none")).text(), "none");
  EXPECT_EQ(store::must(Gate::parse("drift")).text(), "drift");
  for (const char* bad :
       {"new-failure!", "", "slower=0.5", "slower=x", "dropped=2", "none,dropped", "a,,b"}) {
    const Result<Gate> gate = Gate::parse(bad);
    ASSERT_FALSE(gate) << bad;
    EXPECT_TRUE(gate.error().is(AnalysisError::kBadGate)) << bad;
  }
  EXPECT_THAT(Gate::parse("new-failure").error().remedy(), HasSubstr("new-failures"));
}

TEST_F(ExpectedTest, TheFactorDecides) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1e-3)});
  after.commit({passes(add_case()), timed(add_case(), 1.4e-3)});
  Comparison result = compare();
  for (const auto& [list, count] :
       {std::pair{"slower=1.5", 0}, {"slower=1.3", 1}, {"slower", 1}, {"none", 0}}) {
    apply_gate(result, store::must(Gate::parse(list)));
    EXPECT_EQ(result.findings, count) << list;
  }
}

TEST_F(ExpectedTest, ARatioWithoutAnIntervalIsNoFinding) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 1.0)});
  after.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 50.0)});
  Comparison result = compare();
  EXPECT_THAT(told(result), ElementsAre("slower torch.add/1"));
  apply_gate(result, store::must(Gate::parse("slower")));
  EXPECT_EQ(result.findings, 0);
}

TEST_F(ExpectedTest, AColdRatioOfSeveralProcessesIsAFinding) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 1.00), timed(add_case(), 1e-3, 3, 1.01)});
  after.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 3.00), timed(add_case(), 1e-3, 3, 3.03)});
  Comparison result = compare();
  apply_gate(result, store::must(Gate::parse("slower=2.5")));
  EXPECT_EQ(result.findings, 1);
}

TEST_F(ExpectedTest, DriftCounts) {
  after.info().seed = 3;
  plan({add_case()});
  before.finish();
  after.finish();
  Comparison result = compare();
  apply_gate(result, store::must(Gate::parse("drift")));
  EXPECT_EQ(result.findings, 1);
  EXPECT_TRUE(result.drift_counts);
}

}  // namespace
}  // namespace seamark::analysis
