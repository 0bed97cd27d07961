// How the verbs that write a store open it.
#pragma once

#include <filesystem>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/store/store.h"

namespace seamark::cli {

// What is stored has its secrets masked (data/secrets.toml). Says on stderr, in one line and before it
// happens, that a store of an older schema is migrated.
Result<store::Store> open_for_writing(const Context& context, const std::filesystem::path& file);

}  // namespace seamark::cli
