#include "seamark/store/attempt_columns.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "seamark/base/text.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_reader.h"

namespace seamark::store {
namespace {

// --- fields, by where they stand

template <typename Get, typename T>
using FieldOf = std::remove_pointer_t<std::invoke_result_t<Get, T&>>;

template <typename Get>
constexpr Field of_attempt(Get /*get*/) {
  return Access<FieldOf<Get, Attempt>>{
      [](const AttemptView& row) { return row.attempt == nullptr ? nullptr : Get{}(*row.attempt); },
      [](const AttemptSlot& row) { return row.attempt == nullptr ? nullptr : Get{}(*row.attempt); }};
}
template <typename Get>
constexpr Field of_run(Get /*get*/) {
  return Access<FieldOf<Get, RunInfo>>{[](const AttemptView& row) { return Get{}(*row.run); },
                                       [](const AttemptSlot& row) { return Get{}(*row.run); }};
}
template <typename Get>
constexpr Field of_target(Get /*get*/) {
  return Access<FieldOf<Get, RunTarget>>{[](const AttemptView& row) { return Get{}(*row.target); },
                                         [](const AttemptSlot& row) { return Get{}(*row.target); }};
}
template <typename Get>
constexpr Field of_case(Get /*get*/) {
  return Access<FieldOf<Get, CaseInfo>>{[](const AttemptView& row) { return Get{}(*row.info); },
                                        [](const AttemptSlot& row) { return Get{}(*row.info); }};
}

// A member of what a Get finds, as a Get.
#define FIELD(member) [](auto& it) { return &it.member; }
#define OF_FAILURE(member) of_attempt([](auto& it) { return it.failure ? &it.failure->member : nullptr; })

Value category_of(const AttemptView& row) { return row.category ? Value(name_of(*row.category)) : Value(); }

Value fallback_of(const AttemptView& row) {
  if (row.attempt == nullptr) return {};
  const std::optional<bool> fallback = fell_back(row.attempt->placement.where);
  return fallback ? Value(*fallback) : Value();
}

constexpr std::string_view kPassed = "it did not fail";
constexpr std::string_view kUntold = "an import told none";
constexpr std::string_view kUntimed = "not timed: `cold_reason`";
constexpr std::string_view kWarm = "see `warm_reason`";
constexpr std::string_view kUncompared = "no number was compared";

constexpr std::string_view kNoWarm = "no warm times";
constexpr std::string_view kUncounted = "not timed, or the framework counts none";
constexpr int kCosts = 10;  // the schema's version that has them

constexpr AttemptColumn kColumns[] = {
    {"run", "", of_run(FIELD(uuid)), "the run's id", {}, Unit::kNone, Load::kRest, true},
    {"target",
     "",
     of_target(FIELD(target)),
     "FRAMEWORK/DEVICE[+MODE], e.g. torch/cuda",
     {},
     Unit::kNone,
     Load::kRest,
     true},
    {"framework",
     "",
     of_target(FIELD(framework)),
     "its name, such as torch",
     {},
     Unit::kNone,
     Load::kRest,
     true},
    {"version", "", of_target(FIELD(framework_version)), "of the framework", kUntold},
    {"function", "", of_case(FIELD(function)), "its qualified name", {}, Unit::kNone, Load::kRest, true},
    {"case", "", of_case(FIELD(name)), "FUNCTION/CASE[PARAMETERS]", {}, Unit::kNone, Load::kRest, true},
    {"attempt",
     "attempt",
     of_attempt(FIELD(attempt)),
     "number within run, target and case",
     {},
     Unit::kNone,
     Load::kHead},
    {"phase",
     "phase",
     of_attempt(FIELD(phase)),
     "correctness, confirm, recheck, timing",
     {},
     Unit::kNone,
     Load::kHead,
     true},
    {"outcome",
     "outcome",
     of_attempt(FIELD(outcome)),
     "pass, fail, timeout, crash, skip, error",
     {},
     Unit::kNone,
     Load::kHead,
     true},
    {"category", "", Derived{category_of}, "why it failed, by the rules of today", kPassed},
    {"evidence",
     "evidence",
     of_attempt(FIELD(evidence)),
     "lowered, compiled, executed, verified",
     {},
     Unit::kNone,
     Load::kHead,
     true},
    {"fallback", "", Derived{fallback_of, true}, "something ran on the host instead",
     "`placement` is unknown or none"},
    {"cold_s", "cold_s", of_attempt(FIELD(latency.cold_s)), "the first call, mean over operations",
     "not measured: see `cold_reason`", Unit::kSeconds},
    {"warm_median_s", "warm_median_s", of_attempt(FIELD(latency.warm_median_s)),
     "steady state, mean of medians", "not measured: see `warm_reason`", Unit::kSeconds},
    {"", "failed", of_attempt(FIELD(failure)), "whether there is a failure"},
    {"message", "fail_message", OF_FAILURE(message), "of the failure, as the framework said it", kPassed,
     Unit::kNone, Load::kFailureText},
    {"dtype", "", of_case(FIELD(dtype)), "of its inputs", "the case names none"},
    {"shape", "", of_case(FIELD(shape)), "of its inputs", "the case names none"},
    {"core", "", of_case(FIELD(core)), "of the core set, on which verdicts rest"},
    {"host_only", "", of_case(FIELD(host_only)), "touches no device"},
    {"reason", "reason", of_attempt(FIELD(reason)), "of a skip or an error", "neither skip nor error"},
    {"signature", "signature", of_attempt(FIELD(signature)), "equal for the same failure", kPassed},
    {"warm_n",
     "warm_n",
     of_attempt(FIELD(latency.warm_n)),
     "behind the warm times; 0: not timed",
     {},
     Unit::kSamples},
    {"warm_low_s", "warm_low_s", of_attempt(FIELD(latency.warm_low_s)), "95% interval of the median, low end",
     "fewer than 6 samples, or `warm_reason`", Unit::kSeconds},
    {"warm_high_s", "warm_high_s", of_attempt(FIELD(latency.warm_high_s)), "its high end",
     "fewer than 6 samples, or `warm_reason`", Unit::kSeconds},
    {"case_hash", "", of_case(FIELD(hash)),
     "of the case's source and parameters: other hashes are never compared"},
    {"suite", "", of_case(FIELD(suite)), "curated, opinfo, harness, ...", kUntold},
    {"grad", "", of_case(FIELD(grad)), "checks gradients as well"},
    {"quick", "", of_case(FIELD(quick)), "of the forward and gradient case that a short run takes"},
    {"mode",
     "mode",
     Access<WorkerMode>{[](const AttemptView& row) {
                          return row.attempt != nullptr ? &row.attempt->mode : &row.target->mode;
                        },
                        [](const AttemptSlot& row) {
                          return row.attempt != nullptr ? &row.attempt->mode : &row.target->mode;
                        }},
     "kind of worker: fork, persistent, process",
     {},
     Unit::kNone,
     Load::kIdentity},
    {"stage", "fail_stage", OF_FAILURE(stage),
     "where it failed: setup, call, bridge, lower, compile, proof, compare, reference, worker", kPassed},
    {"type", "fail_type", OF_FAILURE(type), "of the exception", "it did not fail, or without an exception"},
    {"precision_rerun", "precision_rerun", OF_FAILURE(precision_rerun),
     "pass or fail: a wrong value computed again at the highest precision", "not tried: no value was wrong"},
    {"confirmed_by", "confirmed_by", of_attempt(FIELD(confirmed_by)),
     "the case whose solo rerun stands for this one", "it did not fail, or was run again itself"},
    {"placement",
     "placement",
     of_attempt(FIELD(placement.where)),
     "where it ran: device, host, unknown, none (nothing to place)",
     {},
     Unit::kNone,
     Load::kHead},
    {"attributes", "attributes", of_attempt(FIELD(attributes)),
     "what is true beside the outcome, with spaces between", "none", Unit::kNone, Load::kHead},
    {"protocol", "protocol", of_attempt(FIELD(latency.protocol)), "how it was timed: full, paper, imported",
     kUntimed},
    {"cold_kind", "cold_kind", of_attempt(FIELD(latency.cold_kind)), "cold-op or cold-process", kUntimed},
    {"cold_reason", "cold_reason", of_attempt(FIELD(latency.cold_reason)), "why `cold_s` is null",
     "`cold_s` has a value"},
    {"warm_reason", "warm_reason", of_attempt(FIELD(latency.warm_reason)), "why the warm times are null",
     "they have values"},
    {"warm_min_s", "warm_min_s", of_attempt(FIELD(latency.warm_min_s)), "least sample, mean over operations",
     kWarm, Unit::kSeconds},
    {"warm_iqr_s", "warm_iqr_s", of_attempt(FIELD(latency.warm_iqr_s)),
     "interquartile range, mean over operations", kWarm, Unit::kSeconds},
    {"unstable", "warm_unstable", of_attempt(FIELD(latency.unstable)),
     "the samples spread or drift too much to trust"},
    {"wall_s", "wall_s", of_attempt(FIELD(wall_s)), "of the whole attempt", {}, Unit::kSeconds, Load::kHead},
    {"cpu_s", "cpu_s", of_attempt(FIELD(cpu_s)), "of its worker", "not measured", Unit::kSeconds,
     Load::kHead},
    {"started_us",
     "started_us",
     of_attempt(FIELD(started_unix_us)),
     "when it began",
     {},
     Unit::kMoment,
     Load::kIdentity},
    {"device", "", of_target(FIELD(device_name)), "the device's name", "not told"},
    {"baseline", "", of_target(FIELD(baseline)), "the target that ratios refer to", "FRAMEWORK/cpu"},
    {"run_protocol", "", of_run(FIELD(protocol)), "of the run: full, paper, imported"},
    {.key = "run_state",
     .stored = "",
     .field = of_run(FIELD(state)),
     .meaning = "running, finished, interrupted, failed",
     .json_only = true},
    {.key = "run_started_us",
     .stored = "",
     .field = of_run(FIELD(started_unix_us)),
     .meaning = "when the run began",
     .unit = Unit::kMoment,
     .json_only = true},
    {.key = "run_ended_us",
     .stored = "",
     .field = of_run(FIELD(ended_unix_us)),
     .meaning = "when it ended",
     .null = "it goes on",
     .unit = Unit::kMoment,
     .json_only = true},
    {.key = "empty_s",
     .stored = "empty_s",
     .field = of_attempt(FIELD(costs.empty_s)),
     .meaning = "an empty call in the loop of the warm times",
     .null = kNoWarm,
     .unit = Unit::kSeconds,
     .since = kCosts},
    {.key = "compile_s",
     .stored = "compile_s",
     .field = of_attempt(FIELD(costs.compile_s)),
     .meaning = "of the first call: lowering and compiling, mean over operations",
     .null = kUncounted,
     .unit = Unit::kSeconds,
     .since = kCosts},
    {.key = "recompilations",
     .stored = "recompilations",
     .field = of_attempt(FIELD(costs.recompilations)),
     .meaning = "programs compiled by the warm calls, sum over operations",
     .null = kUncounted,
     .since = kCosts},
    {.key = "transfers",
     .stored = "transfers",
     .field = of_attempt(FIELD(costs.transfers)),
     .meaning = "copies between host and device in a warm call, mean over operations",
     .null = kUncounted,
     .since = kCosts},
    {.key = "transfer_bytes",
     .stored = "transfer_bytes",
     .field = of_attempt(FIELD(costs.transfer_bytes)),
     .meaning = "of these copies",
     .null = kUncounted,
     .unit = Unit::kBytes,
     .since = kCosts},
    {.key = "peak_bytes",
     .stored = "peak_bytes",
     .field = of_attempt(FIELD(costs.peak_bytes)),
     .meaning = "memory of the device (on the CPU: resident) that a warm call took at its greatest",
     .null = "not timed, or nothing tells",
     .unit = Unit::kBytes,
     .since = kCosts},
    {.key = "max_abs_err",
     .stored = "max_abs_err",
     .field = of_attempt(FIELD(max_abs_err)),
     .meaning = "largest difference from the reference",
     .null = kUncompared,
     .since = 10},
    {.key = "max_rel_err",
     .stored = "max_rel_err",
     .field = of_attempt(FIELD(max_rel_err)),
     .meaning = "the same, relative to the reference",
     .null = kUncompared,
     .since = 10},
    {.key = "max_ulp_err",
     .stored = "max_ulp_err",
     .field = of_attempt(FIELD(max_ulp_err)),
     .meaning = "the same, in units in the last place of the dtype that was compared",
     .null = "the dtype is exact, or nothing was compared",
     .load = Load::kHead,
     .since = 10},
    {.key = "failing_call",
     .stored = "failing_call",
     .field = OF_FAILURE(failing_call),
     .meaning = "of a program that fails: the smallest of its calls that fails alone, and how",
     .null = "no program, it did not fail, or its calls could not be recorded",
     .load = Load::kFailureText,
     .since = 11},
    // Of the store alone.
    {"", "wait_status", of_attempt(FIELD(wait_status)), "raw, of the process", "none died", Unit::kNone,
     Load::kIdentity},
    {"", "placement_details", of_attempt(FIELD(placement)),
     "JSON: how its placement is known, outputs, operations that fell back", "nothing is known", Unit::kNone,
     Load::kDocuments},
    {"", "reference", of_attempt(FIELD(reference)), "JSON: what it was compared with, errors, tolerances",
     "it was compared with nothing", Unit::kNone, Load::kDocuments},
    {"", "compiled", of_attempt(FIELD(compiled)), "JSON: what the compiler said", "no compiler told of it",
     Unit::kNone, Load::kDocuments},
    {"", "fail_traceback", OF_FAILURE(traceback), "of the failure", "it did not fail, or an import",
     Unit::kNone, Load::kTraceback},
    {"", "capture", of_attempt(FIELD(capture)), "the end of the output where a process or a machine died",
     "none died", Unit::kNone, Load::kTraceback},
};
#undef OF_FAILURE
#undef FIELD

// --- types

template <typename T>
struct Is {
  static constexpr bool kEnum = std::is_enum_v<T>;
  static constexpr bool kText = std::is_same_v<T, std::string>;
  static constexpr bool kList = std::is_same_v<T, std::vector<std::string>>;
  static constexpr bool kFailure = std::is_same_v<T, std::optional<Failure>>;
  static constexpr bool kFlag = std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>> || kFailure;
  static constexpr bool kTime = std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>;
  static constexpr bool kCount = std::is_same_v<T, int> || std::is_same_v<T, std::int64_t> ||
                                 std::is_same_v<T, std::optional<int>> ||
                                 std::is_same_v<T, std::optional<std::int64_t>>;
};

template <typename E>
std::optional<E> enum_from(std::string_view name) {
  if constexpr (std::is_same_v<E, Phase>) return phase_from(name);
  if constexpr (std::is_same_v<E, Outcome>) return outcome_from(name);
  if constexpr (std::is_same_v<E, Evidence>) return evidence_from(name);
  if constexpr (std::is_same_v<E, WorkerMode>) return worker_mode_from(name);
  if constexpr (std::is_same_v<E, Where>) return where_from(name);
  if constexpr (std::is_same_v<E, RunState>) {
    for (int number = 1; number <= static_cast<int>(kLast<E>); ++number) {
      if (name_of(static_cast<E>(number)) == name) return static_cast<E>(number);
    }
    return std::nullopt;
  }
}

// Calls use(field) with the row's field, unless it has none or the column is derived.
template <typename Use>
void with_field(const AttemptColumn& column, const AttemptView& row, Use use) {
  std::visit(
      [&]<typename A>(const A& access) {
        if constexpr (!std::is_same_v<A, Derived>) {
          if (const auto* field = access.view(row)) use(*field);
        }
      },
      column.field);
}
template <typename Use>
void with_field(const AttemptColumn& column, const AttemptSlot& row, Use use) {
  std::visit(
      [&]<typename A>(const A& access) {
        if constexpr (!std::is_same_v<A, Derived>) {
          if (auto* field = access.slot(row)) use(*field);
        }
      },
      column.field);
}

// --- values of an export

template <typename T>
Value plain_value(const T& field) {
  if constexpr (Is<T>::kEnum) {
    return name_of(field);
  } else if constexpr (Is<T>::kText) {
    return text_or_null(field);
  } else if constexpr (Is<T>::kList) {
    return text_or_null(join(field, " "));
  } else if constexpr (Is<T>::kFailure) {
    return field.has_value();
  } else if constexpr (requires { field.has_value(); }) {
    return field ? plain_value(*field) : Value();
  } else if constexpr (std::is_same_v<T, Placement>) {
    return encode_placement(field);
  } else {
    return Value(field);
  }
}

constexpr std::int64_t kMostCount = std::int64_t{1} << 60;

template <typename T>
std::string set_field(T& field, const Value& value, [[maybe_unused]] std::int64_t most) {
  if constexpr (Is<T>::kEnum) {
    if (!value.is_string()) return fmt::format("is {}, not a string", value.type_name());
    const auto found = enum_from<T>(value.as_string());
    if (!found) return fmt::format("'{}' is not known", ellipsize(one_line(value.as_string()), 60));
    field = *found;
  } else if constexpr (Is<T>::kText || Is<T>::kList) {
    if (!value.is_string()) return fmt::format("is {}, not a string", value.type_name());
    if constexpr (Is<T>::kText) {
      field = value.as_string();
    } else {
      for (const std::string_view word : split_words(value.as_string())) field.emplace_back(word);
    }
  } else if constexpr (Is<T>::kFlag && !Is<T>::kFailure) {
    if (!value.is_bool()) return "is no boolean";
    field = value.as_bool();
  } else if constexpr (Is<T>::kTime) {
    if (!value.is_number() || !std::isfinite(value.as_number()) || value.as_number() < 0)
      return "is no number of at least 0";
    field = value.as_number();
  } else if constexpr (Is<T>::kCount) {
    if (!value.is_int() || value.as_int() < 0 || value.as_int() > most) return "is no count";
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>>) {
      field = static_cast<int>(value.as_int());
    } else {
      field = value.as_int();
    }
  } else {
    throw std::logic_error("a column of the store alone is imported");
  }
  return {};
}

// --- values of the store

template <typename T>
Status read_field(T& field, const Connection& connection, const Statement& row, int index,
                  [[maybe_unused]] std::string_view name) {
  if constexpr (Is<T>::kEnum) {
    const Result<T> value = read_enum(connection, row.integer(index), kLast<T>, name);
    if (!value) return value.error();
    field = *value;
  } else if constexpr (Is<T>::kText) {
    field = row.text(index);  // keeps the room that it has
  } else if constexpr (Is<T>::kList) {
    field.clear();
    if (row.text(index).empty()) return {};
    Result<std::vector<std::string>> list = decode_list(row.text(index));
    if (!list) return connection.corrupt(fmt::format("{}: {}", name, list.error().message()));
    field = std::move(*list);
  } else if constexpr (Is<T>::kFailure) {
    field.reset();
    if (row.integer(index) != 0) field.emplace();
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    field = row.maybe_number(index);
  } else if constexpr (requires { field.has_value(); }) {
    field.reset();
    if (const auto number = row.maybe_integer(index)) field = static_cast<T::value_type>(*number);
  } else if constexpr (std::is_same_v<T, double>) {
    field = row.number(index);
  } else if constexpr (std::is_same_v<T, bool>) {
    field = row.integer(index) != 0;
  } else if constexpr (Is<T>::kCount) {
    field = static_cast<T>(row.integer(index));
  } else if constexpr (std::is_same_v<T, Placement>) {
    Placement placement;
    placement.where = field.where;
    if (Status read = decode_placement(row.text(index), placement); !read)
      return connection.corrupt(fmt::format("{}: {}", name, read.error().message()));
    field = std::move(placement);
  } else {
    if (!field.is_null()) field = Value();
    if (row.text(index).empty()) return {};
    Result<Value> value = read_document(connection, row.text(index));
    if (!value) return value.error();
    field = std::move(*value);
  }
  return {};
}

}  // namespace

std::span<const AttemptColumn> attempt_columns() { return kColumns; }

std::string_view type_name(const AttemptColumn& column) {
  if (column.unit == Unit::kMoment) return "moment";
  return std::visit(
      []<typename A>(const A& access) -> std::string_view {
        if constexpr (std::is_same_v<A, Derived>) {
          return access.is_flag ? "bool" : "text";
        } else {
          using T = A::Type;
          if (Is<T>::kFlag) return "bool";
          if (Is<T>::kCount) return "int";
          return Is<T>::kTime ? "float" : "text";
        }
      },
      column.field);
}

std::string_view sql_type(const AttemptColumn& column) {
  return std::visit(
      []<typename A>(const A& /*access*/) -> std::string_view {
        if constexpr (std::is_same_v<A, Derived>) {
          return "TEXT";
        } else {
          using T = A::Type;
          if (Is<T>::kTime) return "REAL";
          return Is<T>::kEnum || Is<T>::kFlag || Is<T>::kCount ? "INTEGER" : "TEXT";
        }
      },
      column.field);
}

Value describe_columns() {
  const auto text = [](std::string_view value) { return text_or_null(std::string(value)); };
  constexpr std::array<std::string_view, 5> kUnits = {"", "s", "samples", "bytes", "UTC"};
  Value::Array list;
  for (const AttemptColumn& column : attempt_columns()) {
    list.emplace_back(Value::Object{{"key", text(column.key)},
                                    {"stored", text(column.stored)},
                                    {"type", type_name(column)},
                                    {"unit", text(kUnits.at(static_cast<std::size_t>(column.unit)))},
                                    {"meaning", column.meaning},
                                    {"null", text(column.null)},
                                    {"csv", column.in_csv()}});
  }
  return list;
}

Value export_value(const AttemptColumn& column, const AttemptView& row) {
  if (const auto* derived = std::get_if<Derived>(&column.field)) return derived->value(row);
  Value value;
  with_field(column, row, [&](const auto& field) { value = plain_value(field); });
  return value;
}

std::string import_value(const AttemptColumn& column, const AttemptSlot& row, const Value& value) {
  std::string problem;
  if (value.is_null()) return problem;
  // A number of attempts, whatever a file says, is one that can be counted on.
  const std::int64_t most = std::holds_alternative<Access<int>>(column.field) ? 1'000'000 : kMostCount;
  with_field(column, row, [&](auto& field) { problem = set_field(field, value, most); });
  return problem;
}

void append_text(const AttemptColumn& column, const AttemptView& row, std::string& text) {
  with_field(column, row, [&]<typename T>(const T& field) {
    if constexpr (Is<T>::kText) {
      text += field;
    } else if constexpr (Is<T>::kEnum) {
      text += name_of(field);
    } else if constexpr (Is<T>::kFailure) {
      text += field ? "yes" : "no";
    } else if constexpr (Is<T>::kList) {
      text += join(field, " ");
    } else if constexpr (std::is_same_v<T, Placement>) {
      text += encode_placement(field);
    } else if constexpr (std::is_same_v<T, Value>) {
      text += encode_document(field);
    } else if constexpr (requires { field.has_value(); }) {
      if (field) fmt::format_to(std::back_inserter(text), "{}", *field);
    } else {
      fmt::format_to(std::back_inserter(text), "{}", field);
    }
  });
}

void bind_column(const AttemptColumn& column, const AttemptView& row, Statement& statement, int index,
                 const SecretShapes* secrets, std::deque<std::string>& texts) {
  statement.bind_null(index);
  with_field(column, row, [&]<typename T>(const T& field) {
    const auto bind_encoded = [&](std::string encoded) {
      statement.bind_or_null(index, texts.emplace_back(std::move(encoded)));
    };
    if constexpr (Is<T>::kText) {
      statement.bind_or_null(index, masked(field, secrets, texts));
    } else if constexpr (Is<T>::kEnum) {
      statement.bind(index, static_cast<int>(field));
    } else if constexpr (Is<T>::kFailure) {
      statement.bind(index, field.has_value());
    } else if constexpr (Is<T>::kList) {
      bind_encoded(encode_list(field));
    } else if constexpr (std::is_same_v<T, Placement>) {
      bind_encoded(encode_placement(field));
    } else if constexpr (std::is_same_v<T, Value>) {
      bind_encoded(encode_document(field, secrets));
    } else {
      statement.bind(index, field);
    }
  });
}

Status read_column(const AttemptColumn& column, const AttemptSlot& row, const Connection& connection,
                   const Statement& statement, int index) {
  Status status;
  with_field(column, row,
             [&](auto& field) { status = read_field(field, connection, statement, index, column.stored); });
  return status;
}

void clear_column(const AttemptColumn& column, const AttemptSlot& row) {
  with_field(column, row, []<typename T>(T& field) {
    if constexpr (Is<T>::kText || Is<T>::kList) {
      field.clear();
    } else if constexpr (!Is<T>::kEnum) {  // an enum has no empty value, and is of the head
      field = T{};
    }
  });
}

}  // namespace seamark::store
