// The frameworks that ship, for tests.
#pragma once

#include "seamark/model/frameworks.h"

namespace seamark {

inline Frameworks known_frameworks() {
  return Frameworks::load(SEAMARK_SOURCE_DIR "/data/frameworks.toml").value();
}

}  // namespace seamark
