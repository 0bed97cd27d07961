// Every exit code there is (docs/exit-codes.md). A format never changes them.
#pragma once

namespace seamark::cli {

enum class ExitCode : int {
  kDone = 0,
  kFindings = 1,     // a finding of `compare` or `audit`
  kUsage = 2,        // the command line, a config or a name in it is wrong
  kEnvironment = 3,  // an environment, a store or the system is at fault, or the run is incomplete
  kNothingRan = 4,   // there was nothing to do, or no target is usable
  kInterrupted = 130,
};

}  // namespace seamark::cli
