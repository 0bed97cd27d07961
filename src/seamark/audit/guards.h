// What keeps a rule from holding: the code asks first whether the device, the version or the name is there.
#pragma once

#include "seamark/audit/rule.h"
#include "seamark/audit/syntax.h"

namespace seamark::audit {

// Whether a match stands in a `try` that catches its failure, in a branch that is taken only where what it
// uses is there, in a function that is skipped elsewhere, or behind a return of elsewhere. A branch without
// another one leaves out what is silently wrong: against that it is no guard.
[[nodiscard]] bool is_guarded(const Syntax& syntax, const Match& match, Effect effect);

}  // namespace seamark::audit
