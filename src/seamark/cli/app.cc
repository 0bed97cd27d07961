#include "seamark/cli/app.h"

#include "seamark/cli/exit_codes.h"

namespace seamark::cli {

int run_app(int, const char* const*) { return static_cast<int>(ExitCode::kUsage); }

}  // namespace seamark::cli
