// `declared` evidence in reports: always under that name, always apart from attempts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/base/value.h"
#include "seamark/model/declared.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

// What it says, and what it does not.
std::string_view declared_meaning();

// The answer in words: "torch 2.13.0 names a kernel for every operator that its 4 core cases call".
std::string declared_sentence(const DeclaredHead& head, const DeclaredFunction& function);

// Counts per framework and device, then the functions without a kernel for every operator, host-only ones
// left out. Without blocks where nothing is declared.
Section declared_section(const std::vector<Declared>& declared);
// That of a report: with how often a target's data types were other than declared.
Section declared_section(const analysis::Summary& summary);
// One line per device for one function. Without blocks where no table has it.
Section declared_of(const std::vector<Declared>& declared, std::string_view function);

const DeclaredFunction* find_declared(const Declared& declared, std::string_view function);

// With a summary also what its targets bear out.
Value declared_value(const std::vector<Declared>& declared, const analysis::Summary* summary = nullptr);
std::string declared_csv(const std::vector<Declared>& declared);

}  // namespace seamark::report
