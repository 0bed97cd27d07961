// What keeps a rule from holding: the code asks first whether the device, the version or the name is there.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "seamark/audit/rule.h"
#include "seamark/audit/syntax.h"

namespace seamark::audit {

// What was found of one file for one rule: each is asked once.
struct GuardsKnown {
  std::vector<std::uint8_t> called;                // by block, of a function: 0 not asked, 1 no, 2 yes
  std::unordered_map<std::uint32_t, bool> filled;  // by the token that binds a name first
};

// Whether a match stands in a `try` that catches its failure, in a branch that is taken only where what it
// uses is there, in a function that is skipped elsewhere, behind a return of elsewhere, or beside a branch
// for the rule's framework. A branch without another one leaves out what is silently wrong: against that it
// is no guard.
[[nodiscard]] bool is_guarded(const Syntax& syntax, const Match& match, const Rule& rule, GuardsKnown& known);

// The same of calls that begin at these places of the text, as of a rule whose effect is that something
// fails.
[[nodiscard]] std::vector<bool> guarded_calls(const Syntax& syntax, std::span<const std::uint32_t> begins);

}  // namespace seamark::audit
