// From files of external tests to runs of a store (docs/import.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/interop/external.h"
#include "seamark/interop/function_map.h"
#include "seamark/store/store.h"

namespace seamark::interop {

// The protocol of times that others measured: never held against Seamark's own.
inline constexpr std::string_view kImportedProtocol = "imported";
inline constexpr std::string_view kImportedSuite = "imported";
inline constexpr std::string_view kImportedEvent = "imported";

struct ImportFile {
  std::string name;  // as users gave it; "-": standard input
  std::string text;
  ExternalForm form = ExternalForm::kPytestJson;
};

// Identifies a file's content: FNV-1a, 16 hex digits.
std::string content_hash(std::string_view text);

struct Unmapped {
  std::string test;
  std::string reason;
};

struct Imported {
  std::vector<store::RunBundle> runs;
  std::vector<ExternalLoss> losses;
  std::vector<std::string> notes;
  std::vector<Unmapped> unmapped;
  std::vector<std::string> repeated;                  // files that the run has already
  std::int64_t tests = 0;                             // read, with their repeats
  std::int64_t timings = 0;                           // of them, times of operations
  std::int64_t left_out = 0;                          // as the table says
  std::map<std::string, std::int64_t> other_devices;  // tests left out, by the other device that they name
  std::string other_device_test;                      // the first of them
  std::int64_t functions = 0;
};

struct ImportRequest {
  std::string target;   // torch/cuda-t4
  std::string run;      // its name; empty: named after the content
  std::string command;  // as typed
  std::int64_t now_us = 0;
};

// An imported run of the store, to which files of the same name of run are added; nullptr: none.
struct RunBefore {
  std::string uuid;
  std::vector<std::string> hashes;  // "TARGET HASH" of files that it has
  std::vector<CaseInfo> cases;
};

// A name of an imported run: letters, digits, '.', '_' and '-', neither "latest" nor "all".
bool is_run_name(std::string_view name);
// The run of that name, where the store has one.
Result<std::optional<RunBefore>> find_run(store::Store& store, std::string_view name);

// Files of tests (no Seamark JSONL) as one run. What a file is not is kBadInput.
Result<Imported> import_tests(const std::vector<ImportFile>& files, const ImportRequest& request,
                              const FunctionMap& functions, const ImportRules& rules,
                              const std::optional<RunBefore>& before);

// One export as the runs it was written from.
Result<Imported> import_export(const ImportFile& file, const ImportRequest& request);

}  // namespace seamark::interop
