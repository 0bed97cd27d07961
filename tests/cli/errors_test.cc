#include "seamark/cli/errors.h"

#include <gtest/gtest.h>

#include "seamark/base/config.h"
#include "seamark/interop/export.h"
#include "seamark/run/plan.h"
#include "seamark/store/store.h"
#include "seamark/target/target_error.h"
#include "seamark/usage/usage_error.h"

namespace seamark::cli {
namespace {

TEST(ExitCodes, AreTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::kDone), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kFindings), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kEnvironment), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kNothingRan), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
}

TEST(ExitCodes, OfErrors) {
  EXPECT_EQ(exit_code_of(Error(CliError::kUsage, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(CliError::kNothing, "")), ExitCode::kNothingRan);
  EXPECT_EQ(exit_code_of(Error(CliError::kOutput, "")), ExitCode::kEnvironment);
  EXPECT_EQ(exit_code_of(Error(usage::UsageError::kNotFound, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(usage::UsageError::kUnknownKind, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(usage::UsageError::kLost, "")), ExitCode::kEnvironment);
  EXPECT_EQ(exit_code_of(Error(usage::UsageError::kHelper, "")), ExitCode::kEnvironment);
  EXPECT_EQ(exit_code_of(Error(ConfigError::kBadField, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(target::TargetError::kUnknownTarget, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(target::TargetError::kRefused, "")), ExitCode::kEnvironment);
  EXPECT_EQ(exit_code_of(Error(target::TargetError::kInterrupted, "")), ExitCode::kInterrupted);
  EXPECT_EQ(exit_code_of(Error(store::StoreError::kNoSuchRun, "")), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(Error(store::StoreError::kDiskFull, "")), ExitCode::kEnvironment);
  EXPECT_EQ(exit_code_of(Error(run::RunError::kSystem, "")), ExitCode::kEnvironment);
}

TEST(ErrorText, SaysWhatHappenedAndWhatToDo) {
  const Error error(CliError::kUsage, "it broke\nbadly", "mend it");
  EXPECT_EQ(error_text(error, false), "seamark: it broke\nbadly\n  mend it\n");
  EXPECT_EQ(error_text(Error(CliError::kUsage, "a\x1b[31mb"), false), "seamark: ab\n");
}

}  // namespace
}  // namespace seamark::cli
