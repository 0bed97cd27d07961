// What `seamark usage` tells, in each format.
#include <fmt/format.h>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/report/build/usage_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"

namespace seamark::report {
namespace {

Value troubles_value(std::int64_t count, const std::vector<UsageLoss>& kept) {
  Value troubles;
  troubles.set("count", count);
  return troubles.set("first", list_value(kept, [](const UsageLoss& loss) {
                        Value item;
                        item.set("file", loss.file).set("line", loss.line > 0 ? Value(loss.line) : Value());
                        return item.set("what", loss.what);
                      }));
}

Value corpus_value(const store::UsageCorpus& corpus) {
  Value value;
  value.set("label", corpus.label).set("inputs", text_list(corpus.inputs)).set("shards", corpus.shards);
  value.set("planned_shards", corpus.planned).set("complete", corpus.complete);
  value.set("started", format_utc(corpus.started_unix_us));
  return value.set("ended", corpus.ended_unix_us ? Value(format_utc(*corpus.ended_unix_us)) : Value());
}

Value row_value(const UsageRow& row) {
  Value item;
  item.set("framework", row.framework).set("function", row.function).set("tier", name_of(row.tier));
  item.set("calls", row.calls).set("references", row.references).set("files", row.files);
  return item.set("repositories", row.repositories);
}

std::string usage_json(const UsageView& view, const RenderOptions& options) {
  const store::UsageCorpus& corpus = view.corpus;
  Value top = headed_value("seamark-usage/1", options);
  top.set("corpus", corpus_value(corpus)).set("protocol", corpus.protocol);
  Value catalogues{Value::Object{}};
  for (const auto& [framework, version] : corpus.catalogues) catalogues.set(framework, version);
  top.set("catalogues", std::move(catalogues)).set("rules", corpus.vocabulary).set("bytes", corpus.bytes);
  top.set("files", corpus.files).set("scanned_files", corpus.candidates);
  top.set("unresolved_stars", corpus.unresolved_stars).set("cpu_s", corpus.cpu_s);
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

}  // namespace

std::string render_usage(Format format, const UsageView& view, std::size_t top,
                         const RenderOptions& options) {
  if (format == Format::kJson) return usage_json(view, options);
  if (format == Format::kCsv) return usage_csv(view.table);
  return render(format, "usage", usage_document(view, top), options);
}

std::string loss_line(const UsageLoss& loss) {
  return loss.line > 0 ? fmt::format("{}:{}: {}", one_line(loss.file), loss.line, one_line(loss.what))
                       : fmt::format("{}: {}", one_line(loss.file), one_line(loss.what));
}

}  // namespace seamark::report
