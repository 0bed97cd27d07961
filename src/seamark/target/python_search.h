// Finds and questions Python interpreters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/proc/signals.h"
#include "seamark/target/recipe.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

struct PythonFacts {
  std::string executable;      // as it names itself
  std::string version;         // 3.11.2
  std::string implementation;  // cpython
  bool has_venv = false;       // venv and ensurepip can be imported
  bool has_headers = false;    // Python.h of this interpreter is there
  bool is_venv = false;
};

// Starts it once. kNoPython: no such program, or it does not answer as a Python does. An interrupt ends it:
// kInterrupted.
Result<PythonFacts> question_python(const std::string& interpreter, proc::Signals* signals = nullptr);

// The interpreter of Seamark itself: $SEAMARK_PYTHON, the environment that Seamark is installed into, else
// python3.
[[nodiscard]] std::string seamark_python();

// "3.11.2" -> "3.11".
[[nodiscard]] std::string minor_of(std::string_view version);

// The first program of this name on PATH, absolute; nullopt when there is none. A name with '/' is
// checked itself.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

// An interpreter that a recipe can build on: one of its Pythons, with venv and ensurepip, with headers
// where the recipe prefers that. kNoPython names all that were tried and why each will not do.
// kInterrupted as above.
Result<PythonFacts> python_for(const Recipe& recipe, proc::Signals* signals = nullptr);

}  // namespace seamark::target
