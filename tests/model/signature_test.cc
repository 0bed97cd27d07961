#include "seamark/model/signature.h"

#include <gtest/gtest.h>

namespace seamark {
namespace {

TEST(SignatureTest, WhatVariesByChanceIsReplaced) {
  EXPECT_EQ(normalize_message("at 0x7f3a12bc00"), "at #");
  EXPECT_EQ(normalize_message("size 12 and -3.5e-07, 1E+3"), "size # and #, #");
  EXPECT_EQ(normalize_message("File \"/tmp/tmpa1b2/x.py\", line 12"), "File \"<path>\", line #");
  EXPECT_EQ(normalize_message("cannot open ./a/b.so."), "cannot open <path>.");
  EXPECT_EQ(normalize_message("  a \n\t b  "), "a b");
  EXPECT_EQ(normalize_message("id deadbeef01 gone"), "id # gone");
  EXPECT_EQ(normalize_message("cuda:0 __inference_f_57"), "cuda:# __inference_f_#");
  EXPECT_EQ(normalize_message("[1.5, 2.25]"), "[#, #]");
}

// TensorFlow quotes the stack of its caller, which differs between a fork and a worker that lives on.
TEST(SignatureTest, LinesOfAStackAreLeftOut) {
  const std::string alone =
      "no kernel\nThe op is created at:\nFile \"a/w.py\", line 3, in _run\nFile \"b.py\", line 4, in "
      "f\n\tfailed";
  const std::string forked =
      "no kernel\nThe op is created at:\nFile \"a/w.py\", line 9, in _run\nFile \"a/w.py\", line 12, in "
      "_child\n"
      "File \"b.py\", line 4, in f\n\tfailed";
  EXPECT_EQ(normalize_message(alone), "no kernel The op is created at: failed");
  EXPECT_EQ(normalize_message(forked), normalize_message(alone));
  EXPECT_EQ(normalize_message("bad\n  File \"x.py\", line 1, in g"), "bad");
  EXPECT_EQ(normalize_message("File \"x\" is missing, in part"), "File \"x\" is missing, in part");
  EXPECT_EQ(normalize_message("File \"x"), "File \"x");
}

TEST(SignatureTest, WhatNamesAThingStays) {
  for (const char* text : {"float32", "int8 and bfloat16", "torch.float8_e4m3fn", "sm90a", "f32/f64",
                           "LuDecomposition", "a / b", "defaced", "conv2d"}) {
    EXPECT_EQ(normalize_message(text), text);
  }
}

TEST(SignatureTest, DependsOnFunctionStageTypeAndMessage) {
  const std::string base = signature_of("f", "call", "E", "no kernel 1");
  EXPECT_EQ(base.size(), 16u);
  EXPECT_EQ(base, signature_of("f", "call", "E", "no kernel 22"));
  EXPECT_NE(base, signature_of("g", "call", "E", "no kernel 1"));
  EXPECT_NE(base, signature_of("f", "setup", "E", "no kernel 1"));
  EXPECT_NE(base, signature_of("f", "call", "F", "no kernel 1"));
  EXPECT_NE(base, signature_of("f", "call", "E", "no kernels 1"));
  EXPECT_NE(signature_of("ab", "c", "", ""), signature_of("a", "bc", "", ""));
}

TEST(SignatureTest, IsTheSameInEveryVersion) {
  // Persisted: stores compare signatures of different runs.
  EXPECT_EQ(signature_of("torch.f", "call", "RuntimeError", "no kernel for 3"), "2996836fdb9cd4b1");
}

TEST(SignatureTest, AnyBytesAreTaken) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_LE(normalize_message(all).size(), all.size() + 16);
  EXPECT_EQ(normalize_message(""), "");
  EXPECT_EQ(normalize_message("/"), "/");
  EXPECT_EQ(normalize_message("0x"), "#x");
}

}  // namespace
}  // namespace seamark
