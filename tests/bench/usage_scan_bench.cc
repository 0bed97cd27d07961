// How fast the scanner is: nanoseconds of CPU time a byte, over real files.
//
//   find SITE-PACKAGES -name '*.py' -print0 | usage_scan_bench [--rounds N] [--data FOLDER] [--all]
//                                                              [--catalogue FILE.jsonl]...
//
// Takes the files that import a framework, as a corpus' prefilter does; --all: every file.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/catalog/rows.h"
#include "seamark/usage/scan/scanner.h"

namespace {

using namespace seamark;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Options {
  int rounds = 5;
  bool all = false;
  std::string data = std::string(SEAMARK_SOURCE_DIR) + "/data/usage";
  std::vector<Catalogue> catalogues;
};

bool read_options(const std::vector<std::string>& args, Options& options) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string value = i + 1 < args.size() ? args[i + 1] : "";
    if (args[i] == "--all") {
      options.all = true;
    } else if (args[i] == "--rounds") {
      options.rounds = std::stoi(value), ++i;
    } else if (args[i] == "--data") {
      options.data = value, ++i;
    } else if (args[i] == "--catalogue") {
      const Result<std::string> rows = read_file(value);
      Result<Catalogue> catalogue = rows ? catalog::decode_rows(*rows) : Result<Catalogue>(rows.error());
      if (!catalogue) return false;
      options.catalogues.push_back(std::move(*catalogue)), ++i;
    } else {
      return false;
    }
  }
  return true;
}

int bench(const std::vector<std::string>& args) {
  Options options;
  if (!read_options(args, options)) {
    std::cerr << "see the head of tests/bench/usage_scan_bench.cc\n";
    return 2;
  }
  const Result<usage::Vocabulary> vocabulary = usage::Vocabulary::load(options.data, options.catalogues);
  if (!vocabulary) return 2;
  usage::Scanner scanner(*vocabulary);
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (std::string path; std::getline(std::cin, path, '\0');) {
    Result<std::string> text = read_file(path);
    if (!text || (!options.all && scanner.scan(*text, false).frameworks == 0)) continue;
    bytes += text->size();
    texts.push_back(std::move(*text));
  }
  double best = 1e9;
  std::uint64_t calls = 0;
  for (int round = 0; round < options.rounds; ++round) {
    const double begin = cpu_seconds();
    calls = 0;
    for (const std::string& text : texts) {
      for (const usage::NameCount& one : scanner.scan(text, false).names) calls += one.calls;
    }
    best = std::min(best, cpu_seconds() - begin);
  }
  fmt::print("{} files, {:.1f} MB, {} calls: {:.3f} ns a byte, {:.0f} MB/s\n", texts.size(),
             static_cast<double>(bytes) * 1e-6, calls, best * 1e9 / static_cast<double>(bytes),
             static_cast<double>(bytes) * 1e-6 / best);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return bench(std::vector<std::string>(argv, argv + argc)); }
