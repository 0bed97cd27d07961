// What a category means and which category an error has, for `seamark explain`.
#pragma once

#include <string_view>

#include "seamark/classify/explain.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

// `what` as typed: nothing (the list of categories), a category, a rule's id, else an error text. `framework`
// empty: rules of all.
[[nodiscard]] Document explain_document(const classify::RuleSet& rules,
                                        const classify::Explanations& explanations, const Frameworks& known,
                                        std::string_view what, std::string_view framework);

}  // namespace seamark::report
