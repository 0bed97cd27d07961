#include "seamark/agent/wire.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "seamark/base/text.h"

namespace seamark::agent {
namespace {

constexpr std::size_t kMaxNameBytes = 4096;
constexpr std::size_t kMaxNames = 4096;  // entries of any list

Error protocol_error(std::string_view what, std::string_view line, AgentError code = AgentError::kProtocol) {
  constexpr std::size_t kQuoted = 120;
  std::string quoted = one_line(line.substr(0, kQuoted));
  return Error(code, fmt::format("{} in \"{}{}\"", what, quoted, line.size() > kQuoted ? "..." : ""));
}

// Reads the members of one object and remembers the first thing that is wrong with them.
class Fields {
 public:
  Fields(const Value& object, std::string_view path, std::string& wrong)
      : object_(object), path_(path), wrong_(wrong) {}

  void refuse(std::string_view key, std::string_view expected) {
    if (wrong_.empty()) wrong_ = fmt::format("'{}{}' must be {}", path_, key, expected);
  }

  const Value* present(std::string_view key) const {
    const Value* value = object_.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  std::string text(std::string_view key, std::size_t max_bytes = kMaxNameBytes) {
    const Value* value = present(key);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      refuse(key, "a string");
      return {};
    }
    return bounded(value->as_string(), max_bytes);
  }

  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high,
                       std::optional<std::int64_t> fallback = std::nullopt) {
    const Value* value = present(key);
    if (value == nullptr && fallback) return *fallback;
    if (value == nullptr || !value->is_int() || value->as_int() < low || value->as_int() > high) {
      refuse(key, fmt::format("an integer from {} to {}", low, high));
      return low;
    }
    return value->as_int();
  }

  std::optional<double> seconds(std::string_view key) {
    const Value* value = present(key);
    if (value == nullptr) return std::nullopt;
    return one_duration(key, *value);
  }

  std::optional<std::int64_t> count(std::string_view key) {
    if (present(key) == nullptr) return std::nullopt;
    return integer(key, 0, std::int64_t{1} << 60);
  }

  std::optional<double> mean(std::string_view key) {
    const Value* value = present(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->as_number()) || value->as_number() < 0) {
      refuse(key, "a finite number, at least 0");
      return std::nullopt;
    }
    return value->as_number();
  }

  std::vector<double> durations(std::string_view key) {
    std::vector<double> all;
    const Value* value = list(key, std::numeric_limits<std::size_t>::max());
    if (value == nullptr) return all;
    all.reserve(value->as_array().size());
    for (const Value& item : value->as_array()) all.push_back(one_duration(key, item));
    return all;
  }

  std::vector<std::string> names(std::string_view key) {
    std::vector<std::string> all;
    const Value* value = list(key, kMaxNames);
    if (value == nullptr) return all;
    for (const Value& item : value->as_array()) {
      if (!item.is_string()) {
        refuse(key, "an array of strings");
        return all;
      }
      all.push_back(bounded(item.as_string(), kMaxNameBytes));
    }
    return all;
  }

  const Value* object(std::string_view key) {
    const Value* value = present(key);
    if (value != nullptr && !value->is_object()) {
      refuse(key, "an object or null");
      return nullptr;
    }
    return value;
  }

  const Value* list(std::string_view key, std::size_t max_items) {
    const Value* value = present(key);
    if (value == nullptr) return nullptr;
    if (!value->is_array() || value->as_array().size() > max_items) {
      refuse(key, value->is_array() ? fmt::format("an array of at most {} items", max_items) : "an array");
      return nullptr;
    }
    return value;
  }

 private:
  double one_duration(std::string_view key, const Value& value) {
    if (!value.is_number() || !std::isfinite(value.as_number()) || value.as_number() < 0) {
      refuse(key, "seconds: a finite number, at least 0");
      return 0;
    }
    return value.as_number();
  }

  const Value& object_;
  std::string_view path_;
  std::string& wrong_;
};

Failure decode_failure(const Value& value, std::string& wrong) {
  Fields fields(value, "failure.", wrong);
  Failure failure;
  failure.stage = fields.text("stage");
  failure.type = fields.text("type");
  failure.message = fields.text("message", kMaxMessageBytes);
  failure.traceback = fields.text("traceback", kMaxTracebackBytes);
  failure.precision_rerun = fields.text("precision_rerun");
  if (!failure.precision_rerun.empty() && failure.precision_rerun != "pass" &&
      failure.precision_rerun != "fail") {
    fields.refuse("precision_rerun", "\"pass\", \"fail\" or null");
  }
  failure.failing_call = fields.text("failing_call");
  return failure;
}

Placement decode_placement(const Value& value, std::string& wrong) {
  Fields fields(value, "placement.", wrong);
  Placement placement;
  if (fields.present("where") != nullptr) {
    const std::optional<Where> where = where_from(fields.text("where"));
    if (!where) fields.refuse("where", "device, host, unknown or none");
    placement.where = where.value_or(Where::kUnknown);
  }
  placement.method = fields.text("method");
  placement.outputs = fields.names("outputs");
  placement.fallback_ops = fields.names("fallback_ops");
  placement.note = fields.text("note");
  return placement;
}

TimedOperation decode_operation(const Value& value, std::string& wrong) {
  TimedOperation operation;
  if (!value.is_object()) {
    if (wrong.empty()) wrong = "'operations' must be an array of objects";
    return operation;
  }
  Fields fields(value, "operations.", wrong);
  operation.name = fields.text("name");
  operation.cold_s = fields.seconds("cold_s");
  operation.cold_reason = fields.text("cold_reason");
  operation.warm_s = fields.durations("warm_s");
  operation.warm_reason = fields.text("warm_reason");
  operation.inner = fields.integer("inner", 1, std::int64_t{1} << 40, 1);
  operation.device_s = fields.durations("device_s");
  return operation;
}

Costs decode_costs(const Value& value, std::string& wrong) {
  Fields fields(value, "costs.", wrong);
  return {.empty_s = fields.seconds("empty_s"),
          .compile_s = fields.seconds("compile_s"),
          .recompilations = fields.count("recompilations"),
          .transfers = fields.mean("transfers"),
          .transfer_bytes = fields.mean("transfer_bytes"),
          .peak_bytes = fields.count("peak_bytes")};
}

Ready decode_ready(Fields fields) {
  Ready ready;
  fields.integer("wire", kWireVersion, kWireVersion);
  ready.agent_version = fields.text("agent");
  ready.framework_version = fields.text("framework_version");
  ready.device = fields.text("device");
  ready.pid = fields.integer("pid", 1, std::numeric_limits<std::int32_t>::max());
  ready.cpu_s = fields.seconds("cpu_s").value_or(0);
  if (const Value* facts = fields.object("facts")) ready.facts = *facts;
  return ready;
}

Unusable decode_unusable(Fields fields) {
  Unusable unusable{fields.text("reason", kMaxMessageBytes), fields.text("remedy", kMaxMessageBytes)};
  if (unusable.reason.empty()) fields.refuse("reason", "said");
  return unusable;
}

void decode_outcome(Fields& fields, End& end) {
  const std::string name = fields.text("outcome");
  const std::optional<Outcome> outcome = outcome_from(name);
  if (!outcome || (*outcome != Outcome::kPass && *outcome != Outcome::kFail && *outcome != Outcome::kSkip &&
                   *outcome != Outcome::kError)) {
    fields.refuse("outcome", "pass, fail, skip or error");
    return;
  }
  end.outcome = *outcome;
  const std::string evidence = fields.text("evidence");
  end.evidence = evidence_from(evidence);
  if (!evidence.empty() && (!end.evidence || *end.evidence == Evidence::kDeclared)) {
    fields.refuse("evidence", "lowered, compiled, executed or verified");
  }
  end.reason = fields.text("reason", kMaxMessageBytes);
}

void check_end(Fields& fields, const End& end) {
  if (end.outcome == Outcome::kPass && !end.evidence) fields.refuse("evidence", "said for a pass");
  if (end.outcome == Outcome::kFail && !end.failure) fields.refuse("failure", "said for a fail");
  if (end.outcome == Outcome::kPass && end.failure) fields.refuse("failure", "null for a pass");
}

End decode_end(const Value& object, std::int64_t planned, std::string& wrong) {
  Fields fields(object, "", wrong);
  End end;
  end.id = fields.integer("id", 0, planned - 1);
  end.nonce = fields.text("nonce", kNonceBytes);
  decode_outcome(fields, end);
  end.cpu_s = fields.seconds("cpu_s");
  end.wall_s = fields.seconds("wall_s");
  if (const Value* failure = fields.object("failure")) end.failure = decode_failure(*failure, wrong);
  if (const Value* placement = fields.object("placement"))
    end.placement = decode_placement(*placement, wrong);
  if (const Value* reference = fields.object("reference")) end.reference = *reference;
  if (const Value* compiled = fields.object("compiled")) end.compiled = *compiled;
  if (const Value* operations = fields.list("operations", kMaxNames)) {
    for (const Value& item : operations->as_array()) end.operations.push_back(decode_operation(item, wrong));
  }
  if (const Value* costs = fields.object("costs")) end.costs = decode_costs(*costs, wrong);
  end.cold_kind = fields.text("cold_kind");
  end.attributes = fields.names("attributes");
  end.changed = fields.names("changed");
  const Value* spent = fields.present("spent");
  end.spent = spent != nullptr && spent->is_bool() && spent->as_bool();
  if ((end.outcome == Outcome::kSkip || end.outcome == Outcome::kError) && end.reason.empty()) {
    end.reason = "no reason given";
  }
  check_end(fields, end);
  return end;
}

Forked decode_forked(Fields fields, std::int64_t planned) {
  return {fields.integer("id", 0, planned - 1),
          fields.integer("pid", 2, std::numeric_limits<std::int32_t>::max()),
          fields.text("nonce", kNonceBytes)};
}

Reaped decode_reaped(Fields fields, std::int64_t planned) {
  return {fields.integer("id", 0, planned - 1), static_cast<int>(fields.integer("status", 0, 0xffff)),
          fields.text("nonce", kNonceBytes), fields.names("leaked")};
}

Done decode_done(Fields fields, std::int64_t planned) {
  return {fields.integer("id", 0, planned - 1), fields.text("nonce", kNonceBytes), fields.names("leaked")};
}

std::string as_line(const Value& message) { return dump_json(message) + "\n"; }

}  // namespace

std::string bounded(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  constexpr std::string_view kCut = " [cut]";
  const std::size_t keep = max > kCut.size() ? max - kCut.size() : 0;
  text.resize(utf8_prefix(text, keep).size());
  if (keep > 0) text += kCut;
  return text;
}

std::string encode_hello(const Hello& hello) {
  Value message{Value::Object{}};
  message.set("op", "hello").set("wire", kWireVersion);
  message.set("target", hello.target).set("mode", name_of(hello.mode));
  message.set("suites", Value::Array(hello.suites.begin(), hello.suites.end()));
  message.set("seed", hello.seed).set("threads", hello.threads).set("work_dir", hello.work_dir);
  message.set("cache_dir", hello.cache_dir.empty() ? Value() : Value(hello.cache_dir));
  Value limits{Value::Object{}};
  limits.set("memory_bytes", hello.memory_bytes ? Value(*hello.memory_bytes) : Value());
  message.set("limits", std::move(limits));
  Value timing{Value::Object{}};
  timing.set("protocol", hello.timing.protocol).set("min_time_s", hello.timing.min_time_s);
  timing.set("max_time_s", hello.timing.max_time_s).set("max_samples", hello.timing.max_samples);
  timing.set("rel_spread", hello.timing.rel_spread);
  message.set("timing", std::move(timing));
  return as_line(message);
}

std::string encode_plan(std::span<const std::string> names) {
  constexpr std::size_t kRoom = kMaxLineBytes / 2;  // escapes can lengthen a name
  std::string lines;
  Value::Array part;
  std::size_t part_bytes = 0;
  const auto flush = [&] {
    Value message{Value::Object{}};
    message.set("op", "plan").set("names", std::exchange(part, {}));
    lines += as_line(message);
    part_bytes = 0;
  };
  for (const std::string& name : names) {
    if (part_bytes + name.size() + 3 > kRoom && !part.empty()) flush();
    part.emplace_back(name);
    part_bytes += name.size() + 3;
  }
  if (!part.empty()) flush();
  return lines;
}

std::string encode_run(std::int64_t id, Phase phase) {
  return fmt::format("{{\"op\":\"run\",\"id\":{},\"phase\":\"{}\"}}\n", id, name_of(phase));
}

std::string encode_stop() { return "{\"op\":\"stop\"}\n"; }

Result<std::optional<Event>> decode(std::string_view line, std::int64_t planned) {
  if (trim(line).empty()) return std::optional<Event>();
  if (line.size() > kMaxLineBytes) return protocol_error("a line of more than 1 MiB", line);
  const Result<Value> parsed = parse_json(line, {.max_bytes = kMaxLineBytes, .max_depth = kMaxDepth});
  if (!parsed) {
    return protocol_error("no strict JSON (" + parsed.error().message() + ")", line);
  }
  const Value& object = *parsed;
  if (!object.is_object()) return protocol_error("no JSON object", line);

  std::string wrong;
  std::optional<Event> event;
  const Fields fields(object, "", wrong);
  const std::string name = Fields(fields).text("ev");
  if (name == "end") {
    event.emplace(decode_end(object, planned, wrong));
  } else if (name == "forked") {
    event.emplace(decode_forked(fields, planned));
  } else if (name == "reaped") {
    event.emplace(decode_reaped(fields, planned));
  } else if (name == "done") {
    event.emplace(decode_done(fields, planned));
  } else if (name == "ready") {
    event.emplace(decode_ready(fields));
  } else if (name == "unusable") {
    event.emplace(decode_unusable(fields));
  } else if (wrong.empty()) {
    wrong = "no known 'ev'";
  }
  if (!wrong.empty()) return protocol_error(wrong, line);
  return event;
}

}  // namespace seamark::agent
