// The whole program but main(): parses, runs one verb, translates errors into exit codes.
#pragma once

namespace seamark::cli {

int run_app(int argc, const char* const* argv);

}  // namespace seamark::cli
