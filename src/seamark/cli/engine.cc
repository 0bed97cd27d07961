#include "seamark/cli/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/helper.h"
#include "seamark/cli/version.h"
#include "seamark/proc/run_command.h"
#include "seamark/report/render/number_text.h"

namespace seamark::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Resources = std::map<std::string, double, std::less<>>;
using Nodes = std::map<std::string, Resources, std::less<>>;  // by what Ray calls them

constexpr int kNoRay = 3;  // of the helper
// A task that ended two workers ends a third. A node is lost for reasons of its own, and now and then.
constexpr int kMostCrashes = 2;
constexpr std::string_view kCrashed = "it ended two workers";
constexpr int kMostLosses = 4;
constexpr std::string_view kLost = "it lost four nodes";
constexpr std::size_t kKept = 2000;  // bytes of what a task's commands print
// After the second interrupt: a task has 5 s for its commands, and then clears its folder; the helper goes
// last.
constexpr double kEndSeconds = 15;
constexpr double kGraceSeconds = 20;
constexpr double kLeastSilence = 15;  // a task says every 5 s that it is there
constexpr double kLeastStart = 30;    // Ray starts a worker's process for it

Value text_lists(const std::vector<std::vector<std::string>>& lists) {
  Value out{Value::Array{}};
  for (const std::vector<std::string>& one : lists) out.push(text_list(one));
  return out;
}

Resources resources_of(const Value& value) {
  Resources out;
  if (!value.is_object()) return out;
  for (const auto& [name, count] : value.as_object())
    if (count.is_number()) out[name] = count.as_number();
  return out;
}

// What comes from the helper, and what it is asked for then. A try is one start of a task.
class Engine {
 public:
  Engine(const EngineOptions& options, const std::vector<EngineTask>& tasks, const EngineEvents& events,
         const proc::Signals& signals, UniqueFd orders)
      : options_(options),
        tasks_(tasks),
        events_(events),
        signals_(signals),
        orders_(std::move(orders)),
        standings_(tasks.size()) {}

  void read(std::string_view text) {
    buffer_ += text;
    for (std::size_t end = 0; (end = buffer_.find('\n')) != std::string::npos;) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (!orders_) continue;
      const Result<Value> said = parse_json(line);
      if (!said) {
        failed_ = Error(CliError::kEnvironment,
                        "Ray: what its helper says cannot be read: " + one_line(utf8_prefix(line, 500)));
      } else if (const Value* nodes = said->find("nodes"); nodes != nullptr) {
        const Value* free = said->find("free");
        look(*nodes, free == nullptr ? Resources() : resources_of(*free), said->string_or("dashboard", ""));
      } else if (said->find("connecting") != nullptr) {
        if (signals_.interrupts() > 0) orders_.reset();
        continue;
      } else {
        take(*said);
      }
      events_.progress(done_, static_cast<std::size_t>(std::ranges::count_if(
                                  tries_, [](const auto& one) { return !one.second.node.empty(); })));
      if (tries_.empty() || !failed_.ok()) orders_.reset();
    }
  }

  [[nodiscard]] const Status& failed() const { return failed_; }

 private:
  struct Try {
    std::size_t task = 0;
    std::string node;  // where it runs
    // When it was heard of; before it runs, when all that has room for it was taken.
    SteadyClock::time_point heard = SteadyClock::now();
    bool ended = false;  // from here
  };
  struct Standing {
    int crashes = 0;
    int losses = 0;
    std::string said;                      // the end of what it printed, wherever it was tried
    std::vector<std::string> last_resort;  // what it has come to
  };

  void order(const Value& what) { (void)write_all(orders_.get(), dump_json(what) + '\n'); }

  void start(std::size_t task) {
    const std::vector<std::string>& last = standings_[task].last_resort;
    Value what;
    what.set("number", ++last_try_);
    what.set("commands", last.empty() ? text_lists(tasks_[task].commands) : text_lists({last}));
    what.set("resources", tasks_[task].resources);
    tries_[last_try_].task = task;
    order(what);
  }

  void end(std::int64_t number, bool forget = false) {
    Value what;
    what.set("number", number);
    if (forget) what.set("forget", true);
    order(what);
  }

  void tell(std::size_t task, std::string_view what) {
    events_.tell(fmt::format("{}: {}", tasks_[task].name, what));
  }

  void take(const Value& said) {
    const auto number = static_cast<std::int64_t>(said.number_or("number", 0));
    const auto at = tries_.find(number);
    if (at == tries_.end()) return;  // it was given up
    at->second.heard = SteadyClock::now();
    spoken_ = true;
    const std::size_t task = at->second.task;
    std::string& printed = standings_[task].said;
    if (said.find("node") != nullptr) {
      at->second.node = said.string_or("node", "");
      printed += fmt::format("on {}:\n", said.string_or("host", ""));
    }
    printed += said.string_or("said", "");
    if (printed.size() > kKept) printed.erase(0, printed.size() - kKept);
    if (const std::filesystem::path part = said.string_or("file", ""); !part.empty()) {
      tries_.erase(at);
      failed_ = events_.take(task, part);
      std::error_code none;
      std::filesystem::remove(part, none);
      ++done_;
    }
    if (said.find("why") != nullptr) fail(number, said.string_or("why", ""), said.bool_or("crashed", false));
  }

  // It came to no result: again, with its last resort, or never.
  void fail(std::int64_t number, std::string_view said, bool crashed) {
    const Try one = tries_.extract(number).mapped();
    if (one.ended) return;
    const std::string why = one_line(utf8_prefix(said, 500));
    Standing& standing = standings_[one.task];
    ++(crashed ? standing.crashes : standing.losses);
    bool again = standing.crashes < kMostCrashes && standing.losses < kMostLosses;
    if (!again && standing.last_resort.empty() && !tasks_[one.task].last_resort.empty()) {
      const std::string reason = fmt::format("{}: {}\n{}", crashed ? kCrashed : kLost, why,
                                             replace_all(standing.said, std::string_view("\0", 1), ""));
      standing = Standing();
      standing.last_resort = tasks_[one.task].last_resort;
      for (std::string& word : standing.last_resort) word = replace_all(word, kWhy, reason);
      again = true;
    }
    again = again && stops_ == 0;
    tell(one.task, again ? why + "; again" : why);
    if (again) start(one.task);
  }

  // What only time tells: the nodes that are there, and interrupts.
  void look(const Value& said, const Resources& free, const std::string& dashboard) {
    if (!said.is_object()) return;
    Nodes nodes;
    for (const auto& [node, has] : said.as_object()) nodes[node] = resources_of(has);
    stop_if_asked();
    if (!begun_ && stops_ == 0) {
      tell_cluster(nodes, dashboard);
      for (std::size_t task = 0; task < tasks_.size(); ++task) start(task);
    }
    begun_ = true;
    const SteadyClock::time_point now = SteadyClock::now();
    for (const auto& [number, one] : std::map(tries_)) {
      const Resources needed = resources_of(tasks_[one.task].resources);
      if (!one.node.empty()) {
        // Where a link is cut, Ray itself waits minutes for the node's answer.
        const double silent_s = seconds(now - one.heard);
        if (!nodes.contains(one.node)) {
          fail(number, "its node is lost", false);
        } else if (silent_s > std::max(options_.patience_s, kLeastSilence)) {
          end(number, true);
          fail(number, fmt::format("nothing was heard of it for {:.0f} s", silent_s), false);
        }
        continue;
      }
      const bool fitting = fits(needed, nodes);
      if (fitting && (spoken_ || stops_ > 0 || !covers(free, needed))) tries_.at(number).heard = now;
      const double waited_s = seconds(now - tries_.at(number).heard);
      if (waited_s <= (fitting ? std::max(options_.patience_s, kLeastStart) : options_.patience_s)) continue;
      end(number);
      tries_.erase(number);
      tell(one.task, fitting
                         ? fmt::format("the cluster has room for it, but no word came of it for {:.0f} s: "
                                       "RAY_AUTH_MODE and the token of the cluster must be the same here",
                                       waited_s)
                         : "no node of the cluster has " + text_of(needed));
    }
    if (stops_ == 1 && seconds(now - stopped_) > kEndSeconds)
      std::erase_if(tries_, [](const auto& one) { return one.second.ended; });
    if (stops_ > 1 && seconds(now - stopped_) > kEndSeconds) tries_.clear();
  }

  static double seconds(SteadyClock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  static bool fits(const Resources& needed, const Nodes& nodes) {
    return std::ranges::any_of(nodes, [&](const auto& node) { return covers(node.second, needed); });
  }

  static bool covers(const Resources& has, const Resources& needed) {
    return std::ranges::all_of(needed, [&](const auto& need) {
      const auto at = has.find(need.first);
      return need.second <= (at == has.end() ? 0 : at->second);
    });
  }

  // The first interrupt ends what waits, the second one all.
  void stop_if_asked() {
    const int asked = std::min(signals_.interrupts(), 2);
    if (asked == stops_) return;
    if (stops_ == 0) events_.tell("interrupted: what runs is finished first; interrupt again to kill it");
    stops_ = asked;
    stopped_ = SteadyClock::now();
    for (auto& [number, one] : tries_) {
      if (asked == 1 && !one.node.empty()) continue;
      one.ended = true;
      end(number);
    }
  }

  static std::string text_of(const Resources& resources) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : resources)
      parts.push_back(fmt::format("{} {:g}", one_line(name), count));
    return join(parts, ", ");
  }

  void tell_cluster(const Nodes& nodes, const std::string& dashboard) {
    Resources all;
    for (const auto& [node, has] : nodes) {
      for (const auto& [name, count] : has)
        if (name != "memory" && name != "object_store_memory" && !name.starts_with("node:"))
          all[name] += count;
    }
    events_.tell(fmt::format(
        "Ray: {}{}{}{}{}", report::plural(static_cast<std::int64_t>(nodes.size()), "node"),
        all.empty() ? "" : ", ", text_of(all), dashboard.empty() ? "" : "; dashboard ", one_line(dashboard)));
  }

  const EngineOptions& options_;
  const std::vector<EngineTask>& tasks_;
  const EngineEvents& events_;
  const proc::Signals& signals_;
  UniqueFd orders_;  // the helper's input; closed: it ends
  std::string buffer_;
  bool begun_ = false;
  bool spoken_ = false;  // a word came of some try
  int stops_ = 0;        // interrupts that were obeyed, the last one when:
  SteadyClock::time_point stopped_;
  std::vector<Standing> standings_;  // of each task
  std::map<std::int64_t, Try> tries_;
  std::int64_t last_try_ = 0;
  std::size_t done_ = 0;
  Status failed_;
};

}  // namespace

Result<bool> run_tasks(const Context& context, const EngineOptions& options,
                       const std::vector<EngineTask>& tasks, const EngineEvents& events,
                       proc::Signals& signals) {
  const Result<HeldDir> folder = HeldDir::make("engine");
  if (!folder) return folder.error();
  Result<Pipe> orders = make_pipe();
  if (!orders) return orders.error();
  Engine engine(options, tasks, events, signals, std::move(orders->write));
  proc::CommandOptions helper;
  helper.spawn.argv = {helper_python(context, "ray"),
                       helper_file(context, "ray_tasks.py"),
                       options.address.empty() ? "local" : options.address,
                       executable_path().native(),
                       std::string(version()),
                       folder->path().native(),
                       options.seed.native()};
  // What Ray tells people about stands in this program's own words.
  helper.spawn.environment = {{"RAY_DEDUP_LOGS", "0"}, {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0"}};
  helper.spawn.fds = {{orders->read.get(), 0}};
  helper.max_output_bytes = std::size_t{1} << 20;
  helper.signals = &signals;
  helper.ends_its_own = true;
  helper.grace_s = kGraceSeconds;
  helper.on_output = [&](proc::OutputStream stream, std::string_view text) {
    if (stream == proc::OutputStream::kOut) engine.read(text);
  };
  const Result<proc::CommandResult> done = proc::run_command(helper);
  if (!done) return Error(CliError::kEnvironment, done.error().message(), done.error().remedy());
  if (!engine.failed()) return engine.failed().error();
  if (done->success() || done->interrupted) return done->interrupted;
  if (done->exit.shell_code() == kNoRay) {
    return Error(CliError::kEnvironment, fmt::format("there is no Ray in {}", helper.spawn.argv.front()),
                 helper_remedy(context, "ray", "ray"));
  }
  return Error(CliError::kEnvironment, fmt::format("Ray: {}", one_line(done->text())),
               options.address.empty()
                   ? "see the message"
                   : "`ray status` tells of the cluster; --address names it; a cluster that asks for a token "
                     "needs RAY_AUTH_MODE=token and the token here");
}

Value engine_resources(const Context& context, const target::TargetEntry& entry) {
  Value out;
  out.set("CPU", 1.0);
  const target::HardwareCheck* hardware = context.registry.hardware(entry.hardware);
  const bool own = entry.resources.is_object() && !entry.resources.as_object().empty();
  const Value& more = own || hardware == nullptr ? entry.resources : hardware->resources;
  if (!more.is_object()) return out;
  for (const auto& [name, count] : more.as_object()) out.set(name, count.as_number());
  return out;
}

}  // namespace seamark::cli
