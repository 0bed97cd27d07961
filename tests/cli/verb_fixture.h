// A store that the test makes, and the executable over it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../store/store_fixture.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {

class VerbTest : public store::StoreTest {
 protected:
  [[nodiscard]] static proc::CommandResult seamark(const std::vector<std::string>& words) {
    proc::CommandOptions command;
    command.spawn.argv = {SEAMARK_BINARY, "--no-config"};
    command.spawn.argv.insert(command.spawn.argv.end(), words.begin(), words.end());
    command.spawn.environment = {{"SEAMARK_HOME", SEAMARK_SOURCE_DIR}, {"FORCE_COLOR", std::nullopt}};
    command.timeout_s = 100;
    return store::must(proc::run_command(command));
  }
};

}  // namespace seamark::cli
