#include "seamark/catalog/gather.h"

#include <fmt/format.h>

#include <string>

#include "seamark/catalog/rows.h"

namespace seamark::catalog {

Result<Catalogue> gather(const agent::AgentProgram& program, const Rules& rules, std::int64_t now_unix_us) {
  const Result<std::string> lines = agent::catalog_rows(program, rules.document);
  if (!lines) return lines.error();
  Result<Catalogue> catalogue = decode_rows(*lines);
  if (!catalogue) return catalogue.error().within(program.interpreter);
  if (catalogue->head.framework != rules.framework) {
    return Error(CatalogError::kBadRow,
                 fmt::format("{} answered for {} when asked for {}", program.interpreter,
                             catalogue->head.framework, rules.framework));
  }
  catalogue->head.taken_unix_us = now_unix_us;
  return catalogue;
}

}  // namespace seamark::catalog
