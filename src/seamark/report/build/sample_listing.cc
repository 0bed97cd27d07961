#include "seamark/report/build/sample_listing.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

using Align = Column::Align;

const SampleStratum* stratum_of(const Sample& sample, const SampledFunction& function) {
  for (const SampleStratum& one : sample.strata) {
    if (one.framework == function.framework && one.name == function.stratum) return &one;
  }
  return nullptr;
}

std::string remark_of(const SampledFunction& one) {
  if (one.role == SampleRole::kOverlap) return "overlap, dropped";
  if (one.role == SampleRole::kExcluded) return "excluded";
  if (one.is_replaced()) return "replaced";
  return one.role == SampleRole::kReplacement ? "replacement" : std::string();
}

// What a user said of it, and what came of that.
std::string note_of(const SampledFunction& one) {
  if (one.role == SampleRole::kExcluded) return "because: " + one.reason;
  if (!one.is_replaced()) return {};
  return fmt::format("by {}, because: {}",
                     one.replaced_by.empty() ? "nothing: none is left" : one.replaced_by, one.reason);
}

std::string frame_text(const SampleFrame& frame) {
  std::string text =
      fmt::format("{} functions seen, {} calls", count_text(frame.seen), count_text(frame.calls));
  if (frame.never_seen > 0) text += fmt::format("; {} never seen", count_text(frame.never_seen));
  if (frame.unknown_names > 0) {
    text += fmt::format("; {} names ({} calls) that its catalogue does not know are left out",
                        count_text(frame.unknown_names), count_text(frame.unknown_calls));
  }
  return text;
}

std::string counts_of(const Sample& sample, const std::string& framework) {
  int taken = 0;
  int overlaps = 0;
  int excluded = 0;
  int replaced = 0;
  for (const SampledFunction& one : sample.functions) {
    if (one.framework != framework) continue;
    taken += one.counts() ? 1 : 0;
    overlaps += one.role == SampleRole::kOverlap ? 1 : 0;
    excluded += one.role == SampleRole::kExcluded ? 1 : 0;
    replaced += one.is_replaced() ? 1 : 0;
  }
  return fmt::format("{} in the sample; {} overlap with the top, {} excluded, {} replaced", taken, overlaps,
                     excluded, replaced);
}

std::string place_of(const SampledFunction& one) {
  if (one.role == SampleRole::kTop) return "top";
  return one.decile > 0 ? fmt::format("{}", one.decile) : "unseen";
}

Tone tone_of(const SampledFunction& one) {
  if (one.role == SampleRole::kTop) return Tone::kStrong;
  return one.counts() ? Tone::kPlain : Tone::kDim;
}

Value number_or_null(std::int64_t number) { return number > 0 ? Value(number) : Value(); }

Value function_value(const Sample& sample, const SampledFunction& one) {
  const SampleStratum* stratum = stratum_of(sample, one);
  Value value;
  value.set("framework", one.framework).set("function", one.function).set("role", name_of(one.role));
  value.set("stratum", text_or_null(one.stratum)).set("rank", number_or_null(one.rank));
  value.set("decile", number_or_null(one.decile));
  value.set("inclusion", one.inclusion ? Value(*one.inclusion) : Value());
  value.set("weight", stratum != nullptr && one.counts() ? Value(stratum->weight()) : Value());
  value.set("calls", one.calls).set("references", one.references).set("files", one.files);
  value.set("reason", text_or_null(one.reason)).set("replaced_by", text_or_null(one.replaced_by));
  value.set("replaces", text_or_null(one.replaces));
  return value;
}

Document listing_of(const Sample& sample) {
  const SampleInfo& info = sample.info;
  Document document;
  document.head.push_back(
      {fmt::format("Sample {}{}:", info.id, info.name.empty() ? "" : fmt::format(" '{}'", info.name)),
       fmt::format("{}. Seed {}, generator {}, population {}, usage from {}.", info.procedure, info.seed,
                   info.generator, info.population, info.usage),
       Tone::kStrong});
  for (const SampleFrame& frame : sample.frames) {
    TextTable table({{"function", Align::kLeft, 0, 20, true},
                     {"tenth", Align::kRight},
                     {"rank", Align::kRight},
                     {"calls", Align::kRight},
                     {"files", Align::kRight, 1},
                     {"inclusion", Align::kRight, 2},
                     {""}});
    for (const SampledFunction& one : sample.functions) {
      if (one.framework != frame.framework) continue;
      table.add_row({Cell(one.function, tone_of(one)), place_of(one),
                     one.rank > 0 ? count_text(one.rank) : std::string(), count_text(one.calls),
                     count_text(one.files),
                     one.inclusion ? fmt::format("{:.3f}", *one.inclusion) : std::string(),
                     Cell(remark_of(one), Tone::kDim)});
      if (const std::string note = note_of(one); !note.empty()) table.add_note(note);
    }
    document.add({.id = frame.framework,
                  .heading = frame.framework + (frame.version.empty() ? "" : " " + frame.version),
                  .note = frame_text(frame) + ". " + counts_of(sample, frame.framework) + ".",
                  .blocks = {std::move(table)}});
  }
  return document;
}

std::string sample_json(const Sample& sample, const RenderOptions& options) {
  const SampleInfo& info = sample.info;
  Value top = headed_value("seamark-sample/1", options);
  top.set("id", info.id).set("name", text_or_null(info.name));
  top.set("seed", static_cast<std::int64_t>(info.seed)).set("generator", info.generator);
  top.set("procedure", info.procedure).set("population", info.population);
  top.set("frequency", info.frequency).set("usage", info.usage).set("parameters", info.parameters);
  top.set("frames", list_value(sample.frames, [](const SampleFrame& one) {
            Value value;
            value.set("framework", one.framework).set("version", text_or_null(one.version));
            value.set("seen", one.seen).set("never_seen", one.never_seen).set("calls", one.calls);
            return value.set("unknown_names", one.unknown_names).set("unknown_calls", one.unknown_calls);
          }));
  top.set("strata", list_value(sample.strata, [](const SampleStratum& one) {
            Value value;
            value.set("framework", one.framework).set("stratum", one.name);
            return value.set("functions", one.functions).set("drawn", one.drawn).set("calls", one.calls);
          }));
  top.set("functions", list_value(sample.functions,
                                  [&](const SampledFunction& one) { return function_value(sample, one); }));
  return dump_json_pretty(top);
}

std::string sample_csv(const Sample& sample) {
  std::string out =
      "framework,function,role,stratum,rank,decile,inclusion,weight,calls,references,files,reason,replaced_"
      "by,"
      "replaces\r\n";
  for (const SampledFunction& one : sample.functions) {
    const Value value = function_value(sample, one);
    std::vector<std::string> fields;
    for (const auto& [key, field] : value.as_object()) {
      fields.push_back(field.is_null()     ? std::string()
                       : field.is_string() ? csv_field(one_line(field.as_string()))
                                           : dump_json(field));
    }
    out += join(fields, ",") + "\r\n";
  }
  return out;
}

}  // namespace

std::string render_sample(Format format, const Sample& sample, const RenderOptions& options) {
  if (format == Format::kJson) return sample_json(sample, options);
  if (format == Format::kCsv) return sample_csv(sample);
  return render(format, "sample", listing_of(sample), options);
}

}  // namespace seamark::report
