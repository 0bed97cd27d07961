#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Declared some(const std::string& device, const std::string& version = "2.13.0", std::int64_t taken_us = 7) {
  Declared declared;
  declared.head = {.framework = "torch",
                   .version = version,
                   .device = device,
                   .family = "mps",
                   .package = "torch",
                   .package_version = version,
                   .source = "native_functions.yaml",
                   .note = {},
                   .taken_unix_us = taken_us};
  declared.functions.push_back({.name = "torch.add",
                                .state = DeclaredState::kNamed,
                                .host_only = false,
                                .cases = 4,
                                .named = 4,
                                .operators = {"aten::add.Tensor"},
                                .missing = {},
                                .dtypes = {"f32", "f64"},
                                .dtypes_missing = {"f64"},
                                .note = {}});
  declared.functions.push_back({.name = "torch.linalg.eig",
                                .state = DeclaredState::kMissing,
                                .host_only = true,
                                .cases = 2,
                                .named = 0,
                                .operators = {"aten::detach", "aten::linalg_eig"},
                                .missing = {"aten::linalg_eig"},
                                .dtypes = {},
                                .dtypes_missing = {},
                                .note = "a note"});
  return declared;
}

TEST_F(StoreTest, DeclaredEvidenceComesBackAsItWentIn) {
  {
    Store store = open();
    const std::array<Declared, 2> both = {some("CUDA"), some("MPS")};
    ASSERT_OK(store.save_declared(both));
  }
  Store store = open(OpenMode::kRead);
  const std::vector<Declared> all = must(store.declared());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].head.device, "MPS");
  EXPECT_EQ(all[1].head.source, "native_functions.yaml");
  EXPECT_EQ(all[1].head.taken_unix_us, 7);
  ASSERT_EQ(all[1].functions.size(), 2U);
  EXPECT_THAT(all[1].functions[0].dtypes, ElementsAre("f32", "f64"));
  EXPECT_THAT(all[1].functions[0].dtypes_missing, ElementsAre("f64"));
  EXPECT_THAT(all[1].functions[1].dtypes, IsEmpty());
  const DeclaredFunction& eig = all[1].functions[1];
  EXPECT_EQ(eig.state, DeclaredState::kMissing);
  EXPECT_TRUE(eig.host_only);
  EXPECT_EQ(eig.cases, 2);
  EXPECT_EQ(eig.named, 0);
  EXPECT_THAT(eig.operators, ElementsAre("aten::detach", "aten::linalg_eig"));
  EXPECT_THAT(eig.missing, ElementsAre("aten::linalg_eig"));
  EXPECT_EQ(eig.note, "a note");
  const std::vector<Declared> one = must(store.declared("torch.add"));
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(one[0].functions.size(), 1U);
  EXPECT_EQ(one[0].functions[0].named, 4);
}

TEST_F(StoreTest, DeclaredEvidenceReplacesThatOfItsVersionAndDeviceOnly) {
  Store store = open();
  const std::array<Declared, 3> first = {some("CUDA"), some("MPS"), some("MPS", "2.14.0")};
  ASSERT_OK(store.save_declared(first));
  std::array<Declared, 1> again = {some("MPS", "2.13.0", 9)};
  again[0].functions.pop_back();
  ASSERT_OK(store.save_declared(again));
  const std::vector<Declared> all = must(store.declared());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].head.taken_unix_us, 9);  // the last taken first
  EXPECT_EQ(all[0].functions.size(), 1U);
  EXPECT_EQ(all[1].functions.size(), 2U);
  EXPECT_EQ(all[2].functions.size(), 2U);
}

TEST_F(StoreTest, DeclaredEvidenceIsSavedWholeOrNotAtAll) {
  Store store = open();
  const std::array<Declared, 1> good = {some("CUDA")};
  ASSERT_OK(store.save_declared(good));
  std::array<Declared, 2> bad = {some("CUDA", "2.13.0", 9), some("MPS")};
  bad[1].functions.push_back(bad[1].functions.front());  // a name twice
  EXPECT_FALSE(store.save_declared(bad).ok());
  const std::vector<Declared> all = must(store.declared());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].head.taken_unix_us, 7);
}

TEST_F(StoreTest, AStateThatNobodyKnowsIsCorrupt) {
  {
    Store store = open();
    const std::array<Declared, 1> good = {some("CUDA")};
    ASSERT_OK(store.save_declared(good));
  }
  {
    std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(connection->execute("UPDATE declared_functions SET state = 99"));
  }
  Store store = open(OpenMode::kRead);
  const auto all = store.declared();
  ASSERT_FALSE(all.ok());
  EXPECT_TRUE(all.error().is(StoreError::kCorrupt));
  EXPECT_THAT(all.error().message(), HasSubstr("declared state"));
}

TEST_F(StoreTest, AStoreOfVersion2IsBroughtForwardWithItsRows) {
  {
    std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(migrate(*connection, migrations(2)));
    ASSERT_OK(connection->execute("INSERT INTO functions(framework, name) VALUES ('torch', 'torch.sum')"));
    ASSERT_EQ(must(connection->integer("PRAGMA user_version")), 2);
  }
  {
    Store store = open(OpenMode::kRead);
    EXPECT_THAT(must(store.declared()), IsEmpty());
  }
  Store store = open();
  const std::array<Declared, 1> good = {some("CUDA")};
  ASSERT_OK(store.save_declared(good));
  std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kRead, 1000));
  EXPECT_EQ(must(connection->integer("PRAGMA user_version")), schema_version());
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM functions")), 1);
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM enums WHERE kind = 'declared_state'")),
            kLastDeclaredState);
}

}  // namespace
}  // namespace seamark::store
