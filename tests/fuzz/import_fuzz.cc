// Any bytes as a report of somebody's tests: what is read can be stored and shown, and has a name and a
// place. The first byte chooses the form.
#include <cmath>

#include "../known_frameworks.h"
#include "fuzz_check.h"
#include "seamark/interop/external_readers.h"
#include "seamark/interop/function_map.h"

namespace {

using namespace seamark;
using namespace seamark::interop;

const ImportRules& rules() {
  static const ImportRules loaded = [] {
    Result<ImportRules> read =
        ImportRules::load(SEAMARK_SOURCE_DIR "/data/import/rules.toml", known_frameworks());
    fuzz::require(read.ok(), "the rules that ship");
    return std::move(*read);
  }();
  return loaded;
}

void check_test(const ExternalTest& test, const FunctionMap& functions) {
  fuzz::require(is_utf8(test.id) && test.id.size() <= kMostNameBytes * 3, "a name that is not bounded UTF-8");
  fuzz::require(std::isfinite(test.wall_s) && test.wall_s >= 0, "a duration that is none");
  for (const double one : test.operations)
    fuzz::require(std::isfinite(one) && one >= 0, "a time that is none");
  fuzz::require(!test.name.parts.empty() && test.name.file < test.name.parts.size(),
                "a name without its file");
  fuzz::require(is_utf8(test.reason), "a reason that is not UTF-8");
  if (test.failure) {
    fuzz::require(is_utf8(test.failure->message) && test.failure->message.size() <= kMostMessageBytes,
                  "a message that is not bounded UTF-8");
    fuzz::require(test.failure->traceback.size() <= kMostTraceBytes, "a traceback that is not bounded");
  }
  const NameFacts facts = facts_of(test, rules(), rules().device_names({"torch", "tpu", "v3", {}}));
  fuzz::require(!facts.joined.key().empty() || test.name.key().empty(), "a key that is lost");
  const Mapped mapped = functions.find(test, facts);
  fuzz::require(mapped.function.empty() != mapped.reason.empty(), "neither a function nor a reason");
}

void check_file(const Result<ExternalFile>& file) {
  if (!file) return fuzz::require_presentable(file.error());
  KnownFunctions known("torch", rules());
  for (const char* name : {"torch.add", "torch.nn.functional.relu", "torch.Tensor.add"})
    known.add(name, name);
  const std::vector<MapRow> rows;
  const FunctionMap functions(known, rules(), rows);
  for (const ExternalTest& test : file->tests) check_test(test, functions);
  for (const ExternalLoss& loss : file->losses) {
    fuzz::require(!loss.place.empty() && !loss.what.empty() && is_utf8(loss.place + loss.what),
                  "a loss that cannot be shown");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      check_file(read_pytest_json(text, "file", rules()));
      break;
    case 1:
      check_file(read_timings(text, "file"));
      break;
    case 2:
      check_file(read_junit(text, "file", rules()));
      break;
    default:
      if (const auto rows = parse_map(text, "file", known_frameworks()); !rows)
        fuzz::require_presentable(rows.error());
      if (const auto form = detect_form(text, "file"); !form) fuzz::require_presentable(form.error());
  }
  return 0;
}
