#include "seamark/cli/audit_fixes.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/helper.h"
#include "seamark/model/target_name.h"
#include "seamark/proc/run_command.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {
namespace {

constexpr std::string_view kFixesRecipe = "fixes";
constexpr int kNoLibcst = 3;  // of the helper
constexpr int kNotCommitted = 5;
constexpr std::size_t kLargestDiff = std::size_t{1} << 30;

using Places = std::map<std::string, std::vector<const audit::Item*>>;  // by path

Places places_of(const audit::Audit& audit) {
  Places places;
  for (const audit::Item& item : audit.items) {
    if (item.function.empty() && item.suppressed_because.empty()) places[item.path].push_back(&item);
  }
  return places;
}

std::string job_text(const Places& places, const audit::Audit& audit, const FixOptions& options) {
  Value files{Value::Array{}};
  for (const auto& [path, items] : places) {
    Value list{Value::Array{}};
    for (const audit::Item* item : items) {
      list.push(Value(Value::Array{Value(item->id), Value(static_cast<std::int64_t>(item->line)),
                                   Value(static_cast<std::int64_t>(item->column))}));
    }
    Value file;
    file.set("path", path).set("places", std::move(list));
    files.push(std::move(file));
  }
  Value job;
  job.set("to", family_of(audit.move.to)).set("unsafe", options.unsafe).set("write", options.write);
  job.set("allow_dirty", options.allow_dirty).set("files", std::move(files));
  return dump_json(job);
}

struct Tally {
  std::set<std::string> files;
  std::map<std::string, std::int64_t> done;                                      // by rule
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> left;  // by rule and why: places
  std::int64_t unsafe = 0;
};

std::optional<Tally> tally_of(const Value& outcome, const Places& places) {
  Tally tally;
  const Value* files = outcome.find("files");
  if (files == nullptr || !files->is_array() || files->as_array().size() != places.size())
    return std::nullopt;
  auto expected = places.begin();
  for (const Value& file : files->as_array()) {
    const auto& [path, items] = *expected++;
    const Value* done = file.find("done");
    const Value* left = file.find("left");
    if (done == nullptr || left == nullptr || !done->is_array() || !left->is_array()) return std::nullopt;
    const auto item_at = [&items = items](const Value& number) -> const audit::Item* {
      if (!number.is_int() || number.as_int() < 0) return nullptr;
      const auto at = static_cast<std::size_t>(number.as_int());
      return at < items.size() ? items[at] : nullptr;
    };
    for (const Value& number : done->as_array()) {
      const audit::Item* item = item_at(number);
      if (item == nullptr) return std::nullopt;
      ++tally.done[item->id];
      tally.files.insert(path);
    }
    for (const Value& one : left->as_array()) {
      if (!one.is_array() || one.as_array().size() != 3) return std::nullopt;
      const audit::Item* item = item_at(one.as_array()[0]);
      if (item == nullptr || !one.as_array()[1].is_string() || !one.as_array()[2].is_bool())
        return std::nullopt;
      tally.left[{item->id, one.as_array()[1].as_string()}].push_back(
          fmt::format("{}:{}", item->path, item->line));
      tally.unsafe += one.as_array()[2].as_bool() ? 1 : 0;
    }
  }
  return tally;
}

std::string summary_of(const Tally& tally, const FixOptions& options) {
  std::string out;
  std::int64_t places = 0;
  std::vector<std::string> rules;
  for (const auto& [rule, count] : tally.done) {
    places += count;
    rules.push_back(fmt::format("{} {}", rule, count));
  }
  const std::string_view verb = options.write ? "fixed" : "would be fixed";
  out += places == 0 ? fmt::format("nothing {}\n", options.write ? "is fixed" : verb)
                     : fmt::format("{} in {} {}: {}\n", report::plural(places, "place"),
                                   report::plural(static_cast<std::int64_t>(tally.files.size()), "file"),
                                   verb, join(rules, ", "));
  for (const auto& [key, where] : tally.left) {
    out += fmt::format(
        "{} stays at {}{}: {}\n", key.first, where.front(),
        where.size() == 1 ? std::string()
                          : fmt::format(" and {}", report::plural(static_cast<std::int64_t>(where.size()) - 1,
                                                                  "other place")),
        key.second);
  }
  if (tally.unsafe > 0)
    out += fmt::format("--unsafe-fixes does {} of those; --diff shows them first\n", tally.unsafe);
  return plain_text(out);
}

}  // namespace

Result<Fixes> apply_fixes(const Context& context, const audit::Audit& audit, const FixOptions& options) {
  const Places places = places_of(audit);
  if (places.empty()) return Fixes{{}, "there is nothing to fix\n"};
  const std::string python = helper_python(context, kFixesRecipe);
  proc::CommandOptions command;
  command.spawn.argv = {python, helper_file(context, "fixes.py")};
  command.input = job_text(places, audit, options);
  command.max_output_bytes = kLargestDiff;
  Result<proc::CommandResult> done = proc::run_command(command);
  const std::string remedy = helper_remedy(context, kFixesRecipe, "libcst");
  if (!done) return Error(CliError::kEnvironment, "nothing can be fixed: " + done.error().message(), remedy);
  const int code = done->exit.shell_code();
  if (code == kNoLibcst) {
    return Error(CliError::kEnvironment, fmt::format("fixes need LibCST, which {} does not have", python),
                 remedy);
  }
  if (code == kNotCommitted) {
    const std::vector<std::string_view> lines = split(trim(done->err), '\n');
    return Error(CliError::kUsage,
                 "nothing is fixed: " + one_line(lines.empty() ? std::string_view() : lines.back()),
                 "commit it first, look with --diff, or write all the same with --allow-dirty");
  }
  const std::size_t line_end = done->out.find('\n');
  if (done->success() && !done->out_truncated && line_end != std::string::npos) {
    const Result<Value> outcome = parse_json(std::string_view(done->out).substr(0, line_end));
    const std::optional<Tally> tally = outcome ? tally_of(*outcome, places) : std::nullopt;
    if (tally) return Fixes{done->out.substr(line_end + 1), summary_of(*tally, options)};
  }
  return Error(CliError::kEnvironment,
               fmt::format("fixing ended early: the helper {}; what it wrote is whole, see `git diff`",
                           one_line(done->text())),
               remedy);
}

}  // namespace seamark::cli
