// Secrets do not reach the store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/base/fd.h"
#include "seamark/base/secrets.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSecret = "abcdefghijklmnopqrstuvwxyz0123456789";

OpenOptions masking() {
  OpenOptions options;
  options.secrets = std::make_shared<SecretShapes>(must(
      SecretShapes::parse("[[shape]]\nname = 't'\nstarts = ['tok_']\nbytes = 'a-z0-9'\nleast = 8", "t")));
  return options;
}

std::string secret_in(std::string_view where) { return std::string(where) + ": tok_" + std::string(kSecret); }

TEST_F(StoreTest, SecretsOfARunAreMasked) {
  const CaseInfo info = make_case("torch.sum", "a");
  Attempt attempt = make_failure("torch/cpu", info, "Error", secret_in("message"));
  attempt.failure->traceback = secret_in("traceback");
  attempt.capture = secret_in("capture");
  attempt.reason = secret_in("reason");
  attempt.compiled = Value(Value::Object{{"log", secret_in("compiled")}});
  {
    Store store = must(Store::open(path(), OpenMode::kWrite, masking()));
    RunInfo run;
    run.command = secret_in("command");
    RunWriter writer = must(store.begin_run(run));
    RunTarget target = make_target("torch/cpu");
    target.reason = secret_in("target");
    target.facts = Value(Value::Object{{"output", secret_in("facts")}});
    target.environment_lock = Value(Value::Object{{"packages", Value::Array{secret_in("lock")}}});
    ASSERT_OK(writer.add_target(target));
    ASSERT_OK(writer.plan("torch/cpu", std::span(&info, 1)));
    ASSERT_OK(writer.commit(std::span(&attempt, 1)));
    ASSERT_OK(writer.event("worker-failed", Value(Value::Object{{"output", secret_in("event")}})));
    ASSERT_OK(writer.finish(RunState::kFailed, secret_in("end"), 1, {}));
  }
  const std::string bytes = must(read_file(path()));
  EXPECT_THAT(bytes, Not(HasSubstr(kSecret)));
  for (const char* where : {"message", "traceback", "capture", "reason", "compiled", "command", "target",
                            "facts", "lock", "event", "end"}) {
    EXPECT_THAT(bytes, HasSubstr(std::string(where) + ": tok_[masked]"));
  }
}

// What an earlier Seamark exported with a secret in it is the run that is there.
TEST_F(StoreTest, AnExportFromBeforeItsSecretsWereMaskedIsTheSameRun) {
  const CaseInfo info = make_case("torch.sum", "a");
  RunBundle bundle;
  bundle.info.uuid = "aaaa";
  bundle.info.options = Value(Value::Object{{"imported", true}});
  bundle.exported = true;
  bundle.targets = {make_target("torch/cpu")};
  bundle.plan = {{"torch/cpu", info}};
  bundle.attempts = {make_failure("torch/cpu", info, "Error", secret_in("message"))};
  Store store = must(Store::open(path(), OpenMode::kWrite, masking()));
  EXPECT_EQ(must(store.save_runs(std::span(&bundle, 1)))[0].added, 1);
  const SavedRun again = must(store.save_runs(std::span(&bundle, 1)))[0];
  EXPECT_EQ(again.conflict, "");
  EXPECT_EQ(again.known, 1);
}

}  // namespace
}  // namespace seamark::store
