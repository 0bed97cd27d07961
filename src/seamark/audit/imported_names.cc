#include "seamark/audit/imported_names.h"

#include <cstdint>

#include "seamark/audit/guard_words.h"

namespace seamark::audit {
namespace {

enum class How : std::uint8_t { kFree, kGuarded, kForTypes };

How import_at(const Syntax& syntax, std::uint32_t token) {
  How how = How::kFree;
  for (std::uint32_t at = syntax.block_of(token); at != 0; at = syntax.blocks()[at].parent) {
    const Block& block = syntax.blocks()[at];
    if (block.keyword != "if" && block.keyword != "elif") continue;
    const Line& header = syntax.lines()[block.header_line];
    bool cuda = false;
    for (std::uint32_t i = header.first; i < header.last; ++i) {
      if (syntax.is(i, "TYPE_CHECKING")) return How::kForTypes;
      cuda = cuda || (syntax.tokens()[i].kind == Kind::kName && is_built_for_cuda(syntax.text_of(i)));
    }
    if (cuda && !is_for_another(syntax, header)) how = How::kGuarded;
  }
  return how;
}

}  // namespace

std::vector<ImportedName> imported_names(const Syntax& syntax) {
  std::vector<ImportedName> out;
  for (const Line& line : syntax.lines()) {
    const bool from = syntax.is(line.first, "from");
    if (!from && !syntax.is(line.first, "import")) continue;
    const How how = import_at(syntax, line.first);
    if (how == How::kForTypes) continue;
    bool names = !from;  // of a module that is imported the last part alone
    for (std::uint32_t at = line.first + 1; at < line.last; ++at) {
      if (from && syntax.is(at, "import")) names = true;
      const bool part = syntax.tokens()[at].kind == Kind::kName &&
                        !is_one_of(syntax.text_of(at), "import", "as") &&
                        syntax.tokens()[at + 1].kind != Kind::kDot && !syntax.is(at - 1, "as");
      if (part && (names || syntax.is(at + 1, "import")))
        out.push_back({syntax.text_of(at), how == How::kGuarded});
    }
  }
  return out;
}

}  // namespace seamark::audit
