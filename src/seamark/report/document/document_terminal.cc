// Documents for people at a terminal (declared in document.h).
#include "seamark/base/log_commands.h"
#include "seamark/base/text.h"
#include "seamark/report/document/document.h"

namespace seamark::report {
namespace {

struct TerminalBlock {
  const RenderOptions& options;

  [[nodiscard]] std::string hung(std::string_view text, std::string_view indent) const {
    return "  " + wrapped(one_line(text), usable_width(options), indent, 2);
  }

  std::string operator()(const Paragraph& paragraph) const { return hung(paragraph.text, "  "); }

  std::string operator()(const Items& items) const {
    std::string out;
    for (const std::string& text : items.texts) out += hung(text, "    ");
    return out;
  }

  std::string operator()(const Remarks& remarks) const {
    constexpr std::size_t kLabel = 12;
    const std::string indent(2 + kLabel, ' ');
    std::string out;
    for (const Remark& one : remarks.list) {
      out += "  " + toned(pad_right(one_line(one.label), kLabel), one.tone, options.color);
      out += wrapped(one_line(one.text), usable_width(options), indent, indent.size());
    }
    return out;
  }

  std::string operator()(const Verbatim& verbatim) const {
    std::string out;
    for (const Line& line : verbatim.lines) {
      std::string text(line.spans.empty() ? 0 : line.indent, ' ');
      for (const Span& span : line.spans) text += toned(line_text(span), span.tone, options.color);
      out += text + "\n";
    }
    return out;
  }

  std::string operator()(const TextTable& table) const { return table.render(options); }
};

}  // namespace

std::string line_text(const Span& span) { return replace_all(plain_text(span.text), "\n", " "); }

void Section::say(std::string paragraph) { blocks.emplace_back(Paragraph{std::move(paragraph)}); }

std::string terminal_text(const Section& section, const RenderOptions& options) {
  std::string out = section.heading.empty()
                        ? "\n"
                        : section_heading(upper(one_line(section.heading)), one_line(section.note), options);
  bool first = true;
  for (const Block& block : section.blocks) {
    if (!first) out += '\n';
    first = false;
    out += std::visit(TerminalBlock{options}, block);
  }
  return out;
}

std::string terminal_text(const Document& document, const RenderOptions& options) {
  std::string out;
  for (const Remark& one : document.head) {
    const std::string label = one.label.empty() ? std::string() : one_line(one.label) + " ";
    out += toned(label, one.tone, options.color);
    out += wrapped(one_line(one.text), usable_width(options), {}, display_width(label));
  }
  for (const Section& section : document.sections) out += terminal_text(section, options);
  return without_log_commands(out);
}

}  // namespace seamark::report
