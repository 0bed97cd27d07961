// Compiled for processors with BMI2 (see CMakeLists.txt), and called on no others: a shift by a variable is
// one instruction there, not three. Nothing of the standard library may be made here: the linker could give
// it to everyone.
#include "seamark/usage/inflate.h"

#ifdef __BMI2__

#include "seamark/usage/inflate_body.h"

namespace seamark::usage {
namespace {

InflateStop with_bmi2(InflateCursor& cursor, const InflateTables& tables) {
  return inflate_codes(cursor, tables);
}

}  // namespace

InflateCodes bmi2_inflate_codes() { return __builtin_cpu_supports("bmi2") ? &with_bmi2 : nullptr; }

}  // namespace seamark::usage

#else

namespace seamark::usage {

InflateCodes bmi2_inflate_codes() { return nullptr; }

}  // namespace seamark::usage

#endif
