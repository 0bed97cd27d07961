// A catalogue as JSON lines: what the agent prints, what `seamark catalog --format jsonl` writes and what
// `--diff` reads (docs/catalog.md). Untrusted.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/catalog/catalog_error.h"
#include "seamark/model/catalogue.h"

namespace seamark::catalog {

// kBadRow names the line. A catalogue without its `end` row, or with another number of functions than it
// says, is not whole. The functions come out sorted by name, each name once.
Result<Catalogue> decode_rows(std::string_view lines);

[[nodiscard]] std::string encode_rows(const Catalogue& catalogue);

// One function, with its `row` key.
[[nodiscard]] Value function_row(const CatalogueFunction& function);

}  // namespace seamark::catalog
