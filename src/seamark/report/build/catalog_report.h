// Catalogues, their differences and their coverage, for `seamark catalog`.
#pragma once

#include <string>
#include <vector>

#include "seamark/catalog/coverage.h"
#include "seamark/catalog/diff.h"
#include "seamark/catalog/rules.h"
#include "seamark/model/catalogue.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

struct WalkedCatalogue {
  Catalogue catalogue;
  catalog::Rules rules;
};

struct CoveredCatalogue {
  catalog::Coverage coverage;
  std::string frozen;                   // frozen_note()
  std::vector<std::string> not_listed;  // suites that could not be listed, with the reason
  std::string usage;                    // whose calls weigh
};

// Empty: as frozen. Else in what it differs, or that this version is not frozen.
[[nodiscard]] std::string frozen_note(const Catalogue& catalogue, const catalog::Rules& rules);

[[nodiscard]] Document catalogue_document(const std::vector<WalkedCatalogue>& walked);
[[nodiscard]] Document diff_document(const catalog::CatalogueDiff& diff, const CatalogueHead& before,
                                     const CatalogueHead& after);
[[nodiscard]] Document coverage_document(const std::vector<CoveredCatalogue>& covered);

// As documents, JSON and CSV (catalog_data.cc).
[[nodiscard]] std::string render_catalogues(Format format, const std::vector<WalkedCatalogue>& walked,
                                            const RenderOptions& options);
[[nodiscard]] std::string render_diff(Format format, const catalog::CatalogueDiff& diff,
                                      const CatalogueHead& before, const CatalogueHead& after,
                                      const RenderOptions& options);
[[nodiscard]] std::string render_coverage(Format format, const std::vector<CoveredCatalogue>& covered,
                                          const RenderOptions& options);

}  // namespace seamark::report
