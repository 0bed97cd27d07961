// Catalogues in files, as `seamark catalog --format jsonl` writes them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"

namespace seamark::cli {

// kUsage: a file that cannot be read or is no catalogue.
Result<Catalogue> read_catalogue(const std::string& file);
// The same; two of one framework are kUsage too.
Result<std::vector<Catalogue>> read_catalogues(std::span<const std::string> files);

}  // namespace seamark::cli
