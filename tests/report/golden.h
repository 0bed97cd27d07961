// Compares a text with a file of tests/golden/report.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "seamark/base/fd.h"

namespace seamark::report {

// SEAMARK_UPDATE_GOLDEN writes the file anew.
inline void expect_golden(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(SEAMARK_SOURCE_DIR) / "tests/golden/report" / name;
  if (std::getenv("SEAMARK_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(file, text).ok());
  }
  const Result<std::string> golden = read_file(file);
  ASSERT_TRUE(golden.ok()) << golden.error().message();
  EXPECT_EQ(text, *golden) << file << ": if the change is meant, set SEAMARK_UPDATE_GOLDEN=1";
}

}  // namespace seamark::report
