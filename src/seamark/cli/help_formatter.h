// How `--help` looks: the same for every version of CLI11.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace seamark::cli {

[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace seamark::cli
