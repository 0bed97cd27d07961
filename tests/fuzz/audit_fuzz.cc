// Any bytes as a project's source, under the rules that ship: an audit ends, its places are in the text, and
// the same again. And any text as a pattern, on that source.
#include <string>
#include <vector>

#include "fuzz_check.h"
#include "seamark/audit/project.h"
#include "seamark/usage/input/source.h"

namespace {

using namespace seamark;

const std::vector<audit::Rule>& rules() {
  static const std::vector<audit::Rule> loaded =
      audit::load_rules(std::string(SEAMARK_SOURCE_DIR) + "/data/audit").value();
  return loaded;
}

const usage::Vocabulary& vocabulary() {
  static const usage::Vocabulary loaded =
      usage::Vocabulary::load(std::string(SEAMARK_SOURCE_DIR) + "/data/usage").value();
  return loaded;
}

std::string audited(std::string_view text) {
  audit::Auditor auditor(vocabulary(), rules());
  auditor.take("train.py", text);
  auditor.take_other("requirements.txt", text);
  const audit::Project project = auditor.finish();
  std::string all;
  for (const audit::Finding& finding : project.findings) {
    const audit::Hit& hit = finding.hit;
    fuzz::require(hit.line >= 1 && hit.line <= text.size() + 1 && hit.end_line >= hit.line,
                  "a line outside of the text");
    fuzz::require(hit.code.size() <= 200, "code that is too long");
    all +=
        rules()[finding.rule].id + ":" + std::to_string(hit.line) + ":" + std::to_string(hit.column) + "\n";
  }
  for (const audit::FunctionUse& use : project.functions) all += use.name + std::to_string(use.calls) + "\n";
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::require(audited(text) == audited(text), "an audit that depends on the time before");
  const std::size_t line = text.find('\n');
  const Result<audit::Pattern> pattern = audit::Pattern::parse(text.substr(0, line));
  if (!pattern || line == std::string_view::npos) return 0;
  const std::string margin(usage::kTextMargin, '\n');
  const std::string framed = margin + std::string(text) + margin;
  audit::Syntax syntax;
  syntax.read(std::string_view(framed).substr(margin.size(), text.size()), {}, {});
  pattern->find(syntax, {}, [&](const audit::Match& match) {
    fuzz::require(match.first <= match.last && match.last < syntax.tokens().size(),
                  "a match outside of the text");
    return true;
  });
  return 0;
}
