// The verbs. Each is a file, cmd_NAME.cc, and its line here, in the order of the help.
#pragma once

#include <span>

#include "seamark/cli/options.h"

#define SEAMARK_VERBS(VERB) \
  VERB(targets)             \
  VERB(install)             \
  VERB(catalog)             \
  VERB(usage)               \
  VERB(sample)              \
  VERB(run)                 \
  VERB(report)              \
  VERB(show)                \
  VERB(compare)             \
  VERB(audit)               \
  VERB(export)              \
  VERB(import)              \
  VERB(merge)               \
  VERB(explain)             \
  VERB(trust)

namespace seamark::cli {

#define SEAMARK_DECLARE(name) Verb name##_verb();
SEAMARK_VERBS(SEAMARK_DECLARE)
#undef SEAMARK_DECLARE

[[nodiscard]] std::span<const Verb> verbs();

}  // namespace seamark::cli
