#include "seamark/cli/verbs.h"

namespace seamark::cli {

std::span<const Verb> verbs() {
#define SEAMARK_CALL(name) name##_verb(),
  static const Verb kVerbs[] = {SEAMARK_VERBS(SEAMARK_CALL)};
#undef SEAMARK_CALL
  return kVerbs;
}

}  // namespace seamark::cli
