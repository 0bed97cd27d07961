// `declared` evidence in reports: always under that name, always apart from attempts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/declared.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// What it says, and what it does not.
std::string_view declared_meaning();

// The answer in words: "torch 2.13.0 names a kernel for every operator that its 4 core cases call".
std::string declared_sentence(const DeclaredHead& head, const DeclaredFunction& function);

// Counts per framework and device. Empty where nothing is declared.
std::string declared_section(const std::vector<Declared>& declared, const RenderOptions& options);
// One line per device for one function. Empty where no table has it.
std::string declared_of(const std::vector<Declared>& declared, std::string_view function,
                        const RenderOptions& options);
// Per device the functions without a kernel for every operator, host-only ones left out.
std::string declared_gaps(const std::vector<Declared>& declared, const RenderOptions& options);
// The same as an HTML section.
std::string declared_html(const std::vector<Declared>& declared);

Value declared_value(const std::vector<Declared>& declared);
std::string declared_csv(const std::vector<Declared>& declared);

}  // namespace seamark::report
