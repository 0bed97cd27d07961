#include "seamark/store/run_content.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/store/attempt_columns.h"
#include "seamark/store/encode.h"

namespace seamark::store {

namespace {

// No value of a field has these unless an adversary puts them there, who thereby names differences wrongly.
constexpr char kAfterName = '\x1f';
constexpr char kAfterValue = '\x1e';
constexpr std::size_t kShown = 60;

class FieldText {
 public:
  // An export repairs what is not UTF-8.
  explicit FieldText(bool repair = false) : repair_(repair) {}

  FieldText& add(std::string_view name, std::string_view value) {
    text_ += name;
    text_ += kAfterName;
    if (repair_ && !is_utf8(value)) {
      text_ += repair_utf8(value);
    } else {
      text_ += value;
    }
    text_ += kAfterValue;
    return *this;
  }
  FieldText& add(std::string_view name, const std::string& value) {
    return add(name, std::string_view(value));
  }
  FieldText& add(std::string_view name, bool value) {
    return add(name, std::string_view(value ? "yes" : "no"));
  }
  FieldText& add(std::string_view name, const Value& value) { return add(name, encode_document(value)); }
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  FieldText& add(std::string_view name, Number value) {
    fmt::format_to(std::back_inserter(text_), "{}{}{}{}", name, kAfterName, value, kAfterValue);
    return *this;
  }
  template <typename T>
  FieldText& add(std::string_view name, const std::optional<T>& value) {
    return value ? add(name, *value) : add(name, std::string_view());
  }
  FieldText& add(const AttemptColumn& column, const AttemptView& row) {
    text_ += column.key.empty() ? column.stored : column.key;
    text_ += kAfterName;
    const std::size_t from = text_.size();
    append_text(column, row, text_);
    if (repair_ && !is_utf8(std::string_view(text_).substr(from))) {
      const std::string repaired = repair_utf8(std::string_view(text_).substr(from));
      text_.resize(from);
      text_ += repaired;
    }
    text_ += kAfterValue;
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  bool repair_;
  std::string text_;
};

void add_samples(FieldText& text, std::string_view name, const std::vector<double>& samples) {
  const std::vector<std::uint8_t> bytes = encode_samples(samples);
  text.add(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void add_operations(FieldText& text, const Attempt& attempt) {
  for (const TimedOperation& operation : attempt.operations) {
    text.add("operation", operation.name).add("its cold_s", operation.cold_s);
    text.add("its cold_reason", operation.cold_reason).add("its warm_reason", operation.warm_reason);
    text.add("its inner_calls", operation.inner);
    add_samples(text, "its warm samples", operation.warm_s);
    add_samples(text, "its device samples", operation.device_s);
  }
}

std::uint64_t key_of(const Attempt& attempt) {
  const std::string number = std::to_string(attempt.attempt);
  const std::string_view fields[] = {attempt.target, attempt.case_name, attempt.case_hash, number};
  return fnv1a64_fields(fields);
}

}  // namespace

std::string text_of(const RunInfo& run) {
  FieldText text;
  text.add("state", name_of(run.state)).add("state_reason", run.state_reason).add("command", run.command);
  text.add("seed", run.seed).add("protocol", run.protocol).add("proof", run.proof);
  text.add("reference", run.reference).add("subset_note", run.subset_note);
  text.add("full_command", run.full_command).add("started_us", run.started_unix_us);
  text.add("ended_us", run.ended_unix_us).add("wall_s", run.wall_s).add("cpu_s", run.cpu_s);
  text.add("host", run.host).add("versions", run.versions).add("options", run.options);
  return text.take();
}

std::string text_of(const RunTarget& target) {
  FieldText text;
  text.add("framework", target.framework).add("version", target.framework_version);
  text.add("device", target.device_name).add("mode", name_of(target.mode)).add("baseline", target.baseline);
  text.add("usable", target.usable).add("reason", target.reason).add("remedy", target.remedy);
  text.add("entry", target.entry).add("facts", target.facts).add("environment", target.environment_lock);
  return text.take();
}

std::string text_of(const StoredEvent& event) {
  return FieldText()
      .add("at_us", event.at_unix_us)
      .add("kind", event.kind)
      .add("detail", event.detail)
      .take();
}

std::string text_of(const Attempt& attempt, Fields fields) {
  FieldText text(fields == Fields::kExported);
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.stored.empty() || (fields == Fields::kExported && column.key.empty())) continue;
    text.add(column, {.attempt = &attempt});
  }
  if (fields == Fields::kAll) add_operations(text, attempt);
  return text.take();
}

std::string first_difference(std::string_view ours, std::string_view theirs) {
  const std::vector<std::string_view> mine = split(ours, kAfterValue);
  const std::vector<std::string_view> other = split(theirs, kAfterValue);
  for (std::size_t i = 0; i < std::min(mine.size(), other.size()); ++i) {
    if (mine[i] == other[i]) continue;
    const auto shown = [](std::string_view field) {
      const std::string_view value = field.substr(std::min(field.find(kAfterName), field.size() - 1) + 1);
      return value.empty() ? "empty" : ellipsize(one_line(value), kShown);
    };
    if (mine[i].empty() || other[i].empty()) return "one has more operations";
    return fmt::format("{} is {}, not {}", mine[i].substr(0, mine[i].find(kAfterName)), shown(mine[i]),
                       shown(other[i]));
  }
  return "nothing differs";
}

std::string name_of(const Attempt& attempt) {
  return fmt::format("attempt {} of {} on {}", attempt.attempt, attempt.case_name, attempt.target);
}

AttemptFilter RunAttempts::filter() const {
  AttemptFilter filter;
  filter.run = {RunChoice::Kind::kOne, uuid_};
  filter.columns.failure_text = true;
  if (fields_ == Fields::kAll) filter.columns = AttemptColumns::all();
  filter.as_committed = true;
  return filter;
}

std::string RunAttempts::masked_text(const Attempt& attempt) const {
  std::string text = text_of(attempt, fields_);
  if (secrets_ != nullptr) secrets_->mask(text);
  return text;
}

Result<RunAttempts> RunAttempts::read(Store& store, const std::string& uuid, Fields fields,
                                      const SecretShapes* secrets) {
  RunAttempts out(uuid, fields, secrets);
  const Status read = store.for_each_attempt(out.filter(), [&out](const StoredAttempt& stored) {
    out.texts_[key_of(stored.attempt)] = fnv1a64(out.masked_text(stored.attempt));
    return true;
  });
  if (!read) return read.error();
  return out;
}

RunAttempts::Match RunAttempts::match(const Attempt& attempt) const {
  const auto there = texts_.find(key_of(attempt));
  if (there == texts_.end()) return Match::kMissing;
  return there->second == fnv1a64(masked_text(attempt)) ? Match::kSame : Match::kOther;
}

Result<std::string> RunAttempts::difference(Store& store, const Attempt& theirs) const {
  AttemptFilter one = filter();
  one.targets = {theirs.target};
  std::string text = name_of(theirs);
  const Status read = store.for_each_attempt(one, [&](const StoredAttempt& stored) {
    if (key_of(stored.attempt) != key_of(theirs)) return true;
    text += ": " + first_difference(masked_text(stored.attempt), masked_text(theirs));
    return false;
  });
  if (!read) return read.error();
  return text;
}

}  // namespace seamark::store
