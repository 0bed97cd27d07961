// `seamark compare` where a side is a published study.
#pragma once

#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/cli/compare_command.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

// The later side: the settings' store where `store` is empty.
struct StudyRequest {
  std::string study;
  std::string store;
  std::string run;                  // latest, all or an id
  std::string target;               // that the side names; empty: none
  std::vector<std::string> within;  // the targets of the version that it names; empty: all
  std::string label;                // of the side, as written
};

Result<ExitCode> compare_with_study(const Context& context, const CompareCommand& command,
                                    const StudyRequest& request);

}  // namespace seamark::cli
