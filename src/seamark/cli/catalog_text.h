// What `seamark catalog` prints: catalogues, their differences, their coverage.
#pragma once

#include <string>
#include <vector>

#include "seamark/catalog/coverage.h"
#include "seamark/catalog/diff.h"
#include "seamark/catalog/rules.h"
#include "seamark/model/catalogue.h"
#include "seamark/report/render_options.h"

namespace seamark::cli {

struct WalkedCatalogue {
  Catalogue catalogue;
  catalog::Rules rules;
};

// Empty: as frozen. Else in what it differs, or that this version is not frozen.
[[nodiscard]] std::string frozen_note(const Catalogue& catalogue, const catalog::Rules& rules);

[[nodiscard]] std::string catalogue_text(const std::vector<WalkedCatalogue>& walked,
                                         const report::RenderOptions& options);
[[nodiscard]] std::string catalogue_json(const std::vector<WalkedCatalogue>& walked);
[[nodiscard]] std::string catalogue_csv(const std::vector<WalkedCatalogue>& walked);

[[nodiscard]] std::string diff_text(const CatalogueHead& before, const CatalogueHead& after,
                                    const catalog::CatalogueDiff& diff, const report::RenderOptions& options);
[[nodiscard]] std::string diff_json(const CatalogueHead& before, const CatalogueHead& after,
                                    const catalog::CatalogueDiff& diff);
[[nodiscard]] std::string diff_csv(const catalog::CatalogueDiff& diff);

struct CoveredCatalogue {
  catalog::Coverage coverage;
  std::string frozen;                   // frozen_note()
  std::vector<std::string> not_listed;  // suites that could not be listed, with the reason
};

[[nodiscard]] std::string coverage_text(const std::vector<CoveredCatalogue>& covered,
                                        const report::RenderOptions& options);
[[nodiscard]] std::string coverage_json(const std::vector<CoveredCatalogue>& covered);
[[nodiscard]] std::string coverage_csv(const std::vector<CoveredCatalogue>& covered);

}  // namespace seamark::cli
