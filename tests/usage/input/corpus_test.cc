#include "seamark/usage/input/corpus.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "corpus_fixture.h"
#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/parquet_reader.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Corpus : public testing::Test {
 protected:
  Corpus() : temp_(TempDir::make("corpus").value()), root_(fs::canonical(temp_.path())) {}

  fs::path write(const fs::path& name, std::string_view bytes) {
    const fs::path path = root_ / name;
    EXPECT_TRUE(make_directories(path.parent_path()).ok());
    EXPECT_TRUE(write_file(path, bytes).ok());
    return path;
  }

  std::vector<Shard> find(const fs::path& input) {
    const std::vector<std::string> inputs = {input.string()};
    const Result<std::vector<Shard>> shards = find_shards(inputs, options_);
    EXPECT_TRUE(shards.ok()) << shards.error().message();
    return shards.ok() ? *shards : std::vector<Shard>();
  }
  Error refuse(const fs::path& input) {
    const std::vector<std::string> inputs = {input.string()};
    const Result<std::vector<Shard>> shards = find_shards(inputs, options_);
    EXPECT_FALSE(shards.ok());
    return shards.error();
  }
  ShardRead read(const std::vector<Shard>& shards) {
    ShardRead sum;
    for (const Shard& shard : shards) {
      const Result<ShardRead> one = read_shard(shard, options_, sink_);
      EXPECT_TRUE(one.ok()) << one.error().message();
      if (!one) continue;
      sum.files += one->files;
      sum.bytes += one->bytes;
      sum.candidates += one->candidates;
      sum.losses += one->losses;
      sum.repaired += one->repaired;
    }
    return sum;
  }

  TempDir temp_;
  fs::path root_;
  CorpusOptions options_ = with_needles();
  KeepingSink sink_;
};

TEST_F(Corpus, KindsAreSeenInNameAndFirstBytes) {
  const std::string line = json_line("import torch");
  const std::pair<const char*, std::string> files[] = {
      {"a.jsonl", line},       {"a.json", line},       {"a", line},
      {"a.json.gz", gz(line)}, {"a.bin", gz(line)},    {"a.zst", zst(line)},
      {"empty.jsonl", ""},     {"garbage.jsonl", "x"}, {"mark.json", "\xef\xbb\xbf " + line}};
  for (const auto& [name, bytes] : files) {
    const std::vector<Shard> shards = find(write(name, bytes));
    ASSERT_THAT(shards, SizeIs(1)) << name;
    EXPECT_EQ(shards[0].kind, InputKind::kJsonl) << name;
    EXPECT_EQ(shards[0].bytes, bytes.size());
    EXPECT_EQ(shards[0].identity.size(), 16u);
  }
  EXPECT_EQ(find(write("a.parquet", "PAR1...")).at(0).kind, InputKind::kParquet);
  EXPECT_EQ(find(write("part-0", "PAR1...")).at(0).kind, InputKind::kParquet);
  EXPECT_EQ(find(write("a.py", "{x}")).at(0).kind, InputKind::kFiles);
  EXPECT_EQ(find(write("A.IPYNB", "{}")).at(0).kind, InputKind::kFiles);
}

TEST_F(Corpus, WhatIsNoneSaysWhatToDo) {
  EXPECT_THAT(refuse(write("a.tar.gz", gz("x"))).remedy(), HasSubstr("unpack it"));
  EXPECT_THAT(refuse(write("b.zip", "PK\x03\x04xx")).message(), HasSubstr("archive"));
  EXPECT_THAT(refuse(write("c.json", " [{}]")).remedy(), HasSubstr("jq"));
  EXPECT_THAT(refuse(write("d.bz2", "BZh9")).remedy(), HasSubstr("bzcat"));
  EXPECT_THAT(refuse(write("e.txt", "hello")).remedy(), HasSubstr("--kind"));
  for (const char* name : {"a.tar.gz", "b.zip", "c.json", "d.bz2", "e.txt"}) {
    EXPECT_TRUE(refuse(root_ / name).is(UsageError::kUnknownKind));
  }
  EXPECT_TRUE(refuse(root_ / "nothing").is(UsageError::kNotFound));
  EXPECT_TRUE(refuse(write("sub/x.txt", "")  // a folder without anything
                         .parent_path())
                  .is(UsageError::kUnknownKind));
  options_.kind = InputKind::kJsonl;
  EXPECT_EQ(find(root_ / "e.txt").at(0).kind, InputKind::kJsonl) << "forced";
}

TEST_F(Corpus, StreamsAreNeverResumed) {
  const Shard shard = find("-").at(0);
  EXPECT_EQ(shard.name, "standard input");
  EXPECT_EQ(shard.identity, "");
  const fs::path fifo = root_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(refuse(fifo).is(UsageError::kUnknownKind)) << "it might never have a writer";
  const Pipe pipe = std::move(make_pipe().value());
  EXPECT_EQ(find(fmt::format("/dev/fd/{}", pipe.read.get())).at(0).identity, "")
      << "and not read before its time";
  options_.kind = InputKind::kParquet;
  EXPECT_TRUE(refuse("-").is(UsageError::kUnknownKind));
}

TEST_F(Corpus, TheIdentityFollowsWhatMayHaveChanged) {
  const fs::path file = write("a.jsonl", json_line("import torch"));
  const std::string first = find(file).at(0).identity;
  EXPECT_EQ(find(file).at(0).identity, first);
  EXPECT_EQ(find(root_ / "." / "a.jsonl").at(0).identity, first) << "however it is called";
  write("a.jsonl", json_line("import jax__"));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(3));
  EXPECT_NE(find(file).at(0).identity, first);
}

TEST_F(Corpus, AFolderOfSources) {
  write("proj/.git/HEAD", "ref");
  write("proj/a.py", "import torch\n");
  write("proj/.git/hook.py", "import torch\n");
  write("proj/pkg/b.py", "import os\n");
  write("proj/pkg/c.ipynb",
        R"({"cells": [{"cell_type": "code", "source": ["from jax import \\\n", " jit"]}]})");
  write("proj/pkg/notes.txt", "import torch\n");
  write("proj/env/pyvenv.cfg", "");
  write("proj/env/lib/d.py", "import torch\n");
  write("proj/conda/conda-meta/history", "");
  write("proj/conda/d.py", "import torch\n");
  write("proj/node_modules/e.py", "import torch\n");
  write("proj/pkg/__pycache__/f.py", "import torch\n");
  write("proj/sub/.git", "gitdir: ../.git/modules/sub");
  write("proj/sub/deep/g.py", "from torch import nn\n");
  write("loose/h.py", "import tensorflow as tf\n");
  fs::create_directory_symlink(root_ / "proj", root_ / "proj/pkg/loop");
  fs::create_symlink(root_ / "proj/a.py", root_ / "proj/again.py");

  const std::vector<Shard> shards = find(root_);
  ASSERT_THAT(shards, SizeIs(1));
  EXPECT_EQ(shards[0].root, root_);
  const ShardRead done = read(shards);
  EXPECT_EQ(done.files, 5u);
  EXPECT_EQ(done.candidates, 4u);
  const std::string proj = (root_ / "proj").string();
  EXPECT_THAT(sink_.taken, ElementsAre(Taken{root_.string(), "loose/h.py", "import tensorflow as tf\n"},
                                       Taken{proj, "proj/a.py", "import torch\n"},
                                       Taken{proj, "proj/pkg/c.ipynb", "from jax import \\\n jit\n"},
                                       Taken{proj + "/sub", "proj/sub/deep/g.py", "from torch import nn\n"}));
  EXPECT_THAT(sink_.losses, IsEmpty());
}

TEST_F(Corpus, AnEnvironmentThatIsNamedIsRead) {
  write("env/pyvenv.cfg", "");
  write("env/lib/d.py", "import torch\n");
  EXPECT_EQ(read(find(root_ / "env")).candidates, 1u);
}

TEST_F(Corpus, OneFileBelongsToItsRepository) {
  write("proj/.git/HEAD", "ref");
  read(find(write("proj/pkg/b.py", "import torch\n")));
  EXPECT_THAT(sink_.taken, ElementsAre(Taken{(root_ / "proj").string(), "b.py", "import torch\n"}));
}

TEST_F(Corpus, LargeFoldersAreCut) {
  const std::string filler(std::size_t{9} << 20, '#');
  for (int i = 0; i < 9; ++i) write("f" + std::to_string(i) + ".py", "import torch\n" + filler);
  const std::vector<Shard> shards = find(root_);
  ASSERT_THAT(shards, SizeIs(3));
  EXPECT_THAT(shards[0].name, HasSubstr("(1 of 3)"));
  EXPECT_THAT(shards[0].files, SizeIs(4));
  EXPECT_NE(shards[0].identity, shards[1].identity);
  EXPECT_EQ(read(shards).candidates, 9u);
}

TEST_F(Corpus, FilesThatAreNoText) {
  write("bom.py", "\xef\xbb\xbfimport torch\r\n");
  write("latin.py", "# -*- coding: latin-1 -*-\nimport torch  # \xe9t\xe9\n");
  write("binary.py", std::string("import torch\0\1\2", 15));
  write("utf16.py", std::string("\xff\xfei\0m\0", 6));
  write("bad.ipynb", "{\"cells\": [\n{\"source\": \"import torch\"");
  write("gone.py", "import torch");
  const std::vector<Shard> shards = find(root_);
  fs::remove(root_ / "gone.py");
  const ShardRead done = read(shards);
  EXPECT_THAT(sink_.taken, ElementsAre(Taken{root_.string(), "bom.py", "import torch\r\n"},
                                       Taken{root_.string(), "latin.py",
                                             "# -*- coding: latin-1 -*-\nimport torch  # \ufffdt\ufffd\n"}));
  EXPECT_EQ(done.files, 2u);
  EXPECT_EQ(done.repaired, 1u);
  ASSERT_THAT(sink_.losses, SizeIs(3));
  EXPECT_EQ(sink_.losses[0].file, (root_ / "bad.ipynb").string());
  EXPECT_EQ(sink_.losses[0].line, 2u);
  EXPECT_THAT(sink_.losses[1].what, HasSubstr("No such file"));
  EXPECT_THAT(sink_.losses[2].what, HasSubstr("UTF-16"));
  options_.strict = true;
  const Result<ShardRead> strict = read_shard(shards[0], options_, sink_);
  ASSERT_FALSE(strict.ok());
  EXPECT_TRUE(strict.error().is(UsageError::kLost));
}

TEST_F(Corpus, AFileLargerThanALineMayBeIsLost) {
  options_.max_line_bytes = 1000;
  write("a.py", "import torch\n" + std::string(2000, '#'));
  EXPECT_EQ(read(find(root_)).losses, 1u);
  EXPECT_THAT(sink_.losses.at(0).what, HasSubstr("longer than 1000 bytes"));
}

TEST_F(Corpus, WhatCannotBeEnteredIsTold) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may enter everything";
  write("a.py", "import torch\n");
  write("closed/b.py", "import torch\n");
  fs::permissions(root_ / "closed", fs::perms::none);
  const ShardRead done = read(find(root_));
  fs::permissions(root_ / "closed", fs::perms::owner_all);
  EXPECT_EQ(done.candidates, 1u);
  EXPECT_EQ(done.losses, 1u);
}

TEST_F(Corpus, AFolderOfShards) {
  write("in/2.json.gz", gz(json_line("import jax")));
  write("in/1.jsonl", json_line("import torch"));
  write("in/README.md", "import torch");
  write("in/dataset.json", "{}");
  const std::vector<Shard> shards = find(root_ / "in");
  ASSERT_THAT(shards, SizeIs(2));
  EXPECT_EQ(shards[0].name, (root_ / "in/1.jsonl").string());
  EXPECT_EQ(read(shards).candidates, 2u);
}

TEST_F(Corpus, InputsInTheOrderGiven) {
  const fs::path b = write("b.jsonl", json_line("import jax"));
  const fs::path a = write("a.jsonl", json_line("import torch"));
  const std::vector<std::string> inputs = {b.string(), a.string()};
  const Result<std::vector<Shard>> shards = find_shards(inputs, options_);
  ASSERT_TRUE(shards.ok());
  EXPECT_EQ(shards->at(0).name, b.string());
  EXPECT_EQ(shards->at(1).name, a.string());
}

// Stands for an interpreter: what it is asked for is in the file `asked` beside it.
class Parquet : public Corpus {
 protected:
  void use(std::string_view script) {
    const fs::path python = write(
        "python", "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$(dirname \"$0\")/asked\"\n" + std::string(script));
    fs::permissions(python, fs::perms::owner_all);
    options_.python = python.string();
    shards_ = find(write("a.parquet", "PAR1"));
  }

  std::vector<Shard> shards_;
};

TEST_F(Parquet, RowsComeFromTheHelper) {
  use("echo '{\"content\": \"import torch\", \"path\": \"p\"}'; echo '{\"content\": \"x\"}'");
  const ShardRead done = read(shards_);
  EXPECT_EQ(done.files, 2u);
  EXPECT_THAT(sink_.taken, ElementsAre(Taken{"", "p", "import torch"}));
  const std::string asked = read_file(root_ / "asked").value();
  const std::vector<std::string_view> arguments = split_lines(asked);
  ASSERT_THAT(arguments, SizeIs(5));
  EXPECT_TRUE(fs::exists(arguments[0])) << arguments[0];
  EXPECT_EQ(arguments[1], shards_[0].files[0].string());
  EXPECT_EQ(arguments[2], "content");
}

TEST_F(Parquet, WithoutPyarrowItSaysSo) {
  use("echo 'no pyarrow' >&2; exit 3");
  const Result<ShardRead> done = read_shard(shards_[0], options_, sink_);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.error().is(UsageError::kHelper));
  EXPECT_THAT(done.error().message(), HasSubstr("pyarrow"));
  EXPECT_THAT(done.error().remedy(), HasSubstr("pip install 'seamark[parquet]'"));
}

TEST_F(Parquet, WithoutAPythonItSaysSo) {
  use("");
  options_.python = "/no/such/python";
  const Result<ShardRead> done = read_shard(shards_[0], options_, sink_);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.error().is(UsageError::kHelper));
}

TEST_F(Parquet, WhatBreaksInTheMiddleIsALoss) {
  for (const char* end :
       {"echo 'page 7 is corrupt' >&2; exit 4", "echo 'page 7 is corrupt' >&2; kill -SEGV $$"}) {
    use("echo '{\"content\": \"import torch\"}'; printf '{\"content\": \"import to'; " + std::string(end));
    sink_ = KeepingSink();
    const ShardRead done = read(shards_);
    EXPECT_EQ(done.candidates, 1u);
    ASSERT_THAT(sink_.losses, SizeIs(1));
    EXPECT_THAT(sink_.losses[0].what, HasSubstr("page 7 is corrupt"));
  }
}

TEST_F(Parquet, AStrictReaderDoesNotHangOnAHelperThatWritesOn) {
  use("echo bad; yes '{\"content\": \"import torch\"}'");
  options_.strict = true;
  const Result<ShardRead> done = read_shard(shards_[0], options_, sink_);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.error().is(UsageError::kLost));
}

}  // namespace
}  // namespace seamark::usage
