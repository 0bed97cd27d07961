// What a helper process in Seamark's own Python writes (python/seamark_helper), as a source of bytes.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"
#include "seamark/proc/child.h"
#include "seamark/usage/input/byte_source.h"

namespace seamark::usage {

// The helpers' own exit codes.
inline constexpr int kNoPackage = 3;
inline constexpr int kNotReadable = 4;  // what is damaged, or not there
inline constexpr int kBrokeOff = 5;     // of a URL

// "pip install PACKAGES into Seamark's own environment, or name an interpreter ..."
[[nodiscard]] std::string package_remedy(std::string_view packages);
inline constexpr std::string_view kForUrls = "'seamark[url]' (or fsspec)";

// kUnavailable: nothing of the shard counts.
[[nodiscard]] Error broke_off(std::string_view name, std::string_view why);

// Unpacked as the input of a file is. What the helper failed with is a problem of the end.
class HelperSource : public ByteSource {
 public:
  // `script`: its file in python/seamark_helper; `name`: of the shard. kHelper, with the remedy: it cannot be
  // started.
  static Result<std::unique_ptr<HelperSource>> start(const std::string& python, std::string_view script,
                                                     std::span<const std::string> arguments,
                                                     std::string_view name, std::string remedy);

  std::size_t read(std::span<char> out) override;
  // How it ended, after the end of its output; 0 where it was not read to that.
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT(cppcoreguidelines-owning-memory)
  };
  using TempFile = std::unique_ptr<std::FILE, CloseFile>;

  HelperSource(proc::Child child, UniqueFd output, TempFile errors);
  void finish();

  proc::Child child_;
  UniqueFd output_;
  TempFile errors_;  // not a pipe: nobody reads it while it runs
  std::unique_ptr<ByteSource> lines_;
  bool drained_ = false;  // the output has ended
  bool ended_ = false;
  int code_ = 0;
  std::string said_;
};

}  // namespace seamark::usage
