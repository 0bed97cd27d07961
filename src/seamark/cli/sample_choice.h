// The functions of a sample among the cases of the suites.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/model/case_info.h"
#include "seamark/model/sample.h"
#include "seamark/store/store.h"

namespace seamark::cli {

class SampleChoice {
 public:
  // `what`: a name, the beginning of an id, or empty for the latest. The store's catalogues say which names
  // mean the same function; without one, names must be equal.
  static Result<SampleChoice> load(store::Store& store, std::string_view what);
  SampleChoice(Sample sample, std::vector<Catalogue> catalogues);
  SampleChoice(SampleChoice&&) noexcept;
  SampleChoice& operator=(SampleChoice&&) = delete;
  ~SampleChoice();

  [[nodiscard]] std::string title() const;  // "autumn (0123456789abcdef)"

  // The sampled function that a case's function is; empty: none.
  [[nodiscard]] std::string sampled_name(std::string_view framework, std::string_view function) const;
  // Only cases of sampled functions, in order.
  [[nodiscard]] std::vector<CaseInfo> choose(std::span<const CaseInfo> cases) const;
  // Sampled functions of the framework, in the sample's order, of which there is no case here; replaced ones
  // are left out: they are not expected to have one.
  [[nodiscard]] std::vector<std::string> without_case(std::string_view framework,
                                                      std::span<const CaseInfo> chosen) const;

  // Into a store of another machine: the sample, and the catalogues that it is chosen by.
  Status save(store::Store& into) const;

  // For RunInfo::options: {"id", "name", "names": {case's function: sampled function} where they differ}.
  [[nodiscard]] Value to_value(std::span<const CaseInfo> chosen) const;

 private:
  struct Framework;  // its sampled names, and what its catalogue makes of others

  Sample sample_;
  std::map<std::string, std::unique_ptr<Framework>, std::less<>> frameworks_;
};

}  // namespace seamark::cli
