// Usage for programs.
#include <fmt/format.h>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/cli/usage_text.h"
#include "seamark/cli/version.h"

namespace seamark::cli {
namespace {

Value troubles_value(std::int64_t count, std::span<const UsageLoss> kept) {
  Value first{Value::Array{}};
  for (const UsageLoss& loss : kept) {
    Value item;
    item.set("file", loss.file);
    item.set("line", loss.line > 0 ? Value(loss.line) : Value());
    item.set("what", loss.what);
    first.push(std::move(item));
  }
  Value troubles;
  troubles.set("count", count);
  troubles.set("first", std::move(first));
  return troubles;
}

Value corpus_value(const store::UsageCorpus& corpus) {
  Value value;
  value.set("label", corpus.label);
  value.set("inputs", text_list(corpus.inputs));
  value.set("shards", corpus.shards);
  value.set("planned_shards", corpus.planned);
  value.set("complete", corpus.complete);
  value.set("started", format_utc(corpus.started_unix_us));
  value.set("ended", corpus.ended_unix_us ? Value(format_utc(*corpus.ended_unix_us)) : Value());
  return value;
}

Value row_value(const UsageRow& row) {
  Value item;
  item.set("framework", row.framework);
  item.set("function", row.function);
  item.set("tier", name_of(row.tier));
  item.set("calls", row.calls);
  item.set("references", row.references);
  item.set("files", row.files);
  item.set("repositories", row.repositories);
  return item;
}

}  // namespace

std::string usage_json(const UsageView& view) {
  const store::UsageCorpus& corpus = view.corpus;
  Value top;
  top.set("schema", "seamark-usage/1");
  top.set("seamark", version());
  top.set("corpus", corpus_value(corpus));
  top.set("protocol", corpus.protocol);
  Value catalogues{Value::Object{}};
  for (const auto& [framework, catalogue_version] : corpus.catalogues)
    catalogues.set(framework, catalogue_version);
  top.set("catalogues", std::move(catalogues));
  top.set("rules", corpus.vocabulary);
  top.set("bytes", corpus.bytes);
  top.set("files", corpus.files);
  top.set("scanned_files", corpus.candidates);
  top.set("unresolved_stars", corpus.unresolved_stars);
  top.set("cpu_s", corpus.cpu_s);
  Value imports{Value::Object{}};
  for (const UsageImports& one : view.table.imports) imports.set(one.framework, one.files);
  top.set("imports", std::move(imports));
  top.set("losses", troubles_value(view.corpus.losses, view.losses));
  top.set("repaired", troubles_value(view.corpus.repaired, view.repairs));
  // One function a line: it may be a hundred thousand.
  std::string text = dump_json_pretty(top);
  text.resize(text.rfind('\n', text.size() - 2));
  text += ",\n  \"functions\": [";
  for (std::size_t i = 0; i < view.table.rows.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += dump_json(row_value(view.table.rows[i]));
  }
  return text + (view.table.rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string usage_csv(const UsageTable& table) {
  std::string text = "function,tier,calls,references,files,repositories\r\n";
  for (const UsageRow& row : table.rows) {
    text += fmt::format("{},{},{},{},{},{}\r\n", csv_field(one_line(row.function)), name_of(row.tier),
                        row.calls, row.references, row.files, row.repositories);
  }
  return text;
}

std::string loss_line(const UsageLoss& loss) {
  return loss.line > 0 ? fmt::format("{}:{}: {}", one_line(loss.file), loss.line, one_line(loss.what))
                       : fmt::format("{}: {}", one_line(loss.file), one_line(loss.what));
}

}  // namespace seamark::cli
