#include "seamark/base/interned_string.h"

#include <gtest/gtest.h>

#include "seamark/base/copy_on_write.h"
#include "seamark/base/heap_optional.h"

namespace seamark {
namespace {

TEST(InternedString, ReadsLikeAString) {
  InternedString text;
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text, "");
  text = "Could not run";
  const std::string& same = text;
  EXPECT_EQ(same, "Could not run");
  EXPECT_EQ(text, std::string_view("Could not run"));
  EXPECT_TRUE(text.starts_with("Could"));
  const InternedString copy = text;
  text = "";
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(copy, "Could not run");
}

TEST(InternedString, APoolKeepsEqualTextsOnce) {
  StringInterner pool(2);
  const InternedString a = pool.share("one");
  EXPECT_EQ(&a.get(), &pool.share("one").get());
  EXPECT_TRUE(pool.share("").empty());
  const InternedString b = pool.share("two");
  const InternedString c = pool.share("three");  // beyond what it keeps
  EXPECT_EQ(c, "three");
  EXPECT_NE(&c.get(), &pool.share("three").get());
  EXPECT_EQ(&b.get(), &pool.share("two").get());
}

TEST(HeapOptional, IsAnOptional) {
  HeapOptional<std::string> none;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(none, std::nullopt);
  EXPECT_THROW((void)none.value(), std::bad_optional_access);
  HeapOptional<std::string> some = std::string("here");
  HeapOptional<std::string> copy = some;
  copy->append(" too");
  EXPECT_EQ(*some, "here");
  EXPECT_EQ(copy.value(), "here too");
  some = std::nullopt;
  EXPECT_FALSE(some);
  const std::optional<std::string> out = copy;
  EXPECT_EQ(out, "here too");
}

struct TwoThings {
  int first = 7;
  std::string second;
};

TEST(Shared, ReadsAsAPlainValueWhereThereIsNone) {
  const CopyOnWrite<TwoThings> none;
  EXPECT_EQ(none->first, 7);
  EXPECT_EQ((*none).second, "");
}

TEST(Shared, CopiesShareUntilOneIsEdited) {
  CopyOnWrite<TwoThings> one(TwoThings{1, "one"});
  CopyOnWrite<TwoThings> other = one;
  EXPECT_EQ(&*one, &*other);
  other.edit().second = "other";
  EXPECT_EQ(one->second, "one");
  EXPECT_EQ(other->second, "other");
  EXPECT_EQ(other->first, 1);
  const TwoThings* before = &*other;
  other.edit().first = 2;  // nobody else has it
  EXPECT_EQ(&*other, before);
  CopyOnWrite<TwoThings> fresh;
  fresh.edit().first = 3;
  EXPECT_EQ(fresh->first, 3);
  EXPECT_EQ(CopyOnWrite<TwoThings>()->first, 7);
}

}  // namespace
}  // namespace seamark
